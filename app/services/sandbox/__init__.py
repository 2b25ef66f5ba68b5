"""Answers to test keys, which belong to the sandbox of an account (``app.core.credentials``).

They are a fixed post, or the error that a keyword such as ``test:CONTENT_QUALITY_FAILED`` asks
for.
"""

from collections.abc import Iterable
from datetime import datetime
from typing import Any

from app.core.schemas.request import GenerateRequest, ResponseType
from app.rendering.page import answer_members
from app.services.sandbox.errors import provoked
from app.services.sandbox.post import fixed_post

MODEL_NAME = "sandbox"


def raise_provoked(request: GenerateRequest, now: datetime, *, new_job: bool = False) -> None:
    """Raise the error that a keyword asks for; for a new job, only one that refuses it.

    Raises:
        ValidationFailed: a keyword asks for an unknown error.
        ServiceError: the error.
    """
    found = provoked(request.keywords)
    if found is not None and (found.refuses_job or not new_job):
        raise found.error(now)


def result(
    request: GenerateRequest, max_words: int, wanted: Iterable[ResponseType]
) -> dict[str, Any]:
    """Return the members post, rendered and quality of the answer to a request."""
    post, quality = fixed_post(request, max_words)
    return answer_members(post, quality, request, wanted)
