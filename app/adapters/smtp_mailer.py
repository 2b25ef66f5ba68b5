"""E-mails by SMTP."""

import smtplib
import ssl
from email.message import EmailMessage
from email.utils import formatdate, make_msgid
from urllib.parse import SplitResult, unquote, urlsplit

from app.ports import MailUnavailable

_SECONDS = 20.0
_PORTS = {"smtp": 587, "smtps": 465}


def send_mail(url: str, sender: str, to: str, subject: str, text: str) -> bool:
    """Send a message by a connection of its own, as a ``MailSender``.

    Args:
        url: smtps://user:password@host:port, or smtp:// for a server with STARTTLS. A password is
            never sent without TLS.
        sender: the address that messages come from.
    """
    message = EmailMessage()
    message["From"], message["To"], message["Subject"] = sender, to, subject
    message["Date"] = formatdate()
    message["Message-ID"] = make_msgid(domain=sender.rpartition("@")[2])
    message["Auto-Submitted"] = "auto-generated"
    message.set_content(text)
    try:
        with _connected(urlsplit(url)) as server:
            server.send_message(message)
    except smtplib.SMTPRecipientsRefused:
        return False
    except smtplib.SMTPResponseException as error:
        # Its text could repeat anything.
        raise MailUnavailable(f"the mail server answered {error.smtp_code}") from None
    except (OSError, smtplib.SMTPException) as error:
        raise MailUnavailable(f"the mail server did not work: {type(error).__name__}") from None
    return True


def _connected(url: SplitResult) -> smtplib.SMTP:
    host, port = url.hostname or "", url.port or _PORTS[url.scheme]
    context = ssl.create_default_context()
    if url.scheme == "smtps":
        server: smtplib.SMTP = smtplib.SMTP_SSL(host, port, timeout=_SECONDS, context=context)
    else:
        server = smtplib.SMTP(host, port, timeout=_SECONDS)
    try:
        server.ehlo()
        has_name = url.username is not None
        if url.scheme == "smtp" and (has_name or server.has_extn("starttls")):
            server.starttls(context=context)
        if has_name:
            server.login(unquote(url.username or ""), unquote(url.password or ""))
    except BaseException:
        server.close()
        raise
    return server
