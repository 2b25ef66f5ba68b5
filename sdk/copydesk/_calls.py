"""The calls to the service: requests, retries, and what a response means.

They are coroutines, and the transports of ``_transport`` do their input and output. A blocking
transport never suspends one, so that both clients run the same code.
"""

import json
import math
import random
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Generic, Protocol, TypeVar

from copydesk._address import Address
from copydesk._log import logger
from copydesk._wire import Received, UnexpectedAnswer, child, optional_text
from copydesk.errors import (
    APIConnectionError,
    APIError,
    APITimeoutError,
    ConfigurationError,
    CopydeskError,
    error_class,
)
from copydesk.request import with_arguments
from copydesk.response import Response

READ_TIMEOUT_S = 30.0
# Enough for three attempts, or for the longest Retry-After that is respected.
SHORT_CALL_S = 180.0
FIRST_WAIT_S = 0.5
LONGEST_WAIT_S = 8.0
# Rate limits are per minute. The caller decides about longer waits.
LONGEST_RETRY_AFTER_S = 120.0
# A retry would take just as long, or be refused until the quota resets.
_FINAL = frozenset({"GENERATION_TIMEOUT", "QUOTA_EXCEEDED"})
# What proxies answer if the service takes longer than their patience, or a connection breaks.
_PROXY_GAVE_UP = frozenset({502, 503, 504})
# Below sys.get_int_max_str_digits(): one longer number would make the whole response unreadable.
_MOST_DIGITS = 4_000
_REDIRECTS = frozenset({301, 302, 303, 307, 308})

T = TypeVar("T")


@dataclass(frozen=True)
class Progress:
    """How far a call is: ``elapsed`` seconds after its begin.

    ``status`` is that of the job, or "waiting" while a call is sent again; ``reason`` then says
    why. ``stage`` is what a worker is doing for a job, such as "editing 1 of 2".
    """

    elapsed: float
    status: str
    reason: str = ""
    stage: str = ""


OnProgress = Callable[[Progress], object]


@dataclass(frozen=True)
class Call(Generic[T]):
    """One call. ``timeout`` is for all of it, in seconds: attempts and pauses; ``attempt`` is for
    one attempt.

    A call with a ``key`` is sent again until its time is over if a proxy or the connection gave up:
    the key makes sure that the service does the work once. ``retries`` counts the other failures.
    """

    method: str
    path: str
    parse: Callable[[dict[str, Any]], T]
    timeout: float
    retries: int = 0
    key: str = ""
    body: Mapping[str, Any] | None = None
    params: Mapping[str, str] = field(default_factory=dict)
    headers: Mapping[str, str] = field(default_factory=dict)
    on_progress: OnProgress | None = None
    attempt: float = math.inf


@dataclass(frozen=True)
class Answer:
    """A complete response; a repr, as in a traceback, shows nothing that may be secret."""

    status: int
    headers: Mapping[str, str] = field(repr=False)
    content: bytes = field(repr=False)


class IO(Protocol):
    """What does the input and output of calls to one address: blocking, or with ``await``."""

    address: Address

    async def send(
        self, call: "Call[Any]", content: bytes, timeout: float
    ) -> "Answer | CopydeskError":
        """Send a request once; return the response, or why there is none within ``timeout``."""

    async def sleep(self, seconds: float) -> None:
        """Wait."""

    async def ask(self, function: Callable[[T], Any], value: T) -> Any:
        """Call a function of the caller, which may be async for an async client."""


class Calls:
    """The base of what makes calls: the options that they share."""

    _timeout: float | None
    _max_retries: int

    def _set_options(self, timeout: float | None, max_retries: int) -> None:
        """Check and keep the options.

        Raises:
            ConfigurationError: a value is malformed.
        """
        self._timeout = checked_seconds("timeout", timeout)
        if max_retries < 0:
            raise ConfigurationError(f"max_retries must be 0 or more; it is {max_retries}")
        self._max_retries = max_retries

    def _short(
        self, method: str, path: str, parse: Callable[[dict[str, Any]], T], **options: Any
    ) -> Call[T]:
        """Return a call that takes seconds, which is retried."""
        timeout = options.pop("timeout", None) or self._timeout or SHORT_CALL_S
        retries = options.pop("retries", self._max_retries)
        return Call(method, path, parse, timeout, retries, attempt=READ_TIMEOUT_S, **options)


def checked_seconds(name: str, seconds: float | None) -> float | None:
    """Return the time in seconds, or raise ConfigurationError if it is not positive."""
    if not isinstance(seconds, int | float | None):
        kind = type(seconds).__name__
        raise ConfigurationError(f"{name} must be a number of seconds, not {kind}")
    if seconds is not None and not seconds > 0:
        raise ConfigurationError(f"{name} must be more than 0 seconds; it is {seconds}")
    return seconds


def key_or_new(key: str | None) -> str:
    """Return the caller's key, or a new one.

    Raises:
        ConfigurationError: no header can carry it.
    """
    if key is None:
        import uuid  # not at import, for programs that start quickly

        return str(uuid.uuid4())
    if not is_visible_ascii(key):
        raise ConfigurationError(
            "idempotency_key must be one or more visible ASCII characters, no spaces"
        )
    return key


def is_visible_ascii(value: str) -> bool:
    """Return whether a header can carry a value. The HTTP library would show one that it cannot
    carry in its exception."""
    return bool(value) and all("!" <= char <= "~" for char in value)


def call_blocking(function: Callable[[T], Any], value: T) -> Any:
    """Return what a function of the caller returns.

    Raises:
        ConfigurationError: it is async, so nothing has run yet.
    """
    result = function(value)
    if hasattr(result, "__await__"):
        if hasattr(result, "close"):
            result.close()
        raise ConfigurationError("an async function was passed to Feed; use AsyncFeed")
    return result


async def perform(call: Call[T], io: IO) -> T:
    """Make a call and return its result.

    Raises:
        ConfigurationError: the host or a value is impossible, so nothing was sent.
        APIConnectionError: no response; APITimeoutError if the time ran out.
        APIError: an error response, or one that is not in the documented form.
    """
    try:
        return await _attempts(call, io)
    except CopydeskError as error:
        if call.key:
            error.idempotency_key = call.key
        raise


async def _attempts(call: Call[T], io: IO) -> T:
    content = _content(call.body)
    begin = time.monotonic()
    attempts = failures = 0
    reason: CopydeskError | None = None
    while True:
        attempts += 1
        left = max(0.001, call.timeout - (time.monotonic() - begin))
        try:
            answer = await io.send(call, content, min(left, call.attempt))
            if isinstance(answer, Answer):
                return _result(call, answer, io.address)
            raise answer
        except CopydeskError as found:
            error = found
        if not error.transient:
            raise error
        goes_on = bool(call.key and call.retries) and _may_go_on(error)
        failures += not goes_on
        if failures > call.retries:
            raise error
        pause = _pause(error, attempts)
        elapsed = time.monotonic() - begin
        if reason is None or not isinstance(error, APITimeoutError):
            reason = error
        if elapsed + pause >= call.timeout:
            if not goes_on:
                raise error
            raise APITimeoutError(f"no result within {call.timeout:g} s; the last answer: {reason}")
        shown = f"{call.method} {io.address.shown}{call.path}"
        logger.info("%s is sent again in %.1f s: %s", shown, pause, error)
        if call.on_progress is not None:
            call.on_progress(Progress(elapsed, "waiting", str(error)))
        await io.sleep(pause)


def _content(body: Mapping[str, Any] | None) -> bytes:
    if body is None:
        return b""
    try:
        return json.dumps(body, allow_nan=False, ensure_ascii=False).encode("utf-8")
    except UnicodeEncodeError:  # half of a character
        return json.dumps(body, allow_nan=False).encode()
    except ValueError:
        pass
    raise ConfigurationError("an argument is a number that JSON does not have, like NaN")


def _may_go_on(error: CopydeskError) -> bool:
    """Return whether the service may still be doing the work."""
    if isinstance(error, APIError):
        is_proxys = error.code is None and error.status in {*_PROXY_GAVE_UP, 200, 202}
        return is_proxys or error.code == "IDEMPOTENCY_IN_PROGRESS"
    return isinstance(error, APIConnectionError) and error.was_sent


def _pause(error: CopydeskError, attempts: int) -> float:
    """Return the pause before the next attempt: as told, else growing and with jitter."""
    if isinstance(error, APIError) and error.retry_after is not None:
        return error.retry_after
    wait = min(LONGEST_WAIT_S, FIRST_WAIT_S * 2.0 ** min(attempts - 1, 10))
    return wait * random.uniform(0.5, 1.0)  # noqa: S311 - it spreads load, it hides nothing


def _result(call: Call[T], answer: Answer, address: Address) -> T:
    if not 200 <= answer.status < 300:
        raise _refusal(call, answer, address)
    cut = False
    try:
        content = b"{}" if call.method == "HEAD" else answer.content
        data = json.loads(content, parse_int=_whole_number)
        if not isinstance(data, dict):
            raise UnexpectedAnswer("it is not a JSON object")
        return _with_response(call.parse(data), _response(answer, address))
    except UnexpectedAnswer as error:
        problem = f"is not in the documented form: {error}"
    except (ValueError, RecursionError):  # JSON can be nested to any depth
        problem = _not_json(answer)
        # A proxy cut it off. A page of HTML will not become JSON.
        cut = answer.content[:1] == b"{"
    broken = APIError(f"the response of {address.host} {problem}", status=answer.status)
    broken.request_id = answer.headers.get("x-request-id")
    broken.transient = cut
    raise broken


def _with_response(value: T, response: Response) -> T:
    """Return the result with the response it was read from."""
    if isinstance(value, list):
        return type(value)(_with_response(entry, response) for entry in value)
    return replace(value, response=response) if isinstance(value, Received) else value


def _response(answer: Answer, address: Address) -> Response:
    headers = {name: address.scrub(value) for name, value in answer.headers.items()}
    return Response(answer.status, headers)


def _refusal(call: Call[T], answer: Answer, address: Address) -> APIError:
    unsaid, body, documentation = "does not say what is wrong", {}, None
    try:
        told = json.loads(address.scrub(answer.content.decode("utf-8", "replace")))
        body, documentation = child(told, "error"), optional_text(told, "documentation")
    except (ValueError, RecursionError):
        unsaid = _not_json(answer)
    code = optional_text(body, "code")
    message = with_arguments(optional_text(body, "message") or "")
    if answer.status in _REDIRECTS:
        message = f"{address.host} redirects to another address; use that one instead"
    elif call.method == "HEAD" and answer.status == 404:
        message = f"{address.host} does not know this URL: its operator has the current one"
    elif call.method == "HEAD":
        unsaid = "does not say what is wrong"
    error = error_class(answer.status, code)(
        message or f"the response of {address.host} {unsaid}",
        status=answer.status,
        code=code,
        details=child(body, "details"),
        request_id=answer.headers.get("x-request-id"),
        retry_after=retry_after_seconds(answer.headers.get("retry-after")),
    )
    error.documentation = documentation
    error.response = _response(answer, address)
    error.transient = _is_transient(error, answer.headers.get("x-should-retry"))
    return error


def _is_transient(error: APIError, should_retry: str | None) -> bool:
    """Return whether a retry may succeed soon. ``should_retry`` is the header x-should-retry."""
    if should_retry == "false" or (error.retry_after or 0) > LONGEST_RETRY_AFTER_S:
        return False
    if error.code in _FINAL:  # also where a proxy drops the header above
        return False
    return (
        error.status == 408
        or error.status >= 500
        or error.code == "IDEMPOTENCY_IN_PROGRESS"
        or (error.status == 429 and error.retry_after is not None)
    )


def retry_after_seconds(value: str | None) -> float | None:
    """Return Retry-After, seconds or a date, in seconds; None if it is missing or invalid."""
    if value is None:
        return None
    if value.strip().isdecimal() and len(value) < 20:
        return float(value)
    from email.utils import parsedate_to_datetime  # not at import: a date is rare

    try:
        return max(0.0, parsedate_to_datetime(value).timestamp() - time.time())
    except (ValueError, OverflowError, TypeError):  # a date in no calendar, too many digits
        return None


def _whole_number(digits: str) -> int | float:
    """Return an integer of a response, or infinity if it has too many digits."""
    return int(digits) if len(digits) <= _MOST_DIGITS else float(digits)


def _not_json(answer: Answer) -> str:
    kind = answer.headers.get("content-type", "").partition(";")[0] or "an unnamed type"
    return f"is {kind} instead of JSON; check the address, and whether a proxy responded"
