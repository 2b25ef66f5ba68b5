"""The calls about jobs: order a post now, read it later."""

import random
import time
from collections.abc import Iterator, Sequence
from typing import Unpack

from copydesk._address import path_segment
from copydesk._idempotency import key_or_new, named_in_errors
from copydesk._transport import READ_TIMEOUT_S, Transport, checked_seconds
from copydesk.errors import APIError, ConfigurationError, CopydeskError, JobPendingError
from copydesk.job import Job
from copydesk.request import GenerateRequest, job_body, listed

# Between two looks at a job, growing by half: most posts take from seconds to minutes.
FIRST_PAUSE_S = 1.0
LONGEST_PAUSE_S = 10.0


class Jobs:
    """Posts that are written in the background; this is ``Copydesk.jobs``."""

    def __init__(self, transport: Transport, timeout: float | None) -> None:
        self._transport = transport
        self._timeout = timeout or READ_TIMEOUT_S

    def create(
        self,
        *,
        webhook_url: str | None = None,
        webhook_events: Sequence[str] | None = None,
        idempotency_key: str | None = None,
        **request: Unpack[GenerateRequest],
    ) -> Job:
        """Order a post, with the arguments of ``generate``; this returns at once.

        ``webhook_url`` and ``webhook_events``, any of job.succeeded and job.failed, are given
        together: the service then sends these events there, signed with the secret that this
        answer holds and no later one repeats. See ``copydesk.webhooks``.

        ``idempotency_key`` works as it does in ``generate``: there is one job for a key, whatever
        is retried, and a later call with it returns this very answer.

        Raises:
            ValidationError: an argument is wrong. What goes beyond the plan may instead end in a
                failed job.
            RateLimitError, QuotaExceededError: the plan's limits.
            APIConnectionError, ServerError: no answer, or a failure, after all retries.
        """
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
        with named_in_errors(key):
            return self._transport.call(
                "POST",
                "/v1/jobs",
                Job.from_wire,
                retry=True,
                read_timeout=self._timeout,
                json=body,
            )

    def get(self, job_id: str) -> Job:
        """The job as it is now.

        Raises:
            NotFoundError: there is no such job, or it is another account's.
        """
        return self._get(job_id, retry=True, read_timeout=self._timeout)

    def wait(self, job_id: str, *, timeout: float = 600.0, poll: float | None = None) -> Job:
        """The job once it is done, succeeded or failed: ``job.generation()`` tells them apart.

        It waits for ``timeout`` seconds at most, and looks every ``poll`` seconds; by default after
        one second, then less and less often, up to every ten. A service that is away for a while or
        asks for patience is borne once it has answered; before, it is retried as in every call.

        Raises:
            JobPendingError: the job is not done within ``timeout``. It goes on: wait again.
            NotFoundError: there is no such job, or it is another account's.
        """
        checked_seconds("timeout", timeout)
        pauses = _pauses(checked_seconds("poll", poll))
        deadline = time.monotonic() + timeout
        job: Job | None = None
        failures = 0
        while True:
            left = deadline - time.monotonic()
            pause, trouble = next(pauses), ""
            try:
                job = self._get(
                    job_id, retry=False, read_timeout=min(self._timeout, max(1.0, left))
                )
                if job.done:
                    return job
            except CopydeskError as error:
                failures += 1
                tries_left = job is not None or failures <= self._transport.max_retries
                if not error.transient or not tries_left or (job is None and left <= 0):
                    raise
                if isinstance(error, APIError):
                    pause = max(pause, error.retry_after or 0)
                trouble = f"; the last look failed: {error}"
            if job is not None and left <= 0:
                raise JobPendingError(
                    f"job {job_id} is {job.status} after {timeout:g} s of waiting and goes on:"
                    f" wait for it again{trouble}",
                    job,
                )
            time.sleep(max(0.0, min(pause, deadline - time.monotonic())))

    def _get(self, job_id: str, *, retry: bool, read_timeout: float) -> Job:
        return self._transport.call(
            "GET",
            f"/v1/jobs/{path_segment('job_id', job_id)}",
            Job.from_wire,
            retry=retry,
            read_timeout=read_timeout,
        )


def _pauses(poll: float | None) -> Iterator[float]:
    pause = FIRST_PAUSE_S
    while True:
        # Many programs that wait at once should not look at once.
        yield poll or pause * random.uniform(0.75, 1.0)  # noqa: S311 - it spreads load
        pause = min(pause * 1.5, LONGEST_PAUSE_S)
