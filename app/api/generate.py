"""POST /v1/generate."""

from flask import Blueprint, Response, g, jsonify

from app.api.requests import caller, json_body
from app.core.request import parse_generate_request
from app.services.generate import generate
from app.wiring import ports

blueprint = Blueprint("generate", __name__)


@blueprint.post("/v1/generate")
def post_generate() -> Response:
    who = caller()
    request = parse_generate_request(json_body())
    wired = ports()
    return jsonify(
        generate(
            who,
            request,
            g.request_id,
            wired.model,
            wired.clock,
            wired.limits,
            debug=wired.settings.debug_block,
        )
    )
