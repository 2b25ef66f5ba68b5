"""Plans, accounts, keys and tokens. Each function runs inside the caller's transaction."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from datetime import date, datetime
from typing import Any

from sqlalchemy import ColumnElement, Connection, Row, Select, bindparam, select, update
from sqlalchemy.orm import Session

from app.core.metering import Consumed
from app.core.plan import Plan
from app.store import idempotency
from app.store.feed_tables import RuleRow, TokenMonthRow, TokenRow
from app.store.idempotency import Use
from app.store.rules import hold_back_paused
from app.store.tables import AccountRow, KeyRow, PlanRow, UsageDayRow, UsageMonthRow


@dataclass(frozen=True)
class Caller:
    """Who a request comes from; what the key used of its day and the account of its month."""

    account_id: str
    key_id: str
    plan: Plan
    revoked: bool
    used_today: int
    consumed: Consumed


def _caller_query(*, with_key: bool = False) -> Select[Any]:
    """All that there is to know of a caller, in one statement on primary keys: it runs on every
    request, so it is built once, and of tables, which costs less than of mapped classes.

    ``with_key`` also gives what became of an idempotency key, which a repeated request asks next.
    """
    key, account, plan, day, month = (
        table.__table__ for table in (KeyRow, AccountRow, PlanRow, UsageDayRow, UsageMonthRow)
    )
    joined = (
        key.join(account, account.c.id == key.c.account_id)
        .join(plan, plan.c.id == account.c.plan_id)
        .outerjoin(day, (day.c.key_id == key.c.id) & (day.c.day == bindparam("today")))
        .outerjoin(
            month,
            (month.c.account_id == account.c.id) & (month.c.period_start == bindparam("period")),
        )
    )
    used: Sequence[ColumnElement[Any]] = ()
    if with_key:
        joined = joined.outerjoin(idempotency.TABLE, idempotency.is_key_of(account.c.id))
        used = idempotency.COLUMNS
    return (
        select(
            *(plan.c[field.name] for field in fields(Plan)),
            *used,
            key.c.account_id,
            key.c.id.label("key_id"),
            key.c.revoked_at,
            day.c.used,
            month.c.words,
            month.c.posts,
            month.c.requests,
            month.c.reserved_words,
        )
        .select_from(joined)
        .where(key.c.hash == bindparam("key_hash"))
    )


_CALLER = _caller_query()
_CALLER_WITH_KEY = _caller_query(with_key=True)
_PLAN_COLUMNS = len(fields(Plan))


def plan_of(row: PlanRow) -> Plan:
    return Plan(
        id=row.id,
        name=row.name,
        monthly_words=row.monthly_words,
        max_words_per_request=row.max_words_per_request,
        requests_per_minute=row.requests_per_minute,
        requests_per_day=row.requests_per_day,
        priority_processing=row.priority_processing,
        team_seats=row.team_seats,
    )


def find_plan(session: Session, plan_id: str) -> Plan | None:
    row = session.get(PlanRow, plan_id)
    return plan_of(row) if row else None


def plans(session: Session) -> Sequence[Plan]:
    rows = session.scalars(select(PlanRow).order_by(PlanRow.monthly_words))
    return [plan_of(row) for row in rows]


def update_plan(session: Session, plan_id: str, limits: Mapping[str, int]) -> bool:
    """False where there is no such plan."""
    row = session.get(PlanRow, plan_id)
    if row is None:
        return False
    for name, value in limits.items():
        setattr(row, name, value)
    session.flush()
    return True


def plan_ids(session: Session) -> Sequence[str]:
    return list(session.scalars(select(PlanRow.id).order_by(PlanRow.monthly_words)))


def caller_by_key_hash(
    connection: Connection, key_hash: str, today: date, period: date
) -> Caller | None:
    row = connection.execute(
        _CALLER, {"key_hash": key_hash, "today": today, "period": period}
    ).one_or_none()
    return None if row is None else _caller(row)


def caller_and_use(
    connection: Connection, key_hash: str, today: date, period: date, endpoint: str, name: str
) -> tuple[Caller, Use | None] | None:
    """The same with what became of one of the account's idempotency keys, None where nothing."""
    row = connection.execute(
        _CALLER_WITH_KEY,
        {"key_hash": key_hash, "today": today, "period": period}
        | {"endpoint": endpoint, "name": name},
    ).one_or_none()
    if row is None:
        return None
    use = row[_PLAN_COLUMNS : _PLAN_COLUMNS + len(idempotency.COLUMNS)]
    return _caller(row), None if row.owner is None else Use(*use)


def _caller(row: Row[Any]) -> Caller:
    return Caller(
        account_id=row.account_id,
        key_id=row.key_id,
        plan=Plan(*row[:_PLAN_COLUMNS]),
        revoked=row.revoked_at is not None,
        used_today=row.used or 0,
        consumed=Consumed(
            row.words or 0, row.posts or 0, row.requests or 0, row.reserved_words or 0
        ),
    )


def plan_of_account(session: Session, account_id: str) -> Plan | None:
    row = session.scalar(
        select(PlanRow)
        .join(AccountRow, AccountRow.plan_id == PlanRow.id)
        .where(AccountRow.id == account_id)
    )
    return plan_of(row) if row else None


def accounts(session: Session) -> Sequence[AccountRow]:
    return list(session.scalars(select(AccountRow).order_by(AccountRow.id)))


def change_plan(session: Session, account_id: str, plan_id: str) -> bool:
    """False where there is no such account."""
    row = session.get(AccountRow, account_id)
    if row is not None:
        row.plan_id = plan_id
    return row is not None


def account_exists(session: Session, account_id: str) -> bool:
    return session.get(AccountRow, account_id) is not None


def add_account(session: Session, account_id: str, name: str, plan_id: str, now: datetime) -> None:
    session.add(AccountRow(id=account_id, name=name, plan_id=plan_id, created_at=now))


def add_key(
    session: Session, key_id: str, account_id: str, key_hash: str, hint: str, now: datetime
) -> None:
    session.add(KeyRow(id=key_id, account_id=account_id, hash=key_hash, hint=hint, created_at=now))


def keys_of(session: Session, account_id: str) -> Sequence[KeyRow]:
    query = select(KeyRow).where(KeyRow.account_id == account_id).order_by(KeyRow.id)
    return list(session.scalars(query))


def revoke_key(session: Session, key_id: str, now: datetime) -> bool:
    """False where there is no such key; a key that is revoked already keeps its time."""
    key = session.get(KeyRow, key_id)
    if key is not None and key.revoked_at is None:
        key.revoked_at = now
    return key is not None


def add_token(
    session: Session,
    handle: str,
    account_id: str,
    name: str,
    token_hash: str,
    hint: str,
    now: datetime,
    *,
    metered: bool = False,
) -> None:
    session.add(
        TokenRow(
            id=handle,
            account_id=account_id,
            name=name,
            hash=token_hash,
            hint=hint,
            paused=False,
            metered=metered,
            created_at=now,
        )
    )


def tokens_of(
    session: Session, account_id: str, period: date
) -> Sequence[tuple[TokenRow, int, int]]:
    """The tokens of an account, each with its words and posts of a billing period."""
    month = TokenMonthRow
    query = (
        select(TokenRow, month.words, month.posts)
        .outerjoin(month, (month.token_id == TokenRow.id) & (month.period_start == period))
        .where(TokenRow.account_id == account_id)
        .order_by(TokenRow.id)
    )
    return [(token, words or 0, posts or 0) for token, words, posts in session.execute(query)]


def account_of_token(session: Session, token_id: str) -> str:
    return session.execute(select(TokenRow.account_id).where(TokenRow.id == token_id)).scalar_one()


def tell_rules(session: Session, token_id: str, *, paused: bool) -> None:
    """Repeat on each rule of a token whether that is paused."""
    session.execute(update(RuleRow).where(RuleRow.token_id == token_id).values(token_paused=paused))
    hold_back_paused(session, RuleRow.token_id == token_id)


def find_token(
    session: Session, handle: str, token_hash: str, *, lock: bool = False
) -> TokenRow | None:
    """A token by its handle, or by the hash of the token itself; ``lock`` holds it until the
    transaction ends."""
    query = select(TokenRow).where((TokenRow.id == handle) | (TokenRow.hash == token_hash))
    return session.scalar(query.with_for_update(key_share=True) if lock else query)
