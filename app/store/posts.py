"""The signature of every post, under its bands. Each function runs inside the caller's transaction.

A ``scope`` is the id of what posts must differ within: a token, or an account.
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

from app.store.models import ID, Band, Signature

# Only the posts that share most bands are compared, and only the newest of each band are looked at:
# the cost must not grow with an archive of posts that are all somewhat similar.
_MAX_CANDIDATES = 50
_MAX_ROWS_OF_A_BAND = 50


def lock_scope(session: Session, scope: str) -> None:
    """Keep other posts of the scope from being stored until this transaction ends: two concurrent
    transactions would not see each other's post, and both posts could be the same.

    Call it before any row is locked: then nobody waits for this lock while holding a row that its
    holder needs. It does not lock the scope's own row, because each pull would wait for that.
    """
    if session.get_bind().dialect.name == "postgresql":
        key = blake2b(b"posts " + scope.encode(), digest_size=8).digest()
        session.execute(select(func.pg_advisory_xact_lock(int.from_bytes(key, signed=True))))


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


def add(session: Session, scope: str, post_id: str, signature: bytes, bands: Iterable[int]) -> None:
    """Store the signature of a post, under its bands."""
    signed = insert(Signature).values(post_id=post_id, scope=scope, signature=signature)
    session.execute(signed)
    _add_bands(session, scope, post_id, bands)


def _add_bands(session: Session, scope: str, post_id: str, bands: Iterable[int]) -> None:
    rows = [{"scope": scope, "band": band, "post_id": post_id} for band in sorted(bands)]
    session.execute(insert(Band), rows)


def delete_bands(session: Session, scope: str, post_id: str, bands: Iterable[int]) -> None:
    """Let other posts of the scope repeat a post, which has these bands. Its signature stays: to
    delete it, the database would look through all bands for those that refer to it."""
    mine = (Band.scope == scope) & (Band.post_id == post_id)
    session.execute(delete(Band).where(mine, Band.band.in_(sorted(bands))))


def replace(
    session: Session, scope: str, post_id: str, signature: bytes, bands: Iterable[int]
) -> None:
    """Store another signature of a post whose bands were deleted."""
    mine = update(Signature).where(Signature.post_id == post_id)
    session.execute(mine.values(signature=signature))
    _add_bands(session, scope, post_id, bands)
