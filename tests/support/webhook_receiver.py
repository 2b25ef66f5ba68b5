"""A webhook receiver on loopback, which notes what arrives and answers as it is told."""

import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import count
from typing import Self

from tests.support.loopback import Handler, Server
from tests.support.startup import free_port

TOLERANCE_SECONDS = 300


@dataclass(frozen=True)
class Received:
    """One request as it arrived; names of headers are in lower case, ``at`` is in seconds since
    1970."""

    at: float
    path: str
    headers: Mapping[str, str]
    body: bytes = field(repr=False)

    @property
    def late(self) -> float:
        """How many seconds after its signature it came; negative if before."""
        signed = self.headers["x-svc-signature"].removeprefix("t=").partition(",")[0]
        return self.at - int(signed)


@dataclass(frozen=True)
class Answer:
    """How a request is answered."""

    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)


class Receiver:
    """A context manager: in its block it listens, unless it is ``down``.

    It answers 200, or what ``answers`` holds, first come first served. What it refuses has not
    arrived: one in ``refuse_every``, by 503; and by 400, if ``strict``, what was signed more than
    five minutes from now, as receivers must.
    """

    def __init__(self, refuse_every: int = 0, *, strict: bool = False) -> None:
        self._refuse_every, self._numbers = refuse_every, count(1)
        self._strict = strict
        self._port = free_port()
        self._server: Server | None = None
        self._lock = threading.Lock()
        self._received: list[Received] = []
        self.answers: list[Answer] = []

    def url(self, path: str = "/hook") -> str:
        return f"http://127.0.0.1:{self._port}{path}"

    @property
    def arrivals(self) -> list[Received]:
        """All that came so far."""
        with self._lock:
            return list(self._received)

    def received(self, path: str = "/hook") -> list[Received]:
        """What has arrived at a path, in order."""
        return [one for one in self.arrivals if one.path == path]

    def up(self) -> None:
        """Begin to listen, always on the same port."""
        receiver = self

        class Noting(Handler):
            def post(self) -> None:
                body = self.read_body()
                if len(body) < int(self.headers.get("Content-Length") or 0):
                    return  # cut off by a kill: it has not arrived
                headers = {name.lower(): value for name, value in self.headers.items()}
                answer = receiver._note(Received(time.time(), self.path, headers, body))
                self.answer(answer.status, headers=answer.headers)

        self._server = Server(Noting, port=self._port)
        threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True).start()

    def down(self) -> None:
        """Stop listening: connections are refused."""
        if self._server is not None:
            self._server.shutdown()
            self._server.server_close()
            self._server = None

    def _note(self, received: Received) -> Answer:
        with self._lock:
            if self._refuse_every and next(self._numbers) % self._refuse_every == 0:
                return Answer(503)
            if self._strict and abs(received.late) > TOLERANCE_SECONDS:
                return Answer(400)
            self._received.append(received)
            return self.answers.pop(0) if self.answers else Answer()

    def __enter__(self) -> Self:
        self.up()
        return self

    def __exit__(self, *_: object) -> None:
        self.down()
