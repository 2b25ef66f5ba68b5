"""Commands on the database: how they are made, listed and logged."""

from collections.abc import Callable, Mapping, Sequence
from functools import wraps
from typing import Any

import click

from app.commands.opening import database_faults, open_database
from app.commands.output import Row, as_json, refused_values, show
from app.container import build
from app.services import audit, lookups
from app.services.context import Context
from app.services.lookups import Kind
from app.settings import Settings

# All other commands on the database are in the audit log.
_READS = frozenset({"costs", "list", "runs", "plan", "show", "evidence"})
# The arguments that take an id or a name.
_NAMED: Mapping[str, Kind] = {"account_id": "account", "token_id": "feed", "rule_id": "rule"}

of_account = click.option("--account", "account_id", default="", help="Only those of this account.")


def database_command(
    group: click.Group | None,
    name: str,
    *,
    nothing: str = "",
    create: bool = False,
    columns: Sequence[str] = (),
) -> Callable[[Callable[..., Any]], click.Command]:
    """Return a decorator that makes a function a command on the database, in a group.

    The command prints what the function returns, as JSON with --json.

    Args:
        nothing: What to print if the function returns an empty list.
        create: Create or migrate the database first.
        columns: What a table shows; --json prints all members.
    """

    def decorate(function: Callable[..., Any]) -> click.Command:
        @wraps(function)
        def run(*args: Any, as_json: bool, **kwargs: Any) -> None:
            settings = Settings.load()
            open_database(settings, create=create)
            with database_faults(settings), refused_values():
                given = with_ids(kwargs)
                if name not in _READS:
                    _record(given)
                result = function(*args, **given)
            show(result, as_json, nothing, columns)

        command = as_json(click.command(name)(run))
        if group is not None:
            group.add_command(command)
        return command

    return decorate


def _record(given: Mapping[str, Any]) -> None:
    """Add the running command to the audit log, with its first argument, which names an object."""
    running = click.get_current_context()
    names = [each.name for each in running.command.params if isinstance(each, click.Argument)]
    named = given.get(names[0] or "", "") if names else ""
    subject = " ".join(named) if isinstance(named, tuple) else str(named)
    action = running.command_path.partition(" ")[2]
    audit.record(context(), audit.COMMAND_LINE, action, subject)


def list_command(
    group: click.Group, nothing: str, columns: Sequence[str]
) -> Callable[[Callable[..., Any]], click.Command]:
    """Return a decorator that makes a function the command `list` of a group: the newest objects
    first, a page at a time. The first of the columns is the id of an object; the rest is as in
    ``database_command``."""

    def decorate(function: Callable[..., Any]) -> click.Command:
        @wraps(function)
        def run(*args: Any, limit: int, **kwargs: Any) -> Any:
            rows = function(*args, limit=limit, **kwargs)
            if len(rows) == limit:
                click.echo(f"There may be more: add --before {rows[-1][columns[0]]}", err=True)
            return rows

        before = click.option("--before", default="", help="Only those older than this id.")
        paged = limited(50, "number")(before(run))
        return database_command(group, "list", nothing=nothing, columns=columns)(paged)

    return decorate


def limited(default: int, what: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Return a decorator that adds the option --limit: the maximum number of lines, for example."""
    return click.option(
        "--limit",
        default=default,
        show_default=True,
        type=click.IntRange(1, 1000),
        help=f"Maximum {what}.",
    )


def with_ids(arguments: Mapping[str, Any]) -> Row:
    """Return the arguments of a command with the ids of accounts, feeds and rules instead of their
    names."""
    ids = {
        name: lookups.id_of(kind, arguments[name])
        for name, kind in _NAMED.items()
        if arguments.get(name)
    }
    return {**arguments, **ids}


def context() -> Context:
    """Return what the services work with, for the settings of this process, without what writes
    posts."""
    return build(Settings.load(), writes=False).context
