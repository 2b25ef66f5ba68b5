"""A page that a post may use as a source."""

from dataclasses import dataclass
from datetime import datetime

DEFAULT_SOURCE_TOKENS = 12_000
"""What the sources of a prompt may have where the endpoint does not tell how much it reads."""


@dataclass(frozen=True)
class Source:
    """The content of a page as plain text. It is untrusted: data, never instructions.

    ``text`` has Markdown's headings, lists and tables, and a blank line between its blocks.
    ``site`` is the registered part of the host (`example.co.uk` for `news.example.co.uk`): two
    pages of one site count as one source. ``published_at`` is None if the page has no date. Times
    are aware and in UTC. ``language`` is a primary subtag, such as `en`.
    """

    url: str
    site: str
    title: str
    text: str
    language: str
    published_at: datetime | None
    fetched_at: datetime
