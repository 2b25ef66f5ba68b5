"""Evidence: the scores and sources of posts, stored for the operator to look up."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from sqlalchemy.orm import Session

from app.core.schemas.times import wire_time
from app.core.sources.source import Source
from app.core.text import shortened
from app.services.pipeline import Written
from app.services.sources import without_user
from app.store import models
from app.store import posts as store
from app.store.database import reading

_MAX_SHOWN = 20
_MAX_SENTENCE_CHARS = 300
_MAX_FINDINGS = 100


def save_evidence(
    session: Session, post_id: str, account_id: str, written: Written, now: datetime
) -> None:
    """Store the score and the sources of a post in the transaction that stores the post."""
    coverage = [
        {
            "claim": each.claim,
            "kind": each.kind.value,
            "section": each.section,
            "url": without_user(each.url) if each.url else None,
            "sentence": shortened(each.sentence, _MAX_SENTENCE_CHARS),
            "sites": list(each.sites),
            "against": [without_user(url) for url in each.against],
        }
        for each in written.coverage
    ]
    sources = [_source(source) for source in written.sources]
    score = {
        "total": written.score.total,
        "parts": written.score.parts,
        "findings": [
            {**found.to_wire(), "reason": shortened(found.reason, _MAX_SENTENCE_CHARS)}
            for found in written.warnings[:_MAX_FINDINGS]
        ],
    }
    columns = {"post_id": post_id, "account_id": account_id, "score": score}
    store.add_evidence(session, now, sources=sources, coverage=coverage, **columns)


def find(post_id: str) -> Sequence[models.Evidence]:
    """Return the evidence of the posts with an id, newest first.

    Its ``coverage`` has each claim with the URL of the source that supports it, or None, and the
    sentence there that does. ``score`` has the total, the parts and the warnings that were left
    (``findings``). Evidence of versions before 3.1 has no ``score``.
    """
    with reading() as session:
        return store.newest_evidence(session, post_id, _MAX_SHOWN)


def _source(source: Source) -> dict[str, Any]:
    published = source.published_at
    return {
        "url": without_user(source.url),
        "title": source.title,
        "publishedAt": wire_time(published) if published else None,
        "fetchedAt": wire_time(source.fetched_at),
    }
