"""The client of the service: generation, jobs and usage."""

import os
from typing import Unpack

from copydesk._address import service_address
from copydesk._transport import (
    READ_TIMEOUT_S,
    Client,
    Transport,
    checked_seconds,
    key_or_new,
    named_in_errors,
    require_visible_ascii,
)
from copydesk.errors import ConfigurationError
from copydesk.jobs import Jobs
from copydesk.models import Generation, Usage
from copydesk.request import GenerateRequest, generate_body

DEFAULT_BASE_URL = "http://127.0.0.1:8000"
# A small model on a small machine writes for minutes.
GENERATE_TIMEOUT_S = 600.0


class Copydesk(Client):
    """A client of one service with one API key. Safe to use from several threads.

    ``api_key`` falls back to the environment's COPYDESK_API_KEY, ``base_url`` to COPYDESK_BASE_URL
    and then to http://127.0.0.1:8000.
    ``timeout`` is the read time-out of one attempt in seconds; by default 600 for ``generate`` and
    30 for the rest. The connect time-out is 10 seconds.
    ``proxy`` is the address of a proxy, including its password if it needs one. It falls back to
    COPYDESK_PROXY; "" means no proxy. HTTPS_PROXY and ~/.netrc are not read.
    ``max_retries`` is the number of retries after a transient failure: no connection, no or an
    incomplete response, 408, 429 with Retry-After, 5xx, or 409 while another call with the same
    idempotency key runs. Responses with x-should-retry: false are final.

    Raises:
        ConfigurationError: there is no API key, or a value is malformed.
    """

    def __init__(
        self,
        api_key: str | None = None,
        base_url: str | None = None,
        timeout: float | None = None,
        max_retries: int = 2,
        proxy: str | None = None,
    ) -> None:
        key = (api_key or os.environ.get("COPYDESK_API_KEY", "")).strip()
        if not key:
            raise ConfigurationError("no API key: set COPYDESK_API_KEY or pass api_key")
        require_visible_ascii("api_key", key)
        self._address = service_address(
            base_url or os.environ.get("COPYDESK_BASE_URL") or DEFAULT_BASE_URL, key
        )
        self._timeout = checked_seconds("timeout", timeout)
        self._transport = Transport(self._address, max_retries, proxy, api_key=key)
        self.jobs = Jobs(self._transport, self._timeout)

    def generate(
        self, *, idempotency_key: str | None = None, **request: Unpack[GenerateRequest]
    ) -> Generation:
        """Write a post, check and revise it, and return it.

        ``keywords`` is required; ``help(copydesk.GenerateRequest)`` lists all arguments.

        ``idempotency_key`` (at most 255 characters) is generated if you give none. It is the same
        on every retry: the post is generated and billed once. A later call with the same key and
        the same arguments returns the same post. If the call fails, the key is in
        ``error.idempotency_key``.

        Raises:
            ValidationError: an argument is wrong; ``details`` say which.
            QualityError: no post passed the checks.
            ProhibitedInputError: the model declined.
            RateLimitError, QuotaExceededError: the plan's limits.
            APIConnectionError, ServerError: no response, or a failure, after all retries.
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
        """Return the plan, its limits and the usage of the current billing period.

        Raises:
            AuthenticationError: the API key is not valid.
            APIConnectionError, ServerError: no response, or a failure, after all retries.
        """
        return self._transport.call(
            "GET",
            "/v1/usage",
            Usage.from_wire,
            retry=True,
            read_timeout=self._timeout or READ_TIMEOUT_S,
        )

    def __repr__(self) -> str:
        return f"Copydesk(base_url={self._address.shown!r})"
