"""The cache of pages: the text of each, or the reason it was not read."""

from collections.abc import Iterable, Mapping
from datetime import datetime
from hashlib import sha256
from typing import Any

from pydantic import TypeAdapter
from sqlalchemy import select
from sqlalchemy.orm import Session

from app.ports import PageRefused
from app.sources.source import Source
from app.store.models import SourcePage
from app.store.rows import insert_of

_SOURCE = TypeAdapter(Source)


def known(
    session: Session, urls: Iterable[str], fetched_after: datetime
) -> Mapping[str, Source | PageRefused]:
    """Return the cached results for pages that are not older than a time: a page, or why it was not
    read."""
    rows = session.scalars(
        select(SourcePage).where(
            SourcePage.hash.in_([_hash(url) for url in urls]), SourcePage.fetched_at > fetched_after
        )
    )
    return {
        row.url: _SOURCE.validate_python({**row.page, "fetched_at": row.fetched_at})
        if row.page
        else PageRefused(row.problem or "")
        for row in rows
    }


def store(session: Session, results: Mapping[str, Source | PageRefused], now: datetime) -> None:
    """Store the results of pages in place of earlier ones."""
    # In one order, so that two callers wait for each other at most once.
    rows = [
        {"hash": _hash(url), "url": url, "fetched_at": now, **_columns(results[url])}
        for url in sorted(results, key=_hash)
    ]
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
