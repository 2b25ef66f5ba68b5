"""The calls for jobs: create one now, get the post later."""

import random
import time
from collections.abc import Iterator, Sequence
from typing import Literal, Unpack

from copydesk._address import path_segment
from copydesk._calls import (
    IO,
    SHORT_CALL_S,
    Call,
    Calls,
    OnProgress,
    Progress,
    checked_seconds,
    key_or_new,
    perform,
)
from copydesk._transport import AsyncTransport, Transport
from copydesk.errors import ConfigurationError, CopydeskError, JobPendingError
from copydesk.models import Job
from copydesk.request import GenerateRequest, job_body, listed

# Pauses between polls, growing by half: most posts take from seconds to minutes.
FIRST_PAUSE_S = 1.0
LONGEST_PAUSE_S = 10.0

JobEvent = Literal["job.succeeded", "job.failed"]


class _JobCalls(Calls):
    """The calls for jobs, without input and output."""

    def __init__(self, timeout: float | None, max_retries: int) -> None:
        self._set_options(timeout, max_retries)

    def _create(
        self,
        webhook_url: str | None,
        webhook_events: Sequence[str] | None,
        idempotency_key: str | None,
        request: GenerateRequest,
    ) -> Call[Job]:
        body = job_body(request)
        if (webhook_url is None) != (webhook_events is None):
            raise ConfigurationError(
                "webhook_url and webhook_events go together,"
                " such as webhook_events=['job.succeeded', 'job.failed']"
            )
        if webhook_events is not None:
            events = listed("webhook_events", webhook_events)
            body["webhook"] = {"url": webhook_url, "events": events}
        body["idempotencyKey"] = key = key_or_new(idempotency_key)
        return self._short("POST", "/v1/jobs", Job.from_wire, key=key, body=body)

    def _get(self, job_id: str, **options: float) -> Call[Job]:
        path = f"/v1/jobs/{path_segment('job_id', job_id)}"
        return self._short("GET", path, Job.from_wire, **options)

    async def _wait(
        self,
        io: IO,
        job_id: str,
        timeout: float,
        poll: float | None,
        on_progress: OnProgress | None,
    ) -> Job:
        checked_seconds("timeout", timeout)
        begin = time.monotonic()
        job: Job | None = None
        pauses = _pauses(checked_seconds("poll", poll))
        while True:
            left, trouble, wait = begin + timeout - time.monotonic(), "", next(pauses)
            # Once the service has answered, this loop retries until the deadline.
            retries = self._max_retries if job is None else 0
            try:
                limit = min(self._timeout or SHORT_CALL_S, max(1.0, left))
                look = self._get(job_id, timeout=limit, retries=retries)
                job = await perform(look, io)
                if on_progress is not None:
                    stage = str(job.progress or "")
                    on_progress(Progress(time.monotonic() - begin, job.status, stage=stage))
                if job.done:
                    return job
            except CopydeskError as error:
                if job is None or not error.transient:
                    raise
                wait = max(wait, getattr(error, "retry_after", None) or 0)
                trouble = f"; the last look failed: {error}"
            if left <= 0:
                raise JobPendingError(
                    f"job {job_id} is {job.status} after {timeout:g} s of waiting and goes on:"
                    f" wait for it again{trouble}",
                    job,
                )
            await io.sleep(max(0.0, min(wait, begin + timeout - time.monotonic())))


class Jobs(_JobCalls):
    """Posts written in the background; ``Copydesk.jobs`` is an instance."""

    def __init__(self, transport: Transport, timeout: float | None, max_retries: int) -> None:
        super().__init__(timeout, max_retries)
        self._transport = transport

    def create(
        self,
        *,
        webhook_url: str | None = None,
        webhook_events: Sequence[JobEvent] | None = None,
        idempotency_key: str | None = None,
        **request: Unpack[GenerateRequest],
    ) -> Job:
        """Create a job with the arguments of ``generate``, and return immediately.

        ``webhook_url`` and ``webhook_events`` (job.succeeded, job.failed) go together: the service
        sends these events to the URL, signed with the job's secret. Receive them with
        ``copydesk.webhooks.unwrap``.

        ``idempotency_key`` works as in ``generate``: one key makes one job, and a later call with
        the same key returns the same response.

        Raises:
            ValidationError: an argument is wrong. A request beyond the plan may instead end in a
                failed job.
            RateLimitError, QuotaExceededError: the plan's limits.
            APIConnectionError, ServerError: no response, or a failure, after all retries.
        """
        return self._transport.run(
            self._create(webhook_url, webhook_events, idempotency_key, request)
        )

    def get(self, job_id: str) -> Job:
        """Return the current state of the job.

        Raises:
            NotFoundError: the job does not exist, or belongs to another account.
        """
        return self._transport.run(self._get(job_id))

    def wait(
        self,
        job_id: str,
        *,
        timeout: float = 600.0,
        poll: float | None = None,
        on_progress: OnProgress | None = None,
    ) -> Job:
        """Wait until the job has succeeded or failed, and return it.

        It waits at most ``timeout`` seconds and polls every ``poll`` seconds; by default, the
        pauses grow from one second to ten. Transient failures are retried until the
        deadline once the service has answered, and as in every call before that.
        ``on_progress`` is called with a ``Progress`` after every look.

        Raises:
            JobPendingError: the job is not done within ``timeout``. It continues: wait again.
            NotFoundError: the job does not exist, or belongs to another account.
        """
        waiting = self._wait(self._transport, job_id, timeout, poll, on_progress)
        return self._transport.drive(waiting)


class AsyncJobs(_JobCalls):
    """``Jobs`` for ``async`` code; ``AsyncCopydesk.jobs`` is an instance."""

    def __init__(self, transport: AsyncTransport, timeout: float | None, max_retries: int) -> None:
        super().__init__(timeout, max_retries)
        self._transport = transport

    async def create(
        self,
        *,
        webhook_url: str | None = None,
        webhook_events: Sequence[JobEvent] | None = None,
        idempotency_key: str | None = None,
        **request: Unpack[GenerateRequest],
    ) -> Job:
        """Create a job and return immediately, as ``Jobs.create`` does."""
        return await self._transport.run(
            self._create(webhook_url, webhook_events, idempotency_key, request)
        )

    async def get(self, job_id: str) -> Job:
        """Return the current state of the job, as ``Jobs.get`` does."""
        return await self._transport.run(self._get(job_id))

    async def wait(
        self,
        job_id: str,
        *,
        timeout: float = 600.0,
        poll: float | None = None,
        on_progress: OnProgress | None = None,
    ) -> Job:
        """Wait until the job has succeeded or failed, as ``Jobs.wait`` does."""
        return await self._wait(self._transport, job_id, timeout, poll, on_progress)


def _pauses(poll: float | None) -> Iterator[float]:
    pause = FIRST_PAUSE_S
    while True:
        # Jitter, so that many waiting programs do not poll at the same time.
        yield poll or pause * random.uniform(0.75, 1.0)  # noqa: S311 - it spreads load
        pause = min(pause * 1.5, LONGEST_PAUSE_S)
