"""HTTP: parse the request, call a service, return JSON. No business rules."""

from flask import Blueprint, Flask
from werkzeug.middleware.proxy_fix import ProxyFix

from app.api import docs, errors, feed, hooks, views
from app.core.schemas.json_body import MAX_BODY_BYTES
from app.logs import about


def init_app(app: Flask) -> None:
    """Add the routes, the error handlers and the log line of each request to the application."""
    # Flask silently truncates a chunked body at its limit. Allow one byte more, so that a body that
    # is too long can be detected.
    app.config["MAX_CONTENT_LENGTH"] = MAX_BODY_BYTES + 1
    # Otherwise /v1//usage gets a redirect, whose body is not JSON.
    app.url_map.merge_slashes = False
    # Threads are reused: clear the log ids after each request.
    app.wsgi_app = about()(app.wsgi_app)  # type: ignore[method-assign]
    app.before_request(hooks.tag_request)
    app.after_request(hooks.finish)
    errors.init_app(app)
    proxies = app.extensions["copydesk"].settings.trusted_proxies
    if proxies:
        # The client's address, and the scheme for /v1/docs. The proxy already forwards the host.
        app.wsgi_app = ProxyFix(app.wsgi_app, x_for=proxies, x_proto=proxies)  # type: ignore[method-assign]
    v1 = Blueprint("v1", __name__, url_prefix="/v1")
    for module in (views, feed, docs):
        v1.register_blueprint(module.blueprint)
    app.register_blueprint(v1)
    app.register_blueprint(views.health)
