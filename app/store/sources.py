"""The cache of pages: what was read of each, or why not, and who is fetching it just now.

Any number of processes may ask for the same pages at once: each page is fetched by one of them, and
the others find what it read. One that died is replaced when its lease ends.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256
from typing import Any

from sqlalchemy import delete, select, update
from sqlalchemy.orm import Session

from app.ports import Page
from app.store.source_tables import SourcePageRow
from app.store.upsert import insert_if_absent


@dataclass(frozen=True)
class Read:
    """What is known of a page: itself, or the sentence why it was not read."""

    fetched_at: datetime
    page: Page | None
    problem: str | None


@dataclass(frozen=True)
class Claimed:
    """Of the pages that were asked for: what is known, and which of the rest the caller is to
    fetch. What is in neither is being fetched by another."""

    known: Mapping[str, Read]
    mine: Sequence[str]


def known(session: Session, urls: Iterable[str], fetched_after: datetime) -> Mapping[str, Read]:
    """What was read of pages, not before a time."""
    rows = session.scalars(
        select(SourcePageRow).where(
            SourcePageRow.hash.in_([_hash(url) for url in urls]),
            SourcePageRow.fetched_at > fetched_after,
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
) -> Claimed:
    """Take what nobody has read since a time and nobody is fetching."""
    found: dict[str, Read] = {}
    mine: list[str] = []
    # In one order, so that two callers wait for each other at most once.
    for url in sorted(set(urls), key=_hash):
        key = _hash(url)
        insert_if_absent(session, SourcePageRow, hash=key, url=url, touched_at=now)
        query = select(SourcePageRow).where(SourcePageRow.hash == key)
        row = session.scalars(query.with_for_update(key_share=True)).one()
        if row.fetched_at is not None and row.fetched_at > fetched_after:
            found[url] = _read(row)
        elif row.lease_until is None or row.lease_until <= now:
            row.lease_until, row.touched_at = lease_until, now
            mine.append(url)
    return Claimed(found, mine)


def store(session: Session, url: str, now: datetime, outcome: Page | str) -> None:
    """Write down what was read, or the sentence why it was not."""
    page = None if isinstance(outcome, str) else _to_json(outcome)
    problem = outcome if isinstance(outcome, str) else None
    session.execute(
        update(SourcePageRow)
        .where(SourcePageRow.hash == _hash(url))
        .values(fetched_at=now, touched_at=now, lease_until=None, page=page, problem=problem)
    )


def release(session: Session, url: str) -> None:
    """Give back what was taken and could not be fetched in the time that there was."""
    session.execute(
        update(SourcePageRow).where(SourcePageRow.hash == _hash(url)).values(lease_until=None)
    )


def delete_pages(session: Session, before: datetime, limit: int) -> int:
    """Forget pages that nobody touched since a time; how many there were. For retention."""
    oldest = (
        select(SourcePageRow.hash)
        .where(SourcePageRow.touched_at < before)
        .order_by(SourcePageRow.touched_at)
        .limit(limit)
        .with_for_update(skip_locked=True)
    )
    keys = list(session.scalars(oldest))
    if keys:
        session.execute(delete(SourcePageRow).where(SourcePageRow.hash.in_(keys)))
    return len(keys)


def _hash(url: str) -> str:
    return sha256(url.encode()).hexdigest()


def _read(row: SourcePageRow) -> Read:
    assert row.fetched_at is not None  # noqa: S101 - a row without is never read
    return Read(row.fetched_at, _from_json(row.page) if row.page else None, row.problem)


def _to_json(page: Page) -> dict[str, Any]:
    published_at = page.published_at.isoformat() if page.published_at else None
    return {
        "url": page.url,
        "site": page.site,
        "title": page.title,
        "text": page.text,
        "language": page.language,
        "published_at": published_at,
        "main_share": page.main_share,
    }


def _from_json(value: Mapping[str, Any]) -> Page:
    published_at = value["published_at"]
    return Page(
        url=value["url"],
        site=value["site"],
        title=value["title"],
        text=value["text"],
        language=value["language"],
        published_at=datetime.fromisoformat(published_at) if published_at else None,
        main_share=value["main_share"],
    )
