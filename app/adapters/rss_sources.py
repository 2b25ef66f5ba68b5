"""Finds pages in RSS and Atom feeds, and among pages, that the operator has listed."""

import time
from calendar import timegm
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import UTC, datetime
from io import BytesIO
from threading import Lock
from typing import Any

import feedparser

from app.adapters.pages import HTML, PAGE_SECONDS, Fetched, HttpPageReader
from app.core.sourcing import relevance
from app.ports import Hit, PageRefused, SourceProvider, SourcesUnavailable

_FEED = frozenset(
    f"{kind}/{name}"
    for kind in ("application", "text")
    for name in ("rss+xml", "atom+xml", "rdf+xml", "xml")
)
_MAX_ENTRIES = 500
_KEPT_SECONDS = 600.0
_THREADS = 4


@dataclass(frozen=True)
class _Entry:
    hit: Hit
    summary: str
    always: bool = False


class RssSources(SourceProvider):
    """A SourceProvider. A feed is read at most every ten minutes by a process.

    Args:
        urls: feeds, or pages that are offered for every query.
        reader: fetches them, behind its guard and as robots.txt allows.
    """

    name = "feeds"

    def __init__(self, urls: Sequence[str], reader: HttpPageReader) -> None:
        self._urls = urls
        self._reader = reader
        self._known: dict[str, tuple[float, Sequence[_Entry]]] = {}
        self._lock = Lock()

    def search(self, query: str, language: str, limit: int) -> Sequence[Hit]:
        """The entries with most of the query's words first, newer ones before older ones; those
        with none of them are left out."""
        pool = ThreadPoolExecutor(_THREADS, "sources-feeds")
        answers = list(pool.map(self._entries, self._urls))
        pool.shutdown()
        problems = [answer for answer in answers if isinstance(answer, str)]
        if problems and len(problems) == len(answers):
            raise SourcesUnavailable(f"No feed can be read: {problems[0]}")
        ranked = []
        entries = [entry for answer in answers if not isinstance(answer, str) for entry in answer]
        for entry in entries:
            share = relevance(entry.hit.title, entry.summary, [query], language)
            at = entry.hit.published_at
            if share > 0 or entry.always:
                ranked.append((-share, -(at.timestamp() if at else 0.0), entry.hit))
        ranked.sort(key=lambda row: row[:2])
        return [hit for _, _, hit in ranked][:limit]

    def _entries(self, url: str) -> Sequence[_Entry] | str:
        """What a feed has, or the sentence why it has not been read."""
        with self._lock:
            until, entries = self._known.get(url, (0.0, ()))
        if time.monotonic() < until:
            return entries
        try:
            fetched = self._reader.fetch(url, _FEED | HTML, PAGE_SECONDS)
        except PageRefused as refused:
            return str(refused)
        except TimeoutError:
            return "There was no time for it."
        entries = list(_read(fetched))
        with self._lock:
            self._known[url] = (time.monotonic() + _KEPT_SECONDS, entries)
        return entries


def _read(fetched: Fetched) -> Iterator[_Entry]:
    kind = f"{fetched.type}; charset={fetched.charset}" if fetched.charset else fetched.type
    # As a stream: a string, feedparser would take for the name of a file or a URL.
    feed: Any = feedparser.parse(
        BytesIO(fetched.body),
        response_headers={"content-type": kind, "content-location": fetched.url},
        sanitize_html=False,
    )
    if not feed.get("version"):
        if fetched.type in HTML:
            # A page of its own: whether it is about a query shows when it is read.
            yield _Entry(Hit(fetched.url, ""), "", always=True)
        return
    for entry in feed.entries[:_MAX_ENTRIES]:
        link = entry.get("link", "")
        if not link.startswith(("http://", "https://")) or link == fetched.url:
            continue
        at = entry.get("published_parsed") or entry.get("updated_parsed")
        yield _Entry(
            Hit(link, entry.get("title", ""), _moment(at)),
            entry.get("summary", ""),
        )


def _moment(parsed: Any) -> datetime | None:
    try:
        return datetime.fromtimestamp(timegm(parsed), UTC) if parsed else None
    except (ValueError, OverflowError, OSError, TypeError):
        return None
