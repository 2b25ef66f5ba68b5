"""rule plan."""

import click

from app.commands.output import as_json, show, show_list, with_app
from app.core.metering import wire_time


@click.command("plan")
@click.argument("rule_id")
@click.option(
    "--count", type=click.IntRange(1, 1000), default=5, show_default=True, help="How many posts."
)
@as_json
@with_app
def rule_plan(rule_id: str, count: int, as_json: bool) -> None:
    """Show when a rule writes its next posts, and from which angle. Nothing is generated."""
    from app.services.rule_plan import plan_rule
    from app.wiring import ports

    wired = ports()
    plan = plan_rule(rule_id, count, wired.clock, wired.settings.schedule_policy)
    posts = [
        {"slot": wire_time(post.slot), "angle": post.angle.key, "about": post.angle.name}
        for post in plan.posts
    ]
    if as_json:
        whole = {"ruleId": rule_id, "name": plan.rule_name, "status": plan.status, "posts": posts}
        show(whole, as_json)
        return
    click.echo(f"“{plan.rule_name}” is {plan.status}.")
    if plan.paused:
        click.echo("It writes nothing until it is resumed; then:")
    show_list(posts, as_json, "")
