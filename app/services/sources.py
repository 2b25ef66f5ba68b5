"""Sources for a post: whether it needs any, and how they are searched for, read, judged and cached.

One time limit covers everything: a page that is late is refused, and the rest is used.
"""

import logging
import time
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from hashlib import sha256
from math import inf
from typing import Any

from pydantic import TypeAdapter
from sqlalchemy import select

from app.core.addresses import web_target
from app.core.errors import ContentQualityFailed, SourcesUnreachable
from app.core.schemas.request import FactualityMode, GenerateRequest
from app.deadline import Deadline
from app.logs import in_context
from app.ports import (
    Hit,
    PageReader,
    PageRefused,
    PageUnavailable,
    SourceProvider,
    SourcesUnavailable,
)
from app.rules.identify import page_language
from app.sources.current_events import asks_for_news
from app.sources.selection import Demand, objection, selected, shortfall, shortlist
from app.sources.source import Source, canonical, shown
from app.sources.text import bounded, bounded_title
from app.store.database import reading, writing
from app.store.models import SourcePage
from app.store.rows import insert_of

log = logging.getLogger(__name__)

MAX_PAGES = 12
_HITS = 10
_KEYWORDS_IN_A_QUERY = 3
_MAX_URL_CHARS = 2048
# Follows “… needs sources to check against.”
NO_SOURCES = "This service has none."
NO_PROVIDER = (
    "No sources are configured. Name them in the console under More, Settings, or set"
    " COPYDESK_SOURCE_FEEDS, COPYDESK_SEARXNG_URL, COPYDESK_BRAVE_API_KEY or"
    " COPYDESK_TAVILY_API_KEY."
)
_MAX_REFUSED = 20
_CACHED_FOR = timedelta(hours=1)
_SOURCE = TypeAdapter(Source)
_LATE = "It was not read before the time was up."


@dataclass(frozen=True)
class Research:
    """Where sources come from.

    ``seconds`` limit one gathering; ``fresh_for`` is the maximum age of a current event's sources.
    """

    providers: Sequence[SourceProvider]
    reader: PageReader
    seconds: float = 60.0
    fresh_for: timedelta = timedelta(hours=72)


@dataclass(frozen=True)
class Unusable:
    """A page that was not read, or on which no post may rely; ``reason`` is a sentence, and ``url``
    has no query."""

    url: str
    reason: str


@dataclass(frozen=True)
class Gathered:
    """The result of a gathering.

    Args:
        sources: the usable sources, most relevant first.
        refused: the pages that cannot be used.
        shortfall: a sentence on what is missing; unless it is None, a post that needs sources must
            not be written.
        unreachable: no search could be made, so nothing is known about what exists.
        problems: sentences on failed searches, only for the operator.
    """

    sources: tuple[Source, ...] = ()
    refused: tuple[Unusable, ...] = ()
    shortfall: str | None = None
    unreachable: bool = False
    problems: tuple[str, ...] = ()


def needs_sources(request: GenerateRequest, *, current_event: bool) -> str | None:
    """Return the field because of which a post needs sources; None if it needs none."""
    if current_event:
        return "currentEvent"
    if request.factuality_mode is FactualityMode.VERIFIED:
        return "factualityMode"
    return "keywords" if asks_for_news(request) else None


def find_sources(
    research: Research | None,
    request: GenerateRequest,
    now: datetime,
    deadline: Deadline,
    *,
    current_event: bool,
) -> tuple[Source, ...]:
    """Return sources for a post.

    A post that must rely on sources fails without enough of them. Another post gets what can be
    found, possibly nothing.

    Raises:
        SourcesUnreachable: no search could be made.
        GenerationTimeout, GenerationCancelled: the deadline.
        ContentQualityFailed: there are not enough usable sources; details list the refused ones.
    """
    gathered = Gathered(shortfall=NO_SOURCES, problems=(NO_PROVIDER,))
    if research is not None:
        gathered = gather(
            research,
            request,
            now,
            current_event=current_event or asks_for_news(request),
            seconds=deadline.left(),
        )
        deadline.left()  # raises if sources are missing because the time was up
    field = needs_sources(request, current_event=current_event)
    if field is not None:
        _require(gathered, field)
    return gathered.sources


def _require(gathered: Gathered, field: str) -> None:
    """Raise unless a post that must rely on sources has enough of them."""
    if gathered.unreachable:
        raise SourcesUnreachable(
            "No search for sources could be made. Try again later.",
            operator=" ".join(("No search for sources could be made.", *gathered.problems)),
        )
    if gathered.shortfall is None:
        return
    is_verified = field == "factualityMode"
    why = "factualityMode verified" if is_verified else "A post about current events"
    refused = [{"source": each.url, "reason": each.reason} for each in gathered.refused]
    message = f"{why} needs sources to check against. {gathered.shortfall}"
    raise ContentQualityFailed(
        message,
        {"field": field, "refusedSources": refused[:_MAX_REFUSED]},
        operator=" ".join((message, *gathered.problems)),
    )


def gather(
    research: Research,
    request: GenerateRequest,
    now: datetime,
    *,
    current_event: bool,
    seconds: float = inf,
) -> Gathered:
    """Find pages about the keywords of a request, and return those that a post may rely on.

    Takes at most ``seconds`` or ``research.seconds``, whichever is less, and holds no transaction
    while it waits. Failed searches and pages raise nothing: they are in the result and in the log.
    """
    began, seconds = time.monotonic(), min(seconds, research.seconds)
    until = began + seconds
    fresh_for = research.fresh_for if current_event else None
    demand = Demand(request.keywords, request.language, fresh_for)
    # A third of the time at most: the results must still be read.
    answers, problems = _search(research.providers, demand, began + seconds / 3)
    urls = shortlist([list(found) for found in answers], research.reader.site, MAX_PAGES)
    refused: list[Unusable] = []
    dates: dict[str, datetime | None] = {}
    for found in answers:
        for url, published_at in found.items():
            dates[url] = _older(dates.get(url), published_at)
    # Two addresses can lead to one page: it is judged once, by the oldest of all its dates.
    pages: dict[str, Source] = {}
    results = _read(research, urls, now, until)
    for url in urls:
        page = results[url]
        if isinstance(page, PageRefused):
            refused.append(Unusable(shown(url), str(page)))
            continue
        pages.setdefault(page.url, page)
        dates[page.url] = _older(dates.get(page.url), dates.get(url), page.published_at)
    usable: list[Source] = []
    for page in pages.values():
        source = _source(page, dates[page.url])
        if reason := objection(source, demand, now):
            refused.append(Unusable(shown(page.url), f"It {reason}."))
        else:
            usable.append(source)
    chosen, copies = selected(usable, demand)
    refused += [
        Unusable(shown(url), f"It says what {shown(original.url)} says.")
        for url, original in copies.items()
    ]
    gathered = Gathered(
        sources=tuple(chosen),
        refused=tuple(refused),
        shortfall=shortfall(chosen, demand),
        unreachable=not answers,
        problems=tuple(problems),
    )
    _log(gathered)
    return gathered


def _search(
    providers: Sequence[SourceProvider], demand: Demand, until: float
) -> tuple[list[Mapping[str, datetime | None]], list[str]]:
    """Return the answer of each search that succeeded, and sentences on those that failed. An
    answer has the canonical URLs that were found with their dates, best first; possibly none."""
    query = " ".join(demand.keywords[:_KEYWORDS_IN_A_QUERY])
    pool = ThreadPoolExecutor(len(providers), "sources-search")
    searches = [
        pool.submit(in_context(provider.search), query, demand.language, _HITS)
        for provider in providers
    ]
    found: list[Mapping[str, datetime | None]] = []
    problems = []
    for provider, search in zip(providers, searches, strict=True):
        try:
            found.append(_by_url(search.result(timeout=max(0.0, until - time.monotonic()))))
        except SourcesUnavailable as problem:
            problems.append(str(problem))
        except TimeoutError:
            problems.append(f"{provider.name} did not answer before the time was up.")
        except Exception:  # a bug in one search must not cost the others' results
            log.exception("a search failed")
            problems.append(f"{provider.name} could not be asked because of an internal error.")
    pool.shutdown(wait=False, cancel_futures=True)
    return found, problems


def _by_url(hits: Sequence[Hit]) -> Mapping[str, datetime | None]:
    found: dict[str, datetime | None] = {}
    for hit in hits:
        try:
            url = canonical(hit.url)
            # The reader decides whether it may be read; a non-URL may not even be storable.
            web_target(url, allow_private=True)
        except ValueError:
            continue
        if len(url) <= _MAX_URL_CHARS:
            found.setdefault(url, hit.published_at)
    return found


def _read(
    research: Research, urls: Sequence[str], now: datetime, until: float
) -> Mapping[str, Source | PageRefused]:
    """Return the result of each page: the cached one, or what can be read in time."""
    known = _known(urls, now - _CACHED_FOR)
    # A thread per page: pages of a slow host wait for each other, and no other page for them.
    pool = ThreadPoolExecutor(MAX_PAGES, "sources-read")
    running = {
        pool.submit(in_context(_fetch), research.reader, url, now, until): url
        for url in urls
        if url not in known
    }
    done, _ = wait(running, max(0.0, until - time.monotonic()))
    pool.shutdown(wait=False, cancel_futures=True)
    read = {
        url: call.result() if call in done else PageUnavailable(_LATE)
        for call, url in running.items()
    }
    # A page that is unavailable for a moment must not be refused to other posts.
    lasting = {url: each for url, each in read.items() if not isinstance(each, PageUnavailable)}
    if lasting:
        _keep(lasting, now)
    return {**known, **read}


def _known(urls: Sequence[str], fetched_after: datetime) -> Mapping[str, Source | PageRefused]:
    """Return the cached results for pages that are not older than a time: a page, or why it was not
    read."""
    pages = select(SourcePage).where(SourcePage.hash.in_([_hash(url) for url in urls]))
    with reading() as session:
        rows = session.scalars(pages.where(SourcePage.fetched_at > fetched_after)).all()
    return {
        row.url: _SOURCE.validate_python({**row.page, "fetched_at": row.fetched_at})
        if row.page
        else PageRefused(row.problem or "")
        for row in rows
    }


def _keep(results: Mapping[str, Source | PageRefused], now: datetime) -> None:
    """Store the results of pages in place of earlier ones."""
    # In one order, so that two callers wait for each other at most once.
    rows = [
        {"hash": _hash(url), "url": url, "fetched_at": now, **_columns(results[url])}
        for url in sorted(results, key=_hash)
    ]
    with writing() as session:
        insert = insert_of(session.get_bind().dialect.name)(SourcePage)
        newer = {name: insert.excluded[name] for name in ("fetched_at", "page", "problem")}
        session.execute(insert.on_conflict_do_update(index_elements=["hash"], set_=newer), rows)


def _columns(result: Source | PageRefused) -> Mapping[str, Any]:
    if isinstance(result, PageRefused):
        return {"page": None, "problem": str(result)}
    page = _SOURCE.dump_python(result, mode="json", exclude={"fetched_at"})
    return {"page": page, "problem": None}


def _hash(url: str) -> str:
    return sha256(url.encode()).hexdigest()


def _fetch(reader: PageReader, url: str, now: datetime, until: float) -> Source | PageRefused:
    """Return the page, or why it was not read."""
    try:
        return Source(**vars(reader.read(url, until - time.monotonic())), fetched_at=now)
    except PageRefused as refused:
        return refused
    except Exception:
        # A page that triggers a bug must cost us that page and not the post.
        log.exception("a page could not be read")
        return PageUnavailable("It could not be read because of an internal error.")


def _source(page: Source, published_at: datetime | None) -> Source:
    text = bounded(page.text)
    return replace(
        page,
        title=bounded_title(page.title),
        text=text,
        language=page_language(text, page.language) or page.language,
        published_at=published_at,
    )


def _older(*dates: datetime | None) -> datetime | None:
    """Return the oldest of these dates: searches often give the day of the last change."""
    return min((date for date in dates if date is not None), default=None)


def _log(gathered: Gathered) -> None:
    log.info(
        "sources: %d usable of %d sites, %d refused%s",
        len(gathered.sources),
        len({source.site for source in gathered.sources}),
        len(gathered.refused),
        f": {gathered.shortfall}" if gathered.shortfall else "",
    )
    for problem in gathered.problems:
        log.warning("a search failed: %s", problem)
    for refused in gathered.refused:
        log.info("source refused: %s: %s", refused.url, refused.reason)
