"""Whether two facts say the same value, as far as a text may round it."""

from itertools import pairwise

from app.core.evidence.fact import Fact, Kind, When
from app.core.evidence.words import Hedge, word_set

# "about 40 %" may stand for what is within this share of it.
ABOUT_TOLERANCE = 0.05
# "more than 1,000" may stand for up to 1,250, "nearly 50" for down to 40.
ONE_SIDED_TOLERANCE = 0.25
# "a third" is 33.3 and 33 percent alike; in percentage points.
SHARE_TOLERANCE = float(1)
# "about 300" may stand for anything that rounds to it, but for no more than this share of it.
_ROUNDING_TOLERANCE = 0.1
_SAID_ONCE = frozenset({Kind.AMOUNT, Kind.PERCENTAGE})
# Beyond it a number is not rounded, only compared.
_MOST = 1e15
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
        return claim.low in (fact.low, fact.high)
    return _near(claim, fact.low)


def _near(claim: Fact, value: float) -> bool:
    said = claim.low
    if said == value:
        return True
    if claim.hedge is Hedge.ABOUT:
        return abs(said - value) <= ABOUT_TOLERANCE * abs(value) or (
            _round_as(value, said) == said and abs(said - value) <= _ROUNDING_TOLERANCE * abs(value)
        )
    if claim.hedge is Hedge.OVER:
        return said < value <= said * (1 + ONE_SIDED_TOLERANCE)
    if claim.hedge is Hedge.UNDER:
        return said * (1 - ONE_SIDED_TOLERANCE) <= value < said
    if claim.unit == "percent" and not any(ch.isdecimal() for ch in claim.text):
        return abs(said - value) <= SHARE_TOLERANCE
    return False


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


def made_from(claim: Fact, facts: tuple[Fact, ...]) -> bool:
    """Whether a ratio or a change in percent follows from two values of one sentence, or a range
    from its two ends.
    """
    if claim.unit not in {"ratio", "percent"} and claim.low == claim.high:
        return False
    values = [fact for fact in facts if fact.kind not in {Kind.QUOTATION, Kind.NAME, Kind.DATE}]
    pairs = [(fact.low, fact.high) for fact in values if fact.low != fact.high]
    pairs += [
        (first.low, second.low)
        for first, second in pairwise(values)
        if first.unit == second.unit != "percent"
    ]
    for low, high in pairs[:20]:
        if claim.low != claim.high:
            if (claim.low, claim.high) == (low, high):
                return True
        elif low and claim.unit == "ratio":
            if high and abs(claim.low) in (high / low, low / high):
                return True
        elif low and claim.direction and _near(claim, abs(high - low) / low * 100):
            return True
    if claim.unit == "ratio":  # a rise by 100 percent doubles
        wanted = float(100) * (claim.low - 1) if claim.low > 0 else float(50)
        return any(fact.unit == "percent" and fact.low == wanted for fact in values)
    return False
