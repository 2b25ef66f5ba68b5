"""The values of a source, to find those that a claim may be compared with."""

from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence

from app.core.facts.fact import (
    Fact,
    Hedge,
    calculated,
    is_calculated,
    is_share_in_words,
    nearest_numbers,
)


class ValueIndex:
    """The values of a source by number and by day.

    Args:
        values: those of each sentence that has any, by the index of the sentence.
    """

    def __init__(self, values: Mapping[int, Sequence[Fact]]) -> None:
        # With the index of its sentence each.
        numbers: list[tuple[float, int]] = []
        days: list[tuple[float, int]] = []  # the first of each date
        results: list[tuple[float, int]] = []
        self._dates: dict[object, list[int]] = defaultdict(list)
        self._ranges: set[int] = set()
        for index, facts in values.items():
            for fact in facts:
                if fact.low or fact.when is None:  # a date has its year
                    # A number without a unit is compared with what others leave out of theirs.
                    ends = {fact.low, fact.high, fact.low / fact.factor, fact.high / fact.factor}
                    numbers += [(end, index) for end in ends]
                if fact.low != fact.high:
                    self._ranges.add(index)
                if fact.when is not None:
                    days += [(begin, index) for begin, _ in fact.when.ranges]
                    for key in {*_date_keys(fact), *_weekdays(fact)}:
                        self._dates[key].append(index)
            results += [(number, index) for number in calculated(facts)]
        self._numbers, self._days, self._results = map(_Places, (numbers, days, results))

    def sentences(self, claim: Fact, *, by: bool) -> set[int]:
        """Return the indices of all sentences with a value that `same_value` or `made_from` may
        find to be that of a claim, and of few others.

        Args:
            by: whether the claim is the size of a change.
        """
        found = set(self._numbers.within(*nearest_numbers(claim)))
        if claim.hedge is Hedge.ABOUT or is_share_in_words(claim):
            found |= self._ranges
        if claim.when is not None:
            for low, high in claim.when.ranges:
                found.update(self._days.within(low, high))
            for key in _date_keys(claim):
                found.update(self._dates.get(key, ()))
        if claim.low == claim.high and is_calculated(claim, by=by):
            found.update(self._results.within(*nearest_numbers(claim)))
        return found


class _Places:
    """Numbers in order, and beside each the index of its sentence."""

    def __init__(self, found: Iterable[tuple[float, int]]) -> None:
        places = sorted(found)
        self._numbers = [number for number, _ in places]
        self._sentences = [sentence for _, sentence in places]

    def within(self, low: float, high: float) -> Sequence[int]:
        begin = bisect_left(self._numbers, low)
        return self._sentences[begin : bisect_right(self._numbers, high, begin)]


def _date_keys(fact: Fact) -> Iterator[object]:
    """Yield what two dates have in common that may be one, unless the days of one are among those
    of the other."""
    if fact.when is None:
        return
    yield fact.text.casefold()
    if fact.when.month or fact.when.day:
        yield fact.when.month, fact.when.day
    if fact.when.weekday is not None:
        yield fact.when.weekday


def _weekdays(fact: Fact) -> Iterator[int]:
    """Yield the weekdays of a date that may be a single day."""
    for begin, end in fact.when.ranges if fact.when else ():
        if begin == end:
            yield (end - 1) % 7
