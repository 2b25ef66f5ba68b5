"""Real parts of the service, each test on a fresh SQLite file and again on a fresh PostgreSQL
database; only time stands still."""

import shutil
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from flask import Flask
from flask.testing import FlaskClient
from sqlalchemy import select, update

from app.core.feed_item import Status
from app.ports import Clock, TaskQueue, Work
from app.services import accounts
from app.store import database
from app.store.feed_tables import ItemRow, RuleRow, RunRow
from app.store.ids import new_id
from tests.running.postgres import PostgresServer
from tests.running.process_group import ProcessGroup
from tests.running.reused_database import ReusedDatabase
from tests.running.source_site import SourceSite

if TYPE_CHECKING:
    from tests.integration.worker import Worker

BEGIN = datetime(2026, 1, 31, 12, tzinfo=UTC)
# When a page must have come out to stand behind a post on a current event.
FRESH = BEGIN - timedelta(hours=5)
NEVER = datetime(9999, 1, 1, tzinfo=UTC)

# For a test of what one kind of database alone does.
SQLITE = pytest.mark.parametrize("backend", ["sqlite"], indirect=True)
POSTGRESQL = pytest.mark.parametrize("backend", ["postgresql"], indirect=True)


class StillClock(Clock):
    """Stands still until a test moves it."""

    def __init__(self, at: datetime = BEGIN) -> None:
        self.at = at

    def now(self) -> datetime:
        return self.at

    def move(self, by: timedelta) -> None:
        self.at += by


class CountingQueue(TaskQueue):
    """Does no work, and counts how often it was told that there is some."""

    def __init__(self) -> None:
        self.wakes = 0

    def enqueue(self, *work: Work) -> None:
        self.wakes += bool(work)

    def missing(self, *work: Work) -> list[Work]:
        return []

    def ping(self) -> None:
        pass


def bare_app(url: str) -> Flask:
    """An application that has a database and nothing else."""
    app = Flask("copydesk")
    database.init_app(app, url)
    return app


@dataclass
class Feed:
    """A token, its rules by name, and its database. Use it inside the app's context."""

    app: Flask
    url: str
    clock: StillClock
    queue: CountingQueue
    account_id: str
    token: str
    token_id: str
    rules: dict[str, str] = field(default_factory=dict)
    items: list[str] = field(default_factory=list)

    def add_rule(self, name: str, *, every: timedelta = timedelta(hours=1), due: datetime) -> str:
        """A rule with no run, not even its first."""
        rule_id = new_id("rul")
        with database.writing() as session:
            session.add(
                RuleRow(
                    id=rule_id,
                    token_id=self.token_id,
                    name=name,
                    name_key=name.casefold(),
                    request={"keywords": [name]},
                    offers=[],
                    every_seconds=int(every.total_seconds()),
                    paused=False,
                    next_due_at=due,
                    created_at=self.clock.now(),
                )
            )
        self.rules[name] = rule_id
        return rule_id

    def add_items(self, rule: str, count: int = 1) -> list[str]:
        """Pending items, each younger than all before it."""
        first = len(self.items)
        rows = [
            ItemRow(
                # Two of a time, told apart by their ids; else ids fall while time rises, so that
                # neither alone gives the right order.
                id=f"itm_{500_000 - number // 2:06}_{number % 2}",
                token_id=self.token_id,
                rule_id=self.rules[rule],
                status=Status.PENDING.value,
                delivery_count=0,
                title=f"Article {number}",
                post={"title": f"Article {number}"},
                markdown=f"# Article {number}",
                html=f"<h1>Article {number}</h1>",
                generated_at=BEGIN + timedelta(seconds=number // 2),
                updated_at=BEGIN,
            )
            for number in range(first, first + count)
        ]
        added = [row.id for row in rows]
        with database.writing() as session:
            session.add_all(rows)
        self.items += added
        return added

    def rows(self) -> list[tuple[str, str, str, int]]:
        """Every item's id, rule, status and number of sends, oldest first."""
        query = (
            select(ItemRow.id, RuleRow.name, ItemRow.status, ItemRow.delivery_count)
            .join(RuleRow, RuleRow.id == ItemRow.rule_id)
            .where(ItemRow.token_id == self.token_id)
            .order_by(ItemRow.generated_at, ItemRow.id)
        )
        with database.reading() as session:
            return [
                (row.id, row.name, row.status, row.delivery_count) for row in session.execute(query)
            ]

    def states(self) -> list[str]:
        """Every item's status, oldest first."""
        return [status for _, _, status, _ in self.rows()]

    def end_runs(self) -> None:
        """As if every run that is open had made its item."""
        with database.writing() as session:
            session.execute(update(RunRow).values(status="succeeded"))
            session.execute(update(RuleRow).values(run_id=None))

    def runs(self) -> list[RunRow]:
        with database.reading() as session:
            rows = list(session.scalars(select(RunRow).order_by(RunRow.slot, RunRow.id)))
            session.expunge_all()
        return rows

    def rule(self, name: str) -> RuleRow:
        with database.reading() as session:
            row = session.get_one(RuleRow, self.rules[name])
            session.expunge_all()
        return row


@pytest.fixture(scope="session")
def group() -> Iterator[ProcessGroup]:
    """Where the servers of this test run live; they end with it."""
    with ProcessGroup() as running:
        yield running


@pytest.fixture(scope="session")
def postgres(group: ProcessGroup) -> PostgresServer:
    return PostgresServer(group)


@pytest.fixture(params=["sqlite", "postgresql"])
def backend(request: pytest.FixtureRequest) -> str:
    """The kind of database."""
    return str(request.param)


@pytest.fixture
def url(backend: str, tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[str]:
    """The address of a database without tables: a file that is not there yet, or an empty one."""
    if backend == "sqlite":
        yield f"sqlite:///{tmp_path / 'copydesk.db'}"
        return
    server: PostgresServer = request.getfixturevalue("postgres")
    url = server.create_database()
    yield url
    server.drop_database(url)


@pytest.fixture(scope="session")
def sqlite_template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file with all tables. Copying it is quicker than migrating anew."""
    file = tmp_path_factory.mktemp("template") / "copydesk.db"
    _migrate(f"sqlite:///{file}")
    return file


@pytest.fixture(scope="session")
def postgres_template(postgres: PostgresServer) -> str:
    """The same on PostgreSQL."""
    url = postgres.create_database()
    _migrate(url)
    return url


@pytest.fixture(scope="session")
def reused_database(postgres: PostgresServer, postgres_template: str) -> ReusedDatabase:
    """What gives each test a database like that, which takes less time than a copy."""
    return ReusedDatabase(postgres, postgres_template)


def _migrate(url: str) -> None:
    app = bare_app(url)
    database.migrate_to_head(app)
    with app.app_context():
        database.db.engine.dispose()


@pytest.fixture
def migrated_url(backend: str, tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[str]:
    """The address of a fresh database with all tables."""
    if backend == "sqlite":
        file = tmp_path / "copydesk.db"
        shutil.copy(request.getfixturevalue("sqlite_template"), file)
        yield f"sqlite:///{file}"
        return
    reused: ReusedDatabase = request.getfixturevalue("reused_database")
    yield reused.fresh()


@pytest.fixture
def feed(migrated_url: str) -> Iterator[Feed]:
    """A feed with the rules Coffee and Tea, never due, and no items; its app is the current one."""
    app = bare_app(migrated_url)
    with app.app_context():
        feed = another_feed(app, migrated_url)
        yield feed
        database.db.engine.dispose()


def another_feed(app: Flask, url: str) -> Feed:
    """A feed of an account of its own in the same database."""
    clock, queue = StillClock(), CountingQueue()
    account_id = accounts.create_account("Blog", "starter", clock)
    made = accounts.create_token(account_id, "Front page", clock)
    feed = Feed(app, url, clock, queue, account_id, made.secret, made.id)
    for name in ("Coffee", "Tea"):
        feed.add_rule(name, due=NEVER)
    return feed


@pytest.fixture
def client(feed: Feed) -> Iterator[FlaskClient]:
    """The whole application over HTTP, on the feed's database. No model is configured."""
    from app import create_app
    from app.settings import Settings

    app = create_app(Settings(database_url=feed.url))
    with app.test_client() as client:
        yield client
    with app.app_context():
        database.db.engine.dispose()


@pytest.fixture
def worker(feed: Feed, monkeypatch: pytest.MonkeyPatch) -> "Worker":
    """A worker on the feed's runs that needs no model."""
    from tests.integration.worker import Worker

    return Worker(feed, monkeypatch)


@pytest.fixture
def site() -> Iterator[SourceSite]:
    with SourceSite() as site:
        yield site


@pytest.fixture
def other() -> Iterator[SourceSite]:
    with SourceSite("127.0.0.2") as other:
        yield other
