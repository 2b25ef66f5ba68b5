"""What a statement costs the database, noted as the services send it.

On PostgreSQL each statement is carried out once more before it is sent, explained and rolled back:
the rows that its plan reads and the pages that it touches count. On SQLite the plan says whether it
would go through a table, and the steps of its virtual machine count, as it tells no rows.
"""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import Connection, event

from app.store import database
from tests.support.databases import every_statement_by_sqlalchemy

_STATEMENTS = ("SELECT", "UPDATE", "DELETE", "INSERT", "WITH")
_STEPS_COUNTED = 100


@dataclass
class Cost:
    """A statement: the tables that it goes through as a whole, the rows that it
    reads for nothing or for its answer, the pages (PostgreSQL) and steps (SQLite)."""

    statement: str
    scanned: set[str] = field(default_factory=set)
    rows: int = 0
    pages: int = 0
    steps: int = 0


@contextmanager
def noted() -> Iterator[list[Cost]]:
    """What each statement costs that is sent within the block, by this thread."""
    costs: list[Cost] = []
    counted: set[int] = set()

    def step() -> int:
        if costs:
            costs[-1].steps += _STEPS_COUNTED
        return 0

    def note(
        connection: Connection, cursor: object, statement: str, parameters: Any, *_: object
    ) -> None:
        if not statement.startswith(_STATEMENTS):
            return
        raw: Any = connection.connection.dbapi_connection
        if isinstance(parameters, list):
            # One of many rows, or none at all.
            parameters = parameters[0] if parameters else ()
        if connection.dialect.name == "sqlite":
            raw.set_progress_handler(None, 0)
            costs.append(_on_sqlite(raw, statement, parameters))
            raw.set_progress_handler(step, _STEPS_COUNTED)
            counted.add(id(raw))
        else:
            costs.append(_on_postgresql(raw, statement, parameters))

    event.listen(database.engine(), "before_cursor_execute", note)
    try:
        with every_statement_by_sqlalchemy():
            yield costs
    finally:
        event.remove(database.engine(), "before_cursor_execute", note)
        if counted:
            # The connections of this pool end with their handlers.
            database.dispose()


def _on_sqlite(raw: Any, statement: str, parameters: Any) -> Cost:
    cost = Cost(statement)
    for *_, detail in raw.execute(f"EXPLAIN QUERY PLAN {statement}", parameters):
        step, *names = str(detail).split()
        if step == "SCAN":
            cost.scanned.add(re.sub(r"_\d+$", "", names[0]))
    return cost


def _on_postgresql(raw: Any, statement: str, parameters: Any) -> Cost:
    cost = Cost(statement)
    with raw.cursor() as cursor:
        # A statement alone has no transaction, and only reads.
        alone = raw.autocommit
        if not alone:
            cursor.execute("SAVEPOINT explained")
        options = "ANALYZE, BUFFERS, TIMING OFF, FORMAT JSON"
        real = f"EXPLAIN ({options}) {statement}"
        plan = cursor.execute(real, parameters, prepare=False).fetchone()[0][0]
        # What a server chooses for a statement that it was sent often: a plan for any parameters.
        generic = f"EXPLAIN (GENERIC_PLAN, FORMAT JSON) {_numbered(statement)}"
        any_plan = cursor.execute(generic, prepare=False).fetchone()[0][0]
        if not alone:
            cursor.execute("ROLLBACK TO SAVEPOINT explained")
            cursor.execute("RELEASE SAVEPOINT explained")
    blocks = ("Shared Hit Blocks", "Shared Read Blocks")
    cost.pages = sum(plan["Plan"][name] for name in blocks)
    for node in (*_nodes(plan["Plan"]), *_nodes(any_plan["Plan"])):
        if node["Node Type"] == "Seq Scan":
            cost.scanned.add(node["Relation Name"])
        if "Relation Name" in node and "Scan" in node["Node Type"]:
            names = ("Actual Rows", "Rows Removed by Filter", "Rows Removed by Index Recheck")
            read = sum(node.get(name, 0) for name in names) * node.get("Actual Loops", 1)
            cost.rows = max(cost.rows, round(read))
    return cost


def _numbered(statement: str) -> str:
    """The driver's named parameters as the server knows them, by number."""
    names: list[str] = []

    def number(match: re.Match[str]) -> str:
        if match[1] not in names:
            names.append(match[1])
        return f"${names.index(match[1]) + 1}"

    return re.sub(r"%\((\w+)\)s", number, statement).replace("%%", "%")


def _nodes(node: dict[str, Any]) -> Iterator[dict[str, Any]]:
    yield node
    for child in node.get("Plans", ()):
        yield from _nodes(child)
