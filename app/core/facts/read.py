"""Find the numbers, dates and times of a sentence."""

from collections.abc import Callable, Collection, Mapping
from functools import cache

from app.core.facts import dates, quantities
from app.core.facts.fact import Fact
from app.core.facts.scanner import Found, Scanner, vocabulary

Recogniser = Callable[[Scanner, int], Found | None]
_Recognisers = tuple[Recogniser, ...]
# Tried in this order, by what a fact begins with; the first that finds a fact wins.
_BY_SIGN: _Recognisers = (quantities.amount_after_currency,)
_BY_DIGIT: _Recognisers = (
    dates.numeric_date, dates.day_first, dates.clock_time, dates.year,
    quantities.one_in, quantities.quantity,
)  # fmt: skip
_BY_WORD: _Recognisers = (
    dates.ago, dates.relative_date, dates.month_first, dates.weekday,
    quantities.amount_after_currency, quantities.share, quantities.one_in, quantities.quantity,
    quantities.unit_and_half, quantities.both, quantities.ratio, quantities.ordinal_word,
)  # fmt: skip


def values(scanner: Scanner) -> list[Fact]:
    """Return the numbers, dates and times of a sentence."""
    found: list[Fact] = []
    begins, others = _by_token(scanner.vocabulary.language)
    past = 0
    for at, token in enumerate(scanner.tokens):
        if token.is_digits:
            recognisers = _BY_DIGIT
        else:
            recognisers = begins.get(token.low, others if token.is_word else ())
        if not recognisers or at < past:
            continue
        for recogniser in recognisers:
            if step := recogniser(scanner, at):
                found.append(step[0])
                past = step[1]
                break
    return found


@cache
def _by_token(language: str) -> tuple[Mapping[str, _Recognisers], _Recognisers]:
    """The recognisers of the values that may begin with each word or sign, and those for all other
    words: all, if the words are too many to be listed, as in languages that write numbers as one
    word."""
    known = vocabulary(language)
    found = {name: _BY_SIGN for name in known.units if not name[0].isalpha()}
    if not known.is_known or known.words.numbers.has_compounds or known.words.numbers.half_endings:
        return found, _BY_WORD
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
        quantities.amount_after_currency: [n for n, unit in known.units.items() if unit.is_money],
        quantities.share: {*numbers.values, *shares.fractions},
        quantities.one_in: numbers.values,
        quantities.quantity: written,
        quantities.unit_and_half: {*numbers.articles, *known.unit_starts},
        quantities.both: numbers.both,
        quantities.ratio: shares.ratios,
        quantities.ordinal_word: numbers.ordinals,
    }
    for recogniser in _BY_WORD:
        for word in begins[recogniser]:
            if word[0].isalpha():
                found[word] = (*found.get(word, ()), recogniser)
    return found, ()
