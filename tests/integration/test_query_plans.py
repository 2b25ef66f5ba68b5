"""Every statement that runs often finds its rows by an index, whatever the archive holds.

The statements are those that the services really send: each is noted as it is sent, and the
database is asked how it would carry it out.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import Any

import pytest
from sqlalchemy import event, insert

from app.core.feed_item import Status
from app.services import feed as service
from app.services import rules, runs
from app.store import database
from app.store import feed as store
from app.store.tables import ItemRow, RuleRow, RunRow, TokenRow
from tests.integration.conftest import BEGIN, NEVER, Feed

TOKENS, RULES, ITEMS = 40, 400, 6_000
# The claim of a run names its table twice.
BIG_TABLES = {"feed_items", "rules", "rule_runs", "rule_runs_1", "tokens"}


@pytest.fixture
def archive(feed: Feed) -> Feed:
    """A feed among many others: 6,000 items, most of them finished, of 400 rules of 40 tokens."""
    tokens = [feed.token_id, *(f"tkn_{number:03}" for number in range(1, TOKENS))]
    rule_ids = [f"rul_{number:04}" for number in range(RULES)]
    states = [Status.USED, Status.REJECTED, Status.ABANDONED, Status.USED, Status.PENDING]
    with database.writing() as session:
        session.execute(
            insert(TokenRow),
            [
                {"id": token, "account_id": feed.account_id, "name": token, "hash": token,
                 "hint": "", "paused": False, "created_at": BEGIN}
                for token in tokens[1:]
            ],
        )  # fmt: skip
        session.execute(
            insert(RuleRow),
            [
                {"id": rule, "token_id": tokens[number % TOKENS], "name": rule, "name_key": rule,
                 "request": {"keywords": ["tea"]}, "offers": [], "every_seconds": 3600,
                 "paused": number % 5 == 0, "next_due_at": NEVER if number % 9 else BEGIN,
                 "created_at": BEGIN}
                for number, rule in enumerate(rule_ids)
            ],
        )  # fmt: skip
        session.execute(
            insert(RunRow),
            [
                {"id": f"run_{number:05}", "rule_id": rule_ids[number % RULES],
                 "slot": BEGIN - timedelta(minutes=number), "not_before": BEGIN, "attempts": 1,
                 "status": "succeeded" if number % 50 else "queued"}
                for number in range(ITEMS)
            ],
        )  # fmt: skip
        session.execute(
            insert(ItemRow),
            [
                {"id": f"itm_{number:05}", "rule_id": rule_ids[number % RULES],
                 "token_id": tokens[number % RULES % TOKENS], "delivery_count": 1,
                 "status": states[number // RULES % len(states)].value, "title": "Tea", "post": {},
                 "markdown": "", "html": "", "generated_at": BEGIN - timedelta(minutes=number),
                 "updated_at": BEGIN}
                for number in range(ITEMS)
            ],
        )  # fmt: skip
    return feed


@contextmanager
def noted() -> Iterator[list[tuple[str, Any]]]:
    """The statements, with their parameters, that are sent within the block."""
    statements: list[tuple[str, Any]] = []

    def note(
        connection: object, cursor: object, statement: str, parameters: Any, *_: object
    ) -> None:
        if statement.startswith(("SELECT", "UPDATE")):
            statements.append((statement, parameters))

    event.listen(database.db.engine, "before_cursor_execute", note)
    try:
        yield statements
    finally:
        event.remove(database.db.engine, "before_cursor_execute", note)


def plan(statement: str, parameters: Any) -> list[str]:
    with database.reading() as session:
        rows = session.connection().exec_driver_sql(f"EXPLAIN QUERY PLAN {statement}", parameters)
        return [str(row.detail) for row in rows]


def latest(feed: Feed) -> None:
    service.pull_latest(feed.token, feed.clock, feed.queue, next_item=False)
    service.pull_latest(feed.token, feed.clock, feed.queue, next_item=True)


def items(feed: Feed) -> None:
    service.pull_items(feed.token, feed.clock, feed.queue, rule=None)


def items_of_a_rule(feed: Feed) -> None:
    service.pull_items(feed.token, feed.clock, feed.queue, rule="RUL_0040")


def confirm_and_reject(feed: Feed) -> None:
    one, other = service.pull_items(feed.token, feed.clock, feed.queue, rule=None)[:2]
    for _ in range(2):
        service.confirm(feed.token, one.id, feed.clock)
        service.reject(feed.token, other.id, feed.clock)


def tick(feed: Feed) -> None:
    assert rules.tick(feed.clock, feed.queue) > 0


def claim(feed: Feed) -> None:
    """Also what it needs of the rule: how many items are pending, and the earlier titles."""
    assert runs.claim(feed.clock) is not None


def earlier_titles(feed: Feed) -> None:
    with database.reading() as session:
        assert len(store.earlier_titles(session, "rul_0040")) == ITEMS // RULES


def count_pending(feed: Feed) -> None:
    with database.reading() as session:
        assert store.count_pending(session, feed.token_id, "rul_0040", up_to=100) == 3


USES: list[Callable[[Feed], None]] = [
    count_pending, earlier_titles, latest, items_of_a_rule, items, confirm_and_reject, tick, claim,
]  # fmt: skip


def test_no_statement_reads_a_whole_table(archive: Feed) -> None:
    for use in USES:
        with noted() as statements:
            use(archive)
        assert statements
        for statement, parameters in statements:
            steps = plan(statement, parameters)
            scanned = {step.split()[1] for step in steps if step.startswith("SCAN")}
            assert scanned & BIG_TABLES == set(), (use, statement, steps)
            # What a pull reads comes out of the index in its order.
            if "ORDER BY feed_items.generated_at, feed_items.id" in statement:
                assert not [step for step in steps if "TEMP" in step], (use, statement, steps)
    # The check itself: a statement for which there is no index is noticed.
    assert plan("SELECT id FROM feed_items WHERE title = ?", ("Tea",)) == ["SCAN feed_items"]
