"""Recognisers of amounts, percentages, measurements, counts, shares, ratios and ordinals.

Each takes a sentence and the index of a token, and returns the fact that begins there with the
index after it, or None.
"""

from dataclasses import replace

from app.core.facts.fact import FactKind, Hedge
from app.core.facts.numbers import (
    Number,
    after_half,
    letter_scale,
    number_at,
    small_number_at,
    with_letter,
)
from app.core.facts.scanner import DASHES, Found, Scanner

# What makes a rate of two measurements, and of which.
_PER, _BASES = frozenset({"/", "per", "pro", "je"}), frozenset({"mass", "volume", "area"})
_PERCENT = {"%", "pct"}
_TIME = {"duration", "calendar"}


def amount_after_currency(scanner: Scanner, at: int) -> Found | None:
    """€5m, EUR 20–25 million: an amount, or a range of them, whose currency precedes it."""
    unit = scanner.vocabulary.units.get(scanner.low(at))
    if not unit or not unit.is_money or not scanner.low(at + 1)[:1].isdecimal():
        return None
    number = number_at(scanner, at + 1)
    if number is None:
        return None
    number = with_letter(scanner, number)
    low = high = number.value
    end = number.end
    if _joins_range(scanner, end):
        begin = end + 1 + (scanner.low(end + 1) == scanner.low(at))
        second = number_at(scanner, begin)
        second = with_letter(scanner, second) if second else None
        if second and second.value >= low:
            low, high, end = _same_scale(number, second), second.value, second.end
    return scanner.quantity(FactKind.AMOUNT, at, end, low, high, unit.dimension)


def quantity(scanner: Scanner, at: int) -> Found | None:
    """A number or a range with the unit that follows it."""
    number = number_at(scanner, at)
    if number is None:
        return None
    low = high = number.value
    end = number.end
    names = scanner.words.numbers
    between = scanner.low(end) in names.joiners and scanner.low(at - 1) in names.between
    if between or _joins_range(scanner, end):
        second = number_at(scanner, end + 1)
        if second and second.value > low:
            low, high, end = _same_scale(number, second), second.value, second.end
    if end != number.end:
        number = number._replace(end=end)
    fact, past = _with_unit(scanner, at, number, low, high)
    if number.is_loose and fact.hedge is None:
        fact = replace(fact, hedge=Hedge.ABOUT)
    return fact, past


def _joins_range(scanner: Scanner, at: int) -> bool:
    low = scanner.low(at)
    return low in DASHES or low in scanner.words.numbers.range


def _same_scale(first: Number, second: Number) -> float:
    """ "3 to 5 million" begins at three million."""
    bare = first.scale == 1 and first.value < 1000
    return first.value * second.scale if bare else first.value


def _with_unit(scanner: Scanner, at: int, number: Number, low: float, high: float) -> Found:
    end = number.end
    percent = _percent_end(scanner, end)
    if past := _points_end(scanner, end, percent):
        return scanner.quantity(FactKind.PERCENTAGE, at, past, low, high, "points")
    if percent:
        return scanner.quantity(FactKind.PERCENTAGE, at, percent, low, high, "percent")
    if lettered := _with_letter_and_unit(scanner, at, number, low, high):
        return lettered
    unit, after = scanner.unit(end)
    if unit and unit.is_money:
        return scanner.quantity(FactKind.AMOUNT, at, after, low, high, unit.dimension)
    if unit:
        if unit.dimension in _TIME and low == high:
            past = after_half(scanner, after)
            if past > after:  # two years and a half
                low, high, after = low + 0.5, high + 0.5, past
        low, high = low * unit.factor, high * unit.factor
        kind, base = FactKind.MEASUREMENT, None
        if scanner.low(after) in _PER:
            base, past = scanner.unit(after + 1)
            base = base if base and base.dimension in _BASES else None
            after = past if base else after
        made, past = scanner.quantity(kind, at, after, low, high, unit.dimension, unit.factor)
        return replace(made, base=base.dimension) if base else made, past
    is_ordinal = scanner.touches(end) and scanner.low(end) in scanner.words.numbers.ordinal_endings
    if is_ordinal and not number.is_word:
        return scanner.quantity(FactKind.ORDINAL, at, end + 1, low, high, "ordinal")
    return scanner.quantity(FactKind.NUMBER, at, end, low, high, "")


def _percent_end(scanner: Scanner, at: int) -> int:
    """The index after a sign or word for percent at a token; 0 for none."""
    begin = at + (scanner.low(at) == "-")
    if scanner.low(begin) in _PERCENT:
        return begin + 1
    return scanner.phrase_end(begin, scanner.words.shares.percent)


def _points_end(scanner: Scanner, at: int, percent: int) -> int:
    """The index after a name for percentage points at a token; 0 for none. ``percent`` is that
    after a word for percent."""
    shares = scanner.words.shares
    if past := scanner.phrase_end(at, shares.percentage_points):
        return past
    past = percent + (scanner.low(percent) == "-")
    return past + 1 if percent and scanner.low(past) in shares.points else 0


def _with_letter_and_unit(
    scanner: Scanner, at: int, number: Number, low: float, high: float
) -> Found | None:
    """What is counted in letters: 4.8m people, 4,8 M€."""
    end = number.end
    letter = 0 if number.is_word else letter_scale(scanner, end)
    if not letter:
        return None
    low, high = low * letter, high * letter
    money, past = scanner.unit(end + 1)
    if money and money.is_money:
        return scanner.quantity(FactKind.AMOUNT, at, past, low, high, money.dimension)
    counted = scanner.low(end + 1)
    is_count = counted.endswith("s") or counted in scanner.words.numbers.people
    if scanner.touches(end) and (is_count or not scanner.unit(end)[0]):
        return scanner.quantity(FactKind.NUMBER, at, end + 1, low, high, "")
    return None


def unit_and_half(scanner: Scanner, at: int) -> Found | None:
    """ "a year and a half", "año y medio"."""
    begin = at + (scanner.low(at) in scanner.words.numbers.articles)
    unit, after = scanner.unit(begin)
    if unit is None or unit.dimension not in _TIME:
        return None
    past = after_half(scanner, after)
    if past == after:
        return None
    value = 1.5 * unit.factor
    return scanner.quantity(FactKind.MEASUREMENT, at, past, value, value, unit.dimension)


def both(scanner: Scanner, at: int) -> Found | None:
    """ "both companies" are two."""
    if scanner.low(at) not in scanner.words.numbers.both:
        return None
    return scanner.quantity(FactKind.NUMBER, at, at + 1, 2.0, 2.0, "")


def share(scanner: Scanner, at: int) -> Found | None:
    """A third of the town; but not a third try, half an hour or the fifth of May."""
    words, names = scanner.words.shares, scanner.words.numbers
    times, name = 1, at
    if scanner.low(at) not in words.fractions:
        times = small_number_at(scanner, at) if scanner.tokens[at].is_word else 0
        if not 0 < times < 10:
            return None
        name = at + 1 + (scanner.low(at + 1) == "-")
    fraction = words.fractions.get(scanner.low(name))
    if fraction is None:
        return None
    before, after = scanner.low(name - 1), scanner.low(name + 1)
    is_half = fraction * 2 == 1
    if not (
        after in words.of
        or scanner.low(name) in words.plain_fractions
        or (is_half and before in words.before_half)
        or (before in names.articles and (after or ".") in words.after_alone)
        or times > 1
    ):
        return None
    if before in words.never_after and not is_half:
        return None
    if is_half and times == 1 and before in words.placing:
        return None  # the lower half is a place
    value = float(100 * fraction * times)
    begin = at - (scanner.low(at - 1) in names.articles)
    return scanner.quantity(FactKind.PERCENTAGE, begin, name + 1, value, value, "percent")


def one_in(scanner: Scanner, at: int) -> Found | None:
    """One in four, nine out of ten: a share of small numbers."""
    count = small_number_at(scanner, at)
    end = scanner.phrase_end(at + 1, scanner.words.shares.one_in) if count else 0
    whole = small_number_at(scanner, end) if end else 0
    if count >= whole:
        return None
    value = count * 100 / whole
    return scanner.quantity(FactKind.PERCENTAGE, at, end + 1, value, value, "percent")


def ratio(scanner: Scanner, at: int) -> Found | None:
    """ "doubled", "halved"."""
    value = scanner.words.shares.ratios.get(scanner.low(at))
    if value is None:
        return None
    return scanner.quantity(FactKind.NUMBER, at, at + 1, value, value, "ratio")


def ordinal_word(scanner: Scanner, at: int) -> Found | None:
    """ "the third", not that of a compound."""
    names = scanner.words.numbers
    if scanner.low(at) not in names.ordinals or scanner.low(at - 1) not in names.before_ordinal:
        return None
    if scanner.low(at + 1) == "-" and scanner.touches(at + 1) and scanner.touches(at + 2):
        return None  # "a second-hand seat"
    value = float(names.ordinals.index(scanner.low(at)) + 2)
    return scanner.quantity(FactKind.ORDINAL, at, at + 1, value, value, "ordinal")
