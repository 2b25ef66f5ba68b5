"""The `openai` client for any OpenAI-compatible endpoint, with limits on each call and retries."""

import logging
import random
from collections.abc import Callable
from dataclasses import dataclass
from itertools import count
from math import ceil
from typing import TypeVar
from urllib.parse import urlsplit

import httpx2
import openai

from app.adapters.bounded_calls import (
    MAX_BYTES,
    AnswerEncoded,
    AnswerTooLong,
    CallTimeout,
    bound,
    limited,
)
from app.adapters.endpoint_health import EndpointHealth
from app.adapters.stated_times import retry_after
from app.core.errors import ModelResting, ModelUnavailable
from app.deadline import Deadline
from app.ports import Breaker

T = TypeVar("T")

log = logging.getLogger(__name__)

_OPENAI = "https://api.openai.com/v1"
_NO_KEY = "none"
_LOOPBACK = frozenset({"127.0.0.1", "localhost", "::1"})
_FIRST_PAUSE, _LONGEST_OWN_PAUSE = 0.5, 8.0
# Waiting for a rate limit per minute keeps the parts of the post that are already written.
_LONGEST_PAUSE = 60.0
_DAY_SECONDS = 86_400
_RETRIED = frozenset({408, 409, 429})
_SHOULD_RETRY = {"true": True, "false": False}
_MAX_QUOTED_CHARS = 300
# The first class that fits counts.
_SITUATIONS: tuple[tuple[type, str], ...] = (
    (AnswerTooLong, f"sent an answer of more than {MAX_BYTES:,} bytes."),
    (AnswerEncoded, "sent a compressed answer, although none was requested."),
    (
        openai.APIConnectionError,
        "cannot be reached. Check {names.url} and that it is running.",
    ),
    (openai.AuthenticationError, "does not accept the API key. Check {names.key}."),
    (openai.PermissionDeniedError, "does not accept the API key. Check {names.key}."),
    (
        openai.NotFoundError,
        "does not know the model {model!r}, or the path. Check {names.model}, and that"
        " {names.url} ends as the endpoint expects (often /v1).",
    ),
    (
        openai.RateLimitError,
        "limits the rate of calls. Try again later or lower COPYDESK_MODEL_CONCURRENCY.",
    ),
    (openai.InternalServerError, "answered with status {status}. Try again later."),
    (openai.APIStatusError, "answered with status {status}."),
)
_NO_CREDIT = "says that the account's credit is used up. Check its billing."
_NO_COMPLETION = (
    "answered with something other than a chat completion. Check that {names.url} is the"
    " address of an OpenAI-compatible endpoint (it often ends in /v1)."
)
# Failures that say nothing about the endpoint: a rate limit, and errors of one prompt.
_NEUTRAL = frozenset({400, 409, 413, 422, 429})
# A web server that is no endpoint: it does not know the method of a call.
_NO_METHOD = frozenset({405, 501})
_NO_CREDIT_CODE = "insufficient_quota"


@dataclass(frozen=True)
class SettingNames:
    """The names of an endpoint's settings, for error messages."""

    url: str = "OPENAI_BASE_URL"
    key: str = "OPENAI_API_KEY"
    model: str = "COPYDESK_MODEL"


_NAMES = SettingNames()


class NoCompletion(openai.OpenAIError):
    """The endpoint answered with status 200 and something else; ``answer`` is what it sent."""

    def __init__(self, answer: object = None) -> None:
        super().__init__("no completion")
        self.answer = answer


# Of an answer with status 200; the last two come from JSON with huge numbers or deep nesting.
_GARBAGE = (NoCompletion, openai.APIResponseValidationError, ValueError, RecursionError)


class Connection:
    """A client for one endpoint. Nothing is sent until ``call``.

    ``endpoint`` has only scheme, host and port, so it can be shown to operators.

    Args:
        base_url: the endpoint with its /v1; OpenAI's own if None.
        api_key: any text if the endpoint needs none.
        timeout_seconds: how long one answer may take, from connecting to its last byte.
        retries: how often a failed call is repeated, if the budget allows it.
        health: of the endpoint; one of its own if None.
        names: of the settings, for error messages.

    Raises:
        ValueError: the address is not a URL or holds a password, or no header can carry the API
            key.
    """

    def __init__(
        self,
        base_url: str | None,
        api_key: str,
        *,
        timeout_seconds: float,
        retries: int,
        health: EndpointHealth | None = None,
        names: SettingNames = _NAMES,
    ) -> None:
        key = api_key.strip()
        if not key.isascii() or not key.isprintable() or " " in key:
            raise ValueError(f"{names.key} has spaces or characters that no key has.")
        url = base_url or _OPENAI
        self.endpoint = endpoint_of(url, names)
        http = _Client(
            timeout=None,  # bounded_calls limits every call
            # A proxy from the environment cannot reach an endpoint on this machine.
            trust_env=urlsplit(url).hostname not in _LOOPBACK,
            follow_redirects=True,
        )
        bound(http)
        self.health = health or EndpointHealth(self.endpoint, 1, probe_seconds=timeout_seconds)
        self._names = names
        self._api_key = key or _NO_KEY
        self._timeout_seconds = timeout_seconds
        self._retries = retries
        self._client = openai.OpenAI(
            base_url=url, api_key=self._api_key, max_retries=0, http_client=http
        )

    def call(
        self,
        send: Callable[[openai.OpenAI], T],
        deadline: Deadline,
        is_sound: Callable[[T], bool] = lambda _: True,
    ) -> T:
        """Return what ``send`` makes of the client's answer; retry while time and budget allow it.

        An answer that is late or too long is not requested again. An answer that is not sound is
        returned, and counts as a failure of the endpoint.

        Raises:
            openai.OpenAIError, ValueError, RecursionError: the last failure.
            ModelResting: the endpoint is not called now.
            GenerationTimeout, GenerationCancelled: as the deadline says.
        """
        health = self.health
        health.begin_call()
        for attempt in count():
            probe, begun = health.begin_attempt(), health.now()
            try:
                with limited(deadline, self._timeout_seconds):
                    answer = send(self._client)
            except (openai.OpenAIError, ValueError, RecursionError) as error:
                self._note(error, probe, begun)
                pause = None if probe else _pause(error, attempt)
                if attempt == self._retries or pause is None or pause >= deadline.left():
                    raise
                if not health.may_retry():
                    log.info("a model call failed (%s): too many retries", type(error).__name__)
                    raise
                log.info("a model call failed (%s): next in %.1f s", type(error).__name__, pause)
            except BaseException:
                health.abandoned(probe)
                raise
            else:
                if is_sound(answer):
                    health.succeeded(probe)
                else:
                    health.failed("its answers cannot be read", probe)
                return answer
            deadline.pause(pause)
        raise AssertionError("count() has no end")

    def ask(self, send: Callable[[openai.OpenAI], T], seconds: float) -> T:
        """Return what ``send`` makes of the answer to one call that is neither retried nor counted.

        Raises:
            openai.OpenAIError, ValueError, RecursionError: the failure.
            GenerationTimeout: ``seconds`` passed.
        """
        with limited(Deadline(seconds), self._timeout_seconds):
            return send(self._client)

    def _note(self, error: Exception, probe: bool, begun: float) -> None:
        """Tell the health what an error says of the endpoint."""
        status = getattr(error, "status_code", None)
        if status == 429 and getattr(error, "code", None) != _NO_CREDIT_CODE:
            self.health.places.refused(begun)
        if isinstance(error, CallTimeout):
            self.health.failed("no answer in time", probe, hung_since=begun)
        elif status in _NEUTRAL and getattr(error, "code", None) != _NO_CREDIT_CODE:
            self.health.abandoned(probe)
        elif isinstance(error, openai.APIStatusError):
            self.health.failed(f"status {status}", probe)
        elif isinstance(error, openai.APIConnectionError):
            self.health.failed("no connection", probe)
        else:
            self.health.failed("no usable answer", probe)

    def explain(self, problem: object, model: str) -> ModelUnavailable:
        """Return the error to raise for one of the client's errors, or for an unusable answer."""
        if isinstance(problem, NoCompletion):
            problem = problem.answer
        situation = next((text for kind, text in _SITUATIONS if isinstance(problem, kind)), None)
        if isinstance(problem, openai.RateLimitError) and problem.code == _NO_CREDIT_CODE:
            situation = _NO_CREDIT
        status = getattr(problem, "status_code", None)
        if status in _NO_METHOD:
            situation = _NO_COMPLETION
        return self.unavailable(
            problem,
            (situation or _NO_COMPLETION).format(model=model, status=status, names=self._names),
        )

    def unavailable(self, problem: object, situation: str) -> ModelUnavailable:
        """Return the error for an endpoint that failed: ModelResting if it is not called now.

        The operator's text is the endpoint, ``situation``, and the endpoint's own message without
        the API key.
        """
        said = endpoint_message(problem)
        if len(self._api_key) > len(_NO_KEY):
            said = said.replace(self._api_key, "…")
        quoted = f" It said: {said[:_MAX_QUOTED_CHARS]}" if said else ""
        operator = f"The model endpoint {self.endpoint} {situation}{quoted}"
        state = self.health.state()
        if state.breaker is Breaker.OPEN:
            return ModelResting(operator=operator, retry_after=state.retry_after)
        pause = _asked_pause(problem)
        return ModelUnavailable(
            operator=operator, retry_after=None if pause is None else ceil(pause)
        )


def endpoint_of(base_url: str | None, names: SettingNames = _NAMES) -> str:
    """Return scheme, host and port of an endpoint's URL; OpenAI's own if None.

    Raises:
        ValueError: it is not a URL, or holds a password.
    """
    url = base_url or _OPENAI
    try:
        parts, _ = urlsplit(url), httpx2.URL(url)
    except (ValueError, httpx2.InvalidURL):
        raise ValueError(f"{names.url} is not a web address.") from None
    if "@" in parts.netloc:
        # It would replace the API key, and be logged with every call.
        raise ValueError(f"{names.url} must not hold a user or password.")
    return f"{parts.scheme}://{parts.netloc}"


def endpoint_message(problem: object) -> str:
    """Return the endpoint's own message, or "" if it has none that is fit to show."""
    body: object = None
    if isinstance(problem, openai.APIStatusError):
        body = problem.body
    elif not isinstance(problem, Exception):
        body = getattr(problem, "error", None)  # status 200 with an error in it
    if isinstance(body, dict):
        body = body.get("message") or body.get("detail") or body.get("error")
    if isinstance(body, dict):
        body = body.get("message")
    text = " ".join(str(body).split()) if body else ""
    return "" if text.startswith("<") else text


def _pause(error: Exception, attempt: int) -> float | None:
    """Return the seconds to wait before the next attempt; None if another one cannot help."""
    if not isinstance(error, (openai.APIConnectionError, openai.APIStatusError, *_GARBAGE)):
        return None
    own: float = min(_FIRST_PAUSE * 2**attempt, _LONGEST_OWN_PAUSE)
    own *= 1 - random.random() / 4  # noqa: S311 - keeps clients from all retrying at once
    if not isinstance(error, openai.APIStatusError):
        return own
    if getattr(error, "code", None) == _NO_CREDIT_CODE:
        return None
    retried = error.status_code in _RETRIED or error.status_code >= 500
    if not _SHOULD_RETRY.get(error.response.headers.get("x-should-retry", ""), retried):
        return None
    asked = _asked_pause(error) or own
    return asked if asked <= _LONGEST_PAUSE else None


def _asked_pause(problem: object) -> float | None:
    """Return the endpoint's Retry-After in seconds, at most a day, or None if it sent none."""
    if not isinstance(problem, openai.APIStatusError):
        return None
    asked = retry_after(problem.response.headers.get("Retry-After", ""))
    return min(asked, _DAY_SECONDS) if asked else None


class _Client(openai.DefaultHttpxClient):
    """A client that closes its connections when it is garbage-collected."""

    def __del__(self) -> None:
        if not self.is_closed:
            self.close()
