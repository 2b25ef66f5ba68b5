"""The cache of pages: the text of each, or the reason it was not read."""

from collections.abc import Iterable, Mapping
from dataclasses import asdict
from datetime import datetime
from hashlib import sha256
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from app.ports import PageRefused
from app.sources.source import Source
from app.store.models import SourcePage
from app.store.rows import insert_of


def known(
    session: Session, urls: Iterable[str], fetched_after: datetime
) -> Mapping[str, Source | PageRefused]:
    """Return the cached results for pages that are not older than a time: a page, or why it was not
    read."""
    rows = session.scalars(
        select(SourcePage).where(
            SourcePage.hash.in_([_hash(url) for url in urls]),
            SourcePage.fetched_at > fetched_after,
        )
    )
    return {
        row.url: _from_json(row.page, row.fetched_at)
        if row.page
        else PageRefused(row.problem or "")
        for row in rows
    }


def store(session: Session, results: Mapping[str, Source | PageRefused], now: datetime) -> None:
    """Store the results of pages in place of earlier ones."""
    rows = [
        {"hash": _hash(url), "url": url, "fetched_at": now, **_columns(result)}
        for url, result in results.items()
    ]
    # In one order, so that two callers wait for each other at most once.
    rows.sort(key=lambda row: str(row["hash"]))
    insert = insert_of(session.get_bind().dialect.name)(SourcePage)
    newer = {name: insert.excluded[name] for name in ("fetched_at", "page", "problem")}
    session.execute(insert.on_conflict_do_update(index_elements=["hash"], set_=newer), rows)


def _columns(result: Source | PageRefused) -> dict[str, Any]:
    if isinstance(result, PageRefused):
        return {"page": None, "problem": str(result)}
    return {"page": _to_json(result), "problem": None}


def _hash(url: str) -> str:
    return sha256(url.encode()).hexdigest()


def _to_json(page: Source) -> dict[str, Any]:
    published_at = page.published_at.isoformat() if page.published_at else None
    values = {**asdict(page), "published_at": published_at}
    del values["fetched_at"]
    return values


def _from_json(value: Mapping[str, Any], fetched_at: datetime) -> Source:
    published_at = value["published_at"]
    time = datetime.fromisoformat(published_at) if published_at else None
    return Source(**{**value, "published_at": time}, fetched_at=fetched_at)
