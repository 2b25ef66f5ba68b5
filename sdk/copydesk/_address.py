"""Addresses of the service, and keeping the secrets in them out of everything that is read.

A feed's token is a part of its URL's path, and URLs turn up in logs and exceptions by themselves.
"""

import logging
import re
from dataclasses import dataclass, field
from urllib.parse import SplitResult, quote, urlsplit

from copydesk.errors import ConfigurationError

REDACTED = "[redacted]"
_FEED_PATH = re.compile(
    r"(?P<base>.*/v1/content-tokens/)(?P<token>[\w.~%-]+)(?:/(?:latest|items))?/?"
)
_TOKEN = re.compile(r"(/v1/content-tokens/)[^/?#\s\"']+")


@dataclass(frozen=True)
class Address:
    """Where calls go; ``shown`` stands for ``url`` wherever people look."""

    url: str = field(repr=False)
    shown: str
    host: str
    secrets: tuple[str, ...] = field(default=(), repr=False)

    def scrub(self, text: str) -> str:
        for secret in self.secrets:
            text = text.replace(secret, REDACTED)
        return text


def redact_tokens(text: str) -> str:
    """The text without the tokens of the pull URLs in it."""
    return _TOKEN.sub(rf"\1{REDACTED}", text)


class _TokenFilter(logging.Filter):
    def filter(self, record: logging.LogRecord) -> bool:
        message = record.getMessage()
        redacted = redact_tokens(message)
        if redacted != message:
            record.msg, record.args = redacted, ()
        return True


# urllib3 logs the path of every request at DEBUG, and the whole URL at WARNING where the answer has
# a malformed header. A filter on "urllib3" itself would not see what its children log.
for _name in ("connection", "connectionpool"):
    logging.getLogger(f"urllib3.{_name}").addFilter(_TokenFilter())


def service_address(base_url: str, api_key: str) -> Address:
    """The address of the whole service; a trailing slash or /v1 makes no difference."""
    parts = _http_parts(base_url, "base_url", "https://copydesk.example.com")
    path = parts.path.rstrip("/").removesuffix("/v1").rstrip("/")
    url = f"{parts.scheme}://{parts.netloc}{path}"
    return Address(url=url, shown=url, host=url, secrets=(api_key,))


def feed_address(pull_url: str) -> Address:
    """The address of one feed, from its pull URL with or without /latest or /items."""
    example = "https://copydesk.example.com/v1/content-tokens/TOKEN"
    parts = _http_parts(pull_url, "pull_url", example)
    match = _FEED_PATH.fullmatch(parts.path)
    if match is None:
        raise ConfigurationError(f"pull_url must look like {example}")
    host = f"{parts.scheme}://{parts.netloc}"
    return Address(
        url=f"{host}{match['base']}{match['token']}",
        shown=f"{host}{match['base']}{REDACTED}",
        host=host,
        secrets=(match["token"],),
    )


def path_segment(name: str, value: str) -> str:
    """The value as one segment of a path; a ConfigurationError where it cannot be one."""
    try:
        segment = quote(value, safe="")
    except UnicodeEncodeError:  # half a character
        segment = ""
    if segment.strip(".") == "":  # a segment of dots leads somewhere else
        raise ConfigurationError(f"{name} must be an id that the service gave, not {value!r}")
    return segment


def _http_parts(url: str, name: str, example: str) -> SplitResult:
    # The value itself stays out of the message: it may hold a token or a password.
    try:
        parts = urlsplit(url.strip())
        valid = parts.scheme in {"http", "https"} and bool(parts.hostname) and parts.port != 0
    except ValueError:
        valid = False
    if not valid:
        raise ConfigurationError(f"{name} must be a complete URL, such as {example}") from None
    if parts.username is not None or parts.query or parts.fragment:
        raise ConfigurationError(
            f"{name} must be without user name, password, query and fragment, such as {example}"
        )
    return parts
