"""Eight processes on one feed, and on fifty, with kills in the middle: what each feed's callers saw
is put into one order that the table of a feed item allows.

FEED_PROOF=full makes 500 calls of each process; otherwise it is a tenth.
"""

import os
import random
from collections.abc import Iterator, Sequence
from functools import partial
from math import inf
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import insert, text

from app.store import database, models
from tests.support import concurrent_processes as processes
from tests.support.concurrent_processes import call, connected, record
from tests.support.feed_history import Call, answered, as_oracle, deliveries, explains, read
from tests.support.feed_oracle import Item, Operation
from tests.support.integration import BEGIN, Feed, another_feed
from tests.support.startup import wait_until

Named = tuple[str, list[str]]


def calls_feeds_at_random(
    number: int, url: str, feeds: list[Named], count: int, victims_from: int
) -> Iterator[Any]:
    """Make a number of calls, each on one of the feeds: pulls, and confirms or rejects mostly of
    what the feed sent last. Processes from ``victims_from`` on call for as long as they live.

    Args:
        feeds: the tokens, each with the ids of its items.
    """
    rng = random.Random(number)
    last = {token: rng.choice(items) for token, items in feeds}
    done = 0
    with connected(url):
        while done < count or number >= victims_from:
            done += 1
            index = rng.randrange(len(feeds))
            token, items = feeds[index]
            verb = rng.choices(
                ["latest", "next", "items", "confirm", "reject"], [50, 10, 5, 20, 15]
            )[0]
            argument = None if rng.random() < 0.05 else "Tea"
            if verb in {"latest", "next"}:
                argument = None
            elif verb in {"confirm", "reject"}:
                argument = last[token] if rng.random() < 0.7 else rng.choice(items)
            result: list[Any] = []

            def operation(
                token: str = token, verb: str = verb, argument: str | None = argument
            ) -> Any:
                return call(token, verb, argument)

            for line in record(verb, argument, operation, result):
                yield [index, line]
            if isinstance(result[0], list) and result[0]:
                last[token] = result[0][0][0]


FULL = os.environ.get("FEED_PROOF") == "full"
CALLERS, VICTIMS = 8, 4
CALLS = 500 if FULL else 25
DEADLINE_SECONDS = 900.0 if FULL else 120.0


def fill(feed: Feed, name: str, count: int) -> None:
    """Pending items whose ids no other feed has; one in ten is of the rule Tea."""
    rows = [
        {
            "id": f"itm_{name}_{number:05}", "token_id": feed.token_id,
            "rule_id": feed.rules["Coffee" if number % 10 else "Tea"], "status": "pending",
            "delivery_count": 0, "title": "Article", "post": {"title": "Article"},
            "markdown": "", "html": "", "generated_at": BEGIN, "updated_at": BEGIN,
        }
        for number in range(count)
    ]  # fmt: skip
    with database.writing() as session:
        session.execute(insert(models.FeedItem), rows)
    feed.items = [str(row["id"]) for row in rows]


def has_lines(file: Path, count: int) -> bool:
    return file.exists() and file.read_bytes().count(b"\n") >= count


def calls_of(lines: Sequence[Sequence[list[object]]], index: int, feed: Feed) -> list[list[Call]]:
    """What each process did to one of the feeds."""
    return [
        read([line for number, line in written if number == index], feed.items)  # type: ignore[misc]
        for written in lines
    ]


@pytest.mark.parametrize("tokens", [1, pytest.param(50, marks=pytest.mark.long)])
def test_every_history_replays_on_the_table(
    feed: Feed, tokens: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """“Every transition is atomic: concurrent or retried calls on one token cannot claim different
    unused items, nor double-confirm or double-reject.”"""
    monkeypatch.setattr(processes, "DEADLINE_SECONDS", DEADLINE_SECONDS)
    feeds = [feed, *(another_feed(feed.url) for _ in range(tokens - 1))]
    for number, each in enumerate(feeds):
        fill(each, f"{number:02}", max(20, 5 * CALLS * CALLERS // (8 * tokens)))
    before = [as_oracle(each) for each in feeds]
    named = [(each.token, each.items) for each in feeds]
    with processes.ConcurrentProcesses(
        tmp_path / "calls", CALLERS + VICTIMS, calls_feeds_at_random,
        feed.url, named, CALLS, CALLERS,
    ) as calling:  # fmt: skip
        for victim in range(CALLERS, CALLERS + VICTIMS):
            file = tmp_path / "calls" / f"{victim}.jsonl"
            # One after the other, as the rest go on.
            wanted = 2 * CALLS // 10 * (victim - CALLERS + 1)
            wait_until(partial(has_lines, file, wanted), DEADLINE_SECONDS)
            calling.kill(victim)
        lines = calling.join()
    assert all(len(written) == 2 * CALLS for written in lines[:CALLERS])
    assert all(len(written) >= 2 * CALLS // 10 for written in lines[CALLERS:])
    if database.engine().dialect.name == "sqlite":
        with database.reading() as session:
            assert session.scalar(text("PRAGMA integrity_check")) == "ok"
    total = 0
    for number, each in enumerate(feeds):
        callers = calls_of(lines, number, each)
        total += sum(map(len, callers))
        after = as_oracle(each)
        assert len(after) == len(before[number])
        for item, sends in deliveries(callers).items():
            # A call that was cut off may have sent what nobody was told.
            assert len(sends) == len(set(sends)), item
            assert set(sends) <= {1, 2, 3}, item
        confirmed, rejected = answered(callers, "confirm"), answered(callers, "reject")
        assert confirmed & rejected == set()
        assert {item for item in confirmed if after[item].state != "used"} == set()
        assert {item for item in rejected if after[item].state != "rejected"} == set()
        assert explains(callers, before[number], after)
    assert total >= CALLERS * CALLS
    if tokens == 1:
        cut_off = [written[-1] for written in lines if len(written) % 2]
        assert cut_off, "no call was cut off: the kills proved nothing"


def test_a_history_that_cannot_be_is_found_out() -> None:
    """The check itself: two callers that hold two items at once, and a confirm that was lost."""
    pending = (Item("Coffee", "pending", 0),) * 2
    both = (Item("Coffee", "reserved", 1),) * 2
    latest, confirm = Operation("latest"), Operation("confirm", 0)
    two_at_once = [[Call(latest, 0, 10, ((0, 1),))], [Call(latest, 5, 15, ((1, 1),))]]
    assert not explains(two_at_once, pending, both)
    one = (both[0], pending[1])
    confirmed = [[Call(latest, 0, 10, ((0, 1),)), Call(confirm, 20, 30, 200)]]
    assert not explains(confirmed, pending, one)
    assert explains(confirmed, pending, (Item("Coffee", "used", 0), pending[1]))
    # A call that was cut off may have happened or not, but not by half.
    cut_off = [[Call(latest, 0, 10, ((0, 1),)), Call(confirm, 20, inf, None)]]
    assert explains(cut_off, pending, one)
    assert explains(cut_off, pending, (Item("Coffee", "used", 0), pending[1]))
    assert not explains(cut_off, pending, (Item("Coffee", "rejected", 0), pending[1]))
    # What ended before another call began cannot have happened after it.
    in_order = [[Call(confirm, 20, 30, 409)], [Call(latest, 0, 10, ((0, 1),))]]
    assert not explains(in_order, pending, one)
    assert explains([[Call(confirm, 5, 30, 409)], in_order[1]], pending, one)
