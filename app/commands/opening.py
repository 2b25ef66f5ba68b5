"""Opening the database for a command."""

from collections.abc import Iterator
from contextlib import contextmanager

import click
from sqlalchemy import make_url
from sqlalchemy.exc import IntegrityError, ProgrammingError, SQLAlchemyError

from app.commands.output import fail
from app.settings import Settings
from app.store import database
from app.store.database import Schema
from app.store.sqlite import forbidden

# PostgreSQL's code for it.
_INSUFFICIENT_PRIVILEGE = "42501"
_PLACES = "COPYDESK_DATA_DIR and COPYDESK_DATABASE_URL"
# What to do about what SQLite says.
_REMEDIES = {
    "database is locked": "Another program holds it: close it there",
    "database or disk is full": "Free space on its disk",
}


def bind_named(settings: Settings, *, must_exist: bool = True) -> None:
    """Bind the database of the settings, of any version. End the command if its file must exist and
    does not, or if its folder cannot be created."""
    # Checked first: binding a SQLite database creates its folder.
    if must_exist and not database.file_is_there(settings.sqlalchemy_url):
        fail(Schema.MISSING.value)
    try:
        database.bind(settings.sqlalchemy_url)
    except OSError as error:
        reason = f"{error.filename}: {error.strerror}. Check {_PLACES}."
        fail(f"the folder of the database cannot be created: {reason}")


def open_database(settings: Settings, *, create: bool = False) -> None:
    """Bind the database. End the command if it cannot be used.

    Unless ``create`` is true, it must exist and be of this version. This prevents tables in the
    wrong folder, and migrations while a service of an earlier version runs. Otherwise it is created
    or migrated, and a SQLite file that was created is named.
    """
    bind_named(settings, must_exist=not create)
    with database_faults(settings):
        found = database.schema()
        if found is Schema.CURRENT:
            return
        if found is Schema.FOREIGN or not create:
            fail(found.value)
        database.migrate()
        url = database.engine().url
        if found is Schema.MISSING and url.get_backend_name() == "sqlite":
            click.echo(f"created the database {url.database}", err=True)


@contextmanager
def database_faults(settings: Settings) -> Iterator[None]:
    """End the command with what is wrong if the block cannot use the database."""
    try:
        yield
    except ProgrammingError as error:
        if getattr(error.orig, "sqlstate", None) != _INSUFFICIENT_PRIVILEGE:
            raise
        fail(
            "this database role may not change tables. Run `copydesk-server migrate` with the role"
            " that owns them."
        )
    except IntegrityError:
        raise  # the database works
    except SQLAlchemyError as error:
        url = make_url(settings.sqlalchemy_url)
        place = forbidden(url) if url.get_backend_name() == "sqlite" else None
        if place is not None:
            reason = f"you may not write to {place}. Run the command as its owner"
            fail(f"the database cannot be used: {reason}, or check {_PLACES}.")
        reason = str(getattr(error, "orig", None) or error).strip().splitlines()[0]
        remedy = _REMEDIES.get(reason, "Check COPYDESK_DATABASE_URL")
        fail(f"the database cannot be used: {reason}. {remedy}.")
