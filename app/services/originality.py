"""Whether a post says what another one of its feed or account says already."""

from dataclasses import dataclass

from sqlalchemy.orm import Session

from app.core.originality import NEAR_DUPLICATE, bands, similarity
from app.store import originality as store


@dataclass(frozen=True)
class Likeness:
    """An earlier post, and how alike it is: an estimate from 0 to 1."""

    post_id: str
    similarity: float


def nearest(session: Session, scope: str, signature: bytes) -> Likeness | None:
    """The post of the scope that is most alike, if one is a near-duplicate.

    Costs two statements, whatever the scope holds.
    """
    likenesses = (
        Likeness(post_id, similarity(signature, earlier))
        for post_id, earlier in store.candidates(session, scope, bands(signature))
    )
    most = max(likenesses, key=lambda likeness: likeness.similarity, default=None)
    return most if most and most.similarity >= NEAR_DUPLICATE else None


def remember(session: Session, scope: str, post_id: str, signature: bytes) -> None:
    """Have later posts of the scope compared with this one, from the end of the transaction on."""
    store.add(session, scope, post_id, signature, bands(signature))
