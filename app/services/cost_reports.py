"""What calls to models cost, for operators. Nothing here changes anything, and no report reads more
because more is stored."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

from sqlalchemy import select
from sqlalchemy.orm import Session

from app.core.billing.costs import CostScope, Figures
from app.core.billing.metering import period_start
from app.services.context import Context
from app.services.lookups import require
from app.store import costs as store
from app.store import models
from app.store.costs import INSTALLATION
from app.store.database import reading
from app.store.models import CAPPED
from app.store.rows import record

NEAR_CAP_PERCENT = 80


@dataclass(frozen=True)
class Line:
    """The costs of the installation (its ``id`` is ""), an account or a rule in a month; ``cap`` is
    in micro-dollars."""

    id: str
    name: str
    figures: Figures
    cap: int | None = None


@dataclass(frozen=True)
class Report:
    """The costs of a month: ``total`` is the installation or the account, and ``lines`` are its
    accounts or its rules."""

    period: date
    total: Line
    lines: Sequence[Line]


@dataclass(frozen=True)
class NearCap:
    """Something that has spent most of its cap, in micro-dollars."""

    kind: CostScope
    id: str
    name: str
    micros: int
    cap: int

    @property
    def is_reached(self) -> bool:
        return self.micros >= self.cap


def report(context: Context, limit: int, account_id: str = "", month: date | None = None) -> Report:
    """Return the costs of a month, the highest first.

    Args:
        limit: the most lines.
        account_id: report on this account and its rules, instead of on all accounts.
        month: the first day of a month; by default that of now.

    Raises:
        NotFound: unknown account.
    """
    period = month or period_start(context.clock.now())
    scope = account_id or INSTALLATION
    with reading() as session:
        name, cap = "", context.budget.cap
        if account_id:
            account = require(session, models.Account, account_id)
            name, cap = account.name, account.spend_cap
        total = Line(scope, name, _spent(session, scope, period), cap)
        dearest = store.dearest(session, account_id, period, limit)
        return Report(period, total, [Line(*each) for each in dearest])


def of_rule(context: Context, rule_id: str) -> Line:
    """Return what a rule costs this month.

    Raises:
        NotFound: unknown rule.
    """
    period = period_start(context.clock.now())
    with reading() as session:
        rule = require(session, models.Rule, rule_id)
        return Line(rule_id, rule.name, _spent(session, rule_id, period), rule.spend_cap)


def of_post(post_id: str) -> Figures | None:
    """Return what the calls for a job, a request, a feed item or a run cost; None if none were
    counted, or if that was deleted after its time."""
    named = select(models.PostCost).where(models.PostCost.post_id == post_id)
    with reading() as session:
        row = session.scalar(named.order_by(models.PostCost.created_at.desc()).limit(1))
        return None if row is None else record(Figures, row)


def near_caps(
    context: Context, session: Session, limit: int, percent: int = NEAR_CAP_PERCENT
) -> Sequence[NearCap]:
    """Return what has spent ``percent`` of its cap this month, or more; at most ``limit`` of each
    kind."""
    period = period_start(context.clock.now())
    found = []
    if (cap := context.budget.cap) is not None:
        micros = _spent(session, INSTALLATION, period).micros
        if micros * 100 >= cap * percent:
            found.append(NearCap(CostScope.INSTALLATION, "", "", micros, cap))
    for kind, row in ((CostScope.ACCOUNT, models.Account), (CostScope.RULE, models.Rule)):
        near = store.capped(session, row, period, percent, limit)
        found += [NearCap(kind, *each) for each in near]
    return found


def has_caps(context: Context) -> bool:
    """Return whether the installation, an account or a rule has a cap."""
    if context.budget.cap is not None:
        return True
    capped = (select(kind.id).where(CAPPED).limit(1) for kind in (models.Account, models.Rule))
    with reading() as session:
        return any(session.scalar(each) is not None for each in capped)


def _spent(session: Session, scope: str, period: date) -> Figures:
    return store.spent(session, [scope], period).get(scope, Figures())
