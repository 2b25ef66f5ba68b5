"""The client of the service: generation and usage."""

import os
import uuid
from collections.abc import Sequence
from typing import Any, Self

from requests import PreparedRequest
from requests.auth import AuthBase

from copydesk._address import service_address
from copydesk._transport import READ_TIMEOUT_S, Transport, checked_timeout
from copydesk.errors import ConfigurationError, CopydeskError
from copydesk.models import Generation
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
    no or half an answer, 408, 429 with Retry-After, 5xx.

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
        _require_visible_ascii("api_key", key)
        self._address = service_address(
            base_url or os.environ.get("COPYDESK_BASE_URL") or DEFAULT_BASE_URL, key
        )
        self._timeout = checked_timeout(timeout)
        self._transport = Transport(self._address, _Bearer(key), max_retries)

    def generate(
        self,
        *,
        keywords: Sequence[str],
        topic: str | None = None,
        language: str | None = None,
        region: str | None = None,
        tone: str | None = None,
        target_audience: str | None = None,
        brand_voice: str | None = None,
        industry: str | None = None,
        target_url: str | None = None,
        max_words: int | None = None,
        min_words: int | None = None,
        max_sections: int | None = None,
        include_faqs: bool | None = None,
        include_internal_links_placeholders: bool | None = None,
        keyword_usage_strategy: str | None = None,
        response_types: Sequence[str] | None = None,
        factuality_mode: str | None = None,
        client_provided_request_id: str | None = None,
        idempotency_key: str | None = None,
    ) -> Generation:
        """Have a post written, checked and revised; this blocks until it is done.

        ``tone`` is professional, friendly or bold; ``language`` a BCP 47 code such as en;
        ``region`` an ISO 3166-1 code such as US; ``keyword_usage_strategy`` natural, balanced or
        exact; ``response_types`` any of json, markdown, html; ``factuality_mode`` standard or
        verified. The service checks all of them, so that values newer than this package work.

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
        key = idempotency_key if idempotency_key is not None else str(uuid.uuid4())
        _require_visible_ascii("idempotency_key", key)
        constraints = _given(
            maxWords=max_words,
            minWords=min_words,
            maxSections=max_sections,
            includeFAQs=include_faqs,
            includeInternalLinksPlaceholders=include_internal_links_placeholders,
            keywordUsageStrategy=keyword_usage_strategy,
        )
        types = None if response_types is None else _listed("response_types", response_types)
        body = _given(
            keywords=_listed("keywords", keywords),
            topic=topic,
            language=language,
            region=region,
            tone=tone,
            targetAudience=target_audience,
            brandVoice=brand_voice,
            industry=industry,
            targetUrl=target_url,
            constraints=constraints or None,
            format=None if types is None else {"responseTypes": types},
            factualityMode=factuality_mode,
            clientProvidedRequestId=client_provided_request_id,
        )
        try:
            return self._transport.call(
                "POST",
                "/v1/generate",
                Generation.from_wire,
                retry=True,
                read_timeout=self._timeout or GENERATE_TIMEOUT_S,
                json=body,
                headers={"Idempotency-Key": key},
            )
        except CopydeskError as error:
            error.idempotency_key = key
            raise

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


def _given(**fields: Any) -> dict[str, Any]:
    return {name: value for name, value in fields.items() if value is not None}


def _listed(name: str, values: Sequence[str]) -> list[str]:
    if isinstance(values, str):  # a str is a sequence of str, one for each letter
        raise ConfigurationError(f"{name} must be a list of strings, such as [{values!r}]")
    return list(values)


def _require_visible_ascii(name: str, value: str) -> None:
    # What a header cannot carry would come back in an exception of requests, value and all.
    if not value or not all("!" <= char <= "~" for char in value):
        raise ConfigurationError(f"{name} must be one or more visible ASCII characters, no spaces")
