"""Sources for a post: searched for, read, judged, and cached.

The deadline holds for all of it: what is not there by then is refused, and the rest is used.
"""

import logging
import time
from collections.abc import Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from app.core.addresses import page_target
from app.core.source import Source
from app.core.source_language import language_of
from app.core.sourcing import Demand, objection, selected, shortfall, shortlist
from app.ports import Hit, Page, PageReader, PageRefused, SourceProvider, SourcesUnavailable
from app.services.source_urls import canonical, shown
from app.store import sources as store
from app.store.database import reading, writing
from app.store.sources import Read

log = logging.getLogger(__name__)

MAX_PAGES = 12
_HITS = 10
_KEYWORDS_IN_A_QUERY = 3
# One for each page: those of a slow host wait for each other, and no other page for them.
_THREADS = MAX_PAGES
_MAX_URL_CHARS = 2048
# Longer than a page takes; who died is replaced after it.
_LEASE = timedelta(seconds=45)
_LOOK_AGAIN_SECONDS = 0.2
NO_PROVIDER = (
    "There is nowhere to look for sources: set COPYDESK_SOURCE_FEEDS, COPYDESK_SEARXNG_URL,"
    " COPYDESK_BRAVE_API_KEY or COPYDESK_TAVILY_API_KEY."
)
_LATE = "was not read before the time was up"


@dataclass(frozen=True)
class Research:
    """Where sources come from and for how long what was read is good.

    ``seconds`` are for all of one gathering; ``fresh_for`` is the age of a current event's sources.
    """

    providers: Sequence[SourceProvider]
    reader: PageReader
    seconds: float = 60.0
    cached_for: timedelta = timedelta(hours=1)
    fresh_for: timedelta = timedelta(hours=72)


@dataclass(frozen=True)
class Refused:
    """A page or a search that was of no use; ``reason`` ends a sentence that begins with it, and
    ``url`` has no query."""

    url: str
    reason: str


@dataclass(frozen=True)
class Gathered:
    """``sources`` are the usable ones, most relevant first. ``shortfall`` is a sentence that says
    what is missing; a post that needs sources must not be written unless it is None.
    ``unreachable``: not one search could be made, which says nothing about what there is."""

    sources: tuple[Source, ...] = ()
    refused: tuple[Refused, ...] = ()
    shortfall: str | None = None
    unreachable: bool = False


def gather(
    research: Research,
    keywords: Sequence[str],
    language: str,
    now: datetime,
    *,
    current_event: bool,
) -> Gathered:
    """Look for pages about the keywords and keep those that a post may lean on.

    Takes at most ``research.seconds`` and holds no transaction while it waits for others. Never
    raises for what happens out there: what was refused, and why, is in the answer and in the log.
    """
    until = time.monotonic() + research.seconds
    demand = Demand(tuple(keywords), language, current_event, research.fresh_for)
    if not research.providers:
        return Gathered(shortfall=NO_PROVIDER)
    refused: list[Refused] = []
    hits = _search(research, demand, until, refused)
    urls = shortlist([list(found) for found in hits], research.reader.site, MAX_PAGES)
    dates: dict[str, datetime | None] = {}
    for found in hits:
        for url, published_at in found.items():
            dates[url] = _older(dates.get(url), published_at)
    usable: list[Source] = []
    for url, read in _Reading(research, now, until).all(urls).items():
        if read is None or read.page is None:
            refused.append(Refused(shown(url), (read.problem if read else None) or _LATE))
            continue
        source = _source(read.page, dates.get(url), read.fetched_at, language)
        if reason := objection(source, read.page.main_share, demand, now):
            refused.append(Refused(shown(url), reason))
        else:
            usable.append(source)
    # Two addresses may lead to one page.
    usable = list({source.url: source for source in usable}.values())
    chosen, copies = selected(usable, demand)
    refused += [
        Refused(shown(url), f"says what {shown(original.url)} says")
        for url, original in copies.items()
    ]
    gathered = Gathered(
        tuple(chosen), tuple(refused), shortfall(chosen, demand), unreachable=not hits
    )
    _log(gathered)
    return gathered


def _search(
    research: Research, demand: Demand, until: float, refused: list[Refused]
) -> list[Mapping[str, datetime | None]]:
    """What each provider found, best first: canonical URLs with their dates."""
    query = " ".join(demand.keywords[:_KEYWORDS_IN_A_QUERY])
    pool = ThreadPoolExecutor(len(research.providers), "sources-search")
    searches = [
        (provider, pool.submit(provider.search, query, demand.language, _HITS))
        for provider in research.providers
    ]
    # A third of the time at most: what was found is still to be read.
    deadline = until - 2 * research.seconds / 3
    found: list[Mapping[str, datetime | None]] = []
    for provider, search in searches:
        try:
            hits = search.result(timeout=max(0.0, deadline - time.monotonic()))
            found.append(_by_url(hits))
        except SourcesUnavailable as problem:
            refused.append(Refused(provider.name, str(problem)))
        except TimeoutError:
            refused.append(Refused(provider.name, "did not answer before the time was up"))
    pool.shutdown(wait=False, cancel_futures=True)
    return found


def _by_url(hits: Sequence[Hit]) -> Mapping[str, datetime | None]:
    found: dict[str, datetime | None] = {}
    for hit in hits:
        try:
            url = canonical(hit.url)
            # Whether it may be read, the reader says; what is none may not even be storable.
            page_target(url, allow_private=True)
        except ValueError:
            continue
        if len(url) <= _MAX_URL_CHARS:
            found.setdefault(url, hit.published_at)
    return found


@dataclass
class _Reading:
    """Reads pages, each from the cache or by whoever takes it first."""

    research: Research
    now: datetime
    until: float
    began: float = field(default_factory=time.monotonic)

    def all(self, urls: Sequence[str]) -> Mapping[str, Read | None]:
        """What is known of each at the end, in the order of the URLs; None for what came late."""
        fetched_after = self.now - self.research.cached_for
        with reading() as session:
            known = dict(store.known(session, urls, fetched_after))
        running: dict[Future[Page | str | None], str] = {}
        pool = ThreadPoolExecutor(_THREADS, "sources-read")
        try:
            while waiting := [url for url in urls if url not in known]:
                left = self.until - time.monotonic()
                if left <= 0:
                    break
                elsewhere = [url for url in waiting if url not in running.values()]
                if elsewhere:
                    known |= self._claim(elsewhere, fetched_after, pool, running)
                busy = len(running) < len([url for url in urls if url not in known])
                timeout = min(left, _LOOK_AGAIN_SECONDS) if busy else left
                if running:
                    done, _ = wait(running, timeout, return_when=FIRST_COMPLETED)
                    known |= self._finish({running.pop(future): future for future in done})
                elif busy:
                    time.sleep(timeout)
        finally:
            pool.shutdown(wait=False, cancel_futures=True)
            for url in running.values():
                self._write(url, None, self._time())
        return {url: known.get(url) for url in urls}

    def _claim(
        self,
        urls: Sequence[str],
        fetched_after: datetime,
        pool: ThreadPoolExecutor,
        running: dict[Future[Page | str | None], str],
    ) -> Mapping[str, Read]:
        with writing() as session:
            claimed = store.claim(
                session,
                urls,
                fetched_after=fetched_after,
                now=self._time(),
                lease_until=self._time() + max(_LEASE, timedelta(seconds=self.research.seconds)),
            )
        for url in claimed.mine:
            running[pool.submit(self._fetch, url)] = url
        return claimed.known

    def _fetch(self, url: str) -> Page | str | None:
        """The page, the sentence why not, or None where there was no time for it."""
        try:
            return self.research.reader.read(url, self.until - time.monotonic())
        except PageRefused as refused:
            return str(refused)
        except TimeoutError:
            return None
        except Exception:
            # A page that trips us up is to cost us that page and not the post.
            log.exception("a page could not be read")
            return "It could not be read: an error of ours, see the log."

    def _finish(self, done: Mapping[str, Future[Page | str | None]]) -> Mapping[str, Read]:
        known: dict[str, Read] = {}
        for url, future in done.items():
            outcome = future.result()
            at = self._time()
            self._write(url, outcome, at)
            problem = outcome if isinstance(outcome, str) else _LATE if outcome is None else None
            page = outcome if isinstance(outcome, Page) else None
            known[url] = Read(at, page, problem)
        return known

    def _write(self, url: str, outcome: Page | str | None, at: datetime) -> None:
        """Each page in a transaction of its own: one that holds several could deadlock with one
        that claims them in another order."""
        with writing() as session:
            if outcome is None:
                store.release(session, url)
            else:
                store.store(session, url, at, outcome)

    def _time(self) -> datetime:
        return self.now + timedelta(seconds=time.monotonic() - self.began)


def _source(
    page: Page, found_as_of: datetime | None, fetched_at: datetime, language: str
) -> Source:
    return Source(
        url=page.url,
        site=page.site,
        title=page.title,
        text=page.text,
        language=language_of(page.text, page.language) or page.language,
        published_at=_older(page.published_at, found_as_of),
        fetched_at=fetched_at,
    )


def _older(one: datetime | None, other: datetime | None) -> datetime | None:
    """Searches often give the day of the last change: the older of two dates is the safer one."""
    return min((time for time in (one, other) if time is not None), default=None)


def _log(gathered: Gathered) -> None:
    log.info(
        "sources: %d usable of %d sites, %d refused%s",
        len(gathered.sources),
        len({source.site for source in gathered.sources}),
        len(gathered.refused),
        f": {gathered.shortfall}" if gathered.shortfall else "",
    )
    for refused in gathered.refused:
        log.info("source refused: %s: %s", refused.url, refused.reason)
