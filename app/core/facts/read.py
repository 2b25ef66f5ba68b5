"""Find the numbers, dates and times of a sentence."""

from collections.abc import Callable
from functools import cache

from app.core.facts import dates, quantities
from app.core.facts.fact import Fact
from app.core.facts.scanner import Found, Scanner, vocabulary

Recogniser = Callable[[Scanner, int], Found | None]
# Tried in this order, by what a fact begins with; the first that finds a fact wins.
_BY_SIGN: tuple[Recogniser, ...] = (quantities.amount_after_currency,)
_BY_DIGIT: tuple[Recogniser, ...] = (
    dates.numeric_date, dates.day_first, dates.clock_time, dates.year,
    quantities.one_in, quantities.quantity,
)  # fmt: skip
_BY_WORD: tuple[Recogniser, ...] = (
    dates.ago, dates.relative_date, dates.month_first, dates.weekday,
    quantities.amount_after_currency, quantities.share, quantities.one_in, quantities.quantity,
    quantities.unit_and_half, quantities.both, quantities.ratio, quantities.ordinal_word,
)  # fmt: skip


def values(scanner: Scanner) -> list[Fact]:
    """Return the numbers, dates and times of a sentence."""
    found: list[Fact] = []
    begin = _beginnings(scanner.vocabulary.language)
    at = 0
    while at < len(scanner.tokens):
        token = scanner.tokens[at]
        if begin is not None and token.is_word and token.low not in begin:
            at += 1
            continue
        recognisers = _BY_DIGIT if token.is_digits else _BY_WORD if token.is_word else _BY_SIGN
        for recogniser in recognisers:
            if step := recogniser(scanner, at):
                found.append(step[0])
                at = step[1]
                break
        else:
            at += 1
    return found


@cache
def _beginnings(language: str) -> frozenset[str] | None:
    """The words that a value may begin with; None if they are too many to be listed, as in
    languages that write numbers as one word."""
    known = vocabulary(language)
    if not known.is_known or known.words.numbers.has_compounds or known.words.numbers.half_endings:
        return None
    numbers, shares, times = known.words.numbers, known.words.shares, known.words.dates
    months, days = dates.calendar_names(language)
    return frozenset[str]().union(
        numbers.values, numbers.groups, numbers.articles, numbers.halves, numbers.both,
        numbers.ordinals, numbers.one_and_half, numbers.and_half, shares.fractions, shares.ratios,
        times.yesterday, times.tomorrow, times.past, times.coming, times.present, times.periods,
        times.seasons, times.ago_before, months, days, known.unit_starts,
    )  # fmt: skip
