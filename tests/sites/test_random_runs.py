"""Random runs on real sites; see connectors/tests/random_runs.py.

RANDOM_RUNS is shared out between the series on folders, which has most of them, and the real sites.
"""

import os
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from connectors.tests.feed_server import FeedServer
from connectors.tests.random_runs import Series, driver
from connectors.tests.test_random_runs import Html
from copydesk_connectors.suite.fault_proxy import FaultProxy
from tests.support.long_tests import ALL
from tests.support.sites.live_sites import LiveSite

pytestmark = pytest.mark.sites

RUNS = int(os.environ.get("RANDOM_RUNS", "250" if ALL else "60")) // 10
FIRST = int(os.environ.get("RANDOM_SEED", "1"))


class Live:
    """A real site behind a proxy."""

    def __init__(self, site: LiveSite, proxy: FaultProxy) -> None:
        self.site = site
        self.proxy: FaultProxy | None = proxy
        self.url = proxy.url

    def target(self, folder: Path) -> str:
        key = folder / "key"
        key.write_text(self.site.secret())
        key.chmod(0o600)
        return self.site.settings(self.url)

    def published(self, folder: Path) -> list[str]:
        return self.site.published()


@pytest.fixture
def series(feeds: FeedServer, site: LiveSite, tmp_path: Path) -> Iterator[Series]:
    with ExitStack() as stack:
        yield Series(
            stack.enter_context(driver()),
            feeds,
            stack.enter_context(FaultProxy(feeds.address)),
            [Html()],
            tmp_path,
            always=[Live(site, stack.enter_context(FaultProxy(site.url)))],
        )


def test_random_runs(series: Series, site: LiveSite) -> None:
    """1,000 random runs on top …: after the restart exactly one published post, item `used`,
    nothing lost"""
    for seed in range(FIRST, FIRST + RUNS):
        series.run(seed)
    tally = series.tally
    drafts = len(site.stored()) - len(site.published())
    print(f"seeds from {FIRST}: {tally}, {drafts} drafts left: {dict(tally.faults)}")
    assert tally.runs == RUNS
    assert tally.kills > 0
    assert sum(tally.faults.values()) > 0
