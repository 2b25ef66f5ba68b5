"""Select the pages that a post may use as sources: relevant and of sufficient quality; for
current events, also fresh and from independent sites."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import zip_longest

from app.rules.identify import page_language
from app.rules.languages import primary_subtag
from app.rules.near_duplicates import NEAR_DUPLICATE, sign, similarity
from app.rules.words import fold, stem, word_count
from app.sources.source import Source

# Allows for different clocks and time zones; dates further ahead are rejected.
_AHEAD = timedelta(hours=24)
MIN_WORDS = 150
MIN_MAIN_SHARE = 0.15
MIN_RELEVANCE = 0.6
MAX_SOURCES = 6
PAGES_PER_SITE = 2
# Enough to recognize a copy or the subject; a page may be a book.
_JUDGED_WORDS = 1000
_LEAD_WORDS = 100


@dataclass(frozen=True)
class Demand:
    """What a post needs of its sources.

    A current event needs two independent sites with pages published within ``fresh_for``; any other
    post has no such limit, and needs one site.
    """

    keywords: tuple[str, ...]
    language: str
    fresh_for: timedelta | None = None

    @property
    def sites(self) -> int:
        return 1 if self.fresh_for is None else 2


def objection(source: Source, demand: Demand, now: datetime) -> str | None:
    """Return why the post may not use a page, as the rest of a sentence about the page, or None."""
    if demand.fresh_for and (stale := _staleness(source.published_at, demand.fresh_for, now)):
        return stale
    words = word_count(source.text)
    if words < MIN_WORDS:
        return f"has {words} words, fewer than {MIN_WORDS}"
    if source.main_share < MIN_MAIN_SHARE:
        return f"is mostly navigation: {source.main_share:.0%} of its words are its text"
    spoken = page_language(source.text, source.language)
    if spoken != primary_subtag(demand.language):
        return f"is in {spoken or 'an unknown language'}, not in {primary_subtag(demand.language)}"
    found = relevance(source.title, source.text, demand.keywords, demand.language)
    if found < MIN_RELEVANCE:
        return f"is about something else: relevance {found:.2f}, less than {MIN_RELEVANCE:.2f}"
    return None


def _staleness(published_at: datetime | None, fresh_for: timedelta, now: datetime) -> str | None:
    if published_at is None:
        return "does not say when it was published"
    if published_at > now + _AHEAD:
        return "says that it is from the future"
    if published_at < now - fresh_for:
        hours = fresh_for.total_seconds() / 3600
        return f"was published on {published_at:%Y-%m-%d}, more than {hours:g} hours ago"
    return None


def relevance(title: str, text: str, keywords: Sequence[str], language: str) -> float:
    """Return how relevant a page is to the keywords, from 0 to 1.

    Half of it is the share of the primary keyword's words in the title or the first 100 words, half
    the share of all keywords' words in the title or the first 1,000. Words are compared by their
    stems; words of one or two Latin letters only count if the keyword has no others.
    """
    wanted = [_stems(_telling(keyword), language) for keyword in keywords]
    words = fold(_beginning(f"{title}\n{text}")).split()
    lead = _stems(words[: _LEAD_WORDS + len(fold(title).split())], language)
    whole = _stems(words, language)
    every = frozenset().union(*wanted)
    if not every or not wanted[0]:
        return 0.0
    return 0.5 * len(wanted[0] & lead) / len(wanted[0]) + 0.5 * len(every & whole) / len(every)


def _telling(keyword: str) -> Sequence[str]:
    words = fold(keyword).split()
    return [word for word in words if len(word) > 2 or not word.isascii()] or words


def _stems(words: Iterable[str], language: str) -> frozenset[str]:
    return frozenset(stem(word, language) for word in words)


def _beginning(text: str) -> str:
    """Return about the first 1,000 words, or about as much text in scripts without spaces."""
    return " ".join(text[: 12 * _JUDGED_WORDS].split()[:_JUDGED_WORDS])


def shortlist(found: Sequence[Sequence[str]], site: Callable[[str], str], limit: int) -> list[str]:
    """Return the URLs to read, at most ``limit``: the best of each search in turn.

    From the third URL of a site on, they come last.
    """
    turns = (url for row in zip_longest(*found) for url in row if url is not None)
    of_site: dict[str, int] = {}
    first: list[str] = []
    later: list[str] = []
    for url in dict.fromkeys(turns):
        name = site(url)
        of_site[name] = of_site.get(name, 0) + 1
        (first if of_site[name] <= PAGES_PER_SITE else later).append(url)
    return (first + later)[:limit]


def selected(sources: Sequence[Source], demand: Demand) -> tuple[list[Source], dict[str, Source]]:
    """Return at most six sources, the most relevant first, and the original of each copy by URL.

    Of syndicated copies only the earliest is used, as it is most likely the original. At most two
    pages of a site are used.
    """
    kept: list[tuple[Source, bytes]] = []
    copies: dict[str, Source] = {}
    for source in sorted(sources, key=_age):
        signature = sign(_beginning(source.text))
        original = next(
            (one for one, known in kept if similarity(signature, known) >= NEAR_DUPLICATE), None
        )
        if original is None:
            kept.append((source, signature))
        else:
            copies[source.url] = original
    ranked = sorted(
        (source for source, _ in kept),
        key=lambda one: -relevance(one.title, one.text, demand.keywords, demand.language),
    )
    return _of_many_sites(ranked), copies


def _of_many_sites(ranked: Sequence[Source]) -> list[Source]:
    """Return the first six, but the best of each site before the second best of any."""
    of_site: dict[str, list[Source]] = {}
    for source in ranked:
        of_site.setdefault(source.site, []).append(source)
    rounds = zip_longest(*(of[:PAGES_PER_SITE] for of in of_site.values()))
    chosen = [source for row in rounds for source in row if source is not None][:MAX_SOURCES]
    return sorted(chosen, key=ranked.index)


def _age(source: Source) -> tuple[bool, float, str]:
    published = source.published_at
    return (published is None, published.timestamp() if published else 0.0, source.url)


def shortfall(sources: Sequence[Source], demand: Demand) -> str | None:
    """Return what is missing, as a sentence, or None if the sources are sufficient."""
    sites = {source.site for source in sources}
    if len(sites) >= demand.sites:
        return None
    if not sites:
        return "No usable source was found."
    return f"Only {sites.pop()} reports it: a current event needs two independent sites."
