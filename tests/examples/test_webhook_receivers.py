"""The receivers of examples/webhooks, as real servers: the service's own sender delivers to them,
and so do forgers."""

import json
import sqlite3
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from http.client import HTTPConnection
from pathlib import Path
from typing import Any

import pytest

from app.adapters.http_webhooks import send_webhook
from app.core.schemas.job import WebhookEvent
from app.core.webhooks.delivery import payload
from app.core.webhooks.signature import derived_secret, new_root, new_secret, signed_headers
from copydesk.webhooks import MAX_BODY_BYTES
from tests.support.process_group import ProcessGroup
from tests.support.startup import free_port, wait_until

EXAMPLES = Path(__file__).parents[2] / "examples/webhooks"
COMMANDS = {
    "flask": ["-m", "flask", "--app", "flask_receiver.py", "run", "--port"],
    "fastapi": ["-m", "uvicorn", "fastapi_receiver:app", "--port"],
    "django": ["django_receiver.py", "runserver", "--noreload"],
}
OLD, NEW, STRANGE = (new_root(bytes([number]) * 32) for number in (1, 2, 3))
POST = {"title": "Käse & Kaffee ☕"}


class Receiver:
    """One of the receivers, with the roots OLD and NEW and an inbox of its own."""

    def __init__(self, group: ProcessGroup, name: str) -> None:
        self._group = group
        self._folder = group.folder / name
        self._folder.mkdir()
        self.inbox, self._log = self._folder / "inbox.db", self._folder / "log"
        self.port = free_port()
        self._command = [sys.executable, *COMMANDS[name], str(self.port)]
        self._process = self._start()

    def _start(self) -> "subprocess.Popen[bytes]":
        env = {"COPYDESK_WEBHOOK_SECRET": f"{OLD},{NEW}", "INBOX": str(self.inbox)}
        process = self._group.spawn(self._command, log=self._log, env=env, cwd=EXAMPLES)
        wait_until(self._answers, 60, f"{self._command} answers: {self.log}")
        return process

    def _answers(self) -> bool:
        connection = HTTPConnection("127.0.0.1", self.port, timeout=5)
        try:
            connection.request("GET", "/")
            return connection.getresponse().status == 404
        except OSError:
            return False
        finally:
            connection.close()

    @property
    def log(self) -> str:
        return self._log.read_text("utf-8")

    def kill_and_restart(self) -> None:
        self._process.kill()
        self._process.wait()
        self._process = self._start()

    def deliver(self, body: bytes, secret: str, age: int = 0) -> int | None:
        """Send it as the service does; return the status, None if there was no answer."""
        headers = signed_headers(secret, "msg_1", int(time.time()) - age, body)
        url = f"http://127.0.0.1:{self.port}/webhooks/copydesk"
        return send_webhook(url, headers, body, allow_private=True, timeout_seconds=60).status

    def stored(self) -> dict[str, Any]:
        """The events in the inbox, by their keys."""
        if not self.inbox.exists():
            return {}
        with closing(sqlite3.connect(self.inbox)) as database:
            rows = database.execute("SELECT key, event FROM inbox").fetchall()
        assert len({key for key, _ in rows}) == len(rows)
        return {key: json.loads(event) for key, event in rows}


@pytest.fixture(scope="module", params=COMMANDS)
def receiver(group: ProcessGroup, request: pytest.FixtureRequest) -> Receiver:
    return Receiver(group, request.param)


def body_of(job_id: str) -> bytes:
    return payload(WebhookEvent.SUCCEEDED, job_id, "req_1", {"post": POST}).encode()


@pytest.mark.parametrize(
    ("root", "job_id"),
    [(NEW, "job_01JD3ZR8T0V2X4Z6B8D0F2H4J6"), (NEW, "job_Käse-☕"), (OLD, "job_of_the_old_root")],
)
def test_a_webhook_of_the_service_is_stored(receiver: Receiver, root: str, job_id: str) -> None:
    """During a rotation, both roots are accepted."""
    assert receiver.deliver(body_of(job_id), derived_secret(root, job_id)) == 204
    assert receiver.stored()[f"job.succeeded:{job_id}"]["post"] == POST


def test_a_repeated_delivery_is_acknowledged_and_dropped(receiver: Receiver) -> None:
    """The service sends an event again, with a new time, until it is acknowledged."""
    body, secret = body_of("job_again"), derived_secret(NEW, "job_again")
    assert receiver.deliver(body, secret, age=200) == 204
    before = receiver.stored()
    with ThreadPoolExecutor(4) as pool:
        repeated = list(pool.map(lambda age: receiver.deliver(body, secret, age), range(8)))
    assert repeated == [204] * 8
    assert receiver.stored() == before


def test_a_killed_receiver_remembers_what_it_acknowledged(receiver: Receiver) -> None:
    body, secret = body_of("job_killed"), derived_secret(NEW, "job_killed")
    assert receiver.deliver(body, secret) == 204
    before = receiver.stored()
    receiver.kill_and_restart()
    assert receiver.deliver(body, secret) == 204
    assert receiver.stored() == before


def test_no_other_request_is_stored(receiver: Receiver) -> None:
    """A forged one, one of another account, one of another job, and one that is replayed late."""
    before, body = receiver.stored(), body_of("job_x")
    refused = [
        (body, new_secret(bytes(32)), 0),
        (body, derived_secret(STRANGE, "job_x"), 0),
        (body, derived_secret(NEW, "job_y"), 0),
        (body, derived_secret(NEW, "job_x"), 301),
        (b"[" * 100_000, derived_secret(NEW, "job_x"), 0),
        (b'{"jobId": "\\ud800"}', derived_secret(NEW, "job_x"), 0),
    ]
    assert [receiver.deliver(*each) for each in refused] == [400] * len(refused)
    assert receiver.stored() == before
    for reason in ("signature", "timestamp", "body"):
        assert f"refused a webhook, {reason}: " in receiver.log
    for secret in (OLD, NEW, derived_secret(NEW, "job_x")):
        assert secret not in receiver.log


def test_a_huge_body_is_refused_and_the_receiver_goes_on(receiver: Receiver) -> None:
    """A server that refuses it unread may close the connection while it is still being sent."""
    secret = derived_secret(NEW, "job_huge")
    huge = body_of("job_huge") + b" " * MAX_BODY_BYTES
    assert receiver.deliver(huge, secret) in {400, 413, None}
    assert "job.succeeded:job_huge" not in receiver.stored()
    assert receiver.deliver(body_of("job_huge"), secret) == 204
    assert "job.succeeded:job_huge" in receiver.stored()


def test_the_inbox_works_on_each_event_once(receiver: Receiver) -> None:
    receiver.deliver(body_of("job_work"), derived_secret(NEW, "job_work"))

    def work() -> str:
        return subprocess.run(
            [sys.executable, EXAMPLES / "inbox.py"],
            env={"INBOX": str(receiver.inbox), "PYTHONPATH": ":".join(filter(None, sys.path))},
            capture_output=True, text=True, check=True, timeout=60,
        ).stdout  # fmt: skip

    assert "job.succeeded:job_work Käse & Kaffee ☕\n" in work()
    assert work() == ""
