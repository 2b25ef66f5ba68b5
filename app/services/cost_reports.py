"""What calls to models cost, for operators. Nothing here changes anything, and no report reads more
because more is stored."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime
from enum import StrEnum

from sqlalchemy.orm import Session

from app.core.billing.costs import CostScope, Figures, forecast
from app.core.billing.metering import period_end, period_start
from app.services.context import Context
from app.services.lookups import require
from app.store import costs as store
from app.store import models
from app.store.costs import INSTALLATION, Spent
from app.store.database import reading

NEAR_CAP_PERCENT = 80


class By(StrEnum):
    """What the lines of a report are."""

    ACCOUNT = "account"
    RULE = "rule"
    MODEL = "model"
    MONTH = "month"


@dataclass(frozen=True)
class Line:
    """The costs of an account, a rule, a model or a month.

    ``id`` is "" for models and months. ``forecast`` and ``cap`` are micro-dollars of the month;
    ``forecast`` is None in the first day and once the month is over.
    """

    id: str
    name: str
    figures: Figures
    forecast: int | None = None
    cap: int | None = None


@dataclass(frozen=True)
class Report:
    """The costs of a month: ``total`` is the installation or the account."""

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


def report(
    context: Context, by: By, limit: int, account_id: str = "", month: date | None = None
) -> Report:
    """Return the costs of a month, the highest first.

    Args:
        limit: the most lines.
        account_id: report on this account alone; its lines are rules, models or months.
        month: the first day of a month; by default that of now.

    Raises:
        NotFound: unknown account.
    """
    now = context.clock.now()
    period = month or period_start(now)
    with reading() as session:
        total = _total(context, session, account_id, period, now)
        if by is By.MODEL:
            of_models = store.by_model(session, account_id or INSTALLATION, period)[:limit]
            return Report(period, total, [Line("", *each) for each in of_models])
        if by is By.MONTH:
            of_months = store.months(session, account_id or INSTALLATION, limit)
            lines = [Line("", f"{begin:%Y-%m}", figures) for begin, figures in of_months]
            return Report(period, total, lines)
        if by is By.RULE and account_id:
            spent = store.rules_of(session, account_id, period, limit)
        else:
            spent = store.most(session, CostScope(by.value), period, limit)
        kind = CostScope(by.value)
        named = store.named(session, kind, [each.scope for each in spent])
        # One that was deleted meanwhile has only its id.
        of_each = ((each, *named.get(each.scope, (each.scope, None))) for each in spent)
        lines = [_line(each, name, cap, period, now) for each, name, cap in of_each]
        return Report(period, total, lines)


def of_account(context: Context, account_id: str, limit: int) -> Report:
    """Return the costs of an account this month, by rule.

    Raises:
        NotFound: unknown account.
    """
    return report(context, By.RULE, limit, account_id)


def of_rule(context: Context, rule_id: str) -> Line:
    """Return what a rule costs this month.

    Raises:
        NotFound: unknown rule.
    """
    now = context.clock.now()
    period = period_start(now)
    with reading() as session:
        rule = require(session, models.Rule, rule_id)
        spent = store.spent(session, [rule_id], period).get(rule_id)
        return _line(spent or Spent(rule_id, Figures(), period), rule.name, rule.spend_cap,
                     period, now)  # fmt: skip


def of_post(post_id: str) -> Figures | None:
    """Return what the calls for a job, a request, a feed item or a run cost; None if none were
    counted, or if that was deleted after its time."""
    with reading() as session:
        found = store.of_post(session, post_id)
    return found and found[1]


def near_caps(
    context: Context, session: Session, limit: int, percent: int = NEAR_CAP_PERCENT
) -> Sequence[NearCap]:
    """Return what has spent ``percent`` of its cap this month, or more; at most ``limit`` of each
    kind."""
    period = period_start(context.clock.now())
    found = []
    if (cap := context.budget.cap) is not None:
        spent = store.spent(session, [INSTALLATION], period).get(INSTALLATION)
        micros = spent.figures.micros if spent else 0
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
    with reading() as session:
        return store.has_caps(session)


def _total(
    context: Context, session: Session, account_id: str, period: date, now: datetime
) -> Line:
    name, cap = "", context.budget.cap
    if account_id:
        row = require(session, models.Account, account_id)
        name, cap = row.name, row.spend_cap
    scope = account_id or INSTALLATION
    spent = store.spent(session, [scope], period).get(scope)
    return _line(spent or Spent(scope, Figures(), period), name, cap, period, now)


def _line(spent: Spent, name: str, cap: int | None, period: date, now: datetime) -> Line:
    is_over = now.date() >= period_end(period)
    expected = None if is_over else forecast(spent.figures.micros, period, spent.since, now)
    return Line(spent.scope, name, spent.figures, expected, cap)
