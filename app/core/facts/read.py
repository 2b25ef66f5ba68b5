"""Find the numbers, dates and times of a sentence."""

from collections.abc import Callable, Collection, Mapping
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
    known, by_word = scanner.vocabulary, _by_word(scanner.vocabulary.language)
    past = 0
    for at, token in enumerate(scanner.tokens):
        if at < past:
            continue
        if token.is_digits:
            recognisers = _BY_DIGIT
        elif token.is_word:
            recognisers = _BY_WORD if by_word is None else by_word.get(token.low, ())
        else:
            recognisers = _BY_SIGN if token.low in known.units else ()
        for recogniser in recognisers:
            if step := recogniser(scanner, at):
                found.append(step[0])
                past = step[1]
                break
    return found


@cache
def _by_word(language: str) -> Mapping[str, tuple[Recogniser, ...]] | None:
    """The recognisers of the values that may begin with each word; None if these words are too many
    to be listed, as in languages that write numbers as one word."""
    known = vocabulary(language)
    if not known.is_known or known.words.numbers.has_compounds or known.words.numbers.half_endings:
        return None
    numbers, shares, times = known.words.numbers, known.words.shares, known.words.dates
    months, days = dates.calendar_names(language)
    written = {*numbers.values, *numbers.articles, *numbers.halves, *numbers.one_and_half}
    moving = {*times.yesterday, *times.tomorrow, *times.past, *times.coming, *times.present}
    begins: Mapping[Recogniser, Collection[str]] = {
        dates.ago: {*written, *times.ago_before},
        # In some languages, the adjective follows the name of the period.
        dates.relative_date: {*moving, *times.periods, *times.seasons, *months},
        dates.month_first: months,
        dates.weekday: days,
        quantities.amount_after_currency: known.units,
        quantities.share: {*numbers.values, *shares.fractions},
        quantities.one_in: numbers.values,
        quantities.quantity: written,
        quantities.unit_and_half: {*numbers.articles, *known.unit_starts},
        quantities.both: numbers.both,
        quantities.ratio: shares.ratios,
        quantities.ordinal_word: numbers.ordinals,
    }
    found: dict[str, tuple[Recogniser, ...]] = {}
    for recogniser in _BY_WORD:
        for word in begins[recogniser]:
            found[word] = (*found.get(word, ()), recogniser)
    return found
