"""GET /v1/usage."""

from flask import Blueprint, Response, jsonify

from app.api.requests import caller
from app.services.usage import report
from app.wiring import ports

blueprint = Blueprint("usage", __name__)


@blueprint.get("/v1/usage")
def get_usage() -> Response:
    return jsonify(report(caller(), ports().clock))
