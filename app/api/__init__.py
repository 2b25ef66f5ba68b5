"""HTTP: parse, call a service, answer JSON. No rule of the product lives here."""

from flask import Flask
from werkzeug.middleware.proxy_fix import ProxyFix

from app.api import docs, errors, feed, generate, health, jobs, openapi, usage
from app.api.limits import tag_limits
from app.api.requests import MAX_BODY_BYTES, tag_request, tag_response
from app.wiring import ports


def init_app(app: Flask) -> None:
    """Register everything that answers HTTP."""
    # Flask cuts a body that comes in chunks off at its limit, without a word. One byte more than
    # we allow tells us that there is too much.
    app.config["MAX_CONTENT_LENGTH"] = MAX_BODY_BYTES + 1
    # Otherwise /v1//usage is answered with a redirect, whose body is no JSON.
    app.url_map.merge_slashes = False
    app.before_request(tag_request)
    app.after_request(tag_response)
    app.after_request(tag_limits)
    errors.init_app(app)
    with app.app_context():
        proxies = ports().settings.trusted_proxies
    if proxies:
        # Only the address: nothing that is answered is built from host or scheme.
        app.wsgi_app = ProxyFix(app.wsgi_app, x_for=proxies, x_proto=0)  # type: ignore[method-assign]
    for module in (generate, jobs, usage, feed, health, openapi, docs):
        app.register_blueprint(module.blueprint)
