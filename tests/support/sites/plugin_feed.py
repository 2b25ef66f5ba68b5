"""A feed on loopback whose answers can be lost or replaced, for tests of the WordPress plugin."""

import json
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from urllib.parse import parse_qs, urlsplit

from connectors.tests.feed_server import FakeFeed
from tests.support.loopback import Handler, Server, running

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

    class Faulty(Handler):
        def handle_any(self) -> None:
            parts = urlsplit(self.path)
            *_, token, rest = parts.path.split("/", 4)
            path = f"/{rest}"
            body = self.read_body()
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
            self.answer(answer.status, answer.body, answer.headers)

        get = head = post = handle_any

    with running(Server(Faulty)) as server:
        feed.url = f"{server.origin}/v1/content-tokens/{TOKEN}/latest"
        yield feed
