"""What commands share: opening the database, printing results, and ending with an error."""

import json
import os
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn, TextIO
from unicodedata import east_asian_width

import click

from app.core.errors import ServiceError, ValidationFailed

if TYPE_CHECKING:
    from app.container import Services
    from app.settings import Settings
    from app.store.database import Database, Schema

# Modules that take long to load are imported where they are used, so that --help is quick.


class Number(click.IntRange):
    """A whole number from ``min`` to ``max``, as the type of an option."""

    name = "number"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        try:
            return int(super().convert(value, param, ctx))
        except click.BadParameter:
            bounds = f"from {self.min} to {self.max:,}"
            self.fail(f"must be a whole number {bounds}; it is “{value}”.", param, ctx)


_yes = click.option("--yes", is_flag=True, help="Do not ask on a terminal.")
# The arguments that take an id or a name.
_NAMED = ("account_id", "token_id", "rule_id")

# PostgreSQL's code for it.
_INSUFFICIENT_PRIVILEGE = "42501"

as_json = click.option("--json", "as_json", is_flag=True, help="Print one JSON value.")


def settings_or_exit() -> "Settings":
    """Return the settings from the environment. End the command if one is invalid."""
    from app.settings import Settings, SettingsError

    try:
        return Settings.from_env()
    except SettingsError as error:
        fail(str(error), code=2)


def fail(message: str, *, code: int = 1) -> NoReturn:
    """End the command with a message on stderr."""
    click.echo(f"copydesk-server: {message}", err=True)
    sys.exit(code)


def show(
    result: Mapping[str, Any] | Sequence[Mapping[str, Any]], as_json: bool, nothing: str = ""
) -> None:
    """Print an object as ``name  value`` lines, or a list of objects as a table.

    Args:
        as_json: Print JSON instead.
        nothing: What to print if the list is empty.
    """
    if as_json:
        click.echo(json.dumps(result, ensure_ascii=False))
    elif isinstance(result, Mapping):
        width = max(len(key) for key in result)
        for key, value in result.items():
            click.echo(f"{key:<{width}}  {value}")
    elif result:
        _print_table(result)
    else:
        click.echo(nothing)


def _print_table(rows: Sequence[Mapping[str, Any]]) -> None:
    # Not by rich, which takes an eighth of a command's time to load.
    lines = [list(rows[0])]
    for row in rows:
        cells = ("" if value is None else str(value) for value in row.values())
        lines.append([" ".join(cell.split()) for cell in cells])
    widths = [max(map(_columns, column)) for column in zip(*lines, strict=True)]
    for line in lines:
        padded = (
            cell + " " * (width - _columns(cell)) for cell, width in zip(line, widths, strict=True)
        )
        click.echo("  ".join(padded).rstrip())


def _columns(text: str) -> int:
    """Return how many columns of a terminal the text takes."""
    return sum(2 if east_asian_width(character) in "WF" else 1 for character in text)


def database_command(
    group: click.Group | None, name: str, *, nothing: str = "", create: bool = False
) -> Callable[[Callable[..., Any]], click.Command]:
    """Return a decorator that makes a function a command on the database, in a group.

    The command prints what the function returns, as JSON with --json. A value that the function
    refuses is a usage error.

    Args:
        nothing: What to print if the function returns an empty list.
        create: Create or migrate the database first.
    """

    def decorate(function: Callable[..., Any]) -> click.Command:
        @wraps(function)
        def run(*args: Any, as_json: bool, **kwargs: Any) -> None:
            with opened_database(settings_or_exit(), create=create), _wrong_values():
                result = function(*args, **with_ids(kwargs))
            show(result, as_json, nothing)

        command = as_json(click.command(name)(run))
        if group is not None:
            group.add_command(command)
        return command

    return decorate


def with_ids(arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Return the arguments of a command with the ids of accounts, feeds and rules instead of their
    names."""
    named = {name: arguments[name] for name in _NAMED if arguments.get(name)}
    if not named:
        return dict(arguments)
    from app.services import lookups

    find = (lookups.account_id, lookups.feed_id, lookups.rule_id)
    ids = {
        name: look(named[name]) for name, look in zip(_NAMED, find, strict=True) if name in named
    }
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

        return _yes(run)

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


@contextmanager
def _wrong_values() -> Iterator[None]:
    try:
        yield
    except ValidationFailed as error:
        fail(error.operator, code=2)


@contextmanager
def private_file(path: Path) -> Iterator[TextIO]:
    """Open a new file that only its owner can read, in place of one of that name.

    Raises:
        OSError: it cannot be written.
    """
    path.unlink(missing_ok=True)
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(handle, "w", encoding="utf-8") as file:
        yield file


def services() -> "Services":
    """Return the services for the settings from the environment."""
    from app.container import build

    return build(settings_or_exit())


def bind_named(settings: "Settings", *, must_exist: bool = True) -> "Database":
    """Bind the database of the settings, of any version. End the command if its file must exist and
    does not."""
    from app.store.database import bind

    if must_exist:
        _refuse_missing(settings)
    return bind(settings.sqlalchemy_url)


def bind_existing(settings: "Settings") -> None:
    """Bind a database of this version without changing it. End the command if there is none."""
    from app.store.database import Schema

    _refuse_missing(settings)
    with _usable_database(settings) as (_, schema):
        if schema is not Schema.CURRENT:
            fail(schema.value)


def _refuse_missing(settings: "Settings") -> None:
    from app.store.database import Schema, file_is_there

    # Checked first: binding a SQLite database creates its folder.
    if not file_is_there(settings.sqlalchemy_url):
        fail(Schema.MISSING.value)


def migrate(settings: "Settings") -> None:
    """Bind the database and migrate it to this version. End the command if that fails."""
    from app.store.database import Schema

    with _usable_database(settings) as (database, schema):
        if schema is Schema.NEWER:
            fail(schema.value)
        if schema is not Schema.CURRENT:
            database.migrate()


@contextmanager
def _usable_database(settings: "Settings") -> "Iterator[tuple[Database, Schema]]":
    from sqlalchemy.exc import OperationalError, ProgrammingError

    from app.store.database import bind, schema_of

    database = bind(settings.sqlalchemy_url)
    try:
        yield database, schema_of(database)
    except ProgrammingError as error:
        if getattr(error.orig, "sqlstate", None) != _INSUFFICIENT_PRIVILEGE:
            raise
        fail(
            "this database role may not change tables. Run `copydesk-server migrate` with the role"
            " that owns them."
        )
    except OperationalError as error:
        reason = str(error.orig).strip().splitlines()[0]
        fail(f"the database cannot be used: {reason}. Check COPYDESK_DATABASE_URL.")
