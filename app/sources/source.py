"""Pages, their addresses, and those that a post may use as a source."""

from dataclasses import dataclass, field
from datetime import datetime
from urllib.parse import parse_qsl, urlencode, urlsplit

DEFAULT_SOURCE_TOKENS = 12_000
"""What the sources of a prompt may have where the endpoint does not tell how much it reads."""
_TRACKING = ("utm_", "fbclid", "gclid", "mc_cid", "mc_eid", "igshid")


@dataclass(frozen=True)
class Page:
    """The content of a web page as plain text. It is untrusted: data, never instructions.

    ``text`` has Markdown's headings, lists and tables, and a blank line between its blocks.
    ``url`` is the final one, after redirects, and ``site`` the registered part of its host
    (`example.co.uk` for `news.example.co.uk`): two pages of one site count as one source.
    ``published_at`` is None if the page has no date. Times are aware and in UTC. ``language`` is
    the primary subtag that the page declares, such as `en`, or "". ``main_share`` is the share of
    its visible words that are in ``text``, from 0 to 1.
    """

    url: str
    site: str
    title: str
    text: str
    language: str
    published_at: datetime | None
    main_share: float = field(default=1.0, kw_only=True)


@dataclass(frozen=True)
class Source(Page):
    """A page that a post may use as a source; ``language`` is that of its text."""

    fetched_at: datetime


def canonical(url: str) -> str:
    """Return a URL without its fragment and tracking parameters, so that each page has one.

    Raises:
        ValueError: it cannot be parsed.
    """
    parts = urlsplit(url)
    given = parse_qsl(parts.query, keep_blank_values=True)
    kept = [pair for pair in given if not pair[0].lower().startswith(_TRACKING)]
    # Re-encoded only if something is removed: servers differ in the spellings they accept.
    query = parts.query if kept == given else urlencode(kept)
    return parts._replace(netloc=parts.netloc.lower(), query=query, fragment="").geturl()


def shown(url: str) -> str:
    """Return a URL for logs: without user, query and fragment."""
    return urlsplit(without_user(url))._replace(query="", fragment="").geturl()


def without_user(url: str) -> str:
    """Return a URL without its user name and password."""
    parts = urlsplit(url)
    return parts._replace(netloc=parts.netloc.rpartition("@")[2]).geturl()
