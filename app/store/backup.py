"""Backups: a consistent copy of a database that may be in use, and a database made of one.

A backup is a plain SQLite file, or an archive of PostgreSQL in the custom format, so that their own
programs can read it as well.
"""

import os
import re
import sqlite3
import subprocess
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path

from sqlalchemy import URL, Connection, MetaData, inspect, select, text
from sqlalchemy.exc import SQLAlchemyError

from app.extensions import Base
from app.store import database, sqlite
from app.store.database import Schema, schema_at

_SQLITE, _POSTGRESQL = b"SQLite format 3\x00", b"PGDMP"
_VERSIONS = "alembic_version"
# Tables that a database of an earlier version has.
_FORMER = ("answered_intents", "claim_keys", "post_claims")
# Every new database has these rows.
_PRESET = {_VERSIONS, "plans"}
_REVISION = re.compile(r"^COPY \S*alembic_version .*\n(\w+)$", re.MULTILINE)
_LONGEST_REASON = 500


class BackupError(Exception):
    """Why there is no backup, or why nothing was restored: a sentence for the operator."""


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
        unfinished.unlink(missing_ok=True)
        os.close(os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
        if database.engine().dialect.name == "sqlite":
            _copy(_path(), unfinished)
            _examine(unfinished, "The database")
        else:
            _program("pg_dump", database.engine().url, "--format=custom", f"--file={unfinished}")
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
        replace: Do so even if the database has rows.

    Raises:
        BackupError: the backup is damaged, of a version that this one cannot migrate or of another
            kind of database; the database has rows or is in use; or a program failed. The database
            is as it was.
    """
    on_sqlite = database.engine().dialect.name == "sqlite"
    _check_kind(file, on_sqlite)
    found = _examine(file, str(file)) if on_sqlite else _examine_archive(file)
    match schema_at(found):
        case Schema.NEWER:
            raise BackupError(f"{file} was made by a newer version of Copydesk. Use that version.")
        case Schema.TOO_OLD:
            raise BackupError(
                f"{file} was made by a version from before the first release of Copydesk. Use that"
                " version."
            )
    if on_sqlite:
        return _restore_file(_path(), file, replace)
    _restore_archive(file, replace)
    return None


def _check_kind(file: Path, on_sqlite: bool) -> None:
    try:
        with file.open("rb") as opened:
            head = opened.read(len(_SQLITE))
    except OSError as error:
        raise BackupError(f"{file} cannot be read: {error.strerror}.") from None
    if not head.startswith((_SQLITE, _POSTGRESQL)):
        raise BackupError(f"{file} is not a backup of Copydesk.")
    if head.startswith(_SQLITE) is not on_sqlite:
        kinds = ("PostgreSQL", "SQLite") if on_sqlite else ("SQLite", "PostgreSQL")
        raise BackupError(
            f"{file} is a backup of {kinds[0]}, but COPYDESK_DATABASE_URL names {kinds[1]}."
        )


def _path() -> Path:
    return Path(database.engine().url.database or "").resolve()


def _copy(source: Path, target: Path) -> None:
    """Copy a SQLite database that may be in use into an empty file."""
    try:
        with (
            closing(sqlite3.connect(f"{source.as_uri()}?mode=ro", uri=True)) as copied,
            closing(sqlite3.connect(target)) as copy,
        ):
            copied.backup(copy)
            # One file, without a log beside it.
            copy.execute("PRAGMA journal_mode = DELETE")
    except sqlite3.Error as error:
        raise BackupError(f"{source} cannot be copied: {error}.") from None


def _examine(file: Path, name: str) -> str:
    """Return the revision of a SQLite file after checking every page. Errors use ``name``."""
    try:
        with closing(sqlite3.connect(f"{file.resolve().as_uri()}?mode=ro", uri=True)) as opened:
            (found,) = opened.execute("PRAGMA integrity_check(1)").fetchone()
            if found != "ok":
                raise BackupError(f"{name} is damaged: {' '.join(found.split())}.")
            row = opened.execute(f"SELECT version_num FROM {_VERSIONS}").fetchone()  # noqa: S608
    except sqlite3.DatabaseError as error:
        raise BackupError(f"{name} is damaged or not one of Copydesk: {error}.") from None
    if row is None:
        raise BackupError(f"{name} is not one of Copydesk.")
    return str(row[0])


def _restore_file(target: Path, file: Path, replace: bool) -> Path | None:
    if target.exists():
        _refuse_rows(target, replace)
    new = target.with_name(f"{target.name}.restored")
    new.unlink(missing_ok=True)
    try:
        os.close(os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
        _copy(file.resolve(), new)
        kept = _set_aside(target) if target.exists() else None
        new.rename(target)
    except OSError as error:
        raise BackupError(f"{target} cannot be written: {error.strerror}.") from None
    finally:
        new.unlink(missing_ok=True)
    return kept


def _refuse_rows(target: Path, replace: bool) -> None:
    """Raise BackupError if the file has rows or is in use. A damaged one counts as having rows."""
    try:
        with closing(sqlite3.connect(target)) as opened:
            names = opened.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall()
            tables = {name for (name,) in names} - _PRESET
            has_rows = any(
                opened.execute(f'SELECT 1 FROM "{name}" LIMIT 1').fetchone()  # noqa: S608
                for name in tables
            )
    except sqlite3.DatabaseError:
        has_rows = True
    else:
        # SQLite deletes the log when the last connection closes.
        if target.with_name(f"{target.name}-wal").exists():
            raise BackupError(f"{target} is in use. Stop the service, then restore.")
    if has_rows and not replace:
        raise BackupError(_HAS_ROWS)


_HAS_ROWS = (
    "The database has rows. Restore into an empty one, or pass --replace to put the backup in its"
    " place."
)


def _set_aside(target: Path) -> Path:
    """Rename the files of a database; return the new path of the first."""
    number = 1
    while (kept := target.with_name(f"{target.name}.replaced-{number}")).exists():
        number += 1
    # The log first: a database must never get the log of another one.
    for suffix in reversed(sqlite.SUFFIXES):
        with suppress(FileNotFoundError):
            target.with_name(target.name + suffix).rename(kept.with_name(kept.name + suffix))
    return kept


def _examine_archive(file: Path) -> str:
    """Return the revision of an archive of PostgreSQL after reading all of it."""
    try:
        _program("pg_restore", None, f"--file={os.devnull}", str(file))
        only = ("--data-only", f"--table={_VERSIONS}", "--file=-", str(file))
        found = _REVISION.search(_program("pg_restore", None, *only))
    except _ProgramFailed as failed:
        raise BackupError(f"{file} is damaged, or {failed}") from None
    if found is None:
        raise BackupError(f"{file} is not a backup of Copydesk.")
    return found[1]


def _restore_archive(file: Path, replace: bool) -> None:
    if database.schema() is Schema.NEWER:
        raise BackupError(Schema.NEWER.value)
    with _reported(), database.engine().begin() as connection:
        in_use = connection.scalar(
            text(
                "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()"
                " AND application_name = 'copydesk' AND pid <> pg_backend_pid()"
            )
        )
        if in_use:
            raise BackupError("The database is in use. Stop the service, then restore.")
        there = set(inspect(connection).get_table_names())
        if not replace and _has_rows(connection, there - _PRESET):
            raise BackupError(_HAS_ROWS)
    try:
        _replace(
            database.engine().url,
            file,
            there & {*Base.metadata.tables, *_FORMER, _VERSIONS},
        )
    except _ProgramFailed as failed:
        raise BackupError(f"The database is as it was, because {failed}") from None


def _replace(url: URL, file: Path, tables: set[str]) -> None:
    """Drop the tables and restore an archive, in one transaction.

    `pg_restore --clean` would keep tables that the archive does not know, and fail at those that
    they refer to.
    """
    drops = "".join(f'DROP TABLE "{name}" CASCADE;\n' for name in tables)
    head = f"BEGIN;\nSET LOCAL client_min_messages = warning;\n{drops}".encode()
    words, env = _command("psql", url, "--quiet", "--no-psqlrc", "--set=ON_ERROR_STOP=1")
    script, _ = _command("pg_restore", None, "--no-owner", "--no-privileges", "--file=-", str(file))
    pipe = subprocess.PIPE
    with (
        _installed("psql"),
        subprocess.Popen(  # noqa: S603
            words, env=env, stdin=pipe, stdout=subprocess.DEVNULL, stderr=pipe, bufsize=0
        ) as psql,
    ):
        assert psql.stdin is not None  # noqa: S101
        # If psql has ended, it says why.
        with suppress(BrokenPipeError):
            psql.stdin.write(head)
            done = subprocess.run(script, stdout=psql.stdin, stderr=pipe)  # noqa: S603
            if done.returncode == 0:
                # Only behind the whole archive: without it, the server rolls back.
                psql.stdin.write(b"COMMIT;\n")
        _, said = psql.communicate()
    _refuse_failure("psql", psql.returncode, said)
    _refuse_failure("pg_restore", done.returncode, done.stderr)


def _has_rows(connection: Connection, names: set[str]) -> bool:
    tables = MetaData()
    tables.reflect(connection, only=sorted(names))
    return any(
        connection.execute(select(text("1")).select_from(table).limit(1)).first() is not None
        for table in tables.tables.values()
    )


@contextmanager
def _reported() -> Iterator[None]:
    try:
        yield
    except SQLAlchemyError as error:
        reason = str(getattr(error, "orig", None) or error).strip().splitlines()[0]
        raise BackupError(f"The database cannot be used: {reason}.") from None


class _ProgramFailed(BackupError):
    """A client program of PostgreSQL failed."""


def _program(name: str, url: URL | None, *options: str) -> str:
    """Run a client program of PostgreSQL and return what it printed."""
    words, env = _command(name, url, *options)
    with _installed(name):
        done = subprocess.run(words, env=env, capture_output=True)  # noqa: S603
    _refuse_failure(name, done.returncode, done.stderr)
    return done.stdout.decode(errors="replace")


def _command(name: str, url: URL | None, *options: str) -> tuple[list[str], dict[str, str]]:
    """Return the command line and the environment of a client program.

    The password goes into the environment, because everybody can see a command line.
    """
    if url is None:
        return [name, *options], dict(os.environ)
    password = {"PGPASSWORD": str(url.password)} if url.password else {}
    address = url.set(drivername="postgresql", password=None)
    return [name, f"--dbname={address.render_as_string()}", *options], os.environ | password


@contextmanager
def _installed(name: str) -> Iterator[None]:
    try:
        yield
    except FileNotFoundError:
        raise BackupError(
            f"{name} is not installed. Install the client programs of PostgreSQL (on Debian:"
            " postgresql-client) in the version of the server."
        ) from None


def _refuse_failure(name: str, code: int, said: bytes) -> None:
    if code:
        lines = " ".join(said.decode(errors="replace").split())[:_LONGEST_REASON]
        raise _ProgramFailed(f"{name} failed: {lines}.")
