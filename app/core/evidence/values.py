"""Whether two facts say the same value, as far as a text may round it."""

from itertools import pairwise
from math import isclose

from app.core.evidence.fact import Fact, Kind, When
from app.core.evidence.words import Hedge, word_set

# "about 40 %" may stand for what is within this share of it.
ABOUT_TOLERANCE = 0.05
# "more than 1,000" may stand for up to 1,250, "less than 50" for down to 40.
ONE_SIDED_TOLERANCE = 0.25
# "a third" is 33.3 and 33 percent alike; in percentage points.
SHARE_TOLERANCE = float(1)
# "about 300" may stand for anything that rounds to it, but for no more than this share of it.
_ROUNDING_TOLERANCE = 0.1
_SAID_ONCE = frozenset({Kind.AMOUNT, Kind.PERCENTAGE})
# Two values that differ by less were reckoned in another order.
_SAME = 1e-12
# Beyond it a number is not rounded, only compared.
_MOST = 1e15
_MAX_PAIRS = 20
# Before what a value changed by.
_BY = word_set("by um de en di con por met")
_MONEY = word_set("USD EUR GBP JPY CHF CAD AUD CNY INR SEK NOK DKK PLN CZK HUF BRL MXN KRW ZAR TRY")


def same_value(claim: Fact, fact: Fact) -> bool:
    """Whether a source's fact bears out a claim's value. Neither is a quotation or a name."""
    if claim.kind is Kind.DATE or fact.kind is Kind.DATE:
        return _same_date(claim, fact)
    if claim.unit != fact.unit:
        # "3.60 euros instead of 3.20": the unit is said once.
        bare = claim.kind is Kind.NUMBER and not claim.unit and not claim.nouns
        return bare and fact.kind in _SAID_ONCE and claim.low in (fact.low, fact.high)
    if claim.low != claim.high:
        return (claim.low, claim.high) == (fact.low, fact.high)
    if fact.low != fact.high:
        return _near_range(claim, fact)
    return _near(claim, fact.low)


def _near_range(claim: Fact, fact: Fact) -> bool:
    """Whether one value may stand for a range: either end, or within it what is no exact value."""
    if claim.hedge in {Hedge.OVER, Hedge.JUST_OVER}:
        return _near(claim, fact.low)
    if claim.hedge in {Hedge.UNDER, Hedge.NEARLY}:
        return _near(claim, fact.high)
    loose = claim.hedge is Hedge.ABOUT or _is_share_in_words(claim)
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
    return _is_share_in_words(claim) and abs(said - value) <= SHARE_TOLERANCE


def _is_share_in_words(claim: Fact) -> bool:
    return claim.unit == "percent" and not any(ch.isdecimal() for ch in claim.text)


def is_rounded(one: Fact, other: Fact) -> bool:
    """Whether one of two values is the other, rounded or within its range."""
    if one.low <= other.high and other.low <= one.high:
        return True
    return _rounded(one.low, other.low) or _rounded(other.low, one.low)


def _rounded(said: float, value: float) -> bool:
    """Whether a value may be rounded to what is said."""
    apart = abs(said - value)
    return apart <= ABOUT_TOLERANCE * abs(value) or (
        _round_as(value, said) == said and apart <= _ROUNDING_TOLERANCE * abs(value)
    )


def _round_as(value: float, like: float) -> float:
    """The value with as many digits as a whole number has before its zeros."""
    if like == 0 or like % 1 or like > _MOST:
        return value
    step = 1
    while like % (step * 10) == 0:
        step *= 10
    return float(round(value / step) * step)


def _same_date(claim: Fact, fact: Fact) -> bool:
    if fact.when is None or claim.when is None:
        # A year that one of the texts reads as a number.
        return claim.low == claim.high == fact.low == fact.high != 0 and "." not in claim.text
    said, told = claim.when, fact.when
    if said.weekday is not None:
        days = {(end - 1) % 7 for begin, end in told.ranges if begin == end}
        return said.weekday == told.weekday if told.weekday is not None else said.weekday in days
    if said.year is None and said.day and (said.month, said.day) == (told.month, told.day):
        return True
    if said.ranges and told.ranges:
        return _within(said, told)
    if not told.ranges and told.month:
        # The source leaves the year open, and nothing says when it was written.
        return (said.month, said.day) == (told.month, told.day)
    return claim.text.casefold() == fact.text.casefold()


def _within(said: When, told: When) -> bool:
    return any(
        low <= begin and end <= high for low, high in said.ranges for begin, end in told.ranges
    )


def comparable(claim: Fact, fact: Fact) -> bool:
    """Whether two facts could be the values of one thing, and so contradict each other."""
    if claim.when is not None or fact.when is not None:
        return (
            claim.when is not None
            and fact.when is not None
            and (claim.when.weekday is None) == (fact.when.weekday is None)
        )
    return _family(claim) == _family(fact)


def _family(fact: Fact) -> str:
    if fact.unit in _MONEY:
        return "money"
    if fact.unit == "points":
        return "percent"
    if fact.unit == "calendar":
        return "duration"
    return fact.unit


def made_from(claim: Fact, facts: tuple[Fact, ...], before: str) -> bool:
    """Whether a claim follows from two values of one sentence: a ratio, a change in percent or in
    percentage points, a difference ("by 4 euros"), or a range from its two ends. ``before`` is the
    word before the claim.
    """
    values = [fact for fact in facts if fact.kind not in {Kind.QUOTATION, Kind.NAME, Kind.DATE}]
    if claim.low != claim.high:
        return (claim.low, claim.high) in _pairs(values)
    if claim.unit == "ratio":
        # A rise by 100 percent doubles.
        wanted = 100.0 * (claim.low - 1) if claim.low > 0 else 50.0
        return any(fact.unit == "percent" and fact.low == wanted for fact in values) or any(
            low and high and abs(claim.low) in (high / low, low / high)
            for low, high in _pairs(values)
        )
    if claim.unit == "points":
        return any(_near(claim, abs(high - low)) for low, high in _pairs(values, "percent"))
    if not claim.direction:
        return False
    if claim.unit == "percent":
        return any(
            low and _near(claim, abs(high - low) / low * 100) for low, high in _pairs(values)
        )
    if claim.kind in {Kind.AMOUNT, Kind.MEASUREMENT} and before in _BY:
        return any(_near(claim, abs(high - low)) for low, high in _pairs(values, claim.unit))
    return False


def _pairs(values: list[Fact], unit: str = "") -> list[tuple[float, float]]:
    """The ends of ranges, and values that follow each other: of that unit, which may be said with
    the second alone ("from 41 to 46 percent"), or without one, of any but percent.
    """
    of_one = [f for f in values if f.low != f.high and unit in {"", f.unit}]
    pairs = [(fact.low, fact.high) for fact in of_one]
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
