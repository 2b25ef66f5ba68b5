"""The scripted model's HTTP side: chat completions, models, and a control of its own.

POST /control {"behaviour": "refusal", "delay": 2} changes the behaviour, {"reset": true} forgets
the counts; GET /control tells both. ``ended`` counts the hostile answers that the client broke
off, after ``sent_bytes`` in all; ``paid_tokens`` are those of all answers, ``repeated_tokens``
those of answers to a request that was answered before (that of a draft comes twice). The model's
name in a request may name a behaviour as well: ``scripted:refusal``.
"""

import argparse
import gzip
import json
import socket
import struct
import threading
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain, repeat
from random import Random
from typing import Any

from tests.support.loopback import Handler, Server
from tests.support.scripted_model.behaviours import FLAKY, RECOVER, answer, asked_of, check, tokens

_PREFIX = "scripted:"
_TOLD = (
    "behaviour", "calls", "last_request", "sent_bytes", "ended", "paid_tokens", "repeated_tokens",
)  # fmt: skip
_COUNTS = ("prompt_tokens", "completion_tokens", "total_tokens")
HOSTILE = ("drip_head", "drip_body", "blanks", "huge", "gzip")
_HUGE_BYTES = 512 * 1024 * 1024
_CHUNK = b" " * 65_536
_HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n"
_MODEL = {"id": "scripted", "object": "model", "created": 0, "owned_by": "tests"}


class ScriptedServer(Server):
    """Answers on loopback, unless it is told another address; ``port`` 0 takes a free one."""

    def __init__(
        self, port: int = 0, behaviour: str = "good", *, host: str = "127.0.0.1",
        delay: float = 2.0, retry_after: float | str = 1, drip: float = 1.0,
    ) -> None:  # fmt: skip
        super().__init__(_Handler, host, port)
        self.behaviour = check(behaviour)
        self.delay, self.retry_after, self.drip = delay, str(retry_after), drip
        self.calls = 0
        self.last_request: Mapping[str, Any] | None = None
        self.sent_bytes = self.ended = self.paid_tokens = self.repeated_tokens = 0
        self._answered: Counter[int] = Counter()
        self._attempted: Counter[str] = Counter()
        self._lock = threading.Lock()

    @property
    def base_url(self) -> str:
        return f"{self.origin}/v1"

    def note(self, body: Mapping[str, Any]) -> str:
        """Count a call and say how to behave for it."""
        model, asked = str(body.get("model", "")), asked_of(body)
        writes = asked.kind not in {"read", "cut", "polish"}
        with self._lock:
            name = self.behaviour
            if model.startswith(_PREFIX):
                name = check(model.removeprefix(_PREFIX))
            self.calls += 1
            if asked.kind in {"draft", "other"}:
                self.last_request = body
            if recover := RECOVER.match(name):
                over = self._attempted[asked.request] >= int(recover[1] or 1)
                self._attempted[asked.request] += writes
                name = "good" if over or not writes else name[recover.end() :]
            if flaky := FLAKY.match(name):
                draw = Random(self.calls).random() * 100
                name = name[flaky.end() :] if draw < int(flaky[1]) else "good"
        return name

    def completion(self, name: str, body: Mapping[str, Any]) -> dict[str, Any]:
        """Return the completion for a request, and count its tokens."""
        request = hash(json.dumps(body["messages"]))
        with self._lock:
            self._answered[request] += 1
            times = self._answered[request]
        reply = answer(name, body, times)
        asked = sum(tokens(str(message["content"])) for message in body["messages"])
        written = tokens(reply.content or "")
        with self._lock:
            self.paid_tokens += asked + written
            if times > (2 if asked_of(body).kind == "draft" else 1):
                self.repeated_tokens += asked + written
        message = {"role": "assistant", "content": reply.content, "refusal": reply.refusal}
        choice = {"index": 0, "message": message, "logprobs": None}
        return {
            "id": "chatcmpl-scripted",
            "object": "chat.completion",
            "created": int(time.time()),
            "model": body.get("model", "scripted"),
            "choices": [choice | {"finish_reason": reply.finish_reason}],
            "usage": dict(zip(_COUNTS, (asked, written, asked + written), strict=True)),
        }

    def control(self, wanted: Mapping[str, Any]) -> None:
        """Change the behaviour; raise ValueError for one that does not exist."""
        behaviour = check(str(wanted.get("behaviour", self.behaviour)))
        with self._lock:
            self.behaviour = behaviour
            for name, kind in (("delay", float), ("drip", float), ("retry_after", str)):
                setattr(self, name, kind(wanted.get(name, getattr(self, name))))
            if wanted.get("reset"):
                self.calls = 0
                self._attempted.clear()
                self.sent_bytes = self.ended = 0
                self.last_request = None

    def state(self) -> dict[str, Any]:
        """Return what GET /control tells."""
        with self._lock:
            return {name: getattr(self, name) for name in _TOLD}


class _Handler(Handler):
    server: ScriptedServer
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    wbufsize = -1  # the head and the body in one packet

    def get(self) -> None:
        if self.path == "/control":
            self._send(200, self.server.state())
        elif self.path == "/v1/models":
            if self.server.behaviour in HOSTILE:
                self._misbehave(self.server.behaviour)
            else:
                self._send(200, {"object": "list", "data": [_MODEL]})
        else:
            self._error(404, f"no such path: {self.path}")

    def post(self) -> None:
        try:
            body = json.loads(self.read_body())
            if self.path == "/control":
                self.server.control(body)
                self._send(200, self.server.state())
            elif self.path != "/v1/chat/completions":
                self._error(404, f"no such path: {self.path}")
            else:
                self._complete(body)
        except (ValueError, KeyError, TypeError) as error:
            self._error(400, f"{type(error).__name__}: {error}")

    def _complete(self, body: Mapping[str, Any]) -> None:
        name = self.server.note(body)
        if name == "slow":
            time.sleep(self.server.delay)
        if name == "reset":
            # Lingering for no time makes the close a reset.
            linger = struct.pack("ii", 1, 0)
            self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
            self.connection.close()
            self.close_connection = True
        elif name in HOSTILE:
            self._misbehave(name)
        elif name == "web_page":
            self._send_bytes(200, b"<html>Welcome</html>", "text/html")
        elif name.startswith("error_"):
            self._error(int(name.removeprefix("error_")), "The scripted model says no.")
        else:
            self._send(200, self.server.completion(name, body))

    def _error(self, status: int, message: str) -> None:
        error = {"message": message, "type": "scripted_error", "param": None, "code": None}
        self._send(status, {"error": error})

    def _send(self, status: int, body: Mapping[str, Any]) -> None:
        self._send_bytes(status, json.dumps(body).encode(), "application/json")

    def _send_bytes(self, status: int, body: bytes, content_type: str) -> None:
        headers = {"Content-Type": content_type}
        if status in {429, 503}:
            headers["Retry-After"] = self.server.retry_after
        self.answer(status, body, headers)
        self.wfile.flush()

    def _misbehave(self, name: str) -> None:
        """Send until the client has closed the connection."""
        self.close_connection = True
        try:
            for part in hostile(name):
                self.connection.sendall(part)
                self.server.sent_bytes += len(part)
                if name not in {"huge", "gzip"}:
                    time.sleep(self.server.drip)
        except OSError:
            self.server.ended += 1


def hostile(behaviour: str) -> Iterator[bytes]:
    """Return the parts of an answer, in order; of one that drips without an end."""
    if behaviour == "drip_head":
        return chain([b"HTTP/1.1 200 OK\r\nX-Wait: "], repeat(b"w"))
    if behaviour == "drip_body":
        return chain([_HEAD % 1_000_000 + b'{"id": "'], repeat(b"w"))
    if behaviour == "blanks":
        chunked = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
        return chain([chunked], repeat(b"1\r\n \r\n"))
    if behaviour == "gzip":
        body = gzip.compress(_CHUNK)
        head = _HEAD.replace(b"\r\n\r\n", b"\r\nContent-Encoding: gzip\r\n\r\n")
        return iter([head % len(body) + body])
    return chain([_HEAD % _HUGE_BYTES], repeat(_CHUNK, _HUGE_BYTES // len(_CHUNK)))


def main(argv: Sequence[str] | None = None) -> None:
    """Serve until the process is ended."""
    parser = argparse.ArgumentParser(description="A scripted stand-in for a language model.")
    parser.add_argument("--port", type=int, required=True, help="0 takes a free one")
    parser.add_argument("--host", default="127.0.0.1", help="the address to listen on")
    parser.add_argument("--behaviour", type=check, default="good", help="one of behaviours.toml")
    parser.add_argument("--delay", type=float, default=2.0, help="seconds that slow waits")
    server = ScriptedServer(**vars(parser.parse_args(argv)))
    print(f"ready {server.base_url}", flush=True)
    try:
        server.serve_forever(poll_interval=0.1)
    except KeyboardInterrupt:
        server.server_close()
