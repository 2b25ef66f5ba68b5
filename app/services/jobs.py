"""Jobs: accepting one, and telling how it is.

A job and all that belongs to it (the words it holds, its idempotency key) are written in one
transaction, before the queue hears of it.
"""

import secrets
from datetime import datetime
from typing import Any

from app.core.errors import NotFound, ValidationFailed
from app.core.job import JobRequest, JobStatus, input_summary
from app.core.metering import period_start, wire_time
from app.core.plan import Plan
from app.core.request import GenerateRequest
from app.core.signature import new_secret
from app.core.wire import to_json
from app.ports import Clock, RateLimiter, TaskQueue, Work, WorkKind
from app.services import idempotency, usage
from app.services.generate import check_plan
from app.services.idempotency import Answer, Key
from app.store import jobs as store
from app.store.accounts import Caller
from app.store.database import reading, writing
from app.store.idempotency import add as add_key
from app.store.ids import new_id
from app.store.tables import JobRow

_SECRET_BYTES = 32


def create(
    caller: Caller,
    request: JobRequest,
    request_id: str,
    key: Key | None,
    clock: Clock,
    limiter: RateLimiter,
    queue: TaskQueue,
) -> tuple[str, bool]:
    """The JSON of a 202 answer, and whether it is that of an earlier call with the same key.

    A request that the plan does not allow is accepted, and fails as its job begins.

    Raises:
        ValidationFailed: the key was used with another body.
        RateLimited, QuotaExceeded: nothing was created.
    """
    if key is not None and (earlier := idempotency.find(key)) is not None:
        return _replay(earlier), True
    usage.admit(caller, limiter, clock)
    now = clock.now()
    with writing() as session:
        job = _job(caller, request, request_id, now)
        job_id, body = job.id, to_json({**_base(job), **_secret(job)})
        if key is not None and not add_key(
            session, key.id, key.fingerprint, now, lease_until=now, result=body
        ):
            return _replay(idempotency.find_in(session, key)), True
        usage.count_request(session, caller, now)
        if _allowed(request.generate_request, caller.plan):
            words = request.generate_request.max_words(caller.plan.max_words_per_request)
            job.reservation_id = usage.reserve(session, caller, words, now, None).id
        session.add(job)
    queue.enqueue(Work(WorkKind.JOB, job_id))
    return body, False


def _replay(answer: Answer | None) -> str:
    # A job's key is written with the job, and never holds an error.
    assert answer is not None and answer.result is not None  # noqa: S101, PT018
    return answer.result


def _job(caller: Caller, request: JobRequest, request_id: str, now: datetime) -> JobRow:
    webhook = request.webhook
    generate_request = request.generate_request
    return JobRow(
        id=new_id("job"),
        status=JobStatus.QUEUED.value,
        not_before=now,
        attempts=0,
        account_id=caller.account_id,
        request_id=request_id,
        rank=0 if caller.plan.priority_processing else 1,
        request=generate_request.to_wire(),
        response_types=[kind.value for kind in request.format.response_types],
        input_summary=input_summary(generate_request, caller.plan.max_words_per_request),
        billing_period=period_start(now),
        webhook_url=webhook.url if webhook else None,
        webhook_events=[event.value for event in webhook.events] if webhook else None,
        webhook_secret=new_secret(secrets.token_bytes(_SECRET_BYTES)) if webhook else None,
        created_at=now,
        updated_at=now,
    )


def _allowed(request: GenerateRequest, plan: Plan) -> bool:
    try:
        check_plan(request, plan)
    except ValidationFailed:
        return False
    return True


def find(caller: Caller, job_id: str) -> dict[str, Any]:
    """The body of GET /v1/jobs/{jobId}.

    Raises:
        NotFound: there is no such job, or it is another account's.
    """
    with reading() as session:
        job = store.find_job(session, job_id, caller.account_id)
        if job is None:
            raise NotFound("There is no job of that id.")
        body = _base(job)
        if job.status == JobStatus.SUCCEEDED:
            wire = job.result or {}
            body |= {"result": wire["post"], **{k: wire[k] for k in ("rendered", "quality")}}
        if job.status == JobStatus.FAILED:
            body["error"] = job.error
    return body


def _base(job: JobRow) -> dict[str, Any]:
    return {
        "jobId": job.id,
        "status": job.status,
        "createdAt": wire_time(job.created_at),
        "updatedAt": wire_time(job.updated_at),
        "requestId": job.request_id,
        "inputSummary": job.input_summary,
    }


def _secret(job: JobRow) -> dict[str, Any]:
    return {"webhookSigningSecret": job.webhook_secret} if job.webhook_secret else {}
