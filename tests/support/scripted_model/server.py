"""The scripted model's HTTP side: chat completions, models, and a control of its own.

POST /control {"behaviour": "refusal", "delay": 2} changes the behaviour, {"reset": true} forgets
the counts; GET /control tells both. ``ended`` counts the hostile answers that the client broke
off, after ``sent_bytes`` in all; ``paid_tokens`` are those of all answers, ``repeated_tokens``
those of answers to a request that was answered before. A request's own model name may name a
behaviour as well: ``scripted:refusal``.
"""

import argparse
import json
import socket
import struct
import threading
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from hashlib import blake2b
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from random import Random
from typing import Any

from tests.support.scripted_model.behaviours import (
    FLAKY,
    HOSTILE,
    RECOVER,
    Reply,
    answer,
    check,
    tokens,
)
from tests.support.scripted_model.hostile import hostile
from tests.support.scripted_model.refusals import refuse_parameter
from tests.support.scripted_model.requirements import read

_PREFIX = "scripted:"


def _is_review(body: Mapping[str, Any]) -> bool:
    """Whether an editor is asked, who reads what a writer was asked for."""
    schema = (body.get("response_format") or {}).get("json_schema") or {}
    return bool(schema.get("name") == "findings")


class ScriptedServer(ThreadingHTTPServer):
    """Answers on loopback; ``port`` 0 takes a free one."""

    daemon_threads = True
    request_queue_size = 128

    def __init__(
        self,
        port: int = 0,
        behaviour: str = "good",
        *,
        delay: float = 2.0,
        retry_after: float | str = 1,
        drip: float = 1.0,
        api_key: str | None = None,
    ) -> None:
        super().__init__(("127.0.0.1", port), _Handler)
        self.behaviour = check(behaviour)
        self.delay = delay
        self.retry_after = str(retry_after)
        self.drip = drip
        self.sent_bytes = 0
        self.ended = 0
        self.api_key = api_key
        self.calls: Counter[str] = Counter()
        self.last_request: Mapping[str, Any] | None = None
        self.paid_tokens = self.repeated_tokens = 0
        self._answered: set[bytes] = set()
        self._attempted: Counter[str] = Counter()
        self._lock = threading.Lock()

    @property
    def base_url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}/v1"

    def note(self, body: Mapping[str, Any]) -> str:
        """Count a call and say how to behave for it."""
        model = str(body.get("model", ""))
        with self._lock:
            name = self.behaviour
            if model.startswith(_PREFIX):
                name = check(model.removeprefix(_PREFIX))
            self.calls[name] += 1
            if not _is_review(body):
                self.last_request = body
            if recover := RECOVER.match(name):
                user = [m["content"] for m in body["messages"] if m["role"] == "user"]
                pieces = read(str(user[-1])).pieces
                over = all(self._attempted[piece] >= int(recover[1] or 1) for piece in pieces)
                name = "good" if over else name[recover.end() :]
                self._attempted.update(pieces)
            if flaky := FLAKY.match(name):
                draw = Random(self.calls.total()).random() * 100
                name = name[flaky.end() :] if draw < int(flaky[1]) else "good"
        return name

    def bill(self, body: Mapping[str, Any], completion: Mapping[str, Any]) -> None:
        """Count the tokens of an answer."""
        asked = json.dumps([body["messages"], body.get("seed")]).encode()
        digest, paid = blake2b(asked, digest_size=16).digest(), completion["usage"]["total_tokens"]
        with self._lock:
            self.paid_tokens += paid
            self.repeated_tokens += paid * (digest in self._answered)
            self._answered.add(digest)

    def control(self, wanted: Mapping[str, Any]) -> None:
        """Change the behaviour. Raises ValueError for one that does not exist."""
        behaviour = check(str(wanted.get("behaviour", self.behaviour)))
        with self._lock:
            self.behaviour = behaviour
            self.delay = float(wanted.get("delay", self.delay))
            self.retry_after = str(wanted.get("retry_after", self.retry_after))
            self.drip = float(wanted.get("drip", self.drip))
            if wanted.get("reset"):
                self.calls.clear()
                self.sent_bytes = self.ended = 0
                self._attempted.clear()
                self.last_request = None

    def state(self) -> dict[str, Any]:
        """What GET /control tells."""
        with self._lock:
            return {
                "behaviour": self.behaviour,
                "calls": self.calls.total(),
                "by_behaviour": dict(self.calls),
                "last_request": self.last_request,
                "sent_bytes": self.sent_bytes,
                "ended": self.ended,
                "paid_tokens": self.paid_tokens,
                "repeated_tokens": self.repeated_tokens,
            }

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that went away is no news."""


class _Handler(BaseHTTPRequestHandler):
    server: ScriptedServer
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    wbufsize = -1  # the head and the body in one packet

    def do_GET(self) -> None:
        if self.path == "/control":
            self._send(200, self.server.state())
        elif self.path == "/v1/models":
            if self.server.behaviour in HOSTILE:
                self._misbehave(self.server.behaviour)
            elif self._authorized():
                models = [{"id": "scripted", "object": "model", "created": 0, "owned_by": "tests"}]
                self._send(200, {"object": "list", "data": models})
        else:
            self._error(404, f"no such path: {self.path}")

    def do_POST(self) -> None:
        length = int(self.headers.get("Content-Length") or 0)
        try:
            body = json.loads(self.rfile.read(length))
            if self.path == "/control":
                self.server.control(body)
                self._send(200, self.server.state())
            elif self.path != "/v1/chat/completions":
                self._error(404, f"no such path: {self.path}")
            elif self._authorized():
                self._complete(body)
        except (ValueError, KeyError, TypeError) as error:
            self._error(400, f"{type(error).__name__}: {error}")

    def _complete(self, body: Mapping[str, Any]) -> None:
        name = self.server.note(body)
        kind, _, wanted = name.partition(":")
        if kind.startswith("picky"):
            refused = refuse_parameter(body, wanted.split("+"), vllm=kind == "picky_vllm")
            if refused:
                return self._send(400, refused)
            name = "good"
        if name == "reset":
            return self._reset()
        if name in HOSTILE:
            return self._misbehave(name)
        if name == "web_page":
            return self._send_bytes(200, b"<html>Welcome</html>", "text/html")
        if name == "error_body":
            return self._error(200, "The upstream provider is overloaded.")
        if name.startswith("error_"):
            return self._error(int(name.removeprefix("error_")), "The scripted model says no.")
        if name == "slow":
            time.sleep(self.server.delay)
            name = "good"
        completion = _completion(body, answer(name, body))
        self.server.bill(body, completion)
        return self._send(200, completion)

    def _authorized(self) -> bool:
        key = self.server.api_key
        if key is None or self.headers.get("Authorization") == f"Bearer {key}":
            return True
        given = (self.headers.get("Authorization") or "").removeprefix("Bearer ")
        self._error(401, f"Incorrect API key provided: {given}.")
        return False

    def _error(self, status: int, message: str) -> None:
        error = {"message": message, "type": "scripted_error", "param": None, "code": None}
        self._send(status, {"error": error})

    def _send(self, status: int, body: Mapping[str, Any]) -> None:
        self._send_bytes(status, json.dumps(body).encode(), "application/json")

    def _send_bytes(self, status: int, body: bytes, content_type: str) -> None:
        self.send_response(status)
        self.send_header("Content-Type", content_type)
        self.send_header("Content-Length", str(len(body)))
        if status in {429, 503}:
            self.send_header("Retry-After", self.server.retry_after)
        self.end_headers()
        self.wfile.write(body)
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

    def _reset(self) -> None:
        # Lingering for no time makes the close a reset.
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.connection.close()
        self.close_connection = True

    def log_message(self, *_: object) -> None:
        """Quiet."""


def _completion(body: Mapping[str, Any], reply: Reply) -> dict[str, Any]:
    asked = sum(tokens(str(message["content"])) for message in body["messages"])
    written = tokens(reply.content or "")
    message = {"role": "assistant", "content": reply.content, "refusal": reply.refusal}
    return {
        "id": "chatcmpl-scripted",
        "object": "chat.completion",
        "created": int(time.time()),
        "model": body.get("model", "scripted"),
        "choices": [
            {"index": 0, "message": message, "finish_reason": reply.finish_reason, "logprobs": None}
        ],
        "usage": {
            "prompt_tokens": asked,
            "completion_tokens": written,
            "total_tokens": asked + written,
        },
    }


def main(argv: Sequence[str] | None = None) -> None:
    """Serve until the process is ended."""
    parser = argparse.ArgumentParser(description="A scripted stand-in for a language model.")
    parser.add_argument("--port", type=int, required=True, help="0 takes a free one")
    parser.add_argument("--behaviour", default="good")
    parser.add_argument("--delay", type=float, default=2.0, help="seconds that slow waits")
    parser.add_argument("--retry-after", default="1", help="the header on error_429, _503")
    parser.add_argument("--drip", type=float, default=1.0, help="seconds between dripped bytes")
    parser.add_argument("--api-key", help="the only key that is taken; any by default")
    args = parser.parse_args(argv)
    try:
        server = ScriptedServer(
            args.port,
            args.behaviour,
            delay=args.delay,
            retry_after=args.retry_after,
            drip=args.drip,
            api_key=args.api_key,
        )
    except ValueError as error:
        parser.error(str(error))
    print(f"ready {server.base_url}", flush=True)
    try:
        server.serve_forever(poll_interval=0.1)
    except KeyboardInterrupt:
        server.server_close()
