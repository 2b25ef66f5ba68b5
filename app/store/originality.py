"""Signatures of posts and their bands, and what a rule wrote before. Each function runs inside the
caller's transaction.

A ``scope`` is the id of what posts must differ within: a token, or an account.
"""

from collections.abc import Iterable, Sequence
from functools import cache
from hashlib import blake2b

from sqlalchemy import BigInteger, Select, bindparam, func, insert, select, union_all
from sqlalchemy.orm import Session, aliased

from app.core.angles import ANGLES
from app.store.columns import ID
from app.store.feed_tables import BandRow, ItemRow, SignatureRow

# Those that share most bands are most alike: an archive of posts that are all a little alike must
# not be compared as a whole.
_MAX_CANDIDATES = 50
# Nor be counted as a whole: where one post in twenty is about the same subject, each of those may
# share a band. Only so many rows are read, and of one band only the newest so many, so that a band
# that nearly all share does not hide the others. At least ten bands are read then: two posts that
# are alike by 0.7 have one of them in common with a probability of 0.985, two alike by 0.5 with
# one of 0.74.
_MAX_ROWS = 500
_MAX_ROWS_OF_A_BAND = 50


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
    share most first, of those the newest first. Where very many share one, some are left out."""
    asked = {f"band_{number}": band for number, band in enumerate(sorted(bands))}
    posts = list(session.scalars(_sharing(len(asked)), {"scope": scope, **asked}))
    if not posts:
        return []
    signed = select(SignatureRow.post_id, SignatureRow.signature)
    return [
        (row.post_id, row.signature)
        for row in session.execute(signed.where(SignatureRow.post_id.in_(posts)))
    ]


@cache
def _sharing(count: int) -> Select[tuple[str]]:
    """The posts that share one of so many bands: parameters scope, band_0, band_1 …"""
    scope = bindparam("scope", type_=ID)
    names = (bindparam(f"band_{number}", type_=BigInteger) for number in range(count))
    asked = union_all(*(select(name.label("band")) for name in names)).cte("asked")
    other = aliased(BandRow)
    # Ids rise with time.
    oldest_read = (
        select(other.post_id)
        .where(other.scope == scope, other.band == asked.c.band)
        .order_by(other.post_id.desc())
        .offset(_MAX_ROWS_OF_A_BAND - 1)
        .limit(1)
        .scalar_subquery()
    )
    read = (
        select(BandRow.post_id)
        .where(
            BandRow.scope == scope,
            BandRow.band == asked.c.band,
            BandRow.post_id >= func.coalesce(oldest_read, ""),
        )
        .limit(_MAX_ROWS)
        .subquery()
    )
    return (
        select(read.c.post_id)
        .group_by(read.c.post_id)
        .order_by(func.count().desc(), read.c.post_id.desc())
        .limit(_MAX_CANDIDATES)
    )


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
