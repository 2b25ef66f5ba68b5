"""A receiver of webhooks on loopback, for development: it prints each event."""

import ipaddress
import json
import sys
import threading
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import urlsplit

import httpx2

from copydesk import webhooks
from copydesk._output import event_line, say
from copydesk.errors import ConfigurationError, WebhookVerificationError

HOST = "127.0.0.1"
# For a part of a request. The service gives a receiver 15 seconds in all.
_READ_TIMEOUT_S = 10.0
_FORWARD_TIMEOUT_S = 12.0
_NOT_FORWARDED = {"host", "connection", "content-length", "transfer-encoding", "expect"}


def listen(
    secret: webhooks.SigningSecrets,
    *,
    port: int,
    forward: str | None,
    as_json: bool,
    largest_body: int,
) -> None:
    """Receive webhooks until the process is interrupted or the reader of stdout leaves.

    Raises:
        ConfigurationError: the port cannot be used, or ``forward`` is not on this machine.
        BrokenPipeError: stdout was closed.
    """
    if forward is not None:
        _require_loopback(forward)
    try:
        server = _Server((HOST, port), _Handler)
    except (OSError, OverflowError) as error:
        problem = getattr(error, "strerror", None) or "it is not between 0 and 65535"
        raise ConfigurationError(f"--port {port} cannot be used: {problem}") from None
    with server:
        if forward is not None and urlsplit(forward).port == server.server_port:
            raise ConfigurationError("--forward must be another port than that of this receiver.")
        server.secret, server.forward = secret, forward
        server.as_json, server.largest_body = as_json, largest_body
        say(
            f"listening on http://{HOST}:{server.server_port}; Ctrl-C stops it\n"
            "The service must be able to reach this address. From another machine, it needs a"
            " tunnel\nto this port; on this machine, start it with"
            " COPYDESK_WEBHOOK_ALLOW_PRIVATE=1.",
            sys.stderr,
        )
        sys.stderr.flush()
        server.serve_forever(poll_interval=0.2)
    if server.broken is not None:
        raise server.broken


def _require_loopback(url: str) -> None:
    try:
        parts = urlsplit(url)
        host = parts.hostname or ""
        is_there = parts.scheme in {"http", "https"} and parts.port != 0
        if host != "localhost":
            is_there = is_there and ipaddress.ip_address(host).is_loopback
    except ValueError:
        is_there = False
    if not is_there:
        raise ConfigurationError(
            "--forward must be a URL on this machine, such as http://127.0.0.1:5000/webhooks"
        )


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    secret: webhooks.SigningSecrets
    forward: str | None
    as_json: bool
    largest_body: int
    broken: BrokenPipeError | None = None

    def __init__(self, *arguments: object) -> None:
        self._turn = threading.Lock()
        super().__init__(*arguments)  # type: ignore[arg-type]

    def show(self, line: str, event: webhooks.WebhookEvent | None = None) -> None:
        """Print one line: an event to stdout, anything else to stderr."""
        stream = sys.stderr if event is None else sys.stdout
        if event is not None and self.as_json:
            line = json.dumps(event.raw)
        with self._turn:
            try:
                say(line.replace("\n", " "), stream)
                stream.flush()
            except BrokenPipeError as error:
                self.broken = error
                # It waits for the loop that this thread does not run.
                self.shutdown()


class _Handler(BaseHTTPRequestHandler):
    server: _Server
    protocol_version = "HTTP/1.1"
    timeout = _READ_TIMEOUT_S

    def do_POST(self) -> None:
        body = self._body()
        if body is None:
            return
        try:
            event = webhooks.parse(body, self.headers, self.server.secret)
        except WebhookVerificationError as error:
            self.server.show(f"refused ({error.reason}): {error}")
            self._answer(HTTPStatus.BAD_REQUEST)
            return
        if self.server.forward is None:
            self.server.show(event_line(event), event)
            self._answer(HTTPStatus.NO_CONTENT)
            return
        status, said = self._forward(body, self.server.forward)
        self.server.show(f"{event_line(event)}  {said}", event)
        self._answer(status)

    def _body(self) -> bytes | None:
        """Return the body, or None if the request was answered with an error."""
        length = self.headers.get("Content-Length", "")
        if not length.isdecimal() or len(length) > 15:
            problem = HTTPStatus.LENGTH_REQUIRED
        elif int(length) > self.server.largest_body:
            problem = HTTPStatus.REQUEST_ENTITY_TOO_LARGE
        else:
            body = self.rfile.read(int(length))
            if len(body) == int(length):
                return body
            problem = HTTPStatus.BAD_REQUEST
        self.server.show(f"refused: {problem.value} {problem.phrase}")
        self.close_connection = True
        self._answer(problem)
        return None

    def _forward(self, body: bytes, url: str) -> tuple[int, str]:
        """Return the status of the answer, and what to print of it."""
        headers = [(k, v) for k, v in self.headers.items() if k.lower() not in _NOT_FORWARDED]
        try:
            with (
                httpx2.Client(trust_env=False, timeout=_FORWARD_TIMEOUT_S) as client,
                client.stream("POST", url, content=body, headers=headers) as answer,
            ):
                return answer.status_code, f"forwarded: {answer.status_code}"
        except httpx2.HTTPError as error:
            return HTTPStatus.BAD_GATEWAY, f"not forwarded: {type(error).__name__}"

    def _answer(self, status: int) -> None:
        self.send_response(status)
        if status != HTTPStatus.NO_CONTENT:
            self.send_header("Content-Length", "0")
        if self.close_connection:
            self.send_header("Connection", "close")
        self.end_headers()

    def log_message(self, *_: object) -> None:
        """Print nothing: each request has its line already."""
