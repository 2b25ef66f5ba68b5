"""What the connector's tests share."""

from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from copydesk_connectors.cli import config
from copydesk_connectors.engine.courier import Courier, Outcome
from copydesk_connectors.engine.feed import FeedClient
from copydesk_connectors.engine.ledger import Ledger
from copydesk_connectors.target import http_api
from copydesk_connectors.target.base import Target
from copydesk_connectors.target.post import Post
from copydesk_connectors.target.settings import Table
from copydesk_connectors.targets import TARGETS, scheduled

from .fake_ghost import FakeGhost
from .fake_wordpress import FakeWordPress
from .fake_xmlrpc import FakeXmlRpc
from .feed_server import FakeFeed, FeedServer, feed_server
from .items import PAGES, make_item
from .passes import Passes


@pytest.fixture
def item() -> Callable[..., dict[str, Any]]:
    """Makes items as the feed sends them."""
    return make_item


@pytest.fixture(scope="session")
def feeds() -> Iterator[FeedServer]:
    """A feed server for the whole run; ask for ``feed`` to get a feed of one's own."""
    with feed_server() as server:
        yield server


@pytest.fixture
def feed(feeds: FeedServer) -> FakeFeed:
    """An empty feed."""
    return feeds.new()


@pytest.fixture
def write_config(tmp_path: Path, feed: FakeFeed) -> Callable[..., Path]:
    """Writes a configuration that only its owner may read, for ``feed`` and these targets."""

    def write(targets: str, *, top: str = "", url: str = feed.url) -> Path:
        file = tmp_path / "copydesk.toml"
        file.write_text(f'[feed]\nurl = "{url}"\n{top}\n{targets}', encoding="utf-8")
        file.chmod(0o600)
        return file

    return write


@pytest.fixture
def passes(write_config: Callable[..., Path], monkeypatch: pytest.MonkeyPatch) -> Passes:
    """Passes over ``feed``."""
    return Passes(write_config(PAGES), monkeypatch)


@pytest.fixture
def fake_wordpress() -> Iterator[FakeWordPress]:
    """A WordPress in memory at fake_wordpress.URL, answering for the length of the test."""
    fake = FakeWordPress()
    with fake.serving():
        yield fake


@pytest.fixture
def fake_xmlrpc() -> Iterator[FakeXmlRpc]:
    """A WordPress in memory that speaks XML-RPC on loopback, for the length of the test."""
    fake = FakeXmlRpc()
    with fake.serving():
        yield fake


@pytest.fixture
def xmlrpc_target(fake_xmlrpc: FakeXmlRpc, tmp_path: Path) -> Callable[..., Target]:
    """Makes a target of ``fake_xmlrpc``, with more settings where they are given."""
    secret = tmp_path / "password"
    secret.write_text(fake_xmlrpc.password)
    secret.chmod(0o600)

    def make(**more: Any) -> Target:
        settings = {"url": fake_xmlrpc.url, "username": "jo", "password_file": str(secret)}
        table = Table(settings | {"protocol": "xmlrpc"} | more, "t", tmp_path / "copydesk.toml")
        return TARGETS["wordpress"]("blog", table)

    return make


@pytest.fixture
def wordpress_target(fake_wordpress: FakeWordPress, tmp_path: Path) -> Callable[..., str]:
    """Gives a [[target]] table for ``fake_wordpress``, with more lines where they are given."""
    password = tmp_path / "password"
    password.write_text(fake_wordpress.password)
    password.chmod(0o600)

    def table(*lines: str) -> str:
        return "\n".join(
            [
                "[[target]]",
                'type = "wordpress"',
                'name = "blog"',
                f'url = "{fake_wordpress.url}"',
                'username = "jo"',
                f'password_file = "{password}"',
                *lines,
                "",
            ]
        )

    return table


@pytest.fixture
def fake_ghost() -> Iterator[FakeGhost]:
    """A Ghost in memory at fake_ghost.URL, answering for the length of the test."""
    fake = FakeGhost()
    with fake.serving():
        yield fake


@pytest.fixture
def ghost_target(fake_ghost: FakeGhost, tmp_path: Path) -> Callable[..., str]:
    """Gives a [[target]] table for ``fake_ghost``, with more lines where they are given."""
    key = tmp_path / "key"
    key.write_text(fake_ghost.key)
    key.chmod(0o600)

    def table(*lines: str) -> str:
        ours = [f'url = "{fake_ghost.url}"', f'admin_key_file = "{key}"']
        return "\n".join(["[[target]]", 'type = "ghost"', 'name = "blog"', *ours, *lines, ""])

    return table


@pytest.fixture
def post() -> Post:
    """One post."""
    return Post.from_item(make_item())


@pytest.fixture
def wordpress(
    write_config: Callable[..., Path], wordpress_target: Callable[..., str]
) -> Callable[..., Target]:
    """Opens ``fake_wordpress`` as a new target, with the given additional settings."""
    return lambda *lines: config.load(write_config(wordpress_target(*lines))).targets[0]


@pytest.fixture
def ghost(
    write_config: Callable[..., Path], ghost_target: Callable[..., str]
) -> Callable[..., Target]:
    """Opens ``fake_ghost`` as a new target, with the given additional settings."""
    return lambda *lines: config.load(write_config(ghost_target(*lines))).targets[0]


@pytest.fixture
def one_pass() -> Callable[[Path], Outcome]:
    """Makes one pass by a configuration file, as a process that was just started."""

    def make(file: Path) -> Outcome:
        loaded = config.load(file)
        with Ledger.open(loaded.ledger) as ledger:
            feeds = [FeedClient(each) for each in loaded.feeds]
            return Courier(feeds, ledger, loaded.targets, routing=loaded.routing).once()

    return make


@pytest.fixture
def today(monkeypatch: pytest.MonkeyPatch) -> None:
    """The clock of the targets stands half an hour after ``post`` was generated."""

    class Clock(datetime):
        @classmethod
        def now(cls, tz: Any = None) -> datetime:  # type: ignore[override]
            return datetime(2026, 5, 1, 10, 30, tzinfo=UTC).astimezone(tz)

    monkeypatch.setattr(scheduled, "datetime", Clock)


@pytest.fixture
def waits(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """Every wait inside a step is noted here in seconds, and not waited for."""
    noted: list[float] = []
    monkeypatch.setattr(http_api, "sleep", noted.append)
    return noted
