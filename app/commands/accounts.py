"""account, key, feed and plan."""

from collections.abc import Callable, Mapping
from dataclasses import asdict, replace
from datetime import timedelta
from typing import Any

import click

from app.commands.costs import shown_cap, spend_cap, warn_of_missing_prices
from app.commands.database import context, database_command, list_command, of_account
from app.commands.output import Row, confirmed
from app.core.billing.costs import plain_dollars
from app.core.billing.plan import Plan
from app.core.credentials import account_of
from app.core.feed.review import MAX_HOURS, Policy
from app.core.schemas.times import wire_time
from app.services import accounts, overview, removal
from app.services.accounts import NewSecret
from app.settings import Settings
from app.settings.service_address import public_url

_PLANS = "The plan: starter, growth or scale."


@click.group()
def account() -> None:
    """Manage accounts. Each account has a plan."""


@database_command(account, "create", create=True)
@click.argument("name")
@click.option("--plan", default="starter", show_default=True, help=_PLANS)
def account_create(name: str, plan: str) -> Row:
    """Create an account. Creates the database if it does not exist."""
    made = accounts.create_account(context(), name, plan)
    return {"accountId": made}


@list_command(account, "There are no accounts.", ("accountId", "name", "plan", "monthWords"))
def account_list(before: str, limit: int) -> list[Row]:
    """Show accounts, newest first, with their words and posts this month."""
    return [
        {
            "accountId": row.id,
            "name": row.name,
            "plan": row.plan_id,
            "monthWords": words,
            "monthPosts": posts,
            "createdAt": wire_time(row.created_at),
            "spendCap": None if row.spend_cap is None else plain_dollars(row.spend_cap),
        }
        for row, words, posts in overview.accounts(context(), before, limit)
    ]


@database_command(account, "update")
@click.argument("account_id", metavar="ACCOUNT")
@click.option("--plan", help=_PLANS)
@spend_cap
def account_update(account_id: str, plan: str | None, spend_cap: int | None) -> Row:
    """Move an account to another plan, or cap what its calls to models may cost."""
    if plan is None and spend_cap is None:
        raise click.UsageError("Nothing to change. Pass --plan or --spend-cap.")
    accounts.update_account(account_id, plan, spend_cap)
    changed: dict[str, Any] = {"accountId": account_id}
    if plan is not None:
        changed["plan"] = plan
    if spend_cap is not None:
        changed["spendCap"] = shown_cap(spend_cap)
        warn_of_missing_prices()
    return changed


@database_command(account, "delete")
@click.argument("account_id", metavar="ACCOUNT")
@confirmed("Delete the account {account_id} with its jobs and its usage? This cannot be undone.")
def account_delete(account_id: str) -> Row:
    """Delete an account with its keys, jobs, evidence and usage. This cannot be undone.

    Refused while it has feeds, keys that are not revoked, or work that is not finished.
    """
    removal.delete_account(account_id)
    return {"accountId": account_id, "status": "deleted"}


@click.group()
def key() -> None:
    """Manage the API keys of an account."""


@database_command(key, "create")
@click.argument("account_id", metavar="ACCOUNT")
@click.option("--sandbox", is_flag=True, help="Create a test key: fixed posts, nothing is billed.")
def key_create(account_id: str, sandbox: bool) -> Row:
    """Create an API key. It is shown only once."""
    made = accounts.create_key(context(), account_id, sandbox=sandbox)
    return {"keyId": made.id, "apiKey": made.secret}


@list_command(key, "There are no keys.", ("keyId", "apiKey", "account", "status"))
@of_account
def key_list(account_id: str, before: str, limit: int) -> list[Row]:
    """Show API keys, newest first, with their requests today. Test keys begin with cd_test_."""
    return [
        {
            "keyId": row.id,
            "accountId": account_of(row.account_id),
            "account": name,
            "apiKey": row.hint,
            "status": "revoked" if row.revoked_at else "active",
            "requestsToday": used,
            "createdAt": wire_time(row.created_at),
            "revokedAt": wire_time(row.revoked_at) if row.revoked_at else None,
        }
        for row, name, used in overview.keys(context(), account_id, before, limit)
    ]


@database_command(key, "revoke")
@click.argument("key_id")
@confirmed("Revoke the key {key_id}? Programs that use it fail at once. This cannot be undone.")
def key_revoke(key_id: str) -> Row:
    """Revoke a key immediately. This cannot be undone."""
    accounts.revoke_key(context(), key_id)
    return {"keyId": key_id, "status": "revoked"}


@database_command(key, "rotate")
@click.argument("key_id")
@confirmed("Replace the key {key_id}? Programs that use it fail at once.")
def key_rotate(key_id: str) -> Row:
    """Replace a key by a new one. The old one is revoked at once, and the new one shown only once.

    To let programs change over without a gap, use `key create`, then `key revoke`.
    """
    made = accounts.rotate_key(context(), key_id)
    return {"keyId": made.id, "apiKey": made.secret, "revoked": key_id}


@click.group("feed")
def feed() -> None:
    """Manage feeds. Each feed has an id and a secret feed URL."""


def _review_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options for the review of a feed to a command."""
    for option in (
        click.option(
            "--review-email", "email", help='Who is reminded every day of what waits; "": nobody.'
        ),
        click.option(
            "--review-then",
            "then",
            type=click.Choice(["approve", "reject"]),
            help="What happens to a post after these hours.",
        ),
        click.option(
            "--review-hours",
            "hours",
            type=click.IntRange(0, MAX_HOURS),
            help="How long a post waits for a review; 0: until there is one.",
        ),
        click.option(
            "--review",
            type=click.Choice(["none", "hold"]),
            help="With hold, a person approves each post before sites can pull it.",
        ),
    ):
        command = option(command)
    return command


def _changed(policy: Policy, members: Mapping[str, Any]) -> Policy:
    """Return a policy with what the options say."""
    given: dict[str, Any] = {
        name: value or None for name, value in members.items() if value is not None
    }
    return replace(policy, **given)


@database_command(feed, "create")
@click.argument("account_id", metavar="ACCOUNT")
@click.argument("name")
@click.option("--metered", is_flag=True, help="Count its words against the account's plan.")
@_review_options
def token_create(account_id: str, name: str, metered: bool, **members: Any) -> Row:
    """Create a feed. Its feed URL (pullUrl) and the token in it are shown only once."""
    policy = _changed(Policy(), members)
    made = accounts.create_token(context(), account_id, name, metered=metered, policy=policy)
    return _with_url(made)


def _with_url(made: NewSecret) -> Row:
    url = f"{public_url(Settings.load())}/v1/content-tokens/{made.secret}/latest"
    return {"tokenId": made.secret, "pullUrl": url, "feedId": made.id}


@list_command(feed, "There are no feeds.", ("feedId", "name", "account", "status", "monthWords"))
@of_account
def token_list(account_id: str, before: str, limit: int) -> list[Row]:
    """Show feeds, newest first, with their words and posts this month."""
    found = overview.feeds(context(), account_id, before, limit)
    return [
        {
            "feedId": row.id,
            "accountId": row.account_id,
            "account": name,
            "name": row.name,
            "tokenId": row.hint,
            "status": "paused" if row.paused else "active",
            "metered": row.metered,
            "review": row.review,
            "monthWords": words,
            "monthPosts": posts,
            "createdAt": wire_time(row.created_at),
        }
        for row, name, words, posts in found
    ]


@database_command(feed, "update")
@click.argument("token_id", metavar="FEED")
@click.option(
    "--metered/--no-metered",
    default=None,
    help="Whether to count its words against the account's plan.",
)
@_review_options
def token_update(token_id: str, metered: bool | None, **members: Any) -> Row:
    """Update a feed. Applies to items generated from now on."""
    if {metered, *members.values()} == {None}:
        raise click.UsageError("Say what to change, such as --metered or --review hold.")
    policy, shown = None, {} if metered is None else {"metered": metered}
    if any(value is not None for value in members.values()):
        policy = _changed(overview.feed(token_id)[0].policy, members)
        shown |= asdict(policy)
    accounts.update_token(token_id, metered=metered, policy=policy)
    return {"feedId": token_id, **shown}


@database_command(feed, "pause")
@click.argument("token_id", metavar="FEED")
def token_pause(token_id: str) -> Row:
    """Pause all rules of a feed. Queued items can still be pulled."""
    accounts.pause_token(token_id, paused=True)
    return {"feedId": token_id, "status": "paused"}


@database_command(feed, "resume")
@click.argument("token_id", metavar="FEED")
def token_resume(token_id: str) -> Row:
    """Resume the rules of a feed."""
    accounts.pause_token(token_id, paused=False)
    return {"feedId": token_id, "status": "active"}


@database_command(feed, "rotate")
@click.argument("token_id", metavar="FEED")
@click.option(
    "--keep-old",
    "hours",
    type=click.IntRange(0, 168),
    default=0,
    show_default=True,
    help="For how many hours the old feed URL works as well. Do not keep one that leaked.",
)
@confirmed("Replace the feed URL of {token_id}? The old one works for {hours} more hours.")
def token_rotate(token_id: str, hours: int) -> Row:
    """Give a feed a new feed URL, shown only once. The old one stops working at once, unless you
    keep it.

    Items, rules and what sites have pulled stay as they are.
    """
    made = accounts.rotate_token(context(), token_id, keep=timedelta(hours=hours))
    return _with_url(made)


@database_command(feed, "delete")
@click.argument("token_id", metavar="FEED")
@confirmed("Delete the feed {token_id}? Its feed URL stops working. This cannot be undone.")
def token_delete(token_id: str) -> Row:
    """Delete a feed. Its feed URL stops working at once. Refused while the feed has rules."""
    removal.delete_feed(token_id)
    return {"feedId": token_id, "status": "deleted"}


@click.group()
def plan() -> None:
    """Manage plans: limits on words and requests."""


@database_command(
    plan,
    "list",
    nothing="There are no plans.",
    columns=("planId", "monthlyWords", "maxWordsPerRequest", "requestsPerMinute", "requestsPerDay"),
)
def plan_list() -> list[Row]:
    """Show the plans and their limits."""
    return [_limits(entry) for entry in accounts.list_plans()]


@database_command(plan, "update")
@click.argument("plan_id")
@click.option("--monthly-words", type=int, help="Words per calendar month (UTC).")
@click.option("--max-words-per-request", type=int, help="Words per post.")
@click.option("--requests-per-minute", type=int, help="Requests per minute for each account.")
@click.option("--requests-per-day", type=int, help="Requests per day (UTC) for each API key.")
def plan_update(plan_id: str, **limits: int | None) -> Row:
    """Change limits of a plan immediately, for all its accounts."""
    given = {name: value for name, value in limits.items() if value is not None}
    if not given:
        raise click.UsageError("Say what to change, such as --monthly-words 20000.")
    return _limits(accounts.update_plan(plan_id, given))


def _limits(entry: Plan) -> Row:
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
