"""Asks a search service for JSON, and says in one sentence what went wrong."""

import json
import time
from collections.abc import Iterator, Mapping
from typing import Any, ClassVar

from app.adapters.bounded_http import Bounds, Request, exchange
from app.adapters.guarded_connection import Unreachable
from app.adapters.page_dates import moment
from app.core.addresses import page_target
from app.ports import Hit, SourceProvider, SourcesUnavailable

SEARCH_SECONDS = 15.0
_MAX_BYTES = 2_000_000


class KeyedSearch(SourceProvider):
    """A search service at an address of its own, which wants a key; it is for a class to fill in.

    Args:
        key: what the service knows its customer by.
        api: where it is asked; the service's own address where it is None.
        allow_private: let ``api`` be at a private address, for tests.
    """

    API: ClassVar[str]

    def __init__(self, key: str, *, api: str | None = None, allow_private: bool = False) -> None:
        self._key = key
        self._api = api or self.API
        self._allow_private = allow_private


def ask(
    service: str,
    url: str,
    request: Request,
    *,
    problems: Mapping[int, str],
    allow_private: bool,
) -> dict[str, Any]:
    """The JSON object of a 200.

    Args:
        service: its name, for errors.
        url: where it is asked; nothing of it but scheme and host is in an error.
        problems: what a status means and what to do, as the end of a sentence.
        allow_private: whether it may be at a private address.

    Raises:
        SourcesUnavailable: any other answer, or none.
    """
    try:
        target = page_target(url, allow_private)
    except ValueError as problem:
        raise SourcesUnavailable(f"The address of {service} {problem}.") from None
    deadline = time.monotonic() + SEARCH_SECONDS
    try:
        answer = exchange(
            target,
            request,
            Bounds(deadline, deadline, _MAX_BYTES),
            allow_private=allow_private,
            what="searches are made",
            wanted=lambda status, headers: status == 200,
        )
    except TimeoutError:
        raise SourcesUnavailable(
            f"{service} gave no answer within {SEARCH_SECONDS:g} seconds."
        ) from None
    except Unreachable as problem:
        raise SourcesUnavailable(f"{service}: {problem}") from None
    if answer.status != 200:
        meaning = problems.get(answer.status, "")
        raise SourcesUnavailable(
            f"{service} answered with status {answer.status}{meaning and f': {meaning}'}."
        )
    try:
        said = json.loads(answer.body)
    except (ValueError, RecursionError):
        raise SourcesUnavailable(f"{service} answered something that is not JSON.") from None
    if not isinstance(said, dict):
        raise SourcesUnavailable(f"{service} answered JSON that is not an object.")
    return said


def hits(service: str, results: object, date: str, limit: int) -> list[Hit]:
    """The results with a URL and a title; ``date`` names the member with the date.

    Raises:
        SourcesUnavailable: there is no list of results.
    """
    if not isinstance(results, list):
        raise SourcesUnavailable(f"{service} answered JSON without a list of results.")
    return list(_hits(results, date))[:limit]


def _hits(results: list[object], date: str) -> Iterator[Hit]:
    for result in results:
        if not isinstance(result, dict):
            continue
        url, title = result.get("url"), result.get("title")
        if isinstance(url, str) and url.startswith(("http://", "https://")):
            yield Hit(url, title if isinstance(title, str) else "", moment(result.get(date) or ""))
