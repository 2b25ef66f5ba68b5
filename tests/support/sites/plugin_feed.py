"""A feed on loopback whose answers can be lost or replaced, for tests of the WordPress plugin."""

import json
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlsplit

from connectors.tests.feed_server import FakeFeed

TOKEN = "tok_0001_secretsecretsecret"


@dataclass(frozen=True)
class Answer:
    """What is sent in place of the feed's own answer; a status of 0 closes the connection."""

    status: int = 0
    body: bytes = b""
    headers: Mapping[str, str] = field(default_factory=dict)
    reaches_feed: bool = False
    """Whether the feed does what is asked, although its answer is replaced."""


LOST = Answer(reaches_feed=True)


class FaultyFeed(FakeFeed):
    """A feed that answers ``faults[part]`` to every request whose "METHOD /path" has that part.

    ``history`` lists what the feed was told, in order: (item id, "confirm" or "reject").
    """

    def __init__(self, url: str) -> None:
        super().__init__(url)
        self.faults: dict[str, Answer] = {}
        self.history: list[tuple[str, str]] = []

    def fault_of(self, method: str, path: str) -> Answer | None:
        """The answer that replaces the feed's own, if any."""
        request = f"{method} {path}"
        return next((answer for part, answer in self.faults.items() if part in request), None)


@contextmanager
def faulty_feed() -> Iterator[FaultyFeed]:
    """One feed in a thread, until the block ends."""
    lock = threading.Lock()
    feed = FaultyFeed("")

    class Handler(BaseHTTPRequestHandler):
        def handle_any(self) -> None:
            parts = urlsplit(self.path)
            *_, token, rest = parts.path.split("/", 4)
            path = f"/{rest}"
            body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            with lock:
                feed.hear(path, body)
                fault = feed.fault_of(self.command, path)
                answer = fault or Answer(reaches_feed=True)
                if token != TOKEN:
                    answer = Answer(404, b"{}")
                if answer.reaches_feed:
                    status, data = feed.answer(self.command, path, parse_qs(parts.query))
                    if status == 200 and self.command == "POST":
                        _, _, item_id, verb = path.split("/")
                        feed.history.append((item_id, verb))
                    if fault is None:
                        answer = Answer(status, json.dumps(data).encode())
                else:
                    feed.calls.append((self.command, path))
            if not answer.status:
                self.close_connection = True
                return
            try:
                self.send_response(answer.status)
                for name, value in answer.headers.items():
                    self.send_header(name, value)
                self.send_header("Content-Length", str(len(answer.body)))
                self.end_headers()
                if self.command != "HEAD":
                    self.wfile.write(answer.body)
            except ConnectionError:
                return  # a client that was killed reads no answer

        do_GET = do_HEAD = do_POST = handle_any  # noqa: N815

        def log_message(self, *_: object) -> None:
            """Stay silent: what happened is in the feed's ``calls`` and ``history``."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as http:
        feed.url = f"http://127.0.0.1:{http.server_address[1]}/v1/content-tokens/{TOKEN}/latest"
        thread = threading.Thread(target=http.serve_forever, args=(0.02,))
        thread.start()
        try:
            yield feed
        finally:
            http.shutdown()
            thread.join()
