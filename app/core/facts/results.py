"""Results that do not follow from the values beside them: products, rates, differences, multiples.

A result is a value behind a word such as "makes" or "so". It is wrong if the values before it are
joined in a way that says how it is calculated, and that gives another value.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from math import isclose

from app.core.facts.fact import Fact, FactKind, Hedge
from app.core.facts.reading import Mistake, Reading, plain, shown_as
from app.core.facts.units import currencies
from app.core.languages import Results
from app.core.text import stem

_ROUNDED, _ABOUT = 0.011, 0.1
# A result further away than this many times was calculated from other values.
_FAR = 4
_OF = frozenset({"of", "de", "d", "di", "van"})
# "Of the 200 pieces": how far the whole is from the beginning, in characters.
_MOST_IN_FRONT = 20
# "12 months at €10", "three sessions a week"
_MOST_JOINING = 3
_MOST_UNIT = 2
# "Add 57 g and 13 g, and you have"
_MOST_ADDED = 4
# Values of these units are not multiplied by a count.
_NOT_MULTIPLIED = frozenset({"percent", "points", "ratio", "celsius", "fahrenheit", "time", "date"})
_PLUS = frozenset({",", "+"})


def mistakes_in_results(reading: Reading) -> Iterator[Mistake]:
    """Yield the first result of a sentence that its values, or those before it, contradict."""
    words = reading.results
    if words is None or not reading.facts:
        return
    found = next(
        (
            mistake
            for check in (_multiple, _product, _area, _rate, _sum, _difference, _remainder)
            for mistake in check(reading, words)
        ),
        None,
    )
    if found is not None:
        yield found


def _is_exact(*facts: Fact) -> bool:
    return all(f.low == f.high and not f.hedge and f.kind is not FactKind.DATE for f in facts)


def _number(fact: Fact) -> float:
    """The number that is written: 5 of "5 kilometres"."""
    return fact.low / (fact.factor or 1.0)


def _wrong(result: Fact, made: float) -> Mistake | None:
    if result.low != result.high or result.hedge not in {None, Hedge.ABOUT} or made <= 0:
        return None
    tolerance = _ABOUT if result.hedge else _ROUNDED
    if isclose(result.low, made, rel_tol=tolerance) or not 1 / _FAR < result.low / made < _FAR:
        return None
    shown = shown_as(result, made)
    return Mistake(result.span, f"They make {shown}, not {result.text}.")


def _makes(reading: Reading, words: Results, gap: Sequence[str], result: Fact) -> bool:
    """Whether the words before a value, or behind it, say that it is a result."""
    kind = "money" if result.unit in currencies() else result.unit
    verbs = words.makes | reading.rules.equals | reading.rules.implied.get(kind, frozenset())
    return not verbs.isdisjoint(gap) or not words.so.isdisjoint(gap)


def _product(reading: Reading, words: Results) -> Iterator[Mistake]:
    """ "12 months at €10 make €100"."""
    for count, each, result in zip(
        reading.facts, reading.facts[1:], reading.facts[2:], strict=False
    ):
        if not _is_exact(count, each) or count.unit == each.unit != "":
            continue
        if each.unit != result.unit or each.unit in _NOT_MULTIPLIED or count.unit == "time":
            continue
        if each.unit == "" and not each.nouns & result.nouns:
            continue
        joining = reading.between(count.span[1], each.span[0])
        if not joining or joining[-1] not in words.at or len(joining) > _MOST_JOINING:
            continue
        gap = reading.between(each.span[1], result.span[0])
        if count.unit in _NOT_MULTIPLIED or not _makes(reading, words, gap, result):
            continue
        if mistake := _wrong(result, _number(count) * each.low):
            yield mistake


def _area(reading: Reading, words: Results) -> Iterator[Mistake]:
    """ "15 metres long and 2.5 metres high, which gives 39.5 square metres"."""
    lengths = [fact for fact in reading.facts if fact.unit == "length"]
    areas = [fact for fact in reading.facts if fact.unit == "area"]
    if len(lengths) != 2 or len(areas) != 1 or not _is_exact(*lengths):
        return
    gap = reading.between(lengths[1].span[1], areas[0].span[0])
    if _makes(reading, words, gap, replace(areas[0], unit="")) and (
        mistake := _wrong(areas[0], lengths[0].low * lengths[1].low)
    ):
        yield mistake


def _rate(reading: Reading, words: Results) -> Iterator[Mistake]:
    """ "At 7 minutes for a kilometre, 5 kilometres take 45 minutes"."""
    opens = reading.tokens[0].low in words.opens
    if len(reading.facts) < 2 and not opens:
        return
    before = reading.before_it if opens else None
    facts = [(reading, f) for f in reading.facts]
    if before is not None:
        facts = [(before, f) for f in before.facts] + facts
    for place, rate in facts:
        unit = _per(place, rate, words)
        if not unit or not _is_exact(rate) or rate.unit in _NOT_MULTIPLIED:
            continue
        amounts = [
            f for where, f in facts
            if f is not rate and unit in _stems(where, f) and f.unit != rate.unit and _is_exact(f)
        ]  # fmt: skip
        results = [
            f for f in reading.facts
            if f is not rate and f.unit == rate.unit
            and (f.unit or f.nouns & rate.nouns)
        ]  # fmt: skip
        same = [f for _, f in facts if f.unit == rate.unit and f.unit]
        if len(amounts) != 1 or len(results) != 1 or len(same) > 2:
            continue
        amount, result = amounts[0], results[0]
        begin = max(
            (f.span[1] for f in (rate, amount) if any(f is own for own in reading.facts)), default=0
        )
        if _per(reading, result, words) == unit:
            continue
        if result.span[0] < begin:
            # "half a litre an hour, that is 2 litres for 4 hours"
            is_for = reading.between(result.span[1], amount.span[0])[-1:] in (
                [word] for word in words.rate
            )
            if place is not reading or not is_for or rate.span[1] > result.span[0]:
                continue
            begin = rate.span[1]
        # "At 17 cents a day, that is in ten days 142 cents"
        gap = reading.between(min(begin, rate.span[1]), result.span[0])
        if not (before or _makes(reading, words, gap, result)):
            continue
        if mistake := _wrong(result, rate.low * _number(amount)):
            yield mistake


def _per(reading: Reading, fact: Fact, words: Results) -> str:
    """The stem of the unit that a value is for: "7 minutes for a kilometre"."""
    after = [low for low in reading.after(fact, 5) if not fact.nouns or not _is_noun(low, fact)]
    if after and after[0] in _OF:  # "half a litre of water an hour"
        ahead = next((n for n, low in enumerate(after) if low in reading.rules.per and n > 1), 0)
        after = after[ahead:]
    if not after or after[0] not in reading.rules.per | words.rate:
        return ""
    said = [low for low in after[1:4] if low not in reading.rules.per]
    return stem(" ".join(said[:1]), reading.words.language) if said else ""


def _is_noun(low: str, fact: Fact) -> bool:
    return any(low.startswith(noun) for noun in fact.nouns)


def _stems(reading: Reading, fact: Fact) -> frozenset[str]:
    """The stems of what a value is a number of: its unit, or what is counted."""
    language = reading.words.language
    said = reading.between(*fact.span)[-_MOST_UNIT:]
    return fact.nouns | frozenset(stem(low, language) for low in said if low.isalpha())


def _sum(reading: Reading, words: Results) -> Iterator[Mistake]:
    """ "Add 57 g, 32 g and 13 g, and you have 96 g"."""
    facts = reading.facts
    if len(facts) < 3 or len({fact.unit for fact in facts}) != 1:
        return
    *parts, result = facts
    if not _is_exact(*parts) or result.unit in _NOT_MULTIPLIED | {""}:
        return
    gaps = [reading.between(a.span[1], b.span[0]) for a, b in pairwise(parts)]
    if not all(gap and set(gap) <= words.joins | _PLUS for gap in gaps):
        return
    gap = reading.between(parts[-1].span[1], result.span[0])
    adds = reading.tokens[0].low in words.adds
    if words.makes.isdisjoint(gap) and not (adds and len(gap) <= _MOST_ADDED):
        return
    if mistake := _wrong(result, sum(part.low for part in parts)):
        yield mistake


def _difference(reading: Reading, words: Results) -> Iterator[Mistake]:
    """ "The price falls from 80 to 60 euros, so you save 30 euros"."""
    if len(reading.facts) != 3:
        return
    one, other, result = reading.facts
    bare = one.unit == "" and not one.nouns
    if other.unit != result.unit or (one.unit != other.unit and not bare):
        return
    if not _is_exact(one, other) or other.unit in {"", "ratio", "time", "date", "percent"}:
        return
    gap = reading.between(other.span[1], result.span[0])
    if words.left.isdisjoint([*gap, *reading.after(result, 1)]):
        return
    start = reading.before(one, 1)[-1:]
    if not start or start[0] not in reading.rules.span_from:
        return
    first = one.low * (other.factor or 1.0) if bare else one.low
    if mistake := _wrong(result, abs(first - other.low)):
        yield mistake


def _remainder(reading: Reading, words: Results) -> Iterator[Mistake]:
    """ "Of the 200 pieces you use 77, so 100 are left"; "after 69 of 100 euros, 37 are left"."""
    if len(reading.facts) != 3 or not _is_exact(*reading.facts):
        return
    whole, used, result = reading.facts
    if used.unit != result.unit or used.unit in {"ratio", "time", "date", "percent"}:
        return
    if whole.unit != used.unit or not result.low < whole.low or used.low >= whole.low:
        return
    gap = reading.between(used.span[1], result.span[0])
    behind = reading.after(result, 2)
    if words.left.isdisjoint([*gap, *behind]) or not reading.rules.each.isdisjoint(behind):
        return
    # "so 100 are left", but not "10 stayed and 20 left"
    if (reading.rules.equals | words.so).isdisjoint([*gap, *behind]):
        return
    of = reading.words.words.shares.of
    is_of = not of.isdisjoint(reading.before(whole, 2)) and whole.span[0] < _MOST_IN_FRONT
    between = reading.between(whole.span[1], used.span[0])
    is_after = (
        bool(between)
        and reading.rules.later.isdisjoint(behind)
        and (not reading.rules.later.isdisjoint(between[-1:]))
    )
    if not (is_of or is_after):
        return
    if mistake := _wrong(result, whole.low - used.low):
        yield mistake


def _multiple(reading: Reading, words: Results) -> Iterator[Mistake]:
    """ "At €180, the large one costs twice as much as the small one at €60"."""
    if len(reading.facts) < 2 or reading.lows.isdisjoint(words.compared):
        return
    tokens = reading.tokens
    for place, token in enumerate(tokens):
        factor = words.multiples.get(token.low, 0.0)
        behind = place + 1
        if token.low in words.times:
            number = next((f for f in reading.facts if f.span[1] <= token.start), None)
            numbers = [f for f in reading.facts if f.span[1] == tokens[place - 1].end]
            factor = numbers[0].low if place and numbers and number else 0.0
        if not factor or behind >= len(tokens) or tokens[behind].low not in words.compared:
            continue
        found = _multiplied(reading, token.start, words)
        if found is None:
            continue
        subject, base = found
        if not isclose(subject.low, factor * base.low, rel_tol=_ABOUT):
            ratio = plain(subject.low / base.low)
            problem = f"{subject.text} is {ratio} times {base.text}, not “{token.text}” as much."
            yield Mistake(subject.span, problem)


def _multiplied(reading: Reading, start: int, words: Results) -> tuple[Fact, Fact] | None:
    """The two values of one unit that a multiple compares, that of its subject first."""
    values = [
        f for f in reading.facts
        if f.unit not in {"ratio", "percent", ""} and f.kind is not FactKind.DATE
    ]  # fmt: skip
    if len(values) != 2 or values[0].unit != values[1].unit or not _is_exact(*values):
        return None
    one, other = values
    if not one.low or not other.low or one.span[0] > start:
        return None
    if other.span[0] > start:
        return one, other
    return other, one
