"""costs."""

from dataclasses import replace
from datetime import datetime
from typing import Any

import click

from app.commands.database import context, limited
from app.commands.opening import open_database
from app.commands.output import Row, as_json, fail, show
from app.core.billing.costs import Figures, dollars, money, parse_dollars, plain_dollars
from app.services import cost_reports, lookups
from app.services.cost_reports import Line, Report
from app.services.costs import NO_CAP
from app.settings import Settings


def _cap(text: str) -> int:
    """Return a spend cap in US dollars, or “none”, in micro-dollars."""
    if text.strip().lower() == "none":
        return NO_CAP
    try:
        return parse_dollars(text)
    except ValueError as error:
        raise click.BadParameter(f"{error}. To remove the cap, pass none.") from None


spend_cap = click.option(
    "--spend-cap",
    type=_cap,
    metavar="DOLLARS",
    help="Stop calls to models after this many US dollars a calendar month (UTC); none removes it.",
)


def shown_cap(cap: int) -> str | None:
    """Return a cap that was set, as it is read; None for no cap."""
    return plain_dollars(cap) if cap >= 0 else None


def warn_of_missing_prices() -> None:
    """Warn if models in use have no price, so that a cap counts nothing."""
    if missing := " and ".join(Settings.load().unpriced_models):
        click.echo(
            f"copydesk-server: {missing} has no price in COPYDESK_MODEL_PRICES, so its calls count"
            " nothing towards a cap.",
            err=True,
        )


@click.command()
@click.option(
    "--account", "account_id", metavar="ACCOUNT", help="Only this account, and its rules."
)
@click.option(
    "--month",
    type=click.DateTime(["%Y-%m"]),
    metavar="YYYY-MM",
    help="By default the current month.",
)
@click.option("--post", "post_id", metavar="ID", help="Only this item, job, run or request id.")
@limited(20, "number of lines")
@as_json
def costs(as_json: bool, account_id: str | None, post_id: str | None, **bounds: Any) -> None:
    """Show the tokens and the money of calls to models in a month (UTC), the highest first.

    Money needs the prices in COPYDESK_MODEL_PRICES.
    """
    month: datetime | None = bounds["month"]
    if post_id is not None and (account_id or month):
        raise click.UsageError("--post does not go with --account and --month.")
    open_database(Settings.load())
    if post_id is not None:
        found = cost_reports.of_post(post_id)
        if found is None:
            fail(
                f"No costs are stored for {post_id[:128]}: it made no calls, or is older than"
                " 90 days."
            )
        line = Line(post_id, post_id, found)
        show(_figures(found) if as_json else [_row(line, "post")], as_json)
        return
    account = lookups.id_of("account", account_id) if account_id else ""
    report = cost_reports.report(context(), bounds["limit"], account, month and month.date())
    by = "rule" if account else "account"
    if as_json:
        show(_as_json(report, by), as_json)
        return
    click.echo(f"{report.period:%Y-%m}")
    total = replace(report.total, name=report.total.name or "all")
    show([_row(line, by) for line in (total, *report.lines)], as_json)


def _as_json(report: Report, by: str) -> Row:
    lines = [{f"{by}Id": line.id, "name": line.name} | _line(line) for line in report.lines]
    month = f"{report.period:%Y-%m}"
    return {"month": month, "total": _line(report.total), "by": by, "lines": lines}


def _line(line: Line) -> Row:
    cap = None if line.cap is None else plain_dollars(line.cap)
    return {**_figures(line.figures), "capDollars": cap}


def _figures(figures: Figures) -> Row:
    return {
        "calls": figures.calls,
        "promptTokens": figures.prompt_tokens,
        "answerTokens": figures.answer_tokens,
        "dollars": plain_dollars(figures.micros),
        "estimatedCalls": figures.estimated,
        "unpricedCalls": figures.unpriced,
    }


def _row(line: Line, by: str) -> dict[str, str]:
    figures = line.figures
    estimated = f" ({figures.estimated:,} estimated)" if figures.estimated else ""
    return {
        by: line.name,
        "calls": f"{figures.calls:,}{estimated}",
        "tokens": f"{figures.tokens:,}",
        "money": money(figures),
        "cap": "none" if line.cap is None else dollars(line.cap),
    }
