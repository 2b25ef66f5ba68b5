"""The commands ``verify-webhook`` and ``listen``, as processes of their own."""

import hashlib
import hmac
import http.client
import json
import os
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from copydesk._webhook_commands import LARGEST_BODY


@pytest.fixture
def body(samples: Any) -> bytes:
    members = {name: samples["generation"][name] for name in ("post", "rendered", "quality")}
    event = {"event": "job.succeeded", "jobId": "job_1", "requestId": "req_1", **members}
    return json.dumps(event).encode()


def signature(body: bytes, secret: str, ago: int = 0) -> str:
    at = int(time.time()) - ago
    digest = hmac.new(secret.encode(), f"{at}.".encode() + body, hashlib.sha256).hexdigest()
    return f"t={at},v1={digest}"


@pytest.fixture
def environment(secret: str) -> dict[str, str]:
    return os.environ | {"COPYDESK_WEBHOOK_SECRET": secret}


def verify(
    environment: dict[str, str], body: bytes, header: str, *arguments: str
) -> "subprocess.CompletedProcess[bytes]":
    return subprocess.run(
        [sys.executable, "-m", "copydesk", "verify-webhook", "--signature", header, *arguments],
        env=environment,
        input=body,
        capture_output=True,
        timeout=60,
    )


def test_a_webhook_is_verified_from_a_file_or_from_input(
    environment: dict[str, str], body: bytes, secret: str, tmp_path: Path
) -> None:
    """`x-svc-signature: t=...,v1=...` over the raw body"""
    done = verify(environment, body, signature(body, secret))
    assert done.stdout == b"valid: job.succeeded  job_1  Cold brew at home (20 words)\n"
    (tmp_path / "body").write_bytes(body)
    old = signature(body, secret, ago=4000)
    done = verify(environment, b"", old, "--json", "--tolerance", "5000", str(tmp_path / "body"))
    assert (done.returncode, json.loads(done.stdout)) == (0, json.loads(body))


def test_a_webhook_that_is_not_valid_exits_with_1(
    environment: dict[str, str], body: bytes, secret: str
) -> None:
    """Exit codes documented as the existing ones"""
    for header, said in (
        (signature(body + b" ", secret), "another body or secret; check the body"),
        (signature(body, secret, ago=400), "correct the clock, or pass --tolerance"),
        ("v1=abc", "must be t=<seconds>,v1=<64 hexadecimal digits>"),
    ):
        done = verify(environment, body, header)
        assert (done.returncode, done.stdout) == (1, b"")
        assert said in done.stderr.decode()
        assert secret not in done.stderr.decode()
    large = b"x" * (LARGEST_BODY + 1)
    assert verify(environment, large, signature(large, secret)).returncode == 2
    for wrong in (environment | {"COPYDESK_WEBHOOK_SECRET": ""}, environment):
        done = verify(wrong, body, signature(body, secret), "/no/such/file")
        assert done.returncode == 2


class Listener:
    """A running ``copydesk listen``."""

    def __init__(self, environment: dict[str, str], *arguments: str) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "copydesk", "listen", "--port", "0", *arguments],
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
        )
        assert self.process.stdout is not None
        assert self.process.stderr is not None
        self.out, self.err = self.process.stdout, self.process.stderr
        self.said = [self.err.readline() for _ in range(3)]
        found = re.search(r"http://127\.0\.0\.1:(\d+);", self.said[0])
        assert found, self.said
        self.port = int(found[1])

    def post(self, body: bytes, **headers: str) -> int:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=20)
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        connection.request("POST", "/any/path", body, named)
        status = connection.getresponse().status
        connection.close()
        return status


@pytest.fixture
def listen(environment: dict[str, str]) -> Iterator[Callable[..., Listener]]:
    started: list[Listener] = []

    def start(*arguments: str) -> Listener:
        started.append(Listener(environment, *arguments))
        return started[-1]

    yield start
    for listener in started:
        listener.process.kill()
        listener.process.communicate()


def test_each_event_is_a_line_and_what_is_not_signed_is_refused(
    listen: Any, body: bytes, secret: str
) -> None:
    """a local receiver on loopback that prints each event, verifies with the secret"""
    receiver = listen()
    assert "must be able to reach this address" in receiver.said[1]
    assert receiver.post(body, x_svc_signature=signature(body, secret)) == 204
    assert receiver.out.readline() == "job.succeeded  job_1  Cold brew at home (20 words)\n"
    assert receiver.post(body, x_svc_signature=signature(body, "other")) == 400
    assert receiver.err.readline().startswith("refused (signature): ")
    assert receiver.post(body) == 400
    assert receiver.err.readline().startswith("refused (header): ")
    hostile = json.dumps(
        {"event": "job.failed", "jobId": "a\nb\x1b[2J", "error": {"code": "X", "message": "m\nn"}}
    ).encode()
    assert receiver.post(hostile, x_svc_signature=signature(hostile, secret)) == 204
    assert receiver.out.readline() == "job.failed  a b[2J  X: m n\n"
    receiver.process.send_signal(signal.SIGINT)
    assert receiver.process.wait(20) == 130
    assert secret not in receiver.out.read() + receiver.err.read()


def test_json_lines_are_the_events_as_received(listen: Any, body: bytes, secret: str) -> None:
    """one line per event, --json lines"""
    receiver = listen("--json")
    for _ in range(2):
        assert receiver.post(body, x_svc_signature=signature(body, secret)) == 204
    lines = [receiver.out.readline() for _ in range(2)]
    assert [json.loads(line) for line in lines] == [json.loads(body)] * 2


def test_bodies_are_bounded(listen: Any, body: bytes, secret: str) -> None:
    """bounded bodies"""
    receiver = listen()
    for headers, status in (
        (f"Content-Length: {LARGEST_BODY + 1}", 413),
        ("Content-Length: 99999999999999999999", 411),
        ("Content-Length: -1", 411),
        ("Transfer-Encoding: chunked", 411),
    ):
        with socket.create_connection(("127.0.0.1", receiver.port), timeout=20) as line:
            line.sendall(f"POST / HTTP/1.1\r\nHost: x\r\n{headers}\r\n\r\n".encode())
            assert line.recv(65_536).split()[1] == str(status).encode()
    assert receiver.post(body, x_svc_signature=signature(body, secret)) == 204


def test_a_webhook_is_forwarded_as_it_came_and_answered_as_the_program_answers(
    service: Any, listen: Any, body: bytes, secret: str
) -> None:
    """can forward to another URL on loopback"""
    receiver = listen("--forward", f"{service.url}/hooks?a=b")
    header = signature(body, secret)
    service.reply(503)
    assert receiver.post(body, x_svc_signature=header, webhook_id="msg_1") == 503
    assert receiver.out.readline().endswith("  forwarded: 503\n")
    (seen,) = service.seen
    assert (seen.method, seen.path, seen.query) == ("POST", "/hooks", "a=b")
    assert seen.body == json.loads(body)
    assert seen.headers["x-svc-signature"] == header
    assert seen.headers["webhook-id"] == "msg_1"
    service.replies.append("cut")
    assert receiver.post(body, x_svc_signature=header) == 502
    assert "not forwarded: RemoteProtocolError" in receiver.out.readline()
    assert receiver.post(body) == 400
    assert len(service.seen) == 2


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--forward", "http://example.com/"], "--forward must be a URL on this machine"),
        (["--forward", "http://127.0.0.1.example.com/"], "--forward must be a URL on this"),
        (["--forward", "ftp://127.0.0.1/"], "--forward must be a URL on this machine"),
        (["--forward", "nonsense"], "--forward must be a URL on this machine"),
        (["--port", "70000"], "--port 70000 cannot be used"),
    ],
)
def test_wrong_arguments_of_listen(
    environment: dict[str, str], arguments: list[str], said: str
) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "copydesk", "listen", *arguments],
        env=environment,
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert (done.returncode, said in done.stderr) == (2, True), done.stderr


def test_a_reader_who_leaves_ends_it(listen: Any, body: bytes, secret: str) -> None:
    receiver = listen()
    receiver.out.close()
    with suppress(http.client.HTTPException, ConnectionError):  # it ends, answered or not
        receiver.post(body, x_svc_signature=signature(body, secret))
    assert receiver.process.wait(20) == 1
