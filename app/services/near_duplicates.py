"""Finding an earlier post of the same feed or account that a post repeats."""

from dataclasses import dataclass

from sqlalchemy.orm import Session

from app.core.errors import ContentQualityFailed
from app.rules.finding import Finding, Severity
from app.rules.near_duplicates import NEAR_DUPLICATE, bands, similarity
from app.store import posts as store


@dataclass(frozen=True)
class Likeness:
    """An earlier post, and its estimated similarity from 0 to 1."""

    post_id: str
    similarity: float


class NearDuplicate(Exception):
    """An earlier post of the scope says the same."""

    def __init__(self, likeness: Likeness) -> None:
        super().__init__(likeness.post_id)
        self.likeness = likeness


def nearest(session: Session, scope: str, signature: bytes) -> Likeness | None:
    """Return the most similar post of the scope if it is a near-duplicate.

    Costs two statements, however many posts there are.
    """
    likenesses = (
        Likeness(post_id, similarity(signature, earlier))
        for post_id, earlier in store.candidates(session, scope, bands(signature))
    )
    most = max(likenesses, key=lambda each: each.similarity, default=None)
    return most if most and most.similarity >= NEAR_DUPLICATE else None


def save_signature(session: Session, scope: str, post_id: str, signature: bytes) -> None:
    """Store the signature of a post, in the transaction that stores the post, after
    ``store.lock_scope``.

    Raises:
        NearDuplicate: the post repeats an earlier one.
    """
    if likeness := nearest(session, scope, signature):
        raise NearDuplicate(likeness)
    store.add(session, scope, post_id, signature, bands(signature))


class NothingNew(ContentQualityFailed):
    """From every angle that was tried, the post repeats an earlier one."""


def too_alike(likeness: Likeness, angles: int) -> NothingNew:
    """Return the error of a post that repeats an earlier one from every angle."""
    how = f"similarity {likeness.similarity:.2f}, less than {NEAR_DUPLICATE:.2f} is allowed"
    tried = f"{angles} angle{'s' * (angles != 1)}"
    reason = (
        f"Written from {tried}, the post still repeats {likeness.post_id} ({how}). Request another"
        " topic or angle."
    )
    finding = Finding("originality", Severity.BLOCKER, "post", reason).to_wire()
    details = {"postId": likeness.post_id, "similarity": round(likeness.similarity, 3)}
    return NothingNew(reason, {"findings": [{**finding, **details}]})
