"""Which question of a reader a post answers, read from its keyword and angle or from its title.

Two posts of one intent compete with each other, whatever their wording. What is compared is the
subject (the stems of the words that carry it) and the side of it: costs, mistakes, a comparison.
The editorial angles are sides, too. `intent.toml` has the phrases of each language.
"""

import tomllib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from hashlib import blake2b
from importlib.resources import files
from typing import NamedTuple

from pydantic import BaseModel, ConfigDict

from app.core.languages import get_language
from app.core.planning.angles import Angle
from app.core.schemas.post import SEOPost
from app.core.schemas.request import GenerateRequest
from app.core.text import fold, primary_subtag, stem

# A longer title or topic says no more about its question.
_MOST_WORDS = 60
_GAP = "..."
_LONGEST_GAP = 8
_START = "^"
# Two headings may be alike by chance.
_FEWEST_HEADINGS = 3
# A number of up to this many digits before the subject counts the items of a list. A year has more.
_COUNT_DIGITS = 3


class _Phrase(NamedTuple):
    """``side`` is None if the phrase says nothing; ``begins`` if it must start the text."""

    stems: tuple[str, ...]
    side: str | None
    begins: bool


class _Table(BaseModel):
    """The table of a language in `intent.toml`."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    neutral: tuple[str, ...]
    kept: frozenset[str]
    elided: frozenset[str]
    sides: dict[str, tuple[str, ...]]


@dataclass(frozen=True)
class _Words:
    """What the phrases and words of a language mean; ``phrases`` by their first stem."""

    small: frozenset[str]
    elided: frozenset[str]
    phrases: dict[str, tuple[_Phrase, ...]]


@dataclass(frozen=True)
class Intent:
    """A question of a reader: stems of its subject, and the sides of the subject it is about."""

    subject: frozenset[str]
    sides: frozenset[str] = frozenset()

    def from_angle(self, angle: Angle) -> "Intent":
        """Return the same subject seen from an editorial angle as well."""
        return Intent(self.subject, self.sides | {angle.key})

    def __str__(self) -> str:
        return f"{' '.join(sorted(self.subject))}/{' '.join(sorted(self.sides))}"


def read_intent(text: str, language: str) -> Intent:
    """Return the intent of a keyword, a title or a heading."""
    words = _words(primary_subtag(language))
    raw = _split(text, words.elided)
    stems = [stem(word, language) for word in raw]
    small = [word in words.small for word in raw]
    sides, used = set[str](), [False] * len(raw)
    for phrase, places in _matches(words, stems, small):
        if not any(used[place] for place in places):
            for place in places:
                used[place] = True
            if phrase.side is not None:
                sides.add(phrase.side)
    carries = [at for at in range(len(raw)) if not used[at] and not small[at]]
    if len(carries) > 1 and _counts_items(raw[carries[0]]):
        del carries[0]
    subject = {stems[at] for at in carries}
    # “How to do it” names no subject: then every word counts.
    return Intent(frozenset(subject or stems), frozenset(sides))


def _counts_items(word: str) -> bool:
    return word.isdecimal() and len(word) <= _COUNT_DIGITS


def _split(text: str, elided: frozenset[str]) -> list[str]:
    found = []
    for word in fold(text).split()[:_MOST_WORDS]:
        before, apostrophe, after = word.partition("'")
        found.append(after if apostrophe and before in elided and after else word)
    return found


def _matches(
    words: _Words, stems: Sequence[str], small: Sequence[bool]
) -> list[tuple[_Phrase, list[int]]]:
    """Return the phrases of a text and the places of their words, those that say most first."""
    found = [
        (phrase, places)
        for index, first in enumerate(stems)
        for phrase in words.phrases.get(first, ())
        if (not phrase.begins or all(small[:index]))
        and (places := _places(phrase.stems, stems, small, index))
    ]

    def weight(match: tuple[_Phrase, list[int]]) -> tuple[int, int, bool]:
        phrase, places = match
        return sum(not small[at] for at in places), len(places), phrase.side is not None

    return sorted(found, key=weight, reverse=True)


def _places(
    phrase: Sequence[str], stems: Sequence[str], small: Sequence[bool], start: int
) -> list[int]:
    """Return where the words of a phrase are in a text, the first at ``start``; empty if one of
    them is missing."""
    places, at, wide = [start], start + 1, False
    for wanted in phrase[1:]:
        if wanted == _GAP:
            wide = True
            continue
        last = at + _LONGEST_GAP if wide else len(stems)
        while at < len(stems) and stems[at] != wanted and at <= last and (wide or small[at]):
            at += 1
        if at >= len(stems) or stems[at] != wanted:
            return []
        places.append(at)
        at, wide = at + 1, False
    return places


@cache
def _tables() -> dict[str, _Table]:
    source = files(__package__).joinpath("intent.toml").read_text("utf-8")
    return {tag: _Table.model_validate(table) for tag, table in tomllib.loads(source).items()}


@cache
def _words(tag: str) -> _Words:
    """Return the words of a language; in a language without a table every word counts."""
    spoken, table = get_language(tag), _tables().get(tag)
    if table is None or spoken is None:
        return _Words(frozenset(), frozenset(), {})
    single = {word for word in table.neutral if " " not in word}
    none = (spoken.function_words | single) - table.kept
    phrases: dict[str, list[_Phrase]] = {}
    for side, texts in ((None, table.neutral), *table.sides.items()):
        for text in texts:
            parts = [
                word
                for part in text.removeprefix(_START).split()
                for word in ([_GAP] if part == _GAP else _split(part, table.elided))
            ]
            # A small word inside a phrase may be another one in the text.
            inner = {at for at in range(1, len(parts) - 1) if parts[at] in none}
            stems = tuple(
                part if part == _GAP else stem(part, tag)
                for at, part in enumerate(parts)
                if at not in inner
            )
            phrases.setdefault(stems[0], []).append(_Phrase(stems, side, text.startswith(_START)))
    return _Words(none, table.elided, {first: tuple(same) for first, same in phrases.items()})


@dataclass(frozen=True)
class Idea:
    """A post that a rule could write: its primary keyword, its angle, and the intent of both."""

    keyword: str
    angle: Angle
    intent: Intent


def ideas(request: GenerateRequest, angles: Sequence[Angle]) -> tuple[Idea, ...]:
    """Return every post that a rule could write, in the order in which it would write them.

    All angles of its first keyword come first, then those of the second one. Two keywords or angles
    that answer the same question count once.
    """
    found: dict[Intent, Idea] = {}
    for keyword in request.keywords:
        subject = _subject(request, keyword)
        for angle in angles:
            intent = subject.from_angle(angle)
            found.setdefault(intent, Idea(keyword, angle, intent))
    return tuple(found.values())


def _subject(request: GenerateRequest, keyword: str) -> Intent:
    text = f"{keyword} {request.topic}" if request.topic else keyword
    return read_intent(text, request.language)


def repeated_keywords(request: GenerateRequest) -> tuple[tuple[str, str], ...]:
    """Return each keyword that asks the same question as an earlier one, behind that one."""
    first: dict[Intent, str] = {}
    pairs = (
        (first.setdefault(_subject(request, keyword), keyword), keyword)
        for keyword in request.keywords
    )
    return tuple((one, other) for one, other in pairs if one != other)


def with_primary_keyword(request: GenerateRequest, keyword: str) -> GenerateRequest:
    """Return the request with that keyword first."""
    others = (each for each in request.keywords if each != keyword)
    return request.model_copy(update={"keywords": (keyword, *others)})


class Keys:
    """Numbers under which the intents of a feed's posts are stored and looked up."""

    def __init__(self, scope: str, language: str) -> None:
        self._scope = scope
        self._language = language

    def of(self, intent: Intent) -> int:
        return self._number(str(intent))

    def of_request(self, request: GenerateRequest, angle: Angle) -> int:
        """Return the key of the post that is written from a request and an angle."""
        return self.of(ideas(request, [angle])[0].intent)

    def of_post(self, post: SEOPost) -> set[int]:
        """Return the keys of what a post says it is about: those of its title and its headings.

        A title counts if it names a side of its subject, headings if there are three or more.
        """
        title = read_intent(post.title, self._language)
        keys = {self.of(title)} if title.sides else set()
        headings = self._each(post.outline.h2)
        if len(headings) >= _FEWEST_HEADINGS:
            keys.add(self._number("\n".join(sorted(headings))))
        return keys

    def _each(self, texts: Iterable[str]) -> set[str]:
        return {str(read_intent(text, self._language)) for text in texts}

    def _number(self, text: str) -> int:
        whole = "\n".join((self._scope, primary_subtag(self._language), text))
        return int.from_bytes(blake2b(whole.encode(), digest_size=8).digest(), signed=True)
