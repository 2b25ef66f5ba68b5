"""Working jobs off.

A worker holds a job by a lease that a heartbeat extends; one that died lets its lease lapse and
another takes the job, at most three times. A job's end is one transaction: status, result or
error, what is billed, and the webhook that has to be delivered.
"""

import logging
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy.orm import Session

from app.core.errors import ModelUnavailable, ServiceError
from app.core.job import MAX_ATTEMPTS, JobStatus, WebhookEvent, retry_after
from app.core.originality import sign, text_of
from app.core.plan import Plan
from app.core.quality.lengths import post_words
from app.core.request import GenerateRequest, ResponseType, parse
from app.ports import Clock, Model, TaskQueue, Work
from app.services import usage, webhooks
from app.services.authoring import Author, WritingOptions, angles_of_a_call
from app.services.evidence import keep
from app.services.generate import check_plan, delivered
from app.services.leases import LEASE, heartbeat, patiently
from app.services.originality import NearDuplicate, remember
from app.services.pipeline import Written
from app.services.usage import Reservation
from app.store import accounts as account_store
from app.store import jobs as store
from app.store.database import reading, writing
from app.store.leases import extend, may_begin, take, update_mine
from app.store.originality import one_at_a_time
from app.store.tables import JobRow

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Job:
    """A job that this worker holds."""

    id: str
    attempt: int
    request_id: str
    plan: Plan | None
    request: Mapping[str, Any]
    response_types: tuple[ResponseType, ...]
    reservation: Reservation
    events: tuple[str, ...]


def run_next(
    model: Model,
    clock: Clock,
    options: WritingOptions,
    queue: TaskQueue,
    job_id: str | None = None,
) -> bool:
    """Take and work off one job, or that one; False where it was not to be had."""
    job = claim(clock, job_id)
    if job is None:
        return False
    log.info("job %s begins (attempt %d)", job.id, job.attempt)
    author: Author | None = None
    try:
        if job.attempt > MAX_ATTEMPTS:
            raise ServiceError(f"{MAX_ATTEMPTS} workers died over this job.")
        author = _author(job, model, options)
    except ServiceError as error:
        _fail(job, clock.now(), error, queue)
    while author is not None:
        written = _write_or_fail(job, author, clock, queue)
        if written is None:
            break
        try:
            _succeed(job, clock.now(), written, sign(text_of(written.post)), queue)
            break
        except NearDuplicate as found:
            author.again(found.likeness, written.post.title)
    return True


def _author(job: Job, model: Model, options: WritingOptions) -> Author:
    request = parse(GenerateRequest, job.request)
    assert job.plan is not None  # noqa: S101 - the account's plan is a foreign key
    check_plan(request, job.plan)
    max_words = request.max_words(job.plan.max_words_per_request)
    return Author(model, options, request, max_words, angles_of_a_call(job.id))


def _write_or_fail(job: Job, author: Author, clock: Clock, queue: TaskQueue) -> Written | None:
    """The post; None where there is none, and the job has failed or waits."""
    try:
        with heartbeat(
            lambda session, until: extend(session, JobRow, job.id, job.attempt, until), clock
        ):
            return author.write(clock.now())
    except ModelUnavailable as error:
        if job.attempt < MAX_ATTEMPTS:
            _try_later(job, clock.now(), error)
        else:
            _fail(job, clock.now(), error, queue)
    except ServiceError as error:
        _fail(job, clock.now(), error, queue)
    except Exception:
        log.exception("job %s met an unexpected error", job.id)
        broken = ServiceError(f"Something went wrong on our side. Quote the job id {job.id}.")
        _fail(job, clock.now(), broken, queue)
    return None


def claim(clock: Clock, job_id: str | None = None) -> Job | None:
    """Take that job, or the next in line; None where there is none."""
    now = clock.now()
    with reading() as session:
        if job_id is None and not may_begin(session, JobRow, now, store.in_line, limit=1):
            return None
    with writing() as session:
        row = take(
            session,
            JobRow,
            now,
            now + LEASE,
            work_id=job_id,
            narrow=store.in_line,
            updated_at=now,
        )
        return None if row is None else _load(session, row)


def _load(session: Session, row: JobRow) -> Job:
    return Job(
        id=row.id,
        attempt=row.attempts,
        request_id=row.request_id,
        plan=account_store.plan_of_account(session, row.account_id),
        request=row.request,
        response_types=tuple(ResponseType(kind) for kind in row.response_types),
        # A request beyond its plan held nothing; giving that back is no harm.
        reservation=Reservation(row.reservation_id or "", row.account_id, row.billing_period),
        events=tuple(row.webhook_events or ()),
    )


@patiently
def _succeed(job: Job, now: datetime, written: Written, signature: bytes, queue: TaskQueue) -> None:
    """End the job with its post.

    Raises:
        NearDuplicate: the post repeats an earlier one of its account; nothing was stored.
    """
    account_id = job.reservation.account_id
    result = delivered(written, job.response_types, parse(GenerateRequest, job.request))
    ended = {"status": JobStatus.SUCCEEDED.value, "result": result}
    with writing() as session:
        one_at_a_time(session, account_id)
        if not update_mine(session, JobRow, job.id, job.attempt, updated_at=now, **ended):
            log.warning("job %s was taken over; its post is not stored", job.id)
            return
        remember(session, account_id, job.id, signature)
        usage.settle(session, job.reservation, post_words(written.post))
        keep(session, job.id, account_id, written, now)
        delivery = _add_delivery(session, job, WebhookEvent.SUCCEEDED, result, now)
    log.info("job %s succeeded", job.id)
    queue.enqueue(*delivery)


@patiently
def _fail(job: Job, now: datetime, error: ServiceError, queue: TaskQueue) -> None:
    body = error.body()
    with writing() as session:
        if not update_mine(
            session,
            JobRow,
            job.id,
            job.attempt,
            status=JobStatus.FAILED.value,
            error=body,
            updated_at=now,
        ):
            return
        usage.release(session, job.reservation)
        delivery = _add_delivery(session, job, WebhookEvent.FAILED, {"error": body}, now)
    log.warning("job %s failed: %s: %s", job.id, error.code, error.message)
    queue.enqueue(*delivery)


@patiently
def _try_later(job: Job, now: datetime, error: ServiceError) -> None:
    with writing() as session:
        update_mine(
            session,
            JobRow,
            job.id,
            job.attempt,
            status=JobStatus.QUEUED.value,
            not_before=now + retry_after(job.attempt),
            updated_at=now,
        )
    log.warning("job %s waits for the model: %s", job.id, error.message)


def _add_delivery(
    session: Session, job: Job, event: WebhookEvent, members: Mapping[str, Any], now: datetime
) -> list[Work]:
    if event.value not in job.events:
        return []
    return [webhooks.add(session, job.id, job.request_id, event, members, now)]
