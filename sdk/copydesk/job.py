"""A job as the service tells of it: a post that is written in the background."""

from dataclasses import dataclass, field
from datetime import datetime
from typing import Annotated, Any, Self

from copydesk._wire import REQUIRED, Received, UnexpectedAnswer, Wire, child
from copydesk.errors import JobPendingError, error_class
from copydesk.models import Generation, Quality
from copydesk.post import Post, Rendered


@dataclass(frozen=True)
class InputSummary(Received):
    """What the job was asked for."""

    keywords: tuple[str, ...]
    language: str
    max_words: int | None


@dataclass(frozen=True)
class JobError(Received):
    """Why a job failed; ``code`` is one of those in ``copydesk.errors``."""

    code: str
    message: str

    @property
    def details(self) -> dict[str, Any]:
        """What the code leaves open; empty where there is nothing."""
        return child(self.raw, "details")


@dataclass(frozen=True)
class Job(Received):
    """A job as it was when the service was asked.

    ``status`` is queued, processing, succeeded, failed, or one that is newer than this package.
    ``post``, ``rendered`` and ``quality`` are there once it succeeded, ``error`` once it failed.
    ``webhook_signing_secret`` is in the answer to ``jobs.create`` alone, and only where there is a
    webhook; no repr shows it.
    """

    job_id: Annotated[str, REQUIRED]
    status: Annotated[str, REQUIRED]
    created_at: datetime | None
    updated_at: datetime | None
    request_id: str
    input_summary: InputSummary
    webhook_signing_secret: str | None = field(repr=False)
    post: Annotated[Post | None, Wire("result")]
    rendered: Rendered | None
    quality: Quality | None
    error: JobError | None

    @classmethod
    def from_wire(cls, data: dict[str, Any]) -> Self:
        job = super().from_wire(data)
        if job.status == "succeeded" and job.post is None:
            raise UnexpectedAnswer("it has no result")
        return job

    @property
    def done(self) -> bool:
        """Whether it has come to its end, one way or the other."""
        return self.status in {"succeeded", "failed"}

    def generation(self) -> Generation:
        """What the job made, in the form that ``generate`` returns.

        Raises:
            APIError: the job failed; the class is that which ``generate`` would have raised.
            JobPendingError: the job is not done yet.
        """
        if self.status == "failed":
            error = self.error or JobError.from_wire({})
            raise error_class(0, error.code)(
                error.message or "the job failed",
                code=error.code or None,
                details=error.details,
                request_id=self.request_id or None,
            )
        if not self.done:
            raise JobPendingError(
                f"job {self.job_id} is {self.status} and has no post yet: wait for it",
                self,
            )
        members = {name: child(self.raw, name) for name in ("rendered", "quality")}
        post = child(self.raw, "result")
        return Generation.from_wire({"requestId": self.request_id, "post": post, **members})
