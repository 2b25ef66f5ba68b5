"""The `openai` client for whatever OpenAI-compatible endpoint, with bounds on its waiting."""

from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

import httpx2
import openai

_OPENAI = "https://api.openai.com/v1"
_CONNECT_SECONDS = 10.0
_LOOPBACK = frozenset({"127.0.0.1", "localhost", "::1"})


@dataclass(frozen=True)
class Connection:
    """A client and what errors may say of it: ``endpoint`` is scheme, host and port alone.

    ``api_key`` is there to be blotted out of what the endpoint says.
    """

    client: openai.OpenAI = field(repr=False)
    endpoint: str
    api_key: str = field(repr=False)


def connect(
    base_url: str | None, api_key: str, *, timeout_seconds: float, retries: int
) -> Connection:
    """Make a client; nothing is asked of the endpoint yet.

    Args:
        base_url: the endpoint with its /v1; OpenAI's own where it is None.
        api_key: any text where the endpoint wants none.
        timeout_seconds: how long one answer may take; one that is late is not asked for again.
        retries: how often a call that failed otherwise is made again.

    Raises:
        ValueError: the address is none or holds a password, or no header can carry the API key.
    """
    key = api_key.strip()
    if not key.isascii() or not key.isprintable() or " " in key:
        raise ValueError("OPENAI_API_KEY has spaces or characters that no key has.")
    url = base_url or _OPENAI
    try:
        parts, _ = urlsplit(url), httpx2.URL(url)
    except (ValueError, httpx2.InvalidURL):
        raise ValueError("OPENAI_BASE_URL is not a web address.") from None
    if "@" in parts.netloc:
        # It would take the place of the API key, and stand in the log with every call.
        raise ValueError("OPENAI_BASE_URL must not hold a user or password.")
    client = openai.OpenAI(
        base_url=url,
        api_key=key or "none",
        max_retries=retries,
        http_client=_Client(
            timeout=httpx2.Timeout(timeout_seconds, connect=_CONNECT_SECONDS, pool=None),
            # A proxy from the environment has no business with an endpoint on this machine.
            trust_env=parts.hostname not in _LOOPBACK,
            follow_redirects=True,
        ),
    )
    return Connection(client, f"{parts.scheme}://{parts.netloc}", key)


class _Client(openai.DefaultHttpxClient):
    """A client whose late answers are final: asking again would triple the wait."""

    def __del__(self) -> None:
        if not self.is_closed:
            self.close()

    def send(self, request: httpx2.Request, **options: Any) -> httpx2.Response:
        try:
            return super().send(request, **options)
        except httpx2.ReadTimeout:
            raise openai.APITimeoutError(request=request) from None
