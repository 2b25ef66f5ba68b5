"""Proper names: people, organisations, places and products.

In most languages they are the words with a capital that do not begin a sentence. German writes
every noun so: there only runs of two capitalised words and more count, words of a name's shape
(HWA, BioTech), and words after a title or beside a verb of saying.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property

from app.core.facts.fact import Fact, FactKind
from app.core.facts.scanner import Scanner, Token, Vocabulary
from app.core.text import stem
from app.core.verification.heuristics import word_set

_ENDS = {".", "!", "?", ":", "…", "•", ";", "(", "“", "„", "«", '"', "‘", "-", "–", "—", "¿", "¡"}
_LITTLE = frozenset({"of", "the", "and", "for", "in"})
_MAX_WORDS = 8
# How far apart the words of a name may stand if its ordinary words are turned round.
_REACH = 8


def names(
    scanner: Scanner, taken: frozenset[int], ordinary: frozenset[str], known: frozenset[str]
) -> Iterator[Fact]:
    """Yield the names of one sentence.

    ``taken`` are the starts of the words that belong to other facts; ``ordinary`` words are
    written in lower case somewhere, ``known`` ones with a capital inside a sentence.
    """
    found, words_of = scanner.tokens, scanner.vocabulary
    at = 0
    while at < len(found):
        run = _run(found, at, taken, words_of)
        if not run:
            at += 1
            continue
        at = run[-1] + 1
        kept = _kept(found, run, words_of, ordinary, known)
        words = tuple(found[i].low for i in kept if found[i].is_word)
        words = tuple(
            word for i, word in enumerate(words) if word not in word_set("names.particles") or i > 0
        )
        while words and words[-1] in word_set("names.particles"):
            words, kept = words[:-1], kept[:-1]
        if words and not all(word in word_set("names.common") for word in words):
            span = (found[kept[0]].start, found[kept[-1]].end)
            yield Fact(FactKind.NAME, scanner.text[slice(*span)], span, words=words)


def _run(found: Sequence[Token], at: int, taken: frozenset[int], words: Vocabulary) -> list[int]:
    """Indices of the capitalised words, particles and hyphens that belong together."""
    if not _is_name_word(found[at], taken):
        return []
    run = [at]
    particles = word_set("names.particles") - word_set("names.simple_particles")
    if words.capitalises_nouns:
        particles -= {"der", "den"}  # "die Zahl der Fahrgäste" is no name
    while len(run) < _MAX_WORDS:
        after = run[-1] + 1
        if after >= len(found):
            break
        gap = found[after].start - found[after - 1].end
        if _is_name_word(found[after], taken) and gap <= 1:
            run.append(after)
        elif (
            after + 1 < len(found)
            and _is_name_word(found[after + 1], taken)
            and (
                (found[after].low in {"-", "'", "’", "&"} and gap <= 1)
                or (found[after].low == "." and len(found[after - 1].text) <= 2)
                or found[after].low in particles
            )
        ):
            run += [after, after + 1]
        else:
            break
    return run


def _is_name_word(token: Token, taken: frozenset[int]) -> bool:
    if not token.is_word:
        return False
    shaped = token.is_capitalised or any(ch.isupper() for ch in token.text[1:])
    return shaped and token.start not in taken


def _may_be_ordinary(found: Sequence[Token], run: list[int], words: Vocabulary) -> bool:
    """Whether the first word of a sentence, met nowhere else, may be no part of the name that
    follows: "Customers of Tessaly", and in German any noun.
    """
    return len(run) > 1 and (words.capitalises_nouns or found[run[0] + 1].low == "of")


def _kept(
    found: Sequence[Token],
    run: list[int],
    words: Vocabulary,
    ordinary: frozenset[str],
    known: frozenset[str],
) -> list[int]:
    """The run without titles and without the word that a sentence happens to begin with."""
    saying = words.words.saying
    is_german = words.capitalises_nouns
    starts = run[0] == 0 or found[run[0] - 1].low in _ENDS
    titled = run[0] > 0 and found[run[0] - 1].low in word_set("names.titles")
    while run and starts:
        first = found[run[0]].low
        if not found[run[0]].is_word:
            run = run[1:]
        elif (
            first in word_set("names.short")
            or first in words.function_words
            or (first in ordinary and first not in known)
            or (first not in known and _may_be_ordinary(found, run, words))
        ):
            run = run[1:]
            starts = False
        else:
            break
    while run and (found[run[0]].low in word_set("names.titles") or not found[run[0]].is_word):
        titled = titled or found[run[0]].low in word_set("names.titles")
        run = run[1:]
        starts = False
    if not run:
        return []
    after = found[run[-1] + 1].low if run[-1] + 1 < len(found) else ""
    before = found[run[0] - 1].low if run[0] else ""
    token = found[run[0]]
    # "Krämer said", but not "the speaker said" nor "Officials said".
    alone = starts or (run[0] > 0 and not found[run[0] - 1].is_word)
    said = before in saying or (after in saying and (alone or not is_german))
    if starts and (
        words.language != "en" or token.low.endswith("s") or token.low in word_set("names.anyone")
    ):
        said = False
    single = sum(found[i].is_word for i in run) == 1
    shaped = len(token.text) > 1 and any(ch.isupper() for ch in token.text[1:])
    if single and len(token.text) == 1:
        return []
    if is_german and token.low in word_set("names.measures") and not shaped:
        return []
    if is_german:
        return (
            run
            if shaped or titled or said or (not single and not starts)
            else (run if not single and all(found[i].low not in ordinary for i in run) else [])
        )
    if single and starts and not (said or titled or shaped or token.low in known):
        return []
    return run


class NameIndex:
    """The words of one source, for looking names up; ``places`` are the tokens of each word."""

    def __init__(
        self,
        tokens: Sequence[Token],
        places: Mapping[str, Sequence[int]],
        language: str,
        ordinary: frozenset[str],
    ) -> None:
        self._tokens, self._word_places = tokens, places
        self._language, self._ordinary = language, ordinary

    def has(self, words: Sequence[str]) -> bool:
        """Return whether the source has a name: its words in a row, inflected, or as an acronym."""
        words = [word for word in words if word not in _LITTLE]
        if not words:
            return True
        if len(words) == 1 and len(words[0]) <= 8 and words[0] in self._acronyms:
            return True
        return any(self._stands_at(words, place) for place in self._places(words[0])) or (
            self._turned(words)
        )

    def _places(self, word: str) -> Iterator[int]:
        for form in self._forms(word):
            yield from self._word_places.get(form, ())

    def _forms(self, word: str) -> set[str]:
        forms = {word, f"{word}s", f"{word}n", f"{word}en", f"{word}es"}
        for end in ("s", "es", "n", "en"):
            if word.endswith(end) and len(word) - len(end) >= 3:
                forms.add(word.removesuffix(end))
        forms |= self._by_stem.get(stem(word, self._language), frozenset())
        if word.endswith(("ian", "ians", "ish", "ese", "an", "ans")):  # Norwegian and Norway
            forms |= self._by_start.get(word[:4], frozenset())
        return forms

    @cached_property
    def _by_stem(self) -> dict[str, frozenset[str]]:
        found: dict[str, set[str]] = defaultdict(set)
        for word in self._word_places:
            found[stem(word, self._language)].add(word)
        return {key: frozenset(words) for key, words in found.items()}

    @cached_property
    def _by_start(self) -> dict[str, frozenset[str]]:
        found: dict[str, set[str]] = defaultdict(set)
        for word in self._word_places:
            if len(word) > 3:
                found[word[:4]].add(word)
        return {key: frozenset(words) for key, words in found.items()}

    def _stands_at(self, words: Sequence[str], place: int) -> bool:
        at = place + 1
        for word in words[1:]:
            forms = self._forms(word)
            for reach in range(3):
                if at + reach < len(self._tokens) and self._tokens[at + reach].low in forms:
                    at += reach + 1
                    break
            else:
                return False
        return True

    def _turned(self, words: Sequence[str]) -> bool:
        """Ordinary words turned round: "Halden City Council", "the city council of Halden"."""
        proper = [word for word in words if not self._forms(word) & self._ordinary]
        if len(words) < 2 or len(proper) > 1:
            return False
        rest = [self._forms(word) for word in words if word not in proper]
        for place in self._places(proper[0] if proper else words[0]):
            begin = max(place - _REACH, 0)
            around = {token.low for token in self._tokens[begin : place + _REACH]}
            if all(forms & around for forms in rest):
                return True
        return False

    def like(self, words: Sequence[str]) -> str:
        """Return a name of the source that shares one of these words, or ""."""
        for word in words:
            for place in self._word_places.get(word, ())[:1]:
                begin = end = place
                while begin > 0 and self._tokens[begin - 1].is_capitalised:
                    begin -= 1
                while end + 1 < len(self._tokens) and self._tokens[end + 1].is_capitalised:
                    end += 1
                run = self._tokens[begin : end + 1]
                if len(run) > 1 and len(run) <= 6:
                    return " ".join(token.text for token in run)
        return ""

    @cached_property
    def _acronyms(self) -> frozenset[str]:
        """The acronyms of all runs of capitalised words."""
        found: set[str] = set()
        letters: list[str] = []
        for token in [*self._tokens, None]:
            if token is not None and token.is_word and token.is_capitalised:
                letters.append(token.low[0])
            elif token is None or token.low not in _LITTLE:
                for begin in range(min(len(letters), 12)):
                    found |= {
                        "".join(letters[begin:end])
                        for end in range(begin + 2, min(len(letters), begin + 8) + 1)
                    }
                letters = []
        return frozenset(found)
