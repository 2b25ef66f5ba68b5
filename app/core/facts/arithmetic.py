"""Sums, shares, conversions, ranges and dates of one sentence that cannot be right."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import isclose

from app.core.facts.fact import Fact, FactKind, Hedge
from app.core.facts.scanner import Token, Vocabulary
from app.core.facts.statement import Numbered
from app.core.languages import Consistency
from app.core.text import Span

_BARE = ""
_POUND_KILOGRAMS = 0.45359237
_MINUTES_OF_DAY = 24 * 60
_LEAST_PARTS = 2
_LEAST_WHOLE = 10
# Parts of a whole follow each other closely: 30 % by car and 25 % on foot.
_PART_TOKENS = 6
_CONVERTED = 0.15
_PAIR = {"length", "mass", "volume", "area", "speed"}
_SEPARATORS = frozenset({"(", "/", "=", "≈", "~", "[", "about", "ca", "circa", "approximately"})


@dataclass(frozen=True)
class Mistake:
    """A mistake in a sentence: its place in the sentence, and what is wrong."""

    span: Span
    problem: str


@dataclass(frozen=True)
class Reading:
    """A sentence with values, and the words of its language."""

    sentence: Numbered
    rules: Consistency
    words: Vocabulary

    @property
    def facts(self) -> tuple[Fact, ...]:
        return self.sentence.facts

    @property
    def tokens(self) -> tuple[Token, ...]:
        return self.sentence.tokens

    def between(self, start: int, end: int) -> list[str]:
        """Return the tokens of a part of the sentence, in lower case."""
        return [t.low for t in self.tokens if start <= t.start and t.end <= end]

    def before(self, fact: Fact, count: int) -> list[str]:
        """Return up to ``count`` tokens before a fact, hedges left out."""
        hedges = self.words.words.hedges
        single = hedges.about | hedges.over | hedges.under | hedges.nearly | hedges.before_number
        found = [t.low for t in self.tokens if t.end <= fact.span[0]]
        return [low for low in found if low not in single][-count:]

    def after(self, fact: Fact, count: int) -> list[str]:
        """Return up to ``count`` tokens after a fact."""
        return [t.low for t in self.tokens if t.start >= fact.span[1]][:count]

    def has(self, words: frozenset[str]) -> bool:
        return any(token.low in words for token in self.tokens)


def mistakes_in_sums(reading: Reading) -> Iterator[Mistake]:
    """Yield totals, shares, ratios and changes that do not follow from the other values."""
    found = next(
        (
            mistake
            for check in (_total, _share_of, _ratio, _change, _shares, _parts_of_number)
            for mistake in check(reading)
        ),
        None,
    )
    if found is not None:
        yield found


def _total(reading: Reading) -> Iterator[Mistake]:
    """ "20 euros and 30 euros, 60 euros in all"."""
    total = _find_total(reading)
    if total is None or total.low != total.high or total.hedge:
        return
    place = reading.facts.index(total)
    others = [f for f in reading.facts if f is not total and f.kind is not FactKind.DATE]
    parts = [f for f in reading.facts[:place] if f in others]
    same = [f for f in parts if f.unit == total.unit]
    bare = [f for f in parts if f.unit == _BARE and f.kind is FactKind.NUMBER]
    if any(f.low != f.high or f.hedge or f.unit == "ratio" for f in [*same, *bare]):
        return
    if not same or any(f.unit not in {total.unit, _BARE} for f in parts):
        return
    values = [fact.low for fact in same]
    if reading.has(reading.rules.each) or _is_priced(reading, same):
        if len(same) != 1 or len(bare) != 1 or total.unit == _BARE:
            return
        sums = [values[0] * bare[0].low]
    else:
        # "20 hours for the plan, 30 for the walls": the unit is said once.
        begin = same[0].span[0]
        said_once = [f.low * _factor(total) for f in bare if f.span[0] > begin]
        if total.unit == _BARE:
            said_once = []
        if len(values) + len(said_once) < _LEAST_PARTS:
            return
        sums = [sum(values), sum(values) + sum(said_once)]
    if not any(isclose(each, total.low, rel_tol=0.005) for each in sums):
        shown = _plain(sums[-1] / _factor(total))
        yield Mistake(total.span, f"The parts do not make “{total.text}”; they make {shown}.")


def _find_total(reading: Reading) -> Fact | None:
    """The value that a sentence calls its total."""
    for fact in reversed(reading.facts):
        if fact.kind not in {FactKind.NUMBER, FactKind.AMOUNT, FactKind.MEASUREMENT}:
            continue
        after = reading.after(fact, 3)
        while after and fact.unit == _BARE and after[0].isalpha() and len(after) > 2:
            # "16 bags in total"
            if _starts(after, reading.rules.total_after):
                break
            after = after[1:] if fact.nouns else []
        if _starts(after, reading.rules.total_after):
            return fact
        before = " ".join(reading.before(fact, 4))
        if any(before.endswith(phrase) for phrase in reading.rules.total_before):
            return fact
    return None


def _starts(words: Sequence[str], phrases: frozenset[str]) -> bool:
    said = f"{' '.join(words)} "
    return any(said.startswith(f"{phrase} ") for phrase in phrases)


def _is_priced(reading: Reading, same: Sequence[Fact]) -> bool:
    return any(reading.before(f, 1)[-1:] == ["at"] for f in same)


def _factor(fact: Fact) -> float:
    return fact.factor or 1.0


def _share_of(reading: Reading) -> Iterator[Mistake]:
    """ "10 percent of 50 euros is 15 euros"."""
    for share, whole, part in zip(
        reading.facts, reading.facts[1:], reading.facts[2:], strict=False
    ):
        if share.unit != "percent" or whole.unit != part.unit or whole.unit == "percent":
            continue
        first = reading.between(share.span[1], whole.span[0])
        second = reading.between(whole.span[1], part.span[0])
        if not first or first[0] not in reading.words.words.shares.of or len(first) > 2:
            continue
        if not second or second[-1] not in reading.rules.equals or len(second) > 3:
            continue
        made = share.low * whole.low / 100
        if not isclose(made, part.low, rel_tol=0.02) and not part.hedge:
            problem = f"“{part.text}” is not {share.text} of {whole.text}."
            yield Mistake(part.span, problem)


def _from_to(reading: Reading, start: int) -> tuple[Fact, Fact] | tuple[Fact] | None:
    """The two ends of "from 20 to 60" behind a place: two facts, or a range."""
    ends = [f for f in reading.facts if f.span[0] >= start]
    if not ends or reading.before(ends[0], 1)[-1:] not in ([w] for w in reading.rules.span_from):
        return None
    if ends[0].low != ends[0].high:
        return (ends[0],)
    if (
        len(ends) > 1
        and len(reading.between(ends[0].span[1], ends[1].span[0])) == 1
        and (reading.between(ends[0].span[1], ends[1].span[0])[0] in reading.rules.span_to)
    ):
        return ends[0], ends[1]
    return None


def _ends(found: tuple[Fact, ...]) -> tuple[float, float]:
    return (found[0].low, found[0].high) if len(found) == 1 else (found[0].low, found[1].low)


def _ratio(reading: Reading) -> Iterator[Mistake]:
    """ "doubled from 20 to 60"."""
    for fact in reading.facts:
        if fact.unit != "ratio" or fact.hedge:
            continue
        found = _from_to(reading, fact.span[1])
        if found is None or len(reading.between(fact.span[1], found[0].span[0])) > 2:
            continue
        low, high = _ends(found)
        if low and not isclose(high / low, fact.low, rel_tol=0.15):
            yield Mistake(fact.span, f"“{fact.text}” is not the change between the two values.")


def _change(reading: Reading) -> Iterator[Mistake]:
    """ "rose by 10 percent, from 100 to 130"."""
    shares = [fact for fact in reading.facts if fact.unit == "percent"]
    if len(shares) != 1 or len(reading.facts) > 3 or shares[0].hedge:
        return
    share = shares[0]
    if reading.before(share, 1)[-1:] not in ([w] for w in reading.words.words.changes.by):
        return
    found = _from_to(reading, share.span[1])
    if found is None:
        return
    low, high = _ends(found)
    if found[0].unit == "percent" or not low:
        return
    change = abs(high - low) / low * 100
    if abs(change - share.low) > max(1.0, 0.05 * share.low):
        problem = f"The change between the two values is {_plain(round(change))} percent."
        yield Mistake(share.span, problem)


def _shares(reading: Reading) -> Iterator[Mistake]:
    """ "60 % walk, 30 % cycle and 25 % drive"."""
    parts = [fact for fact in reading.facts if fact.unit == "percent"]
    rest = reading.has(reading.rules.remaining)
    if len(parts) < 3 - rest or any(f.low != f.high or f.hedge is Hedge.OVER for f in parts):
        return
    if any(fact.kind is FactKind.DATE for fact in reading.facts):
        return
    # A third of this and a half of that are often shares of two things.
    if sum(not any(ch.isdecimal() for ch in fact.text) for fact in parts) > 1:
        return
    total = sum(fact.low for fact in parts)
    inside = reading.between(parts[0].span[0], parts[-1].span[1])
    if total <= 101 or not reading.rules.overlapping.isdisjoint(inside):
        return
    gaps = [reading.between(a.span[1], b.span[0]) for a, b in pairwise(parts)]
    if all(len(gap) <= _PART_TOKENS and ";" not in gap for gap in gaps):
        yield Mistake(parts[-1].span, f"The shares add up to {_plain(total)} percent.")


def _parts_of_number(reading: Reading) -> Iterator[Mistake]:
    """ "Of 200 guests, 80 came by car, 70 by train and 90 on foot"."""
    facts = [fact for fact in reading.facts if fact.kind is FactKind.NUMBER]
    if len(facts) < 4 or len(facts) != len(reading.facts):
        return
    whole, *parts = facts
    if whole.low < _LEAST_WHOLE:
        return
    if reading.before(whole, 1)[-1:] not in ([w] for w in reading.words.words.shares.of):
        return
    if any(fact.low != fact.high or fact.hedge or fact.unit for fact in facts):
        return
    inside = reading.between(whole.span[1], parts[-1].span[1])
    if not reading.rules.overlapping.isdisjoint(inside):
        return
    gaps = [reading.between(a.span[1], b.span[0]) for a, b in pairwise(parts)]
    total = sum(part.low for part in parts)
    if total > whole.low and all(len(gap) <= _PART_TOKENS for gap in gaps):
        yield Mistake(whole.span, f"The parts of {whole.text} add up to {_plain(total)}.")


def mistakes_in_conversions(reading: Reading) -> Iterator[Mistake]:
    """Yield values whose conversion in brackets is another value."""
    for one, other in pairwise(reading.facts):
        gap = reading.between(one.span[1], other.span[0])
        if not gap or gap[0] not in _SEPARATORS or len(gap) > 3:
            continue
        if any(word not in _SEPARATORS and word not in {".", "or"} for word in gap):
            continue
        if one.low != one.high or other.low != other.high:
            continue
        if one.unit != other.unit or one.factor == other.factor:
            found = (
                _temperature(one, other)
                if {one.unit, other.unit} == {"celsius", "fahrenheit"}
                else _pounds(one, other)
            )
        else:
            found = one.unit in _PAIR and _is_off(one.low, other.low, other)
        if found:
            problem = f"“{one.text}” is not “{other.text}”."
            yield Mistake(other.span, problem)


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
        return False
    return abs(one - other) / min(one, other) > _CONVERTED + min(rounding, 0.25)


def mistakes_in_ranges(reading: Reading) -> Iterator[Mistake]:
    """Yield ranges that end before they begin: "between 30 and 20 minutes"."""
    facts = reading.facts
    for one, other in pairwise(facts):
        gap = reading.between(one.span[1], other.span[0])
        if len(gap) != 1 or gap[0] not in reading.rules.span_to:
            continue
        start = reading.before(one, 1)[-1:]
        if not start or start[0] not in reading.rules.span_from:
            continue
        if one.unit != other.unit and one.unit != _BARE:
            continue
        low = one.low * (_factor(other) if one.unit == _BARE else 1)
        if not (one.kind is other.kind is FactKind.DATE) and (
            FactKind.DATE in {one.kind, other.kind} or one.kind is FactKind.TIME
        ):
            continue
        if one.when and not (one.text.isdecimal() and other.text.isdecimal()):
            continue
        changes = reading.words.words.changes
        moving = changes.rise + changes.fall
        if any(token.low.startswith(moving) for token in reading.tokens):
            continue
        if low <= other.high or other.low == 0:
            continue
        if reading.has(reading.rules.ranging) or start[0] in reading.words.words.numbers.between:
            span = one.span[0], other.span[1]
            text = reading.sentence.text[slice(*span)]
            yield Mistake(span, f"“{text}” ends below its beginning.")


def mistakes_in_times(reading: Reading) -> Iterator[Mistake]:
    """Yield days that the calendar does not have, wrong weekdays and wrong spans of time."""
    yield from _days(reading)
    yield from _weekdays(reading)
    yield from _hours(reading)
    yield from _years(reading)


_MONTH_DAYS = (31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)


def _days(reading: Reading) -> Iterator[Mistake]:
    for fact in reading.facts:
        when = fact.when
        if when is None or not when.day or not when.month or len(fact.text) > 40:
            continue
        days = _MONTH_DAYS[when.month - 1]
        if when.month == 2 and when.year and not _is_leap(when.year):
            days = 28
        if when.day > days:
            yield Mistake(fact.span, f"There is no {fact.text}.")


def _is_leap(year: int) -> bool:
    return year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)


def _weekdays(reading: Reading) -> Iterator[Mistake]:
    for one, other in pairwise(reading.facts):
        first, second = one.when, other.when
        if first is None or second is None:
            continue
        if (first.weekday is None) == (second.weekday is None):
            continue
        gap = reading.between(one.span[1], other.span[0])
        if len(gap) > 2 or any(word.isalpha() and len(word) > 4 for word in gap):
            continue
        day, weekday = (second, first) if first.weekday is not None else (first, second)
        if not day.year or not day.day or not day.ranges or weekday.weekday is None:
            continue
        days = {(begin - 1) % 7 for begin, end in day.ranges if begin == end}
        if days and weekday.weekday not in days:
            span = one.span[0], other.span[1]
            text = reading.sentence.text[slice(*span)]
            yield Mistake(span, f"“{text}” is not that day of the week.")


def _hours(reading: Reading) -> Iterator[Mistake]:
    """ "from 9:00 to 11:00, three hours"."""
    times = [fact for fact in reading.facts if fact.kind is FactKind.TIME]
    spans = [fact for fact in reading.facts if fact.unit == "duration"]
    if len(times) != 2 or len(spans) != 1 or len(reading.facts) != 3:
        return
    begin, end, said = times[0], times[1], spans[0]
    gap = reading.between(end.span[1], said.span[0])
    if said.span[0] < end.span[1] or said.hedge or said.low != said.high or len(gap) > 1:
        return
    if gap and gap[0] not in {",", "(", ";", "–", "—", ":"}:
        return
    if not reading.rules.span_from.isdisjoint(reading.after(said, 1)):
        return
    minutes = (end.low - begin.low) % _MINUTES_OF_DAY
    half = _MINUTES_OF_DAY / 2
    if said.low / 60 not in {minutes, minutes % half} and said.low >= 3600:
        shown = _plain(minutes / 60)
        yield Mistake(said.span, f"From {begin.text} to {end.text} are {shown} hours.")


def _years(reading: Reading) -> Iterator[Mistake]:
    """ "in 1998 … 15 years later, in 2008"; "built in 1950, is 60 years old in 2020"."""
    years = [f for f in reading.facts if f.when and f.when.year and f.text.isdecimal()]
    spans = [
        f for f in reading.facts
        if f.unit == "calendar" and f.factor == 12 and f.low == f.high and not f.hedge
    ]  # fmt: skip
    if len(years) != 2 or len(spans) != 1 or len(reading.facts) != 3:
        return
    said, apart = spans[0], abs(years[1].low - years[0].low)
    after = reading.after(said, 1)
    is_later = bool(after) and after[0] in reading.rules.later
    is_age = bool(after) and after[0] in reading.rules.old
    if not (is_later or is_age) or years[1].low < years[0].low:
        return
    if abs(apart - said.low / 12) > 1:
        problem = f"{years[0].text} and {years[1].text} are {_plain(apart)} years apart."
        yield Mistake(said.span, problem)


def _plain(value: float) -> str:
    return f"{value:.10g}"
