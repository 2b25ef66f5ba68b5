"""Real parts of the service, each test on a fresh SQLite file and again on a fresh PostgreSQL
database; only time stands still."""

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from argon2 import PasswordHasher
from flask.testing import FlaskClient

from app.adapters import bounded_http
from app.core import addresses
from app.services import passwords
from app.settings import Settings
from app.store import database
from tests.support.integration import Feed, another_feed
from tests.support.postgres import PostgresServer
from tests.support.process_group import ProcessGroup
from tests.support.service_harness import ServiceHarness, open_harness
from tests.support.source_site import SourceSite

if TYPE_CHECKING:
    from flask import Flask

    from app.ports import Model
    from tests.support.consoles import ConsoleOperator
    from tests.support.scripted_worker import Worker


@pytest.fixture(scope="session", autouse=True)
def quick_hashes() -> Iterator[None]:
    """Argon2 with its smallest cost: many tests sign an operator in, and some guess passwords."""
    hasher = PasswordHasher(time_cost=1, memory_cost=8, parallelism=1)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(passwords, "_hasher", hasher)
        patch.setattr(passwords, "_NOBODY", hasher.hash("nobody's password"))
        yield


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
    """A file with all tables. Copying it is faster than migrating again."""
    file = tmp_path_factory.mktemp("template") / "copydesk.db"
    _migrate(f"sqlite:///{file}")
    return file


@pytest.fixture(scope="session")
def postgres_template(postgres: PostgresServer) -> str:
    """The same on PostgreSQL."""
    url = postgres.create_database()
    _migrate(url)
    return url


def _migrate(url: str) -> None:
    database.bind(url)
    database.migrate()
    database.dispose()


@pytest.fixture
def migrated_url(backend: str, tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[str]:
    """The address of a fresh database with all tables."""
    if backend == "sqlite":
        file = tmp_path / "copydesk.db"
        shutil.copy(request.getfixturevalue("sqlite_template"), file)
        yield f"sqlite:///{file}"
        return
    server: PostgresServer = request.getfixturevalue("postgres")
    url = server.create_database(request.getfixturevalue("postgres_template"))
    yield url
    server.drop_database(url)


@pytest.fixture
def feed(migrated_url: str) -> Iterator[Feed]:
    """A feed with the rules Coffee and Tea, never due, and no items."""
    database.bind(migrated_url)
    feed = another_feed(migrated_url)
    yield feed
    database.dispose()


@pytest.fixture
def harness(migrated_url: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[ServiceHarness]:
    """The services without HTTP, for one account on the starter plan."""
    with open_harness(migrated_url, monkeypatch) as made:
        yield made


@pytest.fixture
def settings(feed: Feed) -> Settings:
    """Those of ``app``; no model is configured."""
    return Settings(database_url=feed.url)


@pytest.fixture
def model() -> "Model | None":
    """That of ``app``, if a test has one."""
    return None


@pytest.fixture
def app(settings: Settings, model: "Model | None") -> "Iterator[Flask]":
    """The whole application, on the feed's database."""
    from app import create_app

    yield create_app(settings, model=model)
    database.dispose()


@pytest.fixture
def client(app: "Flask") -> Iterator[FlaskClient]:
    """The application over HTTP."""
    with app.test_client() as client:
        yield client


@pytest.fixture
def ada(client: FlaskClient) -> "ConsoleOperator":
    """An operator who may write, on the wall clock."""
    from tests.support.consoles import ConsoleOperator

    # ``client`` keeps the context of its last request, which another browser's must not see.
    return ConsoleOperator(client.application.test_client())


@pytest.fixture
def worker(feed: Feed, monkeypatch: pytest.MonkeyPatch) -> "Worker":
    """A worker on the feed's runs that needs no model."""
    from tests.support.scripted_worker import Worker

    return Worker(feed, monkeypatch)


@pytest.fixture
def site() -> Iterator[SourceSite]:
    with SourceSite() as site:
        yield site


@pytest.fixture
def other() -> Iterator[SourceSite]:
    with SourceSite("127.0.0.2") as other:
        yield other


@pytest.fixture
def public_neighbour(monkeypatch: pytest.MonkeyPatch) -> str:
    """An address that every check takes for a public one, and on which a test can listen."""

    def is_public(address: Any) -> bool:
        return str(address) == "127.0.0.2" or addresses.is_public(address)

    monkeypatch.setattr(bounded_http, "is_public", is_public)
    return "127.0.0.2"
