"""Errors as HTTP: the one place that maps a code to a status."""

import logging

from flask import Flask, Response, g, jsonify, request
from sqlalchemy.exc import InterfaceError, InternalError, OperationalError, SQLAlchemyError
from sqlalchemy.exc import TimeoutError as PoolTimeout
from werkzeug.exceptions import HTTPException, MethodNotAllowed

from app.core.errors import Later, RecordedError, ServiceError

log = logging.getLogger(__name__)

STATUS = {
    "VALIDATION_ERROR": 400,
    "UNAUTHORIZED": 401,
    "FORBIDDEN": 403,
    "NOT_FOUND": 404,
    "METHOD_NOT_ALLOWED": 405,
    "CONFLICT": 409,
    "IDEMPOTENCY_IN_PROGRESS": 409,
    "PAYLOAD_TOO_LARGE": 413,
    "UNSUPPORTED_MEDIA_TYPE": 415,
    "CONTENT_QUALITY_FAILED": 422,
    "PROHIBITED_INPUT": 422,
    "QUOTA_EXCEEDED": 429,
    "RATE_LIMITED": 429,
    "INTERNAL_ERROR": 500,
    "SERVICE_UNAVAILABLE": 503,
    "GENERATION_TIMEOUT": 504,
}
# Clients in the manner of OpenAI's retry 409 and 429 by themselves: here that cannot help.
# A generation that took too long would take as long again, and cost as much.
_FINAL = frozenset({"CONFLICT", "QUOTA_EXCEEDED", "GENERATION_TIMEOUT"})
_RETRY_AFTER_SECONDS = 5
# PostgreSQL's codes for a transaction that idled too long, and for a server that became a standby.
_MAY_PASS = frozenset({"25P03", "25006"})


def init_app(app: Flask) -> None:
    app.register_error_handler(ServiceError, _service_error)
    app.register_error_handler(HTTPException, _http_error)
    for kind in (OperationalError, InterfaceError, InternalError, PoolTimeout):
        app.register_error_handler(kind, _database_error)
    app.register_error_handler(Exception, _bug)


def _service_error(error: ServiceError) -> Response:
    response = _respond(STATUS[error.code], error)
    if error.code == "UNAUTHORIZED":
        response.headers["WWW-Authenticate"] = 'Bearer realm="copydesk"'
    if error.code in _FINAL:
        response.headers["x-should-retry"] = "false"
    if error.code == "SERVICE_UNAVAILABLE":
        response.headers["Retry-After"] = str(_RETRY_AFTER_SECONDS)
    if isinstance(error, Later):
        response.headers["Retry-After"] = str(error.retry_after)
    if isinstance(error, RecordedError):
        g.replayed = True
    return response


class _Http(ServiceError):
    """An error that the HTTP layer itself found."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self._code = code

    def body(self) -> dict[str, object]:
        return {**super().body(), "code": self._code}


def _http_error(error: HTTPException) -> Response:
    status = error.code or 500
    if status == 404:
        return _respond(404, _Http("NOT_FOUND", "There is nothing at this path."))
    if isinstance(error, MethodNotAllowed):
        allowed = ", ".join(sorted(error.valid_methods or ()))
        response = _respond(
            405,
            _Http("METHOD_NOT_ALLOWED", f"{request.method} is not allowed here; use {allowed}."),
        )
        response.headers["Allow"] = allowed
        return response
    if status == 413:
        return _respond(413, _Http("PAYLOAD_TOO_LARGE", "The request is too large."))
    if 400 <= status < 500:
        return _respond(400, _Http("VALIDATION_ERROR", "The request could not be understood."))
    return _bug(error)


def _database_error(error: SQLAlchemyError) -> Response:
    cause = getattr(error, "orig", None) or error
    if isinstance(error, InternalError) and getattr(cause, "sqlstate", None) not in _MAY_PASS:
        return _bug(error)
    log.error("the database did not answer: %s", type(cause).__name__, exc_info=error)
    problem = _Http("SERVICE_UNAVAILABLE", "The database did not answer. Try again shortly.")
    response = _respond(503, problem)
    response.headers["Retry-After"] = str(_RETRY_AFTER_SECONDS)
    return response


def _bug(error: Exception) -> Response:
    log.error("unexpected error in %s %s", request.method, request.url_rule, exc_info=error)
    message = f"Something went wrong on our side. Quote the request id {g.get('request_id', '')}."
    return _respond(500, _Http("INTERNAL_ERROR", message))


def _respond(status: int, error: ServiceError) -> Response:
    response = jsonify({"error": error.body()})
    response.status_code = status
    return response
