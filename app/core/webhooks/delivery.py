"""Webhooks: the body of a delivery, and when to retry it."""

from collections.abc import Mapping
from datetime import timedelta
from typing import Any

from app.core.schemas.api_model import to_json
from app.core.schemas.job import WebhookEvent

# The pauses that Standard Webhooks recommends: 27.6 hours in all.
_PAUSES = (
    timedelta(seconds=5),
    timedelta(minutes=5),
    timedelta(minutes=30),
    timedelta(hours=2),
    timedelta(hours=5),
    timedelta(hours=10),
    timedelta(hours=10),
)
# Each pause is lengthened by up to this share, so that retries do not come in waves.
_JITTER = 0.2
LONGEST_PAUSE = timedelta(hours=10) * (1 + _JITTER)
"""The longest pause, even if a receiver asks for a longer one."""
GONE = 410


def payload(event: WebhookEvent, job_id: str, request_id: str, members: Mapping[str, Any]) -> str:
    """Return the body of a webhook; every attempt sends the same bytes."""
    body = {"event": event.value, "jobId": job_id, "requestId": request_id, **members}
    return to_json(body)


def next_pause(
    failures: int, asked_seconds: float | None, status: int | None, random: float
) -> timedelta | None:
    """Return how long to wait after ``failures`` failures; None to give up, as after a 410 Gone.

    ``asked_seconds`` is the receiver's Retry-After, ``random`` is from 0 to 1.
    """
    if status == GONE or failures > len(_PAUSES):
        return None
    pause = _PAUSES[failures - 1] * (1 + _JITTER * random)
    asked = timedelta(seconds=asked_seconds or 0)
    return min(max(pause, asked), LONGEST_PAUSE)
