"""Send webhooks, to the public internet only."""

import ssl
import time
from collections.abc import Mapping

from app.adapters.stated_times import retry_after
from app.core.addresses import web_target
from app.ports import WebhookAnswer, WebhookSender

_HEADERS = {"content-type": "application/json", "accept-encoding": "identity"}


class HttpWebhookSender(WebhookSender):
    """Delivers webhooks over HTTP. Safe to call from several threads.

    Args:
        allow_private: also send over http and to private addresses, for development and tests.
        timeout_seconds: for one whole attempt, from resolving the name to the end of the answer.
        ssl_context: the trusted certificate authorities; the system's if None.
    """

    def __init__(
        self,
        allow_private: bool,
        timeout_seconds: float = 15.0,
        *,
        ssl_context: ssl.SSLContext | None = None,
    ) -> None:
        self._allow_private, self._ssl_context = allow_private, ssl_context
        self._timeout_seconds = timeout_seconds

    def send(self, url: str, headers: Mapping[str, str], body: bytes) -> WebhookAnswer:
        # Loaded with the first webhook: every command has a sender, and few send anything.
        from app.adapters.bounded_http import VERSION, Guard, Request, Unreachable, exchange

        deadline = time.monotonic() + self._timeout_seconds
        guard = Guard(self._allow_private, self._ssl_context)
        try:
            target = web_target(url, self._allow_private, https_only=True)
        except ValueError as problem:
            return WebhookAnswer(problem=f"The webhook's URL {problem}.")
        given = {name.lower(): value for name, value in headers.items()} | _HEADERS
        given["user-agent"] = f"Copydesk-Webhooks/{VERSION}"
        # The status counts even if the rest of the answer never comes: the receiver has decided,
        # and would get the same webhook twice.
        request = Request("POST", given, body, discard=True)
        try:
            answer = exchange(target, request, guard, deadline=deadline, max_bytes=0)
        except TimeoutError:
            return WebhookAnswer(
                problem=f"{target.site} gave no answer within {self._timeout_seconds:g} seconds."
            )
        except Unreachable as problem:
            return WebhookAnswer(problem=str(problem))
        return WebhookAnswer(answer.status, retry_after(answer.headers.get("retry-after", "")))
