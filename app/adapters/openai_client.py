"""The `openai` client for any OpenAI-compatible endpoint, with limits on each call and retries.

The client's own retries are off: they know neither the deadline of a post nor the budget of
retries that all calls to an endpoint share.
"""

import logging
import random
from collections.abc import Callable
from itertools import count
from math import ceil
from typing import TypeVar
from urllib.parse import parse_qsl, urlsplit

import httpx2
import openai

from app.adapters.bounded_calls import bound, limited
from app.adapters.endpoint_health import EndpointHealth
from app.adapters.openai_errors import (
    CallTimeout,
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
from app.ports import Breaker

T = TypeVar("T")

log = logging.getLogger(__name__)

FAILURES = (openai.OpenAIError, ValueError, RecursionError)
"""What a call raises; the last two come from JSON with huge numbers or deep nesting."""
_OPENAI = "https://api.openai.com/v1"
_NO_KEY = "none"
_LOOPBACK = frozenset({"127.0.0.1", "localhost", "::1"})
_FIRST_PAUSE, _LONGEST_OWN_PAUSE = 0.5, 8.0
# Waiting for a rate limit per minute keeps what a post has cost so far.
_LONGEST_PAUSE = 60.0
_RETRIED = frozenset({408, 409, 429})
# Failures that say nothing about the endpoint: a rate limit, and errors of one prompt.
_NEUTRAL = frozenset({400, 409, 413, 422, 429})
_MAX_QUOTED_CHARS = 300


class Connection:
    """A client for one endpoint. Nothing is sent until ``call``.

    ``endpoint`` has only scheme, host and port, so it can be shown to operators.

    Args:
        base_url: the endpoint with its /v1, and a query if it needs one; OpenAI's own if None.
        api_key: any text if the endpoint needs none.
        model: the model's name, for error messages.
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
        model: str,
        *,
        timeout_seconds: float,
        retries: int,
        health: EndpointHealth | None = None,
        names: SettingNames | None = None,
    ) -> None:
        self._names, self._model = names or SettingNames(), model
        self._api_key = api_key.strip() or _NO_KEY
        if not (self._api_key.isascii() and self._api_key.isprintable()) or " " in self._api_key:
            raise ValueError(f"{self._names.key} has spaces or characters that no key has.")
        url = base_url or _OPENAI
        self.endpoint = endpoint_of(url, self._names)
        self.health = health or EndpointHealth(self.endpoint, 1, probe_seconds=timeout_seconds)
        self._timeout_seconds, self._retries = timeout_seconds, retries
        http = _Client(
            timeout=None,  # bounded_calls limits every call
            # A proxy from the environment cannot reach an endpoint on this machine.
            trust_env=urlsplit(url).hostname not in _LOOPBACK,
            # A redirect would take the prompt, with a customer's words, to any address.
            follow_redirects=False,
        )
        bound(http)
        query = dict(parse_qsl(urlsplit(url).query, keep_blank_values=True))
        self._client = openai.OpenAI(
            base_url=address_of(url),
            api_key=self._api_key,
            max_retries=0,
            http_client=http,
            default_query=query,
            # Azure takes keys at its addresses with a version in this header only.
            default_headers={"api-key": self._api_key} if "api-version" in query else None,
        )

    def call(self, send: Callable[[openai.OpenAI], T], deadline: Deadline) -> T:
        """Return what ``send`` makes of the client's answer; retry while time and budget allow it.

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
                answer = self.ask(send, deadline)
            except FAILURES as error:
                hung = begun if isinstance(error, CallTimeout) else None
                counts = not _is_neutral(error)
                health.failed(self._sentence(error), probe, hung_since=hung, counts=counts)
                pause = None if probe or attempt == self._retries else _pause(error, attempt)
                if pause is None or pause >= deadline.left() or not health.may_retry():
                    raise
                log.info("a model call failed (%s): next in %.1f s", type(error).__name__, pause)
            except BaseException:
                health.abandoned(probe)
                raise
            else:
                health.succeeded(probe)
                return answer
            deadline.pause(pause)
        raise AssertionError("count() has no end")

    def ask(self, send: Callable[[openai.OpenAI], T], deadline: Deadline) -> T:
        """As ``call``, but neither retried nor counted."""
        with limited(deadline, self._timeout_seconds):
            return send(self._client)

    def explain(self, error: Exception) -> ModelUnavailable | GenerationTimeout:
        """Return the error to raise for one of the client's errors."""
        operator = self._sentence(error)
        if isinstance(error, CallTimeout):
            return GenerationTimeout(operator=operator)
        state, pause = self.health.state(), pause_of(error)
        wait = None if pause is None else ceil(pause)
        if state.breaker is Breaker.OPEN:
            return ModelResting(operator=operator, retry_after=max(state.retry_after, wait or 0))
        return ModelUnavailable(operator=operator, retry_after=wait)

    def _sentence(self, error: Exception) -> str:
        """Return what is wrong, for operators: the endpoint, the cause, and the endpoint's own
        sentence without the API key."""
        if isinstance(error, CallTimeout):
            cause = f"gave no answer within {self._timeout_seconds:g} seconds"
            cause += " (COPYDESK_MODEL_TIMEOUT_SECONDS)."
        else:
            cause = cause_of(error, self._model, self._names)
        said = sentence_of(error)
        if self._api_key != _NO_KEY:
            cause, said = (each.replace(self._api_key, "…") for each in (cause, said))
        quoted = f" It said: {said[:_MAX_QUOTED_CHARS]}" if said else ""
        return f"{self._names.endpoint} {self.endpoint} {cause}{quoted}"


def endpoint_of(base_url: str | None, names: SettingNames | None = None) -> str:
    """Return scheme, host and port of an endpoint's URL; OpenAI's own if None.

    Raises:
        ValueError: it is not a URL, or holds a password.
    """
    url, names = base_url or _OPENAI, names or SettingNames()
    try:
        parts, _ = urlsplit(url), httpx2.URL(url)
    except (ValueError, httpx2.InvalidURL):
        raise ValueError(f"{names.url} is not a web address.") from None
    if "@" in parts.netloc:
        # It would replace the API key, and be logged with every call.
        raise ValueError(f"{names.url} must not hold a user or password.")
    return f"{parts.scheme}://{parts.netloc}"


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
    own: float = min(_FIRST_PAUSE * 2**attempt, _LONGEST_OWN_PAUSE)
    own *= 1 - random.random() / 4  # noqa: S311 - keeps clients from all retrying at once
    asked = pause_of(error) or own
    return asked if asked <= _LONGEST_PAUSE else None


class _Client(openai.DefaultHttpxClient):
    """A client that closes its connections when it is garbage-collected."""

    def __del__(self) -> None:
        if not self.is_closed:
            self.close()
