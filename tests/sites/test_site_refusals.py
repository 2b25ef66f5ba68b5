"""Real sites behind a firewall, and real sites that refuse one post themselves."""

import json
from pathlib import Path

import pytest

from connectors.tests.feed_server import FeedServer
from connectors.tests.items import make_item
from copydesk_connectors.suite.fault_proxy import FOR_GOOD, FaultProxy, Replace, Rule
from tests.support.sites.live_sites import LiveSite, impatient, one_pass, write_config

SITES = ("ghost", "wordpress-bookworm", "wordpress-trixie", "wordpress-sqlite")
pytestmark = [pytest.mark.sites, pytest.mark.parametrize("live_server", SITES, indirect=True)]

PAGE = b"<!doctype html><title>Not acceptable</title><h1>Blocked by the firewall</h1>"
POSTS = {"/wp-json/": "/wp/v2/posts", "/ghost/api/admin/": "/admin/posts/"}
ITEMS = 4


def page(status: int, **headers: str) -> Replace:
    return Replace(status, PAGE, {"Content-Type": "text/html"} | headers)


def said(status: int, content: object) -> Replace:
    return Replace(status, json.dumps(content).encode(), {"Content-Type": "application/json"})


def wordpress_says(status: int, code: str) -> Replace:
    return said(status, {"code": code, "message": "No.", "data": {"status": status}})


# What stands in front of the site answers to the request that creates a post.
FIREWALLS = {
    "a page with 400": page(400),
    "a page with 403": page(403),
    "a page with 406": page(406),
    "a page with 413": page(413),
    "a page with 429": page(429, **{"Retry-After": "60"}),
    "a page with 500": page(500),
    "a page with 503": page(503),
    "a page with 200": page(200),
    "a challenge": page(403, Server="cloudflare", **{"cf-mitigated": "challenge"}),
    "a plugin's 400": wordpress_says(400, "blocked_by_rule"),
    "a plugin's 401": wordpress_says(401, "rest_cannot_access"),
    "a plugin's 403": wordpress_says(403, "rest_cannot_access"),
    "JSON of the site's form": said(
        422, {"errors": [{"message": "No.", "type": "ValidationError"}]}
    ),
}


@pytest.mark.parametrize("firewall", FIREWALLS)
def test_what_a_firewall_answers_rejects_nothing(
    feeds: FeedServer,
    site: LiveSite,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    firewall: str,
) -> None:
    """proxies that answer the creating POST with 400, 403, 406, 413, 429, 500, 503, HTML 200:
    nothing rejected at the feed that the site did not refuse itself"""
    impatient(monkeypatch)
    feed = feeds.new()
    ids = [f"itm_{number}" for number in range(ITEMS)]
    for number, item_id in enumerate(ids):
        feed.add(make_item(item_id, slug=f"post-{number}"))
    with FaultProxy(site.url) as proxy:
        file = write_config(tmp_path / "run", site, proxy.url, f'url = "{feed.url}"')
        proxy.add(Rule(FIREWALLS[firewall], "POST", POSTS[site.api], times=FOR_GOOD))
        for _ in range(3):
            outcome = one_pass(file)
            assert outcome.problems
            assert outcome.unfinished
        states = feed.states()
        assert set(states.values()) <= {"pending", "reserved"}, outcome.problems
        assert site.stored() == []
        proxy.mend()
        one_pass(file)
        assert feed.states() == dict.fromkeys(ids, "used")
        assert site.public_items() == ids
        assert len(site.stored()) == ITEMS


def test_what_the_site_itself_refuses_is_rejected_alone(
    feeds: FeedServer, site: LiveSite, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """the site's own software said it, and the target accepts another post"""
    if "ghost" not in site.api:
        pytest.skip("WordPress takes whatever a feed's item can hold")
    impatient(monkeypatch)
    feed = feeds.new()
    feed.add(make_item("itm_0", slug="post-0", title="Too long for Ghost " * 20))
    for number in (1, 2):
        feed.add(make_item(f"itm_{number}", slug=f"post-{number}"))
    one_pass(write_config(tmp_path / "run", site, site.url, f'url = "{feed.url}"'))
    assert feed.states() == {"itm_0": "rejected", "itm_1": "used", "itm_2": "used"}
    assert site.public_items() == ["itm_1", "itm_2"]
