"""What calls to models cost. Each function runs inside the caller's transaction, and none reads
more because more is stored.

All writers lock in one order: the row of the post, then those of the month, then those of the day,
each from the installation to the rule.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from datetime import date
from typing import Any

from sqlalchemy import Connection, bindparam, func, select, update
from sqlalchemy.orm import Session

from app.core.billing.costs import CostScope, Figures
from app.core.billing.metering import period_end
from app.extensions import Base
from app.store.models import (
    CAPPED,
    Account,
    CostDay,
    CostMonth,
    Feed,
    PostCost,
    Rule,
)
from app.store.rows import changes, insert_if_absent, insert_of, record

INSTALLATION = ""
_FIGURES = tuple(each.name for each in fields(Figures))
_MOST_LOOKED_AT = 10_000
_rule, _feed, _account, _month = (
    each.__table__ for each in (Rule, Feed, Account, CostMonth)
)  # fmt: skip


@dataclass(frozen=True)
class Payer:
    """Whose calls are counted; ``rule_id`` is None for calls and jobs."""

    account_id: str
    rule_id: str | None = None

    @property
    def scopes(self) -> tuple[tuple[CostScope, str], ...]:
        """The scopes that a call is counted in."""
        found = [(CostScope.INSTALLATION, INSTALLATION), (CostScope.ACCOUNT, self.account_id)]
        if self.rule_id is not None:
            found.append((CostScope.RULE, self.rule_id))
        return tuple(found)


@dataclass(frozen=True)
class Spent:
    """The figures of a scope in a month, and the day of its first call."""

    scope: str
    figures: Figures
    since: date


def open_call(
    session: Session, work_id: str, call_id: str, figures: Figures, **columns: Any
) -> bool:
    """Note the call that begins in the costs of its post; return False if it is noted already.

    An earlier call that has not ended keeps its estimate. ``columns`` are those of a new row; all
    but ``created_at`` replace those of an existing one.
    """
    insert_if_absent(session, PostCost, work_id=work_id, **_values(Figures()), **columns)
    is_new = PostCost.open_call.is_distinct_from(call_id)
    mine = update(PostCost).where(PostCost.work_id == work_id, is_new)
    kept = {name: value for name, value in columns.items() if name != "created_at"}
    return changes(session, mine.values(open_call=call_id, **kept, **_sums(PostCost, figures)))


def end_call(session: Session, work_id: str, call_id: str, figures: Figures) -> bool:
    """Add to the costs of a post what its running call cost beside the estimate; return False if
    that was done already, or if another call has begun."""
    mine = update(PostCost).where(PostCost.work_id == work_id, PostCost.open_call == call_id)
    return changes(session, mine.values(open_call=None, **_sums(PostCost, figures)))


def name_post(session: Session, work_id: str, post_id: str) -> None:
    """Name the post by which operators look its costs up."""
    session.execute(update(PostCost).where(PostCost.work_id == work_id).values(post_id=post_id))


def add_to_month(
    session: Session, payer: Payer, period: date, day: date, figures: Figures
) -> Mapping[str, int]:
    """Add a call to its month; return the micro-dollars of each scope with this call."""
    rows = [
        {"scope": scope, "period_start": period, "kind": kind.value, "since": day}
        | _values(figures)
        for kind, scope in payer.scopes
    ]
    found = session.connection().execute(
        _added(session, CostMonth).returning(_month.c.scope, _month.c.micros), rows
    )
    return {row.scope: row.micros for row in found}


def add_to_day(session: Session, payer: Payer, day: date, model: str, figures: Figures) -> None:
    """Add a call to the day of its model."""
    rows = [
        {"scope": scope, "day": day, "model": model} | _values(figures) for _, scope in payer.scopes
    ]
    session.connection().execute(_added(session, CostDay), rows)


def _added(session: Session, row: type[Base]) -> Any:
    table = row.__table__
    insert = insert_of(session.get_bind().dialect.name)(table)
    sums = {name: table.c[name] + insert.excluded[name] for name in _FIGURES}
    return insert.on_conflict_do_update(index_elements=table.primary_key.columns, set_=sums)


def _values(figures: Figures) -> dict[str, int]:
    return {name: getattr(figures, name) for name in _FIGURES}


def _sums(row: Any, figures: Figures) -> dict[str, Any]:
    return {name: getattr(row, name) + number for name, number in _values(figures).items()}


def caps(session: Session, payers: Collection[Payer]) -> Mapping[str, int | None]:
    """Return the caps of the payers' accounts and rules by their ids, in micro-dollars."""
    found: dict[str, int | None] = {}
    accounts = {payer.account_id for payer in payers}
    rules = {payer.rule_id for payer in payers if payer.rule_id is not None}
    for row, ids in ((Account, accounts), (Rule, rules)):
        if ids:
            query = select(row.id, row.spend_cap).where(row.id.in_(sorted(ids)))
            found.update((scope, cap) for scope, cap in session.execute(query))
    return found


def spent(session: Session, scopes: Iterable[str], period: date) -> Mapping[str, Spent]:
    """Return the months of these scopes that have calls."""
    query = select(CostMonth).where(
        CostMonth.scope.in_(sorted(scopes)), CostMonth.period_start == period
    )
    return {row.scope: _spent(row) for row in session.scalars(query)}


def most(session: Session, kind: CostScope, period: date, limit: int) -> Sequence[Spent]:
    """Return the accounts or rules that cost most in a month."""
    query = (
        select(CostMonth)
        .where(CostMonth.period_start == period, CostMonth.kind == kind.value)
        # As the index has them.
        .order_by(CostMonth.micros.desc(), CostMonth.scope.desc())
        .limit(limit)
    )
    return [_spent(row) for row in session.scalars(query)]


def months(session: Session, scope: str, limit: int) -> Sequence[tuple[date, Figures]]:
    """Return the latest months of a scope that have calls, the newest first."""
    query = select(CostMonth).where(CostMonth.scope == scope)
    newest = query.order_by(CostMonth.period_start.desc()).limit(limit)
    return [(row.period_start, record(Figures, row)) for row in session.scalars(newest)]


def by_model(session: Session, scope: str, period: date) -> Sequence[tuple[str, Figures]]:
    """Return the models of a month, those that cost most first."""
    sums = [func.sum(getattr(CostDay, name)).label(name) for name in _FIGURES]
    days = (CostDay.day >= period) & (CostDay.day < period_end(period))
    query = (
        select(CostDay.model, *sums)
        .where(CostDay.scope == scope, days)
        .group_by(CostDay.model)
        .order_by(func.sum(CostDay.micros).desc(), CostDay.model)
    )
    return [
        (row.model, Figures(*(int(getattr(row, name)) for name in _FIGURES)))
        for row in session.execute(query)
    ]


def rules_of(session: Session, account_id: str, period: date, limit: int) -> Sequence[Spent]:
    """Return those of an account's 10,000 newest rules that cost most in a month."""
    newest = (
        select(Rule.id)
        .join(Feed, Feed.id == Rule.token_id)
        .where(Feed.account_id == account_id)
        .order_by(Rule.id.desc())
        .limit(_MOST_LOOKED_AT)
    )
    query = (
        select(CostMonth)
        .where(CostMonth.scope.in_(newest), CostMonth.period_start == period)
        .order_by(CostMonth.micros.desc(), CostMonth.scope)
        .limit(limit)
    )
    return [_spent(row) for row in session.scalars(query)]


def of_post(session: Session, post_id: str) -> tuple[str, Figures] | None:
    """Return the account and the figures of the newest post of that id, or None."""
    named = select(PostCost).where(PostCost.post_id == post_id)
    row = session.scalar(named.order_by(PostCost.created_at.desc()).limit(1))
    return None if row is None else (row.account_id, record(Figures, row))


def capped(
    session: Session, kind: type[Account | Rule], period: date, percent: int, limit: int
) -> Sequence[tuple[str, str, int, int]]:
    """Return those of the newest 10,000 accounts or rules with a cap that have spent ``percent`` of
    it or more: id, name, micro-dollars spent, and the cap."""
    newest = (
        select(kind.id, kind.name, kind.spend_cap)
        .where(CAPPED)
        .order_by(kind.id.desc())
        .limit(_MOST_LOOKED_AT)
        .subquery()
    )
    query = (
        select(newest.c.id, newest.c.name, CostMonth.micros, newest.c.spend_cap)
        .join(CostMonth, (CostMonth.scope == newest.c.id) & (CostMonth.period_start == period))
        .where(CostMonth.micros * 100 >= newest.c.spend_cap * percent)
        .limit(limit)
    )
    return [(name, text, micros, cap) for name, text, micros, cap in session.execute(query)]


def has_caps(session: Session) -> bool:
    """Return whether any account or rule has a cap."""
    return any(
        session.scalar(select(kind.id).where(CAPPED).limit(1)) is not None
        for kind in (Account, Rule)
    )


def named(
    session: Session, kind: CostScope, ids: Collection[str]
) -> Mapping[str, tuple[str, int | None]]:
    """Return the names and caps of accounts or rules by their ids."""
    row = Account if kind is CostScope.ACCOUNT else Rule
    query = select(row.id, row.name, row.spend_cap).where(row.id.in_(sorted(ids)))
    return {each: (name, cap) for each, name, cap in session.execute(query)}


def _micros_of(scope: Any) -> Any:
    return (
        select(_month.c.micros)
        .where(_month.c.scope == scope, _month.c.period_start == bindparam("period"))
        .scalar_subquery()
    )


def _is_reached(scope: Any, cap: Any) -> Any:
    return cap.is_not(None) & (_micros_of(scope) >= cap)


# Not a join: PostgreSQL would read all feeds to join some.
_ACCOUNT_STOPS = (
    select(_is_reached(_account.c.id, _account.c.spend_cap))
    .join(_feed, _feed.c.account_id == _account.c.id)
    .where(_feed.c.id == _rule.c.token_id)
    .correlate(_rule)
    .scalar_subquery()
)
_STOPPED = select(_rule.c.id).where(
    _rule.c.id.in_(bindparam("rules", expanding=True)),
    _is_reached(_rule.c.id, _rule.c.spend_cap) | _ACCOUNT_STOPS,
)
_SPENT = select(_micros_of(bindparam("scope")))


def stopped_rules(
    connection: Connection, rules: Sequence[str], period: date, cap: int | None
) -> set[str]:
    """Return which of the rules write nothing because a cap is reached: their own, that of their
    account, or ``cap``, that of the installation."""
    if cap is not None:
        asked = {"scope": INSTALLATION, "period": period}
        if (connection.scalar(_SPENT, asked) or 0) >= cap:
            return set(rules)
    return set(connection.execute(_STOPPED, {"rules": rules, "period": period}).scalars())


def _spent(row: CostMonth) -> Spent:
    return Spent(row.scope, record(Figures, row), row.since)
