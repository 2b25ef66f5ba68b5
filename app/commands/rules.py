"""rule and offer."""

from datetime import timedelta
from typing import Any

import click

from app.commands.costs import spend_cap, warn_of_missing_prices
from app.commands.database import context, database_command, limited, list_command, of_account
from app.commands.model import model_endpoint
from app.commands.output import Row, confirmed, fail
from app.commands.request_options import request_members, request_options
from app.container import build
from app.core.billing.costs import plain_dollars
from app.core.errors import ValidationFailed
from app.core.feed.rule import NOTHING_LEFT, format_every, parse_every
from app.core.schemas.bodies import parse
from app.core.schemas.times import counted, wire_time
from app.rendering.offers import Offer
from app.services import overview, removal, rule_lists, rules, runs
from app.services.leased_work import perform
from app.services.rule_lists import ListedRule
from app.settings import Settings


def _offer(text: str) -> dict[str, str]:
    name, separator, url = text.partition("=")
    if not separator:
        raise ValidationFailed(
            f"An offer has the form Name=https://…; it is “{text[:60]}”.", {"field": "offer"}
        )
    entry = {"name": name.strip(), "url": url.strip()}
    try:
        parse(Offer, entry)
    except ValidationFailed as error:
        raise ValidationFailed(
            f"The offer “{text[:60]}” is invalid: its {error.message}", error.details
        ) from None
    return entry


_current_event = click.option(
    "--current-event/--no-current-event",
    "currentEvent",
    default=None,
    help="Treat as a current event: requires recent sources from at least two sites.",
)


_EVERY = "How often it runs, from 15m to 30d, such as 30m, 1h or 7d."


@click.group()
def rule() -> None:
    """Manage rules, which generate posts for a feed on a schedule."""


@database_command(rule, "create")
@click.argument("token_id", metavar="FEED")
@click.argument("name")
@click.option(
    "--keyword", "keywords", multiple=True, required=True, help="What to write about; repeatable."
)
@click.option("--every", required=True, help=_EVERY)
@click.option("--offer", "offers", multiple=True, help="Name=https://…; repeatable.")
@_current_event
@request_options
def rule_create(
    token_id: str, name: str, keywords: tuple[str, ...], every: str, **options: Any
) -> Row:
    """Add a rule to a feed. A running service generates its first item immediately."""
    entries = [_offer(text) for text in options.pop("offers")]
    current_event = bool(options.pop("currentEvent"))
    members = request_members(keywords, options)
    new = rules.NewRule(name, members, parse_every(every), entries, current_event=current_event)
    return {"ruleId": rules.create_rule(context(), token_id, new)}


@list_command(rule, "There are no rules.", ("ruleId", "name", "status", "pending", "postsLeft"))
@click.argument("token_id", metavar="[FEED]", default="")
@of_account
def rule_list(token_id: str, account_id: str, before: str, limit: int) -> list[Row]:
    """Show rules, newest first. Why a rule writes nothing is printed on stderr."""
    listed = rule_lists.list_rules(context(), token_id, account_id, before, limit)
    for rule in listed:
        if rule.is_saturated:
            click.echo(f"“{rule.row.name}” is saturated. {_why_saturated(rule)}", err=True)
        if rule.cap_reached is not None:
            click.echo(f"“{rule.row.name}” waits. {rule.cap_reached}", err=True)
    return [_listed(rule) for rule in listed]


def _listed(rule: ListedRule) -> Row:
    row = rule.row
    waits = row.paused or row.token_paused or rule.is_saturated
    return {
        "ruleId": row.id,
        "feedId": row.token_id,
        "name": row.name,
        "keywords": list(row.request["keywords"]),
        "every": format_every(timedelta(seconds=row.every_seconds)),
        "offers": [{"name": offer["name"], "url": offer["url"]} for offer in row.offers],
        "status": rule.status,
        "pending": rule.pending,
        "postsLeft": rule.left,
        "openRun": rule.open_run.status if rule.open_run else None,
        "nextDueAt": None if waits else wire_time(row.next_due_at),
        "lastError": row.last_error and "{at} {code}: {message}".format(**row.last_error),
        "spendCap": None if row.spend_cap is None else plain_dollars(row.spend_cap),
        "capReached": rule.cap_reached,
        "saturation": _saturation(rule) if rule.is_saturated else None,
    }


def _saturation(rule: ListedRule) -> dict[str, Any]:
    """Return why a rule has nothing new to write, since when, and what would help."""
    update, since = f"copydesk-server rule update {rule.row.id}", rule.row.saturated_since
    return {
        "since": since and wire_time(since),
        "reason": NOTHING_LEFT,
        "help": [
            f"Add keywords with `{update} --keyword …`, which replaces all keywords.",
            f"If the rule is about news, run `{update} --current-event`: it can then write any"
            " number of posts.",
        ],
    }


def _why_saturated(rule: ListedRule) -> str:
    found = _saturation(rule)
    since = f"It has been saturated since {found['since']}." if found["since"] else ""
    return " ".join(filter(None, [NOTHING_LEFT, since, *found["help"]]))


@database_command(
    rule, "runs", nothing="This rule has no runs.", columns=("slot", "status", "attempts", "error")
)
@click.argument("rule_id", metavar="RULE")
@limited(20, "number of runs")
def rule_runs(rule_id: str, limit: int) -> list[Row]:
    """Show the latest runs of a rule, newest first."""
    return [
        {
            "runId": run.id,
            "slot": wire_time(run.slot),
            "status": run.status,
            "attempts": run.attempts,
            "itemId": run.item_id,
            "finishedAt": wire_time(run.finished_at) if run.finished_at else None,
            "error": f"{run.error['code']}: {run.error['message']}" if run.error else None,
        }
        for run in rule_lists.list_runs(rule_id, limit)
    ]


@database_command(rule, "update")
@click.argument("rule_id", metavar="RULE")
@click.option("--name", help="A new name.")
@click.option("--keyword", "keywords", multiple=True, help="Replaces all keywords; repeatable.")
@click.option("--every", help=_EVERY)
@_current_event
@spend_cap
@request_options
def rule_update(
    rule_id: str, name: str | None, keywords: tuple[str, ...], every: str | None, **options: Any
) -> Row:
    """Update a rule. Options that you omit keep their values.

    Pass an empty string to clear a field. A rule that is waiting after failures runs again at its
    next slot.
    """
    current_event, spend_cap = options.pop("currentEvent"), options.pop("spend_cap")
    members = request_members(keywords, options)
    if not members and {name, every, current_event, spend_cap} == {None}:
        raise click.UsageError("Nothing to change. Say what to change, such as --every 12h.")
    often = None if every is None else parse_every(every)
    changes = rules.RuleChanges(name, members, often, current_event, spend_cap)
    rules.update_rule(context(), rule_id, changes)
    if spend_cap is not None:
        warn_of_missing_prices()
    return {"ruleId": rule_id, "status": "updated"}


@database_command(rule, "pause")
@click.argument("rule_id", metavar="RULE")
def rule_pause(rule_id: str) -> Row:
    """Pause a rule. Its queued items can still be pulled."""
    rules.pause_rule(context(), rule_id, paused=True)
    return {"ruleId": rule_id, "status": "paused"}


@database_command(rule, "resume")
@click.argument("rule_id", metavar="RULE")
def rule_resume(rule_id: str) -> Row:
    """Resume a rule, including one that is waiting after failures."""
    rules.pause_rule(context(), rule_id, paused=False)
    return {"ruleId": rule_id, "status": "active"}


@database_command(rule, "delete")
@click.argument("rule_id", metavar="RULE")
@click.option("--discard", is_flag=True, help="Also delete posts that no site has published.")
@confirmed("Delete the rule {rule_id} with its posts? This cannot be undone.")
def rule_delete(rule_id: str, discard: bool) -> Row:
    """Delete a rule with its items and runs. Published posts stay on your site.

    Refused while a post is being written, or if the feed has posts of the rule that no site has
    published.
    """
    removal.delete_rule(rule_id, discard=discard)
    return {"ruleId": rule_id, "status": "deleted"}


@database_command(rule, "run")
@click.argument("rule_id", metavar="RULE")
def rule_run(rule_id: str) -> Row:
    """Generate one item of a rule now, in this process."""
    # Looked up first: the local model takes long to load.
    overview.rule(rule_id)
    with model_endpoint(Settings.load()) as with_model:
        context = build(with_model).context
        run = runs.start_now(context, rule_id)
        click.echo(f"generating an item of “{run.rule.name}” ...", err=True)
        item_id = perform(run, context)
    if item_id is None:
        fail(f"No item was generated; `copydesk-server rule runs {rule_id}` shows the reason.")
    return {"itemId": item_id}


@database_command(rule, "plan")
@click.argument("rule_id", metavar="RULE")
@click.option(
    "--count", type=click.IntRange(1, 1000), default=5, show_default=True, help="Number of posts."
)
def rule_plan(rule_id: str, count: int) -> list[Row]:
    """Show when and about what a rule writes next. Generates nothing.

    The state of the rule, and why it writes no more, are printed on stderr.
    """
    rule, planned = rule_lists.plan_rule(context(), rule_id, count)
    click.echo(f"“{rule.row.name}” is {rule.status}.", err=True)
    if rule.row.paused or rule.row.token_paused:
        click.echo("It generates nothing until you resume it.", err=True)
    if len(planned) < count:
        posts = f"After {counted(len(planned), 'post')}, the rule stops. "
        click.echo((posts if planned else "") + _why_saturated(rule), err=True)
    return [
        {
            "slot": wire_time(post.slot),
            "keyword": post.keyword,
            "angle": post.angle.key,
            "about": post.angle.name,
        }
        for post in planned
    ]


@click.group()
def offer() -> None:
    """Manage the offers of a rule. Each item links to each offer once."""


@database_command(offer, "add")
@click.argument("rule_id", metavar="RULE")
@click.argument("offer_text", metavar="NAME=URL")
def offer_add(rule_id: str, offer_text: str) -> Row:
    """Add an offer to a rule. It applies to items generated from now on."""
    entry = _offer(offer_text)
    rules.add_offer(rule_id, entry)
    return {"ruleId": rule_id, "offer": entry["name"], "status": "added"}


@database_command(offer, "remove")
@click.argument("rule_id", metavar="RULE")
@click.argument("name")
def offer_remove(rule_id: str, name: str) -> Row:
    """Remove an offer, by its name. Existing items keep it."""
    rules.remove_offer(rule_id, name)
    return {"ruleId": rule_id, "offer": name, "status": "removed"}
