"""plan: what accounts may use."""

from typing import Any

import click

from app.commands.output import as_json, show, show_list, with_app
from app.core.plan import Plan


@click.group()
def plan() -> None:
    """Plans: words a month and a request, requests a minute and a day."""


@plan.command("list")
@as_json
@with_app
def plan_list(as_json: bool) -> None:
    """Show the plans and their limits."""
    from app.services import plans

    show_list([_row(entry) for entry in plans.list_plans()], as_json, "There are no plans.")


@plan.command("update")
@click.argument("plan_id")
@click.option("--monthly-words", type=int, help="Words in a calendar month (UTC).")
@click.option("--max-words-per-request", type=int, help="Words in one post.")
@click.option("--requests-per-minute", type=int, help="Requests of an account in a minute.")
@click.option("--requests-per-day", type=int, help="Requests of an API key in a day (UTC).")
@as_json
@with_app
def plan_update(plan_id: str, as_json: bool, **limits: int | None) -> None:
    """Change limits of a plan, for all its accounts and at once."""
    from app.services import plans

    given = {name: value for name, value in limits.items() if value is not None}
    show(_row(plans.update_plan(plan_id, given)), as_json)


def _row(entry: Plan) -> dict[str, Any]:
    return {
        "planId": entry.id,
        "name": entry.name,
        "monthlyWords": entry.monthly_words,
        "maxWordsPerRequest": entry.max_words_per_request,
        "requestsPerMinute": entry.requests_per_minute,
        "requestsPerDay": entry.requests_per_day,
        "priorityProcessing": entry.priority_processing,
        "teamSeats": entry.team_seats,
    }
