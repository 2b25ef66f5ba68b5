"""Whether two statements contradict each other: the same thing with two values."""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from math import isclose

from app.core.facts.fact import ABOUT_TOLERANCE, Hedge, is_rounded
from app.core.facts.statement import Statement

# How many earlier statements with one stem and family a statement is compared with.
_MAX_COMPARED = 20
# Ingredients are divided: 50 g of sugar for the dough, 30 g of sugar for the top.
_STUFF = frozenset({"mass", "volume"})
_LEAST_OF_STUFF = 3
# What may be so more than once is compared with a clause of the same words only.
_LEAST_OF_LOOSE = 2
# What orders have, one step after the other.
_OF_STEPS = _STUFF | {"duration", "temperature", "percent"}
# What happens on one day only.
_ONCE = frozenset({"year", "day", "weekday", "time"})
_EXACT = frozenset({"year", "day", "weekday", "time", "capacity"})


def contradictions(said: Iterable[Statement]) -> Iterator[tuple[Statement, Statement]]:
    """Yield the pairs of statements that contradict each other, the later one second.

    Each is compared with the few latest that share a stem and a family, so the time is linear.
    """
    known: dict[tuple[str, str], list[Statement]] = defaultdict(list)
    for later in said:
        seen: set[int] = set()
        found = None
        for stem in sorted(later.wide):
            for earlier in known[later.family, stem][-_MAX_COMPARED:]:
                if id(earlier) not in seen:
                    seen.add(id(earlier))
                    if found is None and contradict(earlier, later):
                        found = earlier
        if found is not None:
            yield found, later
        for stem in later.wide:
            known[later.family, stem].append(later)


def contradict(one: Statement, other: Statement) -> bool:
    """Return whether two statements of one family give two values for the same thing."""
    if one.sentence is other.sentence or not _same_case(one, other):
        return False
    if one.case.is_denied != other.case.is_denied:
        no, yes = (one, other) if one.case.is_denied else (other, one)
        return _breaks(yes, no) and same_thing(one, other)
    return not one.case.is_denied and differ(one, other) and same_thing(one, other)


def _breaks(statement: Statement, denied: Statement) -> bool:
    """Return whether a value is one that another sentence denies: "never above 30 °C"."""
    fact, limit = statement.fact, denied.fact
    if fact.unit != limit.unit or fact.hedge:
        return False
    if limit.hedge is Hedge.OVER:
        return fact.low > limit.high
    return limit.hedge is Hedge.UNDER and fact.high < limit.low


def same_words(one: Statement, other: Statement) -> bool:
    """Return whether two sentences have the same words but for the value, and neither is an order:
    "bake it for 20 minutes" may come again with another time."""
    if one.frame != other.frame or one.fact.hedge or other.fact.hedge or one.is_vague:
        return False
    return not (one.family in _OF_STEPS and one.is_order)


def differ(one: Statement, other: Statement) -> bool:
    """Return whether two values cannot both hold, by what is hedged and rounded in them."""
    first, second = one.fact, other.fact
    if first.unit != second.unit:
        return False
    if one.family == "weekday":
        return first.when is not None and second.when is not None and first.when != second.when
    if one.family == "day":
        days = [(f.when.month, f.when.day) for f in (first, second) if f.when]
        years = {f.when.year for f in (first, second) if f.when and f.when.year}
        return len(years) < 2 and days[0] != days[1]
    if one.family in _EXACT or one.family.startswith("count"):
        return first.value != second.value and first.hedge == second.hedge
    sided = {Hedge.OVER, Hedge.UNDER, Hedge.JUST_OVER, Hedge.NEARLY}
    if first.hedge != second.hedge and sided & {first.hedge, second.hedge}:
        return False
    if one.family.startswith("money") and not (first.hedge or second.hedge):
        # A price is said to the unit, unless it is called approximate.
        overlap = first.low <= second.high and second.low <= first.high
        return not overlap and not isclose(first.low, second.low, rel_tol=ABOUT_TOLERANCE)
    return not is_rounded(first, second)


def _same_case(one: Statement, other: Statement) -> bool:
    first, second = one.case, other.case
    if first.conditions ^ second.conditions:
        return False
    if first.cases != second.cases or first.times != second.times:
        return False
    if first.is_past != second.is_past and one.family not in _ONCE:
        return False
    if first.per != second.per or (
        first.dimension != second.dimension and first.dimension and second.dimension
    ):
        return False
    if first.names != second.names and (
        (first.names and second.names) or len(one.wide & other.wide) < 2
    ):
        return False
    if first.values != second.values and (first.values and second.values):
        return False
    shared = one.wide & other.wide
    if any(noun in shared for noun, _ in first.counts ^ second.counts):
        return False  # a bulb, five bulbs
    return first.front <= other.wide and second.front <= one.wide


def same_thing(one: Statement, other: Statement) -> bool:
    """Return whether two statements are said of one thing."""
    shared = one.wide & other.wide
    is_special = one.is_loose or other.is_loose or one.case.conditions
    if is_special and not _all_the_same(one, other):
        return False
    if not shared - (one.fact.nouns if one.family.startswith("count") else frozenset()):
        return False
    left = (one.near or one.wide) - other.wide
    right = (other.near or other.wide) - one.wide
    if one.family == "percent":
        # "60 % of the people walk" says nothing against "40 % of the people cycle".
        left, right = one.wide - other.wide, other.wide - one.wide
    if left and right:
        return False
    if one.clause - other.wide and other.clause - one.wide:
        return False
    if one.order and other.order and one.order != other.order:
        return False
    if not (one.near or one.wide) & shared or not (other.near or other.wide) & shared:
        return False
    same_head = one.head == other.head and one.head in shared
    if one.family in _STUFF and len(shared) < _LEAST_OF_STUFF and one.is_part and other.is_part:
        return False
    if len(shared) < 2 and (not same_head or (one.is_vague and other.is_vague)):
        return False
    return not _is_narrower(one, other, left | right, shared)


def _all_the_same(one: Statement, other: Statement) -> bool:
    """Whether two clauses have the same words, and enough of them to be about one thing."""
    if not all(each.sentence.text.rstrip().endswith((".", "!")) for each in (one, other)):
        return False  # lines of a list, such as "Comments (5 posted)"
    return one.wide == other.wide and len(one.wide) >= _LEAST_OF_LOOSE


def _is_narrower(
    one: Statement, other: Statement, apart: frozenset[str], shared: frozenset[str]
) -> bool:
    """Whether one of two statements is of a part: "the shorter trail" beside "the trail"."""
    for stem in shared:
        before = {first for first, second in one.modified if second == stem}
        after = {first for first, second in other.modified if second == stem}
        if before != after and (before | after) - {""} - shared:
            return True
    # "The café of the shop" is not the shop.
    for part, whole in one.parts ^ other.parts:
        if {part, whole} & shared and {part, whole} & apart - shared:
            return True
    return False
