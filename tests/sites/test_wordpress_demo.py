"""The main job on real parts: service, connector and WordPress, each its own process."""

import itertools
from collections.abc import Iterator
from pathlib import Path

import pytest
from bs4 import BeautifulSoup

from copydesk_connectors.suite.fault_proxy import FaultProxy
from tests.support.long_tests import ALL
from tests.support.process_group import ProcessGroup
from tests.support.service import CopydeskService, Feed, ScriptedModel
from tests.support.sites.connector import Connector
from tests.support.sites.wordpress_site import StoredPost, WordPressSite

pytestmark = pytest.mark.sites

KEYWORD = "raised garden beds"
OFFER_URL = "https://example.com/greenhouse-kit?ref=demo&plan=basic"
OFFER = f"Greenhouse Kit={OFFER_URL}"
# Of a pass that publishes one post, at least: look at feed and site, pull, find, draft, publish,
# confirm, pull.
LEAST_REQUESTS = 8


@pytest.fixture(scope="module")
def service() -> Iterator[CopydeskService]:
    with ProcessGroup() as group:
        yield CopydeskService(group, ScriptedModel(group).url)


@pytest.fixture(scope="module")
def generated(service: CopydeskService) -> Feed:
    """A feed with one item, which the rule's first run generated."""
    feed = service.feed(KEYWORD, OFFER)
    service.wait_for_item(feed)
    return feed


@pytest.fixture
def feed(service: CopydeskService, generated: Feed) -> Feed:
    """The feed with its item not yet pulled."""
    service.put_back(generated)
    return generated


def connector(folder: Path, feed: Feed, site: WordPressSite, url: str = "") -> Connector:
    author = site.users["author"]
    return Connector(folder, feed.pull_url, url or site.url, author.login, author.app_password)


def the_one_post(site: WordPressSite, service: CopydeskService, feed: Feed) -> StoredPost:
    """The only post in WordPress's database, drafts and trash included; its item is used."""
    posts = site.posts()
    assert [post.status for post in posts] == ["publish"]
    assert [item.status for item in service.items(feed)] == ["used"]
    return posts[0]


def test_the_demos_item_is_received_once(
    tmp_path: Path, service: CopydeskService, feed: Feed, wordpress: WordPressSite
) -> None:
    """A fresh real WordPress receives the demo's item by REST, once."""
    owner = connector(tmp_path / "owner", feed, wordpress)
    owner.once()
    post = the_one_post(wordpress, service, feed)
    assert KEYWORD in post.content.casefold()
    assert post.excerpt
    assert post.author == "author"

    owner.once()
    assert the_one_post(wordpress, service, feed) == post


def test_the_offer_link_is_sponsored_on_the_page_that_wordpress_serves(
    tmp_path: Path, service: CopydeskService, feed: Feed, wordpress: WordPressSite
) -> None:
    """rel="sponsored noopener" target="_blank" is on the offer link in the page that WordPress
    serves, and each configured link appears exactly once."""
    connector(tmp_path / "owner", feed, wordpress).once()
    post = the_one_post(wordpress, service, feed)

    page = BeautifulSoup(wordpress.page_html(f"{wordpress.url}/{post.slug}/"), "html.parser")
    links = [link for link in page.find_all("a") if link.get("href") == OFFER_URL]
    assert len(links) == 1
    assert links[0]["rel"] == ["sponsored", "noopener"]
    assert links[0]["target"] == "_blank"
    assert page.get_text().count(post.title) >= 1


@pytest.mark.parametrize(
    ("point", "path"), [("answered", "/wp-json/wp/v2/posts/"), ("before", "/confirm")]
)
def test_killed_between_publish_and_confirm_it_carries_on(
    tmp_path: Path,
    service: CopydeskService,
    feed: Feed,
    wordpress: WordPressSite,
    point: str,
    path: str,
) -> None:
    """Once, also when the connector is killed between publish and confirm and started again."""
    owner = connector(tmp_path / "owner", feed, wordpress)
    assert owner.killed(point, method="POST", path=path)
    assert [post.status for post in wordpress.posts()] == ["publish"]
    assert [item.status for item in service.items(feed)] == ["reserved"]
    published = wordpress.posts()[0]

    owner.once()
    assert the_one_post(wordpress, service, feed) == published


@pytest.mark.parametrize("point", ["sent", "answered"])
def test_killed_at_any_request_it_carries_on(
    tmp_path: Path, service: CopydeskService, feed: Feed, wordpress: WordPressSite, point: str
) -> None:
    """Each item is put on the site exactly once, wherever the connector is killed."""
    with FaultProxy(wordpress.url) as proxy:
        for nth in itertools.count(1, 1 if ALL else 3):
            wordpress.clear()
            service.put_back(feed)
            owner = connector(tmp_path / str(nth), feed, wordpress, proxy.url)
            if not owner.killed(point, nth):
                break
            # What was sent is carried out even though nobody waits for it.
            proxy.settle()
            owner.once()
            the_one_post(wordpress, service, feed)
    the_one_post(wordpress, service, feed)
    assert nth > LEAST_REQUESTS
