"""The archive of an account: what is stored about it, as JSON."""

import json
from collections.abc import Iterator, Sequence
from typing import Any

from app.core.schemas.times import wire_time
from app.services.context import Context
from app.services.lookups import require_account
from app.store import archive as store
from app.store.database import reading

_PAGE = 100


def export_account(context: Context, account_id: str) -> Iterator[str]:
    """Return the archive of an account as pieces of one JSON object, each of at most 100 rows.

    It contains no secrets, and neither the journals of posts nor the signatures that find
    near-duplicates. Rows that are written meanwhile may be missing.

    Raises:
        NotFound: unknown account.
    """
    with reading() as session:
        row = require_account(session, account_id)
        account = {
            "id": row.id,
            "name": row.name,
            "plan": row.plan_id,
            "createdAt": wire_time(row.created_at),
        }
    return _pieces({"exportedAt": wire_time(context.clock.now()), "account": account})


def _pieces(head: dict[str, Any]) -> Iterator[str]:
    yield _dumped(head)[:-1]
    for part in store.parts(head["account"]["id"]):
        yield f",\n{_dumped(part.name)}: ["
        after: Sequence[Any] | None = None
        separator = "\n"
        while True:
            with reading() as session:
                rows = store.page(session, part, after, _PAGE)
            for key, row in rows:
                after = key
                yield f"{separator}{_dumped(row)}"
                separator = ",\n"
            if len(rows) < _PAGE:
                break
        yield "]"
    yield "}\n"


def _dumped(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)
