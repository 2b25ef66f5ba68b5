"""rule and offer."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any, TypeVar

import click

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

F = TypeVar("F", bound=Callable[..., Any])

_TEXT_OPTIONS = {
    "topic": "Framing beyond the keywords.",
    "language": "BCP 47 code, such as en or de.",
    "region": "ISO 3166-1 code, such as US.",
    "tone": "professional, friendly or bold.",
    "target-audience": "Who reads it.",
    "brand-voice": "How the brand speaks.",
    "industry": "The field it is written for.",
}
_NUMBER_OPTIONS = {
    "max-words": "Most words of a post.",
    "min-words": "Fewest words of a post.",
    "max-sections": "Most sections of a post.",
}


def _framing(command: F) -> F:
    """The members of a GenerateRequest as options."""
    for name, text in reversed((_TEXT_OPTIONS).items()):
        command = click.option(f"--{name}", help=text)(command)
    for name, text in reversed(_NUMBER_OPTIONS.items()):
        command = click.option(f"--{name}", type=int, help=text)(command)
    return click.option("--faqs/--no-faqs", default=None, help="Add questions and answers.")(
        command
    )


def _request(keywords: tuple[str, ...], options: dict[str, Any]) -> dict[str, Any]:
    """The GenerateRequest members that were given on the command line."""
    names = {
        "target_audience": "targetAudience",
        "brand_voice": "brandVoice",
    }
    limits = {
        "max_words": "maxWords",
        "min_words": "minWords",
        "max_sections": "maxSections",
        "faqs": "includeFAQs",
    }
    request = {
        names.get(name, name): value
        for name, value in options.items()
        if value is not None and name not in limits
    }
    constraints = {
        limits[name]: value
        for name, value in options.items()
        if value is not None and name in limits
    }
    if constraints:
        request["constraints"] = constraints
    if keywords:
        request["keywords"] = list(keywords)
    return request


def _offer(text: str) -> dict[str, str]:
    name, separator, url = text.partition("=")
    if not separator:
        raise ValidationFailed(
            f"An offer has the form Name=https://…; it is “{text[:60]}”.", {"field": "offer"}
        )
    return {"name": name.strip(), "url": url.strip()}


@click.group()
def rule() -> None:
    """Keyword rules: what a feed is filled with, and how often."""


@rule.command("create")
@click.argument("token_id")
@click.argument("name")
@click.option("--keyword", "keywords", multiple=True, required=True, help="May be repeated.")
@click.option("--every", required=True, help="How often: 30m, 1h, 7d (15m to 30d).")
@click.option("--offer", "offers", multiple=True, help="Name=https://…; may be repeated.")
@_framing
@as_json
@with_app
def rule_create(
    token_id: str,
    name: str,
    keywords: tuple[str, ...],
    every: str,
    offers: tuple[str, ...],
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
        _request(keywords, options),
        parse_every(every),
        [_offer(text) for text in offers],
        wired.clock,
        wired.queue,
    )
    show({"ruleId": rule_id}, as_json)


@rule.command("list")
@click.argument("token_id")
@as_json
@with_app
def rule_list(token_id: str, as_json: bool) -> None:
    """Show the rules of a feed: what waits to be pulled, the next run, the last failure."""
    from app.services import rules

    rows = [
        {
            "ruleId": row.id,
            "name": row.name,
            "keywords": ", ".join(row.request["keywords"]),
            "every": format_every(timedelta(seconds=row.every_seconds)),
            "offers": ", ".join(offer["name"] for offer in row.offers),
            "status": "paused" if row.paused else "active",
            "pending": pending,
            "nextDueAt": None if row.paused else wire_time(row.next_due_at),
            "lastError": row.last_error,
        }
        for row, pending in rules.list_rules(token_id)
    ]
    show_list(rows, as_json, "This feed has no rules.")


@rule.command("update")
@click.argument("rule_id")
@click.option("--name")
@click.option("--keyword", "keywords", multiple=True, help="Replaces all keywords; repeatable.")
@click.option("--every", help="How often: 30m, 1h, 7d (15m to 30d).")
@_framing
@as_json
@with_app
def rule_update(
    rule_id: str,
    name: str | None,
    keywords: tuple[str, ...],
    every: str | None,
    as_json: bool,
    **options: Any,
) -> None:
    """Change what is given and leave the rest."""
    from app.services import rules
    from app.wiring import ports

    rules.update_rule(
        rule_id,
        ports().clock,
        name=name,
        request=_request(keywords, options),
        every=parse_every(every) if every else None,
    )
    show({"ruleId": rule_id, "status": "updated"}, as_json)


@rule.command("pause")
@click.argument("rule_id")
@as_json
@with_app
def rule_pause(rule_id: str, as_json: bool) -> None:
    """Stop a rule; what it has queued stays pullable."""
    from app.services import rules

    rules.pause_rule(rule_id, paused=True)
    show({"ruleId": rule_id, "status": "paused"}, as_json)


@rule.command("resume")
@click.argument("rule_id")
@as_json
@with_app
def rule_resume(rule_id: str, as_json: bool) -> None:
    """Let a rule run again."""
    from app.services import rules

    rules.pause_rule(rule_id, paused=False)
    show({"ruleId": rule_id, "status": "active"}, as_json)


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
                run = runs.start_now(rule_id, wired.clock)
                click.echo(f"generating an item of “{run.rule_name}” ...", err=True)
                item_id = runs.execute(run, wired.model, wired.clock, wired.limits)
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
