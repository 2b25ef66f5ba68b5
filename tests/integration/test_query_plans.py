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
BIG_TABLES = {"feed_items", "rules", "rule_runs", "tokens"}


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
        if statement.startswith(("SELECT", "UPDATE", "DELETE")):
            statements.append((statement, parameters))

    event.listen(database.db.engine, "before_cursor_execute", note)
    try:
        yield statements
    finally:
        event.remove(database.db.engine, "before_cursor_execute", note)


def explained(statement: str, parameters: Any) -> tuple[set[str], bool]:
    """The tables that the database would read as a whole, and whether it would sort."""
    on_postgresql = database.db.engine.dialect.name == "postgresql"
    return (_on_postgresql if on_postgresql else _on_sqlite)(statement, parameters)


def _on_sqlite(statement: str, parameters: Any) -> tuple[set[str], bool]:
    with database.reading() as session:
        rows = session.connection().exec_driver_sql(f"EXPLAIN QUERY PLAN {statement}", parameters)
        steps = [str(row.detail) for row in rows]
    scanned = {step.split()[1].removesuffix("_1") for step in steps if step.startswith("SCAN")}
    return scanned, any("TEMP" in step for step in steps)


def _on_postgresql(statement: str, parameters: Any) -> tuple[set[str], bool]:
    """What it does where it has no index for it: it is told to avoid all else."""
    with database.reading() as session:
        connection = session.connection()
        for way in ("seqscan", "bitmapscan", "sort", "hashjoin", "mergejoin"):
            connection.exec_driver_sql(f"SET LOCAL enable_{way} = off")
        explain = f"EXPLAIN (FORMAT JSON) {statement}"
        nodes = list(_nodes(connection.exec_driver_sql(explain, parameters).scalar_one()[0]))
    scanned = {
        node["Relation Name"]
        for node in nodes
        if "Scan" in node["Node Type"] and "Relation Name" in node and "Index Cond" not in node
    }
    return scanned, any(node["Node Type"] == "Sort" for node in nodes)


def _nodes(plan: dict[str, Any]) -> Iterator[dict[str, Any]]:
    node = plan.get("Plan", plan)
    yield node
    for child in node.get("Plans", ()):
        yield from _nodes(child)


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
            scanned, sorts = explained(statement, parameters)
            assert scanned & BIG_TABLES == set(), (use, statement)
            # What a pull reads comes out of the index in its order.
            if "ORDER BY feed_items.generated_at, feed_items.id" in statement:
                assert not sorts, (use, statement)


def test_a_statement_without_an_index_is_noticed(archive: Feed) -> None:
    """The check itself."""
    assert explained("SELECT id FROM feed_items WHERE title = 'Tea'", ())[0] == {"feed_items"}
    in_order = "SELECT id FROM feed_items WHERE token_id = 'tkn_001' ORDER BY title"
    assert explained(in_order, ()) == (set(), True)
