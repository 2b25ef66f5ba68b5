"""operator."""

import sys

import click

from app.commands.database import context, database_command
from app.commands.output import Row
from app.core.schemas.times import wire_time
from app.services import operators, totp
from app.services.passwords import PASSWORD_CHARS

_ROLES = click.Choice(["read", "write"])


@click.group()
def operator() -> None:
    """Manage operators, who sign in to the console."""


def _ask_password() -> str:
    """Return a new password: asked for twice on a terminal, else the first line of stdin."""
    if sys.stdin.isatty():
        asked = f"Password (at least {PASSWORD_CHARS[0]} characters)"
        password: str = click.prompt(asked, hide_input=True, confirmation_prompt=True)
        return password
    return sys.stdin.readline().rstrip("\r\n")


@database_command(operator, "create", create=True)
@click.argument("name")
@click.option("--role", type=_ROLES, default="write", show_default=True, help="What it may do.")
def operator_create(name: str, role: str) -> Row:
    """Create an operator. Asks for a password, or reads it from stdin."""
    made = operators.create_operator(context(), name, _ask_password(), operators.Role(role))
    return {"operatorId": made, "name": name, "role": role}


@database_command(operator, "list", nothing="There are no operators.")
def operator_list() -> list[Row]:
    """Show all operators."""
    return [
        {
            "operatorId": row.id,
            "name": row.name,
            "role": row.role,
            "codes": row.totp_secret is not None,
            "createdAt": wire_time(row.created_at),
        }
        for row in operators.list_operators()
    ]


@database_command(operator, "password")
@click.argument("name")
def operator_password(name: str) -> Row:
    """Set a new password. Signs the operator out everywhere."""
    return {"operatorId": operators.change_password(name, _ask_password()), "name": name}


@database_command(operator, "totp")
@click.argument("name")
@click.option("--remove", is_flag=True, help="Ask for no codes. Use it if the app is lost.")
def operator_totp(name: str, remove: bool) -> Row:
    """Ask an operator for codes of an authenticator app at sign-in.

    Prints the secret for the app, which is shown only once. Signs the operator out everywhere.
    """
    secret = None if remove else totp.new_secret()
    row: Row = {"operatorId": operators.set_codes(name, secret), "name": name}
    if secret is None:
        return row | {"codes": False}
    return row | {"secret": secret, "address": totp.address(secret, name)}


@database_command(operator, "remove")
@click.argument("name")
def operator_remove(name: str) -> Row:
    """Remove an operator. Signs it out everywhere."""
    return {"operatorId": operators.remove_operator(name), "name": name}
