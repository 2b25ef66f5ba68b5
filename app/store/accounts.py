"""Plans, accounts, keys and tokens. Each function runs inside the caller's transaction."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime

from sqlalchemy import select
from sqlalchemy.orm import Session

from app.core.plan import Plan
from app.store.tables import AccountRow, KeyRow, PlanRow, TokenRow, UsageDayRow


@dataclass(frozen=True)
class Caller:
    """Who a request comes from, and how many requests the key has made on that day."""

    account_id: str
    key_id: str
    plan: Plan
    revoked: bool
    used_today: int


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


def caller_by_key_hash(session: Session, key_hash: str, today: date) -> Caller | None:
    row = session.execute(
        select(KeyRow, PlanRow, UsageDayRow.used)
        .join(AccountRow, AccountRow.id == KeyRow.account_id)
        .join(PlanRow, PlanRow.id == AccountRow.plan_id)
        .outerjoin(UsageDayRow, (UsageDayRow.key_id == KeyRow.id) & (UsageDayRow.day == today))
        .where(KeyRow.hash == key_hash)
    ).one_or_none()
    if row is None:
        return None
    key, plan, used = row
    return Caller(key.account_id, key.id, plan_of(plan), key.revoked_at is not None, used or 0)


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
) -> None:
    session.add(
        TokenRow(
            id=handle,
            account_id=account_id,
            name=name,
            hash=token_hash,
            hint=hint,
            paused=False,
            created_at=now,
        )
    )


def tokens_of(session: Session, account_id: str) -> Sequence[TokenRow]:
    query = select(TokenRow).where(TokenRow.account_id == account_id).order_by(TokenRow.id)
    return list(session.scalars(query))


def find_token(session: Session, handle: str, token_hash: str) -> TokenRow | None:
    """A token by its handle, or by the hash of the token itself."""
    return session.scalar(
        select(TokenRow).where((TokenRow.id == handle) | (TokenRow.hash == token_hash))
    )
