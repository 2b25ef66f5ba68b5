"""POST /v1/generate: from a validated request to a finished, billed post."""

from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from app.core.brief import make_brief
from app.core.errors import ContentQualityFailed, ValidationFailed
from app.core.plan import Plan
from app.core.quality.lengths import post_words
from app.core.render import render
from app.core.request import FactualityMode, GenerateRequest
from app.ports import Clock, Model
from app.services import usage
from app.services.pipeline import Written, write_post
from app.store import usage as store
from app.store.accounts import Caller
from app.store.database import writing


@dataclass(frozen=True)
class WritingLimits:
    """How long a post may take in seconds, and how many drafts each piece gets in a round."""

    timeout_seconds: float
    drafts: int


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


def check_evidence(request: GenerateRequest) -> None:
    """Refuse what cannot be verified: without sources a verified post would only claim to be one.

    Raises:
        ContentQualityFailed: verified mode, and no source is configured.
    """
    if request.factuality_mode is FactualityMode.VERIFIED:
        raise ContentQualityFailed(
            "factualityMode verified needs sources to check against, and none is configured."
            " Use standard.",
            {"field": "factualityMode", "received": request.factuality_mode.value},
        )


def generate(
    caller: Caller,
    request: GenerateRequest,
    request_id: str,
    model: Model,
    clock: Clock,
    limits: WritingLimits,
    *,
    debug: bool = False,
) -> dict[str, Any]:
    """The body of a 200 answer.

    The model runs outside of any transaction; the words are billed when the post is there, and
    given back when it is not.

    Raises:
        ValidationFailed, QuotaExceeded, ContentQualityFailed, ProhibitedInput,
        ModelUnavailable, GenerationTimeout
    """
    check_plan(request, caller.plan)
    check_evidence(request)
    max_words = request.max_words(caller.plan.max_words_per_request)
    # Past the time limit at most one call to the model is still under way.
    lease = timedelta(seconds=limits.timeout_seconds * 2)
    reservation = usage.reserve(caller, max_words, lease, clock)
    try:
        written = write_post(
            model,
            make_brief(request, max_words=max_words),
            drafts=limits.drafts,
            timeout_seconds=limits.timeout_seconds,
        )
        body = _body(request, request_id, written)
    except BaseException:
        usage.release(reservation)
        raise
    with writing() as session:
        store.release_words(session, reservation.id)
        store.bill(session, caller.account_id, reservation.period, post_words(written.post))
    if debug:
        body["debug"] = {"generationModel": model.name}
    return body


def _body(request: GenerateRequest, request_id: str, written: Written) -> dict[str, Any]:
    rendered = render(written.post, request.format.response_types, language=request.language)
    return {
        "requestId": request_id,
        "post": written.post.to_wire(),
        "rendered": rendered.to_wire(),
        "quality": written.quality.to_wire(),
    }
