"""A feed on loopback that keeps to the published state table, for tests of the loop."""

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

from .loopback import served

MAX_SENDS = 3
AT_ONCE = 100


@dataclass
class StoredItem:
    """An item with the state that the feed keeps."""

    content: dict[str, Any]
    rule: str = "Espresso"
    state: str = "pending"
    sends: int = 0


@dataclass
class FakeFeed:
    """One token's feed. ``calls`` lists (method, path below the token); ``failing`` answers 503.
    ``addresses`` has what it was told of where the posts are, by item; ``history`` lists what it
    took, in order: (item id, "confirm" or "reject")."""

    url: str
    items: list[StoredItem] = field(default_factory=list)
    calls: list[tuple[str, str]] = field(default_factory=list)
    failing: set[str] = field(default_factory=set)
    addresses: dict[str, str] = field(default_factory=dict)
    history: list[tuple[str, str]] = field(default_factory=list)

    def add(self, content: dict[str, Any], rule: str = "Espresso") -> StoredItem:
        """Queue an item."""
        item = StoredItem(content, rule)
        self.items.append(item)
        return item

    def states(self) -> dict[str, str]:
        """The state of every item by id."""
        return {item.content["id"]: item.state for item in self.items}

    def pulls(self) -> int:
        """How often it was pulled."""
        return sum(method == "GET" for method, _ in self.calls)

    def hear(self, path: str, body: bytes) -> None:
        """Note what a confirm says."""
        if body:
            self.addresses[path.split("/")[2]] = json.loads(body)["url"]

    def answer(self, method: str, path: str, query: dict[str, list[str]]) -> tuple[int, Any]:
        """The answer to one request below the token."""
        self.calls.append((method, path))
        if any(part in f"{method} {path}" for part in self.failing):
            return 503, _error("SERVICE_UNAVAILABLE", "down for a moment")
        if method == "HEAD":
            return 200, {}
        if (method, path) == ("GET", "/latest"):
            return 200, self._latest()
        if (method, path) == ("GET", "/items"):
            return self._items(query.get("rule", [""])[0].casefold())
        if method == "POST":
            _, _, item_id, verb = path.split("/")
            return self._settle(unquote(item_id), verb)
        return 404, _error("NOT_FOUND", "no such address")

    def _latest(self) -> dict[str, Any]:
        for item in self.items:
            if item.state == "reserved" and item.sends >= MAX_SENDS:
                item.state = "abandoned"
        waiting = [item for item in self.items if item.state == "reserved"] or [
            item for item in self.items if item.state == "pending"
        ]
        return {"available": True, "item": _send(waiting[0])} if waiting else {"available": False}

    def _items(self, rule: str) -> tuple[int, Any]:
        if rule and rule not in {item.rule.casefold() for item in self.items}:
            return 404, _error("NOT_FOUND", "no such rule")
        sent: list[dict[str, Any]] = []
        for item in self.items:
            if item.state == "reserved" and item.sends >= MAX_SENDS:
                item.state = "abandoned"
            is_due = item.state in {"pending", "reserved"} and rule in {"", item.rule.casefold()}
            if is_due and len(sent) < AT_ONCE:
                sent.append(_send(item) | {"ruleId": "rul_1", "ruleName": item.rule})
        return 200, {"count": len(sent), "limit": AT_ONCE, "items": sent}

    def _settle(self, item_id: str, verb: str) -> tuple[int, Any]:
        item = next((item for item in self.items if item.content["id"] == item_id), None)
        if item is None:
            return 404, _error("NOT_FOUND", "no such item")
        result = {"confirm": "used", "reject": "rejected"}[verb]
        if item.state not in {"reserved", result}:
            return 409, _error("CONFLICT", f"the item is {item.state}")
        item.state = result
        self.history.append((item_id, verb))
        return 200, {"ok": True, "item": {"id": item_id, "status": result}}


class FeedServer:
    """Any number of feeds behind one port."""

    def __init__(self) -> None:
        self.feeds: dict[str, FakeFeed] = {}
        self.lock = threading.Lock()
        self.address = ""

    def new(self) -> FakeFeed:
        """A feed with a token of its own."""
        token = f"tok_{len(self.feeds):04}_secretsecretsecret"
        url = f"{self.address}/v1/content-tokens/{token}/latest"
        self.feeds[token] = feed = FakeFeed(url)
        return feed


@contextmanager
def feed_server() -> Iterator[FeedServer]:
    """The server in a thread, until the block ends."""
    server = FeedServer()

    class Handler(BaseHTTPRequestHandler):
        def handle_any(self) -> None:
            parts = urlsplit(self.path)
            *_, token, rest = parts.path.split("/", 4)
            body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            with server.lock:
                feed = server.feeds.get(token)
                if feed:
                    feed.hear(f"/{rest}", body)
                status, data = (
                    feed.answer(self.command, f"/{rest}", parse_qs(parts.query))
                    if feed
                    else (404, _error("NOT_FOUND", "unknown content token"))
                )
            content = json.dumps(data).encode()
            with suppress(ConnectionError):  # a client that was killed reads no answer
                self.send_response(status)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(content)))
                self.end_headers()
                self.wfile.write(b"" if self.command == "HEAD" else content)

        do_GET = do_HEAD = do_POST = handle_any  # noqa: N815

        def log_message(self, *_: object) -> None:
            """Stay silent: what happened is in ``FakeFeed.calls``."""

    with served(Handler) as server.address:
        yield server


def _send(item: StoredItem) -> dict[str, Any]:
    item.state = "reserved"
    item.sends += 1
    return item.content | {"deliveryCount": item.sends}


def _error(code: str, message: str) -> dict[str, Any]:
    return {"error": {"code": code, "message": message}}
