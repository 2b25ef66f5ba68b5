"""Jobs, and calls with a key, on the real databases: their states, their crashes, and what they
cost; of all calls with one key, one works."""

import json
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import replace
from datetime import timedelta
from threading import Event, get_ident
from typing import Any

import pytest
from sqlalchemy import event, select
from sqlalchemy.exc import DatabaseError, OperationalError

from app.core.errors import (
    IdempotencyInProgress,
    ModelUnavailable,
    RateLimited,
    RecordedError,
    ValidationFailed,
)
from app.extensions import Base
from app.ports import Work, WorkKind
from app.rules.passages import post_words
from app.services import idempotency, jobs, lease_keeping, leased_work, post_writer
from app.store import database, models
from app.writing.pipeline import Written
from tests.support.integration import CountingQueue
from tests.support.scripted_worker import LAPSED, WRITTEN
from tests.support.service_harness import ServiceHarness, fails_with
from tests.support.startup import wait_until

WEBHOOK = {"url": "https://example.com/hook", "events": ["job.succeeded", "job.failed"]}


@pytest.mark.parametrize(
    ("asked", "pause"),
    [(600, timedelta(minutes=10)), (1, timedelta(seconds=5)), (86_400, timedelta(hours=1))],
)
def test_a_job_waits_as_long_as_the_model_endpoint_asks_for(
    harness: ServiceHarness, caplog: pytest.LogCaptureFixture, asked: int, pause: timedelta
) -> None:
    """The pause is at least the usual one, and at most an hour."""
    created = harness.create()
    harness.write = fails_with(
        ModelUnavailable(operator="http://10.1.1.1 is full.", retry_after=asked)
    )
    assert harness.work()
    harness.clock.move(pause - timedelta(seconds=1))
    assert not harness.work()
    harness.clock.move(timedelta(seconds=1))
    assert harness.work()
    harness.clock.move(pause)
    harness.clock.move(timedelta(seconds=30))
    assert harness.work()
    assert "http://10.1.1.1 is full." in caplog.text
    assert {record.levelname for record in caplog.records} <= {"INFO", "WARNING"}
    assert harness.job(created)["error"] == ModelUnavailable().body()


def test_the_clients_own_reference_is_kept_with_the_job_and_logged(
    harness: ServiceHarness, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("INFO")
    request = {"keywords": ["tea"], "clientProvidedRequestId": "spring-17"}
    job_id = harness.create(generateRequest=request)["jobId"]
    (row,) = harness.rows(models.Job)
    assert row.request["clientProvidedRequestId"] == "spring-17"
    called = harness.generate(clientProvidedRequestId="spring-18")[0]["requestId"]
    said = [record.getMessage() for record in caplog.records if "reference" in record.getMessage()]
    assert said == [
        f"job {job_id} of request req_1 has the client's reference “spring-17”",
        f"request {called} has the client's reference “spring-18”",
    ]
    assert "spring" not in json.dumps(harness.job({"jobId": job_id}))


def test_the_sweep_finds_what_the_queue_lost(harness: ServiceHarness) -> None:
    class ForgetfulQueue(CountingQueue):
        def __init__(self) -> None:
            super().__init__()
            self.work: list[Work] = []

        def enqueue(self, *work: Work) -> None:
            self.work += work

        def missing(self, *work: Work) -> list[Work]:
            return list(work)

    queue = ForgetfulQueue()
    created = harness.create(webhook=WEBHOOK)
    assert leased_work.requeue_lost(replace(harness.context, queue=queue)) == 1
    assert queue.work.pop() == Work(WorkKind.JOB, created["jobId"], 1)
    assert jobs.claim(harness.context) is not None
    assert leased_work.requeue_lost(replace(harness.context, queue=queue)) == 0
    harness.clock.move(LAPSED)
    assert leased_work.requeue_lost(replace(harness.context, queue=queue)) == 1
    assert queue.work.pop() == Work(WorkKind.JOB, created["jobId"], 2)
    assert harness.work(created["jobId"])
    assert leased_work.requeue_lost(replace(harness.context, queue=queue)) == 1
    assert queue.work.pop().kind is WorkKind.DELIVERY


def test_a_webhooks_secret_is_stored_once(harness: ServiceHarness) -> None:
    created = harness.create(harness.key("k"), webhook=WEBHOOK)
    assert harness.work()
    with database.reading() as session:
        rows = [
            str(row)
            for table in Base.metadata.sorted_tables
            for row in session.execute(select(table))
        ]
    assert len([row for row in rows if created["webhookSigningSecret"] in row]) == 1


# --- calls with a key


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
    monkeypatch.setattr(lease_keeping, "_PAUSE_SECONDS", 0.0)
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

    monkeypatch.setattr(lease_keeping, "_BEAT_SECONDS", 0.01)
    harness.write = write
    harness.generate(harness.key("k", "generate"))
    # The first heartbeat may have begun before it was listened to.
    assert set(transactions[1:3]) == {("idempotency_keys", "reservations")}
