"""Finding an earlier post of the same feed or account that a post repeats."""

from sqlalchemy.orm import Session

from app.core.errors import ContentQualityFailed
from app.core.schemas.times import counted
from app.rules.finding import Finding, Severity
from app.rules.near_duplicates import NEAR_DUPLICATE, bands, similarity
from app.store import models
from app.store import posts as store


class NearDuplicate(Exception):
    """An earlier post of the scope says the same; ``similarity`` is estimated, from 0 to 1."""

    def __init__(self, post_id: str, similarity: float) -> None:
        super().__init__(post_id)
        self.post_id, self.similarity = post_id, similarity


def nearest(session: Session, scope: str, signature: bytes) -> NearDuplicate | None:
    """Return the most similar post of the scope if it is a near-duplicate.

    Costs two statements, however many posts there are.
    """
    alike = (
        (similarity(signature, earlier), post_id)
        for post_id, earlier in store.candidates(session, scope, bands(signature))
    )
    most, post_id = max(alike, default=(0.0, ""))
    return NearDuplicate(post_id, most) if most >= NEAR_DUPLICATE else None


def save_signature(session: Session, scope: str, post_id: str, signature: bytes) -> None:
    """Store the signature of a post, in the transaction that stores the post, after
    ``store.lock_scope``.

    Raises:
        NearDuplicate: the post repeats an earlier one.
    """
    if repeated := nearest(session, scope, signature):
        raise repeated
    store.add(session, scope, post_id, signature, bands(signature))


def forget_signature(session: Session, scope: str, post_id: str) -> bool:
    """Let other posts repeat a post, in the transaction that changes it, after
    ``store.lock_scope``; return whether it has a signature."""
    stored = session.get(models.Signature, post_id)
    if stored is not None:
        store.delete_bands(session, scope, post_id, bands(stored.signature))
    return stored is not None


def renew_signature(
    session: Session, scope: str, post_id: str, signature: bytes
) -> NearDuplicate | None:
    """Store the signature of a post that a person has changed, as ``save_signature`` does; return
    the earlier post that it repeats, if any."""
    is_known = forget_signature(session, scope, post_id)
    repeated = nearest(session, scope, signature)
    save = store.replace if is_known else store.add
    save(session, scope, post_id, signature, bands(signature))
    return repeated


class NothingNew(ContentQualityFailed):
    """From every angle that was tried, the post repeats an earlier one."""


def too_alike(repeated: NearDuplicate, angles: int) -> NothingNew:
    """Return the error of a post that repeats an earlier one from every angle."""
    how = f"similarity {repeated.similarity:.2f}, less than {NEAR_DUPLICATE:.2f} is allowed"
    tried = counted(angles, "angle")
    reason = (
        f"Written from {tried}, the post still repeats {repeated.post_id} ({how}). Request another"
        " topic or angle."
    )
    finding = Finding("originality", Severity.BLOCKER, "post", reason).to_wire()
    details = {"postId": repeated.post_id, "similarity": round(repeated.similarity, 3)}
    return NothingNew(reason, {"findings": [{**finding, **details}]})
