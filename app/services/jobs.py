"""Jobs: accepting one, reporting its state, and working on it.

A job, the words it holds and its idempotency key are stored in one transaction, before it is
queued. Its end is one transaction as well: its status, its result or error, the words that are
billed, and the webhook to deliver.
"""

import json
import logging
from collections.abc import Mapping
from contextlib import suppress
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from app.core.billing.metering import period_start
from app.core.credentials import is_sandbox
from app.core.errors import NotFound, ServiceError, ValidationFailed
from app.core.schemas.api_model import STORED, to_json
from app.core.schemas.bodies import parse
from app.core.schemas.job import JobRequest, JobStatus, WebhookEvent
from app.core.schemas.request import GenerateRequest, ResponseType, check_plan
from app.core.schemas.times import wire_time
from app.core.webhooks.delivery import payload
from app.core.webhooks.signature import derived_secret
from app.logs import note
from app.ports import Work, WorkKind
from app.rendering.page import answer_members
from app.rules.passages import post_words
from app.services import accounts, idempotency, sandbox, usage
from app.services.context import Context
from app.services.costs import PaidWork, require_budget
from app.services.idempotency import Key
from app.services.journal import Assignment, stages
from app.services.lease_keeping import TakenOver, retry_on_disconnect
from app.services.leased_work import JOBS, ClaimedWork, perform_claimed
from app.services.post_writer import PostWriter, angles_of_a_call
from app.services.usage import Reservation
from app.services.webhooks import add_delivery
from app.store import accounts as account_store
from app.store import models
from app.store.accounts import Caller
from app.store.costs import Payer
from app.store.database import reading, writing
from app.store.rows import new_row
from app.writing.pipeline import MAX_REVISIONS, Written

log = logging.getLogger(__name__)

_STAGES = {
    "draft": "writing", "edit": "editing", "read": "reading", "cut": "shortening",
    "polish": "polishing",
}  # fmt: skip


def create(
    context: Context, caller: Caller, request: JobRequest, request_id: str, key: Key | None
) -> tuple[str, bool]:
    """Return the JSON of the 202 answer to a call of POST /v1/jobs, and whether it repeats that of
    an earlier call with the key.

    A request that the plan does not allow is accepted, and fails when its job begins. A job of a
    sandbox ends before this returns, without a worker; the answer shows it as it was created.

    Raises:
        ValidationFailed: the key was used with another body.
        RateLimited, QuotaExceeded: nothing was created.
        SpendCapReached: no model would be asked; nothing was created.
        ServiceError: the error that a keyword in the sandbox asks for.
    """
    generate_request = request.generate_request
    if key is not None:
        with reading() as session:
            if (earlier := idempotency.find(session, key)) is not None:
                return _replay(session, caller, earlier), True
    usage.admit(context, caller)
    now = context.clock.now()
    in_sandbox = is_sandbox(caller.account_id)
    if in_sandbox:
        sandbox.raise_provoked(generate_request, now, new_job=True)
    else:
        require_budget(context, Payer(caller.account_id))
    with writing() as session:
        job = _job(caller, request, request_id, now)
        # The key's answer has no secret: it is stored with the job.
        kept = to_json(_base(job))
        if key is not None and not idempotency.add(session, key, now, lease_until=now, result=kept):
            return _replay(session, caller, idempotency.find(session, key)), True
        usage.count_request(session, caller, now)
        if not in_sandbox:
            with suppress(ValidationFailed):
                check_plan(generate_request, caller.plan)
                words = generate_request.max_words(caller.plan.max_words_per_request)
                job.reservation_id = usage.reserve(session, caller, words, now, None).id
        if job.webhook_url is not None:
            root = accounts.root_of(session, caller.account_id)
            job.webhook_secret = derived_secret(root, job.id)
        session.add(job)
    note(job=job.id)
    if reference := generate_request.client_provided_request_id:
        line = "job %s of request %s has the client's reference “%s”"
        log.info(line, job.id, request_id, reference)
    created = _with_secret(kept, job)
    if in_sandbox:
        run_next(context, job.id)
    else:
        context.queue.enqueue(Work(WorkKind.JOB, job.id, urgent=caller.plan.priority_processing))
    return created, False


def _replay(session: Session, caller: Caller, kept: str | None) -> str:
    assert kept is not None  # noqa: S101 - a job's key is stored with the job
    return _with_secret(kept, _find(session, json.loads(kept)["jobId"], caller))


def _with_secret(kept: str, job: models.Job | None) -> str:
    """Return the answer, with the same bytes each time, from what its key holds."""
    if job is None or job.webhook_secret is None:
        return kept
    return to_json({**json.loads(kept), "webhookSigningSecret": job.webhook_secret})


def _job(caller: Caller, request: JobRequest, request_id: str, now: datetime) -> models.Job:
    webhook, generate_request = request.webhook, request.generate_request
    return new_row(
        models.Job,
        "job",
        status=JobStatus.QUEUED.value,
        not_before=now,
        created_at=now,
        updated_at=now,
        account_id=caller.account_id,
        request_id=request_id,
        rank=0 if caller.plan.priority_processing else 1,
        request=generate_request.to_wire(),
        response_types=[kind.value for kind in request.format.response_types],
        input_summary={
            "keywords": list(generate_request.keywords),
            "language": generate_request.language,
            "maxWords": generate_request.max_words(caller.plan.max_words_per_request),
        },
        billing_period=period_start(now),
        webhook_url=webhook.url if webhook else None,
        webhook_events=[event.value for event in webhook.events] if webhook else None,
    )


def _find(session: Session, job_id: str, caller: Caller) -> models.Job | None:
    job = session.get(models.Job, job_id)
    return job if job is not None and job.account_id == caller.account_id else None


def find(caller: Caller, job_id: str) -> dict[str, Any]:
    """Return the body of GET /v1/jobs/{jobId}.

    Raises:
        NotFound: the account has no such job.
    """
    with reading() as session:
        job = _find(session, job_id, caller)
        if job is None:
            raise NotFound("There is no job of that id.")
    body = _base(job)
    if job.status == JobStatus.PROCESSING:
        body["progress"] = progress(job.id)
    if job.status == JobStatus.SUCCEEDED:
        wire = job.result or {}
        body |= {"result": wire["post"], **{k: wire[k] for k in ("rendered", "quality")}}
    if job.status == JobStatus.FAILED:
        body["error"] = job.error
    return body


def progress(job_id: str) -> dict[str, Any]:
    """Return what a worker is doing for a job, as the body of GET /v1/jobs/{jobId} has it."""
    with reading() as session:
        last = select(models.Journal.stage).where(models.Journal.work_id == job_id)
        begun = session.scalar(last)
        answers = stages(session, job_id).values()
    found: dict[str, Any] = {"stage": "preparing"}
    if begun is not None:
        _, purpose, number = begun.split()
        found = {"stage": _STAGES[purpose], "number": int(number)}
        if purpose == "edit":
            found["of"] = MAX_REVISIONS
    tokens = sum(each["prompt_tokens"] + each["completion_tokens"] for each in answers)
    return {**found, "tokens": tokens}


def _base(job: models.Job) -> dict[str, Any]:
    return {
        "jobId": job.id,
        "status": job.status,
        "createdAt": wire_time(job.created_at),
        "updatedAt": wire_time(job.updated_at),
        "requestId": job.request_id,
        "inputSummary": job.input_summary,
    }


class ClaimedJob(ClaimedWork):
    """A job that this worker holds."""

    TABLE = JOBS
    PAUSES = (timedelta(seconds=5), timedelta(seconds=30))

    def __init__(self, session: Session, row: models.Job) -> None:
        super().__init__(row)
        self._row = row
        self.since = row.created_at
        self._plan = account_store.plan_of_account(session, row.account_id)
        # A request beyond its plan reserved nothing; releasing that does no harm.
        self._reservation = Reservation(
            row.reservation_id or "", row.account_id, row.billing_period
        )

    def log_ids(self) -> dict[str, str]:
        row = self._row
        return {"job": self.id, "request": row.request_id, "account": row.account_id}

    def generate(self, context: Context) -> str | None:
        request = parse(GenerateRequest, self._row.request, STORED)
        check_plan(request, self._plan)
        max_words = request.max_words(self._plan.max_words_per_request)
        if is_sandbox(self._row.account_id):
            return self._succeed_in_sandbox(context, request, max_words)
        assignment = Assignment(request, max_words, angles_of_a_call(self.id))
        work = PaidWork(context, self.id, self.id, Payer(self._row.account_id), self.extend)
        writer = PostWriter(assignment, work)
        return writer.write_unique(
            lambda written: self._succeed(context, writer, self._result(request, written), written)
        )

    def _result(self, request: GenerateRequest, written: Written) -> dict[str, Any]:
        wanted = tuple(ResponseType(kind) for kind in self._row.response_types)
        return answer_members(written.post, written.quality, request, wanted)

    @retry_on_disconnect
    def _succeed(
        self, context: Context, writer: PostWriter, result: dict[str, Any], written: Written
    ) -> str:
        with writer.storing(written, self._row.account_id) as session:
            delivery = self._end_with(session, result, context.clock.now())
            usage.bill(session, self._reservation, post_words(written.post))
        log.info("job %s succeeded", self.id)
        context.queue.enqueue(*delivery)
        return self.id

    def _end_with(self, session: Session, result: dict[str, Any], now: datetime) -> list[Work]:
        """Store the result; return the webhook to enqueue after the transaction."""
        ended = {"status": JobStatus.SUCCEEDED.value, "result": result}
        if not self.update(session, updated_at=now, **ended):
            raise TakenOver
        return self._add_delivery(session, WebhookEvent.SUCCEEDED, result, now)

    def may_retry(self, error: ServiceError) -> bool:
        """Return whether a later attempt may succeed: never in a sandbox, whose jobs end at
        once."""
        return super().may_retry(error) and not is_sandbox(self._row.account_id)

    def _succeed_in_sandbox(
        self, context: Context, request: GenerateRequest, max_words: int
    ) -> str:
        """End the job with the fixed post: no words, no evidence."""
        sandbox.raise_provoked(request, context.clock.now())
        wanted = tuple(ResponseType(kind) for kind in self._row.response_types)
        result = sandbox.result(request, max_words, wanted)
        with writing() as session:
            delivery = self._end_with(session, result, context.clock.now())
        context.queue.enqueue(*delivery)
        return self.id

    @retry_on_disconnect
    def record_failure(
        self, context: Context, error: ServiceError, retry_at: datetime | None
    ) -> None:
        now, delivery = context.clock.now(), list[Work]()
        ended = (
            {"status": JobStatus.FAILED.value, "error": error.body()}
            if retry_at is None
            else {"status": JobStatus.QUEUED.value, "not_before": retry_at}
        )
        with writing() as session:
            if self.update(session, updated_at=now, **ended) and retry_at is None:
                usage.release(session, self._reservation)
                members = {"error": error.body()}
                delivery = self._add_delivery(session, WebhookEvent.FAILED, members, now)
        context.queue.enqueue(*delivery)

    def release(self, session: Session) -> None:
        """Do nothing: a queued job keeps its words."""

    def _add_delivery(
        self, session: Session, event: WebhookEvent, members: Mapping[str, Any], now: datetime
    ) -> list[Work]:
        if event.value not in (self._row.webhook_events or ()):
            return []
        body = payload(event, self.id, self._row.request_id, members)
        owned = {"job_id": self.id, "account_id": self._row.account_id}
        delivery_id = add_delivery(session, now, event=event.value, body=body, **owned)
        return [Work(WorkKind.DELIVERY, delivery_id)]


def run_next(context: Context, job_id: str | None = None) -> bool:
    """Work on the job with this id, or else the next in line; False if none can be claimed."""
    return perform_claimed(claim(context, job_id), context)


def claim(context: Context, job_id: str | None = None) -> ClaimedJob | None:
    """Claim that job, or the next in line; None if there is none."""
    return JOBS.claim(context.clock.now(), job_id, ClaimedJob)
