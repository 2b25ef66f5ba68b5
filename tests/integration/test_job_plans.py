"""What callers, jobs and webhooks ask of the database is found by an index, however many jobs,
keys and deliveries are stored."""

from collections.abc import Callable, Iterator
from datetime import timedelta

import pytest
from sqlalchemy import insert

from app.services import generate as generate_service
from app.services import job_work, retention, sweep, usage
from app.store import database
from app.store.tables import DeliveryRow, IdempotencyRow, JobRow
from tests.integration.conftest import BEGIN, bare_app
from tests.integration.office import Office
from tests.integration.test_query_plans import explained, noted

STORED = 4_000
BIG_TABLES = {"jobs", "webhook_deliveries", "idempotency_keys", "usage_months", "usage_days"}
WEBHOOK = {"url": "https://example.com/hook", "events": ["job.succeeded"]}


@pytest.fixture
def office(migrated_url: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[Office]:
    """An account with an archive of 4,000 jobs, each with its key and its delivery."""
    app = bare_app(migrated_url)
    with app.app_context():
        made = Office("scale")
        for module in (job_work, generate_service):
            monkeypatch.setattr(module, "write_post", lambda *_, **__: made.write())
        _fill(made)
        yield made
        database.db.engine.dispose()


def _fill(office: Office) -> None:
    numbers = range(STORED)
    with database.writing() as session:
        session.execute(
            insert(JobRow),
            [
                {"id": f"job_{number:05}", "account_id": office.account_id, "request_id": "req_1",
                 "status": "succeeded", "not_before": BEGIN, "attempts": 1, "rank": 0,
                 "request": {"keywords": ["tea"]}, "response_types": [], "input_summary": {},
                 "billing_period": BEGIN.date(), "created_at": BEGIN, "updated_at": BEGIN}
                for number in numbers
            ],
        )  # fmt: skip
        session.execute(
            insert(DeliveryRow),
            [
                {"id": f"msg_{number:05}", "job_id": f"job_{number:05}", "event": "job.succeeded",
                 "status": "delivered", "not_before": BEGIN, "attempts": 1, "failures": 0,
                 "body": "{}", "created_at": BEGIN}
                for number in numbers
            ],
        )  # fmt: skip
        session.execute(
            insert(IdempotencyRow),
            [
                {"account_id": office.account_id, "endpoint": "jobs", "key": f"key-{number}",
                 "fingerprint": "", "status": "done", "owner": "", "lease_until": BEGIN,
                 "created_at": BEGIN}
                for number in numbers
            ],
        )  # fmt: skip


def generate(office: Office) -> None:
    key = office.key("g", "generate")
    assert [office.generate(key)[1], office.generate(key)[1]] == [False, True]


def job(office: Office) -> None:
    created = office.create(office.key("j"), webhook=WEBHOOK)
    assert office.create_or_replay(office.key("j"), webhook=WEBHOOK)[1]
    sweep.requeue_lost(office.queue, office.clock)
    assert office.work()
    assert office.job(created)["status"] == "succeeded"
    assert office.deliver()


def forget(office: Office) -> None:
    usage.release_lapsed(office.clock)
    office.clock.move(retention.KEYS_KEPT + timedelta(seconds=1))
    assert retention.forget_old(office.clock, pause=lambda _: False)


USES: list[Callable[[Office], None]] = [generate, job, forget]


def test_no_statement_reads_a_whole_table(office: Office) -> None:
    for use in USES:
        with noted() as statements:
            use(office)
        assert len(statements) > 1
        for statement, parameters in statements:
            scanned, sorts = explained(statement, parameters)
            assert scanned & BIG_TABLES == set(), (use, statement)
            if "ORDER BY jobs" in statement:
                assert not sorts, (use, statement)
