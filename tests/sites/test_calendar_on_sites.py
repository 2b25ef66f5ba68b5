"""Real sites with a calendar: scheduled there, seen by `status --live`, updated and unpublished."""

from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from connectors.tests.feed_server import FeedServer
from connectors.tests.items import make_item
from copydesk_connectors.cli import config
from copydesk_connectors.engine import item_actions, site_states
from copydesk_connectors.engine.courier import Courier
from copydesk_connectors.engine.feed import FeedClient
from copydesk_connectors.engine.ledger import Ledger
from copydesk_connectors.engine.records import Delivery
from copydesk_connectors.engine.states import DeliveryState
from copydesk_connectors.target.base import CopyState
from copydesk_connectors.target.errors import Unavailable
from tests.support.sites.live_sites import (
    LiveGhost,
    LiveSite,
    LiveWordPress,
    LiveXmlRpc,
    one_pass,
    write_config,
)

pytestmark = pytest.mark.sites

ZONE = ZoneInfo("America/New_York")
# Not today: no slot is due while the tests run.
_TODAY = datetime.now(ZONE).weekday()
_DAYS = [
    day for n, day in enumerate(("mon", "tue", "wed", "thu", "fri", "sat", "sun")) if n != _TODAY
]
SCHEDULE = f"""
[target.schedule]
days = {_DAYS}
times = ["07:15", "19:45"]
timezone = "America/New_York"
"""


@pytest.fixture(scope="module", params=["ghost", "wordpress-trixie", "wordpress-trixie-xmlrpc"])
def blog(request: pytest.FixtureRequest, running: Callable[[str], LiveSite]) -> LiveSite:
    server = request.param.removesuffix("-xmlrpc")
    site = running(server)
    is_xmlrpc = server != request.param and isinstance(site, LiveWordPress)
    return LiveXmlRpc(site.site) if is_xmlrpc else site


@pytest.fixture
def file(blog: LiveSite, feeds: FeedServer, tmp_path: Path) -> Path:
    """A configuration with a calendar and five posts in the feed."""
    blog.clear()
    feed = feeds.new()
    now = datetime.now(UTC).isoformat()
    for number in range(1, 6):
        feed.add(make_item(f"itm_{number}", slug=f"post-{number}", generated_at=now))
    return write_config(tmp_path / "owner", blog, blog.url, f'url = "{feed.url}"', SCHEDULE)


def deliveries(file: Path) -> list[Delivery]:
    with Ledger.read(config.ledger_path(file)) as ledger:
        return [owed for entry in reversed(ledger.newest(9)) for owed in entry.deliveries]


def live(file: Path) -> dict[str, CopyState | None]:
    with Ledger.read(config.ledger_path(file)) as ledger:
        answers = site_states.ask(config.load(file).targets, ledger.newest(9))
    assert answers.problems == []
    return {item: copy and copy.state for (item, _), copy in answers.copies.items()}


def dates(blog: LiveSite) -> list[datetime]:
    """When the site will show its posts, as it says itself."""
    if isinstance(blog, LiveGhost):
        found = [str(post["published_at"]) for post in admin_posts(blog)]
        return sorted(datetime.fromisoformat(text) for text in found)
    assert isinstance(blog, LiveWordPress)
    return sorted(
        datetime.fromisoformat(post.date_gmt).replace(tzinfo=UTC) for post in blog.site.posts()
    )


def admin_posts(blog: LiveGhost) -> list[dict[str, str]]:
    answer = blog.site.admin("GET", "posts/", params={"fields": "id,published_at", "limit": 100})
    return list(answer["posts"])


def test_a_backlog_is_scheduled_there_by_the_calendar(blog: LiveSite, file: Path) -> None:
    """Where the site can schedule (WordPress `future`, Ghost `scheduled`) it is scheduled there at
    the slot; a backlog is spread, not dumped"""
    outcome = one_pass(file)
    assert (outcome.confirmed, outcome.hidden, outcome.problems) == (5, 5, [])
    status = "scheduled" if isinstance(blog, LiveGhost) else "future"
    assert [state for state, _ in blog.stored()] == [status] * 5
    assert blog.published() == []
    there = dates(blog)
    assert there == outcome.scheduled == sorted(owed.slot for owed in deliveries(file) if owed.slot)
    assert len(set(there)) == 5
    wall = {f"{moment.astimezone(ZONE):%H:%M}" for moment in there}
    assert wall == {"07:15", "19:45"}
    assert {owed.shown for owed in deliveries(file)} == {"scheduled"}
    assert set(live(file).values()) == {CopyState.SCHEDULED}
    before = blog.stored()
    assert one_pass(file).problems == []
    assert blog.stored() == before


def test_a_restart_keeps_the_slot(blog: LiveSite, file: Path) -> None:
    """the slot is written into the ledger before the draft (so a restart chooses the same)"""
    loaded = config.load(file)
    (target,) = loaded.targets

    def fails(*_: object) -> None:
        raise Unavailable("no answer")

    target.publish = fails  # type: ignore[method-assign, assignment]
    with Ledger.open(loaded.ledger) as ledger:
        assert Courier([FeedClient(loaded.feeds[0])], ledger, [target]).once().unfinished
    chosen = [owed.slot for owed in deliveries(file)]
    assert {status for status, _ in blog.stored()} == {"draft"}
    file.write_text(file.read_text().replace("07:15", "03:15"))
    assert one_pass(file).problems == []
    assert [owed.slot for owed in deliveries(file)][: len(chosen)] == chosen
    assert set(filter(None, chosen)) <= set(dates(blog))


def test_later_life(blog: LiveSite, file: Path) -> None:
    """update: changed settings; unpublish; both refuse where the owner edited"""
    file.write_text(file.read_text().removesuffix(SCHEDULE))
    assert one_pass(file).confirmed == 5
    assert len(blog.published()) == 5
    edited = deliveries(file)[1].remote_id
    if isinstance(blog, LiveGhost):
        blog.site.change(edited, html="<p>My own words.</p>")
        file.write_text(f'{file.read_text()}\ncategory = "News"\n')
    else:
        assert isinstance(blog, LiveWordPress)
        blog.site.rest("POST", f"posts/{edited}", json={"content": "My own words."})
        file.write_text(f'{file.read_text()}\ncategory = "Uncategorized"\n')
    targets = {target.name: target for target in config.load(file).targets}
    with Ledger.open(config.ledger_path(file)) as ledger:
        for item, failed in (("itm_1", False), ("itm_1", False), ("itm_2", True)):
            (done,) = item_actions.update(ledger.entry(item), targets)
            assert done.failed is failed, done.sentence
        assert len(blog.published()) == 5
        assert [slug for _, slug in blog.stored()].count("post-1") == 1
        (done,) = item_actions.unpublish(ledger, ledger.entry("itm_2"), targets)
        assert done.failed
        assert "was edited and stays as it is" in done.sentence
        (done,) = item_actions.unpublish(ledger, ledger.entry("itm_1"), targets)
        assert not done.failed, done.sentence
        # As after a kill before the ledger knew.
        (target,) = targets.values()
        post = item_actions.Post.from_item(ledger.entry("itm_1").raw)
        again = target.unpublish(post, deliveries(file)[0].remote_id)
        assert again.state is CopyState.WITHDRAWN
    assert len(blog.published()) == 4
    assert deliveries(file)[0].state is DeliveryState.WITHDRAWN
    assert live(file)["itm_1"] is CopyState.WITHDRAWN
    assert one_pass(file).problems == []
    assert len(blog.published()) == 4
