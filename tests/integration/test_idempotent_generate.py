"""Idempotency of /v1/generate on the real databases: of all calls with one key, one works."""

from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from datetime import timedelta
from threading import Event, get_ident
from typing import Any

import pytest
from sqlalchemy.exc import OperationalError

from app.core.errors import (
    ContentQualityFailed,
    IdempotencyInProgress,
    ModelUnavailable,
    QuotaExceeded,
    RecordedError,
    ValidationFailed,
)
from app.core.quality.lengths import post_words
from app.services import generate as service
from app.services import idempotency, leases, retention
from app.services.pipeline import Written
from app.store import database
from app.store import idempotency as store
from app.store.tables import ReservationRow
from tests.integration.feed_processes import wait_until
from tests.integration.office import WRITTEN, Office, opened
from tests.integration.test_jobs import LAPSED, fails_with

WORDS = post_words(WRITTEN.post)
Ask = Callable[[], "Future[tuple[dict[str, Any], bool]]"]


@pytest.fixture
def office(migrated_url: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[Office]:
    with opened(migrated_url, monkeypatch) as made:
        yield made


@pytest.fixture
def ask(office: Office) -> Iterator[Ask]:
    """Asks for a post with the key "k" in a thread of its own."""
    from flask import current_app

    app = current_app._get_current_object()  # type: ignore[attr-defined]

    def call() -> tuple[dict[str, Any], bool]:
        with app.app_context():
            return office.generate(office.key("k", "generate"))

    with ThreadPoolExecutor(20) as threads:
        yield lambda: threads.submit(call)


def test_a_second_call_gets_the_first_ones_answer(office: Office) -> None:
    key = office.key("k", "generate")
    body, replayed = office.generate(key)
    assert not replayed
    office.write = fails_with(AssertionError("it was generated again"))
    assert office.generate(key) == (body, True)
    assert (office.consumed().words, office.consumed().posts) == (WORDS, 1)
    assert office.caller.used_today == 1


def test_a_key_belongs_to_an_account_and_an_endpoint(office: Office) -> None:
    office.generate(office.key("k", "generate"))
    assert office.create_or_replay(office.key("k", "jobs"))[1] is False
    other = Office()
    assert other.generate(other.key("k", "generate"))[1] is False


def test_another_body_is_refused(office: Office) -> None:
    office.generate(office.key("k", "generate"))
    with pytest.raises(ValidationFailed) as refused:
        office.generate(office.key("k", "generate", body="other"))
    assert refused.value.details is not None
    assert refused.value.details["field"] == "idempotencyKey"


def test_calls_while_the_first_runs_wait_for_it(office: Office, ask: Ask) -> None:
    began, may_end = Event(), Event()
    calls: list[None] = []

    def slowly() -> Written:
        calls.append(None)
        began.set()
        assert may_end.wait(30)
        return WRITTEN

    office.write = slowly
    asked = [ask() for _ in range(10)]
    assert began.wait(30)
    may_end.set()
    answers = [future.result(30) for future in asked]
    assert len(calls) == 1
    assert {str(body) for body, _ in answers} == {str(answers[0][0])}
    assert sorted(replayed for _, replayed in answers) == [False] + [True] * 9
    assert office.consumed().posts == 1


def test_a_verdict_on_the_content_is_kept(office: Office) -> None:
    key = office.key("k", "generate")
    office.write = fails_with(ContentQualityFailed("It does not pass."))
    with pytest.raises(ContentQualityFailed):
        office.generate(key)
    office.write = lambda: WRITTEN
    with pytest.raises(RecordedError) as again:
        office.generate(key)
    assert again.value.body() == ContentQualityFailed("It does not pass.").body()
    assert office.rows(ReservationRow) == []


@pytest.mark.parametrize("error", [ModelUnavailable("It is away."), RuntimeError("a bug")])
def test_a_failure_that_may_pass_frees_the_key(office: Office, error: Exception) -> None:
    key = office.key("k", "generate")
    office.write = fails_with(error)
    with pytest.raises(type(error)):
        office.generate(key)
    assert office.consumed().reserved_words == 0
    office.write = lambda: next(office.others)
    assert office.generate(office.key("k", "generate", body="other"))[1] is False


def test_whoever_waits_for_a_call_that_fails_gets_its_error(
    office: Office, ask: Ask, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Otherwise a model that is away would be asked once for each of them."""
    began, may_fail = Event(), Event()
    calls: list[None] = []

    def slowly_fails() -> Written:
        calls.append(None)
        began.set()
        assert may_fail.wait(30)
        raise ModelUnavailable("It is away.")

    office.write = slowly_fails
    first = ask()
    assert began.wait(30)
    looked: set[int] = set()
    find = store.find

    def noted(session: Any, key: Any) -> Any:
        row = find(session, key)
        looked.add(get_ident())
        return row

    monkeypatch.setattr(store, "find", noted)
    waiting = [ask() for _ in range(5)]
    wait_until(lambda: len(looked) == 5)
    may_fail.set()
    with pytest.raises(ModelUnavailable):
        first.result(30)
    for future in waiting:
        with pytest.raises(RecordedError, match="It is away"):
            future.result(30)
    assert len(calls) == 1


def test_a_call_that_was_refused_leaves_no_key(office: Office) -> None:
    key = office.key("k", "generate")
    with pytest.raises(ValidationFailed):
        office.generate(key, constraints={"maxWords": 1_501})
    assert office.generate(office.key("k", "generate", body="other"))[1] is False
    for _ in range(16):
        office.create()
    with pytest.raises(QuotaExceeded):
        office.generate(office.key("k2", "generate"), constraints={"maxWords": 1_500})
    assert office.generate(office.key("k2", "generate"), constraints={"maxWords": 50})[1] is False


def test_a_call_that_died_frees_its_key_by_its_lease(office: Office) -> None:
    key = office.key("k", "generate")
    held = idempotency.begin(key, office.clock, 0)
    assert isinstance(held, idempotency.Held)
    with pytest.raises(IdempotencyInProgress) as refused:
        idempotency.begin(key, office.clock, 0)
    assert refused.value.retry_after >= 1
    office.clock.move(LAPSED)
    with pytest.raises(ValidationFailed):
        idempotency.begin(office.key("k", "generate", body="other"), office.clock, 0)
    assert office.generate(key)[1] is False
    with database.writing() as session:
        assert not held.finish(session, result="late")


def test_a_call_that_was_taken_over_bills_nothing_and_tells_the_others_answer(
    office: Office,
) -> None:
    key = office.key("k", "generate")

    def another_finishes_it() -> Written:
        office.write = lambda: WRITTEN
        office.clock.move(LAPSED)
        assert office.generate(key)[1] is False
        return WRITTEN

    office.write = another_finishes_it
    assert office.generate(key)[1] is True
    assert office.consumed().posts == 1


@pytest.mark.parametrize("carried_out", [False, True], ids=["lost", "carried out"])
def test_a_post_is_stored_once_although_the_database_went_away_at_its_end(
    office: Office, monkeypatch: pytest.MonkeyPatch, carried_out: bool
) -> None:
    monkeypatch.setattr(leases, "_PAUSE_SECONDS", 0.0)
    away = OperationalError("COMMIT", None, ConnectionError("the server closed the connection"))
    failures = [away, away]
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
        monkeypatch.setattr(service, "writing", fragile)
        return WRITTEN

    office.write = written
    body, _ = office.generate(office.key("k", "generate"))
    assert not failures
    office.write = fails_with(AssertionError("it was generated again"))
    assert office.generate(office.key("k", "generate")) == (body, True)
    assert (office.consumed().words, office.consumed().posts) == (WORDS, 1)
    assert office.consumed().reserved_words == 0


def test_a_key_is_kept_for_30_days(office: Office) -> None:
    key = office.key("k", "generate")
    office.generate(key)
    office.clock.move(retention.KEYS_KEPT)
    office.generate(office.key("another", "generate"))
    assert retention.forget_old(office.clock, pause=lambda _: False) == {}
    assert office.generate(key)[1] is True
    office.clock.move(timedelta(seconds=1))
    assert retention.forget_old(office.clock, pause=lambda _: False) == {"keys": 1}
    assert office.generate(key)[1] is False
