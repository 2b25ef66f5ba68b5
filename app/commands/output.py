"""How commands talk: lines for people, one JSON value with --json, one sentence on failure."""

import json
import sys
from collections.abc import Callable, Mapping, Sequence
from functools import wraps
from typing import TYPE_CHECKING, Any, NoReturn, ParamSpec, TypeVar

import click

from app.core.errors import ServiceError
from app.settings import Settings, SettingsError

if TYPE_CHECKING:
    from flask import Flask

P = ParamSpec("P")
R = TypeVar("R")

_FILE_WIDTH = 400

as_json = click.option("--json", "as_json", is_flag=True, help="Print one JSON value.")


def settings_or_exit() -> Settings:
    try:
        return Settings.from_env()
    except SettingsError as error:
        fail(str(error), code=2)


def fail(message: str, *, code: int = 1) -> NoReturn:
    click.echo(f"copydesk-server: {message}", err=True)
    sys.exit(code)


def show(data: Mapping[str, Any], json_wanted: bool) -> None:
    """One object: `name  value` lines for people."""
    if json_wanted:
        click.echo(json.dumps(data, ensure_ascii=False))
        return
    width = max(len(key) for key in data)
    for key, value in data.items():
        click.echo(f"{key:<{width}}  {value}")


def show_list(rows: Sequence[Mapping[str, Any]], json_wanted: bool, nothing: str) -> None:
    """Several objects of one kind: a table for people."""
    if json_wanted:
        click.echo(json.dumps(list(rows), ensure_ascii=False))
        return
    if not rows:
        click.echo(nothing)
        return
    # Imported here: most commands print no table.
    from rich.console import Console
    from rich.table import Table

    table = Table(box=None, pad_edge=False)
    for name in rows[0]:
        # An id that is cut short is of no use.
        table.add_column(name, no_wrap=name.endswith("Id"), overflow="fold")
    for row in rows:
        table.add_row(*("" if value is None else str(value) for value in row.values()))
    # Where nobody looks at it, rich would take a line to have 80 characters.
    Console(width=None if sys.stdout.isatty() else _FILE_WIDTH).print(table)


def with_app(command: Callable[P, R]) -> Callable[P, R]:
    """Run a command inside the application, its database migrated; errors become a sentence."""

    @wraps(command)
    def run(*args: P.args, **kwargs: P.kwargs) -> R:
        app = migrated_app(settings_or_exit())
        try:
            with app.app_context():
                return command(*args, **kwargs)
        except ServiceError as error:
            fail(error.message)

    return run


def migrated_app(settings: Settings) -> "Flask":
    """The application on a database that is brought up to date first; ends the command with a
    sentence where the database is out of reach."""
    from sqlalchemy.exc import OperationalError

    from app import create_app
    from app.store.database import migrate_to_head

    app = create_app(settings)
    try:
        migrate_to_head(app)
    except OperationalError as error:
        reason = str(error.orig).strip().splitlines()[0]
        fail(f"the database cannot be used: {reason}. Check COPYDESK_DATABASE_URL.")
    return app
