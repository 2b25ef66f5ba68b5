"""Real sites whose owner deletes a draft before it is published."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from connectors.tests.feed_server import FakeFeed, FeedServer
from connectors.tests.items import make_item
from copydesk_connectors.cli import config
from copydesk_connectors.engine import item_actions
from copydesk_connectors.engine.courier import Courier, Outcome
from copydesk_connectors.engine.feed import FeedClient
from copydesk_connectors.engine.ledger import Ledger
from copydesk_connectors.engine.records import Delivery
from copydesk_connectors.engine.states import DeliveryState
from copydesk_connectors.target.errors import Unavailable
from tests.support.sites.live_sites import (
    LiveGhost,
    LiveSite,
    LiveWordPress,
    LiveXmlRpc,
    write_config,
)

pytestmark = pytest.mark.sites

ITEM, SLUG = "itm_1", "post-1"


SERVERS = ("ghost", "wordpress-bookworm", "wordpress-trixie", "wordpress-sqlite")
WAYS = [(name, "") for name in SERVERS] + [("wordpress-trixie", "xmlrpc")]


@pytest.fixture(scope="module", params=WAYS, ids=lambda way: "-".join(filter(None, way)))
def blog(request: pytest.FixtureRequest, running: Callable[[str], LiveSite]) -> LiveSite:
    server, kind = request.param
    site = running(server)
    return LiveXmlRpc(site.site) if kind and isinstance(site, LiveWordPress) else site


@dataclass
class Owner:
    """Who has the site, and runs the connector; ``said`` collects the log."""

    site: LiveSite
    file: Path
    feed: FakeFeed
    said: pytest.LogCaptureFixture

    def once(self, **steps: Callable[..., Any]) -> Outcome:
        """One pass; a step of the target is called with what it is without."""
        loaded = config.load(self.file)
        (target,) = loaded.targets
        for name, step in steps.items():
            bound = getattr(target, name)
            setattr(target, name, lambda *given, s=step, b=bound: s(b, *given))
        with Ledger.open(loaded.ledger) as ledger:
            return Courier([FeedClient(loaded.feeds[0])], ledger, [target]).once()

    def takes_away(self, how: str) -> None:
        """Delete for good, or put into the trash, what is on the site."""
        for post in self.site.site.posts():  # type: ignore[attr-defined]
            if isinstance(self.site, LiveGhost):
                self.site.site.admin("DELETE", f"posts/{post.id}/")
            elif isinstance(self.site, LiveWordPress):
                force = {"force": "true"} if how == "delete" else {}
                self.site.site.rest("DELETE", f"posts/{post.id}", params=force)

    def delivery(self) -> Delivery:
        with Ledger.read(config.ledger_path(self.file)) as ledger:
            (delivery,) = ledger.deliveries(ITEM)
            return delivery

    def retries(self) -> None:
        with Ledger.open(config.ledger_path(self.file)) as ledger:
            item_actions.retry(ledger, item_actions.to_retry(ledger, ITEM))


@pytest.fixture
def owner(
    blog: LiveSite, feeds: FeedServer, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> Owner:
    blog.clear()
    feed = feeds.new()
    feed.add(make_item(ITEM, slug=SLUG))
    file = write_config(tmp_path / "owner", blog, blog.url, f'url = "{feed.url}"')
    return Owner(blog, file, feed, caplog)


def fails(step: Callable[..., Any], *given: Any) -> None:
    raise Unavailable("no answer")


@pytest.mark.parametrize("moment", ["between two passes", "before publishing", "while publishing"])
@pytest.mark.parametrize("how", ["delete", "trash"])
def test_a_draft_that_its_owner_took_away_stays_away(owner: Owner, moment: str, how: str) -> None:
    """A draft that its owner deleted stays deleted (WordPress, Ghost); `retry` brings it back."""
    if how == "trash" and (isinstance(owner.site, LiveGhost) or moment == "while publishing"):
        pytest.skip("Ghost has no trash; WordPress's REST API has no condition on a change")

    def takes_away_first(step: Callable[..., Any], *given: Any) -> Any:
        owner.takes_away(how)
        return step(*given)

    match moment:
        case "between two passes":
            assert owner.once(publish=fails).unfinished
            assert owner.site.stored() == [("draft", owner.site.slug_of_draft(SLUG))]
            owner.takes_away(how)
        case "before publishing":
            owner.once(publish=takes_away_first)
        case _:
            owner.once(show=takes_away_first)
    for _ in range(2):
        owner.once()
    trashed = f"{owner.site.slug_of_draft(SLUG)}__trashed"
    left = [("trash", trashed)] if how == "trash" else []
    assert owner.site.stored() == left
    assert owner.feed.states() == {ITEM: "used"}
    assert owner.delivery().state is DeliveryState.WITHDRAWN
    said = [
        line
        for line in owner.said.messages
        if "it stays deleted" in line or "stays removed" in line
    ]
    assert len(said) == 1
    owner.retries()
    assert owner.once().problems == []
    if how == "trash":
        assert owner.site.stored() == left
    else:
        assert [slug for _, slug in owner.site.stored()] == owner.site.published() == [SLUG]
    assert owner.feed.states() == {ITEM: "used"}


def test_a_draft_whose_answer_was_lost_is_made_again(owner: Owner) -> None:
    """a draft whose creation answer was lost (never seen by us) is still looked for and made
    again"""

    def loses_the_answer(step: Callable[..., Any], *given: Any) -> None:
        step(*given)
        raise Unavailable("no answer")

    owner.once(draft=loses_the_answer)
    assert owner.delivery().remote_id == ""
    owner.takes_away("delete")
    assert owner.once().problems == []
    assert [slug for _, slug in owner.site.stored()] == owner.site.published() == [SLUG]


def test_a_draft_whose_answer_was_lost_is_found(owner: Owner) -> None:
    """the same without its owner: the one that is there is published"""

    def loses_the_answer(step: Callable[..., Any], *given: Any) -> None:
        step(*given)
        raise Unavailable("no answer")

    owner.once(draft=loses_the_answer)
    assert owner.once().problems == []
    assert [slug for _, slug in owner.site.stored()] == owner.site.published() == [SLUG]
