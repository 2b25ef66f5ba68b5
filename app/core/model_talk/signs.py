"""The words and phrases of the languages' tables in a text: which sign stands where.

What a word may be part of is looked up once for each different word of a text, and a phrase is
looked for only where its rarest word stands.
"""

import re
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property, lru_cache
from typing import NamedTuple

from app.core.model_talk import dutch, english, french, german, italian, portuguese, spanish
from app.core.model_talk.rules import Words

# What orders are made of, by language, and the weak signs.
LANGUAGES: Mapping[str, Words] = {
    "de": german.WORDS,
    "en": english.WORDS,
    "es": spanish.WORDS,
    "fr": french.WORDS,
    "it": italian.WORDS,
    "nl": dutch.WORDS,
    "pt": portuguese.WORDS,
}
WEAK: Mapping[str, Words] = {
    "de": german.SIGNS,
    "en": english.SIGNS,
    "es": spanish.SIGNS,
    "fr": french.SIGNS,
    "it": italian.SIGNS,
    "nl": dutch.SIGNS,
    "pt": portuguese.SIGNS,
}
_WORD = re.compile(r"[^\W_]+")
# A quotation or an attribute begins as a sentence does.
_END = re.compile('[.!?:;\n…。"“„«>\\]]')
# So many letters an ending may have.
_ENDING = 12
_SHORTEST_STEM = 3
# A word that stands in a text no more often needs no rarer one of its phrase.
_FEW = 4
_REMEMBERED_WORDS = 1 << 16

# A sign by its language and its name in the tables.
Sign = tuple[str, str]


class Hit(NamedTuple):
    """Where a sign stands: from which word to before which."""

    start: int
    end: int


class _Phrase(NamedTuple):
    """A phrase of a sign, which of its words is the longest, and the others without an ending."""

    sign: Sign
    words: tuple[str, ...]
    longest: int
    others: frozenset[str]


class Reading:
    """The words of a folded text, and the signs in it, each looked for when it is asked for."""

    def __init__(self, folded: str) -> None:
        self._folded = folded
        self.words: list[str] = _WORD.findall(folded)
        self._hits: dict[Sign, list[Hit]] = {}

    @cached_property
    def places(self) -> Mapping[str, Sequence[int]]:
        """Where each of its different words stands."""
        places: defaultdict[str, list[int]] = defaultdict(list)
        for at, word in enumerate(self.words):
            places[word].append(at)
        return places

    @cached_property
    def starts(self) -> frozenset[int]:
        """At which words sentences or lines begin."""
        starts = set()
        at = 0
        for sentence in _END.split(self._folded):
            if found := len(_WORD.findall(sentence)):
                starts.add(at)
                at += found
        return frozenset(starts)

    def may_have(self, sign: Sign) -> bool:
        """Whether each word of one of the sign's phrases is somewhere in the text."""
        return sign in self._phrases

    def hits(self, sign: Sign) -> list[Hit]:
        """Where a sign stands, in the order of the text."""
        if sign not in self._hits:
            phrases = self._phrases.get(sign, ())
            found = {hit for word, phrase in phrases for hit in self._of(word, phrase)}
            self._hits[sign] = sorted(found)
        return self._hits[sign]

    def shown(self, hit: Hit) -> str:
        """The words of a hit, with a full stop before each sentence that begins in it."""
        last = hit.end - 1
        return " ".join(
            f"{self.words[at]}." if at < last and at + 1 in self.starts else self.words[at]
            for at in range(hit.start, hit.end)
        )

    @cached_property
    def _phrases(self) -> dict[Sign, list[tuple[str, _Phrase]]]:
        """The phrases that the text may have, each with what its longest word is in the text."""
        known = self.places.keys()
        found: dict[Sign, list[tuple[str, _Phrase]]] = {}
        for word in known:
            for phrase in _phrases(word):
                if phrase.others <= known:
                    found.setdefault(phrase.sign, []).append((word, phrase))
        return found

    def _of(self, word: str, phrase: _Phrase) -> Iterator[Hit]:
        size = len(phrase.words)
        if size == 1:
            yield from (Hit(at, at + 1) for at in self.places[word])
            return
        at, places = phrase.longest, self.places[word]
        if len(places) > _FEW:
            exact = (each for each in enumerate(phrase.words) if each[1] in phrase.others)
            for other, spelled in exact:
                if len(self.places[spelled]) < len(places):
                    at, places = other, self.places[spelled]
        for place in places:
            start = place - at
            found = self.words[start : start + size] if start >= 0 else ()
            if len(found) == size and all(map(_is, found, phrase.words)):
                yield Hit(start, start + size)


def next_hit(places: Sequence[Hit], at: int) -> Hit | None:
    """The first of these that begins at a word or after it."""
    index = bisect_left(places, Hit(at, 0))
    return places[index] if index < len(places) else None


def _is(word: str, spelled: str) -> bool:
    if spelled[-1] != "*":
        return word == spelled
    return word.startswith(spelled[:-1]) and len(word) < len(spelled) + _ENDING


@lru_cache(maxsize=_REMEMBERED_WORDS)
def _phrases(word: str) -> tuple[_Phrase, ...]:
    found = list(_BY_WORD.get(word, ()))
    for length in range(max(_SHORTEST_STEM, len(word) - _ENDING), len(word) + 1):
        found += _BY_STEM.get(word[:length], ())
    return tuple(dict.fromkeys(found))


_BY_WORD: dict[str, list[_Phrase]] = {}
_BY_STEM: dict[str, list[_Phrase]] = {}


def _add_to_index(language: str, table: Words) -> None:
    for name, spelled in table.items():
        for each in spelled.split():
            words = tuple(each.split("_"))
            longest = max(range(len(words)), key=lambda at: len(words[at].rstrip("*")))
            others = frozenset(
                word for at, word in enumerate(words) if at != longest and not word.endswith("*")
            )
            phrase = _Phrase((language, name), words, longest, others)
            stem = words[longest].rstrip("*")
            if stem == words[longest]:
                _BY_WORD.setdefault(stem, []).append(phrase)
            elif len(stem) < _SHORTEST_STEM:
                raise ValueError(f"{each} has too short a stem")
            else:
                _BY_STEM.setdefault(stem, []).append(phrase)


for _table in (LANGUAGES, WEAK):
    for _language, _words in _table.items():
        _add_to_index(_language, _words)
# Every word that orders are made of, without its ending.
VOCABULARY = frozenset(
    word.rstrip("*")
    for table in LANGUAGES.values()
    for spelled in table.values()
    for word in spelled.replace("_", " ").split()
)
