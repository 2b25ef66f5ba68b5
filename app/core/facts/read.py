"""Find the numbers, dates and times of a sentence."""

from collections.abc import Callable

from app.core.facts import dates, quantities
from app.core.facts.fact import Fact
from app.core.facts.scanner import Found, Scanner

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
    at = 0
    while at < len(scanner.tokens):
        token = scanner.tokens[at]
        recognisers = _BY_DIGIT if token.is_digits else _BY_WORD if token.is_word else _BY_SIGN
        for recogniser in recognisers:
            if step := recogniser(scanner, at):
                found.append(step[0])
                at = step[1]
                break
        else:
            at += 1
    return found
