"""A stand-in for the service, for the programs of examples/ and bench/: no model, no database.

It keeps idempotency keys, counts the posts that it would bill, and knows the keywords ``test:CODE``
of the sandbox. It needs no package but the SDK, as the test of examples/airflow.
"""

import json
import threading
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from copydesk.testing import make_generation, make_job, make_post
from tests.support.loopback import Handler, Server, running

STATUS = {
    "CONTENT_QUALITY_FAILED": 422,
    "PROHIBITED_INPUT": 422,
    "QUOTA_EXCEEDED": 429,
    "SERVICE_UNAVAILABLE": 503,
}
SECONDS = 60
USAGE = {
    "plan": {"id": "test", "name": "Test", "priorityProcessing": False, "teamSeats": 1},
    "periodStart": "2026-01-01T00:00:00.000Z",
    "periodEnd": "2026-02-01T00:00:00.000Z",
    "metering": {"unit": "word", "granularity": "request"},
    "limits": {"monthlyWords": 20_000, "maxWordsPerRequest": 1_500, "requestsPerMinute": 10},
    "consumed": {"words": 0, "posts": 0, "requests": 0},
    "remaining": {"words": 20_000},
    "daily": {"limit": 50, "used": 0, "remaining": 50, "resetAt": "2026-02-01T00:00:00.000Z"},
}
Reply = tuple[int, dict[str, Any]]


class CannedService:
    """Its ``url`` works within ``serve``."""

    api_key = "cd_test_canned"

    def __init__(self) -> None:
        self.url = ""
        self.bodies: list[dict[str, Any]] = []
        # While it holds, it does the work of a request and keeps the answer until it is released.
        self.holds = False
        self.worked, self.released = threading.Event(), threading.Event()
        self._failures: deque[str] = deque()
        self._replies: dict[str, Reply] = {}
        self._jobs: dict[str, dict[str, Any]] = {}
        self._lock = threading.Lock()

    @property
    def billed(self) -> int:
        """The number of posts that were written."""
        return sum("post" in body or "jobId" in body for _, body in self._replies.values())

    def fail_next(self, code: str, times: int = 1) -> None:
        """Answer the next requests with an error."""
        self._failures.extend([code] * times)

    def reply(self, method: str, path: str, key: str, body: dict[str, Any]) -> Reply:
        with self._lock:
            if body:
                self.bodies.append(body)
            if self._failures:
                return _error(self._failures.popleft())
            if method == "GET":
                found = self._jobs.get(path.rpartition("/")[2])
                return (200, found) if found else (200, USAGE)
            key = key or body["idempotencyKey"]
            if key not in self._replies:
                is_job = path.endswith("/jobs")
                made = self._job(body["generateRequest"]) if is_job else _generation(body)
                if made[0] == 422 or made[0] < 300:
                    self._replies[key] = made
                return made
            return self._replies[key]

    def _job(self, request: dict[str, Any]) -> Reply:
        status, made = _generation(request)
        job_id = f"job_{len(self._jobs)}"
        if status == 200:
            job = make_job("succeeded", make_post(keywords=request["keywords"]), job_id=job_id)
        else:
            job = make_job("failed", job_id=job_id, error=made["error"])
        self._jobs[job_id] = job.raw
        return 202, make_job(job_id=job_id).raw

    @contextmanager
    def serve(self) -> Iterator[str]:
        """Serve on loopback while the block runs; yield the URL."""
        with running(Server(_handler(self))) as server:
            self.url = server.origin
            try:
                yield self.url
            finally:
                self.released.set()


def _generation(request: dict[str, Any]) -> Reply:
    code = next((each[5:] for each in request["keywords"] if each.startswith("test:")), "")
    if code:
        return _error(code)
    return 200, make_generation(make_post(keywords=request["keywords"])).raw


def _error(code: str) -> Reply:
    return STATUS[code], {"error": {"code": code, "message": "It was told to fail."}}


def _handler(service: CannedService) -> type[Handler]:
    class Canned(Handler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True

        def get(self) -> None:
            raw = self.read_body()
            key = self.headers.get("Idempotency-Key", "")
            status, body = service.reply(
                self.command, self.path, key, json.loads(raw) if raw else {}
            )
            if service.holds:
                service.worked.set()
                service.released.wait(SECONDS)
            data = json.dumps(body).encode()
            self.answer(status, data, {"Content-Type": "application/json"})

        post = get

    return Canned
