"""What commands share: opening the database, printing results, and ending with an error."""

import json
import re
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import wraps
from typing import TYPE_CHECKING, Any, Literal, NoReturn

import click

from app.core.errors import ServiceError, ValidationFailed

if TYPE_CHECKING:
    from app.container import Services
    from app.settings import Settings
    from app.store.accounts import Kind

# Modules that take long to load are imported where they are used, so that --help is quick.


# All other commands on the database are in the audit log.
_READS = frozenset({"list", "runs", "plan", "show", "evidence"})


# The arguments that take an id or a name, and who finds the id.
_NAMED: Mapping[str, "Kind"] = {"account_id": "account", "token_id": "feed", "rule_id": "rule"}

# PostgreSQL's code for it.
_INSUFFICIENT_PRIVILEGE = "42501"
_PLACES = "COPYDESK_DATA_DIR and COPYDESK_DATABASE_URL"

as_json = click.option("--json", "as_json", is_flag=True, help="Print one JSON value.")


def settings_or_exit() -> "Settings":
    """Return the settings from the environment. End the command if one is invalid."""
    from app.settings import Settings, SettingsError

    try:
        return Settings.load()
    except SettingsError as error:
        fail(str(error), code=2)


class Failed(click.ClickException):
    """Ends the command with a message on stderr."""

    def __init__(self, message: str, exit_code: int = 1) -> None:
        super().__init__(message)
        self.exit_code = exit_code  # type: ignore[misc]  # click's is of the class

    def show(self, file: Any = None) -> None:
        click.echo(f"copydesk-server: {self.message}", err=True)


def fail(message: str, *, code: Literal[1, 2] = 1) -> NoReturn:
    """End the command with a message on stderr."""
    raise Failed(message, code)


def show(
    result: Mapping[str, Any] | Sequence[Mapping[str, Any]],
    as_json: bool,
    nothing: str = "",
    columns: Sequence[str] = (),
) -> None:
    """Print an object as ``name  value`` lines, or a list of objects as a table.

    A table fits the terminal, or 80 columns if there is none: long texts are wrapped, ids and times
    are not.

    Args:
        as_json: Print JSON instead.
        nothing: What to print if the list is empty.
        columns: The members that a table shows; all by default.
    """
    if as_json:
        click.echo(json.dumps(result, ensure_ascii=False))
    elif isinstance(result, Mapping):
        width = max(len(key) for key in result)
        for key, value in result.items():
            click.echo(f"{key:<{width}}  {_cell(value)}")
    elif result:
        _print_table(result, columns or list(result[0]))
    else:
        click.echo(nothing)


_TIME = re.compile(r"(\d{4}-\d\d-\d\d)T(\d\d:\d\d):[\d.]+Z")
# Members that are useless in parts.
_WHOLE = ("Id", "At", "Key", "Secret", "slot")


def _cell(value: Any) -> str:
    """Return a value as text in one line."""
    if isinstance(value, (list, tuple)):
        value = ", ".join(map(str, value))
    elif isinstance(value, bool):
        value = "yes" if value else "no"
    return "" if value is None else " ".join(str(value).split())


def _print_table(rows: Sequence[Mapping[str, Any]], columns: Sequence[str]) -> None:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="")
    for name in columns:
        table.add_column(name, no_wrap=name.endswith(_WHOLE), overflow="fold")
    for row in rows:
        texts = (_TIME.sub(r"\1 \2", _cell(row[name])) for name in columns)
        table.add_row(*map(Text, texts))
    Console().print(table)


def database_command(
    group: click.Group | None,
    name: str,
    *,
    nothing: str = "",
    create: bool = False,
    columns: Sequence[str] = (),
) -> Callable[[Callable[..., Any]], click.Command]:
    """Return a decorator that makes a function a command on the database, in a group.

    The command prints what the function returns, as JSON with --json. A value that the function
    refuses is a usage error.

    Args:
        nothing: What to print if the function returns an empty list.
        create: Create or migrate the database first.
        columns: What a table shows; --json prints all members.
    """

    def decorate(function: Callable[..., Any]) -> click.Command:
        @wraps(function)
        def run(*args: Any, as_json: bool, **kwargs: Any) -> None:
            with opened_database(settings_or_exit(), create=create):
                try:
                    given = with_ids(kwargs)
                    if name not in _READS:
                        _record(given)
                    result = function(*args, **given)
                except ValidationFailed as error:
                    fail(error.operator, code=2)
            show(result, as_json, nothing, columns)

        command = as_json(click.command(name)(run))
        if group is not None:
            group.add_command(command)
        return command

    return decorate


def _record(given: Mapping[str, Any]) -> None:
    """Add the running command to the audit log, with its first argument, which names an object."""
    from app.services.operators import COMMAND_LINE, record

    running = click.get_current_context()
    names = [each.name for each in running.command.params if isinstance(each, click.Argument)]
    subject = str(given.get(names[0] or "", "")) if names else ""
    action = running.command_path.partition(" ")[2]
    record(services().context, COMMAND_LINE, action, subject)


of_account = click.option("--account", "account_id", help="Only those of this account.")


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

        number = click.IntRange(1, 1000)
        for option in (
            click.option("--before", default="", help="Only those older than this id."),
            click.option(
                "--limit", default=50, show_default=True, type=number, help="Maximum number."
            ),
        ):
            run = option(run)
        return database_command(group, "list", nothing=nothing, columns=columns)(run)

    return decorate


def with_ids(arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Return the arguments of a command with the ids of accounts, feeds and rules instead of their
    names."""
    named = {name: arguments[name] for name in _NAMED if arguments.get(name)}
    if not named:
        return dict(arguments)
    from app.services import lookups

    ids = {name: lookups.id_of(_NAMED[name], text) for name, text in named.items()}
    return {**arguments, **ids}


def is_terminal() -> bool:
    """Return whether a person can answer."""
    return sys.stdin.isatty()


def confirmed(question: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Return a decorator for commands that cannot be undone. On a terminal, they ask first, unless
    --yes is given. ``question`` may name arguments of the command in braces."""

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(function)
        def run(*args: Any, yes: bool, **kwargs: Any) -> Any:
            if not yes and is_terminal():
                # As it was typed, not the id.
                typed = click.get_current_context().params
                click.confirm(question.format_map(typed), abort=True, err=True)
            return function(*args, **kwargs)

        return click.option("--yes", is_flag=True, help="Do not ask on a terminal.")(run)

    return decorate


@contextmanager
def opened_database(settings: "Settings", *, create: bool = False) -> Iterator[None]:
    """Bind the database. End the command with a message if that or the block fails.

    Unless ``create`` is true, the database must exist and be of this version. This prevents tables
    in the wrong folder, and migrations while a service of an earlier version runs.
    """
    (migrate if create else bind_existing)(settings)
    try:
        yield
    except ServiceError as error:
        fail(error.operator)


def services() -> "Services":
    """Return the services for the settings from the environment, without what writes posts."""
    from app.container import build

    return build(settings_or_exit(), writes=False)


def bind_named(settings: "Settings", *, must_exist: bool = True) -> None:
    """Bind the database of the settings, of any version. End the command if its file must exist and
    does not, or if its folder cannot be created."""
    from app.store.database import Schema, bind, file_is_there

    # Checked first: binding a SQLite database creates its folder.
    if must_exist and not file_is_there(settings.sqlalchemy_url):
        fail(Schema.MISSING.value)
    try:
        bind(settings.sqlalchemy_url)
    except OSError as error:
        reason = f"{error.filename}: {error.strerror}. Check {_PLACES}."
        fail(f"the folder of the database cannot be created: {reason}")


def bind_existing(settings: "Settings") -> None:
    """Bind a database of this version without changing it. End the command if there is none."""
    from app.store.database import Schema, schema

    bind_named(settings)
    with database_faults(settings):
        if (found := schema()) is not Schema.CURRENT:
            fail(found.value)


def migrate(settings: "Settings") -> None:
    """Bind the database and migrate it to this version, and say which SQLite file was created. End
    the command if that fails."""
    from app.store import database
    from app.store.database import Schema

    bind_named(settings, must_exist=False)
    with database_faults(settings):
        found = database.schema()
        if found is Schema.FOREIGN:
            fail(found.value)
        if found is not Schema.CURRENT:
            database.migrate()
        url = database.engine().url
        if found is Schema.MISSING and url.get_backend_name() == "sqlite":
            click.echo(f"created the database {url.database}", err=True)


@contextmanager
def database_faults(settings: "Settings") -> Iterator[None]:
    """End the command with what is wrong if the block cannot use the database."""
    from sqlalchemy import make_url
    from sqlalchemy.exc import ProgrammingError, SQLAlchemyError

    from app.store.sqlite import forbidden
    from app.store.trouble import DatabaseTrouble

    try:
        yield
    except ProgrammingError as error:
        if getattr(error.orig, "sqlstate", None) != _INSUFFICIENT_PRIVILEGE:
            raise
        fail(
            "this database role may not change tables. Run `copydesk-server migrate` with the role"
            " that owns them."
        )
    except DatabaseTrouble as trouble:
        fail(str(trouble))
    except SQLAlchemyError as error:
        url = make_url(settings.sqlalchemy_url)
        place = forbidden(url) if url.get_backend_name() == "sqlite" else None
        if place is not None:
            reason = f"you may not write to {place}. Run the command as its owner"
            fail(f"the database cannot be used: {reason}, or check {_PLACES}.")
        reason = str(getattr(error, "orig", None) or error).strip().splitlines()[0]
        fail(f"the database cannot be used: {reason}. Check COPYDESK_DATABASE_URL.")
