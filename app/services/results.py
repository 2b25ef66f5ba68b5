"""What a call, a job or a run makes of its post. The journal stores which of them, so that a replay
makes the same."""

from collections.abc import Mapping, Sequence
from typing import Any

from app.core.planning.angles import Angle
from app.core.rendering.offers import Offer
from app.core.rendering.render import answer_members, render
from app.core.schemas.request import GenerateRequest, ResponseType, parse
from app.services.pipeline import Written

_BOTH = (ResponseType.MARKDOWN, ResponseType.HTML)


def of_call(request_id: str, model: str | None) -> dict[str, Any]:
    """Return the output of POST /v1/generate; ``model`` is named in its debug block."""
    return {"kind": "call", "requestId": request_id, "model": model}


def of_job(response_types: Sequence[str]) -> dict[str, Any]:
    """Return the output of a job."""
    return {"kind": "job", "responseTypes": list(response_types)}


def of_item(offers: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return the output of a run: a feed item with these offers."""
    return {"kind": "item", "offers": [dict(offer) for offer in offers]}


def make_result(
    output: Mapping[str, Any], request: GenerateRequest, written: Written, angle: Angle | None
) -> dict[str, Any]:
    """Return the body of a call, the result of a job, or the columns of a feed item."""
    post, quality = written.post, written.quality
    if output["kind"] == "call":
        body: dict[str, Any] = {
            "requestId": output["requestId"],
            **answer_members(post, quality, request, request.format.response_types),
        }
        if output["model"] is not None:
            body["debug"] = {"generationModel": output["model"]}
        return body
    if output["kind"] == "job":
        wanted = tuple(ResponseType(kind) for kind in output["responseTypes"])
        return answer_members(post, quality, request, wanted)
    offers = [parse(Offer, offer) for offer in output["offers"]]
    links = request.constraints.include_internal_links_placeholders
    rendered = render(post, _BOTH, offers, request.language, internal_links=links)
    return {
        "title": post.title,
        "angle": angle.key if angle else None,
        "post": post.to_wire(),
        "markdown": rendered.markdown or "",
        "html": rendered.html or "",
    }
