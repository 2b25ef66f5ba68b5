"""The peer of bench/feed.py: a claim and a confirm by the bare driver, behind Flask routes with
nothing else to them, or in a loop without HTTP.

The durability is the service's own. The writers of one process take turns here as well: it is not
the database's busy handler that is measured.
"""

import hashlib
import json
import os
import re
import sqlite3
import threading
import time
from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from datetime import UTC, datetime
from typing import Any

import psycopg
from flask import Flask, Response, jsonify
from sqlalchemy.engine import make_url

_POLL = """
    SELECT id, EXISTS (SELECT 1 FROM feed_items
                       WHERE token_id = tokens.id AND status IN ('pending', 'reserved'))
    FROM tokens WHERE hash = :hash
"""
_LOCK = "SELECT id FROM tokens WHERE id = :token FOR NO KEY UPDATE"
_CLAIM = """
    UPDATE feed_items
    SET status = 'reserved', delivery_count = delivery_count + 1, updated_at = :now
    WHERE id = (SELECT id FROM feed_items WHERE token_id = :token AND status = 'pending'
                ORDER BY generated_at, id LIMIT 1)
    RETURNING id, post, markdown, html, generated_at, delivery_count
"""
_TOKEN = "SELECT id FROM tokens WHERE hash = :hash"
_CONFIRM = """
    UPDATE feed_items SET status = 'used', updated_at = :now
    WHERE id = :item AND token_id = :token AND status = 'reserved' RETURNING id
"""
Row = Sequence[Any]


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


class Driver:
    """A connection for each thread, and the service's statements as the driver takes them."""

    def __init__(self, url: str) -> None:
        self._url = make_url(url)
        self._postgresql = self._url.get_backend_name() == "postgresql"
        self._own = threading.local()
        self._turn: AbstractContextManager[Any] = (
            nullcontext() if self._postgresql else threading.Lock()
        )

    def claim(self, token: str) -> dict[str, Any] | None:
        polled = self._one(_POLL, hash=_hash(token))
        if polled is None or not polled[1]:
            return None
        with self._turn:
            self._connection.execute("BEGIN" if self._postgresql else "BEGIN IMMEDIATE")
            if self._postgresql:
                self._one(_LOCK, token=polled[0])
            sent = self._one(_CLAIM, token=polled[0], now=self._now())
            assert sent is not None
            self._connection.execute("COMMIT")
        item_id, post, markdown, html, generated_at, sends = sent
        return {
            "id": item_id,
            "post": json.loads(post) if isinstance(post, str) else post,
            "rendered": {"markdown": markdown, "html": html},
            "generatedAt": str(generated_at),
            "deliveryCount": sends,
        }

    def confirm(self, token: str, item_id: str) -> None:
        known = self._one(_TOKEN, hash=_hash(token))
        assert known is not None
        with self._turn:
            moved = self._one(_CONFIRM, item=item_id, token=known[0], now=self._now())
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

    def _one(self, statement: str, **values: Any) -> Row | None:
        if self._postgresql:
            statement = re.sub(r":(\w+)", r"%(\1)s", statement)
        rows: list[Row] = self._connection.execute(statement, values).fetchall()
        return rows[0] if rows else None

    def _now(self) -> Any:
        now = datetime.now(UTC)
        return now if self._postgresql else now.strftime("%Y-%m-%d %H:%M:%S.%f")


def _hash(token: str) -> str:
    return hashlib.sha256(token.encode()).hexdigest()


def alone_per_second(url: str, tokens: Sequence[str], count: int) -> float:
    """The database's own rate: items claimed and confirmed a second without HTTP, ``count`` of
    each token by a thread of its own."""
    driver = Driver(url)

    def deliver(token: str) -> None:
        for _ in range(count):
            item = driver.claim(token)
            assert item is not None
            driver.confirm(token, item["id"])

    threads = [threading.Thread(target=deliver, args=(token,)) for token in tokens]
    return count * len(tokens) / _seconds(threads)


def _seconds(threads: Sequence[threading.Thread]) -> float:
    begun = time.monotonic()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return time.monotonic() - begun
