"""When a page was first published, as far as it says so itself.

What a page declares comes first, as it has the time of day; else `htmldate` finds the day. It is
kept from guessing: a year in a footer is no date.
"""

import json
from collections.abc import Iterator
from copy import deepcopy
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any

from htmldate import find_date

_DECLARED = (
    "//meta[@property='article:published_time' or @property='og:article:published_time'"
    " or @itemprop='datePublished' or @name='parsely-pub-date' or @name='citation_date'"
    " or @name='dcterms.created' or @name='DC.date.issued' or @name='publish-date'"
    " or @name='sailthru.date']/@content"
    " | //*[@itemprop='datePublished']/@datetime"
)
_MAX_DEPTH = 6


def published(tree: Any, url: str) -> datetime | None:
    """The earliest date of publication that an lxml tree declares, else the day that is found; a
    day without a time is its beginning. In UTC, where nothing else is said."""
    said = [*map(str, tree.xpath(_DECLARED)), *_linked_data(tree)]
    times = [time for value in said if (time := moment(value))]
    if times:
        return min(times)
    try:
        day = find_date(deepcopy(tree), extensive_search=False, original_date=True, url=url)
    except Exception:  # noqa: BLE001 - a stranger's page may trip any part of a parser
        return None
    return moment(day) if day else None


def moment(value: object) -> datetime | None:
    """A time as the web writes it (ISO 8601, RFC 2822), aware and in UTC; None for others."""
    text = str(value).strip()[:64]
    try:
        found = datetime.fromisoformat(text)
    except ValueError:
        try:
            found = parsedate_to_datetime(text)
        except (ValueError, TypeError, IndexError):
            return None
    try:
        return found.replace(tzinfo=found.tzinfo or UTC).astimezone(UTC)
    except (OverflowError, ValueError):
        return None


def _linked_data(tree: Any) -> Iterator[str]:
    for script in tree.xpath("//script[@type='application/ld+json']"):
        try:
            yield from _dates(json.loads(script.text or ""), _MAX_DEPTH)
        except (ValueError, RecursionError):
            continue


def _dates(value: object, depth: int) -> Iterator[str]:
    """Every datePublished but those of comments and reviews, which come later anyway."""
    if depth == 0:
        return
    if isinstance(value, dict):
        if isinstance(value.get("datePublished"), str):
            yield value["datePublished"]
        for key in ("@graph", "mainEntity", "mainEntityOfPage"):
            yield from _dates(value.get(key), depth - 1)
    elif isinstance(value, list):
        for entry in value[:100]:
            yield from _dates(entry, depth - 1)
