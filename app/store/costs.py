"""What calls to models cost. Each function runs inside the caller's transaction, and none reads
more because more is stored.

All writers lock in one order: the row of the post, then the sums, that of the installation first.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from datetime import date
from functools import cache
from typing import Any

from sqlalchemy import bindparam, func, select, update
from sqlalchemy.orm import Session

from app.core.billing.costs import CostScope, Figures
from app.store.models import CAPPED, Account, Cost, Feed, PostCost, Rule
from app.store.overview import LOOKED_AT
from app.store.rows import insert_of, record

INSTALLATION = ""
_FIGURES = tuple(each.name for each in fields(Figures))
_cost, _post = Cost.__table__, PostCost.__table__


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


def open_call(
    session: Session, work_id: str, call_id: str, figures: Figures, **columns: Any
) -> bool:
    """Note the call that begins in the costs of its post; return False if it is noted already.

    ``call_id`` has 8 characters. A call that never ends keeps its estimate. ``columns`` are those
    of a new row; all but ``created_at`` replace those of an existing one.
    """
    connection = session.connection()
    row = {"work_id": work_id, "open_call": f"{call_id} ", **_values(figures), **columns}
    return connection.execute(_opening(connection.dialect.name), row).first() is not None


def end_call(session: Session, work_id: str, call_id: str, figures: Figures) -> bool:
    """Add to the costs of a post what a running call cost beside the estimate; return False if
    that was done already."""
    call = {"of_work": work_id, "of_call": f"{call_id} ", **_values(figures)}
    return session.connection().execute(_END, call).rowcount > 0


# Composing a statement takes several times as long as executing it.
@cache
def _opening(dialect: str) -> Any:
    insert = insert_of(dialect)(_post)
    new = insert.excluded
    kept = {name: new[name] for name in ("post_id", "account_id", "rule_id")}
    # The three drafts that can be written at once, and one call more; what never ended drops out.
    kept["open_call"] = new.open_call + func.substr(_OPEN, 1, 27)
    return insert.on_conflict_do_update(
        index_elements=_post.primary_key.columns,
        set_=kept | {name: _post.c[name] + new[name] for name in _FIGURES},
        where=~_OPEN.contains(new.open_call),
    ).returning(_post.c.work_id)


_OPEN = func.coalesce(_post.c.open_call, "")
_END = (
    update(_post)
    .where(_post.c.work_id == bindparam("of_work"), _OPEN.contains(bindparam("of_call")))
    .values(
        open_call=func.nullif(func.replace(_post.c.open_call, bindparam("of_call"), ""), ""),
        **{name: _post.c[name] + bindparam(name) for name in _FIGURES},
    )
)


def add(session: Session, payer: Payer, day: date, figures: Figures) -> Mapping[str, int]:
    """Add figures to the month of a day; return the micro-dollars of each scope with them."""
    rows = [
        {"scope": scope, "period_start": day.replace(day=1), "kind": kind.value, **_values(figures)}
        for kind, scope in payer.scopes
    ]
    connection = session.connection()
    found = connection.execute(_adding(connection.dialect.name), rows)
    return {row.scope: row.micros for row in found}


@cache
def _adding(dialect: str) -> Any:
    insert = insert_of(dialect)(_cost)
    sums = {name: _cost.c[name] + insert.excluded[name] for name in _FIGURES}
    adding = insert.on_conflict_do_update(index_elements=_cost.primary_key.columns, set_=sums)
    return adding.returning(_cost.c.scope, _cost.c.micros)


def _values(figures: Figures) -> dict[str, int]:
    return {name: getattr(figures, name) for name in _FIGURES}


def caps(session: Session, payers: Collection[Payer]) -> Mapping[str, int | None]:
    """Return the caps of the payers' accounts and rules by their ids, in micro-dollars."""
    found: dict[str, int | None] = {}
    accounts = {payer.account_id for payer in payers}
    rules = {payer.rule_id for payer in payers if payer.rule_id is not None}
    for row, ids in ((Account, accounts), (Rule, rules)):
        if ids:
            query, given = _CAPS[row], {"ids": sorted(ids)}
            found.update((scope, cap) for scope, cap in session.connection().execute(query, given))
    return found


_CAPS = {
    row: select(row.__table__.c.id, row.__table__.c.spend_cap).where(
        row.__table__.c.id.in_(bindparam("ids", expanding=True))
    )
    for row in (Account, Rule)
}


def spent(session: Session, scopes: Iterable[str], period: date) -> Mapping[str, Figures]:
    """Return the figures of those of these scopes that have calls in a month."""
    query = select(Cost).where(Cost.scope.in_(sorted(scopes)), Cost.period_start == period)
    return {row.scope: record(Figures, row) for row in session.scalars(query)}


def stops(
    session: Session, payers: Sequence[Payer], period: date, cap: int | None
) -> Sequence[tuple[str, int] | None]:
    """Return, for each payer, the first scope whose cap stops its calls, and the cap.

    Args:
        cap: that of the installation, in micro-dollars a month.
    """
    known = {INSTALLATION: cap, **caps(session, payers)}
    limits = {scope: limit for scope, limit in known.items() if limit is not None}
    found = spent(session, limits, period) if limits else {}
    reached = {
        scope: limit
        for scope, limit in limits.items()
        if found.get(scope, Figures()).micros >= limit
    }
    return [
        next(((scope, reached[scope]) for _, scope in payer.scopes if scope in reached), None)
        for payer in payers
    ]


def dearest(
    session: Session, account_id: str, period: date, limit: int
) -> Sequence[tuple[str, str, Figures, int | None]]:
    """Return what costs most in a month, of the 10,000 newest rules of an account or ("") of all
    accounts: id, name, figures and cap."""
    mine = Cost.kind == CostScope.ACCOUNT.value
    if account_id:
        newest = (
            select(Rule.id)
            .join(Feed)
            .where(Feed.account_id == account_id)
            .order_by(Rule.id.desc())
            .limit(LOOKED_AT)
        )
        mine = Cost.scope.in_(newest)
    # As the index has them.
    order = (Cost.micros.desc(), Cost.scope.desc())
    query = select(Cost).where(mine, Cost.period_start == period).order_by(*order).limit(limit)
    figures = {row.scope: record(Figures, row) for row in session.scalars(query)}
    row = Rule if account_id else Account
    named = select(row.id, row.name, row.spend_cap).where(row.id.in_(sorted(figures)))
    found = {each.id: each for each in session.execute(named)}
    return [
        (scope, found[scope].name, each, found[scope].spend_cap)
        for scope, each in figures.items()
        if scope in found
    ]


def capped(
    session: Session, kind: type[Account | Rule], period: date, percent: int, limit: int
) -> Sequence[tuple[str, str, int, int]]:
    """Return those of the newest 10,000 accounts or rules with a cap that have spent ``percent`` of
    it or more: id, name, micro-dollars spent, and the cap."""
    newest = (
        select(kind.id, kind.name, kind.spend_cap)
        .where(CAPPED)
        .order_by(kind.id.desc())
        .limit(LOOKED_AT)
        .subquery()
    )
    query = (
        select(newest.c.id, newest.c.name, Cost.micros, newest.c.spend_cap)
        .join(Cost, (Cost.scope == newest.c.id) & (Cost.period_start == period))
        .where(Cost.micros * 100 >= newest.c.spend_cap * percent)
        .limit(limit)
    )
    return [(name, text, micros, cap) for name, text, micros, cap in session.execute(query)]
