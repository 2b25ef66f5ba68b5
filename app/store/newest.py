"""The newest posts under each of some keys: bands of a signature, keys of claims."""

from typing import Any

from sqlalchemy import BigInteger, Select, bindparam, func, select, union_all
from sqlalchemy.orm import InstrumentedAttribute, aliased

from app.store.models import ID, Band, ClaimKey


def newest_under(
    table: type[Band | ClaimKey],
    key: InstrumentedAttribute[int],
    columns: tuple[InstrumentedAttribute[Any], ...],
    count: int,
    newest: int,
) -> Select[Any]:
    """Return the query for the rows of a scope that have one of ``count`` keys.

    Of the posts under one key, it reads only the ``newest``: the cost does not grow with the posts
    that share a key, and a key that most posts share does not hide the others. Its parameters are
    scope, key_0, key_1 …

    Args:
        key: the column of the key in the table.
        columns: of the same table, to be selected.
    """
    scope = bindparam("scope", type_=ID)
    names = (bindparam(f"key_{number}", type_=BigInteger) for number in range(count))
    asked = union_all(*(select(name.label("key")) for name in names)).cte("asked")
    other = aliased(table)
    # Ids rise with time.
    oldest_read = (
        select(other.post_id)
        .where(other.scope == scope, getattr(other, key.key) == asked.c.key)
        .order_by(other.post_id.desc())
        .offset(newest - 1)
        .limit(1)
        .scalar_subquery()
    )
    return select(*columns).where(
        table.scope == scope,
        key == asked.c.key,
        table.post_id >= func.coalesce(oldest_read, ""),
    )
