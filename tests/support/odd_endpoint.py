"""A real HTTP server that answers chat completions as a test tells it to."""

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from tests.support.loopback import Handler, Server, running

Request = Mapping[str, Any]


@dataclass(frozen=True)
class Reply:
    """An answer: bytes are sent as they are, anything else as JSON."""

    body: Any
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)


def said(
    content: object, finish: object = "stop", usage: object = None, **message: object
) -> Reply:
    """Return a completion with this text."""
    whole = {"role": "assistant", "content": content, **message}
    choice = {"index": 0, "finish_reason": finish, "message": whole}
    return Reply({"id": "1", "object": "chat.completion", "choices": [choice], "usage": usage})


def refused(
    status: int, message: str, headers: Mapping[str, str] | None = None, **members: object
) -> Reply:
    """Return an error in OpenAI's form."""
    error = {"message": message, "type": "x", "param": None, "code": None, **members}
    return Reply({"error": error}, status, headers or {})


class OddEndpoint(Server):
    """Answers every POST by ``behave``, and every GET with ``listed``."""

    def __init__(self, behave: Callable[[Request], Reply]) -> None:
        super().__init__(_Handler)
        self.behave = behave
        self.listed = Reply({"object": "list", "data": []})
        self.asked: list[Request] = []
        self.paths: list[str] = []
        self.heads: list[Mapping[str, str]] = []

    @property
    def base_url(self) -> str:
        return f"{self.origin}/v1"


class _Handler(Handler):
    server: OddEndpoint

    def post(self) -> None:
        request = json.loads(self.read_body())
        self.server.asked.append(request)
        self.server.heads.append(dict(self.headers))
        self._send(self.server.behave(request))

    def get(self) -> None:
        self._send(self.server.listed)

    def _send(self, reply: Reply) -> None:
        self.server.paths.append(self.path)
        body = reply.body if isinstance(reply.body, bytes) else json.dumps(reply.body).encode()
        self.answer(reply.status, body, {"Content-Type": "application/json", **reply.headers})


@contextmanager
def serving(*replies: Reply | Callable[[Request], Reply]) -> Iterator[OddEndpoint]:
    """Serve these replies in order, the last one again and again; a function makes a reply."""
    left = list(replies)

    def behave(request: Request) -> Reply:
        reply = left.pop(0) if len(left) > 1 else left[0]
        return reply if isinstance(reply, Reply) else reply(request)

    with running(OddEndpoint(behave)) as server:
        yield server
