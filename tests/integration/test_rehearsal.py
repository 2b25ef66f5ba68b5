"""The rehearsal of a job, on the real databases: it runs what a worker runs, and leaves nothing."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from sqlalchemy import event, func, select

from app.services.rehearsal import rehearse
from app.store import database
from app.store.database import Base
from tests.integration.office import Office, opened
from tests.integration.test_jobs import WEBHOOK

TRANSACTION = ("BEGIN", "SET ", "SHOW ")


@pytest.fixture
def office(migrated_url: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[Office]:
    with opened(migrated_url, monkeypatch) as made:
        yield made


@contextmanager
def statements() -> Iterator[set[str]]:
    """What is sent within the block."""
    sent: set[str] = set()

    def note(connection: object, cursor: object, statement: str, *_: Any) -> None:
        if not statement.startswith(TRANSACTION):
            sent.add(statement)

    event.listen(database.db.engine, "before_cursor_execute", note)
    try:
        yield sent
    finally:
        event.remove(database.db.engine, "before_cursor_execute", note)


def rows() -> dict[str, int]:
    with database.reading() as session:
        return {
            table.name: session.scalar(select(func.count()).select_from(table)) or 0
            for table in Base.metadata.sorted_tables
        }


def test_a_rehearsal_leaves_nothing(office: Office) -> None:
    office.create(webhook=WEBHOOK)
    before = rows()
    rehearse(office.clock)
    rehearse(office.clock)
    assert rows() == before


def test_a_job_sends_no_statement_that_was_not_rehearsed(office: Office) -> None:
    job_id = office.create(webhook=WEBHOOK)["jobId"]
    with statements() as rehearsed:
        rehearse(office.clock)
    with statements() as sent:
        assert office.work(job_id)
    assert len(sent) >= 8
    assert sent <= rehearsed
