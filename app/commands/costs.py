"""costs."""

from dataclasses import replace
from datetime import datetime

import click

from app.commands.database import context, database_command, limited
from app.commands.output import Row, fail
from app.core.billing.costs import money, parse_dollars, plain_dollars
from app.services import cost_reports
from app.services.cost_reports import Line
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


@database_command(None, "costs", columns=("name", "calls", "tokens", "money", "capDollars"))
@click.option(
    "--account",
    "account_id",
    metavar="ACCOUNT",
    default="",
    help="Only this account, and its rules.",
)
@click.option(
    "--month",
    type=click.DateTime(["%Y-%m"]),
    metavar="YYYY-MM",
    help="By default the current month.",
)
@click.option(
    "--post", "post_id", metavar="ID", default="", help="Only this item, job, run or request id."
)
@limited(20, "number of lines")
def costs(account_id: str, post_id: str, month: datetime | None, limit: int) -> list[Row]:
    """Show the tokens and the money of calls to models in a month (UTC): all of them, then the
    accounts, or the rules of an account, that cost most.

    Money needs the prices in COPYDESK_MODEL_PRICES.
    """
    if post_id:
        if account_id or month:
            raise click.UsageError("--post does not go with --account and --month.")
        found = cost_reports.of_post(post_id)
        if found is None:
            fail(
                f"No costs are stored for {post_id[:128]}: it made no calls, or is older than"
                " 90 days."
            )
        return [_row(Line(post_id, post_id, found))]
    report = cost_reports.report(context(), limit, account_id, month and month.date())
    click.echo(f"{report.period:%Y-%m}", err=True)
    total = replace(report.total, name=report.total.name or "all")
    return [_row(line) for line in (total, *report.lines)]


def _row(line: Line) -> Row:
    figures = line.figures
    return {
        "id": line.id,
        "name": line.name,
        "calls": figures.calls,
        "estimatedCalls": figures.estimated,
        "unpricedCalls": figures.unpriced,
        "promptTokens": figures.prompt_tokens,
        "answerTokens": figures.answer_tokens,
        "tokens": figures.tokens,
        "dollars": plain_dollars(figures.micros),
        "money": money(figures),
        "capDollars": None if line.cap is None else plain_dollars(line.cap),
    }
