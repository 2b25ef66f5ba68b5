"""Finding an earlier post of the same feed or account that a post repeats, and the signatures by
which it is found. Each function runs inside the caller's transaction.

A ``scope`` is the id of what posts must differ within: a feed, or an account.
"""

from collections.abc import Iterable, Sequence
from functools import cache
from hashlib import blake2b

from sqlalchemy import (
    BigInteger,
    Select,
    bindparam,
    delete,
    func,
    insert,
    select,
    union_all,
    update,
)
from sqlalchemy.orm import Session

from app.core.errors import ContentQualityFailed
from app.core.schemas.times import counted
from app.rules.finding import Finding, Severity
from app.rules.near_duplicates import NEAR_DUPLICATE, bands, similarity
from app.store.models import ID, Band, Signature
from app.store.rows import insert_if_absent

# Only the posts that share most bands are compared, and only the newest of each band are looked at:
# the cost must not grow with an archive of posts that are all somewhat similar.
_MAX_CANDIDATES = 50
_MAX_ROWS_OF_A_BAND = 50


class NearDuplicate(Exception):
    """An earlier post of the scope says the same; ``similarity`` is estimated, from 0 to 1."""

    def __init__(self, post_id: str, similarity: float) -> None:
        super().__init__(post_id)
        self.post_id, self.similarity = post_id, similarity


def lock_scope(session: Session, scope: str) -> None:
    """Keep other posts of the scope from being stored until this transaction ends: two concurrent
    transactions would not see each other's post, and both posts could be the same.

    Call it before any row is locked: then nobody waits for this lock while holding a row that its
    holder needs. It does not lock the scope's own row, because each pull would wait for that.
    """
    if session.get_bind().dialect.name == "postgresql":
        key = blake2b(b"posts " + scope.encode(), digest_size=8).digest()
        session.execute(select(func.pg_advisory_xact_lock(int.from_bytes(key, signed=True))))


def nearest(session: Session, scope: str, signature: bytes) -> NearDuplicate | None:
    """Return the most similar post of the scope if it is a near-duplicate.

    Costs two statements, however many posts there are.
    """
    alike = (
        (similarity(signature, earlier), post_id)
        for post_id, earlier in candidates(session, scope, bands(signature))
    )
    most, post_id = max(alike, default=(0.0, ""))
    return NearDuplicate(post_id, most) if most >= NEAR_DUPLICATE else None


def candidates(session: Session, scope: str, bands: Iterable[int]) -> Sequence[tuple[str, bytes]]:
    """Return up to 50 posts of the scope that share a band, with their signatures.

    Those that share most bands are preferred, then the newest. Of each band, its newest 50 posts
    count.
    """
    asked = {f"key_{number}": band for number, band in enumerate(sorted(bands))}
    posts = list(session.scalars(_sharing(len(asked)), {"scope": scope, **asked}))
    if not posts:
        return []
    signed = select(Signature.post_id, Signature.signature)
    return [
        (row.post_id, row.signature)
        for row in session.execute(signed.where(Signature.post_id.in_(posts)))
    ]


@cache
def _sharing(count: int) -> Select[tuple[str]]:
    """Return the query for posts that share one of ``count`` bands.

    Its parameters are scope, key_0, key_1 …
    """
    scope = bindparam("scope", type_=ID)
    # Ids rise with time.
    newest = [
        select(Band.post_id)
        .where(Band.scope == scope, Band.band == bindparam(f"key_{number}", type_=BigInteger))
        .order_by(Band.post_id.desc())
        .limit(_MAX_ROWS_OF_A_BAND)
        .subquery()
        for number in range(count)
    ]
    read = union_all(*map(select, newest)).subquery()
    return (
        select(read.c.post_id)
        .group_by(read.c.post_id)
        .order_by(func.count().desc(), read.c.post_id.desc())
        .limit(_MAX_CANDIDATES)
    )


def save_signature(session: Session, scope: str, post_id: str, signature: bytes) -> None:
    """Store the signature of a post, in the transaction that stores the post, after
    ``lock_scope``.

    Raises:
        NearDuplicate: the post repeats an earlier one.
    """
    if repeated := nearest(session, scope, signature):
        raise repeated
    signed = {"post_id": post_id, "scope": scope, "signature": signature}
    session.execute(insert(Signature.__table__), signed)
    _add_bands(session, scope, post_id, signature)


def _add_bands(session: Session, scope: str, post_id: str, signature: bytes) -> None:
    found = sorted(bands(signature))
    rows = [{"scope": scope, "band": band, "post_id": post_id} for band in found]
    session.execute(insert(Band.__table__), rows)


def forget_signature(session: Session, scope: str, post_id: str) -> None:
    """Let other posts repeat a post, in the transaction that changes it, after ``lock_scope``.

    The signature stays: to delete it, the database would look through all bands for those that
    refer to it."""
    stored = session.get(Signature, post_id)
    if stored is not None:
        mine = (Band.scope == scope) & (Band.post_id == post_id)
        found = sorted(bands(stored.signature))
        session.execute(delete(Band).where(mine, Band.band.in_(found)))


def renew_signature(
    session: Session, scope: str, post_id: str, signature: bytes
) -> NearDuplicate | None:
    """Store the signature of a post that a person has changed, as ``save_signature`` does; return
    the earlier post that it repeats, if any."""
    forget_signature(session, scope, post_id)
    repeated = nearest(session, scope, signature)
    columns = {"post_id": post_id, "scope": scope, "signature": signature}
    if not insert_if_absent(session, Signature, **columns):
        session.execute(update(Signature).where(Signature.post_id == post_id).values(columns))
    _add_bands(session, scope, post_id, signature)
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
