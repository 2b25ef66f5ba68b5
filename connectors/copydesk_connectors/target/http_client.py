"""The HTTP client for all requests of the connector.

It ignores the environment, except for the certificates to trust: it uses no proxy that is not
configured and no password of ~/.netrc. It follows no redirect. Every call ends in time and takes a
bounded amount of memory, whatever the other side does.
"""

import os
import threading
from collections.abc import Mapping
from dataclasses import dataclass, field
from json import loads
from pathlib import Path
from typing import Any

import requests
from urllib3.exceptions import HTTPError, InvalidHeader
from urllib3.util.retry import Retry

from copydesk_connectors.target.errors import ConfigError, Unavailable
from copydesk_connectors.target.secret import Secret

TIMEOUT_S = (10.0, 45.0)
"""Seconds to connect, and between two bytes of the answer."""
TOTAL_S = 120.0
"""Seconds for a whole call, as a server may send a byte now and then."""
LARGEST_ANSWER = 64 * 1024 * 1024
"""Bytes after decompression; a hundred long posts are a tenth of it."""
_USER_AGENT = "copydesk-connect"
_PART = 65_536
# ``requests`` passes some errors of urllib3 on, such as that a host cannot exist.
_NO_ANSWER = (requests.RequestException, HTTPError)
_CERTIFICATES = ("REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE")


@dataclass(frozen=True)
class Answer:
    """The answer to a request."""

    status_code: int
    headers: Mapping[str, str]
    content: bytes = field(repr=False)

    def json(self) -> Any:
        """Return the content as JSON, or None if it is not valid JSON."""
        try:
            return loads(self.content)
        except (ValueError, RecursionError):
            return None


def retry_after_s(headers: Mapping[str, str]) -> float | None:
    """Return Retry-After in seconds, or None if it is missing or invalid."""
    value = headers.get("Retry-After")
    if value is None:
        return None
    try:
        return Retry().parse_retry_after(value)
    except (InvalidHeader, ValueError, OverflowError):  # a date in no calendar, too many digits
        return None


class HttpClient:
    """Calls to one site or feed, which errors call ``who``. Safe to use from several threads."""

    def __init__(self, who: str, proxy: Secret | None = None) -> None:
        self._who = who
        self._session = requests.Session()
        self._session.trust_env = False
        # With trust_env off, requests ignores the certificates of the environment as well.
        self._session.verify = _certificates() or True
        if proxy is not None:
            self._session.proxies = dict.fromkeys(("http", "https"), proxy.reveal())
        self._session.headers["User-Agent"] = _USER_AGENT

    def request(
        self,
        method: str,
        url: str,
        *,
        headers: Mapping[str, str] | None = None,
        most: int | None = None,
        whole: bool = True,
        **content: Any,
    ) -> Answer:
        """Send one request and return its answer.

        Args:
            most: the largest answer in bytes.
            whole: without it, a broken or larger answer is cut off instead of an error.
            content: arguments of ``requests``.

        Raises:
            Unavailable: there was no whole answer. The message does not contain the address.
        """
        most = most or LARGEST_ANSWER
        seen: list[requests.Response] = []
        errors: list[BaseException] = []
        body = bytearray()

        def send() -> None:
            try:
                with self._session.request(
                    method,
                    url,
                    headers=headers,
                    timeout=TIMEOUT_S,
                    # A redirect would turn a POST into a GET, or carry a secret elsewhere.
                    allow_redirects=False,
                    stream=True,
                    **content,
                ) as answer:
                    seen.append(answer)
                    for part in answer.iter_content(_PART):
                        body.extend(part)
                        if len(body) > most:
                            return
            except BaseException as error:  # noqa: BLE001 - it is raised again below
                errors.append(error)

        # The library limits the wait for each byte only. A thread can be left behind.
        thread = threading.Thread(target=send, daemon=True)
        thread.start()
        thread.join(TOTAL_S)
        late = thread.is_alive()
        if (late or errors) and (whole or not seen):
            if late:
                raise Unavailable(f"{self._who} sent no complete response within {TOTAL_S:g} s")
            if not isinstance(errors[0], _NO_ANSWER):
                raise errors[0]
            why = _reason(errors[0])
            raise Unavailable(f"{self._who} sent no complete response ({why})") from None
        if len(body) > most and whole:
            raise Unavailable(f"{self._who} sent more than {most:,} bytes")
        return Answer(seen[0].status_code, seen[0].headers, bytes(body[:most]))


def _reason(error: BaseException) -> str:
    """Return what the operating system said: the texts of other errors hold the address."""
    cause: BaseException | None = error
    while cause is not None:
        if isinstance(cause, OSError) and cause.strerror:
            return cause.strerror
        cause = cause.__cause__ or cause.__context__
    return type(error).__name__


def _certificates() -> str:
    """Return the file or folder of certificates that the environment names, or ""."""
    for name in _CERTIFICATES:
        if path := os.environ.get(name):
            if not Path(path).exists():
                raise ConfigError(f"{name} names a file that is not there: correct it or unset it")
            return path
    return ""
