"""A feed that breaks: at each of its requests, in each way that servers do."""

from itertools import count
from pathlib import Path

import pytest

from copydesk_connectors.cli import config
from copydesk_connectors.engine.courier import Courier, Outcome
from copydesk_connectors.engine.feed import FeedClient
from copydesk_connectors.engine.ledger import Ledger
from copydesk_connectors.suite.fault_proxy import FOR_GOOD, Cut, Fault, FaultProxy, Replace, Rule
from copydesk_connectors.target import http_client

from .feed_server import FeedServer
from .items import PAGES, make_item
from .test_random_runs import FAULTS

ITEMS = 3
SLOW_S = 0.3
# What lets the feed do its work: a pull that it counts, and nobody hears of. Half a request counts,
# since this feed, unlike a careful server, takes headers that break off for whole ones.
UNHEARD = (
    Cut.MID_REQUEST,
    Cut.AFTER_REQUEST,
    Cut.BEFORE_RESPONSE,
    Cut.MID_RESPONSE,
    Cut.SHORT_RESPONSE,
    Cut.SILENCE,
)
# What was done and not told, told by half, and refused.
QUICK = (Cut.BEFORE_RESPONSE, Cut.SHORT_RESPONSE, Replace(500))


def one_pass(file: Path, parallel: int) -> Outcome:
    loaded = config.load(file)
    with Ledger.open(loaded.ledger) as ledger:
        return Courier(
            [FeedClient(loaded.feeds[0])], ledger, loaded.targets, parallel=parallel
        ).once()


@pytest.mark.parametrize(
    "times",
    [pytest.param(1, id="once"), pytest.param(FOR_GOOD, id="until fixed", marks=pytest.mark.long)],
)
@pytest.mark.parametrize(
    "fault",
    [
        pytest.param(fault, marks=[] if fault in QUICK else pytest.mark.long)
        for fault in (*FAULTS, Cut.SILENCE)
    ],
    ids=str,
)
def test_whatever_the_feed_does_at_whatever_request(
    feeds: FeedServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fault: Fault, times: int
) -> None:
    """The feed is down: what was taken before is still published; its confirmation is sent later.
    Nothing lost, nothing doubled."""
    monkeypatch.setattr("copydesk._transport.sleep", lambda _: None)
    if fault == Cut.SILENCE:
        monkeypatch.setattr(http_client, "TIMEOUT_S", (SLOW_S, SLOW_S))
        monkeypatch.setattr("copydesk.feed.READ_TIMEOUT_S", SLOW_S)
        monkeypatch.setattr("copydesk._calls.READ_TIMEOUT_S", SLOW_S)
    unheard = fault in UNHEARD or (isinstance(fault, Replace) and fault.forward)
    with FaultProxy(feeds.address) as proxy:
        for nth in count(1):
            source = feeds.new()
            for number in range(ITEMS):
                source.add(make_item(f"itm_{number}", slug=f"post-{number}"))
            folder = tmp_path / str(nth)
            folder.mkdir()
            file = folder / "copydesk.toml"
            url = source.url.replace(feeds.address, proxy.url)
            file.write_text(f'[feed]\nurl = "{url}"\n[ledger]\npath = "ledger"\n{PAGES}')
            file.chmod(0o600)
            proxy.add(Rule(fault, nth=nth, times=times))
            before = len(proxy.requests)
            broken = one_pass(file, parallel=4)
            proxy.settle()
            struck = [request for request in proxy.requests[before:] if request.fault]
            proxy.mend()
            token = url.split("/")[-2]
            assert token not in "".join(broken.problems)
            if times == FOR_GOOD and struck:
                assert broken.problems, struck
                assert broken.unfinished
            for _ in range(2):
                one_pass(file, parallel=4)
            assert source.states() == dict.fromkeys(source.states(), "used"), broken.problems
            sends = [item.sends for item in source.items]
            assert max(sends) <= (2 if unheard else 1), f"{struck}: {sends}"
            pages = {page.name for page in (folder / "public").glob("post-*.md")}
            assert pages == {f"post-{number}.md" for number in range(ITEMS)}
            if not struck:
                break
    # A look, three pulls and three confirmations at least.
    assert nth > 6
