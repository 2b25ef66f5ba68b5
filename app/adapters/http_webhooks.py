"""Send webhooks, to the public internet only."""

import time
from collections.abc import Mapping

from app.adapters.stated_times import retry_after
from app.core.addresses import web_target
from app.ports import WebhookAnswer

_HEADERS = {"content-type": "application/json", "accept-encoding": "identity"}


def send_webhook(
    url: str,
    headers: Mapping[str, str],
    body: bytes,
    *,
    allow_private: bool,
    timeout_seconds: float = 15.0,
) -> WebhookAnswer:
    """POST a body to a URL once, as a ``WebhookSender``. Safe to call from several threads.

    Args:
        headers: their names are in lower case.
        allow_private: also send over http and to private addresses, for development and tests.
        timeout_seconds: for one whole attempt, from resolving the name to the end of the answer.
    """
    # Loaded with the first webhook: every command can send them, and few do.
    from app.adapters.bounded_http import VERSION, Request, Unreachable, exchange

    deadline = time.monotonic() + timeout_seconds
    try:
        target = web_target(url, allow_private, https_only=True)
    except ValueError as problem:
        return WebhookAnswer(problem=f"The webhook's URL {problem}.")
    given = {**headers, **_HEADERS, "user-agent": f"Copydesk-Webhooks/{VERSION}"}
    # The status counts even if the rest of the answer never comes: the receiver has decided, and
    # would get the same webhook twice.
    request = Request(given, body, discard=True)
    try:
        answer = exchange(target, request, deadline=deadline, max_bytes=0)
    except TimeoutError:
        return WebhookAnswer(
            problem=f"{target.site} gave no answer within {timeout_seconds:g} seconds."
        )
    except Unreachable as problem:
        return WebhookAnswer(problem=str(problem))
    return WebhookAnswer(answer.status, retry_after(answer.headers.get("retry-after", "")))
