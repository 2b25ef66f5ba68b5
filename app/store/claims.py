"""The ledger of claims: what the posts of a feed or an account say, under keys.

Each function runs inside the caller's transaction. A ``scope`` is the id of a feed or an account.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cache

from sqlalchemy import Select, and_, insert, select
from sqlalchemy.orm import Session

from app.core.facts.ledger import Claim
from app.store.models import ClaimKey, PostClaim
from app.store.newest import newest_under

# The newest of each key, so that the cost does not grow with the posts that share one.
_MAX_OF_A_KEY = 10
_MAX_CLAIMS = 200
# Posts ask for no more; the number of keys is rounded up, so that few queries are compiled.
_MAX_KEYS = 240
_STEP = 24


@dataclass(frozen=True)
class EarlierClaim:
    """A claim of an earlier post, with the title of that post."""

    title: str
    claim: Claim


def add(
    session: Session,
    scope: str,
    post: tuple[str, str],
    claims: Iterable[Claim],
    now: datetime,
) -> None:
    """Store the claims of a post; ``post`` is its id and title."""
    post_id, title = post
    rows, keys = [], []
    for number, claim in enumerate(claims):
        rows.append({
            "post_id": post_id, "number": number, "title": title, "kind": claim.kind,
            "low": claim.low, "high": claim.high, "sentence": claim.sentence,
            "language": claim.language, "created_at": now,
        })  # fmt: skip
        of_claim = {"scope": scope, "post_id": post_id, "number": number}
        keys += [{**of_claim, "key": key} for key in dict.fromkeys(claim.keys)]
    if rows:
        session.execute(insert(PostClaim), rows)
        session.execute(insert(ClaimKey), keys)


def find(session: Session, scope: str, keys: Iterable[int]) -> Sequence[EarlierClaim]:
    """Return the newest claims of the scope under these keys, in one query; at most 200."""
    asked = sorted(set(keys))[:_MAX_KEYS]
    if not asked:
        return []
    count = -(-len(asked) // _STEP) * _STEP
    asked += [asked[-1]] * (count - len(asked))
    named = {f"key_{number}": key for number, key in enumerate(asked)}
    return [
        EarlierClaim(
            row.title,
            Claim((), row.kind, row.low, row.high, row.sentence, row.language),
        )
        for row in session.execute(_under(count), {"scope": scope, **named})
    ]


@cache
def _under(count: int) -> Select[str, str, float, float, str, str]:
    """Return the query for the claims under ``count`` keys: key_0, key_1 …"""
    columns = ClaimKey.post_id, ClaimKey.number
    keyed = newest_under(ClaimKey, ClaimKey.key, columns, count, _MAX_OF_A_KEY)
    found = keyed.distinct().limit(_MAX_CLAIMS).subquery()
    of_claim = and_(PostClaim.post_id == found.c.post_id, PostClaim.number == found.c.number)
    return (
        select(
            PostClaim.title, PostClaim.kind, PostClaim.low, PostClaim.high, PostClaim.sentence,
            PostClaim.language,
        )
        .join(found, of_claim)
        .order_by(PostClaim.post_id.desc(), PostClaim.number)
    )  # fmt: skip
