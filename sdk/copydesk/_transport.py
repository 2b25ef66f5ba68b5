"""One call to the service: send it, again where that is safe, and turn the answer into a value.

Exceptions of requests hold the URL. They are therefore replaced, never chained: ours are raised
after the ``except`` block has ended, so that nothing of theirs is left in ``__context__``.
"""

import json
import threading
from collections.abc import Callable, Iterator
from http.client import RemoteDisconnected
from typing import Any, TypeVar

import requests
from requests.auth import AuthBase
from urllib3.exceptions import HTTPError, LocationValueError, ReadTimeoutError

from copydesk._address import Address
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

T = TypeVar("T")


def checked_seconds(name: str, seconds: float | None) -> float | None:
    """The given time; a ConfigurationError where no call could keep it."""
    if seconds is not None and not seconds > 0:
        raise ConfigurationError(f"{name} must be more than 0 seconds; it is {seconds}")
    return seconds


class Transport:
    """Calls to one address. Safe to use from several threads."""

    def __init__(self, address: Address, auth: AuthBase, max_retries: int) -> None:
        if max_retries < 0:
            raise ConfigurationError(f"max_retries must be 0 or more; it is {max_retries}")
        self._address = address
        self.max_retries = max_retries
        self._session = requests.Session()
        # Set even where nothing is sent: without it requests takes credentials from ~/.netrc.
        self._session.auth = auth
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
        """Make one call; ``content`` is what requests takes (json, params, headers).

        Raises:
            ConfigurationError: it cannot be made: no host has such a name, or no JSON such a value.
            APIConnectionError: no answer; APITimeoutError where the time ran out.
            APIError: an answer that is no success, or not in the documented form.
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
                # More than the system's clock can hold, such as infinity, is as good as no limit.
                timeout=(CONNECT_TIMEOUT_S, min(read_timeout, threading.TIMEOUT_MAX)),
                # A redirected POST would become a GET, and a token would go to another host.
                allow_redirects=False,
                **content,
            )
        except requests.exceptions.InvalidJSONError:
            return ConfigurationError("an argument is a number that JSON does not have, like NaN")
        except requests.exceptions.InvalidProxyURL:
            return ConfigurationError("the proxy's address in the environment is malformed")
        except (requests.exceptions.InvalidURL, LocationValueError):
            return ConfigurationError(f"there can be no host of the name in {host}")
        except requests.ConnectTimeout:
            kind: type[APIConnectionError] = APITimeoutError
            reason = f"no connection within {CONNECT_TIMEOUT_S:g} s"
        except (OSError, HTTPError) as error:  # every exception of requests is an OSError
            late = any(isinstance(cause, ReadTimeoutError) for cause in _causes(error))
            kind = APITimeoutError if late else APIConnectionError
            reason = f"it was silent for {read_timeout:g} s" if late else _reason(error)
        return kind(f"no answer from {host}: {reason}")

    def _value(self, answer: requests.Response, parse: Callable[[dict[str, Any]], T]) -> T:
        try:
            data = json.loads(answer.content)
            if not isinstance(data, dict):
                raise UnexpectedAnswer("it is no JSON object")
            return parse(data)
        except UnexpectedAnswer as error:
            problem = f"is not in the documented form: {error}"
        except (ValueError, RecursionError):  # JSON can be nested to any depth
            problem = _not_json(answer)
        raise APIError(
            f"the answer of {self._address.host} {problem}",
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
            message or f"the answer of {self._address.host} {unsaid}",
            status=answer.status_code,
            code=code,
            details=child(body, "details"),
            request_id=answer.headers.get("X-Request-ID"),
            retry_after=retries.get_retry_after(answer.raw),
        )
        error.transient = is_transient(error, answer.headers.get("x-should-retry"))
        return error


def _error_object(text: str) -> dict[str, Any] | None:
    """The error in an answer, empty where it has none; None where the answer is no JSON."""
    try:
        body = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return child(body, "error") if isinstance(body, dict) else {}


def _not_json(answer: requests.Response) -> str:
    kind = answer.headers.get("Content-Type", "").partition(";")[0] or "an unnamed type"
    return f"is {kind} in place of JSON: is the address right, or does a proxy answer there?"


def _causes(error: BaseException) -> Iterator[BaseException]:
    """The error, what caused it, and so on; requests keeps some causes in ``args`` alone."""
    seen: list[BaseException] = [error]
    for one in seen:
        yield one
        below = [one.__cause__, one.__context__, *one.args]
        seen += [new for new in below if isinstance(new, BaseException) and new not in seen]


def _reason(error: BaseException) -> str:
    """Why there was no answer, in words that never hold the URL."""
    if isinstance(error, requests.exceptions.ProxyError):
        return "the proxy did not pass the call on"
    for cause in _causes(error):
        if isinstance(cause, RemoteDisconnected):
            return "it closed the connection without answering"
        if isinstance(cause, OSError) and cause.strerror:
            return cause.strerror
    if isinstance(error, requests.exceptions.ChunkedEncodingError):
        return "the answer was cut off"
    return f"the connection failed ({type(error).__name__})"
