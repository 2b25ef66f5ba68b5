"""Health: /healthz answers while the process lives, /readyz once every port is reachable."""

from flask import Blueprint, Response, jsonify
from sqlalchemy import text
from sqlalchemy.exc import SQLAlchemyError

from app.core.errors import ServiceError
from app.ports import QueueUnavailable
from app.store.database import reading
from app.wiring import ports

blueprint = Blueprint("health", __name__)


@blueprint.get("/healthz")
def healthz() -> Response:
    return jsonify({"status": "ok"})


@blueprint.get("/readyz")
def readyz() -> tuple[Response, int]:
    checks = {"database": _database(), "queue": _queue(), "model": _model()}
    ready = all(problem is None for problem in checks.values())
    body = {name: problem or "ok" for name, problem in checks.items()}
    return jsonify({"status": "ok" if ready else "unavailable", **body}), 200 if ready else 503


def _database() -> str | None:
    try:
        with reading() as session:
            session.execute(text("SELECT 1 FROM plans LIMIT 1"))
    except SQLAlchemyError as error:
        return f"unreachable ({type(error).__name__})"
    return None


def _queue() -> str | None:
    try:
        ports().queue.ping()
    except QueueUnavailable as error:
        return str(error)
    return None


def _model() -> str | None:
    try:
        ports().model.ping()
    except ServiceError as error:
        return error.message
    return None
