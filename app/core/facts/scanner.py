"""The tokens of a sentence, found in linear time, as the recognisers of facts read them."""

import re
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass
from datetime import date
from functools import cache, cached_property, lru_cache
from typing import Any, NamedTuple, get_origin

from app.core.facts.fact import Fact, FactKind, Hedge
from app.core.facts.units import MAX_WORDS, Unit, unit_starts, units
from app.core.languages import (
    Address,
    Phrases,
    Section,
    Verification,
    get_language,
    get_section,
)
from app.core.text import stem

# ½, 1½ and 1 ½; 1/2, 1 1/2 and 1-1/2, but no date; .5
_FRACTION = (
    r"(?:\d{1,3}[ \u00a0\u202f-]?)?[¼-¾⅐-⅞]"
    r"|(?<![\d/])(?:\d{1,3}[ -])?"
    r"(?:1[/⁄]2|[12][/⁄]3|[13][/⁄]4|[1357][/⁄]8|(?:1?[135]|[79]|11)[/⁄]16"
    r"|(?:[12]?[13579]|31)[/⁄]32)(?![\d/⁄])"
    r"|(?<![\w.])\.\d+"
)
# A point, a comma or an apostrophe joins any digits.
_OTHER = r"|\d+(?:[.,'’]\d+)*|[^\W\d_]+|[^\w\s]|_"
# A space may separate groups of three digits.
_TOKEN = re.compile(
    rf"{_FRACTION}"
    r"|\d{1,3}(?:[\u00a0\u202f\u2009]\d{3}(?!\d))+(?:[.,]\d+)?"
    r"|\d{1,3}(?: \d{3}(?!\d)){2,}(?:[.,]\d+)?"
    rf"{_OTHER}"
)
_SPACED = re.compile(
    rf"{_FRACTION}|\d{{1,3}}(?:[ \u00a0\u202f\u2009]\d{{3}}(?!\d))+(?:[.,]\d+)?{_OTHER}"
)
# A fact, and the index of the token after it.
Found = tuple[Fact, int]
_SIGNS_OF_FRACTIONS = frozenset("¼½¾⅐⅑⅒⅓⅔⅕⅖⅗⅘⅙⅚⅛⅜⅝⅞")
DASHES = {"-", "–", "—"}
_CURRENCY_SIGNS = {"$", "€", "£"}
_NOUN_REACH = 3
# Whole numbers below it have at most 14 digits.
_EXACT_BELOW = 10**14


class Token(NamedTuple):
    """``low`` is ``text`` in lower case; ``start`` and ``end`` are its place in the text."""

    text: str
    low: str
    start: int
    end: int
    is_digits: bool
    is_word: bool
    is_capitalised: bool


@lru_cache(maxsize=1024)
def tokenize(text: str, *, spaced_groups: bool = False) -> tuple[Token, ...]:
    """Return the tokens of a text. With ``spaced_groups``, "12 000" is one number."""
    pattern = _SPACED if spaced_groups else _TOKEN
    found, end = list[Token](), 0
    for said in pattern.findall(text):
        start = text.find(said, end)  # only spaces are between two tokens
        end, first = start + len(said), said[0]
        is_word = first.isalpha()
        is_digits = not is_word and (
            first.isdecimal() or said[-1].isdecimal() or said in _SIGNS_OF_FRACTIONS
        )
        found.append(Token(said, said.lower(), start, end, is_digits, is_word, first.isupper()))
    return tuple(found)


def next_token(text: str, at: int) -> str:
    """Return what `tokenize` finds behind the end of a token; "" at the end of the text."""
    match = _TOKEN.search(text, at)
    return match[0] if match else ""


@cache
def _without_words(model: type[Section]) -> Any:
    """A section whose lists are empty."""
    empty: dict[str, Any] = {}
    for name, field in model.model_fields.items():
        kind: Any = get_origin(field.annotation) or field.annotation
        empty[name] = _without_words(kind) if issubclass(kind, Section) else kind()
    return model.model_construct(**empty)


@dataclass(frozen=True)
class Vocabulary:
    """What is known of a language; nothing but English units if it has no rules."""

    language: str
    is_known: bool
    words: Verification
    function_words: frozenset[str]
    capitalises_nouns: bool
    units: Mapping[str, Unit]
    unit_starts: frozenset[str]

    @cached_property
    def pronouns(self) -> frozenset[str]:
        """The words that address the reader, in lower case."""
        said = get_section(self.language, Address)
        return frozenset(map(str.lower, said.formal | said.informal)) if said else frozenset()

    @cached_property
    def listed_stems(self) -> frozenset[str]:
        """The stems of things of which a text counts its own."""
        return frozenset(stem(word, self.language) for word in self.words.listed)


@cache
def vocabulary(language: str) -> Vocabulary:
    """Return the vocabulary of a primary language subtag."""
    known = get_language(language)
    words = known.verification if known else None
    spoken = language if words else "en"
    return Vocabulary(
        language,
        words is not None,
        words or _without_words(Verification),
        known.function_words if known else frozenset(),
        known is not None and known.capitalises_nouns,
        units(spoken),
        unit_starts(spoken),
    )


class Scanner:
    """A sentence to be read token by token.

    Args:
        anchor: the day its page was published.
        start: its place in the text that the spans of facts are in.
    """

    def __init__(
        self,
        text: str,
        tokens: Sequence[Token],
        vocabulary: Vocabulary,
        anchor: date | None = None,
        start: int = 0,
    ) -> None:
        self.text, self.tokens, self.vocabulary, self.anchor = text, tokens, vocabulary, anchor
        self.start = start
        self.words = vocabulary.words
        self._lows = [token.low for token in tokens]

    def low(self, at: int) -> str:
        """Return a token in lower case; "" outside of the sentence."""
        return self._lows[at] if 0 <= at < len(self._lows) else ""

    def has(self, words: Set[str]) -> bool:
        """Return whether one of these words, in lower case, is in the sentence."""
        return not words.isdisjoint(self._lows)

    def touches(self, at: int) -> bool:
        """Return whether nothing stands between a token and the one before it."""
        return 0 < at < len(self.tokens) and self.tokens[at].start == self.tokens[at - 1].end

    def phrase_end(self, at: int, phrases: Phrases) -> int:
        """Return the index after the longest of these phrases at a token; 0 for none."""
        for words in phrases.get(self.low(at), ()):
            if all(self.low(at + step) == word for step, word in enumerate(words)):
                return at + len(words)
        return 0

    def unit(self, at: int) -> tuple[Unit | None, int]:
        """Return the unit at a token, and the index after it. A hyphen before it counts."""
        begin = at + (self.low(at) in {"-", "\u2011"} and self.touches(at))
        if self.low(at) in {"de", "di", "d"}:  # millions d'euros
            begin = at + 1 + (self.low(at + 1) in {"'", "’"})
        if self.low(begin) not in self.vocabulary.unit_starts:
            return None, at
        for count in range(MAX_WORDS + 1, 0, -1):
            names = [self.low(begin + step) for step in range(count)]
            unit = self.vocabulary.units.get(" ".join(name for name in names if name != "-"))
            if unit and names[-1] != "-":
                return unit, begin + count
        return None, at

    def fact(self, kind: FactKind, at: int, end: int, low: float = 0.0, **more: Any) -> Found:
        """Make a fact of the tokens from ``at`` to ``end``; ``high`` is ``low`` if not given."""
        begin, after = self.tokens[at].start, self.tokens[min(end, len(self.tokens)) - 1].end
        more.setdefault("high", low)
        span = self.start + begin, self.start + after
        return Fact(kind, self.text[begin:after], span, low, **more), end

    def quantity(
        self,
        kind: FactKind,
        at: int,
        end: int,
        low: float,
        high: float,
        unit: str,
        factor: float = 1.0,
    ) -> Found:
        """Make a fact of a number, with its hedge and with what is counted."""
        counts = kind is FactKind.NUMBER or kind is FactKind.ORDINAL
        nouns = self._nouns(end) if counts else frozenset[str]()
        ends = {"low": _rounded(low), "high": _rounded(high)}
        return self.fact(
            kind, at, end, **ends, unit=unit, hedge=self._hedge(at), nouns=nouns, factor=factor
        )

    def _hedge(self, at: int) -> Hedge | None:
        """The hedge before a number: "nearly a third", "más de un 8 %"."""
        hedges, before = self.words.hedges, self.low(at - 1)
        if before in {"~", "≈"}:
            return Hedge.ABOUT
        last = at - (before in hedges.before_number or before in _CURRENCY_SIGNS)
        if self.low(last - 1) not in hedges.last_words:
            return None
        words = [self.low(last - step) for step in (3, 2, 1)]
        for begin in range(3):
            if hedge := hedges.by_phrase.get(" ".join(words[begin:])):
                return Hedge(hedge)
        return None

    def _nouns(self, at: int) -> frozenset[str]:
        """The stems of the words after a number, up to the next sign: what is counted."""
        found = []
        for index in range(at, min(at + _NOUN_REACH, len(self.tokens))):
            token = self.tokens[index]
            if token.low == "-" and self.touches(index):
                continue
            if not token.is_word or token.low in self.words.numbers.people:
                break
            if len(token.low) > 3 and token.low not in self.vocabulary.function_words:
                found.append(stem(token.low, self.vocabulary.language))
        return frozenset(found)


def _rounded(value: float) -> float:
    """The value to 14 digits, so that 0.4 m and 40 cm are one number however they were computed."""
    return float(value) if value % 1 == 0 and value < _EXACT_BELOW else float(f"{value:.14g}")
