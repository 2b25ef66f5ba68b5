"""What a request can wait for without a thread: its body, a place, a call with the same key.

The number of threads is limited. A view that would have to wait calls one of these functions, which
park the request: the view ends, the front (``app.api.front``) waits without a thread and dispatches
the request again. Other WSGI servers have no front. There, a body is read as it arrives, the number
of places is unlimited, and a key in use gets a 409 immediately.
"""

import time
from dataclasses import dataclass, field
from enum import StrEnum
from typing import NoReturn

from flask import g, request

from app.core.errors import Later, ServiceError
from app.services.idempotency import KeyInUse

ENVIRON_KEY = "copydesk.pending"
BODY_SECONDS = 10


class Wait(StrEnum):
    """What a parked request waits for."""

    BODY = "body"
    PLACE = "place"
    CHECK = "check"
    KEY = "key"


class Parked(Exception):
    """The request is parked. The front will dispatch it again."""


class RequestTimeout(ServiceError):
    code = "REQUEST_TIMEOUT"


class Crowded(Later):
    """Every place for calls of this kind is in use."""

    code = "SERVICE_UNAVAILABLE"


@dataclass
class PendingRequest:
    """A request between its dispatches.

    The front sets ``body`` (None until it has arrived), ``place`` (PLACE or CHECK, whichever the
    request has) and ``refusal`` (the error to return). The application sets the rest when it parks
    the request: ``otherwise`` is the error to return if the wait fails, ``owner`` the call that
    uses the idempotency key.
    """

    body: bytes | None = None
    place: Wait | None = None
    refusal: ServiceError | None = None
    began: float = field(default_factory=time.monotonic)
    request_id: str = ""
    account_id: str = ""
    wait: Wait | None = None
    otherwise: ServiceError | None = None
    owner: str = ""


def pending() -> PendingRequest | None:
    """Return the front's record of the request; None behind another server."""
    found: PendingRequest | None = request.environ.get(ENVIRON_KEY)
    return found


def is_parked() -> bool:
    """Return whether this dispatch ended without a response."""
    here = pending()
    return here is not None and here.wait is not None


def was_parked() -> bool:
    """Return whether an earlier dispatch of this request was parked."""
    here = pending()
    return here is not None and here.account_id != ""


def park_as(other: PendingRequest) -> NoReturn:
    """Park this request for what another one, which it makes itself, waits for.

    Raises:
        Parked
    """
    here = pending()
    assert here is not None  # noqa: S101 - the other one is a copy of it
    here.account_id, here.owner = other.account_id, other.owner
    here.wait, here.otherwise = other.wait, other.otherwise
    raise Parked


def arrived_body() -> bytes | None:
    """Return the body, truncated one byte above the limit; None behind another server.

    Raises:
        Parked: it has not arrived yet.
        RequestTimeout: it did not arrive in time.
        RateLimited: too many calls of the account are in flight.
    """
    here = pending()
    if here is None:
        return None
    if here.body is None:
        _park(
            here,
            Wait.BODY,
            RequestTimeout(f"The body did not arrive within {BODY_SECONDS} seconds."),
        )
    return here.body


def take_place() -> None:
    """Make sure that the request has one of the places for calls that wait for the model.

    Raises:
        Parked: it has no place yet.
        Crowded: no place became free in time.
        RateLimited: too many calls of the account are in flight.
    """
    _take(Wait.PLACE, "The service is busy writing other posts. Try again shortly.")


def take_turn_to_check() -> None:
    """Make sure that the request is the only one in this process that checks a text.

    Raises:
        Parked: another text is being checked.
        Crowded: its turn did not come in time.
        RateLimited: too many calls of the account are in flight.
    """
    _take(Wait.CHECK, "The service is busy checking other texts. Try again shortly.")


def wait_for_key(in_use: KeyInUse) -> NoReturn:
    """Wait for the call that uses the request's idempotency key.

    Raises:
        Parked: it is still running.
        KeyInUse: it did not end in time.
        RateLimited: too many calls of the account are in flight.
    """
    here = pending()
    if here is None:
        raise in_use
    here.owner = in_use.owner
    _park(here, Wait.KEY, in_use)


def waited_for() -> str:
    """Return the call that this request waited for because of its key; empty if none."""
    here = pending()
    return here.owner if here is not None else ""


def _take(place: Wait, message: str) -> None:
    here = pending()
    if here is not None and here.place is not place:
        _park(here, place, Crowded(message, retry_after=1))


def _park(here: PendingRequest, wait: Wait, otherwise: ServiceError) -> NoReturn:
    if here.refusal is not None:
        raise here.refusal
    here.account_id = g.caller.account_id
    here.wait, here.otherwise = wait, otherwise
    raise Parked
