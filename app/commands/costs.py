"""costs."""

from datetime import datetime
from typing import TYPE_CHECKING, Any

import click

from app.commands.output import (
    as_json,
    fail,
    opened_database,
    services,
    settings_or_exit,
    show,
    with_ids,
)
from app.core.billing.costs import Figures, dollars, money, parse_dollars, plain_dollars

if TYPE_CHECKING:
    from app.services.cost_reports import Line, Report


class Dollars(click.ParamType[int]):
    """A spend cap in US dollars a month, or “none”, in micro-dollars."""

    name = "dollars"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        from app.services.costs import NO_CAP

        if isinstance(value, int):
            return value
        if value.strip().lower() == "none":
            return NO_CAP
        try:
            return parse_dollars(value)
        except ValueError as error:
            self.fail(f"{error}. To remove the cap, pass none.", param, ctx)


spend_cap = click.option(
    "--spend-cap",
    type=Dollars(),
    metavar="DOLLARS",
    help="Stop calls to models after this many US dollars a calendar month (UTC); none removes it.",
)


def shown_cap(cap: int) -> str | None:
    """Return a cap that was set, as it is read; None for no cap."""
    return plain_dollars(cap) if cap >= 0 else None


def warn_of_missing_prices() -> None:
    """Warn if models in use have no price, so that a cap counts nothing."""
    if missing := " and ".join(settings_or_exit().unpriced_models):
        click.echo(
            f"copydesk-server: {missing} has no price in COPYDESK_MODEL_PRICES, so its calls count"
            " nothing towards a cap.",
            err=True,
        )


@click.command()
@click.option(
    "--account",
    "account_id",
    metavar="ACCOUNT",
    help="Only this account, and its rules.",
)
@click.option(
    "--month",
    type=click.DateTime(["%Y-%m"]),
    metavar="YYYY-MM",
    help="By default the current month.",
)
@click.option("--post", "post_id", metavar="ID", help="Only this item, job, run or request id.")
@click.option(
    "--limit",
    type=click.IntRange(1, 1000),
    default=20,
    show_default=True,
    help="Maximum number of lines.",
)
@as_json
def costs(as_json: bool, account_id: str | None, post_id: str | None, **bounds: Any) -> None:
    """Show the tokens and the money of calls to models in a month (UTC), the highest first.

    Money needs the prices in COPYDESK_MODEL_PRICES.
    """
    month: datetime | None = bounds["month"]
    if post_id is not None and (account_id or month):
        raise click.UsageError("--post does not go with --account and --month.")
    with opened_database(settings_or_exit()):
        from app.services import cost_reports

        if post_id is not None:
            found = cost_reports.of_post(post_id)
            if found is None:
                fail(
                    f"No costs are stored for {post_id[:128]}: it made no calls, or is older than"
                    " 90 days."
                )
            show(_figures(found) if as_json else _in_words(found), as_json)
            return
        named = with_ids({"account_id": account_id})["account_id"] or ""
        context = services().context
        report = cost_reports.report(context, bounds["limit"], named, month and month.date())
    by = "rule" if named else "account"
    if as_json:
        show(_as_json(report, by), as_json)
    else:
        _print(report, by)


def _as_json(report: "Report", by: str) -> dict[str, Any]:
    lines = [{f"{by}Id": line.id, "name": line.name} | _line(line) for line in report.lines]
    month = f"{report.period:%Y-%m}"
    return {"month": month, "total": _line(report.total), "by": by, "lines": lines}


def _line(line: "Line") -> dict[str, Any]:
    return {
        **_figures(line.figures),
        "capDollars": None if line.cap is None else plain_dollars(line.cap),
    }


def _figures(figures: Figures) -> dict[str, Any]:
    return {
        "calls": figures.calls,
        "promptTokens": figures.prompt_tokens,
        "answerTokens": figures.answer_tokens,
        "dollars": plain_dollars(figures.micros),
        "estimatedCalls": figures.estimated,
        "unpricedCalls": figures.unpriced,
    }


def _print(report: "Report", by: str) -> None:
    total = report.total
    whose = f" of “{total.name}”" if total.name else ""
    click.echo(f"{report.period:%Y-%m}{whose}")
    show(_in_words(total.figures), as_json=False)
    click.echo(f"cap       {'none' if total.cap is None else dollars(total.cap)}")
    if report.lines:
        click.echo()
        show([_row(line, by) for line in report.lines], as_json=False)


def _in_words(figures: Figures) -> dict[str, str]:
    estimated = f", {figures.estimated:,} of them estimated" if figures.estimated else ""
    return {
        "money   ": money(figures),
        "calls": f"{figures.calls:,}{estimated}",
        "tokens": f"{figures.prompt_tokens:,} of prompts, {figures.answer_tokens:,} of answers",
    }


def _row(line: "Line", by: str) -> dict[str, str]:
    figures = line.figures
    known = dollars(figures.micros)
    if not figures.is_known:
        known = "unknown" if figures.unpriced == figures.calls else f">{known}"
    return {
        by: line.name,
        "calls": f"{figures.calls:,}",
        "tokens": f"{figures.tokens:,}",
        "money": known,
        "cap": "" if line.cap is None else dollars(line.cap),
    }
