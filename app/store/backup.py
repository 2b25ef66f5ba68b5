"""Backups: a consistent copy of a database that may be in use, and a database made of one.

A backup is a plain SQLite file, or an archive of PostgreSQL in the custom format, so that their own
programs can read it as well.
"""

import os
import sqlite3
import subprocess
import time
from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryDirectory

from sqlalchemy import URL, inspect, text
from sqlalchemy.exc import SQLAlchemyError

from app.core.errors import OperatorError
from app.extensions import Base
from app.store import database, sqlite
from app.store.database import Schema, schema_at

_VERSIONS = "alembic_version"
# Tables that a database of an earlier version has.
_FORMER = {"answered_intents", "claim_keys", "cost_days", "cost_months", "post_claims"}
_LOCK_NOT_AVAILABLE = "55P03"
_LONGEST_REASON = 500


class BackupError(OperatorError):
    """Why there is no backup, or why nothing was restored: a sentence for the operator."""


class _ProgramFailed(BackupError):
    """A client program of PostgreSQL failed."""


def back_up(file: Path) -> None:
    """Write a copy of the database as it is at one moment. It may be in use meanwhile.

    Only its owner can read the file. It appears under its name when it is complete.

    Raises:
        BackupError: the file exists, cannot be written, or the database cannot be read.
    """
    if file.exists():
        raise BackupError(f"{file} exists. Choose another name.")
    unfinished = file.with_name(f"{file.name}.unfinished")
    try:
        _make_private(unfinished)
        url = database.engine().url
        if url.get_backend_name() == "sqlite":
            _copy(sqlite.file_of(database.engine().url), unfinished)
        else:
            _run("pg_dump", "--format=custom", f"--file={unfinished}", url=url)
        with unfinished.open("rb") as written:
            os.fsync(written.fileno())
        unfinished.rename(file)
    except OSError as error:
        raise BackupError(f"{file} cannot be written: {error.strerror}.") from None
    finally:
        with suppress(OSError):
            unfinished.unlink(missing_ok=True)


def age_of_newest(folder: Path) -> float:
    """Return how long ago, in seconds, the newest backup of a folder was written; infinity if none
    can be seen."""
    written = [0.0]
    for file in folder.glob("*.backup"):
        with suppress(OSError):
            written.append(file.stat().st_mtime)
    return max(0.0, time.time() - newest) if (newest := max(written)) else float("inf")


def restore(file: Path, *, replace: bool = False) -> Path | None:
    """Put a backup in the place of the database.

    A SQLite database is kept beside it under another name, which is returned.

    Args:
        replace: Do so even if there is a database.

    Raises:
        BackupError: the backup is damaged, of a version that this one cannot migrate or of another
            kind of database; there is a database or it is in use; or a program failed. The database
            is as it was.
    """
    if database.engine().dialect.name == "sqlite":
        return _restore_file(sqlite.file_of(database.engine().url), file, replace)
    with TemporaryDirectory() as folder:
        script = Path(folder) / "restore.sql"
        try:
            _run("pg_restore", "--no-owner", "--no-privileges", f"--file={script}", str(file))
        except _ProgramFailed as failed:
            raise BackupError(f"{file} is damaged or no backup of PostgreSQL: {failed}") from None
        _require_known(file, _revision_in(script))
        tables = _tables_to_replace(replace)
        try:
            _replace(tables, script)
        except _ProgramFailed as failed:
            raise BackupError(f"The database is as it was, because {failed}") from None
    return None


def _require_known(file: Path, revision: str | None) -> None:
    if revision is None:
        raise BackupError(f"{file} is not a backup of Copydesk.")
    if schema_at(revision) is Schema.FOREIGN:
        raise BackupError(
            f"{file} was made by another version of Copydesk, and this one cannot migrate it. Use"
            " that version."
        )


_EXISTS = "There is a database already. Pass --replace to put the backup in its place."
_IN_USE = "The database is in use. Stop the service, then restore."

# SQLite


def _make_private(file: Path) -> None:
    """Create an empty file that only its owner can read, in the place of an earlier one."""
    file.unlink(missing_ok=True)
    os.close(os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))


def _copy(source: Path, target: Path) -> str | None:
    """Copy a database that may be in use into an empty file, row by row; return its revision."""
    try:
        with closing(sqlite3.connect(f"{source.resolve().as_uri()}?mode=ro", uri=True)) as opened:
            opened.execute("VACUUM INTO ?", (str(target),))
            row = opened.execute(f"SELECT version_num FROM {_VERSIONS}").fetchone()  # noqa: S608
    except sqlite3.DatabaseError as error:
        raise BackupError(f"{source} is damaged or no database of Copydesk: {error}.") from None
    return None if row is None else str(row[0])


def _restore_file(target: Path, file: Path, replace: bool) -> Path | None:
    new = target.with_name(f"{target.name}.restored")
    try:
        _make_private(new)
        _require_known(file, _copy(file, new))
        kept = None
        if target.exists():
            if not replace:
                raise BackupError(_EXISTS)
            kept = _set_aside(target)
        new.rename(target)
    except OSError as error:
        raise BackupError(f"{target} cannot be written: {error.strerror}.") from None
    finally:
        new.unlink(missing_ok=True)
    return kept


def _set_aside(target: Path) -> Path:
    """Rename the files of a database; return the new path of the first.

    Raises:
        BackupError: it is in use.
    """
    with suppress(sqlite3.DatabaseError), closing(sqlite3.connect(target)) as opened:
        opened.execute("SELECT count(*) FROM sqlite_master")
    # SQLite deletes the log when the last connection closes.
    if target.with_name(f"{target.name}-wal").exists():
        raise BackupError(_IN_USE)
    number = 1
    while (kept := target.with_name(f"{target.name}.replaced-{number}")).exists():
        number += 1
    # The log first: a database must never get the log of another one.
    for suffix in reversed(sqlite.SUFFIXES):
        with suppress(FileNotFoundError):
            target.with_name(target.name + suffix).rename(kept.with_name(kept.name + suffix))
    return kept


# PostgreSQL


def _revision_in(script: Path) -> str | None:
    """Return the revision that a script of pg_restore stores."""
    with script.open("rb") as lines:
        for line in lines:
            if line.startswith(b"COPY ") and f"{_VERSIONS} (".encode() in line:
                return next(lines).decode().strip()
    return None


def _tables_to_replace(replace: bool) -> Iterable[str]:
    """Return the tables of Copydesk that the database has.

    Raises:
        BackupError: it is of another version or in use, or may not be replaced.
    """
    if database.schema() is Schema.FOREIGN:
        raise BackupError(Schema.FOREIGN.value)
    with _reported(), database.engine().begin() as connection:
        in_use = connection.scalar(
            text(
                "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()"
                " AND application_name = 'copydesk' AND pid <> pg_backend_pid()"
            )
        )
        if in_use:
            raise BackupError(_IN_USE)
        there = inspect(connection).get_table_names()
        mine = {*Base.metadata.tables, *_FORMER, _VERSIONS}.intersection(there)
        if mine and not replace:
            raise BackupError(_EXISTS)
        for name in mine:
            # Waits no longer for who uses the table than any statement of the service.
            connection.execute(text(f'LOCK TABLE "{name}"'))
    return mine


@contextmanager
def _reported() -> Iterator[None]:
    try:
        yield
    except SQLAlchemyError as error:
        cause = getattr(error, "orig", None) or error
        if getattr(cause, "sqlstate", None) == _LOCK_NOT_AVAILABLE:
            raise BackupError(
                "Another program uses the tables. End it or its transaction, then restore."
            ) from None
        raise BackupError(
            f"The database cannot be used: {str(cause).strip().splitlines()[0]}."
        ) from None


def _replace(tables: Iterable[str], script: Path) -> None:
    """Drop the tables and execute the script, in one transaction.

    `pg_restore --clean` would keep tables that the archive does not know, and fail at those that
    they refer to.
    """
    drops = "".join(f'DROP TABLE "{name}" CASCADE;' for name in tables)
    _run(
        "psql",
        "--quiet",
        "--no-psqlrc",
        "--set=ON_ERROR_STOP=1",
        "--single-transaction",
        f"--command=SET client_min_messages = warning; SET lock_timeout = '10s'; {drops}",
        f"--file={script}",
        url=database.engine().url,
    )


def _run(name: str, *options: str, url: URL | None = None) -> None:
    """Run a client program of PostgreSQL.

    The password goes into the environment, because everybody can see a command line.
    """
    env = dict(os.environ)
    if url is not None:
        address = url.set(drivername="postgresql", password=None)
        options = (f"--dbname={address.render_as_string()}", *options)
        if url.password:
            env["PGPASSWORD"] = str(url.password)
    try:
        done = subprocess.run([name, *options], env=env, capture_output=True)  # noqa: S603
    except FileNotFoundError:
        raise BackupError(
            f"{name} is not installed. Install the client programs of PostgreSQL (on Debian:"
            " postgresql-client) in the version of the server."
        ) from None
    if done.returncode:
        said = " ".join(done.stderr.decode(errors="replace").split())[:_LONGEST_REASON]
        raise _ProgramFailed(f"{name} failed: {said}.")
