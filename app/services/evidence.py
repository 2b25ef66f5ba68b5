"""Evidence: the scores and sources of posts, stored for the operator to look up."""

from datetime import datetime
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from app.core.schemas.times import wire_time
from app.rules.words import shortened
from app.sources.source import Source, without_user
from app.store import models
from app.store.database import reading
from app.store.rows import new_row
from app.writing.pipeline import Written

_MAX_SENTENCE_CHARS = 300
_MAX_FINDINGS = 100


def save_evidence(
    session: Session, post_id: str, account_id: str, written: Written, now: datetime
) -> None:
    """Store the score and the sources of a post in the transaction that stores the post."""
    coverage = [
        {
            "claim": shortened(each.statement, _MAX_SENTENCE_CHARS),
            "url": without_user(each.source.url),
            "sentence": shortened(each.quotation, _MAX_SENTENCE_CHARS),
        }
        for each in written.proofs
    ]
    sources = [_source(source) for source in written.sources]
    score = {
        "total": written.quality.score,
        "mark": written.mark,
        "findings": [
            {**found.to_wire(), "reason": shortened(found.reason, _MAX_SENTENCE_CHARS)}
            for found in written.warnings[:_MAX_FINDINGS]
        ],
    }
    columns = {"post_id": post_id, "account_id": account_id, "score": score, "created_at": now}
    session.add(new_row(models.Evidence, "evd", sources=sources, coverage=coverage, **columns))


def find(post_id: str) -> models.Evidence | None:
    """Return the evidence of a post, None if there is none.

    Its ``coverage`` has the statements that a source supports, each with the URL of the source and
    its words. ``score`` has the total, the reader's mark of 10 or None, and the warnings that were
    left (``findings``).
    """
    with reading() as session:
        return session.scalar(select(models.Evidence).where(models.Evidence.post_id == post_id))


def _source(source: Source) -> dict[str, Any]:
    published = source.published_at
    return {
        "url": without_user(source.url),
        "title": source.title,
        "publishedAt": wire_time(published) if published else None,
        "fetchedAt": wire_time(source.fetched_at),
    }
