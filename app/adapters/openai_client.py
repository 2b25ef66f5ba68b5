"""The `openai` client for any OpenAI-compatible endpoint, with limits on each call and retries."""

import logging
import random
from collections.abc import Callable
from itertools import count
from math import ceil
from typing import TypeVar
from urllib.parse import urlsplit

import httpx2
import openai

from app.adapters.bounded_calls import MAX_BYTES, AnswerEncoded, AnswerTooLong, bound, limited
from app.adapters.stated_times import retry_after
from app.core.errors import ModelUnavailable
from app.deadline import Deadline

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
        "cannot be reached. Check OPENAI_BASE_URL and that it is running.",
    ),
    (openai.AuthenticationError, "does not accept the API key. Check OPENAI_API_KEY."),
    (openai.PermissionDeniedError, "does not accept the API key. Check OPENAI_API_KEY."),
    (
        openai.NotFoundError,
        "does not know the model {model!r}, or the path. Check COPYDESK_MODEL, and that"
        " OPENAI_BASE_URL ends as the endpoint expects (often /v1).",
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
    "answered with something other than a chat completion. Check that OPENAI_BASE_URL is the"
    " address of an OpenAI-compatible endpoint (it often ends in /v1)."
)


class Connection:
    """A client for one endpoint. Nothing is sent until ``call``.

    ``endpoint`` has only scheme, host and port, so it can be shown to operators.

    Args:
        base_url: the endpoint with its /v1; OpenAI's own if None.
        api_key: any text if the endpoint needs none.
        timeout_seconds: how long one answer may take, from connecting to its last byte.
        retries: how often a failed call is repeated.

    Raises:
        ValueError: the address is not a URL or holds a password, or no header can carry the API
            key.
    """

    def __init__(
        self, base_url: str | None, api_key: str, *, timeout_seconds: float, retries: int
    ) -> None:
        key = api_key.strip()
        if not key.isascii() or not key.isprintable() or " " in key:
            raise ValueError("OPENAI_API_KEY has spaces or characters that no key has.")
        url = base_url or _OPENAI
        try:
            parts, _ = urlsplit(url), httpx2.URL(url)
        except (ValueError, httpx2.InvalidURL):
            raise ValueError("OPENAI_BASE_URL is not a web address.") from None
        if "@" in parts.netloc:
            # It would replace the API key, and be logged with every call.
            raise ValueError("OPENAI_BASE_URL must not hold a user or password.")
        http = _Client(
            timeout=None,  # bounded_calls limits every call
            # A proxy from the environment cannot reach an endpoint on this machine.
            trust_env=parts.hostname not in _LOOPBACK,
            follow_redirects=True,
        )
        bound(http)
        self.endpoint = f"{parts.scheme}://{parts.netloc}"
        self._api_key = key or _NO_KEY
        self._timeout_seconds = timeout_seconds
        self._retries = retries
        self._client = openai.OpenAI(
            base_url=url, api_key=self._api_key, max_retries=0, http_client=http
        )

    def call(
        self, send: Callable[[openai.OpenAI], T], deadline: Deadline, retries: int | None = None
    ) -> T:
        """Return what ``send`` makes of the client's answer; retry while there is time.

        An answer that is late or too long is not requested again.

        Raises:
            openai.OpenAIError: the last failure.
            GenerationTimeout, GenerationCancelled: as the deadline says.
        """
        most = self._retries if retries is None else retries
        for attempt in count():
            try:
                with limited(deadline, self._timeout_seconds):
                    return send(self._client)
            except (openai.APIConnectionError, openai.APIStatusError) as error:
                pause = _pause(error, attempt)
                if attempt == most or pause is None or pause >= deadline.left():
                    raise
                log.info("a model call failed (%s): next in %.1f s", type(error).__name__, pause)
            deadline.pause(pause)
        raise AssertionError("count() has no end")

    def explain(self, problem: object, model: str) -> ModelUnavailable:
        """Return the error to raise for one of the client's errors, or for an unusable answer."""
        situation = next((text for kind, text in _SITUATIONS if isinstance(problem, kind)), None)
        if isinstance(problem, openai.RateLimitError) and problem.code == "insufficient_quota":
            situation = _NO_CREDIT
        status = getattr(problem, "status_code", None)
        return self.unavailable(
            problem, (situation or _NO_COMPLETION).format(model=model, status=status)
        )

    def unavailable(self, problem: object, situation: str) -> ModelUnavailable:
        """Return the error for an endpoint that failed.

        The operator's text is the endpoint, ``situation``, and the endpoint's own message without
        the API key.
        """
        said = endpoint_message(problem)
        if len(self._api_key) > len(_NO_KEY):
            said = said.replace(self._api_key, "…")
        quoted = f" It said: {said[:_MAX_QUOTED_CHARS]}" if said else ""
        pause = _asked_pause(problem)
        return ModelUnavailable(
            operator=f"The model endpoint {self.endpoint} {situation}{quoted}",
            retry_after=None if pause is None else ceil(pause),
        )


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


def _pause(error: openai.APIError, attempt: int) -> float | None:
    """Return the seconds to wait before the next attempt; None if another one cannot help."""
    own: float = min(_FIRST_PAUSE * 2**attempt, _LONGEST_OWN_PAUSE)
    own *= 1 - random.random() / 4  # noqa: S311 - keeps clients from all retrying at once
    if not isinstance(error, openai.APIStatusError):
        return own
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
