"""Sums, shares and ranges of one sentence that cannot be right."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import combinations, pairwise
from math import isclose

from app.core.facts.fact import Fact, FactKind, Hedge
from app.core.facts.reading import Mistake, Reading, plain, shown_as
from app.core.languages import Enumerations, get_section

_BARE = ""
_LEAST_YEAR = 1500
# By how many percentage points a share may be off.
_SHARE, _ABOUT_SHARE = 1.5, 7
_LEAST_PARTS = 2
_LEAST_WHOLE = 10
# Parts of a whole follow each other closely: 30 % by car and 25 % on foot.
_PART_TOKENS = 6
# Of more values, some make a total by chance.
_MOST_PARTS = 8
# "The price of a ticket fell sharply from 40 to 30 euros"
_MOST_TO_ENDS = 3
# Times and distances are rounded.
_SPEED = 0.12


def mistakes_in_sums(reading: Reading) -> Iterator[Mistake]:
    """Yield totals, shares, ratios and changes that do not follow from the other values.

    At most one of a sentence.
    """
    if len(reading.facts) < 2:
        return
    found = next(
        (
            mistake
            for check in (
                _total, _part_of_whole, _bounds, _share_of, _counted_share,
                _ratio, _direction, _change, _apart,
                _reduced, _mean, _shares, _parts_of_number, _speed,
            )
            for mistake in check(reading)
        ),
        None,
    )  # fmt: skip
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
        joins = reading.results.joins if reading.results else frozenset[str]()
        values += [
            f.low * _factor(total) for f in bare
            if total.unit != _BARE and f.span[0] < begin
            and set(reading.between(f.span[1], begin)) <= joins | {","}
        ]  # fmt: skip
        said_once = [f.low * _factor(total) for f in bare if f.span[0] > begin]
        if total.unit == _BARE:
            said_once = []
        if len(values) + len(said_once) < _LEAST_PARTS:
            return
        added = [f for f in parts if f in same or f.span[0] > begin]
        named = same if len(same) >= _LEAST_PARTS else added
        if _are_alternatives(reading, named) or _is_made_of_some(total, [*values, *said_once]):
            return
        sums = [sum(values), sum(values) + sum(said_once)]
    if not any(isclose(each, total.low, rel_tol=0.005) for each in sums):
        shown = shown_as(total, sums[-1])
        yield Mistake(total.span, f"The parts make {shown}, not {total.text}.")


def _are_alternatives(reading: Reading, parts: Sequence[Fact]) -> bool:
    """Whether “or” stands between two values: “20 euros or 30 euros”."""
    enumerations = get_section(reading.words.language, Enumerations)
    joins = reading.results.joins if reading.results else frozenset[str]()
    either = enumerations.joins - joins if enumerations else frozenset[str]()
    return any(
        not either.isdisjoint(reading.between(a.span[1], b.span[0])) for a, b in pairwise(parts)
    )


def _is_made_of_some(total: Fact, values: Sequence[float]) -> bool:
    """Whether some of the values make the total: the others may be what these are parts of."""
    if len(values) > _MOST_PARTS:
        return True
    sizes = range(_LEAST_PARTS, len(values))
    some = (sum(each) for size in sizes for each in combinations(values, size))
    return any(isclose(each, total.low) for each in some)


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
            shown = shown_as(part, made)
            problem = f"{share.text} of {whole.text} is {shown}, not {part.text}."
            yield Mistake(part.span, problem)


def _counted_share(reading: Reading) -> Iterator[Mistake]:
    """ "Three of the five rooms, or 80 percent"."""
    words = reading.calculations
    if words is None:
        return
    for part, whole, share in zip(
        reading.facts, reading.facts[1:], reading.facts[2:], strict=False
    ):
        if share.unit != "percent" or not part.kind is whole.kind is FactKind.NUMBER:
            continue
        if part.unit or whole.unit or part.hedge or whole.hedge or not 0 < part.low <= whole.low:
            continue
        first = _gap(reading, part, whole)
        if not first or len(first) > 2 or first[0] not in reading.words.words.shares.of:
            continue
        # What is counted stands between; a comma or bracket, then the share alone.
        gap = _gap(reading, whole, share)
        while gap and gap[-1] in words.apposition:
            gap = gap[:-1]
        ends = gap[-1:] in (["("], [","], ["–"], ["—"]) and "," not in gap[:-1]
        if not ends or reading.after(share, 1) not in ([")"], [","], ["."], ["–"], ["—"], []):
            continue
        made = part.low / whole.low * 100
        if abs(made - share.low) > (_ABOUT_SHARE if share.hedge else _SHARE):
            problem = f"{part.text} of {whole.text} is {plain(round(made, 1))} %, not {share.text}."
            yield Mistake(share.span, problem)


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
            problem = f"the second value is {plain(high / low)} times the first"
            yield Mistake(fact.span, f"“{fact.text}” does not fit: {problem}.")


def _direction(reading: Reading) -> Iterator[Mistake]:
    """ "The price fell from 40 to 50 euros"."""
    if not reading.has(reading.rules.span_from):
        return
    changes = reading.words.words.changes
    verbs = [
        (token, token.low.startswith(changes.rise))
        for token in reading.tokens
        if token.low.startswith(changes.rise + changes.fall)
    ]
    if len(verbs) != 1 or reading.has(reading.rules.denials):
        return
    verb, rises = verbs[0]
    found = _from_to(reading, verb.end)
    if found is None or any(_is_date(fact) or fact.when for fact in found):
        return
    if len(found) == 1:  # a range goes upwards
        found = replace(found[0], high=found[0].low), replace(found[0], low=found[0].high)
    one, other = found
    if one.unit != other.unit and not (one.unit == _BARE and not one.nouns):
        return
    if len(reading.between(verb.end, one.span[0])) > _MOST_TO_ENDS or one.hedge:
        return
    if one.kind is FactKind.TIME or other.kind is FactKind.TIME:
        return
    low = one.low * (_factor(other) if one.unit != other.unit else 1)
    if low != other.low and (low < other.low) != rises:
        shown = shown_as(other, other.low)
        problem = f"“{verb.text}” does not fit: {shown} is {'less' if rises else 'more'}."
        yield Mistake((verb.start, other.span[1]), problem)


def _apart(reading: Reading) -> Iterator[Mistake]:
    """ "1.80 m tall, 20 cm taller than his sister, who is 1.70 m tall"."""
    words = reading.calculations
    if words is None or len(reading.facts) != 3 or len({f.unit for f in reading.facts}) != 1:
        return
    if any(f.hedge or f.low != f.high or f.when for f in reading.facts):
        return
    compared = frozenset[str]().union(*words.more.values(), *words.fewer.values())
    for at, fact in enumerate(reading.facts):
        after = reading.after(fact, 2)
        if len(after) < 2 or after[0] not in compared or after[1] not in words.than:
            continue
        one, other = (each for place, each in enumerate(reading.facts) if place != at)
        apart = abs(one.low - other.low)
        if not isclose(apart, fact.low, rel_tol=0.02) and apart:
            shown = shown_as(fact, apart)
            problem = f"{one.text} and {other.text} are {shown} apart, not {fact.text}."
            yield Mistake(fact.span, problem)


def _change(reading: Reading) -> Iterator[Mistake]:
    """ "rose by 10 percent, from 100 to 130"."""
    shares = [fact for fact in reading.facts if fact.unit == "percent"]
    if len(shares) != 1 or len(reading.facts) > 3 or shares[0].hedge:
        return
    share, changes = shares[0], reading.words.words.changes
    if reading.before(share, 1)[-1:] in ([w] for w in changes.by):
        found = _from_to(reading, share.span[1])
    else:  # "from 200 to 300, an increase of 50 percent"
        found = _from_to(reading, 0)
        between = reading.between(found[-1].span[1], share.span[0]) if found else []
        if not any(word.startswith(changes.rise + changes.fall) for word in between):
            return
    if found is None or any(fact is share or _is_date(fact) for fact in found):
        return
    low, high = _ends(found)
    if found[-1].unit != found[0].unit == _BARE and not found[0].nouns:
        low *= _factor(found[-1])  # from 100 to 80 cm
    if found[0].unit == "percent" or not low:
        return
    change = abs(high - low) / low * 100
    if abs(change - share.low) > max(1.0, 0.05 * share.low):
        problem = f"The two values differ by {plain(round(change))} percent, not {share.text}."
        yield Mistake(share.span, problem)


def _shares(reading: Reading) -> Iterator[Mistake]:
    """ "60 % walk, 30 % cycle and 25 % drive"."""
    parts = [fact for fact in reading.facts if fact.unit == "percent"]
    rest = reading.has(reading.rules.remaining)
    last = reading.before(parts[-1], 2) if parts else []
    # "the remaining 25 %", "the other 25 %"
    is_whole = not reading.rules.remaining.isdisjoint(last) or (
        last[-1:] in ([word] for word in reading.rules.others)
        and reading.all_before(parts[-1], 2)[0] in reading.rules.definite
    )
    if len(parts) < 3 - rest or any(f.low != f.high or f.hedge is Hedge.OVER for f in parts):
        return
    if any(fact.kind is FactKind.DATE for fact in reading.facts):
        return
    # A third of this and a half of that are often shares of two things.
    if sum(not any(ch.isdecimal() for ch in fact.text) for fact in parts) > 1:
        return
    total = sum(fact.low for fact in parts)
    inside = [
        *reading.between(parts[0].span[0], parts[-1].span[1]), *reading.after(parts[-1], 1)
    ]  # fmt: skip
    if (total <= 101 and not (is_whole and total < 99)) or not reading.rules.overlapping.isdisjoint(
        inside
    ):
        return
    gaps = [reading.between(a.span[1], b.span[0]) for a, b in pairwise(parts)]
    if all(len(gap) <= _PART_TOKENS and ";" not in gap for gap in gaps):
        yield Mistake(parts[-1].span, f"The shares add up to {total:.10g} percent.")


def _parts_of_number(reading: Reading) -> Iterator[Mistake]:
    """ "Of 200 guests, 80 came by car, 70 by train and 90 on foot"."""
    facts = [fact for fact in reading.facts if fact.kind is FactKind.NUMBER]
    if len(facts) < 4 or len(facts) != len(reading.facts):
        return
    whole, *parts = facts
    if whole.low < _LEAST_WHOLE or _is_mean(reading):
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
        yield Mistake(whole.span, f"The parts of {whole.text} add up to {plain(total)}.")


def _is_mean(reading: Reading) -> bool:
    return reading.calculations is not None and reading.has(reading.calculations.average)


def _mean(reading: Reading) -> Iterator[Mistake]:
    """ "The average of 10, 20 and 30 is 25"."""
    if len(reading.facts) < 3 or not _is_mean(reading):
        return
    *parts, said = reading.facts
    if any(f.unit != said.unit or f.low != f.high or f.when for f in reading.facts) or said.hedge:
        return
    gaps = [reading.between(a.span[1], b.span[0]) for a, b in pairwise(parts)]
    if not all(len(gap) == 1 and gap[0] in {",", *reading.rules.span_to} for gap in gaps):
        return
    if reading.between(parts[-1].span[1], said.span[0])[-1:] not in (
        [word] for word in reading.rules.equals
    ):
        return
    made = sum(part.low for part in parts) / len(parts)
    if not isclose(made, said.low, rel_tol=0.02):
        yield Mistake(said.span, f"The average is {shown_as(said, made)}, not {said.text}.")


def _part_of_whole(reading: Reading) -> Iterator[Mistake]:
    """ "60 of the 50 members"."""
    for part, whole in pairwise(reading.facts):
        if not part.kind is whole.kind is FactKind.NUMBER or not whole.nouns:
            continue
        if part.unit or whole.unit or part.hedge or whole.hedge or part.low != part.high:
            continue
        gap = reading.between(part.span[1], whole.span[0])
        if len(gap) != 2 or gap[0] not in reading.words.words.shares.of:
            continue
        if gap[1] in reading.rules.definite and part.low > whole.high:
            problem = f"{part.text} is more than the whole of {whole.text}."
            yield Mistake(part.span, problem)


def _bounds(reading: Reading) -> Iterator[Mistake]:
    """ "At least 10 and at most 5 people"."""
    words = reading.calculations
    if words is None or len(reading.facts) != 2:
        return
    least, most = reading.facts
    if least.unit != most.unit and least.unit != _BARE:
        return
    if least.low != least.high or most.low != most.high or len(_gap(reading, least, most)) > 5:
        return
    before = [" ".join(reading.all_before(fact, 2)) for fact in (least, most)]
    if before[0].endswith(words.minimum) and before[1].endswith(words.maximum):
        low = least.low * (_factor(most) if least.unit == _BARE else 1)
        if low > most.low:
            problem = f"The lower limit, {least.text}, is above the upper one, {most.text}."
            yield Mistake((least.span[0], most.span[1]), problem)


def _gap(reading: Reading, one: Fact, other: Fact) -> list[str]:
    return reading.between(one.span[1], other.span[0])


def _is_date(fact: Fact) -> bool:
    """Whether a value is a date, or a number that looks like a year."""
    return fact.kind is FactKind.DATE or (fact.text[:4].isdecimal() and 1500 <= fact.low < 2100)


def _reduced(reading: Reading) -> Iterator[Mistake]:
    """ "The price fell from $80 to $60, a discount of 25 %"."""
    words = reading.calculations
    if words is None or len(reading.facts) != 3 or not reading.has(words.discount):
        return
    shares = [fact for fact in reading.facts if fact.unit == "percent"]
    prices = [fact for fact in reading.facts if fact.kind is FactKind.AMOUNT]
    if len(shares) != 1 or len(prices) != 2 or prices[0].unit != prices[1].unit:
        return
    if any(fact.hedge or fact.low != fact.high for fact in reading.facts):
        return
    changes = reading.words.words.changes
    if any(token.low.startswith(changes.rise) for token in reading.tokens):
        return
    between = reading.between(prices[0].span[1], prices[1].span[0])
    moving = any(token.low.startswith(changes.fall) for token in reading.tokens)
    if not (moving or words.instead & set(between)):
        return
    high, low = max(p.low for p in prices), min(p.low for p in prices)
    share = shares[0]
    if not high or low == high:
        return
    change = (high - low) / high * 100
    if abs(change - share.low) > max(1.0, 0.05 * share.low):
        higher, lower = sorted(prices, key=lambda price: -price.low)
        problem = (
            f"From {higher.text} to {lower.text} is {plain(round(change, 1))} % less, not"
            f" {share.text}."
        )
        yield Mistake(share.span, problem)


def _speed(reading: Reading) -> Iterator[Mistake]:
    """ "The bus covers 120 km in two hours, an average of 60 km/h"."""
    words = reading.calculations
    if words is None or len(reading.facts) != 3:
        return
    by_unit = {fact.unit: fact for fact in reading.facts}
    if set(by_unit) != {"length", "duration", "speed"}:
        return
    length, time, speed = by_unit["length"], by_unit["duration"], by_unit["speed"]
    if any(fact.low != fact.high or not fact.low for fact in reading.facts):
        return
    if any(fact.hedge not in {None, Hedge.ABOUT} for fact in reading.facts):
        return
    if not words.rates & set(reading.before(speed, 2)) and not reading.has(words.average):
        return
    made = length.low / 1000 / (time.low / 3600)
    if abs(made - speed.low) > _SPEED * made:
        problem = f"{length.text} in {time.text} is {shown_as(speed, made)}, not {speed.text}."
        yield Mistake(speed.span, problem)


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
        if _is_date(one) and _is_date(other) and one.low > other.low:
            yield from _years(reading, one, other)
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


def _years(reading: Reading, one: Fact, other: Fact) -> Iterator[Mistake]:
    """ "popular from 1998 to 1974"; years before our era run backwards."""
    after = reading.after(other, 1)
    ends = not after or not after[0].isalpha() or after[0] in reading.words.function_words
    is_digits = one.text.isdecimal() and other.text.isdecimal()
    if is_digits and ends and min(one.low, other.low) >= _LEAST_YEAR:
        span = one.span[0], other.span[1]
        text = reading.sentence.text[slice(*span)]
        yield Mistake(span, f"“{text}” ends before its beginning.")
