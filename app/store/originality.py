"""Signatures of posts and their bands, and what a rule wrote before. Each function runs inside the
caller's transaction.

A ``scope`` is the id of what posts must differ within: a token, or an account.
"""

from collections.abc import Iterable, Sequence
from hashlib import blake2b

from sqlalchemy import func, insert, select
from sqlalchemy.orm import Session

from app.core.angles import ANGLES
from app.store.feed_tables import BandRow, ItemRow, SignatureRow

# Those that share most bands are most alike: an archive of posts that are all a little alike must
# not be compared as a whole.
_MAX_CANDIDATES = 50


def one_at_a_time(session: Session, scope: str) -> None:
    """Let no other post of the scope be stored before this transaction ends: neither would see the
    other, and both could be the same.

    Take it before any row: then nobody waits for it while holding what its holder needs. It is no
    lock on the scope's own row, for which each pull would wait.
    """
    if session.get_bind().dialect.name == "postgresql":
        key = blake2b(b"posts " + scope.encode(), digest_size=8).digest()
        session.execute(select(func.pg_advisory_xact_lock(int.from_bytes(key, signed=True))))


def candidates(session: Session, scope: str, bands: Iterable[int]) -> Sequence[tuple[str, bytes]]:
    """The posts of the scope that share a band, with their signatures; at most 50, those that
    share most first."""
    sharing = (
        select(BandRow.post_id)
        .where(BandRow.scope == scope, BandRow.band.in_(sorted(bands)))
        .group_by(BandRow.post_id)
        .order_by(func.count().desc(), BandRow.post_id)
        .limit(_MAX_CANDIDATES)
    )
    posts = list(session.scalars(sharing))
    if not posts:
        return []
    signed = select(SignatureRow.post_id, SignatureRow.signature)
    return [
        (row.post_id, row.signature)
        for row in session.execute(signed.where(SignatureRow.post_id.in_(posts)))
    ]


def add(session: Session, scope: str, post_id: str, signature: bytes, bands: Iterable[int]) -> None:
    """Store the signature of a post, under its bands."""
    session.execute(insert(SignatureRow).values(post_id=post_id, scope=scope, signature=signature))
    session.execute(
        insert(BandRow),
        [{"scope": scope, "band": band, "post_id": post_id} for band in sorted(bands)],
    )


def earlier_angles(session: Session, rule_id: str, limit: int = len(ANGLES)) -> tuple[str, ...]:
    """The angles of a rule's newest items, the newest first; items without one are left out."""
    newest = (
        select(ItemRow.angle)
        .where(ItemRow.rule_id == rule_id)
        .order_by(ItemRow.generated_at.desc())
        .limit(limit)
    )
    return tuple(angle for angle in session.scalars(newest) if angle is not None)
