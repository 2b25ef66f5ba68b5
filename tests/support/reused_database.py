"""One PostgreSQL database for many tests, for each of them as a fresh copy of its template.

Emptying the tables takes about half of the processor's time that it takes to make a copy, connect
to it and drop it.
"""

import psycopg
from psycopg.sql import SQL, Identifier

from tests.support.postgres import PostgresServer

# What belongs to the database and to none of its rows: tables with their columns, options,
# constraints and statistics, triggers, functions, schemas, settings. TRUNCATE writes the entries of
# a table in pg_class again, so rows are compared by their content and not by their writer (xmin).
_SHAPE = """
WITH shape(part) AS (
    SELECT concat_ws(' ', 'class', oid, relname, reloptions) FROM pg_class WHERE oid >= 16384
    UNION ALL
    SELECT concat_ws(' ', 'column', attrelid, attnum, xmin) FROM pg_attribute
        WHERE attrelid >= 16384
    UNION ALL SELECT concat_ws(' ', 'constraint', oid, xmin) FROM pg_constraint WHERE oid >= 16384
    UNION ALL SELECT concat_ws(' ', 'trigger', oid, xmin) FROM pg_trigger WHERE oid >= 16384
    UNION ALL SELECT concat_ws(' ', 'function', oid, xmin) FROM pg_proc WHERE oid >= 16384
    UNION ALL SELECT concat_ws(' ', 'schema', oid, xmin) FROM pg_namespace WHERE oid >= 16384
    UNION ALL
    SELECT concat_ws(' ', 'statistics', starelid, staattnum) FROM pg_statistic
        WHERE starelid >= 16384
    UNION ALL
    SELECT concat_ws(' ', 'setting', setconfig) FROM pg_db_role_setting
        JOIN pg_database ON pg_database.oid = setdatabase WHERE datname = current_database()
)
SELECT md5(string_agg(part, E'\\n' ORDER BY part)) FROM shape
"""
_TABLES = "SELECT tablename FROM pg_tables WHERE schemaname = 'public' ORDER BY tablename"


class ReusedDatabase:
    """Databases like the one at the address ``template``, one at a time."""

    def __init__(self, server: PostgresServer, template: str) -> None:
        self._server = server
        self._template = template
        self._url: str | None = None
        with _connect(template) as connection:
            self._shape = _shape(connection)
            self._tables = [name for (name,) in connection.execute(_TABLES)]
            # The plans, and the revision of the migrations.
            self._rows = {name: _read(connection, name) for name in self._tables}

    def fresh(self) -> str:
        """The address of a database like the template, at which there was none before. The one
        that was given out last is gone, and its connections are closed.

        The old address would lead what a test left running into the next test's database.
        """
        used, self._url = self._url, None
        if used is not None:
            self._url = self._renewed(used)
        if self._url is None:
            self._url = self._server.create_database(self._template)
        return self._url

    def _renewed(self, used: str) -> str | None:
        """The used one, renamed and with the template's rows alone; None, and it is dropped, where
        more than rows was changed or it is not available."""
        url = used
        try:
            url = self._server.rename_database(used)
            with _connect(url) as connection:
                if _shape(connection) == self._shape:
                    self._restore_rows(connection)
                    return url
        except psycopg.Error:
            # A setting that forbids to connect or to write, or somebody who comes back again and
            # again: whatever it was, a copy has none of it.
            pass
        self._server.drop_database(url)
        return None

    def _restore_rows(self, connection: "psycopg.Connection[tuple[str]]") -> None:
        tables = SQL(", ").join(map(Identifier, self._tables))
        connection.execute(SQL("TRUNCATE {} RESTART IDENTITY").format(tables))
        for name, rows in self._rows.items():
            if rows:
                statement = SQL("COPY {} FROM STDIN").format(Identifier(name))
                with connection.cursor().copy(statement) as copy:
                    copy.write(rows)


def _connect(url: str) -> "psycopg.Connection[tuple[str]]":
    # Who holds a lock all the same must not hold up every test that follows.
    return psycopg.connect(url.replace("+psycopg", ""), options="-c lock_timeout=10s")


def _shape(connection: "psycopg.Connection[tuple[str]]") -> str:
    row = connection.execute(_SHAPE).fetchone()
    assert row is not None
    return row[0]


def _read(connection: "psycopg.Connection[tuple[str]]", table: str) -> bytes:
    statement = SQL("COPY {} TO STDOUT").format(Identifier(table))
    with connection.cursor().copy(statement) as copy:
        return b"".join(bytes(part) for part in copy)
