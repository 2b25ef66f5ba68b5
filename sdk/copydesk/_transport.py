"""One call to the service: send it, retry it if that is safe, and decode the response.

Exceptions of requests hold the URL. They are therefore replaced, never chained: ours are raised
after the ``except`` block has ended, so that nothing of theirs is left in ``__context__``.
"""

import json
import os
import threading
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.client import RemoteDisconnected
from typing import Any, Self, TypeVar

import requests
from urllib3.exceptions import HTTPError, LocationValueError, ReadTimeoutError

from copydesk._address import Address, proxy_address
from copydesk._retries import Retries, is_transient
from copydesk._version import __version__
from copydesk._wire import UnexpectedAnswer, child, optional_text
from copydesk.errors import (
    APIConnectionError,
    APIError,
    APITimeoutError,
    ConfigurationError,
    CopydeskError,
    error_class,
)

CONNECT_TIMEOUT_S = 10.0
READ_TIMEOUT_S = 30.0
# Below sys.get_int_max_str_digits(): one longer number would make the whole response unreadable.
_MOST_DIGITS = 4_000
_CERTIFICATES = ("REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE")

T = TypeVar("T")


def checked_seconds(name: str, seconds: float | None) -> float | None:
    """Return the time in seconds, or raise ConfigurationError if it is not positive."""
    if seconds is not None and not seconds > 0:
        raise ConfigurationError(f"{name} must be more than 0 seconds; it is {seconds}")
    return seconds


def key_or_new(key: str | None) -> str:
    """Return the caller's key, or a new one.

    Raises:
        ConfigurationError: no header can carry it.
    """
    if key is None:
        return str(uuid.uuid4())
    require_visible_ascii("idempotency_key", key)
    return key


@contextmanager
def named_in_errors(key: str) -> Iterator[None]:
    """Set the idempotency key on every error raised in the block."""
    try:
        yield
    except CopydeskError as error:
        error.idempotency_key = key
        raise


def require_visible_ascii(name: str, value: str) -> None:
    # requests would show a value that no header can carry in its exception.
    if not value or not all("!" <= char <= "~" for char in value):
        raise ConfigurationError(f"{name} must be one or more visible ASCII characters, no spaces")


class Transport:
    """Calls to one address. Safe to use from several threads."""

    def __init__(
        self, address: Address, max_retries: int, proxy: str | None, api_key: str = ""
    ) -> None:
        if max_retries < 0:
            raise ConfigurationError(f"max_retries must be 0 or more; it is {max_retries}")
        self._address = address
        self.max_retries = max_retries
        self._session = requests.Session()
        # Ignore ~/.netrc and the proxies of the environment.
        self._session.trust_env = False
        self._session.verify = next(filter(None, map(os.environ.get, _CERTIFICATES)), True)
        given = os.environ.get("COPYDESK_PROXY", "") if proxy is None else proxy
        if through := proxy_address(given):
            self._session.proxies = {"http": through, "https": through}
        if api_key:
            self._session.headers["Authorization"] = f"Bearer {api_key}"
        self._session.headers["User-Agent"] = f"copydesk-python/{__version__}"
        self._session.headers["Accept"] = "application/json"

    def close(self) -> None:
        self._session.close()

    def call(
        self,
        method: str,
        path: str,
        parse: Callable[[dict[str, Any]], T],
        *,
        retry: bool,
        read_timeout: float,
        **content: Any,
    ) -> T:
        """Make one call; ``content`` are arguments of requests (json, params, headers).

        Raises:
            ConfigurationError: the host or a value is impossible, so nothing was sent.
            APIConnectionError: no response; APITimeoutError if the time ran out.
            APIError: an error response, or one that is not in the documented form.
        """
        retries = Retries(self.max_retries if retry else 0)
        while True:
            answer = self._send(method, path, read_timeout, content)
            error: CopydeskError
            if isinstance(answer, CopydeskError):
                raw, error = None, answer
            elif 200 <= answer.status_code < 300:
                return self._value(answer, parse)
            else:
                raw, error = answer.raw, self._refusal(answer, retries)
            if not (error.transient and retries.total):
                raise error
            retries = retries.increment(method, self._address.shown, error=error)
            retries.sleep(raw)

    def _send(
        self, method: str, path: str, read_timeout: float, content: dict[str, Any]
    ) -> requests.Response | APIConnectionError | ConfigurationError:
        host = self._address.host
        try:
            return self._session.request(
                method,
                self._address.url + path,
                # A time the system clock cannot hold, such as infinity, means no limit.
                timeout=(CONNECT_TIMEOUT_S, min(read_timeout, threading.TIMEOUT_MAX)),
                # A redirected POST would become a GET, and a token would go to another host.
                allow_redirects=False,
                **content,
            )
        except requests.exceptions.InvalidJSONError:
            return ConfigurationError("an argument is a number that JSON does not have, like NaN")
        except requests.exceptions.InvalidProxyURL:
            return ConfigurationError("the proxy's address is malformed")
        except (requests.exceptions.InvalidURL, LocationValueError):
            return ConfigurationError(f"{host} is not a valid host")
        except requests.ConnectTimeout:
            reason = f"no connection within {CONNECT_TIMEOUT_S:g} s"
            return APITimeoutError(f"cannot reach {host}: {reason}")
        except (OSError, HTTPError) as error:  # every exception of requests is an OSError
            if any(isinstance(cause, ReadTimeoutError) for cause in _causes(error)):
                return APITimeoutError(f"no response from {host} within {read_timeout:g} s")
            return APIConnectionError(_problem(host, error))

    def _value(self, answer: requests.Response, parse: Callable[[dict[str, Any]], T]) -> T:
        try:
            data = json.loads(answer.content, parse_int=_whole_number)
            if not isinstance(data, dict):
                raise UnexpectedAnswer("it is not a JSON object")
            return parse(data)
        except UnexpectedAnswer as error:
            problem = f"is not in the documented form: {error}"
        except (ValueError, RecursionError):  # JSON can be nested to any depth
            problem = _not_json(answer)
        raise APIError(
            f"the response of {self._address.host} {problem}",
            status=answer.status_code,
            request_id=answer.headers.get("X-Request-ID"),
        )

    def _refusal(self, answer: requests.Response, retries: Retries) -> APIError:
        text = self._address.scrub(answer.content.decode("utf-8", "replace"))
        error_object = _error_object(text)
        unsaid = _not_json(answer) if error_object is None else "does not say what is wrong"
        body = error_object or {}
        code = optional_text(body, "code")
        message = optional_text(body, "message")
        if answer.is_redirect:
            message = f"{self._address.host} redirects to another address; use that one instead"
        error = error_class(answer.status_code, code)(
            message or f"the response of {self._address.host} {unsaid}",
            status=answer.status_code,
            code=code,
            details=child(body, "details"),
            request_id=answer.headers.get("X-Request-ID"),
            retry_after=retries.get_retry_after(answer.raw),
        )
        error.transient = is_transient(error, answer.headers.get("x-should-retry"))
        return error


class Client:
    """The base of the clients: closes their connections, also as a context manager."""

    _transport: Transport

    def close(self) -> None:
        """Close the connections; a call after this opens new ones."""
        self._transport.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _whole_number(digits: str) -> int | float:
    """Return an integer of a response, or infinity if it has too many digits."""
    return int(digits) if len(digits) <= _MOST_DIGITS else float(digits)


def _error_object(text: str) -> dict[str, Any] | None:
    """Return the error of a response, {} if it has none, or None if it is not JSON."""
    try:
        body = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return child(body, "error") if isinstance(body, dict) else {}


def _not_json(answer: requests.Response) -> str:
    kind = answer.headers.get("Content-Type", "").partition(";")[0] or "an unnamed type"
    return f"is {kind} instead of JSON; check the address, and whether a proxy responded"


def _causes(error: BaseException) -> Iterator[BaseException]:
    """Yield the error and its causes; requests keeps some causes only in ``args``."""
    seen: list[BaseException] = [error]
    for one in seen:
        yield one
        below = [one.__cause__, one.__context__, *one.args]
        seen += [new for new in below if isinstance(new, BaseException) and new not in seen]


def _problem(host: str, error: BaseException) -> str:
    """Return why there was no response, without the URL."""
    if isinstance(error, requests.exceptions.ProxyError):
        return f"cannot reach {host}: the proxy did not forward the call"
    for cause in _causes(error):
        if isinstance(cause, RemoteDisconnected):
            return f"no response from {host}: it closed the connection"
        if isinstance(cause, OSError) and cause.strerror:
            return f"cannot reach {host}: {cause.strerror}"
    if isinstance(error, requests.exceptions.ChunkedEncodingError):
        return f"no complete response from {host}: it was cut off"
    return f"cannot reach {host}: the connection failed ({type(error).__name__})"
