"""A real Ghost: killed at every point, cut at every request, and many instances at once."""

import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import ExitStack
from itertools import count
from pathlib import Path

import pytest

from connectors.tests import kill_driver
from connectors.tests.feed_server import FakeFeed, FeedServer, feed_server
from connectors.tests.items import make_item
from copydesk_connectors import config
from copydesk_connectors.courier import Courier, Outcome
from copydesk_connectors.errors import ConnectorError
from copydesk_connectors.feed import FeedClient
from copydesk_connectors.ledger import Ledger
from copydesk_connectors.post import Post
from copydesk_connectors.publisher import Copy, Publisher
from copydesk_connectors.targets.ghost import api
from tests.sites.fault_proxy import Cut, FaultProxy, Rule
from tests.sites.ghost_site import GhostSite
from tests.sites.programs import NotInstalled

pytestmark = pytest.mark.sites

MORE_THAN_ENOUGH = 250
INSTANCES = 4
# Of a pass that publishes one post: is the key accepted, find, draft, look, publish.
REQUESTS = 5


@pytest.fixture(scope="module")
def feeds() -> Iterator[FeedServer]:
    with feed_server() as server:
        yield server


def write_config(folder: Path, key: str, url: str, feed: str) -> Path:
    """A configuration for one feed and one Ghost, in a new folder; ``feed`` is one line."""
    folder.mkdir()
    secret = folder / "key"
    secret.write_text(key)
    secret.chmod(0o600)
    file = folder / "copydesk.toml"
    file.write_text(
        f'[feed]\n{feed}\n[ledger]\npath = "ledger"\n'
        f'[[target]]\ntype = "ghost"\nurl = "{url}"\nadmin_key_file = "key"\n'
    )
    file.chmod(0o600)
    return file


def one_pass(file: Path) -> Outcome:
    loaded = config.load(file)
    with Ledger.open(loaded.ledger) as ledger:
        return Courier(FeedClient(loaded.feed), ledger, loaded.targets).once()


def test_killed_at_every_point_each_post_appears_once(
    feeds: FeedServer, ghost: GhostSite, tmp_path: Path
) -> None:
    """the connector ended by SIGKILL at every point between two of its own I/O calls (all of them,
    enumerated …): after the restart exactly one published post, item `used`, nothing lost"""
    made: list[FakeFeed] = []
    for number in range(1, MORE_THAN_ENOUGH + 1):
        made.append(feeds.new())
        made[-1].add(make_item(f"itm_{number}", slug=f"post-{number}"))
        feed = 'url_env = "KILL_TEST_FEED"'
        write_config(tmp_path / str(number), ghost.admin_key, ghost.url, feed)
    done = subprocess.run(
        [sys.executable, str(kill_driver.__file__), str(tmp_path)],
        input=json.dumps([feed.url for feed in made]),
        capture_output=True,
        text=True,
        timeout=1200,
    )
    assert done.returncode == 0, done.stdout[-1000:] + done.stderr
    runs = [json.loads(line) for line in done.stdout.splitlines()]
    assert [run["killed"] for run in runs] == [True] * (len(runs) - 1) + [False]
    points = [run["point"] for run in runs[:-1]]
    assert points.count("getresponse") > REQUESTS
    assert {"endheaders", "getresponse", "COMMIT"} <= set(points)
    stored = [(post.status, post.slug) for post in ghost.posts()]
    for run, feed in zip(runs, made, strict=False):
        number = run["number"]
        where = f"killed before {run['point']}: {(tmp_path / str(number) / 'log').read_text()}"
        assert run["ended"] == 0, where
        assert feed.states() == {f"itm_{number}": "used"}, where
        assert feed.items[0].sends <= 2, where
        assert stored.count(("published", f"post-{number}")) == 1, where
    # No draft was left behind either.
    assert len(stored) == len(runs)


@pytest.mark.parametrize("cut", Cut)
def test_cut_at_every_request_each_post_appears_once(
    feeds: FeedServer,
    ghost: GhostSite,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    cut: Cut,
) -> None:
    """with the connection cut before, during and after each request …: exactly one published post,
    item `used`"""
    # What the server still works on is met at once, not after a wait.
    monkeypatch.setattr(api, "sleep", lambda _: None)
    with FaultProxy(ghost.url) as proxy:
        for number in count(1):
            feed = feeds.new()
            feed.add(make_item(f"itm_{number}", slug=f"post-{number}"))
            line = f'url = "{feed.url}"'
            file = write_config(tmp_path / str(number), ghost.admin_key, proxy.url, line)
            proxy.add(Rule(cut, path="/ghost/api/admin/", nth=number))
            before = len(proxy.requests)
            while feed.states() != {f"itm_{number}": "used"}:
                assert len(proxy.requests) - before < 10 * REQUESTS, "it does not come to an end"
                one_pass(file)
            proxy.settle()
            assert feed.items[0].sends == 1
            struck = [request for request in proxy.requests[before:] if request.fault]
            stored = [(post.status, post.slug) for post in ghost.posts()]
            assert stored == [("published", f"post-{n}") for n in range(1, number + 1)]
            if not struck:
                break
    assert number > REQUESTS


@pytest.fixture(scope="module")
def ghost_on_mariadb() -> Iterator[GhostSite]:
    with ExitStack() as stack:
        try:
            site = stack.enter_context(GhostSite(mariadb=True))
        except NotInstalled as error:
            if os.environ.get("CI") == "true":
                raise
            pytest.skip(str(error))
        yield site


@pytest.mark.parametrize("database", ["ghost", "ghost_on_mariadb"])
def test_many_instances_at_once_make_one_post(
    request: pytest.FixtureRequest, tmp_path: Path, database: str
) -> None:
    """two instances at once: exactly one published post"""
    ghost: GhostSite = request.getfixturevalue(database)
    line = 'url = "http://127.0.0.1:9/v1/content-tokens/none/latest"'
    file = write_config(tmp_path / "site", ghost.admin_key, ghost.url, line)
    for number in range(1, 11):
        post = Post.from_item(make_item(f"itm_{number}", slug=f"post-{number}"))
        start = threading.Barrier(INSTANCES)
        ended: list[Copy] = []

        def put(
            post: Post = post, start: threading.Barrier = start, ended: list[Copy] = ended
        ) -> None:
            publisher = config.load(file).targets[0]
            start.wait()
            ended.append(put_until_done(publisher, post))

        threads = [threading.Thread(target=put) for _ in range(INSTANCES)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert len(ended) == INSTANCES, "all of them finish"
        stored = [post.status for post in ghost.posts()]
        assert stored == ["published"] * number


def put_until_done(publisher: Publisher, post: Post) -> Copy:
    for _ in range(5):
        try:
            copy = publisher.find(post) or publisher.draft(post)
            return publisher.publish(post, copy.remote_id)
        except ConnectorError:
            continue
    raise AssertionError("five tries did not end well")
