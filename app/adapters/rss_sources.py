"""Find pages in the RSS and Atom feeds, and among the pages, that the operator has listed."""

import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor

from app.adapters.bounded_http import Answer
from app.adapters.page_process import read_page
from app.adapters.pages import HTML, PAGE_SECONDS, HttpPageReader
from app.adapters.stated_times import moment
from app.logs import in_context
from app.ports import Hit, PageRefused, SourceProvider, SourcesUnavailable
from app.sources.selection import relevance

_FEED = frozenset(
    f"{kind}/{name}"
    for kind in ("application", "text")
    for name in ("rss+xml", "atom+xml", "rdf+xml", "xml")
)
_KEPT_SECONDS = 600.0
_THREADS = 4


# A page and its summary; None for a page that is returned for every query.
_Entry = tuple[Hit, str | None]


class RssSources(SourceProvider):
    """The operator's list. Each process reads a feed at most every ten minutes.

    Args:
        urls: feeds, or pages, which are returned for every query.
        reader: fetches them.
    """

    name = "feeds"

    def __init__(self, urls: Sequence[str], reader: HttpPageReader) -> None:
        self._urls = urls
        self._reader = reader
        self._known: dict[str, tuple[float, Sequence[_Entry]]] = {}

    def search(self, query: str, language: str, limit: int) -> Sequence[Hit]:
        """Return entries ordered by the number of matching query words, then newest first.

        Entries that match no word are left out.
        """
        pool = ThreadPoolExecutor(_THREADS, "sources-feeds")
        answers = list(pool.map(in_context(self._entries), self._urls))
        pool.shutdown()
        problems = [answer for answer in answers if isinstance(answer, str)]
        if problems and len(problems) == len(answers):
            raise SourcesUnavailable(f"No feed can be read: {problems[0]}")
        ranked = []
        entries = (each for answer in answers if not isinstance(answer, str) for each in answer)
        for hit, summary in entries:
            share = relevance(hit.title, summary or "", [query], language)
            if share > 0 or summary is None:
                at = hit.published_at
                ranked.append((-share, -(at.timestamp() if at else 0.0), hit))
        ranked.sort(key=lambda row: row[:2])
        return [hit for _, _, hit in ranked][:limit]

    def _entries(self, url: str) -> Sequence[_Entry] | str:
        """Return the entries of a feed, or a sentence that says why it could not be read."""
        until, entries = self._known.get(url, (0.0, ()))
        if time.monotonic() < until:
            return entries
        try:
            entries = list(_read(*self._reader.fetch(url, _FEED | HTML, PAGE_SECONDS)))
        except PageRefused as refused:
            return str(refused)
        self._known[url] = (time.monotonic() + _KEPT_SECONDS, entries)
        return entries


def _read(url: str, answer: Answer) -> Iterator[_Entry]:
    kind, charset = answer.content_type
    found = read_page("feed", answer.body, PAGE_SECONDS, media_type=kind, charset=charset, url=url)
    if found is None:
        if kind in HTML:
            # An ordinary page: whether it is about the query shows when it is read.
            yield Hit(url, ""), None
        return
    for entry in found:
        yield Hit(entry["url"], entry["title"], moment(entry["published_at"])), entry["summary"]
