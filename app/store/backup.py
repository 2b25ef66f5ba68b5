"""Backups of SQLite: a copy of a database that may be in use, and a database made of one.

A backup is a plain SQLite file. PostgreSQL has its own programs (docs/guides/backup.md).
"""

import os
import sqlite3
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path

from app.core.errors import OperatorError
from app.store import database, sqlite
from app.store.database import Schema, schema_at


class BackupError(OperatorError):
    """Why there is no backup, or why nothing was restored: a sentence for the operator."""


def back_up(file: Path) -> None:
    """Write a copy of the database as it is at one moment. It may be in use meanwhile.

    Only its owner can read the file. It appears under its name when it is complete.

    Raises:
        BackupError: the file exists, cannot be written, or the database cannot be read.
    """
    database_file = _database_file()
    if file.exists():
        raise BackupError(f"{file} exists. Choose another name.")
    with _copied(database_file, file.with_name(f"{file.name}.unfinished")) as (copy, _):
        copy.rename(file)


def age_of_newest(folder: Path) -> float:
    """Return how long ago, in seconds, the newest backup of a folder was written; infinity if none
    can be seen."""
    written = [0.0]
    for file in folder.glob("*.backup"):
        with suppress(OSError):
            written.append(file.stat().st_mtime)
    return max(0.0, time.time() - newest) if (newest := max(written)) else float("inf")


def restore(file: Path, *, replace: bool = False) -> Path | None:
    """Put a backup in the place of the database. An earlier database is kept beside it under
    another name, which is returned.

    Args:
        replace: Do so even if there is a database.

    Raises:
        BackupError: the backup is damaged, or of a version that this one cannot migrate; or there
            is a database, or it is in use. The database is as it was.
    """
    target = _database_file()
    with _copied(file, target.with_name(f"{target.name}.restored")) as (copy, revision):
        if schema_at(revision) is Schema.FOREIGN:
            raise BackupError(
                f"{file} was made by another version of Copydesk, and this one cannot migrate it."
                " Use that version."
            )
        kept = None
        if target.exists():
            if not replace:
                raise BackupError(
                    "There is a database already. Pass --replace to put the backup in its place."
                )
            kept = _set_aside(target)
        copy.rename(target)
    return kept


def _database_file() -> Path:
    url = database.engine().url
    if url.get_backend_name() != "sqlite":
        raise BackupError(
            "The database is on PostgreSQL. Use pg_dump, and docker/restore.sh to restore; see"
            " docs/guides/backup.md."
        )
    return sqlite.file_of(url)


@contextmanager
def _copied(source: Path, target: Path) -> Iterator[tuple[Path, str]]:
    """Copy a database that may be in use, row by row, to a file that only its owner can read.
    Yield the file, which is deleted afterwards if it still has this name, and its revision."""
    try:
        target.unlink(missing_ok=True)
        # SQLite fills an empty file, and would create one that others can read.
        os.close(os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
        with closing(sqlite3.connect(f"{source.resolve().as_uri()}?mode=ro", uri=True)) as opened:
            opened.execute("VACUUM INTO ?", (str(target),))
            (revision,) = opened.execute("SELECT max(version_num) FROM alembic_version").fetchone()
        with target.open("rb") as written:
            os.fsync(written.fileno())
        yield target, revision
    except sqlite3.DatabaseError as error:
        raise BackupError(f"{source} is damaged or no database of Copydesk: {error}.") from None
    except OSError as error:
        raise BackupError(f"{target} cannot be written: {error.strerror}.") from None
    finally:
        with suppress(OSError):
            target.unlink(missing_ok=True)


def _set_aside(target: Path) -> Path:
    """Rename the files of a database; return the new path of the first.

    Raises:
        BackupError: it is in use.
    """
    with suppress(sqlite3.DatabaseError), closing(sqlite3.connect(target)) as opened:
        opened.execute("SELECT count(*) FROM sqlite_master")
    # SQLite deletes the log when the last connection closes.
    if target.with_name(f"{target.name}-wal").exists():
        raise BackupError("The database is in use. Stop the service, then restore.")
    number = 1
    while (kept := target.with_name(f"{target.name}.replaced-{number}")).exists():
        number += 1
    # The log first: a database must never get the log of another one.
    for suffix in reversed(sqlite.SUFFIXES):
        with suppress(FileNotFoundError):
            target.with_name(target.name + suffix).rename(kept.with_name(kept.name + suffix))
    return kept
