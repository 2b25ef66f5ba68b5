"""The client of the service: generation, jobs and usage."""

import os
from typing import Self, Unpack

from requests import PreparedRequest
from requests.auth import AuthBase

from copydesk._address import service_address
from copydesk._idempotency import key_or_new, named_in_errors, require_visible_ascii
from copydesk._transport import READ_TIMEOUT_S, Transport, checked_seconds
from copydesk.errors import ConfigurationError
from copydesk.jobs import Jobs
from copydesk.models import Generation
from copydesk.request import GenerateRequest, generate_body
from copydesk.usage import Usage

DEFAULT_BASE_URL = "http://127.0.0.1:8000"
# A small model on a small machine writes for minutes.
GENERATE_TIMEOUT_S = 600.0


class Copydesk:
    """A client of one service with one API key. Safe to use from several threads.

    ``api_key`` falls back to the environment's COPYDESK_API_KEY, ``base_url`` to COPYDESK_BASE_URL
    and then to http://127.0.0.1:8000.
    ``timeout`` is the longest silence of the service in seconds that one attempt bears; by default
    600 for ``generate`` and 30 for the rest. Connecting takes 10 seconds at most.
    ``max_retries`` is the number of further attempts after a failure that may pass: no connection,
    no or half an answer, 408, 429 with Retry-After, 5xx, or a 409 while another call with the same
    idempotency key still runs; what the service advises against repeating is final.

    Raises:
        ConfigurationError: there is no API key, or a value is malformed.
    """

    def __init__(
        self,
        api_key: str | None = None,
        base_url: str | None = None,
        timeout: float | None = None,
        max_retries: int = 2,
    ) -> None:
        key = (api_key or os.environ.get("COPYDESK_API_KEY", "")).strip()
        if not key:
            raise ConfigurationError("there is no API key: set COPYDESK_API_KEY, or pass api_key")
        require_visible_ascii("api_key", key)
        self._address = service_address(
            base_url or os.environ.get("COPYDESK_BASE_URL") or DEFAULT_BASE_URL, key
        )
        self._timeout = checked_seconds("timeout", timeout)
        self._transport = Transport(self._address, _Bearer(key), max_retries)
        self.jobs = Jobs(self._transport, self._timeout)

    def generate(
        self, *, idempotency_key: str | None = None, **request: Unpack[GenerateRequest]
    ) -> Generation:
        """Have a post written, checked and revised; this blocks until it is done.

        ``keywords`` are needed; ``help(copydesk.GenerateRequest)`` lists all arguments.

        ``idempotency_key`` (255 characters at most) is made up where none is given, and is the same
        on every retry: the post is generated and billed once. A later call with the same key and
        the same arguments returns the same post; a failed one has the key in
        ``error.idempotency_key``.

        Raises:
            ValidationError: an argument is wrong; ``details`` say which.
            QualityError: no post passed the checks.
            ProhibitedInputError: the model declined.
            RateLimitError, QuotaExceededError: the plan's limits.
            APIConnectionError, ServerError: no answer, or a failure, after all retries.
        """
        body = generate_body(request)
        key = key_or_new(idempotency_key)
        with named_in_errors(key):
            return self._transport.call(
                "POST",
                "/v1/generate",
                Generation.from_wire,
                retry=True,
                read_timeout=self._timeout or GENERATE_TIMEOUT_S,
                json=body,
                headers={"Idempotency-Key": key},
            )

    def usage(self) -> Usage:
        """The plan, its limits, and what is used of them in the current billing period.

        Raises:
            AuthenticationError: the API key is not valid.
            APIConnectionError, ServerError: no answer, or a failure, after all retries.
        """
        return self._transport.call(
            "GET",
            "/v1/usage",
            Usage.from_wire,
            retry=True,
            read_timeout=self._timeout or READ_TIMEOUT_S,
        )

    def close(self) -> None:
        """Close the connections; a call after this opens new ones."""
        self._transport.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"Copydesk(base_url={self._address.shown!r})"


class _Bearer(AuthBase):
    def __init__(self, key: str) -> None:
        self._key = key

    def __call__(self, request: PreparedRequest) -> PreparedRequest:
        request.headers["Authorization"] = f"Bearer {self._key}"
        return request
