"""Errors as HTTP responses."""

import logging
import tomllib
from pathlib import Path

from flask import Flask, Response, g, jsonify, request
from sqlalchemy.exc import SQLAlchemyError
from werkzeug.exceptions import HTTPException, MethodNotAllowed

from app.api.requests import public_address
from app.core.errors import DatabaseUnavailable, Later, RecordedError, ServiceError
from app.store.trouble import is_passing

log = logging.getLogger(__name__)

ERRORS = tomllib.loads(Path(__file__).with_name("errors.toml").read_text("utf-8"))
"""Every error that a caller can get, by its code."""
STATUS: dict[str, int] = {code: error["status"] for code, error in ERRORS.items()}
# Clients modelled on OpenAI's retry 409, 429 and 504, which does not help with these.
_FINAL = {code for code, error in ERRORS.items() if "x-should-retry" in error.get("headers", ())}
_RETRY_AFTER_SECONDS = 5


def init_app(app: Flask) -> None:
    app.register_error_handler(ServiceError, service_error)
    app.register_error_handler(HTTPException, _http_error)
    app.register_error_handler(SQLAlchemyError, _database_error)
    app.register_error_handler(Exception, _bug)


def service_error(error: ServiceError) -> Response:
    """Return the response to an error of a service."""
    response = _respond(error)
    if isinstance(error, RecordedError):  # logged when it was recorded
        g.replayed = True
    elif response.status_code >= 500 or error.operator != error.message:
        log.warning("%s: %s", error.code, error.operator)
    if error.code == "UNAUTHORIZED":
        response.headers["WWW-Authenticate"] = 'Bearer realm="copydesk"'
    if error.code in _FINAL:
        response.headers["x-should-retry"] = "false"
    retry_after = error.retry_after
    if error.code == "SERVICE_UNAVAILABLE" and not isinstance(error, Later):
        retry_after = max(retry_after or 0, _RETRY_AFTER_SECONDS)
    if retry_after is not None:
        response.headers["Retry-After"] = str(retry_after)
    return response


def _http_error(error: HTTPException) -> Response:
    status = error.code or 500
    if status == 404:
        return _respond_with("NOT_FOUND", "There is nothing at this path.")
    if isinstance(error, MethodNotAllowed):
        methods = sorted(error.valid_methods or ())
        useful = " or ".join(method for method in methods if method not in {"HEAD", "OPTIONS"})
        response = _respond_with(
            "METHOD_NOT_ALLOWED", f"{request.method} is not allowed here; use {useful}."
        )
        response.headers["Allow"] = ", ".join(methods)
        return response
    if status == 413:
        return _respond_with("PAYLOAD_TOO_LARGE", "The request is too large.")
    if 400 <= status < 500:
        return _respond_with("VALIDATION_ERROR", "The request could not be understood.")
    return _bug(error)


def _database_error(error: SQLAlchemyError) -> Response:
    if not is_passing(error):
        return _bug(error)
    cause = getattr(error, "orig", None) or error
    log.error("the database did not answer: %s", type(cause).__name__, exc_info=error)
    response = _respond(DatabaseUnavailable())
    response.headers["Retry-After"] = str(_RETRY_AFTER_SECONDS)
    return response


def _bug(error: Exception) -> Response:
    log.error("unexpected error in %s %s", request.method, request.url_rule, exc_info=error)
    message = f"Something went wrong on our side. Quote the request id {g.get('request_id', '')}."
    return _respond_with("INTERNAL_ERROR", message)


def _respond_with(code: str, message: str) -> Response:
    error = ServiceError(message)
    error.code = code
    return _respond(error)


def _respond(error: ServiceError) -> Response:
    g.setdefault("problem", error.code)
    first = error.request_id if isinstance(error, RecordedError) else None
    response = jsonify(
        {
            "error": error.body(),
            "requestId": first or g.request_id,
            "documentation": f"{public_address()}/v1/docs#{error.code}",
        }
    )
    response.status_code = STATUS[error.code]
    return response
