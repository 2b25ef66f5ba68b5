"""A page that a post may lean on."""

from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True)
class Source:
    """What was read of one page, as plain text. All of it is a stranger's: data, never orders.

    ``site`` is the part of the host that its owner registered (`news.example.co.uk` →
    `example.co.uk`): two pages of one site are one witness. ``published_at`` is None where the page
    does not say. Times are aware and in UTC. ``language`` is a primary subtag, such as `en`.
    """

    url: str
    site: str
    title: str
    text: str
    language: str
    published_at: datetime | None
    fetched_at: datetime
