"""Whether a post says what another one of its feed or account says already."""

from dataclasses import dataclass

from sqlalchemy.orm import Session

from app.core.errors import ContentQualityFailed
from app.core.originality import NEAR_DUPLICATE, bands, similarity
from app.core.quality.finding import blocker
from app.store import originality as store


@dataclass(frozen=True)
class Likeness:
    """An earlier post, and how alike it is: an estimate from 0 to 1."""

    post_id: str
    similarity: float


class NearDuplicate(Exception):
    """A post of the scope says the same already."""

    def __init__(self, likeness: Likeness) -> None:
        super().__init__(likeness.post_id)
        self.likeness = likeness


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
    """Store the signature of a post that is like no other, with the post itself in the caller's
    transaction, which has called ``store.one_at_a_time`` before.

    Raises:
        NearDuplicate: there is one that is like it, even if it came this very moment.
    """
    if likeness := nearest(session, scope, signature):
        raise NearDuplicate(likeness)
    store.add(session, scope, post_id, signature, bands(signature))


def too_alike(likeness: Likeness, angles: int) -> ContentQualityFailed:
    """The error of a post that repeats another one from however many angles it is written."""
    reason = (
        f"Written from {angles} angles, the post still repeats {likeness.post_id}"
        f" (similarity {likeness.similarity:.2f}, less than {NEAR_DUPLICATE:.2f} is allowed)."
    )
    finding = blocker("originality", "post", reason).to_wire()
    details = {"similarity": round(likeness.similarity, 3), "postId": likeness.post_id}
    return ContentQualityFailed(reason, {"findings": [{**finding, **details}]})
