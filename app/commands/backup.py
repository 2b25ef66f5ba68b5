"""backup and restore."""

from datetime import UTC, datetime
from pathlib import Path

import click

from app.commands.opening import bind_named
from app.commands.output import confirmed
from app.settings import Settings
from app.store import backup as store


@click.command()
@click.argument("file", type=click.Path(path_type=Path))
def backup(file: Path) -> None:
    """Write a copy of the SQLite database to FILE while the service runs.

    If FILE is a folder, the copy gets a name with the time in it. Only you can read the copy. It
    contains secrets of webhooks. For PostgreSQL, use pg_dump.
    """
    if file.is_dir():
        file /= f"copydesk-{datetime.now(UTC):%Y%m%dT%H%M%SZ}.backup"
    bind_named(Settings.load())
    store.back_up(file)
    click.echo(file)


@click.command()
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--replace", is_flag=True, help="Restore even if there is a database.")
@confirmed("Restore {file}? What was stored since the backup is lost.")
def restore(file: Path, replace: bool) -> None:
    """Replace the SQLite database with the backup FILE. Stop the service first.

    A database that exists is refused unless you pass --replace, and then kept under another name.
    For PostgreSQL, use docker/restore.sh.
    """
    bind_named(Settings.load(), must_exist=False)
    kept = store.restore(file, replace=replace)
    if kept is not None:
        click.echo(f"the earlier database is now {kept}")
    click.echo("restored; the service migrates it when it starts, if necessary")
