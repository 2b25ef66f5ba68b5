"""Notes to the owner: on real servers of this machine, bounded, and never in the way of a pass."""

import json
import logging
import socketserver
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from copydesk_connectors.cli import config
from copydesk_connectors.engine import notify
from copydesk_connectors.engine.notify import Notifier
from copydesk_connectors.target.errors import ConfigError

from .feed_server import FakeFeed
from .test_cli import connect

Write = Callable[..., Path]
HTML = '[[target]]\ntype = "html"\npath = "site"\n'


@pytest.fixture
def hook() -> Iterator[Any]:
    """An incoming webhook: ``url``, what it ``received`` and the ``status`` that it answers."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            self.server.received.append(json.loads(body))  # type: ignore[attr-defined]
            self.send_response(self.server.status)  # type: ignore[attr-defined]
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *_: object) -> None:
            pass

    server: Any = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.received, server.status = [], 200
    server.url = f"http://127.0.0.1:{server.server_port}/services/secret-of-the-hook"
    yield from _served(server)


@pytest.fixture
def mail() -> Iterator[Any]:
    """A mail server: what it ``received``; ``refuses`` makes it refuse the receiver."""

    class Handler(socketserver.StreamRequestHandler):
        def handle(self) -> None:
            self.wfile.write(b"220 hello\r\n")
            while line := self.rfile.readline():
                word = line.split()[0].upper().rstrip(b":")
                if word == b"DATA":
                    self.wfile.write(b"354 go on\r\n")
                    text = b"".join(iter(self.rfile.readline, b".\r\n"))
                    self.server.received.append(text.decode())  # type: ignore[attr-defined]
                if word == b"QUIT":
                    self.wfile.write(b"221 bye\r\n")
                    return
                refused = word == b"RCPT" and self.server.refuses  # type: ignore[attr-defined]
                self.wfile.write(b"550 no such jo@blog.example\r\n" if refused else b"250 ok\r\n")

    server: Any = socketserver.ThreadingTCPServer(("127.0.0.1", 0), Handler)
    server.received, server.refuses = [], False
    yield from _served(server)


def _served(server: Any) -> Iterator[Any]:
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


@pytest.fixture
def notifier(write_config: Write, tmp_path: Path) -> Callable[[str], Notifier]:
    """Opens the notes of a [notify] table as a new process does."""

    def open_it(table: str) -> Notifier:
        loaded = config.load(write_config(f"{HTML}[notify]\n{table}"))
        return Notifier(loaded.notify, tmp_path / "notes", lambda text: text.replace("pass", "***"))

    return open_it


@pytest.fixture
def by_hook(
    notifier: Callable[[str], Notifier], hook: Any, tmp_path: Path
) -> Callable[[], Notifier]:
    file = tmp_path / "hook"
    file.write_text(hook.url)
    file.chmod(0o600)
    return lambda: notifier('webhook_file = "hook"')


def test_a_webhook_gets_a_failure_and_a_draft_to_review(
    by_hook: Callable[[], Notifier], hook: Any
) -> None:
    """e-mail or webhook note on a failure or a draft to review; no secrets in it"""
    notes = by_hook()
    notes.after_pass([])
    assert hook.received == []
    notes.review("Ten \n beds", "wordpress")
    notes.after_pass(["wordpress: pass is wrong"])
    (sent,) = hook.received
    assert sent["problems"] == ["wordpress: *** is wrong"]
    assert sent["drafts"] == ["“Ten beds” waits on wordpress"]
    assert sent["text"] == sent["content"]
    assert sent["text"].splitlines()[0] == "Copydesk: 1 problem and 1 draft to review"


def test_a_problem_that_stays_is_told_once_even_by_a_new_process(
    by_hook: Callable[[], Notifier], hook: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """a note a day, not one a pass"""
    for seconds in (30, 60, 120):
        by_hook().after_pass([f"the site is down, again in {seconds} s"])
    assert len(hook.received) == 1
    by_hook().after_pass(["the site is down, again in 1 s", "the feed is down"])
    assert hook.received[-1]["problems"] == ["the feed is down"]
    by_hook().after_pass([])
    by_hook().after_pass(["the feed is down"])
    assert len(hook.received) == 3, "it was over in between"
    now = notify.time.time()  # type: ignore[attr-defined]
    monkeypatch.setattr("time.time", lambda: now + 90_000)
    by_hook().after_pass(["the feed is down"])
    assert len(hook.received) == 4


def test_a_note_is_bounded(by_hook: Callable[[], Notifier], hook: Any) -> None:
    """bounded"""
    by_hook().after_pass(["x" * 5_000 + chr(97 + n % 26) * n for n in range(500)])
    text = hook.received[0]["text"]
    assert len(text) < 7_000
    assert text.endswith("- and 480 more")


@pytest.mark.parametrize("status", [404, 500, 302])
def test_a_failing_note_is_one_log_line_without_the_address(
    by_hook: Callable[[], Notifier], hook: Any, caplog: pytest.LogCaptureFixture, status: int
) -> None:
    """a failing note is one log line and never stops a pass"""
    hook.status = status
    with caplog.at_level(logging.INFO):
        by_hook().after_pass(["down"])
    (line,) = [record.getMessage() for record in caplog.records]
    assert line.startswith("a note could not be sent by webhook: ")
    assert "127.0.0.1" not in line
    assert "secret" not in line
    hook.status = 200
    sent = len(hook.received)
    by_hook().after_pass(["down"])
    assert len(hook.received) == sent + 1, "what was not told is told with the next pass"


def test_a_server_that_never_answers_holds_nothing_up(
    by_hook: Callable[[], Notifier],
    hook: Any,
    caplog: pytest.LogCaptureFixture,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """bounded: the note is given up after its time"""
    over = threading.Event()
    monkeypatch.setattr(notify, "_LONGEST_S", 0.05)
    monkeypatch.setattr(notify, "_post", lambda *_: over.wait(30))
    by_hook().after_pass(["down"])
    over.set()
    assert [r.getMessage() for r in caplog.records] == [
        "a note could not be sent by webhook: it took too long"
    ]


def test_an_e_mail(
    notifier: Callable[[str], Notifier], mail: Any, caplog: pytest.LogCaptureFixture
) -> None:
    """e-mail or webhook note"""
    port = mail.server_address[1]
    table = f'mail_to = "jo@blog.example"\nsmtp_host = "127.0.0.1"\nsmtp_port = {port}'
    notifier(table).after_pass(["wordpress: down"])
    (text,) = mail.received
    assert "To: jo@blog.example" in text
    assert "Subject: Copydesk: 1 problem" in text
    assert "- wordpress: down" in text
    mail.refuses = True
    notifier(table).after_pass(["ghost: down"])
    (record,) = caplog.records
    said = "a note could not be sent by e-mail: SMTPRecipientsRefused"
    assert record.getMessage() == said, "without the address"


@pytest.mark.parametrize(
    ("table", "said"),
    [
        ("", "webhook: is missing: set webhook_env, webhook_file or mail_to"),
        ('mail_to = "jo"', "mail_to: must be one e-mail address"),
        ('mail_to = "jo@x.example"', "smtp_host: is missing"),
        ('webhook = "https://x.example"', "webhook: must not be in this file"),
        ('mail_to = "a@b.example"\nsmtp_host = "m"\nsmtp_username = "a"', "smtp_password: goes"),
        ('slack = "x"', "slack: is not a setting here"),
    ],
)
def test_a_wrong_table_is_one_error(
    notifier: Callable[[str], Notifier], table: str, said: str
) -> None:
    """Bad input gets one clear error (what, where, what would be right)"""
    with pytest.raises(ConfigError) as caught:
        notifier(table)
    assert f"[notify] {said}" in str(caught.value)


def test_a_pass_that_fails_tells_the_owner(
    write_config: Write, hook: Any, tmp_path: Path, feed: FakeFeed
) -> None:
    """note on a failure"""
    file = tmp_path / "hook"
    file.write_text(hook.url)
    file.chmod(0o600)
    (tmp_path / "site").write_text("no folder")
    done = connect("once", "--config", write_config(f'{HTML}[notify]\nwebhook_file = "hook"\n'))
    assert done.returncode == 1
    (sent,) = hook.received
    assert "site is not a folder" in sent["text"]
