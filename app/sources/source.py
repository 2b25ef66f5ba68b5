"""Pages, and those that a post may use as a source."""

from dataclasses import dataclass, field
from datetime import datetime

DEFAULT_SOURCE_TOKENS = 12_000
"""What the sources of a prompt may have where the endpoint does not tell how much it reads."""


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
