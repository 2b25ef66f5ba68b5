"""Addresses of the service; keeps their secrets out of logs and messages.

A feed's token is a part of its URL's path, and URLs appear in logs and exceptions.
"""

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
    """The address of calls. ``shown`` replaces ``url`` in anything people read."""

    url: str = field(repr=False)
    shown: str
    host: str
    secrets: tuple[str, ...] = field(default=(), repr=False)

    def scrub(self, text: str) -> str:
        for secret in self.secrets:
            text = text.replace(secret, REDACTED)
        return text


def redact_tokens(text: str) -> str:
    """Return the text with the tokens of feed URLs removed."""
    return _TOKEN.sub(rf"\1{REDACTED}", text)


def service_address(base_url: str, api_key: str) -> Address:
    """Return the address of the service, with or without a trailing slash or /v1."""
    parts = _http_parts(base_url, "base_url", "https://copydesk.example.com")
    path = parts.path.rstrip("/").removesuffix("/v1").rstrip("/")
    url = f"{parts.scheme}://{parts.netloc}{path}"
    return Address(url=url, shown=url, host=url, secrets=(api_key,))


def feed_address(pull_url: str) -> Address:
    """Return the address of a feed from its URL, with or without /latest or /items."""
    example = "https://copydesk.example.com/v1/content-tokens/TOKEN/latest"
    parts = _http_parts(pull_url, "pull_url", example)
    match = _FEED_PATH.fullmatch(parts.path)
    if match is None:
        raise ConfigurationError(f"pull_url must look like {example}, without spaces")
    host = f"{parts.scheme}://{parts.netloc}"
    return Address(
        url=f"{host}{match['base']}{match['token']}",
        shown=f"{host}{match['base']}{REDACTED}",
        host=host,
        secrets=(match["token"],),
    )


def proxy_address(proxy: str) -> str:
    """Return the address of a proxy, or "" for none."""
    if proxy.strip() and _parts(proxy) is None:
        raise ConfigurationError(
            "proxy must be the address of a proxy, such as http://proxy.example.com:3128"
        )
    return proxy.strip()


def path_segment(name: str, value: str) -> str:
    """Return the value as a path segment, or raise ConfigurationError if it cannot be one."""
    if not isinstance(value, str):
        raise ConfigurationError(f"{name} must be a string, not {type(value).__name__}")
    try:
        segment = quote(value, safe="")
    except UnicodeEncodeError:  # half a character
        segment = ""
    if segment.strip(".") == "":  # a segment of dots leads somewhere else
        raise ConfigurationError(f"{name} must be an id that the service gave, not {value!r}")
    return segment


def _http_parts(url: str, name: str, example: str) -> SplitResult:
    # No message contains the value: it may contain a token or a password.
    parts = _parts(url)
    if parts is None:
        raise ConfigurationError(f"{name} must be a complete URL, such as {example}")
    if parts.username is not None or parts.query or parts.fragment:
        raise ConfigurationError(
            f"{name} must be without user name, password, query and fragment, such as {example}"
        )
    return parts


def _parts(url: str) -> SplitResult | None:
    """Return the parts of an http or https URL with a host, or None if it is not one."""
    try:
        parts = urlsplit(url.strip())
        valid = parts.scheme in {"http", "https"} and bool(parts.hostname) and parts.port != 0
    except ValueError:
        return None
    return parts if valid else None
