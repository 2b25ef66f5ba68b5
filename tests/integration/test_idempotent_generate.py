"""Idempotency of /v1/generate on the real databases: of all calls with one key, one works."""

from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from threading import Event, get_ident
from typing import Any

import pytest
from sqlalchemy import event
from sqlalchemy.exc import DatabaseError, OperationalError

from app.core.errors import (
    IdempotencyInProgress,
    ModelUnavailable,
    RateLimited,
    RecordedError,
    ValidationFailed,
)
from app.rules.passages import post_words
from app.services import idempotency, leases, post_writer
from app.store import database
from app.writing.pipeline import Written
from tests.support.scripted_worker import LAPSED, WRITTEN
from tests.support.service_harness import ServiceHarness, fails_with
from tests.support.startup import wait_until

WORDS = post_words(WRITTEN.post)
Ask = Callable[[], "Future[tuple[dict[str, Any], bool]]"]


@pytest.fixture
def ask(harness: ServiceHarness) -> Iterator[Ask]:
    """Asks for a post with the key "k" in a thread of its own."""

    def call() -> tuple[dict[str, Any], bool]:
        return harness.generate(harness.key("k", "generate"))

    with ThreadPoolExecutor(20) as threads:
        yield lambda: threads.submit(call)


@pytest.mark.parametrize(
    ("error", "code", "told"),
    [
        (ModelUnavailable("It is away."), "SERVICE_UNAVAILABLE", "It is away"),
        (DatabaseError("BEGIN", None, Exception("a constraint")), "INTERNAL_ERROR", "our side"),
        (OperationalError("BEGIN", None, Exception("the connection was cut")),
         "SERVICE_UNAVAILABLE", "The database did not answer"),
    ],
    ids=["model", "bug", "database"],
)  # fmt: skip
def test_whoever_waits_for_a_call_that_fails_gets_its_error(
    harness: ServiceHarness,
    ask: Ask,
    monkeypatch: pytest.MonkeyPatch,
    error: Exception,
    code: str,
    told: str,
) -> None:
    """Otherwise a model that is away would be asked once for each of them."""
    began, may_fail = Event(), Event()
    calls: list[None] = []

    def slowly_fails() -> Written:
        calls.append(None)
        began.set()
        assert may_fail.wait(30)
        raise error

    harness.write = slowly_fails
    first = ask()
    assert began.wait(30)
    looked: set[int] = set()
    look = idempotency._look

    def noted(key: Any) -> Any:
        row = look(key)
        looked.add(get_ident())
        return row

    monkeypatch.setattr(idempotency, "_look", noted)
    waiting = [ask() for _ in range(5)]
    wait_until(lambda: len(looked) == 5)
    may_fail.set()
    with pytest.raises(type(error)):
        first.result(30)
    for future in waiting:
        with pytest.raises(RecordedError, match=told) as recorded:
            future.result(30)
        assert recorded.value.code == code
    assert len(calls) == 1


def test_a_call_that_was_refused_leaves_no_key(harness: ServiceHarness) -> None:
    key = harness.key("k", "generate")
    with pytest.raises(ValidationFailed):
        harness.generate(key, constraints={"maxWords": 1_501})
    assert harness.generate(harness.key("k", "generate", body="other"))[1] is False
    for _ in range(16):
        harness.create()
    with pytest.raises(RateLimited):
        harness.generate(harness.key("k2", "generate"), constraints={"maxWords": 1_500})
    assert harness.generate(harness.key("k2", "generate"), constraints={"maxWords": 50})[1] is False


def test_a_call_that_died_frees_its_key_by_its_lease(harness: ServiceHarness) -> None:
    key = harness.key("k", "generate")
    held = idempotency.begin(harness.context, key)
    assert isinstance(held, idempotency.KeyLease)
    with pytest.raises(IdempotencyInProgress) as refused:
        idempotency.begin(harness.context, key)
    assert refused.value.retry_after >= 1
    harness.clock.move(LAPSED)
    with pytest.raises(ValidationFailed):
        idempotency.begin(harness.context, harness.key("k", "generate", body="other"))
    assert harness.generate(key)[1] is False
    with database.writing() as session:
        assert not held.finish(session, result="late")


@pytest.mark.parametrize("carried_out", [False, True], ids=["lost", "carried out"])
def test_a_post_is_stored_once_although_the_database_went_away_at_its_end(
    harness: ServiceHarness, monkeypatch: pytest.MonkeyPatch, carried_out: bool
) -> None:
    monkeypatch.setattr(leases, "_PAUSE_SECONDS", 0.0)
    away = OperationalError("COMMIT", None, ConnectionError("the server closed the connection"))
    failures = [away] if carried_out else [away, away]
    writing = database.writing

    @contextmanager
    def fragile() -> Iterator[Any]:
        with writing() as session:
            yield session
            if failures and not carried_out:
                raise failures.pop()
        if failures:
            raise failures.pop()

    def written() -> Written:
        monkeypatch.setattr(post_writer, "writing", fragile)
        return WRITTEN

    harness.write = written
    body, _ = harness.generate(harness.key("k", "generate"))
    assert not failures
    harness.write = fails_with(AssertionError("it was generated again"))
    assert harness.generate(harness.key("k", "generate")) == (body, True)
    assert (harness.consumed().words, harness.consumed().posts) == (WORDS, 1)
    assert harness.consumed().reserved_words == 0


def test_a_heartbeat_locks_in_the_order_in_which_the_post_is_stored(
    harness: ServiceHarness, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Otherwise a heartbeat and the end of a call deadlock: it was 3 times in 3 minutes of load."""
    current: list[str] = []
    transactions: list[tuple[str, ...]] = []
    often = Event()

    def note(_connection: Any, _cursor: Any, statement: str, *_: Any) -> None:
        if statement.startswith("UPDATE") and "SET lease_until" in statement:
            current.append(statement.split()[1])

    def committed(_: Any) -> None:
        transactions.append(tuple(current))
        current.clear()
        if len(transactions) >= 3:
            often.set()

    def write() -> Written:
        event.listen(database.engine(), "before_cursor_execute", note)
        event.listen(database.engine(), "commit", committed)
        assert often.wait(30)
        return WRITTEN

    monkeypatch.setattr(leases, "_HEARTBEAT_SECONDS", 0.01)
    harness.write = write
    harness.generate(harness.key("k", "generate"))
    # The first heartbeat may have begun before it was listened to.
    assert set(transactions[1:3]) == {("idempotency_keys", "reservations")}
