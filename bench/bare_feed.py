"""The peer of bench/feed.py: the statements of a poll, a claim and a confirm by the bare driver,
behind Flask routes with nothing else to them.

The statements are the service's own, and so is the durability. The writers of one process take
turns here as well: it is not the database's busy handler that is measured.
"""

import hashlib
import json
import os
import sqlite3
import threading
from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from datetime import UTC, datetime
from typing import Any

import psycopg
from flask import Flask, Response, jsonify
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.engine import make_url
from sqlalchemy.sql import Executable

from app.api.admission import Admission
from app.api.front import Front
from app.store import feed, hot

Row = Sequence[Any]
Compiled = tuple[str, list[str] | None, dict[str, Any]]
"""The SQL, the order of its parameters if they have no names, and those that are constant."""


def bare() -> Flask:
    """Two routes that answer what the service answers."""
    app = Flask("bare", static_folder=None)
    driver = Driver(os.environ["BENCH_DATABASE_URL"])

    @app.get("/<token>/latest")
    def latest(token: str) -> Response:
        item = driver.claim(token)
        if item is None:
            return jsonify({"available": False})
        return jsonify({"available": True, "item": item})

    @app.post("/<token>/items/<item_id>/confirm")
    def confirm(token: str, item_id: str) -> Response:
        driver.confirm(token, item_id)
        return jsonify({"ok": True, "item": {"id": item_id, "status": "used"}})

    return app


def behind_front() -> Front:
    """The same, behind the service's own front."""
    return Front(bare(), Admission(8, 8, 1.0), lambda *_: None, lambda: None, lambda: None)


class Driver:
    """A connection for each thread, and the service's statements as the driver takes them."""

    def __init__(self, url: str) -> None:
        self._url = make_url(url)
        self._postgresql = self._url.get_backend_name() == "postgresql"
        self._own = threading.local()
        self._turn: AbstractContextManager[Any] = (
            nullcontext() if self._postgresql else threading.Lock()
        )
        self._poll = self._compiled(hot.POLL.statement)
        self._token = self._compiled(hot.TOKEN.statement)
        self._lock = self._compiled(feed.LOCK)
        self._claim = self._compiled(hot.CLAIM)
        self._decide = self._compiled(hot.DECIDE)

    def claim(self, token: str) -> dict[str, Any] | None:
        polled = self._one(self._poll, token_hash=_hash(token), now=self._now())
        if polled is None or not polled[1]:
            return None
        with self._turn:
            self._connection.execute("BEGIN" if self._postgresql else "BEGIN IMMEDIATE")
            if self._postgresql:
                self._one(self._lock, of_token=polled[0])
            sent = self._one(self._claim, of_token=polled[0], most=1, now=self._now())
            assert sent is not None
            self._connection.execute("COMMIT")
        item_id, _, post, markdown, html, generated_at, sends, _ = sent
        return {
            "id": item_id,
            "post": json.loads(post) if isinstance(post, str) else post,
            "rendered": {"markdown": markdown, "html": html},
            "generatedAt": str(generated_at),
            "deliveryCount": sends,
        }

    def confirm(self, token: str, item_id: str) -> None:
        known = self._one(self._token, token_hash=_hash(token), now=self._now())
        assert known is not None
        with self._turn:
            moved = self._one(
                self._decide,
                item_id=item_id,
                of_token=known[0],
                before="reserved",
                to="used",
                now=self._now(),
            )
            assert moved is not None

    @property
    def _connection(self) -> Any:
        if not hasattr(self._own, "connection"):
            if self._postgresql:
                query = dict(self._url.query)
                self._own.connection = psycopg.connect(
                    host=str(query["host"]),
                    user=self._url.username,
                    dbname=self._url.database,
                    autocommit=True,
                )
            else:
                connection = sqlite3.connect(
                    str(self._url.database), isolation_level=None, timeout=30
                )
                connection.execute("PRAGMA journal_mode = WAL")
                connection.execute("PRAGMA synchronous = FULL")
                connection.execute("PRAGMA foreign_keys = ON")
                self._own.connection = connection
        return self._own.connection

    def _one(self, compiled: Compiled, **values: Any) -> Row | None:
        statement, order, constants = compiled
        values = {**constants, **values}
        parameters = [values[key] for key in order] if order else values
        rows: list[Row] = self._connection.execute(statement, parameters).fetchall()
        return rows[0] if rows else None

    def _compiled(self, statement: Executable) -> Compiled:
        drivers: Any = postgresql.psycopg if self._postgresql else sqlite
        compiled: Any = statement.compile(dialect=drivers.dialect())  # type: ignore[attr-defined]
        constants = {name: value for name, value in compiled.params.items() if value is not None}
        return str(compiled), compiled.positiontup, constants

    def _now(self) -> Any:
        now = datetime.now(UTC)
        return now if self._postgresql else now.strftime("%Y-%m-%d %H:%M:%S.%f")


def _hash(token: str) -> str:
    return hashlib.sha256(token.encode()).hexdigest()
