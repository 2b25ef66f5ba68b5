"""The `openai` client for any OpenAI-compatible endpoint, with limits on each call and retries.

The client's own retries are off: they know neither the deadline of a post nor the pauses that some
endpoints ask for in the body of an error.
"""

import logging
import math
import random
import time
from collections.abc import Callable
from contextvars import ContextVar
from itertools import count
from math import ceil
from typing import TypeVar
from urllib.parse import parse_qsl, urlsplit

import httpx2
import openai

from app.adapters.bounded_network import BoundedBackend, Limits, TooLarge
from app.adapters.endpoint_health import FIRST_REST_SECONDS, EndpointHealth
from app.adapters.openai_errors import (
    CallTimeout,
    NoCompletion,
    SettingNames,
    address_of,
    cause_of,
    is_final,
    is_out_of_credit,
    pause_of,
    sentence_of,
    status_of,
)
from app.core.errors import GenerationTimeout, ModelResting, ModelUnavailable
from app.deadline import Deadline
from app.logs import redactor

T = TypeVar("T")

log = logging.getLogger(__name__)

FAILURES = (openai.OpenAIError, ValueError, RecursionError)
"""What a call raises; the last two come from JSON with huge numbers or deep nesting."""
_OPENAI = "https://api.openai.com/v1"
_NO_KEY = "none"
_LOOPBACK = frozenset({"127.0.0.1", "localhost", "::1"})
_FIRST_PAUSE = 0.5
# Waiting for a rate limit per minute keeps what a post has cost so far.
_LONGEST_PAUSE = 60.0
_RETRIES = 2
_RETRIED = frozenset({408, 409, 429})
# Failures that say nothing about the endpoint: a rate limit, and errors of one prompt.
_NEUTRAL = frozenset({400, 409, 413, 422, 429})
_MAX_QUOTED_CHARS = 300
# A post of 200,000 characters, each of them escaped, with thoughts before it.
_MAX_BYTES = 4 * 1024 * 1024
_CONNECT_SECONDS = 10.0


class _CallLimits(Limits):
    """The remaining limits of one call."""

    def __init__(self, deadline: Deadline, seconds: float) -> None:
        super().__init__(time.monotonic() + seconds, _MAX_BYTES, _CONNECT_SECONDS)
        self._deadline = deadline

    def left(self, most: float = math.inf) -> float:
        most = min(most, self._deadline.left())
        try:
            return super().left(most)
        except TimeoutError:
            raise CallTimeout from None


_limits: ContextVar[_CallLimits] = ContextVar("limits of the model call in this thread")


class Connection:
    """A client for one endpoint, shared by all of its models. Nothing is sent until ``call``.

    Args:
        base_url: with its /v1, and a query if it needs one, without a user; OpenAI's own if None.
        api_key: any text if the endpoint needs none.
        timeout_seconds: how long one answer may take, from connecting to its last byte.
        concurrency: how many calls may run at once; others wait until their deadline.
        rest_seconds: how long the endpoint is not called after it failed too often.
        names: of the settings, for error messages.
    """

    def __init__(
        self,
        base_url: str | None,
        api_key: str,
        timeout_seconds: float,
        *,
        concurrency: int = 1,
        rest_seconds: float = FIRST_REST_SECONDS,
        names: SettingNames | None = None,
    ) -> None:
        url = base_url or _OPENAI
        parts = urlsplit(url)
        self.origin = f"{parts.scheme}://{parts.netloc}"
        self.timeout_seconds, self._names = timeout_seconds, names or SettingNames()
        self._api_key = api_key or _NO_KEY
        self.health = EndpointHealth(self.origin, concurrency, rest_seconds=rest_seconds)
        query = dict(parse_qsl(parts.query, keep_blank_values=True))
        self._client = openai.OpenAI(
            base_url=address_of(url),
            api_key=self._api_key,
            max_retries=0,
            http_client=_Client(url),
            default_query=query,
            # Azure takes keys at its addresses with a version in this header only.
            default_headers={"api-key": self._api_key} if "api-version" in query else None,
        )

    def call(self, model: str, send: Callable[[openai.OpenAI], T], deadline: Deadline) -> T:
        """Return what ``send`` makes of the client's answer; retry while there is time.

        Raises:
            openai.OpenAIError, ValueError, RecursionError: the last failure.
            ModelResting: the endpoint is not called now.
            GenerationTimeout, GenerationCancelled: as the deadline says.
        """
        health = self.health
        for number in count():
            began = health.begin()
            try:
                answer = self.ask(send, deadline)
            except FAILURES as error:
                hung, counts = isinstance(error, CallTimeout), not _is_neutral(error)
                health.failed(began, self._sentence(error, model), hung=hung, counts=counts)
                is_last = number == _RETRIES or health.state().retry_after
                pause = None if is_last else _pause(error, number)
                if pause is None or pause >= deadline.left():
                    raise
                log.info("a model call failed (%s): next in %.1f s", type(error).__name__, pause)
            else:
                health.succeeded(began)
                return answer
            deadline.pause(pause)
        raise AssertionError("count() has no end")

    def ask(self, send: Callable[[openai.OpenAI], T], deadline: Deadline) -> T:
        """As ``call``, but neither retried nor counted."""
        limits = _CallLimits(deadline, self.timeout_seconds)
        token = _limits.set(limits)
        try:
            return send(self._client)
        except TooLarge:
            why = f"sent an answer of more than {_MAX_BYTES:,} bytes."
            raise NoCompletion(why, is_final=True) from None
        except openai.APIConnectionError:
            limits.left()  # raises if the time is the cause
            raise
        finally:
            _limits.reset(token)

    def explain(self, error: Exception, model: str) -> ModelUnavailable | GenerationTimeout:
        """Return the error to raise for one of the client's errors."""
        operator = self._sentence(error, model)
        if isinstance(error, CallTimeout):
            return GenerationTimeout(operator=operator)
        state, pause = self.health.state(), pause_of(error)
        wait = None if pause is None else ceil(pause)
        if state.retry_after:
            return ModelResting(operator=operator, retry_after=max(state.retry_after, wait or 0))
        return ModelUnavailable(operator=operator, retry_after=wait)

    def _sentence(self, error: Exception, model: str) -> str:
        """Return what is wrong, for operators: the endpoint, the cause, and the endpoint's own
        sentence without the API key."""
        if isinstance(error, CallTimeout):
            cause = f"gave no answer within {self.timeout_seconds:g} seconds"
            cause += " (COPYDESK_MODEL_TIMEOUT_SECONDS)."
        else:
            cause = cause_of(error, model, self._names)
        said = sentence_of(error)
        cause, said = map(redactor([self._api_key]), (cause, said))
        quoted = f" It said: {said[:_MAX_QUOTED_CHARS]}" if said else ""
        return f"{self._names.endpoint} {self.origin} {cause}{quoted}"


def _is_neutral(error: Exception) -> bool:
    if is_out_of_credit(error):
        return False
    return is_final(error) or status_of(error) in _NEUTRAL


def _pause(error: Exception, attempt: int) -> float | None:
    """Return the seconds to wait before the next attempt; None if another one cannot help."""
    status = status_of(error)
    is_passing = status is None or status in _RETRIED or status >= 500
    if isinstance(error, CallTimeout) or is_final(error) or not is_passing:
        return None
    # A part of it is random, so that clients do not all retry at once.
    own: float = _FIRST_PAUSE * 2**attempt * random.uniform(0.75, 1)  # noqa: S311
    asked = pause_of(error) or own
    return asked if asked <= _LONGEST_PAUSE else None


class _Client(openai.DefaultHttpxClient):
    """An HTTP client that keeps the limits, and works only inside ``Connection.ask``. It closes
    its connections when it is garbage-collected."""

    def __init__(self, url: str) -> None:
        super().__init__(
            timeout=None,
            # A proxy from the environment cannot reach an endpoint on this machine.
            trust_env=urlsplit(url).hostname not in _LOOPBACK,
            # A redirect would take the prompt, with a customer's words, to any address.
            follow_redirects=False,
            headers={"Accept-Encoding": "identity"},
            event_hooks={"response": [_refuse_encoded]},
        )
        # httpx2 has no option for the network backend. All of its transports, proxies included,
        # have one of httpcore2's pools, which has one.
        for transport in (self._transport, *self._mounts.values()):
            if isinstance(transport, httpx2.HTTPTransport):
                pool = transport._pool
                pool._network_backend = BoundedBackend(_limits.get, pool._network_backend)

    def __del__(self) -> None:
        if not self.is_closed:
            self.close()


def _refuse_encoded(response: httpx2.Response) -> None:
    if response.headers.get("Content-Encoding", "identity").strip().lower() not in ("", "identity"):
        # A few bytes can stand for any number of them.
        why = "sent a compressed answer, although none was requested."
        raise NoCompletion(why, is_final=True)
