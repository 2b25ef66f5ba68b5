"""Facts: what a text says that can be true or false, and whether two facts have the same value."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from itertools import pairwise
from math import isclose

from app.core.facts.units import currencies
from app.core.text import Span

# "about 40 %" matches within this share.
ABOUT_TOLERANCE = 0.05
# "more than 1,000" matches up to 1,250, "less than 50" down to 40.
ONE_SIDED_TOLERANCE = 0.25
# "a third" matches both 33.3 and 33 percent; in percentage points.
SHARE_TOLERANCE = float(1)
# "about 300" matches what rounds to it, within this share.
_ROUNDING_TOLERANCE = 0.1
# Values that differ by less were computed in another order.
_SAME = 1e-12
# More than any of these allows.
_EXACT, _HEDGED = 1e-9, 0.3
# Larger numbers are compared without rounding.
_MOST = 1e15
_MAX_PAIRS = 20


class FactKind(StrEnum):
    NUMBER = "number"
    AMOUNT = "amount"
    PERCENTAGE = "percentage"
    MEASUREMENT = "measurement"
    ORDINAL = "ordinal"
    DATE = "date"
    TIME = "time"
    QUOTATION = "quotation"
    STATEMENT = "statement"


class Hedge(StrEnum):
    """How a number is hedged: about it, above or below it, and near to it on one of its sides."""

    ABOUT = "about"
    OVER = "over"
    UNDER = "under"
    JUST_OVER = "just_over"
    NEARLY = "nearly"


@dataclass(frozen=True)
class When:
    """A date. ``ranges`` are the days that it may mean, as proleptic ordinals, both ends included;
    empty if the text leaves the year open and the page has no date.

    ``loose`` is a date such as "this year", which the date of the page itself supports;
    ``weekday`` (Monday is 0) is all that "on Friday" says for certain.
    """

    year: int | None = None
    month: int | None = None
    day: int | None = None
    ranges: tuple[tuple[int, int], ...] = ()
    loose: bool = False
    weekday: int | None = None


@dataclass(frozen=True)
class Fact:
    """``span`` is its place in its text. ``low`` and ``high`` differ only for a range. They are in
    the base unit of ``unit``: "length" is in metres, "duration" in seconds, "calendar" in months,
    an amount in its currency, a percentage in percent; ``factor`` converts from the unit that was
    written. "" counts things, and ``nouns`` are the stems of what is counted. ``words`` are those
    of a quotation or a name.

    ``direction`` is 1 if its clause speaks of a rise, -1 of a fall, else 0; ``negated`` means that
    the words before it deny it. ``base`` is the unit of what it is for: “mass” of 23 mg/kg.
    """

    kind: FactKind
    text: str
    span: Span
    low: float = 0.0
    high: float = 0.0
    unit: str = ""
    hedge: Hedge | None = None
    nouns: frozenset[str] = frozenset()
    when: When | None = None
    words: tuple[str, ...] = ()
    direction: int = 0
    negated: bool = False
    factor: float = 1.0
    base: str = ""

    @property
    def family(self) -> str:
        """What it can be compared with: "money" for an amount in any currency, and its unit else,
        with points as "percent" and "calendar" as "duration"."""
        if self.unit in currencies():
            return "money"
        return {"points": "percent", "calendar": "duration"}.get(self.unit, self.unit)

    @cached_property
    def compared_by(self) -> str | bool:
        """What `comparable` facts have in common: the family, or of a date whether it names more
        than a weekday."""
        return self.family if self.when is None else self.when.weekday is None

    @property
    def is_value(self) -> bool:
        """True for a number, a date or a time; False for a quotation or a statement."""
        return self.kind is not FactKind.QUOTATION and self.kind is not FactKind.STATEMENT

    @property
    def value(self) -> tuple[str, float, float]:
        """The key by which two facts are the same."""
        if self.when is None:
            return self.unit, self.low, self.high
        day = (self.when.month or 0) * 100 + (self.when.day or 0)
        return self.unit, self.low, float(day)


def same_value(claim: Fact, fact: Fact) -> bool:
    """Return whether a fact of a source supports the value of a claim.

    Neither is a quotation or a statement.
    """
    if claim.kind is FactKind.DATE or fact.kind is FactKind.DATE:
        return _same_date(claim, fact)
    if claim.unit != fact.unit:
        # "3.60 euros instead of 3.20": the unit is said once.
        if claim.kind is not FactKind.NUMBER or claim.unit or claim.nouns:
            return False
        is_once = fact.kind is FactKind.MEASUREMENT and fact.text[-1:].isdecimal()
        return (is_once or fact.kind in {FactKind.AMOUNT, FactKind.PERCENTAGE}) and any(
            isclose(claim.low * fact.factor, end) for end in (fact.low, fact.high)
        )
    if claim.low != claim.high:
        return (claim.low, claim.high) == (fact.low, fact.high)
    if fact.low != fact.high:
        return _near_range(claim, fact)
    return _near(claim, fact.low)


def _near_range(claim: Fact, fact: Fact) -> bool:
    """Whether one value may stand for a range: either end, or within it if it is not exact."""
    if claim.hedge in {Hedge.OVER, Hedge.JUST_OVER}:
        return _near(claim, fact.low)
    if claim.hedge in {Hedge.UNDER, Hedge.NEARLY}:
        return _near(claim, fact.high)
    loose = claim.hedge is Hedge.ABOUT or is_share_in_words(claim)
    return claim.low in (fact.low, fact.high) or (loose and fact.low <= claim.low <= fact.high)


def _near(claim: Fact, value: float) -> bool:
    said = claim.low
    if isclose(said, value, rel_tol=_SAME):
        return True
    if claim.hedge is Hedge.ABOUT:
        return _rounded(said, value)
    if claim.hedge is Hedge.NEARLY:
        return value < said and _rounded(said, value)
    if claim.hedge is Hedge.JUST_OVER:
        return value > said and _rounded(said, value)
    if claim.hedge is Hedge.OVER:
        return said < value <= said * (1 + ONE_SIDED_TOLERANCE)
    if claim.hedge is Hedge.UNDER:
        return said * (1 - ONE_SIDED_TOLERANCE) <= value < said
    return is_share_in_words(claim) and abs(said - value) <= SHARE_TOLERANCE


def is_share_in_words(claim: Fact) -> bool:
    """Return whether a share is written in words: "a third", "nine out of ten"."""
    return claim.unit == "percent" and not any(ch.isdecimal() for ch in claim.text)


def is_rounded(one: Fact, other: Fact) -> bool:
    """Return whether one of two values is the other, rounded or within its range."""
    if one.low <= other.high and other.low <= one.high:
        return True
    return _rounded(one.low, other.low) or _rounded(other.low, one.low)


def _rounded(said: float, value: float) -> bool:
    """Whether a value may be rounded to another."""
    apart = abs(said - value)
    return apart <= ABOUT_TOLERANCE * abs(value) or (
        _round_as(value, said) == said and apart <= _ROUNDING_TOLERANCE * abs(value)
    )


def _round_as(value: float, like: float) -> float:
    """The value rounded to the precision of a whole number that ends in zeros."""
    if like == 0 or like % 1 or like > _MOST:
        return value
    step = 1
    while like % (step * 10) == 0:
        step *= 10
    return float(round(value / step) * step)


def _same_date(claim: Fact, fact: Fact) -> bool:
    if fact.when is None or claim.when is None:
        # One of the texts reads a year as a number, or two years as a range of numbers.
        is_whole = fact.low == fact.high or (_is_year(claim) and _is_year(fact))
        return (
            claim.low == claim.high != 0
            and "." not in claim.text
            and (is_whole and claim.low in (fact.low, fact.high))
        )
    said, told = claim.when, fact.when
    if said.weekday is not None:
        days = {(end - 1) % 7 for begin, end in told.ranges if begin == end}
        return said.weekday == told.weekday if told.weekday is not None else said.weekday in days
    if said.year is None and said.day and (said.month, said.day) == (told.month, told.day):
        return True
    if said.ranges and told.ranges:
        return _within(said, told)
    if not told.ranges and told.month:
        # The source leaves the year open, and has no date of its own.
        return (said.month, said.day) == (told.month, told.day)
    return claim.text.casefold() == fact.text.casefold()


def _is_year(fact: Fact) -> bool:
    """Whether a date is no more than a year. True for any other fact."""
    return fact.when is None or (fact.when.year is not None and not fact.when.month)


def _within(said: When, told: When) -> bool:
    return any(
        low <= begin and end <= high for low, high in said.ranges for begin, end in told.ranges
    )


def comparable(claim: Fact, fact: Fact) -> bool:
    """Return whether two facts could be values of one thing, and so contradict each other."""
    return claim.compared_by == fact.compared_by


def nearest_numbers(claim: Fact) -> tuple[float, float]:
    """Return the least and the greatest number that `same_value` takes for that of a claim; of a
    range, its end.
    """
    if claim.low != claim.high:
        return claim.high, claim.high
    reach = abs(claim.low) * _EXACT
    if claim.hedge or is_share_in_words(claim):
        reach = abs(claim.low) * _HEDGED + SHARE_TOLERANCE
    return claim.low - reach, claim.low + reach


def is_calculated(claim: Fact, *, by: bool) -> bool:
    """Return whether a claim may follow from two values, see `made_from`."""
    if claim.low != claim.high or claim.unit in {"ratio", "points"}:
        return True
    is_size = by and claim.kind in {FactKind.AMOUNT, FactKind.MEASUREMENT}
    return bool(claim.direction) and (claim.unit == "percent" or is_size)


def made_from(claim: Fact, facts: tuple[Fact, ...], *, by: bool) -> bool:
    """Return whether a claim follows from two values of one sentence.

    It may be a ratio, a change in percent or in percentage points, a difference, or a range of the
    two. ``by`` means that the claim is the size of a change ("by 4 euros").
    """
    if not is_calculated(claim, by=by):
        return False
    if claim.low != claim.high:
        ends = [fact for fact in facts if fact.is_value and _is_year(fact)]
        return (claim.low, claim.high) in _pairs(ends)
    values = [fact for fact in facts if fact.is_value and fact.kind is not FactKind.DATE]
    if claim.unit == "ratio":
        # A rise by 100 percent doubles.
        wanted = 100 * abs(claim.low - 1)
        return any(fact.unit == "percent" and fact.low == wanted for fact in values) or any(
            low and high and claim.low in (high / low, low / high) for low, high in _pairs(values)
        )
    if claim.unit == "points":
        return any(_near(claim, abs(high - low)) for low, high in _pairs(values, "percent"))
    if claim.unit == "percent":
        return any(
            low and _near(claim, abs(high - low) / low * 100) for low, high in _pairs(values)
        )
    return any(_near(claim, abs(high - low)) for low, high in _pairs(values, claim.unit))


def calculated(facts: Sequence[Fact]) -> Iterator[float]:
    """Yield all numbers of claims that `made_from` may find to follow from the values of a
    sentence, those of ranges aside."""
    values = [fact for fact in facts if fact.is_value and fact.kind is not FactKind.DATE]
    for unit in {"", *(fact.unit for fact in values)}:
        for low, high in _pairs(values, unit):
            yield abs(high - low)
            if low and high:
                yield from (abs(high - low) / low * 100, high / low, low / high)
    for fact in values:
        if fact.unit == "percent":
            yield from (1 + fact.low / 100, 1 - fact.low / 100)


def _pairs(values: list[Fact], unit: str = "") -> list[tuple[float, float]]:
    """The ends of ranges, and pairs of values in a row: of one unit, which the second alone may
    have ("from 41 to 46 percent"), or if no unit is given, of any but percent.
    """
    pairs = [(f.low, f.high) for f in values if f.low != f.high and unit in {"", f.unit}]
    pairs += [
        (first.low if first.unit == second.unit else first.low * second.factor, second.low)
        for first, second in pairwise(values)
        if _is_pair(first, second, unit)
    ]
    return pairs[:_MAX_PAIRS]


def _is_pair(first: Fact, second: Fact, unit: str) -> bool:
    if not unit:
        return first.unit == second.unit != "percent"
    bare = first.unit == "" and not first.nouns
    return second.unit == unit and (first.unit == unit or bare)
