"""The cache of pages: the text of each or the reason it was not read, and who is fetching it.

Any number of processes may request the same pages at once: one of them fetches each page, and the
others use its result. If that process dies, another takes over when its lease ends.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from hashlib import sha256
from typing import Any

from sqlalchemy import select, update
from sqlalchemy.orm import Session

from app.ports import Page
from app.store.models import SourcePage
from app.store.rows import insert_if_absent


@dataclass(frozen=True)
class Read:
    """The cached result for a page: the page, or a sentence that says why it was not read."""

    fetched_at: datetime
    page: Page | None
    problem: str | None


def known(session: Session, urls: Iterable[str], fetched_after: datetime) -> Mapping[str, Read]:
    """Return the cached results for pages that are not older than a time."""
    rows = session.scalars(
        select(SourcePage).where(
            SourcePage.hash.in_([_hash(url) for url in urls]),
            SourcePage.fetched_at > fetched_after,
        )
    )
    return {row.url: _read(row) for row in rows}


def claim(
    session: Session,
    urls: Iterable[str],
    *,
    fetched_after: datetime,
    now: datetime,
    lease_until: datetime,
) -> tuple[Mapping[str, Read], Sequence[str]]:
    """Claim the pages that have not been read since a time and that nobody is fetching.

    Return the cached results, and the pages that the caller must fetch. Pages in neither are being
    fetched by another process.
    """
    found: dict[str, Read] = {}
    mine: list[str] = []
    lease = lease_until - now
    # In one order, so that two callers wait for each other at most once.
    for url in sorted(set(urls), key=_hash):
        key = _hash(url)
        insert_if_absent(session, SourcePage, hash=key, url=url, touched_at=now)
        query = select(SourcePage).where(SourcePage.hash == key)
        row = session.scalars(query.with_for_update(key_share=True)).one()
        if row.fetched_at is not None and row.fetched_at > fetched_after:
            found[url] = _read(row)
        # A longer lease was stored by a clock that was wrong.
        elif row.lease_until is None or not now < row.lease_until <= lease_until + lease:
            row.lease_until, row.touched_at = lease_until, now
            mine.append(url)
    return found, mine


def store(session: Session, url: str, now: datetime, outcome: Page | str | None) -> None:
    """Release a claimed page; store it, or the sentence that says why it was not read.

    Stores nothing if there was no time to read it (None).
    """
    values: dict[str, Any] = {"lease_until": None}
    if outcome is not None:
        page = None if isinstance(outcome, str) else _to_json(outcome)
        problem = outcome if isinstance(outcome, str) else None
        values |= {"fetched_at": now, "touched_at": now, "page": page, "problem": problem}
    session.execute(update(SourcePage).where(SourcePage.hash == _hash(url)).values(values))


def _hash(url: str) -> str:
    return sha256(url.encode()).hexdigest()


def _read(row: SourcePage) -> Read:
    assert row.fetched_at is not None  # noqa: S101 - a row without is never read
    return Read(row.fetched_at, _from_json(row.page) if row.page else None, row.problem)


def _to_json(page: Page) -> dict[str, Any]:
    published_at = page.published_at.isoformat() if page.published_at else None
    return {**asdict(page), "published_at": published_at}


def _from_json(value: Mapping[str, Any]) -> Page:
    published_at = value["published_at"]
    time = datetime.fromisoformat(published_at) if published_at else None
    return Page(**{**value, "published_at": time})
