"""E-mails by SMTP."""

import smtplib
import ssl
from email.message import EmailMessage
from email.utils import formatdate, make_msgid
from urllib.parse import unquote, urlsplit

from app.ports import Mailer, MailUnavailable

_SECONDS = 20.0
_PORTS = {"smtp": 587, "smtps": 465}


class SmtpMailer(Mailer):
    """Sends each message by a connection of its own.

    Args:
        url: smtps://user:password@host:port, or smtp:// for a server with STARTTLS. A password is
            never sent without TLS.
        sender: the address that messages come from.
    """

    def __init__(self, url: str, sender: str) -> None:
        self._url = urlsplit(url)
        self._sender = sender

    def send(self, to: str, subject: str, text: str) -> bool:
        message = EmailMessage()
        message["From"], message["To"], message["Subject"] = self._sender, to, subject
        message["Date"] = formatdate()
        message["Message-ID"] = make_msgid(domain=self._sender.rpartition("@")[2])
        message["Auto-Submitted"] = "auto-generated"
        message.set_content(text)
        try:
            with self._connected() as server:
                server.send_message(message)
        except smtplib.SMTPRecipientsRefused:
            return False
        except smtplib.SMTPResponseException as error:
            # Its text could repeat anything.
            raise MailUnavailable(f"the mail server answered {error.smtp_code}") from None
        except (OSError, smtplib.SMTPException) as error:
            raise MailUnavailable(f"the mail server did not work: {type(error).__name__}") from None
        return True

    def _connected(self) -> smtplib.SMTP:
        host, port = self._url.hostname or "", self._url.port or _PORTS[self._url.scheme]
        context = ssl.create_default_context()
        if self._url.scheme == "smtps":
            server: smtplib.SMTP = smtplib.SMTP_SSL(host, port, timeout=_SECONDS, context=context)
        else:
            server = smtplib.SMTP(host, port, timeout=_SECONDS)
        try:
            server.ehlo()
            has_name = self._url.username is not None
            if self._url.scheme == "smtp" and (has_name or server.has_extn("starttls")):
                server.starttls(context=context)
            if has_name:
                server.login(unquote(self._url.username or ""), unquote(self._url.password or ""))
        except BaseException:
            server.close()
            raise
        return server
