"""What it costs to tell that a post is like no other one of its feed, and to remember it.

    python bench/originality.py [--postgresql] [--posts 100000] [--rounds 40]

Two archives, of 1,000 posts and of --posts, each one feed about twenty subjects: the posts of a
subject, 5 % of all, share a band with the post that is asked about, one in ten of them two bands
and one in fifty three; all else of their signatures is drawn at random. The archives are asked in
turn, so that both see the same machine. What counts is processor time, that of the database's own
process included; what is stored is committed, and removed before the next round.
"""

import argparse
import sqlite3
import time
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from random import Random
from statistics import median
from typing import Any

import psycopg
from rich.console import Console
from rich.table import Table
from sqlalchemy import delete, event, make_url, text

from app.rules.near_duplicates import BANDS, VALUES, bands
from app.services.near_duplicates import nearest, save_signature
from app.store import database, models
from app.store import posts as store
from tests.support import postgres
from tests.support.process_group import ProcessGroup

SCOPE = "tkn_01ARZ3NDEKTSV4RRFFQ69G5FAV"
SMALL = 1_000
SUBJECTS = 20
_SIGNATURE_BYTES = 4 * VALUES
_NEW = "itm_new"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else None)
    parser.add_argument("--postgresql", action="store_true")
    parser.add_argument("--posts", type=int, default=100_000)
    parser.add_argument("--rounds", type=int, default=40)
    options = parser.parse_args()
    name = "PostgreSQL" if options.postgresql else "SQLite"
    table = Table(f"processor ms, on {name}", f"{SMALL:,} posts", f"{options.posts:,} posts",
                  "ratio", "aim")  # fmt: skip
    with ProcessGroup() as group:
        server = None
        if options.postgresql:
            # The tests do not wait for the disk; what is measured here does.
            postgres.SETTINGS.update(fsync="on", full_page_writes="on", autovacuum="on")
            server = postgres.PostgresServer(group)
        archives = [
            Archive(server.create_database() if server else f"sqlite:///{group.folder}/{size}.db",
                    size)
            for size in (SMALL, options.posts)
        ]  # fmt: skip
        for number in range(options.rounds + 1):
            for archive in archives:
                archive.measure(number % SUBJECTS)
                if number == 0:
                    archive.took.clear()  # connections, caches and prepared statements
        for what in archives[0].took:
            small, large = (archive.took[what] for archive in archives)
            ratio = median(one / other for one, other in zip(large, small, strict=True))
            table.add_row(what, f"{median(small):.2f}", f"{median(large):.2f}", f"{ratio:.2f}",
                          "≤ 1.2")  # fmt: skip
        console = Console(width=110)
        console.print(table)
        for step in archives[-1].plan():
            console.print(step, markup=False)


class Archive:
    """A database with one feed of ``size`` posts."""

    def __init__(self, url: str, size: int) -> None:
        self.took: dict[str, list[float]] = defaultdict(list)
        self._backend: Path | None = None
        database.bind(url)
        database.migrate()
        random = Random(size)
        self._asked = [random.randbytes(_SIGNATURE_BYTES) for _ in range(SUBJECTS)]
        fill = _fill_postgresql if url.startswith("postgresql") else _fill_sqlite
        fill(url, size, self._asked, random)

    def measure(self, subject: int) -> None:
        """The search alone, and the search with all that stores a post."""
        signature = self._asked[subject]
        began = self._used()
        with database.reading() as session:
            assert nearest(session, SCOPE, signature) is None
        self.took["nearest"].append(self._used() - began)
        began = self._used()
        with database.writing() as session:
            store.lock_scope(session, SCOPE)
            save_signature(session, SCOPE, _NEW, signature)
        self.took["save_signature, which asks for the nearest"].append(self._used() - began)
        with database.writing() as session:
            mine = models.Band.band.in_(bands(signature))
            session.execute(delete(models.Band).where(models.Band.scope == SCOPE, mine,
                                                  models.Band.post_id == _NEW))  # fmt: skip
            session.execute(delete(models.Signature).where(models.Signature.post_id == _NEW))

    def _used(self) -> float:
        """Processor time so far in milliseconds, of this process and of the database's own that
        serves it: a pool that gives out the connection that came back last has but one."""
        mine = time.process_time() * 1e3
        if not _is_postgresql():
            return mine
        if not self._backend:
            with database.reading() as session:
                pid = session.scalar(text("SELECT pg_backend_pid()"))
            self._backend = Path(f"/proc/{pid}/schedstat")
        return mine + int(self._backend.read_text(encoding="ascii").split()[0]) / 1e6

    def plan(self) -> Iterator[str]:
        """How the database reads what the search asks for."""
        sent: list[tuple[str, Any]] = []

        def note(_connection: Any, _cursor: Any, statement: str, parameters: Any, *_: Any) -> None:
            sent.append((statement, parameters))

        with database.reading() as session:
            engine = database.engine()
            event.listen(engine, "before_cursor_execute", note)
            nearest(session, SCOPE, self._asked[0])
            event.remove(engine, "before_cursor_execute", note)
            explain = "EXPLAIN" if _is_postgresql() else "EXPLAIN QUERY PLAN"
            for statement, parameters in sent:
                if statement.startswith(("SELECT", "WITH")):
                    asked = f"{explain} {statement}"
                    for row in session.connection().exec_driver_sql(asked, parameters):
                        if "post_" in row[-1]:
                            yield str(row[-1]).strip()[:100]


def _fill(size: int, asked: list[bytes], random: Random) -> Iterator[tuple[str, bytes, set[int]]]:
    """Posts: id, signature, bands."""
    known = [sorted(bands(signature)) for signature in asked]
    for number in range(size):
        shared = random.choices((1, 2, 3), (88, 10, 2))[0]
        mine = set(random.sample(known[number % SUBJECTS], shared))
        while len(mine) < BANDS:
            mine.add(random.getrandbits(64) - 2**63)
        yield f"itm_01ARZ3NDEKTSV4RRFFQ6{number:06}", random.randbytes(_SIGNATURE_BYTES), mine


def _fill_sqlite(url: str, size: int, asked: list[bytes], random: Random) -> None:
    connection = sqlite3.connect(make_url(url).database or "")
    # In the order of the key, so that no page is written twice.
    connection.execute("CREATE TEMP TABLE drawn (band, post_id)")
    for post_id, signature, mine in _fill(size, asked, random):
        row = (post_id, SCOPE, signature)
        connection.execute("INSERT INTO post_signatures (post_id, scope, signature)"
                           " VALUES (?, ?, ?)", row)  # fmt: skip
        connection.executemany("INSERT INTO drawn VALUES (?, ?)", ((b, post_id) for b in mine))
    connection.execute(
        "INSERT INTO post_bands (scope, band, post_id)"
        " SELECT ?, band, post_id FROM drawn ORDER BY band, post_id",
        (SCOPE,),
    )
    connection.commit()
    connection.close()


def _fill_postgresql(url: str, size: int, asked: list[bytes], random: Random) -> None:
    address = make_url(url).set(drivername="postgresql")
    with psycopg.connect(address.render_as_string(hide_password=False)) as connection:
        cursor = connection.cursor()
        cursor.execute("CREATE TEMP TABLE drawn (band bigint, post_id text)")
        rows = list(_fill(size, asked, random))
        with cursor.copy("COPY post_signatures (post_id, scope, signature) FROM STDIN") as copy:
            for post_id, signature, _ in rows:
                copy.write_row((post_id, SCOPE, signature))
        with cursor.copy("COPY drawn FROM STDIN") as copy:
            for post_id, _, mine in rows:
                for band in mine:
                    copy.write_row((band, post_id))
        cursor.execute(
            "INSERT INTO post_bands (scope, band, post_id)"
            " SELECT %s, band, post_id FROM drawn ORDER BY band, post_id",
            (SCOPE,),
        )
        connection.commit()
        connection.autocommit = True
        connection.execute("VACUUM ANALYZE")


def _is_postgresql() -> bool:
    return database.engine().dialect.name == "postgresql"


if __name__ == "__main__":
    main()
