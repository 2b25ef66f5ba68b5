"""Webhooks: what is sent, and when it is tried again."""

from collections.abc import Mapping
from datetime import timedelta
from typing import Any

from app.core.job import WebhookEvent
from app.core.wire import to_json

# The pauses that the Standard Webhooks recommend, after the first attempt: 27.6 hours in all.
_PAUSES = (
    timedelta(seconds=5),
    timedelta(minutes=5),
    timedelta(minutes=30),
    timedelta(hours=2),
    timedelta(hours=5),
    timedelta(hours=10),
    timedelta(hours=10),
)
# A receiver that asks for a longer pause than this gets this one.
_LONGEST_PAUSE = timedelta(hours=10)
# Each pause is lengthened by up to this part of it, so that receivers are not hit in waves.
_JITTER = 0.2
GONE = 410


def payload(event: WebhookEvent, job_id: str, request_id: str, members: Mapping[str, Any]) -> str:
    """The body: written once, so that every attempt sends the same bytes."""
    body = {"event": event.value, "jobId": job_id, "requestId": request_id, **members}
    return to_json(body)


def is_delivered(status: int | None) -> bool:
    """Any 2xx: a redirect is a failure like any other."""
    return status is not None and 200 <= status < 300


def next_pause(
    failures: int, asked_seconds: float | None, status: int | None, random: float
) -> timedelta | None:
    """How long to wait after the failure number ``failures``; None to give up.

    ``asked_seconds`` is the receiver's Retry-After, ``random`` is from 0 to 1. A receiver that
    says 410 Gone is not asked again.
    """
    if status == GONE or failures > len(_PAUSES):
        return None
    pause = _PAUSES[failures - 1] * (1 + _JITTER * random)
    asked = timedelta(seconds=asked_seconds or 0)
    return min(max(pause, asked), _LONGEST_PAUSE * (1 + _JITTER))
