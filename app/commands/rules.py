"""rule and offer."""

from datetime import timedelta
from typing import Any

import click

from app.commands.framing import framing, request_members
from app.commands.model_process import model_endpoint
from app.commands.output import (
    as_json,
    fail,
    migrated_app,
    settings_or_exit,
    show,
    show_list,
    with_app,
)
from app.core.errors import ServiceError, ValidationFailed
from app.core.metering import wire_time
from app.core.rule import format_every, parse_every


def _offer(text: str) -> dict[str, str]:
    name, separator, url = text.partition("=")
    if not separator:
        raise ValidationFailed(
            f"An offer has the form Name=https://…; it is “{text[:60]}”.", {"field": "offer"}
        )
    return {"name": name.strip(), "url": url.strip()}


_current_event = click.option(
    "--current-event/--no-current-event",
    default=None,
    help="It is about what happens now: it is written from fresh sources of two sites.",
)


@click.group()
def rule() -> None:
    """Keyword rules: what a feed is filled with, and how often."""


@rule.command("create")
@click.argument("token_id")
@click.argument("name")
@click.option("--keyword", "keywords", multiple=True, required=True, help="May be repeated.")
@click.option("--every", required=True, help="How often: 30m, 1h, 7d (15m to 30d).")
@click.option("--offer", "offers", multiple=True, help="Name=https://…; may be repeated.")
@_current_event
@framing
@as_json
@with_app
def rule_create(
    token_id: str,
    name: str,
    keywords: tuple[str, ...],
    every: str,
    offers: tuple[str, ...],
    current_event: bool | None,
    as_json: bool,
    **options: Any,
) -> None:
    """Add a rule to a feed; its first item is generated at once, in the background."""
    from app.services import rules
    from app.wiring import ports

    wired = ports()
    rule_id = rules.create_rule(
        token_id,
        name,
        request_members(keywords, options),
        parse_every(every),
        [_offer(text) for text in offers],
        wired.clock,
        wired.queue,
        current_event=bool(current_event),
        has_sources=wired.settings.has_sources,
        policy=wired.settings.schedule_policy,
    )
    show({"ruleId": rule_id}, as_json)


@rule.command("list")
@click.argument("token_id")
@as_json
@with_app
def rule_list(token_id: str, as_json: bool) -> None:
    """Show the rules of a feed: what they do, what waits to be pulled, the next run, the last
    failure."""
    from app.services import rules
    from app.wiring import ports

    rows = [
        {
            "ruleId": rule.row.id,
            "name": rule.row.name,
            "keywords": ", ".join(rule.row.request["keywords"]),
            "every": format_every(timedelta(seconds=rule.row.every_seconds)),
            "offers": ", ".join(offer["name"] for offer in rule.row.offers),
            "status": rule.status,
            "pending": rule.pending,
            "openRun": rule.open_run.status if rule.open_run else None,
            "nextDueAt": (
                None
                if rule.row.paused or rule.row.token_paused
                else wire_time(rule.row.next_due_at)
            ),
            "lastError": rule.row.last_error,
        }
        for rule in rules.list_rules(token_id, ports().settings.schedule_policy)
    ]
    show_list(rows, as_json, "This feed has no rules.")


@rule.command("runs")
@click.argument("rule_id")
@click.option("--limit", default=20, show_default=True, help="How many, 1 to 1,000.")
@as_json
@with_app
def rule_runs(rule_id: str, limit: int, as_json: bool) -> None:
    """Show the latest runs of a rule, newest first."""
    from app.services import rules

    rows = [
        {
            "runId": run.id,
            "slot": wire_time(run.slot),
            "status": run.status,
            "attempts": run.attempts,
            "itemId": run.item_id,
            "finishedAt": wire_time(run.finished_at) if run.finished_at else None,
            "error": f"{run.error['code']}: {run.error['message']}" if run.error else None,
        }
        for run in rules.list_runs(rule_id, limit)
    ]
    show_list(rows, as_json, "This rule has no runs.")


@rule.command("update")
@click.argument("rule_id")
@click.option("--name")
@click.option("--keyword", "keywords", multiple=True, help="Replaces all keywords; repeatable.")
@click.option("--every", help="How often: 30m, 1h, 7d (15m to 30d).")
@_current_event
@framing
@as_json
@with_app
def rule_update(
    rule_id: str,
    name: str | None,
    keywords: tuple[str, ...],
    every: str | None,
    current_event: bool | None,
    as_json: bool,
    **options: Any,
) -> None:
    """Change what is given and leave the rest; an empty text takes a member away. A rule that
    waits after failures is tried at its next slot again."""
    from app.services import rules
    from app.wiring import ports

    wired = ports()
    rules.update_rule(
        rule_id,
        wired.clock,
        name=name,
        request=request_members(keywords, options),
        every=None if every is None else parse_every(every),
        current_event=current_event,
        has_sources=wired.settings.has_sources,
        policy=wired.settings.schedule_policy,
    )
    show({"ruleId": rule_id, "status": "updated"}, as_json)


@rule.command("pause")
@click.argument("rule_id")
@as_json
@with_app
def rule_pause(rule_id: str, as_json: bool) -> None:
    """Stop a rule; what it has queued stays pullable."""
    _pause(rule_id, paused=True)
    show({"ruleId": rule_id, "status": "paused"}, as_json)


@rule.command("resume")
@click.argument("rule_id")
@as_json
@with_app
def rule_resume(rule_id: str, as_json: bool) -> None:
    """Let a rule run again, also one that waits after failures."""
    _pause(rule_id, paused=False)
    show({"ruleId": rule_id, "status": "active"}, as_json)


def _pause(rule_id: str, *, paused: bool) -> None:
    from app.services import rules
    from app.wiring import ports

    wired = ports()
    policy = wired.settings.schedule_policy
    rules.pause_rule(rule_id, wired.clock, paused=paused, policy=policy)


@rule.command("run")
@click.argument("rule_id")
@as_json
def rule_run(rule_id: str, as_json: bool) -> None:
    """Generate one item of a rule now, in this process."""
    with model_endpoint(settings_or_exit()) as settings:
        app = migrated_app(settings)
        from app.services import runs
        from app.wiring import ports

        try:
            with app.app_context():
                wired = ports()
                run = runs.start_now(rule_id, wired.clock, settings.schedule_policy)
                click.echo(f"generating an item of “{run.rule_name}” ...", err=True)
                item_id = runs.execute(run, wired.model, wired.clock, wired.options)
        except ServiceError as error:
            fail(error.message)
    if item_id is None:
        fail("No item was made; `copydesk-server rule list TOKEN` says why.")
    show({"itemId": item_id}, as_json)


@click.group()
def offer() -> None:
    """Offers of a rule: brands whose link each item carries exactly once."""


@offer.command("add")
@click.argument("rule_id")
@click.argument("offer_text", metavar="NAME=URL")
@as_json
@with_app
def offer_add(rule_id: str, offer_text: str, as_json: bool) -> None:
    """Add an offer, for the items generated from now on."""
    from app.services import rules

    entry = _offer(offer_text)
    rules.add_offer(rule_id, entry)
    show({"ruleId": rule_id, "offer": entry["name"], "status": "added"}, as_json)


@offer.command("remove")
@click.argument("rule_id")
@click.argument("name")
@as_json
@with_app
def offer_remove(rule_id: str, name: str, as_json: bool) -> None:
    """Remove an offer by its name."""
    from app.services import rules

    rules.remove_offer(rule_id, name)
    show({"ruleId": rule_id, "offer": name, "status": "removed"}, as_json)
