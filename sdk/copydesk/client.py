"""The clients of the service: generation, jobs and usage, blocking and async."""

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Unpack

from copydesk._address import Address, service_address
from copydesk._calls import Call, Calls, OnProgress, checked_seconds, is_visible_ascii, key_or_new
from copydesk._transport import AsyncClient, AsyncTransport, Client, Transport
from copydesk.errors import ConfigurationError
from copydesk.jobs import AsyncJobs, Jobs
from copydesk.models import CheckReport, Generation, Usage
from copydesk.request import GenerateRequest, Strings, check_body, generate_body

if TYPE_CHECKING:
    import httpx2

DEFAULT_BASE_URL = "http://127.0.0.1:8000"
# A small model on a small machine writes for minutes.
GENERATE_TIMEOUT_S = 600.0


class _ServiceCalls(Calls):
    """The options of a client, and the calls that it makes with them."""

    _address: Address

    def _configure(
        self, api_key: str | None, base_url: str | None, timeout: float | None, max_retries: int
    ) -> str:
        """Check and keep the options; return the API key."""
        key = (api_key or os.environ.get("COPYDESK_API_KEY", "")).strip()
        if not key:
            raise ConfigurationError("no API key: set COPYDESK_API_KEY or pass api_key")
        if not is_visible_ascii(key):
            source = "api_key" if api_key else "COPYDESK_API_KEY"
            raise ConfigurationError(
                f"{source} has a character that no key has: was the example copied?"
            )
        self._address = service_address(
            base_url or os.environ.get("COPYDESK_BASE_URL") or DEFAULT_BASE_URL, key
        )
        self._set_options(timeout, max_retries)
        return key

    def _generate(
        self,
        idempotency_key: str | None,
        timeout: float | None,
        on_progress: OnProgress | None,
        request: GenerateRequest,
    ) -> Call[Generation]:
        body = generate_body(request, "idempotency_key", "timeout", "on_progress")
        key = key_or_new(idempotency_key)
        return Call(
            "POST",
            "/v1/generate",
            Generation.from_wire,
            timeout=checked_seconds("timeout", timeout) or self._timeout or GENERATE_TIMEOUT_S,
            retries=self._max_retries,
            key=key,
            body=body,
            headers={"Idempotency-Key": key},
            on_progress=on_progress,
        )

    def _check(
        self,
        text: str,
        title: str | None,
        language: str | None,
        keywords: Strings | None,
        timeout: float | None,
    ) -> Call[CheckReport]:
        body = check_body(text, title, language, keywords)
        timeout = checked_seconds("timeout", timeout)
        return self._short("POST", "/v1/check", CheckReport.from_wire, body=body, timeout=timeout)

    def _usage(self) -> Call[Usage]:
        return self._short("GET", "/v1/usage", Usage.from_wire)

    def __repr__(self) -> str:
        return f"{type(self).__name__}(base_url={self._address.shown!r})"


class Copydesk(_ServiceCalls, Client):
    """A client of one service with one API key. Safe to use from several threads.

    ``jobs`` has the calls for posts in the background: see ``help("copydesk.Jobs")``.

    ``api_key`` falls back to the environment's COPYDESK_API_KEY, ``base_url`` to COPYDESK_BASE_URL
    and then to http://127.0.0.1:8000.
    ``timeout`` is the time of one call in seconds, retries included; by default 600 for
    ``generate`` and 180 for the rest, of which an attempt has 30.
    ``max_retries`` is the number of retries after a transient failure: no connection, no or an
    incomplete response, 408, 429 with Retry-After, or 5xx. Responses with x-should-retry: false are
    final. With an idempotency key in force, a proxy's 502, 503 or 504, a broken connection and a
    409 while the first attempt still runs mean that the work goes on: ``generate`` and
    ``jobs.create`` then ask again until their time is over, without counting.
    ``proxy`` is the address of a proxy, including its password if it needs one. It falls back to
    COPYDESK_PROXY; "" means no proxy. HTTPS_PROXY and ~/.netrc are not read.
    ``headers`` are sent with every request. ``transport`` is a transport of httpx2 to use instead
    of the client's own, for instance one with client certificates; ``proxy`` then has no effect.

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
        *,
        headers: Mapping[str, str] | None = None,
        transport: "httpx2.BaseTransport | None" = None,
    ) -> None:
        key = self._configure(api_key, base_url, timeout, max_retries)
        self._transport = Transport(self._address, proxy, transport, headers, key)
        self.jobs: Jobs = Jobs(self._transport, self._timeout, self._max_retries)

    def generate(
        self,
        *,
        idempotency_key: str | None = None,
        timeout: float | None = None,
        on_progress: OnProgress | None = None,
        **request: Unpack[GenerateRequest],
    ) -> Generation:
        """Write a post, check and revise it, and return it.

        Only ``keywords`` is required; None means absent. The service checks the values, so newer
        values work with this package.

        - ``keywords``: 1 to 20 phrases that the post must cover.
        - ``topic``, ``target_audience``, ``brand_voice``, ``industry``: free text.
        - ``language``: a BCP 47 code such as en; ``region``: an ISO 3166-1 code such as US.
        - ``tone``: professional, friendly or bold.
        - ``target_url``: the page that the post is for.
        - ``max_words``, ``min_words``: of all text below the title; ``max_sections``: of the body.
        - ``include_faqs``, ``include_internal_links_placeholders``: False by default.
        - ``keyword_usage_strategy``: natural, balanced or exact.
        - ``response_types``: any of json, markdown, html; markdown and html by default.
        - ``factuality_mode``: standard or verified.
        - ``client_provided_request_id``: a reference of your own.

        ``idempotency_key`` (at most 255 characters) is generated if you give none. It is the same
        on every retry: the post is generated and billed once. A later call with the same key and
        the same arguments returns the same post. If the call fails, the key is in
        ``error.idempotency_key``.

        ``timeout`` replaces that of the client for this call. ``on_progress`` is called with a
        ``Progress`` each time the request is sent again.

        Raises:
            ValidationError: an argument is wrong; ``details`` say which.
            QualityError: the post still breaks a rule after the last revision.
            ProhibitedInputError: the model declined.
            RateLimitError, QuotaExceededError: the plan's limits.
            APIConnectionError, ServerError: no response, or a failure, after all retries.
        """
        return self._transport.run(self._generate(idempotency_key, timeout, on_progress, request))

    def check(
        self,
        text: str,
        *,
        title: str | None = None,
        language: str | None = None,
        keywords: Strings | None = None,
        timeout: float | None = None,
    ) -> CheckReport:
        """Check a Markdown text of your own, without a model, and return the findings.

        It counts as a request and costs no words. ``title`` is the title if it is not the first
        heading of the text. ``language`` is a BCP 47 code; by default that of the text if it is
        certain, else en. ``keywords`` (up to 20) must be used, the first one in the title.

        Raises:
            ValidationError: an argument is wrong; ``details`` say which. Or the text is too long:
                the request has at most 64 KiB.
            RateLimitError, QuotaExceededError: the plan's limits.
            APIConnectionError, ServerError: no response, or a failure, after all retries.
        """
        return self._transport.run(self._check(text, title, language, keywords, timeout))

    def usage(self) -> Usage:
        """Return the plan, its limits and the usage of the current billing period.

        Raises:
            AuthenticationError: the API key is not valid.
            APIConnectionError, ServerError: no response, or a failure, after all retries.
        """
        return self._transport.run(self._usage())


class AsyncCopydesk(_ServiceCalls, AsyncClient):
    """``Copydesk`` for ``async`` code: the same options, calls and errors, with ``await``.

    For one event loop; asyncio and trio both work. ``transport`` is an async one of httpx2.

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
        *,
        headers: Mapping[str, str] | None = None,
        transport: "httpx2.AsyncBaseTransport | None" = None,
    ) -> None:
        key = self._configure(api_key, base_url, timeout, max_retries)
        self._transport = AsyncTransport(self._address, proxy, transport, headers, key)
        self.jobs: AsyncJobs = AsyncJobs(self._transport, self._timeout, self._max_retries)

    async def generate(
        self,
        *,
        idempotency_key: str | None = None,
        timeout: float | None = None,
        on_progress: OnProgress | None = None,
        **request: Unpack[GenerateRequest],
    ) -> Generation:
        """Write a post, check and revise it, and return it, as ``Copydesk.generate`` does."""
        call = self._generate(idempotency_key, timeout, on_progress, request)
        return await self._transport.run(call)

    async def check(
        self,
        text: str,
        *,
        title: str | None = None,
        language: str | None = None,
        keywords: Strings | None = None,
        timeout: float | None = None,
    ) -> CheckReport:
        """Check a Markdown text and return the findings, as ``Copydesk.check`` does."""
        call = self._check(text, title, language, keywords, timeout)
        return await self._transport.run(call)

    async def usage(self) -> Usage:
        """Return the plan, its limits and the usage, as ``Copydesk.usage`` does."""
        return await self._transport.run(self._usage())
