"""The whole mapping, read back from a real Ghost and from the pages that it serves."""

import json
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from urllib.parse import urljoin

import pytest
import requests
from bs4 import BeautifulSoup

from connectors.tests.items import make_item
from copydesk_connectors.cli import config
from copydesk_connectors.target.base import CopyState, Level, Target
from copydesk_connectors.target.errors import Misconfigured
from copydesk_connectors.target.internal_links import Page
from copydesk_connectors.target.post import Post
from tests.support.sites.example_posts import CONTENTS, blocks_of, example_item, expected_blocks
from tests.support.sites.ghost_site import GhostSite, StoredGhostPost
from tests.support.sites.wordpress_target import a_post, picture

pytestmark = pytest.mark.sites

OFFER = {
    "href": "https://acme.example/?a=1&b=2",
    "rel": ["sponsored", "noopener"],
    "target": "_blank",
}
TITLE = "How to descale an espresso machine"
DESCRIPTION = "Descale it in an hour: what to buy & what to avoid."
Open = Callable[..., Target]


@pytest.fixture
def target(tmp_path: Path, ghost: GhostSite) -> Open:
    """Opens the target by a configuration file with these lines in its table."""

    def open_it(*lines: str, key: str = "", url: str = "") -> Target:
        secret = tmp_path / "key"
        secret.write_text(key or ghost.admin_key)
        secret.chmod(0o600)
        file = tmp_path / "copydesk.toml"
        table = [f'url = "{url or ghost.url}"', f'admin_key_file = "{secret}"', *lines]
        feed = '[feed]\nurl = "http://127.0.0.1:9/v1/content-tokens/none/latest"\n'
        file.write_text("\n".join([feed, "[[target]]", 'type = "ghost"', *table]))
        file.chmod(0o600)
        return config.load(file).targets[0]

    return open_it


@pytest.fixture
def post() -> Post:
    """One post."""
    return Post.from_item(make_item())


def put(publisher: Target, post: Post) -> str:
    """Find or draft, then publish; gives the address."""
    copy = publisher.find(post) or publisher.draft(post)
    return publisher.publish(post, copy.remote_id).url


def the_one(ghost: GhostSite) -> StoredGhostPost:
    """The only post in Ghost's database, drafts included."""
    (stored,) = ghost.posts()
    return stored


def page_of(ghost: GhostSite, url: str) -> BeautifulSoup:
    return BeautifulSoup(ghost.page_html(url), "html.parser")


def offer_links(page: BeautifulSoup) -> list[dict[str, Any]]:
    return [link.attrs for link in page.find_all("a", string="Acme")]


def test_the_mapping_as_a_card(ghost: GhostSite, target: Open, post: Post) -> None:
    """the whole mapping read back from the target; offer link exact with rel and target"""
    url = put(target(), post)
    stored = the_one(ghost)
    assert (stored.status, stored.title, stored.slug) == ("published", TITLE, post.slug)
    assert stored.tags == (*post.keywords, "#copydesk-69746d5f31")
    assert stored.custom_excerpt == stored.meta_description == DESCRIPTION
    assert stored.meta_title == TITLE
    assert stored.authors == ("jo",)
    assert (stored.codeinjection_head, stored.canonical_url, stored.feature_image) == (None,) * 3
    (card,) = json.loads(stored.lexical)["root"]["children"]
    assert card == {"type": "html", "version": 1, "html": post.html}
    assert post.html in stored.html

    assert url == f"{ghost.url}/{post.slug}/"
    assert post.html in ghost.page_html(url), "kept byte for byte"
    page = page_of(ghost, url)
    assert offer_links(page) == [OFFER]
    assert [heading.get_text(strip=True) for heading in page.find_all("h1")] == [TITLE]
    assert page.title is not None
    assert page.title.get_text() == TITLE
    assert [meta["content"] for meta in page.find_all("meta", {"name": "description"})] == [
        DESCRIPTION
    ]
    assert "#copydesk" not in page.get_text(), "internal tags are for staff alone"


def test_the_mapping_as_ghosts_own_blocks(ghost: GhostSite, target: Open, post: Post) -> None:
    """source=html: Ghost's own blocks; drops target"""
    page = page_of(ghost, put(target('format = "html"'), post))
    kinds = [block["type"] for block in json.loads(the_one(ghost).lexical)["root"]["children"]]
    assert kinds == ["paragraph", "paragraph", "extended-heading", "list", "paragraph"]
    assert offer_links(page) == [{"href": OFFER["href"], "rel": OFFER["rel"]}]
    assert "That is all — enjoy." in page.get_text()


def test_paragraphs_of_a_list_item_stay_apart_in_ghosts_own_blocks(
    ghost: GhostSite, target: Open, post: Post
) -> None:
    """source=html: Ghost's own blocks"""
    items = "<ul><li><p>Rinse <b>it</b>.</p>\n<p>Dry it.</p><ul><li>Well.</li></ul></li></ul>"
    page = page_of(ghost, put(target('format = "html"'), replace(post, html=items)))
    text = page.get_text("|", strip=True)
    assert ".|Dry it." in text, "not one sentence behind the other"
    assert "Well." in text


@pytest.mark.parametrize("format_name", ["card", "html"])
def test_what_ghost_keeps_is_not_reported_as_lost(
    ghost: GhostSite, target: Open, tmp_path: Path, format_name: str
) -> None:
    """What differs from what was sent is a warning, and nothing else is"""
    ghost.change(target().draft(a_post("itm_0", slug="other")).remote_id, tags=[{"name": "BEDS"}])
    publisher = target(
        f'format = "{format_name}"',
        'tags = ["beds ", "Soup & stew", "What\'s new", "Beds 🥕"]',
        'category = "Jardín"',
        'notice = "Some links are paid."',
        f'image = "{picture(tmp_path / "spade.png")}"',
    )
    post = a_post(title="Carrots 🥕 & <b>")
    copy = publisher.draft(post)
    shown = publisher.publish(post, copy.remote_id)
    assert (copy.notes, shown.notes) == ((), ())
    # Another process cannot know whether the draft is whole, and writes it again.
    second = a_post("itm_2", slug="second")
    target('tags = ["beds"]').draft(second)
    assert publisher.publish(second, publisher.find(second).remote_id).notes == ()
    assert "Soup & stew" in ghost.posts()[-1].tags


@pytest.mark.parametrize("name", sorted(CONTENTS))
def test_lists_tables_quotations_and_code_are_shown_as_meant(
    ghost: GhostSite, target: Open, name: str
) -> None:
    raw = example_item(name)
    page = page_of(ghost, put(target(), Post.from_item(raw)))
    body = page.select_one(".gh-content")
    assert body is not None
    assert blocks_of(body) == expected_blocks(raw)


def test_the_choices(ghost: GhostSite, target: Open, post: Post, tmp_path: Path) -> None:
    """tags, author, canonical_url by choice, feature image, json_ld into codeinjection_head"""
    if not ghost.rows("SELECT JSON_OBJECT('id', id) FROM users WHERE slug = 'ann'"):
        ghost.add_author("Ann", "ann@blog.example")
    image_file = picture(tmp_path / "beans.png")
    url = put(
        target(
            'tags = ["Coffee"]',
            'category = "Guides"',
            'author = "ann@blog.example"',
            'canonical_base_url = "https://main.example/posts/"',
            "json_ld = true",
            f'image = "{image_file}"',
        ),
        post,
    )
    stored = the_one(ghost)
    assert stored.tags == ("Guides", "Coffee", "#copydesk-69746d5f31")
    assert stored.authors == ("ann",)
    assert stored.canonical_url == f"https://main.example/posts/{post.slug}/"
    assert stored.feature_image_alt == TITLE

    page = page_of(ghost, url)
    image = page.find("img", {"alt": TITLE})
    assert image is not None
    sent = requests.get(urljoin(url, str(image["src"])), timeout=30)
    assert (sent.status_code, sent.headers["Content-Type"]) == (200, "image/png")
    canonical = page.find("link", {"rel": "canonical"})
    assert canonical is not None
    assert canonical["href"] == stored.canonical_url
    texts = [json.loads(s.get_text()) for s in page.select('script[type="application/ld+json"]')]
    ours = [text for text in texts if text["@type"] == "BlogPosting"]
    assert len(ours) == 1
    assert ours[0]["headline"] == TITLE
    assert ours[0]["publisher"]["name"] == "Jo's blog"
    assert ours[0]["image"].endswith("/beans.png")


def test_scheduled(ghost: GhostSite, target: Open, post: Post) -> None:
    """scheduled, with publish_after after the time of generation"""
    generated = datetime.now(UTC).replace(microsecond=0)
    later = Post.from_item(make_item(generated_at=generated.isoformat()))
    publisher = target('status = "scheduled"', 'publish_after = "2h"')
    assert put(publisher, later) == ""
    stored = the_one(ghost)
    due = generated + timedelta(hours=2)
    assert (stored.status, stored.published_at) == ("scheduled", f"{due:%Y-%m-%d %H:%M:%S}")
    put(publisher, later)
    assert the_one(ghost) == stored, "running again changes nothing"
    # What its owner takes back to the drafts is not scheduled again.
    ghost.change(stored.id, status="draft")
    found = publisher.find(later)
    assert found is not None
    assert found.state is CopyState.WITHDRAWN

    ghost.clear()
    put(publisher, post)
    assert the_one(ghost).status == "published", "its time is over"


def test_a_duplicate_of_the_owners_is_not_removed(
    ghost: GhostSite, target: Open, post: Post
) -> None:
    """delete our other untouched drafts: Ghost's own duplicate carries the tag as well"""
    draft = target().draft(post)
    target().draft(post)
    ghost.admin("POST", f"posts/{draft.remote_id}/copy/")
    notes = target().publish(post, draft.remote_id).notes
    titles = [(stored.status, stored.title) for stored in ghost.posts()]
    assert titles == [("published", TITLE), ("draft", f"{TITLE} (Copy)")]
    assert len(notes) == 1
    assert "is a second copy of it" in notes[0]


def test_check_on_a_fresh_ghost(ghost: GhostSite, target: Open, post: Post) -> None:
    """check: that outbound link tagging is on (it adds ?ref= to sponsored links …)"""
    (fine,) = target().check()
    assert fine.message == "Ghost 6.65, Jo's blog: the key is accepted"
    ghost.tag_outbound_links(on=True)
    try:
        finding, fine = target().check()
        assert (finding.level, fine.level) == (Level.WARNING, Level.OK)
        (link,) = offer_links(page_of(ghost, put(target(), post)))
        assert link["href"] == f"{OFFER['href']}&ref=127.0.0.1", "as the finding says"
    finally:
        ghost.tag_outbound_links(on=False)


def test_what_the_owner_has_to_mend(ghost: GhostSite, target: Open) -> None:
    """author 422/404 explained; the key works; the host is right"""
    for author in ("nobody", "nobody@blog.example", "no body"):
        with pytest.raises(Misconfigured, match=f'the site has no author "{author}"'):
            target(f'author = "{author}"').ready()
    for author in ("jo", "owner@blog.example"):
        target(f'author = "{author}"').ready()
    with pytest.raises(Misconfigured, match="Unknown Admin API Key"):
        target(key=f"{'0' * 24}:{'0' * 64}").ready()
    with pytest.raises(Misconfigured, match="invalid signature"):
        target(key=f"{ghost.admin_key[:24]}:{'0' * 64}").ready()
    with pytest.raises(Misconfigured, match="Admin API does not answer there"):
        target(url=f"{ghost.url}/blog").ready()


def test_pages_of_the_site_for_internal_links(ghost: GhostSite, target: Open, post: Post) -> None:
    """resolved at publish time to the site's own related posts by its search"""
    publisher = target()
    url = put(publisher, post)
    assert publisher.related("An Espresso machine's boiler") == [Page(TITLE, url)]
    assert publisher.related("raised garden beds") == []
