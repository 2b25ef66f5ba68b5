"""GET /v1/openapi.json."""

from flask import Blueprint, Response

from app.api.openapi.document import as_json

blueprint = Blueprint("openapi", __name__)


@blueprint.get("/v1/openapi.json")
def get_openapi() -> Response:
    response = Response(as_json(), mimetype="application/json")
    # Tools that run in a page of another origin read it as well; it holds nothing private.
    response.headers["Access-Control-Allow-Origin"] = "*"
    response.headers["Cache-Control"] = "max-age=300"
    return response
