"""HTTP: parse, call a service, answer JSON. No rule of the product lives here."""

from flask import Flask

from app.api import errors, feed, generate, health, jobs, openapi, usage
from app.api.limits import tag_limits
from app.api.requests import MAX_BODY_BYTES, tag_request, tag_response


def init_app(app: Flask) -> None:
    """Register everything that answers HTTP."""
    # Flask's own limit answers before a body is read; ours is checked with a better sentence.
    app.config["MAX_CONTENT_LENGTH"] = MAX_BODY_BYTES
    app.before_request(tag_request)
    app.after_request(tag_response)
    app.after_request(tag_limits)
    errors.init_app(app)
    for module in (generate, jobs, usage, feed, health, openapi):
        app.register_blueprint(module.blueprint)
