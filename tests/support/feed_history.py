"""Whether what concurrent callers of one feed saw can have happened one call after the other.

Each call has the moment at which it began and the one at which it ended. The calls are put into an
order that respects these moments, such that the oracle of the specification, taking them one by
one, gives every caller the very answer that it got and leaves the feed as the database holds it.
Where there is no such order, the feed did something that its table does not allow. A call that was
cut off by a kill may have happened wholly or not at all.

The histories of several feeds are searched one by one, as feeds share nothing. What keeps the
search of thousands of calls short is time: next can only come a call that began before any of the
rest had ended, which is at most one of each caller; of these the one that ended first is tried
first, which is mostly right, as calls on a feed happen one after the other. A place that was
reached before, with the same calls done and the same feed, is not searched again.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import inf
from typing import Any

from tests.support.feed_oracle import Feed, Item, Operation, Outcome, step
from tests.support.integration import Feed as StoredFeed

# A search that goes on for longer is not getting anywhere.
_STEPS_PER_CALL = 1000


@dataclass(frozen=True)
class Call:
    """``began`` and ``ended`` in nanoseconds of one clock; ``outcome`` None: it was cut off."""

    operation: Operation
    began: float
    ended: float
    outcome: Outcome | None


def as_oracle(feed: StoredFeed) -> Feed:
    return tuple(
        Item(rule, status, sends if status in {"pending", "reserved"} else 0)
        for _, rule, status, sends in feed.rows()
    )


def deliveries(callers: list[list[Call]]) -> dict[int, list[int]]:
    """The deliveryCounts under which each item was handed out."""
    counts: dict[int, list[int]] = {}
    for calls in callers:
        for call in calls:
            for item, sends in call.outcome if isinstance(call.outcome, tuple) else ():
                counts.setdefault(item, []).append(sends)
    return counts


def answered(callers: list[list[Call]], verb: str) -> set[int]:
    """The items for which somebody was answered 200."""
    return {
        int(call.operation.argument or 0)
        for calls in callers
        for call in calls
        if call.operation.verb == verb and call.outcome == 200
    }


def read(lines: Sequence[list[Any]], items: Sequence[str]) -> list[Call]:
    """The calls of one process, from its lines before and after each of them."""
    calls = []
    for number in range(0, len(lines), 2):
        verb, argument, began = lines[number]
        known = argument in items
        operation = Operation(verb, items.index(argument) if known else argument)
        if number + 1 == len(lines):
            calls.append(Call(operation, began, inf, None))
            break
        ended, result = lines[number + 1]
        if isinstance(result, list):
            result = tuple((items.index(item_id), sends) for item_id, sends in result)
        calls.append(Call(operation, began, ended, result))
    return calls


def explains(callers: Sequence[Sequence[Call]], before: Feed, after: Feed) -> bool:
    """Whether some order of the calls leads from one feed to the other with all their answers."""
    start = (0,) * len(callers)
    most = 100 + _STEPS_PER_CALL * sum(map(len, callers))
    seen: set[tuple[tuple[int, ...], Feed]] = set()
    branches: list[Iterator[tuple[tuple[int, ...], Feed]]] = [iter([(start, before)])]
    while branches:
        node = next(branches[-1], None)
        if node is None:
            branches.pop()
        elif node not in seen:
            seen.add(node)
            assert len(seen) <= most, f"no order was found within {most} steps"
            done, feed = node
            if feed == after and all(
                position == len(calls) or calls[position].outcome is None
                for calls, position in zip(callers, done, strict=True)
            ):
                return True
            branches.append(_possible(callers, done, feed))
    return False


def _possible(
    callers: Sequence[Sequence[Call]], done: tuple[int, ...], feed: Feed
) -> Iterator[tuple[tuple[int, ...], Feed]]:
    """What may have happened next: a call that began before any other of the rest ended."""
    heads = [
        (calls[position], number)
        for number, (calls, position) in enumerate(zip(callers, done, strict=True))
        if position < len(calls)
    ]
    first_end = min((call.ended for call, _ in heads), default=inf)
    for call, number in sorted(heads, key=lambda head: head[0].ended):
        if call.began > first_end:
            continue
        after, outcome = step(feed, call.operation, Counter())
        if call.outcome is None or outcome == call.outcome:
            yield (*done[:number], done[number] + 1, *done[number + 1 :]), after
