"""backup and restore: SQLite while others write, PostgreSQL by the script of the containers."""

import os
import sqlite3
import stat
import subprocess
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing
from pathlib import Path
from threading import Event

import pytest
from click.testing import Result
from sqlalchemy import create_engine, delete, func, make_url, select, text

from app.services import accounts
from app.store import database, models
from tests.support.commands import Commands
from tests.support.contexts import context_at
from tests.support.databases import another_connection, make_first
from tests.support.integration import (
    BEGIN,
    POSTGRESQL,
    SQLITE,
    CountingQueue,
    Feed,
    ManualClock,
)
from tests.support.postgres import client_programs
from tests.support.service_harness import ServiceHarness
from tests.support.startup import wait_until

RESTORE = Path(__file__).parents[2] / "docker" / "restore.sh"


def call(url: str, *words: str, code: int = 0) -> Result:
    return Commands(COPYDESK_DATABASE_URL=url).run(*words, code=code)


def backed_up(url: str, file: Path) -> Path:
    assert call(url, "backup", str(file)).output == f"{file}\n"
    return file


def refused(url: str, *words: str) -> str:
    done = call(url, *words, code=1)
    assert done.output.count("\n") == 1
    return done.output


@SQLITE
def test_a_backup_under_writes_is_one_moment(feed: Feed, tmp_path: Path) -> None:
    folder = tmp_path / "backups"
    folder.mkdir()
    stop, committed = Event(), list[str]()

    def write() -> int:
        """Commit an account together with an audit entry, again and again."""
        about = {"operator": "ada", "action": "create", "at": BEGIN}
        with another_connection(feed.url):
            while not stop.is_set():
                name = f"{len(committed):08}"
                with database.writing() as session:
                    session.add(models.AuditEntry(id=name, subject=name, **about))
                    session.flush()
                    new = {"id": name, "name": name, "plan_id": "starter", "created_at": BEGIN}
                    session.add(models.Account(**new))
                committed.append(name)
        return len(committed)

    with ThreadPoolExecutor(1) as pool, ExitStack() as stack:
        stack.callback(stop.set)
        writing = pool.submit(write)
        wait_until(lambda: len(committed) >= 20 or writing.done(), what="it writes")
        before = len(committed)
        done = call(feed.url, "backup", str(folder))
        after = len(committed)
        wait_until(lambda: len(committed) >= after + 5 or writing.done(), what="it goes on")
    assert writing.result() > after
    (file,) = folder.iterdir()
    assert done.output == f"{file}\n"
    path = tmp_path / "second.db"
    call(f"sqlite:///{path}", "restore", str(file))
    database.bind(f"sqlite:///{path}")
    assert {stat.S_IMODE(each.stat().st_mode) for each in (file, path)} == {0o600}
    with database.reading() as session:
        assert session.scalar(text("PRAGMA integrity_check")) == "ok"
        entries = list(session.scalars(select(models.AuditEntry.id).order_by(models.AuditEntry.id)))
        written = select(models.Account.id).where(models.Account.id != feed.account_id)
        accounts = list(session.scalars(written.order_by(models.Account.id)))
    assert accounts == entries == [f"{number:08}" for number in range(len(entries))]
    assert before <= len(entries) <= after + 1
    call(f"sqlite:///{path}", "migrate", "--check")


@SQLITE
def test_rows_are_not_overwritten_unless_told(feed: Feed, tmp_path: Path) -> None:
    feed.add_items("Tea", 2)
    file = backed_up(feed.url, tmp_path / "backup")
    assert "exists. Choose another name." in refused(feed.url, "backup", str(file))
    with database.writing() as session:
        session.execute(delete(models.FeedItem))
    assert "Pass --replace" in refused(feed.url, "restore", str(file))
    database.bind(feed.url)
    assert feed.rows() == []
    call(feed.url, "restore", str(file), "--replace")
    database.bind(feed.url)
    assert feed.states() == ["pending", "pending"]
    kept = tmp_path / "copydesk.db.replaced-1"
    with closing(sqlite3.connect(kept)) as earlier:
        assert earlier.execute("SELECT count(*) FROM feed_items").fetchone() == (0,)


@SQLITE
def test_a_database_in_use_is_not_replaced(feed: Feed, tmp_path: Path) -> None:
    file = backed_up(feed.url, tmp_path / "backup")
    with another_connection(feed.url):
        service = database.engine()
    with service.connect() as connection:
        connection.scalar(select(func.count(models.Account.id)))
        assert "in use. Stop the service" in refused(feed.url, "restore", str(file), "--replace")
    service.dispose()
    call(feed.url, "restore", str(file), "--replace")


@SQLITE
@pytest.mark.parametrize("damage", ["cut", "changed", "foreign", "missing"])
def test_a_damaged_backup_is_one_sentence(feed: Feed, tmp_path: Path, damage: str) -> None:
    feed.add_items("Tea", 40)
    file = backed_up(feed.url, tmp_path / "backup")
    content = file.read_bytes()
    middle = len(content) // 2
    if damage == "cut":
        file.write_bytes(content[:middle])
    elif damage == "changed":
        # Whole pages: zeros in the free space of one page change nothing.
        lost = middle // 2
        file.write_bytes(content[:middle] + bytes(lost) + content[middle + lost :])
    elif damage == "foreign":
        file.write_text("Dear diary")
    else:
        file.unlink()
    said = refused(feed.url, "restore", str(file), "--replace")
    assert f"{file} is damaged or no database" in said
    database.bind(feed.url)
    assert len(feed.rows()) == 40


@SQLITE
@pytest.mark.parametrize("version", ["0023", "9999", None])
def test_a_backup_of_a_foreign_version_is_refused(
    feed: Feed, tmp_path: Path, version: str | None
) -> None:
    change = f"UPDATE alembic_version SET version_num = '{version}'"
    with database.writing() as session:
        session.execute(text(change if version else "DELETE FROM alembic_version"))
    file = backed_up(feed.url, tmp_path / "backup")
    said = refused(feed.url, "restore", str(file), "--replace")
    assert "by another version of Copydesk" in said


@SQLITE
def test_a_damaged_database_is_not_backed_up(feed: Feed, tmp_path: Path) -> None:
    feed.add_items("Tea", 40)
    database.dispose()
    path = tmp_path / "copydesk.db"
    content = path.read_bytes()
    path.write_bytes(content[:20_000] + bytes(60_000) + content[80_000:])
    said = refused(feed.url, "backup", str(tmp_path / "backup"))
    assert "is damaged or no database" in said
    assert list(tmp_path.glob("backup*")) == []


@SQLITE
def test_a_database_of_an_earlier_version_is_replaced_and_migrated(
    backend: str, tmp_path: Path
) -> None:
    url = f"sqlite:///{tmp_path / 'earlier.db'}"
    make_first(url)
    database.dispose()
    file = backed_up(url, tmp_path / "backup")
    call(url, "restore", str(file), "--replace")
    call(url, "migrate")
    assert call(url, "account", "list", "--json").output == "[]\n"


@SQLITE
def test_a_restored_service_goes_on(
    harness: ServiceHarness, migrated_url: str, tmp_path: Path
) -> None:
    """What was queued is written, and a webhook that the backup does not know as sent is repeated
    under the same id."""
    webhook = {"url": "https://example.com/hook", "events": ["job.succeeded"]}
    first = harness.create(webhook=webhook)
    assert harness.work(first["jobId"])
    second = harness.create()
    file = backed_up(migrated_url, tmp_path / "backup")
    assert harness.deliver()
    assert harness.work(second["jobId"])
    call(migrated_url, "restore", str(file), "--replace")
    assert harness.job(second)["status"] == "queued"
    assert harness.deliver()
    ids = {headers["webhook-id"] for _, headers, _ in harness.receiver.received}
    assert (len(harness.receiver.received), len(ids)) == (2, 1)
    assert harness.work(second["jobId"])
    assert harness.job(second)["status"] == "succeeded"
    assert not harness.work()


def test_postgresql_is_left_to_its_own_programs(tmp_path: Path) -> None:
    url = "postgresql://nobody:planted-password@127.0.0.1:9/none"
    for command in ("backup", "restore"):
        said = refused(url, command, str(tmp_path / "backup"))
        assert "Use pg_dump, and docker/restore.sh" in said
        assert "planted-password" not in said


@POSTGRESQL
def test_the_containers_restore_a_backup_of_an_earlier_version(url: str, tmp_path: Path) -> None:
    """Over the tables of the next version, which refer to those of the backup."""
    address = make_url(url)
    env = {"PGHOST": str(address.query["host"]), "PGUSER": str(address.username)}
    env |= {"PGDATABASE": str(address.database), "BACKUPS": str(tmp_path)}
    env |= {"PATH": f"{client_programs()}:{os.environ['PATH']}"}
    make_first(url)
    file = tmp_path / "backup"
    dump = ["pg_dump", "--format=custom", f"--file={file}"]
    subprocess.run(dump, env=env, check=True, timeout=120)
    content = file.read_bytes()
    (tmp_path / "half").write_bytes(content[: len(content) // 2])
    (tmp_path / "cut").write_bytes(content[:-50])
    database.bind(url)
    database.migrate()
    now = accounts.create_account(context_at(ManualClock(), CountingQueue()), "A", "starter")
    database.dispose()
    script = RESTORE.read_text().replace("lock_timeout = '10s'", "lock_timeout = '50ms'")

    def restore(name: str) -> int:
        words = ["sh", "-c", script, "restore.sh", name]
        done = subprocess.run(words, env=env, capture_output=True, text=True, timeout=120)
        assert (done.returncode == 0) is (done.stdout == "restored\n")
        assert done.returncode or not done.stderr
        return done.returncode

    for broken in ("half", "cut", "missing"):
        assert restore(broken) != 0
        assert call(url, "account", "list", "--json").output.count(now) == 1
    other = create_engine(url)
    with other.begin() as connection:
        connection.execute(text("SELECT * FROM rules"))
        assert restore("backup") != 0
    other.dispose()
    assert restore("backup") == 0
    assert "earlier version" in refused(url, "migrate", "--check")
    call(url, "migrate")
    assert call(url, "account", "list", "--json").output == "[]\n"
