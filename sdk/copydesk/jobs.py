"""The calls for jobs: create one now, get the post later."""

import random
import time
from collections.abc import Iterator, Sequence
from typing import Unpack

from copydesk._address import path_segment
from copydesk._transport import (
    READ_TIMEOUT_S,
    Transport,
    checked_seconds,
    key_or_new,
    named_in_errors,
)
from copydesk.errors import APIError, ConfigurationError, CopydeskError, JobPendingError
from copydesk.models import Job
from copydesk.request import GenerateRequest, job_body, listed

# Pauses between polls, growing by half: most posts take from seconds to minutes.
FIRST_PAUSE_S = 1.0
LONGEST_PAUSE_S = 10.0


class Jobs:
    """Posts written in the background; ``Copydesk.jobs`` is an instance."""

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
        """Create a job with the arguments of ``generate``, and return immediately.

        ``webhook_url`` and ``webhook_events`` (job.succeeded, job.failed) go together: the service
        sends these events to the URL, signed with a secret that only this response contains. See
        ``copydesk.webhooks``.

        ``idempotency_key`` works as in ``generate``: one key makes one job, and a later call with
        the same key returns the same response.

        Raises:
            ValidationError: an argument is wrong. A request beyond the plan may instead end in a
                failed job.
            RateLimitError, QuotaExceededError: the plan's limits.
            APIConnectionError, ServerError: no response, or a failure, after all retries.
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
        """Return the current state of the job.

        Raises:
            NotFoundError: the job does not exist, or belongs to another account.
        """
        return self._get(job_id, retry=True, read_timeout=self._timeout)

    def wait(self, job_id: str, *, timeout: float = 600.0, poll: float | None = None) -> Job:
        """Wait until the job has succeeded or failed, and return it.

        It waits at most ``timeout`` seconds and polls every ``poll`` seconds; by default, the
        pauses grow from one second to ten. Transient failures are retried until the
        deadline once the service has answered, and as in every call before that.

        Raises:
            JobPendingError: the job is not done within ``timeout``. It continues: wait again.
            NotFoundError: the job does not exist, or belongs to another account.
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
        # Jitter, so that many waiting programs do not poll at the same time.
        yield poll or pause * random.uniform(0.75, 1.0)  # noqa: S311 - it spreads load
        pause = min(pause * 1.5, LONGEST_PAUSE_S)
