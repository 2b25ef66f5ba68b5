"""Notes to the owner, by e-mail or webhook: a problem, or a draft that waits for review.

A note that cannot be sent is one line in the log. It never stops or delays a pass for long.
"""

import hashlib
import json
import re
import smtplib
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from email.message import EmailMessage
from functools import partial
from pathlib import Path
from typing import Annotated, Self

from pydantic import AfterValidator, Field, model_validator

from copydesk_connectors.engine.log import logger
from copydesk_connectors.target.errors import ConnectorError
from copydesk_connectors.target.http_api import HttpApi
from copydesk_connectors.target.secret import Secret
from copydesk_connectors.target.settings import (
    SecretText,
    SettingError,
    Settings,
    Text,
    check_url,
    is_readable_on_the_way,
    setting,
)

_LONGEST_S = 30.0  # for the whole note: a slow server must not hold the next pass up
_ANSWER_S = 10.0
_SHOWN = 20
_LONGEST_LINE = 300
# A problem that stays is told once a day.
_AGAIN_S = 86_400.0
_REMEMBERED = 200
_TLS_PORT = 465
_LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})
_ADDRESS = re.compile(r"[^@\s<>,;]+@[^@\s<>,;]+\Z")


def _webhook(address: Secret) -> Secret:
    check_url(address.reveal())
    if is_readable_on_the_way(address.reveal()):
        raise ValueError("must begin with https://, because others can read what is sent over http")
    return address


def _mail(address: str) -> str:
    if not _ADDRESS.match(address):
        raise ValueError("must be one e-mail address, such as jo@blog.example")
    return address


MailAddress = Annotated[Text, AfterValidator(_mail)]


class NotifySettings(Settings):
    """Where notes go."""

    webhook: Annotated[SecretText, AfterValidator(_webhook)] | None = setting(
        "The address of an incoming webhook, such as one of Slack, Mattermost or Discord. Anyone "
        "who has it can write there.",
        default=None,
    )
    mail_to: MailAddress = setting("The e-mail address that gets the notes.", default="")
    mail_from: MailAddress = setting(
        "The sender of the e-mails. Default: the same address.", default=""
    )
    smtp_host: Text = setting("The mail server, such as `smtp.example.com`.", default="")
    smtp_port: Annotated[int, Field(ge=1, le=65_535)] = setting(
        "Its port: 465 for TLS from the start, others for STARTTLS.",
        587,
    )
    smtp_username: Text = setting("The user at the mail server.", default="")
    smtp_password: SecretText | None = setting("The password of that user.", default=None)

    @model_validator(mode="after")
    def _are_complete(self) -> Self:
        """Check that the settings of a webhook or of e-mail are complete."""
        if not self.webhook and not self.mail_to:
            raise SettingError("webhook", "is missing: set webhook_env, webhook_file or mail_to")
        if self.mail_to and not self.smtp_host:
            raise SettingError("smtp_host", "is missing: the mail server for mail_to")
        if self.smtp_host and not self.mail_to:
            raise SettingError("mail_to", "is missing: who gets the e-mails")
        if bool(self.smtp_username) != bool(self.smtp_password):
            raise SettingError("smtp_password", "goes together with smtp_username: set both")
        return self


@dataclass(frozen=True)
class Note:
    """What the owner is told. Both are sentences, without secrets."""

    problems: tuple[str, ...] = ()
    drafts: tuple[str, ...] = ()

    @property
    def subject(self) -> str:
        """One line."""
        counts = [
            _count(len(self.problems), "problem", "problems"),
            _count(len(self.drafts), "draft to review", "drafts to review"),
        ]
        return f"Copydesk: {' and '.join(filter(None, counts))}"

    @property
    def text(self) -> str:
        """The subject and the sentences, each on a line; the first 20 of a kind."""
        lines = [self.subject]
        for sentences in (self.problems, self.drafts):
            lines += [f"- {sentence[:_LONGEST_LINE]}" for sentence in sentences[:_SHOWN]]
            lines += [f"- and {len(sentences) - _SHOWN} more"] * (len(sentences) > _SHOWN)
        return "\n".join(lines)


class Notifier:
    """Tells the owner about passes. Safe to use from any thread.

    Args:
        settings: None for no notes.
        memory: a file that remembers what was told, so that a problem that stays is told once a
            day, also by a new process.
        redact: removes secrets from a text.
    """

    def __init__(
        self, settings: NotifySettings | None, memory: Path, redact: Callable[[str], str] = str
    ) -> None:
        self._settings = settings
        self._memory = memory
        self._redact = redact
        self._drafts: list[str] = []
        self._turn = threading.Lock()

    def review(self, title: str, target: str) -> None:
        """Remember a draft that a target keeps for review, for the note after the pass."""
        with self._turn:
            self._drafts.append(f"“{' '.join(title.split())}” waits on {target}")

    def after_pass(self, problems: Sequence[str]) -> None:
        """Send a note if there are new problems or drafts. Never raises."""
        with self._turn:
            drafts, self._drafts = self._drafts, []
        if self._settings is None:
            return
        told = self._told()
        new = {_key(problem): problem for problem in problems}
        current = {key: moment for key, moment in told.items() if key in new}
        note = Note(
            tuple(self._redact(new[key]) for key in new if key not in current),
            tuple(map(self._redact, drafts)),
        )
        if (note.problems or note.drafts) and self._send(self._settings, note):
            current |= dict.fromkeys(new.keys() - current.keys(), time.time())
        if current != told:
            # If that fails, the owner is told again.
            with suppress(OSError):
                self._memory.write_text(json.dumps(dict(list(current.items())[:_REMEMBERED])))

    def _told(self) -> dict[str, float]:
        try:
            stored = json.loads(self._memory.read_text(encoding="utf-8"))
            now = time.time()
            return {
                key: float(moment)
                for key, moment in stored.items()
                if 0 <= now - float(moment) < _AGAIN_S
            }
        except (OSError, ValueError, TypeError, AttributeError):
            return {}

    def _send(self, settings: NotifySettings, note: Note) -> bool:
        sent = []
        if settings.webhook:
            sent.append(_bounded("webhook", partial(_post, settings.webhook, note)))
        if settings.mail_to:
            sent.append(_bounded("e-mail", partial(_mail_out, settings, note)))
        return any(sent)


def _bounded(way: str, send: Callable[[], None]) -> bool:
    """Return whether a note was sent within its time; if not, log one line."""
    failed = ["it took too long"]

    def attempt() -> None:
        try:
            send()
            failed.clear()
        except Exception as error:  # noqa: BLE001 - no note may stop a pass
            # The text of an error could contain an address.
            code = getattr(error, "smtp_code", "") or getattr(error, "status", "")
            failed[:] = [f"{type(error).__name__} {code}".strip()]

    thread = threading.Thread(target=attempt, daemon=True)
    thread.start()
    thread.join(_LONGEST_S)
    if failed:
        logger.warning("a note could not be sent by %s: %s", way, failed[0])
    return not failed


class _Unsent(ConnectorError):
    def __init__(self, status: int) -> None:
        super().__init__()
        self.status = status


def _post(webhook: Secret, note: Note) -> None:
    address = webhook.reveal()
    # Slack and Mattermost read `text`, Discord `content`.
    body = json.dumps(
        {
            "text": note.text,
            "content": note.text,
            "problems": note.problems[:_SHOWN],
            "drafts": note.drafts[:_SHOWN],
        }
    )
    answer = HttpApi(address).send(
        "POST",
        address,
        data=body.encode(),
        headers={"Content-Type": "application/json"},
        most=65_536,
        whole=False,
    )
    if not 200 <= answer.status_code < 300:
        raise _Unsent(answer.status_code)


def _mail_out(to: NotifySettings, note: Note) -> None:
    message = EmailMessage()
    message["Subject"] = note.subject
    message["From"] = to.mail_from or to.mail_to
    message["To"] = to.mail_to
    message["Auto-Submitted"] = "auto-generated"
    message.set_content(note.text)
    kind = smtplib.SMTP_SSL if to.smtp_port == _TLS_PORT else smtplib.SMTP
    with kind(to.smtp_host, to.smtp_port, timeout=_ANSWER_S) as server:
        if kind is smtplib.SMTP and to.smtp_host not in _LOOPBACK:
            # Without it, the password and the note would be readable on the way.
            server.starttls()
        if to.smtp_password:
            server.login(to.smtp_username, to.smtp_password.reveal())
        server.send_message(message)


def _key(problem: str) -> str:
    """Return what identifies a problem although its numbers change from pass to pass."""
    return hashlib.sha256(re.sub(r"\d+", "0", problem).encode()).hexdigest()[:32]


def _count(number: int, one: str, many: str) -> str:
    return f"{number} {one if number == 1 else many}" if number else ""
