"""The cache of pages: the text of each, or the reason it was not read."""

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from datetime import datetime
from hashlib import sha256
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from app.ports import PageRefused
from app.sources.source import Page
from app.store.models import SourcePage
from app.store.rows import insert_of


@dataclass(frozen=True)
class Read:
    """The result of reading a page: the page, or why it was not read."""

    fetched_at: datetime
    outcome: Page | PageRefused


def known(session: Session, urls: Iterable[str], fetched_after: datetime) -> Mapping[str, Read]:
    """Return the cached results for pages that are not older than a time."""
    rows = session.scalars(
        select(SourcePage).where(
            SourcePage.hash.in_([_hash(url) for url in urls]),
            SourcePage.fetched_at > fetched_after,
        )
    )
    return {
        row.url: Read(
            row.fetched_at,
            _from_json(row.page) if row.page else PageRefused(row.problem or ""),
        )
        for row in rows
    }


def store(session: Session, results: Mapping[str, Read]) -> None:
    """Store the results of pages in place of earlier ones."""
    rows = [
        {"hash": _hash(url), "url": url, "fetched_at": read.fetched_at, **_columns(read.outcome)}
        for url, read in results.items()
    ]
    # In one order, so that two callers wait for each other at most once.
    rows.sort(key=lambda row: str(row["hash"]))
    insert = insert_of(session.get_bind().dialect.name)(SourcePage)
    newer = {name: insert.excluded[name] for name in ("fetched_at", "page", "problem")}
    session.execute(insert.on_conflict_do_update(index_elements=["hash"], set_=newer), rows)


def _columns(outcome: Page | PageRefused) -> dict[str, Any]:
    if isinstance(outcome, PageRefused):
        return {"page": None, "problem": str(outcome)}
    return {"page": _to_json(outcome), "problem": None}


def _hash(url: str) -> str:
    return sha256(url.encode()).hexdigest()


def _to_json(page: Page) -> dict[str, Any]:
    published_at = page.published_at.isoformat() if page.published_at else None
    return {**asdict(page), "published_at": published_at}


def _from_json(value: Mapping[str, Any]) -> Page:
    published_at = value["published_at"]
    time = datetime.fromisoformat(published_at) if published_at else None
    return Page(**{**value, "published_at": time})
