"""Values that a sentence says twice, side by side, and not alike: conversions, fractions with
their percentage, numbers in words and in digits, times of day."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from math import isclose

from app.core.facts.fact import Fact, FactKind, is_share_in_words
from app.core.facts.reading import Mistake, Reading, plain, shown_as, unit_of

_BARE = ""
_POUND_KILOGRAMS = 0.45359237
_INCH = 0.0254
# By how much a conversion may be off, beside its rounding; more if it is hedged.
_CONVERTED, _ABOUT_CONVERTED = 0.07, 0.15
# By how many percentage points a fraction may be off.
_SHARE, _ABOUT_SHARE = 1.5, 7
_PAIR = {"length", "mass", "volume", "area", "speed"}
_SEPARATORS = frozenset({"(", "/", "=", "≈", "~", "[", "about", "ca", "circa", "approximately"})
_MOST_BETWEEN = 6
_MOST_DIGITS = 3
_HALF_DAY, _DAY = 12 * 60, 24 * 60


def mistakes_in_conversions(reading: Reading) -> Iterator[Mistake]:
    """Yield values that the words or figures right behind them give another value."""
    if len(reading.facts) < 2 and "(" not in reading.sentence.text:
        return
    for one, other in pairwise(_with_units(reading)):
        if one.low != one.high or other.low != other.high:
            continue
        gap = reading.between(one.span[1], other.span[0])
        if len(gap) > _MOST_BETWEEN:
            continue
        mistake = (
            _share(reading, one, other, gap)
            or _number(reading, one, other, gap)
            or _time(reading, one, other, gap)
            or _measure(reading, one, other, gap)
        )
        if mistake is not None:
            yield mistake


def _share(reading: Reading, one: Fact, other: Fact, gap: Sequence[str]) -> Mistake | None:
    """ "A third of them, 33 %, come back"; "75 percent, that is half, agree"."""
    words = reading.calculations
    if words is None or not one.unit == other.unit == "percent":
        return None
    if is_share_in_words(one) == is_share_in_words(other):
        return None
    while gap and gap[-1] in words.apposition:
        gap = gap[:-1]
    if gap[-1:] not in (["("], [","]) or "," in gap[:-1]:
        return None
    if reading.after(other, 1) not in ([")"], [","], ["."], []):
        return None
    if abs(one.low - other.low) <= (_ABOUT_SHARE if one.hedge or other.hedge else _SHARE):
        return None
    said = one if is_share_in_words(one) else other
    figure = other if said is one else one
    problem = f"“{said.text}” is {plain(round(said.low, 1))} %, not {figure.text}."
    return Mistake(other.span, problem)


def _number(reading: Reading, one: Fact, other: Fact, gap: Sequence[str]) -> Mistake | None:
    """ "Wait for fifteen (50) minutes"; "a dozen, that is ten"."""
    words = reading.results
    if words is None or one.low == other.low or other.hedge or one.hedge:
        return None
    if not one.kind is other.kind is FactKind.NUMBER or not one.unit == other.unit == _BARE:
        return None
    written = [fact.text.isdecimal() and len(fact.text) <= _MOST_DIGITS for fact in (one, other)]
    spelled = [not any(ch.isdecimal() for ch in fact.text) for fact in (one, other)]
    in_brackets = list(gap) == ["("] and reading.after(other, 1) == [")"]
    both = (written[0] and spelled[1]) or (spelled[0] and written[1])
    is_same = " ".join(gap[1:]) in words.same and gap[0] in {",", "(", "–", "—"} if gap else False
    if (in_brackets and both) or (is_same and reading.after(other, 1) in ([","], [")"])):
        return Mistake(other.span, f"“{one.text}” is {plain(one.low)}, not {other.text}.")
    return None


def _time(reading: Reading, one: Fact, other: Fact, gap: Sequence[str]) -> Mistake | None:
    """ "Meet at 3 p.m. (13:00)"."""
    if not one.kind is other.kind is FactKind.TIME or list(gap)[-1:] != ["("]:
        return None
    if reading.after(other, 1) != [")"]:
        return None
    apart = abs(one.low - other.low) % _DAY
    if apart == 0 or (apart == _HALF_DAY and max(one.low, other.low) <= _HALF_DAY):
        return None
    return Mistake(other.span, f"{one.text} is not {other.text}.")


def _measure(reading: Reading, one: Fact, other: Fact, gap: Sequence[str]) -> Mistake | None:
    """ "Heat the water to 60 °C (95 °F)"."""
    words = reading.results
    is_same = words is not None and gap[:1] == [","] and " ".join(gap[1:]) in words.same
    if not is_same and (not gap or gap[0] not in _SEPARATORS or len(gap) > 3):
        return None
    if not is_same and any(word not in _SEPARATORS and word not in {".", "or"} for word in gap):
        return None
    if one.unit != other.unit or one.factor == other.factor:
        found = (
            _temperature(one, other)
            if {one.unit, other.unit} == {"celsius", "fahrenheit"}
            else _pounds(one, other)
        )
    else:
        found = (is_same or _is_alone(reading, other)) and _is_off(one.low, other.low, other)
    before = [t.low for t in reading.tokens if t.end == one.span[0]]
    if not found or before == ["/"]:  # 3/4 inch
        return None
    return Mistake(other.span, f"{one.text} is {_converted(one, other)}, not {other.text}.")


def _with_units(reading: Reading) -> list[Fact]:
    """The values of a sentence, with the unit of "a quarter of a litre"; "in" is a unit next to a
    bracket only: "30 cm (12 in)"."""
    found = []
    for fact in reading.facts:
        after = reading.after(fact, 3)
        is_inches = fact.unit == _BARE and after[:1] == ["in"] and after[1:2] in (["("], [")"])
        if is_inches and reading.words.language == "en":
            begin, end = fact.span
            text = reading.sentence.text[begin:]
            length = text.index("in", end - begin) + 2
            fact = replace(
                fact, text=text[:length], span=(begin, begin + length), unit="length",
                low=fact.low * _INCH, high=fact.high * _INCH, factor=_INCH,
            )  # fmt: skip
        elif fact.unit == "percent" and len(after) == 3 and is_share_in_words(fact):
            unit = reading.words.units.get(after[2])
            if unit and after[0] in reading.words.words.shares.of and not unit.is_money:
                behind = [t for t in reading.tokens if t.start >= fact.span[1]][2]
                if after[1] in reading.words.words.numbers.articles:
                    low = fact.low / 100 * unit.factor
                    fact = replace(
                        fact, text=reading.sentence.text[fact.span[0] : behind.end],
                        span=(fact.span[0], behind.end), unit=unit.dimension,
                        low=low, high=low, factor=unit.factor, kind=FactKind.MEASUREMENT,
                    )  # fmt: skip
        found.append(fact)
    return found


def _is_alone(reading: Reading, other: Fact) -> bool:
    """Whether a value in brackets is of a unit that is converted; "2 hours (30 minutes of work)" is
    no conversion."""
    if other.unit == "duration":
        return reading.after(other, 1) == [")"]
    return other.unit in _PAIR


def _converted(one: Fact, other: Fact) -> str:
    """The first value in the unit of the second."""
    value = one.low
    if other.unit == "fahrenheit":
        return f"{one.low * 9 / 5 + 32:.0f} {unit_of(other)}"
    if other.unit == "celsius":
        return f"{(one.low - 32) * 5 / 9:.0f} {unit_of(other)}"
    if {one.unit, other.unit} == {"mass", "GBP"}:
        value = one.low * _POUND_KILOGRAMS if one.unit == "GBP" else one.low / _POUND_KILOGRAMS
    return shown_as(other, value)


def _temperature(one: Fact, other: Fact) -> bool:
    celsius, fahrenheit = (one, other) if one.unit == "celsius" else (other, one)
    exact = celsius.low * 9 / 5 + 32
    if isclose(celsius.low * 9 / 5, fahrenheit.low, abs_tol=2):
        return False  # a difference of temperatures
    tolerance = 5 if celsius.low < 50 else 9 if celsius.low < 120 else 18
    return abs(exact - fahrenheit.low) > tolerance


def _pounds(one: Fact, other: Fact) -> bool:
    """Pounds are money as well: 5 kg (15 pounds)."""
    if {one.unit, other.unit} != {"mass", "GBP"}:
        return False
    pounds, mass = (one, other) if one.unit == "GBP" else (other, one)
    if "£" in pounds.text or mass.factor == _POUND_KILOGRAMS:
        return False
    return _is_off(mass.low, pounds.low * _POUND_KILOGRAMS, pounds)


def _is_off(one: float, other: float, said: Fact) -> bool:
    if not one or not other:
        return False
    digits = "".join(ch for ch in said.text if ch.isdecimal() or ch in ".,").strip(".,")
    whole = digits.replace(",", "")
    step = 10 ** (len(whole) - len(whole.rstrip("0"))) if "." not in whole else 0.1
    try:
        rounding = 0.5 * step / float(whole)
    except ValueError:
        rounding = 0.0  # in words
    tolerance = _ABOUT_CONVERTED if said.hedge else _CONVERTED
    return abs(one - other) / min(one, other) > tolerance + min(rounding, 0.25)
