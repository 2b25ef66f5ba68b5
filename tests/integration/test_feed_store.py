"""The feed on a real database, through the services, against the oracle of its specification."""

import os
import random
from collections import Counter
from typing import Any

from sqlalchemy import event

from app.core.errors import Conflict
from app.services import feed as service
from app.store import database
from tests.support.feed_oracle import CONFLICT, OK, ROWS, Item, Operation, Outcome, step
from tests.support.feed_oracle import Feed as OracleFeed
from tests.support.integration import Feed

# Enough for every row of the table to fire several times; each takes twice as long on PostgreSQL.
STEPS = {"sqlite": 2_000, "postgresql": 1_000}
if os.environ.get("FEED_PROOF") == "full":
    STEPS = dict.fromkeys(STEPS, 20_000)


def carry_out(feed: Feed, operation: Operation) -> Outcome:
    """Do an operation for real; what the caller is told, in the oracle's words."""
    verb, argument = operation
    if verb == "generate":
        feed.add_items(str(argument))
        return ()
    if isinstance(argument, int):
        change = service.confirm if verb == "confirm" else service.reject
        try:
            status = change(feed.context, feed.token, feed.items[argument])
        except Conflict:
            return CONFLICT
        assert status == ("used" if verb == "confirm" else "rejected")
        return OK
    if verb == "items":
        sent = service.pull_items(feed.context, feed.token, rule=argument)
    else:
        item = service.pull_latest(feed.context, feed.token, next_item=verb == "next")
        sent = [] if item is None else [item]
    return tuple((feed.items.index(item.id), item.delivery_count) for item in sent)


def seen(feed: Feed) -> OracleFeed:
    """The rows of the database as the oracle writes a feed."""
    rows = feed.rows()
    assert [item_id for item_id, *_ in rows] == feed.items
    return tuple(
        Item(rule, status, sends if status in {"pending", "reserved"} else 0)
        for _, rule, status, sends in rows
    )


def draw(rng: random.Random, items: int) -> Operation:
    verb = rng.choices(
        ["latest", "next", "items", "confirm", "reject", "generate"], [30, 8, 12, 20, 15, 15]
    )[0]
    if verb == "generate":
        return Operation(verb, rng.choice(["Coffee", "Tea"]))
    if verb == "items":
        return Operation(verb, rng.choice([None, "Coffee", "Tea"]))
    if verb in {"confirm", "reject"}:
        if not items:
            return Operation("latest")
        # Mostly the youngest, which are open; now and then any.
        youngest = max(0, items - 8) if rng.random() < 0.8 else 0
        return Operation(verb, rng.randrange(youngest, items))
    return Operation(verb)


def test_steps_drawn_at_random_leave_no_difference_to_the_table(feed: Feed, backend: str) -> None:
    """The states and transitions of a feed item, on the real database."""

    @event.listens_for(database.engine(), "connect")
    def do_not_wait_for_the_disk(connection: Any, record: object) -> None:
        if backend == "sqlite":
            connection.execute("PRAGMA synchronous = OFF")

    database.dispose()
    rng = random.Random(20260131)
    expected: OracleFeed = ()
    fired: Counter[str] = Counter()
    for number in range(STEPS[backend]):
        operation = draw(rng, len(feed.items))
        expected, outcome = step(expected, operation, fired)
        assert carry_out(feed, operation) == outcome, (number, operation)
        if number % 100 == 99:
            assert seen(feed) == expected, number
    assert seen(feed) == expected
    assert [row.quote for row in ROWS if fired[row.quote] < 5] == []
