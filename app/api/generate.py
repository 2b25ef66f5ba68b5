"""POST /v1/generate."""

from flask import Blueprint, Response, g

from app.api.requests import answer, caller_with_key, idempotency_key, json_body
from app.core.request import parse_generate_request
from app.services.generate import Call, Tools, generate
from app.wiring import ports

blueprint = Blueprint("generate", __name__)


@blueprint.post("/v1/generate")
def post_generate() -> Response:
    who = caller_with_key("generate")
    body = json_body()
    request = parse_generate_request(body)
    key = idempotency_key("generate", body, idempotencyKey=request.idempotency_key)
    wired = ports()
    call = Call(who, request, g.request_id, key, debug=wired.settings.debug_block)
    result, replayed = generate(call, Tools(wired.model, wired.clock, wired.limiter, wired.options))
    return answer(result, replayed=replayed)
