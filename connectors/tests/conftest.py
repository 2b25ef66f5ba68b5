"""What the connector's tests share."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from .fake_wordpress import FakeWordPress
from .feed_server import FakeFeed, FeedServer, feed_server
from .items import make_item


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
def fake_wordpress() -> Iterator[FakeWordPress]:
    """A WordPress in memory at fake_wordpress.URL, answering for the length of the test."""
    fake = FakeWordPress()
    with fake.serving():
        yield fake
