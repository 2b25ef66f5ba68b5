"""A sentence with values, as those who calculate with them read it."""

from dataclasses import dataclass
from functools import cached_property

from app.core.facts.fact import Fact
from app.core.facts.scanner import Token, Vocabulary
from app.core.facts.statement import Numbered
from app.core.languages import Calculations, Consistency, Results
from app.core.text import Span


@dataclass(frozen=True)
class Mistake:
    """A mistake in a sentence: its place in the sentence, and what is wrong."""

    span: Span
    problem: str


@dataclass(frozen=True)
class Reading:
    """A sentence with values, and the words of its language.

    ``before_it`` is the sentence with values right before it in its paragraph.
    """

    sentence: Numbered
    rules: Consistency
    words: Vocabulary
    calculations: Calculations | None = None
    results: Results | None = None
    before_it: "Reading | None" = None

    @property
    def facts(self) -> tuple[Fact, ...]:
        return self.sentence.facts

    @property
    def tokens(self) -> tuple[Token, ...]:
        return self.sentence.tokens

    @cached_property
    def lows(self) -> frozenset[str]:
        """The tokens of the sentence in lower case."""
        return frozenset(token.low for token in self.tokens)

    def between(self, start: int, end: int) -> list[str]:
        """Return the tokens of a part of the sentence, in lower case."""
        return [t.low for t in self.tokens if start <= t.start and t.end <= end]

    def before(self, fact: Fact, count: int) -> list[str]:
        """Return up to ``count`` tokens before a fact, hedges left out."""
        single = self.words.words.hedges.single
        found = [t.low for t in self.tokens if t.end <= fact.span[0]]
        return [low for low in found if low not in single][-count:]

    def all_before(self, fact: Fact, count: int) -> list[str]:
        """Return up to ``count`` tokens before a fact, hedges among them."""
        return [t.low for t in self.tokens if t.end <= fact.span[0]][-count:]

    def after(self, fact: Fact, count: int) -> list[str]:
        """Return up to ``count`` tokens after a fact."""
        return [t.low for t in self.tokens if t.start >= fact.span[1]][:count]

    def has(self, words: frozenset[str]) -> bool:
        """Return whether the sentence has one of these words."""
        return not self.lows.isdisjoint(words)


def plain(value: float) -> str:
    """Return a number as a reader expects it: 11.8, 1,500."""
    shown = f"{value:.3g}" if abs(value) < 100 else f"{value:,.0f}"
    return shown if "e" not in shown else f"{value:.10g}"


def unit_of(fact: Fact) -> str:
    """Return what stands behind the number of a value: "in" of "15 in"."""
    return fact.text.lstrip("0123456789.,'’ \u00a0\u202f-/⁄¼½¾⅐⅑⅒⅓⅔⅕⅖⅗⅘⅙⅚⅛⅜⅝⅞").strip()


def shown_as(fact: Fact, value: float) -> str:
    """Return a number in the unit, or with the currency sign, of a value."""
    number = plain(value / (fact.factor or 1.0))
    sign = fact.text[:1]
    if sign in "$€£¥":
        return f"{sign}{number}"
    unit = unit_of(fact) if fact.text[:1].isnumeric() or sign == "." else ""
    return f"{number}{'' if unit in {'%'} else ' ' if unit else ''}{unit}"
