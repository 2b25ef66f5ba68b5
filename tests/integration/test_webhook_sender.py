"""The webhook sender against real sockets: what arrives where, and that nothing arrives elsewhere.

Receivers listen on 127.0.0.1 and its neighbours. Where a test is about public addresses, either no
connection may be tried at all, or an audit hook stops it before a packet leaves; or the address
check is told that 127.0.0.2 is public.
"""

import logging
import socket
import ssl
import struct
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from functools import partial
from ipaddress import ip_address
from socketserver import BaseRequestHandler, ThreadingTCPServer
from typing import Any, Self

import pytest

from app.adapters import bounded_http
from app.adapters.http_webhooks import send_webhook
from app.core.webhooks.signature import new_secret, signed_headers
from app.ports import WebhookAnswer
from tests.support.startup import wait_until

PATIENCE_SECONDS = 20.0  # for what must happen at some time, on a busy machine
SHORT_SECONDS = 1.0  # a sender's deadline in tests that run into it
# A deadline that is kept, as opposed to one per read: the machine may be busy, not idle for hours.
KEPT_SECONDS = 8.0
HEADERS = signed_headers(new_secret(bytes(32)), "msg_1", 1_700_000_000, b"{}")
OK = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"


class Connection(BaseRequestHandler):
    """One accepted connection, as a receiver's script sees it."""

    server: "Receiver"

    def handle(self) -> None:
        receiver, self.sock, self.received = self.server, self.request, bytearray()
        self.stop = receiver.stop
        self.sock.settimeout(PATIENCE_SECONDS)
        with suppress(OSError):
            if receiver.context is not None:
                self.sock = receiver.context.wrap_socket(
                    self.sock, server_side=True, suppress_ragged_eofs=False
                )
            if isinstance(receiver.script, bytes):
                self.read_request()
                self.sock.sendall(receiver.script)
            else:
                receiver.script(self)
        receiver.requests.append(bytes(self.received))
        self.sock.close()

    def read_request(self) -> None:
        """Read a request with its body, or until the sender is gone."""
        while not self._complete():
            part = self.sock.recv(65536)
            if not part:
                return
            self.received += part

    def _complete(self) -> bool:
        head, end, body = bytes(self.received).partition(b"\r\n\r\n")
        lengths = [line for line in head.split(b"\r\n") if line.lower().startswith(b"content-len")]
        return bool(end) and len(body) >= int(lengths[0].partition(b":")[2])

    def drip(self, start: bytes, drop: bytes) -> None:
        """Say the start, then one drop after the other until the sender or the test ends."""
        self.sock.sendall(start)
        while not self.stop.wait(0.02):
            self.sock.sendall(drop)


Script = Callable[[Connection], None]


class Receiver(ThreadingTCPServer):
    """A server on a loopback address that plays a script and records every byte it was sent."""

    allow_reuse_address = True
    request_queue_size = 64

    def __init__(
        self,
        script: Script | bytes = OK,
        *,
        host: str = "127.0.0.1",
        port: int = 0,
        context: ssl.SSLContext | None = None,
    ) -> None:
        self.script, self.context, self.host = script, context, host
        self.stop = threading.Event()
        self.requests: list[bytes] = []
        self.connections = 0
        self.address_family = socket.AF_INET6 if ":" in host else socket.AF_INET
        super().__init__((host, port), Connection)
        self.port: int = self.server_address[1]

    def __enter__(self) -> Self:
        threading.Thread(target=self.serve_forever, args=(0.02,), daemon=True).start()
        return self

    def __exit__(self, *exc: object) -> None:
        self.stop.set()
        self.shutdown()
        self.server_close()  # waits for the threads of all connections

    def process_request(self, request: Any, client_address: Any) -> None:
        self.connections += 1
        super().process_request(request, client_address)

    def shutdown_request(self, request: Any) -> None:
        """Say no goodbye: the script may have reset the connection."""
        self.close_request(request)

    def url(self, path: str = "/hooks", *, scheme: str = "http", host: str | None = None) -> str:
        shown = host or (f"[{self.host}]" if ":" in self.host else self.host)
        return f"{scheme}://{shown}:{self.port}{path}"

    def request(self) -> tuple[str, dict[str, str], bytes]:
        """The only request: its first line, its headers, its body."""
        wait_until(lambda: len(self.requests) > 0)
        assert len(self.requests) == 1
        head, _, body = self.requests[0].partition(b"\r\n\r\n")
        first, *lines = head.decode("ascii").split("\r\n")
        pairs = [line.split(": ", 1) for line in lines]
        assert len({name.lower() for name, _ in pairs}) == len(pairs), "a header came twice"
        return first, {name.lower(): value for name, value in pairs}, body


_attempts: list[tuple[str, int]] | None = None


def _see_connections(event: str, arguments: tuple[Any, ...]) -> None:
    if event == "socket.connect" and _attempts is not None:
        host, port = arguments[1][:2]
        _attempts.append((host, port))
        if not ip_address(host).is_loopback:
            raise ConnectionRefusedError("no packet of a test leaves this machine")


sys.addaudithook(_see_connections)


@pytest.fixture
def attempts() -> Iterator[list[tuple[str, int]]]:
    """Every address that this process tried to connect to; those beyond loopback are stopped."""
    global _attempts
    _attempts = []
    yield _attempts
    _attempts = None


class Resolver:
    """Answers for names: each list is one answer, the last one stays. Literals resolve as ever."""

    def __init__(self) -> None:
        self.answers: dict[str, list[list[str]]] = {}
        self.asked: list[str] = []
        self.stuck: threading.Event | None = None
        self._real = socket.getaddrinfo

    def __call__(self, host: str, port: int, *args: Any, **kwargs: Any) -> list[Any]:
        if host not in self.answers:
            try:
                ip_address(host)
            except ValueError:
                self.asked.append(host)
                raise socket.gaierror(socket.EAI_NONAME, "Name or service not known") from None
            return list(self._real(host, port, *args, **kwargs))
        self.asked.append(host)
        if self.stuck is not None:
            self.stuck.wait(PATIENCE_SECONDS)
        left = self.answers[host]
        answer = left.pop(0) if len(left) > 1 else left[0]
        return [
            (
                socket.AF_INET6 if ":" in address else socket.AF_INET,
                socket.SOCK_STREAM,
                socket.IPPROTO_TCP,
                "",
                (address, port, 0, 0) if ":" in address else (address, port),
            )
            for address in answer
        ]


@pytest.fixture
def resolver(monkeypatch: pytest.MonkeyPatch) -> Resolver:
    answering = Resolver()
    monkeypatch.setattr(socket, "getaddrinfo", answering)
    return answering


class Authority:
    """A certificate authority of the test's own."""

    def __init__(self) -> None:
        import trustme

        self._ca = trustme.CA()
        self.asked_names: list[str | None] = []

    def server(self, *names: str) -> ssl.SSLContext:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self._ca.issue_cert(*names).configure_cert(context)
        context.sni_callback = lambda _sock, name, _context: self.asked_names.append(name)
        return context

    def trust(self, context: ssl.SSLContext) -> None:
        self._ca.configure_trust(context)


@pytest.fixture
def authority(monkeypatch: pytest.MonkeyPatch) -> Authority:
    """One that this process trusts."""
    made, context = Authority(), ssl.create_default_context()
    made.trust(context)
    monkeypatch.setattr(bounded_http, "_system_trust", lambda: context)
    return made


# This may reach the receivers of these tests.
near = partial(send_webhook, allow_private=True, timeout_seconds=PATIENCE_SECONDS)
hasty = partial(send_webhook, allow_private=True, timeout_seconds=SHORT_SECONDS)
strict = partial(send_webhook, allow_private=False)


# What is sent


def test_a_delivery_is_one_post_of_the_very_bytes() -> None:
    body = '{"event":"job.succeeded","post":{"title":"Käse"}}'.encode()
    with Receiver() as receiver:
        answer = near(receiver.url("/in?key=a%20b"), HEADERS, body)
        first, headers, received = receiver.request()
    assert answer == WebhookAnswer(status=200)
    assert first == "POST /in?key=a%20b HTTP/1.1"
    assert received == body
    assert headers.pop("user-agent").startswith("Copydesk-Webhooks/0.")
    assert headers == HEADERS | {
        "host": f"127.0.0.1:{receiver.port}",
        "content-type": "application/json",
        "content-length": str(len(body)),
        "accept-encoding": "identity",
        "connection": "close",
    }


@pytest.mark.parametrize("header", [("x y", "z"), ("x", "a\r\nb: c"), ("x", "\0"), ("x", "\ud800")])
def test_a_header_that_would_end_another_is_a_problem(header: tuple[str, str]) -> None:
    with Receiver() as receiver:
        answer = near(receiver.url(), dict([header]), b"{}")
    assert answer.problem == "A header for http://127.0.0.1 has a forbidden character."


def test_ipv6_is_spoken() -> None:
    with Receiver(host="::1") as receiver:
        assert near(receiver.url(), HEADERS, b"{}").status == 200
        assert receiver.request()[1]["host"] == f"[::1]:{receiver.port}"


# Where nothing is sent


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_a_redirect_is_not_followed(status: int) -> None:
    with Receiver() as elsewhere:
        answer = b"HTTP/1.1 %d X\r\nLocation: %s\r\nContent-Length: 0\r\n\r\n"
        with Receiver(answer % (status, elsewhere.url().encode())) as receiver:
            assert near(receiver.url(), HEADERS, b"{}") == WebhookAnswer(status=status)
        assert (len(receiver.requests), elsewhere.connections) == (1, 0)


# tests/unit/test_addresses.py has every spelling.
@pytest.mark.parametrize("host", ["127.0.0.1", "0x7f.1", "[::1]", "localhost", "a@127.0.0.1"])
def test_a_private_target_is_sent_nothing_in_any_spelling(
    host: str, attempts: list[tuple[str, int]], resolver: Resolver
) -> None:
    with Receiver() as receiver:
        for scheme in ("http", "https"):
            answer = strict(receiver.url(scheme=scheme, host=host), HEADERS, b"{}")
            assert answer.status is None
            assert answer.problem is not None
            assert answer.problem.startswith("The webhook's URL must ")
        assert receiver.connections == 0
    assert (attempts, resolver.asked) == ([], [])


@pytest.mark.parametrize(
    "answer",
    [
        *(["10.0.0.1"], ["169.254.169.254"], ["fe80::1%1"], ["::ffff:8.8.8.8"]),
        ["8.8.8.8", "127.0.0.1"],
        ["2606:4700:4700::1111", "8.8.8.8", "::1"],
    ],
    ids=",".join,
)
def test_a_name_with_a_private_address_is_sent_nothing(
    answer: list[str], attempts: list[tuple[str, int]], resolver: Resolver
) -> None:
    """One such address among public ones is enough."""
    resolver.answers["hooks.example.com"] = [answer]
    sent = strict("https://hooks.example.com/", {}, b"{}")
    assert sent.status is None
    assert sent.problem is not None
    assert sent.problem.startswith("The host of https://hooks.example.com resolves to a")
    assert sent.problem.endswith("resolves to an address that is not public.")
    assert attempts == []


def test_a_name_that_resolves_differently_the_second_time_gains_nothing(
    attempts: list[tuple[str, int]], resolver: Resolver
) -> None:
    resolver.answers["hooks.example.com"] = [["8.8.8.8"], ["127.0.0.1"]]
    with Receiver() as receiver:
        url = receiver.url(scheme="https", host="hooks.example.com")
        answer = strict(url, HEADERS, b"{}")
        assert receiver.connections == 0
    assert answer.problem == f"{url.rpartition('/')[0]} cannot be connected to."
    assert attempts == [("8.8.8.8", receiver.port)]
    assert resolver.asked == ["hooks.example.com"]


# TLS


def test_the_checked_address_is_connected_to_and_the_name_is_certified(
    public_neighbour: str,
    authority: Authority,
    resolver: Resolver,
    attempts: list[tuple[str, int]],
) -> None:
    resolver.answers["hooks.example.com"] = [[public_neighbour], ["127.0.0.1"]]
    context = authority.server("hooks.example.com")
    with Receiver(host=public_neighbour, context=context) as receiver:
        url = receiver.url(scheme="https", host="hooks.example.com")
        assert strict(url, HEADERS, b'{"a":1}') == WebhookAnswer(status=200)
        first, headers, body = receiver.request()
        assert (first, body) == ("POST /hooks HTTP/1.1", b'{"a":1}')
        assert headers["host"] == f"hooks.example.com:{receiver.port}"
        assert attempts == [(public_neighbour, receiver.port)]
    assert authority.asked_names == ["hooks.example.com"]
    assert resolver.asked == ["hooks.example.com"]


@pytest.mark.parametrize(
    ("certified", "is_trusted", "allow_private", "why"),
    [
        ("other.example.com", True, False, "Hostname mismatch"),
        ("127.0.0.2", True, False, "Hostname mismatch"),
        ("example.com", True, False, "Hostname mismatch"),
        ("hooks.example.com", False, False, "unable to get local issuer"),
        ("hooks.example.com", False, True, "unable to get local issuer"),
    ],
)
def test_a_certificate_of_another_name_or_an_unknown_authority_is_refused(
    certified: str,
    is_trusted: bool,
    allow_private: bool,
    why: str,
    public_neighbour: str,
    authority: Authority,
    resolver: Resolver,
) -> None:
    """That of the address as well: the certificate is to prove the name."""
    resolver.answers["hooks.example.com"] = [[public_neighbour]]
    context = (authority if is_trusted else Authority()).server(certified)
    with Receiver(host=public_neighbour, context=context) as receiver:
        url = receiver.url(scheme="https", host="hooks.example.com")
        answer = send_webhook(url, HEADERS, b"{}", allow_private=allow_private)
        assert b"".join(receiver.requests) == b""
    said = f"The certificate of https://hooks.example.com was not accepted: {why}"
    assert str(answer.problem).startswith(said)


def test_a_receiver_without_tls_is_sent_nothing() -> None:
    with Receiver(lambda connection: connection.drip(b"220 no TLS\r\n", b"at all\r\n")) as receiver:
        answer = near(receiver.url(scheme="https"), HEADERS, b"{}")
    assert b"POST" not in b"".join(receiver.requests)
    assert answer.problem is not None
    assert answer.problem.startswith("https://127.0.0.1 does not speak TLS as it should (")


# Addresses in turn


def test_the_next_address_is_tried_where_nobody_answers(
    resolver: Resolver, attempts: list[tuple[str, int]]
) -> None:
    resolver.answers["hooks.example.com"] = [["127.0.0.3", "127.0.0.1", "127.0.0.4"]]
    with Receiver() as receiver:
        url = receiver.url(host="hooks.example.com")
        assert near(url, HEADERS, b"{}").status == 200
        assert attempts == [("127.0.0.3", receiver.port), ("127.0.0.1", receiver.port)]


def test_a_silent_address_leaves_time_for_the_next(
    authority: Authority, resolver: Resolver
) -> None:
    resolver.answers["hooks.example.com"] = [["127.0.0.2", "127.0.0.1"]]
    with (
        Receiver(context=authority.server("hooks.example.com")) as receiver,
        Receiver(lambda silent: silent.stop.wait(), host="127.0.0.2", port=receiver.port) as first,
    ):
        url = receiver.url(scheme="https", host="hooks.example.com")
        assert near(url, HEADERS, b"{}", timeout_seconds=8.0) == WebhookAnswer(status=200)
        assert first.connections == 1


def test_a_body_that_was_sent_goes_to_no_second_address(resolver: Resolver) -> None:
    resolver.answers["hooks.example.com"] = [["127.0.0.1", "127.0.0.2"]]
    with (
        Receiver(Connection.read_request) as broken,
        Receiver(host="127.0.0.2", port=broken.port) as other,
    ):
        assert near(broken.url(host="hooks.example.com"), HEADERS, b"{}").status is None
        assert (broken.connections, other.connections) == (1, 0)


# The end of the answer


def test_a_receiver_may_finish_its_answer_in_peace(authority: Authority) -> None:
    """Neither a reset while it still writes, nor an end of TLS without a goodbye."""
    ends: list[bytes] = []

    def slowly(connection: Connection) -> None:
        connection.read_request()
        connection.sock.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 32768\r\n\r\n")
        for _ in range(8):
            connection.stop.wait(0.02)
            connection.sock.sendall(b"x" * 4096)
        ends.append(connection.sock.recv(1))  # raises where TLS was cut off

    context = authority.server("127.0.0.1")
    with Receiver(slowly) as plain, Receiver(slowly, context=context) as secure:
        assert near(plain.url(), HEADERS, b"{}").status == 200
        assert near(secure.url(scheme="https"), HEADERS, b"{}").status == 200
    assert ends == [b"", b""]


# Receivers that misbehave


def reset(connection: Connection) -> None:
    connection.read_request()
    at_once = struct.pack("ii", 1, 0)
    connection.sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, at_once)


def endless_headers(connection: Connection) -> None:
    connection.read_request()
    connection.sock.sendall(b"HTTP/1.1 200 OK\r\n")
    while not connection.stop.is_set():
        connection.sock.sendall(b"X-Header: " + b"x" * 4096 + b"\r\n")


def dripping(start: bytes, drop: bytes) -> Script:
    def script(connection: Connection) -> None:
        connection.read_request()
        connection.drip(start, drop)

    return script


BROKEN: dict[str, Script | bytes] = {
    "closes at once": lambda connection: None,
    "closes after the request": Connection.read_request,
    "resets": reset,
    "closes in the status line": b"HTTP/1.1 2",
    "closes in the headers": b"HTTP/1.1 200 OK\r\nContent-Le",
    "speaks something else": b"220 mail.example.com ESMTP\r\n",
    "has no status": b"HTTP/1.1 OK\r\n\r\n",
    "has a malformed header": b"HTTP/1.1 200 OK\r\nno header\r\n\r\n",
    "headers without end": endless_headers,
}
LATE: dict[str, Script] = {
    "says nothing": lambda connection: connection.drip(b"", b""),
    "drips a status line": dripping(b"HTTP/1.1 200 ", b"O"),
    "drips headers": dripping(b"HTTP/1.1 200 OK\r\n", b"X: y\r\n"),
    "drips one header": dripping(b"HTTP/1.1 200 OK\r\nX: ", b"y"),
    "promises for ever": dripping(b"", b"HTTP/1.1 100 Continue\r\n\r\n"),
}


@pytest.mark.parametrize("script", BROKEN.values(), ids=BROKEN)
def test_what_is_no_answer_is_a_problem(script: Script | bytes) -> None:
    with Receiver(script) as receiver:
        answer = near(receiver.url(), HEADERS, b"{}")
    assert answer == WebhookAnswer(
        problem="http://127.0.0.1 ended the connection or answered something that is not HTTP."
    )


@pytest.mark.parametrize("script", LATE.values(), ids=LATE)
def test_the_deadline_is_for_all_of_it(script: Script) -> None:
    with Receiver(script) as receiver:
        began = time.monotonic()
        answer = hasty(receiver.url(), HEADERS, b"{}")
        took = time.monotonic() - began
    assert answer == WebhookAnswer(problem="http://127.0.0.1 gave no answer within 1 seconds.")
    assert SHORT_SECONDS * 0.9 < took < KEPT_SECONDS


@pytest.mark.parametrize("scheme", ["http", "https"])
def test_the_deadline_counts_while_we_send_and_while_tls_begins(scheme: str) -> None:
    body = b"x" * (32 * 1024 * 1024)  # more than the buffers between two sockets hold
    with Receiver(lambda connection: connection.drip(b"", b"")) as receiver:
        began = time.monotonic()
        answer = hasty(receiver.url(scheme=scheme), HEADERS, body)
        took = time.monotonic() - began
    assert answer.problem == f"{scheme}://127.0.0.1 gave no answer within 1 seconds."
    assert took < KEPT_SECONDS


def test_the_deadline_counts_while_a_name_is_resolved(resolver: Resolver) -> None:
    resolver.answers["hooks.example.com"] = [["127.0.0.1"]]
    resolver.stuck = threading.Event()
    with Receiver() as receiver:
        began = time.monotonic()
        answer = hasty(receiver.url(host="hooks.example.com"), HEADERS, b"{}")
        took = time.monotonic() - began
        resolver.stuck.set()
        assert receiver.connections == 0
    assert answer.problem == "http://hooks.example.com gave no answer within 1 seconds."
    assert took < KEPT_SECONDS


def test_a_status_counts_though_its_body_never_ends() -> None:
    """The receiver has decided; to send it again would be to send it twice."""
    start = b"HTTP/1.1 201 Created\r\nRetry-After: 7\r\nContent-Length: 9999\r\n\r\n"
    with Receiver(dripping(start, b"x")) as receiver:
        began = time.monotonic()
        answer = hasty(receiver.url(), HEADERS, b"{}")
        assert time.monotonic() - began < KEPT_SECONDS
    assert answer == WebhookAnswer(status=201, retry_after=7.0)
    with Receiver(start + b"cut off") as receiver:
        assert near(receiver.url(), HEADERS, b"{}").status == 201


def test_of_a_huge_answer_64_kib_are_read() -> None:
    sent = 0

    def pour(connection: Connection) -> None:
        nonlocal sent
        connection.read_request()
        connection.sock.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 10000000000\r\n\r\n")
        while True:
            sent += connection.sock.send(b"x" * 65536)

    with Receiver(pour) as receiver:
        assert near(receiver.url(), HEADERS, b"{}") == WebhookAnswer(status=200)
        wait_until(lambda: len(receiver.requests) == 1)
    assert 64 * 1024 <= sent < 32 * 1024 * 1024  # the rest is what the system's buffers took


def test_an_early_answer_to_a_large_body_is_heard() -> None:
    def refuse(connection: Connection) -> None:
        connection.sock.recv(1000)
        connection.sock.sendall(b"HTTP/1.1 413 Too Large\r\nContent-Length: 0\r\n\r\n")
        connection.sock.shutdown(socket.SHUT_WR)
        while connection.sock.recv(1 << 20):
            pass

    with Receiver(refuse) as receiver:
        answer = near(receiver.url(), HEADERS, b"x" * (8 * 1024 * 1024))
    assert answer == WebhookAnswer(status=413)


def test_nobody_there_and_no_such_name(resolver: Resolver) -> None:
    with Receiver() as receiver:
        gone = receiver.url()
    problem = f"{gone.rpartition('/')[0]} cannot be connected to."
    assert near(gone, HEADERS, b"{}").problem == problem
    answer = near("https://nowhere.example.com/", HEADERS, b"{}")
    assert answer.problem == "The host of https://nowhere.example.com cannot be resolved."
    resolver.answers["empty.example.com"] = [[]]
    answer = near("https://empty.example.com/", HEADERS, b"{}")
    assert answer.problem == "The host of https://empty.example.com cannot be resolved."


# Retry-After


@pytest.mark.parametrize(
    ("value", "seconds"),
    [
        (b"0", 0.0),
        (b" 7 ", 7.0),
        (b"-1", None),
        (b"1.5", 1.5),
        (b"9" * 5000, None),
        (b"soon", None),
        (b"\xff", None),
        (b"Wed, 99 Foo 2020 99:99:99 GMT", None),
        (b"Wed, 21 Oct 2015 07:28:00 GMT", 0.0),
        (b"Wed, 21 Oct 2015 07:28:00 -0000", 0.0),
        (b"in an hour", 3600.0),
    ],
)
def test_retry_after_is_read_in_seconds_or_as_a_date(value: bytes, seconds: float | None) -> None:
    slack = 0.0
    if value == b"in an hour":
        slack = PATIENCE_SECONDS
        value = format_datetime(datetime.now(UTC) + timedelta(hours=1), usegmt=True).encode()
    answer = b"HTTP/1.1 503 X\r\nrEtRy-aFtEr: %s\r\nContent-Length: 0\r\n\r\n" % value
    with Receiver(answer) as receiver:
        sent = near(receiver.url(), HEADERS, b"{}")
    assert sent.status == 503
    assert sent.retry_after == pytest.approx(seconds, abs=slack)


# Secrets


def test_nothing_of_path_query_body_or_signature_is_in_a_problem_or_a_log(
    caplog: pytest.LogCaptureFixture, resolver: Resolver
) -> None:
    """A webhook's URL can hold a secret, and a receiver can repeat it."""
    caplog.set_level(logging.DEBUG)
    resolver.answers["hooks.example.com"] = [["10.0.0.1"]]
    path = "/Secr3t?key=Secr3t"
    redirect = b"HTTP/1.1 302 X\r\nLocation: /Secr3t/\r\nX: Secr3t\r\nContent-Length: 0\r\n\r\n"
    problems: list[str | None] = []
    for script in [*BROKEN.values(), LATE["says nothing"], redirect]:
        with Receiver(script) as receiver:
            problems.append(hasty(receiver.url(path), HEADERS, b"Secr3t").problem)
    with Receiver(b"") as receiver:
        url = receiver.url(path, scheme="https")
        problems.append(hasty(url, HEADERS, b"Secr3t").problem)
    refused = ("http://a.com", "https://10.0.0.1", "https://x@a.com", "https://nowhere.a.com")
    for place in (*refused, "https://hooks.example.com"):
        answer = strict(place + path, HEADERS, b"Secr3t")
        problems.append(answer.problem)
    assert len([problem for problem in problems if problem]) == len(problems) - 1
    written = repr(problems) + caplog.text
    assert "Secr3t" not in written
    assert HEADERS["webhook-signature"] not in written
    assert HEADERS["x-svc-signature"] not in written
