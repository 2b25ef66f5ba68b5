"""What processes do in races for pages."""

from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Any

from app.core.schemas.request import parse_generate_request
from app.services.sources import Research, gather
from app.store import sources as store
from app.store.database import writing
from tests.support.concurrent_processes import connected
from tests.support.listed_provider import ListedPages


def gathers(number: int, url: str, pages: list[str], now: str) -> Iterator[Any]:
    """Gathers from these pages and says which sources it has."""
    # Imported here: it takes a while, and the other processes have no use for it.
    from app.adapters.pages import HttpPageReader

    research = Research([ListedPages(pages)], HttpPageReader(allow_private=True))
    with connected(url):
        found = gather(
            research,
            parse_generate_request({"keywords": ["harbour bridge"]}),
            datetime.fromisoformat(now),
            current_event=False,
        )
        yield sorted(source.url for source in found.sources)


def claims_and_hangs(number: int, url: str, page: str, now: str) -> Iterator[Any]:
    """Takes a page and does nothing with it, until it is killed."""
    at = datetime.fromisoformat(now)
    with connected(url):
        with writing() as session:
            _, mine = store.claim(
                session,
                [page],
                fetched_after=at - timedelta(hours=1),
                now=at,
                lease_until=at + timedelta(seconds=2),
            )
        yield mine
        while True:
            yield "still here"
