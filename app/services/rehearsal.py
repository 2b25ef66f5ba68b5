"""A job from its row to its webhook, in a transaction that leaves nothing behind.

A statement is compiled when it is first run. A worker that forks for each job would compile all of
them in every fork; the process that forks runs them once before.
"""

from contextlib import suppress

from sqlalchemy.orm import Session

from app.core.job import JobStatus, WebhookEvent
from app.core.metering import period_start
from app.core.originality import sign
from app.ports import Clock
from app.services import usage, webhooks
from app.services.leases import LEASE
from app.services.originality import remember
from app.store import accounts as account_store
from app.store import jobs as store
from app.store.database import writing
from app.store.leases import take, update_mine
from app.store.originality import one_at_a_time
from app.store.tables import JobRow

_NOBODY = "rehearsal"


class _Over(Exception):
    """Takes the transaction back."""


def rehearse(clock: Clock) -> None:
    """Run every statement that a job's worker runs."""
    with suppress(_Over), writing() as session:
        _perform(session, clock)
        raise _Over


def _perform(session: Session, clock: Clock) -> None:
    now = clock.now()
    plan_id = account_store.plan_ids(session)[0]
    account_store.add_account(session, _NOBODY, _NOBODY, plan_id, now)
    session.flush()
    plan = account_store.plan_of_account(session, _NOBODY)
    assert plan is not None  # noqa: S101 - it was just added
    held = usage.reserve_of(session, _NOBODY, plan, 0, now, None)
    session.add(
        JobRow(
            id=_NOBODY,
            account_id=_NOBODY,
            request_id=_NOBODY,
            status=JobStatus.QUEUED.value,
            not_before=now,
            attempts=0,
            rank=0,
            request={},
            response_types=[],
            input_summary={},
            billing_period=period_start(now),
            reservation_id=held.id,
            created_at=now,
            updated_at=now,
        )
    )
    session.flush()
    job = take(
        session, JobRow, now, now + LEASE, work_id=_NOBODY, narrow=store.in_line, updated_at=now
    )
    assert job is not None  # noqa: S101 - nobody else sees it
    ended = {"status": JobStatus.SUCCEEDED.value, "result": {}}
    one_at_a_time(session, _NOBODY)
    update_mine(session, JobRow, _NOBODY, job.attempts, updated_at=now, **ended)
    remember(session, _NOBODY, _NOBODY, sign("one two three four five six seven eight"))
    usage.settle(session, held, 0)
    webhooks.add(session, _NOBODY, _NOBODY, WebhookEvent.SUCCEEDED, {}, now)
    session.flush()
