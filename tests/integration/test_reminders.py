"""Reminders of posts that wait for a review."""

import logging
import socketserver
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from datetime import timedelta

import pytest
from sqlalchemy import update

from app.adapters.smtp_mailer import SmtpMailer
from app.core.feed.review import Policy
from app.ports import Mailer, MailUnavailable
from app.services import accounts, review, review_links
from app.services.context import Context
from app.services.review_links import send_reminders
from app.store import database, models
from tests.support.integration import Feed

ADDRESS, OWNER = "https://copydesk.example.com", "owner@example.com"
HOUR = timedelta(hours=1)


@dataclass
class Outbox(Mailer):
    """Keeps what is sent, or fails."""

    sent: list[tuple[str, str, str]] = field(default_factory=list)
    is_down: bool = False
    takes: bool = True

    def send(self, to: str, subject: str, text: str) -> bool:
        if self.is_down:
            raise MailUnavailable("the mail server answered 421")
        self.sent.append((to, subject, text))
        return self.takes


@pytest.fixture
def outbox(feed: Feed) -> Outbox:
    """The mail of a feed that has eleven held posts."""
    feed.add_items("Coffee", 11)
    with database.writing() as session:
        session.execute(update(models.FeedItem).values(status="held"))
    accounts.update_token(feed.token_id, policy=Policy("hold", email=OWNER))
    return Outbox()


def context(feed: Feed, outbox: Outbox) -> Context:
    return replace(feed.context, mailer=outbox)


def test_a_reviewer_is_reminded_once_a_day_while_posts_wait(feed: Feed, outbox: Outbox) -> None:
    there = context(feed, outbox)
    assert [send_reminders(there, ADDRESS) for _ in range(3)] == [1, 0, 0]
    ((to, subject, text),) = outbox.sent
    assert (to, subject) == (OWNER, "Posts of “Front page” wait for you")
    assert text.count("\n- Article ") == 10
    assert "\n- and more\n" in text
    (link,) = [line for line in text.split("\n") if line.startswith(ADDRESS)]
    secret = link.removeprefix(f"{ADDRESS}/review/")
    assert review_links.feed_of_link(there, secret) == feed.token_id
    feed.clock.move(23 * HOUR)
    assert send_reminders(there, ADDRESS) == 0
    feed.clock.move(HOUR)
    assert send_reminders(there, ADDRESS) == 1
    feed.clock.move(24 * HOUR)
    review.approve(there, feed.items)
    assert send_reminders(there, ADDRESS) == 0


def test_a_mail_server_that_is_down_is_tried_again_and_says_so(
    feed: Feed, outbox: Outbox, caplog: pytest.LogCaptureFixture
) -> None:
    outbox.is_down = True
    with caplog.at_level(logging.WARNING):
        assert send_reminders(context(feed, outbox), ADDRESS) == 0
    assert f"no reminder of feed {feed.token_id} was sent" in caplog.text
    outbox.is_down = False
    assert send_reminders(context(feed, outbox), ADDRESS) == 1


def test_an_address_that_is_refused_is_tried_again_after_a_day(feed: Feed, outbox: Outbox) -> None:
    outbox.takes = False
    there = context(feed, outbox)
    assert [send_reminders(there, ADDRESS) for _ in range(2)] == [0, 0]
    assert len(outbox.sent) == 1


class MailServer(socketserver.ThreadingTCPServer):
    """Takes messages to all but one address, without TLS."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Session)
        self.lines: list[str] = []

    @property
    def url(self) -> str:
        return f"smtp://127.0.0.1:{self.server_address[1]}"


class _Session(socketserver.StreamRequestHandler):
    server: MailServer

    def handle(self) -> None:
        self._say("220 here")
        while line := self.rfile.readline().decode().rstrip("\r\n"):
            self.server.lines.append(line)
            verb = line[:4].upper()
            if verb == "DATA":
                self._say("354 go on")
                while (told := self.rfile.readline().decode().rstrip("\r\n")) != ".":
                    self.server.lines.append(told)
                self._say("250 taken")
            elif verb == "QUIT":
                return self._say("221 bye")
            else:
                self._say("550 nobody" if "refused@" in line else "250 ok")
        return None

    def _say(self, line: str) -> None:
        self.wfile.write(f"{line}\r\n".encode())


@pytest.fixture
def server() -> Iterator[MailServer]:
    with MailServer() as running:
        thread = threading.Thread(target=running.serve_forever, args=(0.02,))
        thread.start()
        yield running
        running.shutdown()
        thread.join()


def test_a_message_is_sent_by_smtp(server: MailServer) -> None:
    mailer = SmtpMailer(server.url, "copydesk@example.com")
    assert mailer.send(OWNER, "Posts of “Tea” wait", "Read “this”.")
    assert not mailer.send("refused@example.com", "Posts wait", "Read this.")
    assert "From: copydesk@example.com" in server.lines
    assert f"To: {OWNER}" in server.lines
    assert any(line.startswith("Subject: Posts of =?utf-8?") for line in server.lines)


def test_a_password_is_not_sent_without_tls_and_never_shown(server: MailServer) -> None:
    url = server.url.replace("//", "//someone:pa%40ss-w0rd@")
    with pytest.raises(MailUnavailable) as told:
        SmtpMailer(url, "copydesk@example.com").send(OWNER, "Posts wait", "Read this.")
    assert "w0rd" not in f"{told.value!r}"
    assert all(line.startswith("ehlo") for line in server.lines)


def test_a_server_that_is_not_there_is_a_sentence() -> None:
    with pytest.raises(MailUnavailable, match="did not work: ConnectionRefusedError"):
        SmtpMailer("smtp://127.0.0.1:9", "a@example.com").send(OWNER, "Posts wait", "Read this.")
