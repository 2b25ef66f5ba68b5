"""What verified posts stand on: kept with them, for the operator to look up."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from app.core.metering import wire_time
from app.core.source import Source
from app.services.pipeline import Written
from app.services.source_urls import without_user
from app.store.database import reading
from app.store.ids import new_id
from app.store.source_tables import EvidenceRow

_MAX_SHOWN = 20


@dataclass(frozen=True)
class Evidence:
    """Of one post: ``sources`` that it was written from, and in ``coverage`` each of its claims
    with the URL of the source that has it, or None."""

    created_at: datetime
    sources: Sequence[dict[str, Any]]
    coverage: Sequence[dict[str, Any]]


def keep(session: Session, post_id: str, account_id: str, written: Written, now: datetime) -> None:
    """Write down what a post stands on, in the transaction that stores the post; nothing where it
    needed no sources."""
    if not written.sources:
        return
    coverage = [
        {
            "claim": each.claim,
            "kind": each.kind.value,
            "section": each.section,
            "url": without_user(each.url) if each.url else None,
            "sites": list(each.sites),
            "against": [without_user(url) for url in each.against],
        }
        for each in written.coverage
    ]
    session.add(
        EvidenceRow(
            id=new_id("evd"),
            post_id=post_id,
            account_id=account_id,
            created_at=now,
            sources=[_source(source) for source in written.sources],
            coverage=coverage,
        )
    )


def find(post_id: str) -> list[Evidence]:
    """What the posts of an id stand on, the youngest first."""
    newest = (
        select(EvidenceRow)
        .where(EvidenceRow.post_id == post_id)
        .order_by(EvidenceRow.created_at.desc())
        .limit(_MAX_SHOWN)
    )
    with reading() as session:
        return [
            Evidence(row.created_at, row.sources, row.coverage) for row in session.scalars(newest)
        ]


def _source(source: Source) -> dict[str, Any]:
    published = source.published_at
    return {
        "url": without_user(source.url),
        "title": source.title,
        "publishedAt": wire_time(published) if published else None,
        "fetchedAt": wire_time(source.fetched_at),
    }
