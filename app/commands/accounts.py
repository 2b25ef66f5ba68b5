"""account, key and token."""

import click

from app.commands.output import as_json, show, show_list, with_app
from app.core.metering import wire_time


@click.group()
def account() -> None:
    """Customers, each on a plan."""


@account.command("create")
@click.argument("name")
@click.option("--plan", default="starter", show_default=True, help="starter, growth or scale.")
@as_json
@with_app
def account_create(name: str, plan: str, as_json: bool) -> None:
    """Make an account."""
    from app.services import accounts
    from app.wiring import ports

    show({"accountId": accounts.create_account(name, plan, ports().clock)}, as_json)


@account.command("list")
@as_json
@with_app
def account_list(as_json: bool) -> None:
    """Show all accounts."""
    from app.services import accounts

    rows = [
        {
            "accountId": row.id,
            "name": row.name,
            "plan": row.plan_id,
            "createdAt": wire_time(row.created_at),
        }
        for row in accounts.list_accounts()
    ]
    show_list(rows, as_json, "There are no accounts.")


@account.command("update")
@click.argument("account_id")
@click.option("--plan", required=True, help="starter, growth or scale.")
@as_json
@with_app
def account_update(account_id: str, plan: str, as_json: bool) -> None:
    """Put an account on another plan."""
    from app.services import accounts

    accounts.change_plan(account_id, plan)
    show({"accountId": account_id, "plan": plan}, as_json)


@click.group()
def key() -> None:
    """API keys of an account."""


@key.command("create")
@click.argument("account_id")
@as_json
@with_app
def key_create(account_id: str, as_json: bool) -> None:
    """Make an API key. It is shown this one time."""
    from app.services import accounts
    from app.wiring import ports

    made = accounts.create_key(account_id, ports().clock)
    show({"keyId": made.id, "apiKey": made.secret}, as_json)


@key.command("list")
@click.argument("account_id")
@as_json
@with_app
def key_list(account_id: str, as_json: bool) -> None:
    """Show the keys of an account."""
    from app.services import accounts

    rows = [
        {
            "keyId": row.id,
            "apiKey": row.hint,
            "createdAt": wire_time(row.created_at),
            "revokedAt": wire_time(row.revoked_at) if row.revoked_at else None,
        }
        for row in accounts.list_keys(account_id)
    ]
    show_list(rows, as_json, "This account has no keys.")


@key.command("revoke")
@click.argument("key_id")
@as_json
@with_app
def key_revoke(key_id: str, as_json: bool) -> None:
    """Make a key useless, at once and for good."""
    from app.services import accounts
    from app.wiring import ports

    accounts.revoke_key(key_id, ports().clock)
    show({"keyId": key_id, "status": "revoked"}, as_json)


@click.group()
def token() -> None:
    """Content tokens: destination feeds with a secret pull URL each."""


@token.command("create")
@click.argument("account_id")
@click.argument("name")
@click.option("--metered", is_flag=True, help="Its words count against the account's plan.")
@as_json
@with_app
def token_create(account_id: str, name: str, metered: bool, as_json: bool) -> None:
    """Make a feed. Its token and pull URL are shown this one time."""
    from app.services import accounts
    from app.wiring import ports

    made = accounts.create_token(account_id, name, ports().clock, metered=metered)
    base = ports().settings.public_url
    show(
        {
            "tokenId": made.secret,
            "pullUrl": f"{base}/v1/content-tokens/{made.secret}/latest",
            "handle": made.id,
        },
        as_json,
    )


@token.command("list")
@click.argument("account_id")
@as_json
@with_app
def token_list(account_id: str, as_json: bool) -> None:
    """Show the feeds of an account, and what was made for each this month."""
    from app.services import accounts
    from app.wiring import ports

    rows = [
        {
            "handle": row.id,
            "name": row.name,
            "tokenId": row.hint,
            "status": "paused" if row.paused else "active",
            "metered": row.metered,
            "monthWords": words,
            "monthPosts": posts,
            "createdAt": wire_time(row.created_at),
        }
        for row, words, posts in accounts.list_tokens(account_id, ports().clock)
    ]
    show_list(rows, as_json, "This account has no tokens.")


@token.command("update")
@click.argument("token_id")
@click.option(
    "--metered/--no-metered",
    default=None,
    help="Whether its words count against the account's plan.",
)
@as_json
@with_app
def token_update(token_id: str, metered: bool | None, as_json: bool) -> None:
    """Change a feed, for the items that are generated from now on. Takes the token or its
    handle."""
    from app.services import accounts

    if metered is None:
        raise click.UsageError("Say what to change: --metered or --no-metered.")
    handle = accounts.meter_token(token_id, metered=metered)
    show({"handle": handle, "metered": metered}, as_json)


@token.command("pause")
@click.argument("token_id")
@as_json
@with_app
def token_pause(token_id: str, as_json: bool) -> None:
    """Stop all rules of a feed; what is queued stays pullable. Takes the token or its handle."""
    from app.services import accounts

    show({"handle": accounts.pause_token(token_id, paused=True), "status": "paused"}, as_json)


@token.command("resume")
@click.argument("token_id")
@as_json
@with_app
def token_resume(token_id: str, as_json: bool) -> None:
    """Let the rules of a feed run again."""
    from app.services import accounts

    show({"handle": accounts.pause_token(token_id, paused=False), "status": "active"}, as_json)
