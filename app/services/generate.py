"""POST /v1/generate: from a validated request to a finished, billed post."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy.orm import Session

from app.core.errors import (
    ContentQualityFailed,
    Later,
    ProhibitedInput,
    RecordedError,
    ServiceError,
    ValidationFailed,
)
from app.core.originality import sign, text_of
from app.core.plan import Plan
from app.core.quality.lengths import post_words
from app.core.render import render
from app.core.request import GenerateRequest, ResponseType
from app.core.wire import to_json
from app.ports import Clock, Model, RateLimiter
from app.services import idempotency, usage
from app.services.authoring import Author, WritingOptions, angles_of_a_call
from app.services.evidence import keep
from app.services.idempotency import Answer, Held, Key
from app.services.leases import LEASE, heartbeat, patiently
from app.services.originality import NearDuplicate, remember
from app.services.pipeline import Written
from app.services.usage import Reservation
from app.store.accounts import Caller
from app.store.database import writing
from app.store.ids import new_id
from app.store.originality import one_at_a_time

_BROKEN = "Something went wrong on our side in the request that had this idempotency key."


@dataclass(frozen=True)
class Call:
    """One call of POST /v1/generate."""

    caller: Caller
    request: GenerateRequest
    request_id: str
    key: Key | None
    debug: bool = False


@dataclass(frozen=True)
class Tools:
    """What a call needs from outside."""

    model: Model
    clock: Clock
    limiter: RateLimiter
    options: WritingOptions


class _TakenOver(Exception):
    """The call was held up past its lease, and another has begun anew with its key."""


def check_plan(request: GenerateRequest, plan: Plan) -> None:
    """Refuse what the plan does not allow.

    Raises:
        ValidationFailed: details have field, maxAllowed and received.
    """
    limits = request.constraints
    for name, value in (("maxWords", limits.max_words), ("minWords", limits.min_words)):
        if value is not None and value > plan.max_words_per_request:
            raise ValidationFailed(
                f"constraints.{name} must be at most {plan.max_words_per_request}"
                f" on the plan {plan.name}; it is {value}.",
                {
                    "field": f"constraints.{name}",
                    "maxAllowed": plan.max_words_per_request,
                    "received": value,
                },
            )


def generate(call: Call, tools: Tools) -> tuple[str, bool]:
    """The JSON of a 200 answer, and whether it is that of an earlier call with the same key.

    The model runs outside of any transaction; the words are billed as the post is stored, and
    given back when there is none.

    Raises:
        ValidationFailed, RateLimited, QuotaExceeded, ContentQualityFailed, ProhibitedInput,
        ModelUnavailable, GenerationTimeout, IdempotencyInProgress
        RecordedError: the earlier call failed.
    """
    while True:
        held = None
        if call.key is not None:
            begun = idempotency.begin(call.key, tools.clock, tools.options.timeout_seconds)
            if isinstance(begun, Answer):
                return _replay(begun), True
            held = begun
        try:
            return _generate(call, held, tools), False
        except _TakenOver:
            continue


def _replay(answer: Answer) -> str:
    if answer.error is not None:
        raise RecordedError(answer.error)
    assert answer.result is not None  # noqa: S101 - a stored answer is one or the other
    return answer.result


def _generate(call: Call, held: Held | None, tools: Tools) -> str:
    reservation = None
    try:
        check_plan(call.request, call.caller.plan)
        usage.admit(call.caller, tools.limiter, tools.clock)
        reservation = _reserve(call, tools.clock)
    except BaseException as error:
        _give_up(held, reservation, error)
        raise
    author = _author(call, reservation, tools)
    # Only a key tells whether a transaction whose confirmation was lost was carried out.
    record = _record if held is None else patiently(_record)
    while True:
        try:
            written = _write(author, held, reservation, tools)
            body = to_json(_body(call, written, tools.model.name))
            signature = sign(text_of(written.post))
        except BaseException as error:
            _give_up(held, reservation, error)
            raise
        try:
            if record(call, held, reservation, body, written, signature, tools.clock.now()):
                return body
        except NearDuplicate as found:
            author.again(found.likeness, written.post.title)
        else:
            raise _TakenOver


def _author(call: Call, reservation: Reservation, tools: Tools) -> Author:
    max_words = call.request.max_words(call.caller.plan.max_words_per_request)
    angles = angles_of_a_call(reservation.id)
    return Author(tools.model, tools.options, call.request, max_words, angles)


def _record(
    call: Call,
    held: Held | None,
    reservation: Reservation,
    body: str,
    written: Written,
    signature: bytes,
    now: datetime,
) -> bool:
    """Store and bill; False where the key is not this call's any more.

    Raises:
        NearDuplicate: the post repeats an earlier one of its account; nothing was stored.
    """
    account_id = call.caller.account_id
    with writing() as session:
        one_at_a_time(session, account_id)
        if held is not None and not held.finish(session, result=body):
            usage.release(session, reservation)
            return False
        # Its own id: request ids are the caller's and may come again.
        remember(session, account_id, new_id("pst"), signature)
        usage.settle(session, reservation, post_words(written.post))
        keep(session, call.request_id, account_id, written, now)
    return True


def _reserve(call: Call, clock: Clock) -> Reservation:
    now = clock.now()
    words = call.request.max_words(call.caller.plan.max_words_per_request)
    with writing() as session:
        usage.count_request(session, call.caller, now)
        return usage.reserve(session, call.caller, words, now, now + LEASE)


def _write(author: Author, held: Held | None, reservation: Reservation, tools: Tools) -> Written:
    def extend(session: Session, until: datetime) -> None:
        usage.extend(session, reservation, until)
        if held is not None:
            held.extend(session, until)

    with heartbeat(extend, tools.clock):
        return author.write(tools.clock.now())


def _give_up(held: Held | None, reservation: Reservation | None, error: BaseException) -> None:
    """Bill nothing, and leave the key as the error asks for: a verdict on the content is kept,
    what may pass frees it."""
    known = (error if isinstance(error, ServiceError) else ServiceError(_BROKEN)).body()
    with writing() as session:
        if reservation is not None:
            usage.release(session, reservation)
        if held is None:
            return
        if isinstance(error, ContentQualityFailed | ProhibitedInput):
            held.finish(session, error=known)
        elif isinstance(error, ValidationFailed | Later):
            held.forget(session)
        else:
            held.leave(session, known)


def _body(call: Call, written: Written, model_name: str) -> dict[str, Any]:
    body: dict[str, Any] = {
        "requestId": call.request_id,
        **delivered(written, call.request.format.response_types, call.request),
    }
    if call.debug:
        body["debug"] = {"generationModel": model_name}
    return body


def delivered(
    written: Written, response_types: Sequence[ResponseType], request: GenerateRequest
) -> dict[str, Any]:
    """post, rendered and quality as the wire has them."""
    rendered = render(
        written.post,
        response_types,
        language=request.language,
        internal_links=request.constraints.include_internal_links_placeholders,
    )
    return {
        "post": written.post.to_wire(),
        "rendered": rendered.to_wire(),
        "quality": written.quality.to_wire(),
    }
