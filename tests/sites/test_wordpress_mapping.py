"""The whole mapping by REST, read back from a real WordPress's own tables and pages."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from bs4 import BeautifulSoup

from copydesk_connectors.target.base import CopyState, Level
from copydesk_connectors.target.errors import Misconfigured
from tests.support.sites.wordpress_site import SCRIPTS, WordPressSite
from tests.support.sites.wordpress_target import a_post, picture, put, target

pytestmark = pytest.mark.sites

SEO = {
    "_yoast_wpseo_title": "How to descale an espresso machine",
    "_yoast_wpseo_metadesc": "Descale it in an hour: what to buy & what to avoid.",
    "_yoast_wpseo_focuskw": "descale espresso machine",
    "rank_math_title": "How to descale an espresso machine",
    "rank_math_description": "Descale it in an hour: what to buy & what to avoid.",
    "rank_math_focus_keyword": "descale espresso machine",
}


@pytest.fixture
def with_seo(wordpress: WordPressSite) -> Iterator[WordPressSite]:
    """The site with plugins that take SEO fields and JSON-LD by REST."""
    with wordpress.with_plugin(f"require '{SCRIPTS / 'seo-plugins.php'}';"):
        yield wordpress


def test_the_mapping(wordpress: WordPressSite, tmp_path: Path) -> None:
    """author, categories and tags by name (created where the role may), excerpt from the meta
    description"""
    site = target(
        wordpress,
        tmp_path,
        "editor",
        category=["Tips & Tricks", f"Kitchen {wordpress.suite}"],
        tags=["Coffee & Tea", "Machines"],
        author="author",
    )
    site.ready()
    for number in (1, 2):  # the second finds the names that the first made
        assert put(site, a_post(f"itm_{number}", slug=f"descale-{number}")).notes == ()
    for stored in wordpress.posts():
        assert stored.status == "publish"
        assert stored.title == "How to descale an espresso machine"
        assert stored.excerpt == "Descale it in an hour: what to buy &amp; what to avoid."
        assert stored.author == "author"
        assert stored.categories == (f"Kitchen {wordpress.suite}", "Tips &amp; Tricks")
        assert stored.tags == ("Coffee &amp; Tea", "Machines")
        page = BeautifulSoup(wordpress.page_html(f"{wordpress.url}/{stored.slug}/"), "html.parser")
        offers = page.find_all("a", rel="sponsored")
        assert [(offer["href"], offer["target"]) for offer in offers] == [
            ("https://acme.example/?a=1&b=2", "_blank"),
            ("https://shop.example/kit", "_blank"),
        ]
        assert "[gallery] is no shortcode here, nor is 1 < 2." in page.get_text()


@pytest.mark.parametrize("author", ["author", "3", "AUTHOR"])
@pytest.mark.parametrize("role", ["administrator", "editor"])
def test_an_author_by_login_slug_or_id(
    wordpress: WordPressSite, tmp_path: Path, author: str, role: str
) -> None:
    """author by slug/login; a user who may edit others' posts is needed"""
    put(target(wordpress, tmp_path, role, author=author), a_post())
    assert [post.author for post in wordpress.posts()] == ["author"]


@pytest.mark.parametrize(
    ("role", "author", "message", "fix"),
    [
        ("author", "editor", 'may not write posts in the name of "editor"', "the role Editor"),
        ("editor", "nobody", 'the site shows no user "nobody"', "set author to the login"),
    ],
)
def test_an_author_that_cannot_be_is_found_before_anything_is_sent(
    wordpress: WordPressSite, tmp_path: Path, role: str, author: str, message: str, fix: str
) -> None:
    """check verifies … role …, and says how to fix each finding"""
    site = target(wordpress, tmp_path, role, author=author)
    with pytest.raises(Misconfigured) as caught:
        site.ready()
    assert message in str(caught.value)
    (finding,) = site.check()
    assert (finding.level, fix in finding.fix) == (Level.PROBLEM, True)


def test_a_post_is_scheduled(wordpress: WordPressSite, tmp_path: Path) -> None:
    """status … scheduled: a future date; what is due within about a minute is shown at once"""
    now = datetime.now(UTC)
    scheduled = {"status": "scheduled", "publish_after": "2h"}
    site = target(wordpress, tmp_path, **scheduled)
    later = a_post("itm_1", generated_at=now.isoformat())
    copy = put(site, later)
    assert (copy.state, copy.url) == (CopyState.SCHEDULED, "")
    assert copy.due == (now + timedelta(hours=2)).replace(microsecond=0)
    due = a_post(
        "itm_2", slug="due", generated_at=(now - timedelta(hours=1, minutes=59)).isoformat()
    )
    over = a_post("itm_3", slug="over", generated_at=(now - timedelta(days=1)).isoformat())
    put(site, due)
    put(site, over)
    stored = wordpress.posts()
    assert [post.status for post in stored] == ["future", "publish", "publish"]
    assert stored[0].date_gmt == (now + timedelta(hours=2)).strftime("%Y-%m-%d %H:%M:%S")

    # Once it is decided it is done: another look changes nothing, nor does the owner's new date.
    wordpress.rest("POST", f"posts/{copy.remote_id}", json={"date_gmt": "2030-01-01T00:00:00"})
    before = wordpress.posts()
    assert put(site, later).remote_id == copy.remote_id
    assert wordpress.posts() == before


@pytest.mark.parametrize("status", ["pending", "scheduled"])
def test_what_its_owner_did_to_a_waiting_post_stands(
    wordpress: WordPressSite, tmp_path: Path, status: str
) -> None:
    """trashed is never restored, edited is never overwritten"""
    settings = {"status": status} | ({"publish_after": "2h"} if status == "scheduled" else {})
    post = a_post(generated_at=datetime.now(UTC).isoformat())
    copy = put(target(wordpress, tmp_path, **settings), post)
    edited = wordpress.posts()[0].content.replace("enjoy", "mind the steam")
    wordpress.rest("POST", f"posts/{copy.remote_id}", json={"content": edited})
    before = wordpress.posts()
    put(target(wordpress, tmp_path, **settings), post)
    assert wordpress.posts() == before
    wordpress.rest("DELETE", f"posts/{copy.remote_id}")
    assert put(target(wordpress, tmp_path, **settings), post).state is CopyState.WITHDRAWN
    assert [stored.status for stored in wordpress.posts()] == ["trash"]


def test_the_featured_image_is_sent_once(wordpress: WordPressSite, tmp_path: Path) -> None:
    """featured image (an image of the owner's); images with alt text"""
    file = picture(tmp_path / "a-cup_of coffee.png")
    for number in (1, 2):  # two processes
        site = target(wordpress, tmp_path, image=str(file))
        put(site, a_post(f"itm_{number}", slug=f"descale-{number}"))
    (sent,) = wordpress.rest("GET", "media")
    assert sent["alt_text"] == "a cup of coffee"
    assert sent["source_url"].endswith(".png")
    for stored in wordpress.posts():
        assert wordpress.meta(stored.id)["_thumbnail_id"] == str(sent["id"])
    page = BeautifulSoup(wordpress.page_html(f"{wordpress.url}/descale-1/"), "html.parser")
    images = [image for image in page.find_all("img") if "a-cup" in str(image.get("src"))]
    assert images
    assert {image["alt"] for image in images} == {"a cup of coffee"}


def test_a_picture_that_wordpress_does_not_take_is_named(
    wordpress: WordPressSite, tmp_path: Path
) -> None:
    """what is the owner's fault waits for the owner"""
    drawn = tmp_path / "a.svg"
    drawn.write_text("<svg xmlns='http://www.w3.org/2000/svg'/>")
    with pytest.raises(Misconfigured, match=r"WordPress takes no SVG, and a\.svg is one"):
        put(target(wordpress, tmp_path, image=str(drawn)), a_post())
    broken = tmp_path / "b.png"
    broken.write_text("This is no picture.")
    for path in (broken, tmp_path / "missing.png"):
        with pytest.raises(Misconfigured, match="there is no picture at"):
            put(target(wordpress, tmp_path, image=str(path)), a_post())
    assert wordpress.posts() == []


def test_seo_fields_where_the_site_takes_them(with_seo: WordPressSite, tmp_path: Path) -> None:
    """SEO fields of Yoast and Rank Math where the site takes them"""
    site = target(with_seo, tmp_path)
    assert [finding.level for finding in site.check()] == [Level.OK]
    copy = put(site, a_post())
    assert copy.notes == ()
    meta = with_seo.meta(int(copy.remote_id))
    assert {key: meta.get(key) for key in SEO} == SEO
    none = put(target(with_seo, tmp_path, seo="none"), a_post("itm_2", slug="none"))
    assert not SEO.keys() & with_seo.meta(int(none.remote_id)).keys()


def test_json_ld_is_left_out_without_the_plugin(wordpress: WordPressSite, tmp_path: Path) -> None:
    """JSON-LD BlogPosting by choice, in the way that each target keeps it"""
    site = target(wordpress, tmp_path, "editor", json_ld=True, seo="none")
    warning, _ = site.check()
    assert warning.level is Level.WARNING
    assert "Copydesk for WordPress" in warning.fix
    copy = put(site, a_post("itm_9", slug="lost"))
    assert copy.notes == ("goes without its JSON-LD: the site lacks the plugin for it",)
    assert "schema.org" not in wordpress.page_html(f"{wordpress.url}/lost/")


def test_json_ld_in_a_field_where_there_is_one(with_seo: WordPressSite, tmp_path: Path) -> None:
    """the plugin keeps it as meta"""
    site = target(with_seo, tmp_path, "author", json_ld=True)
    assert [finding.level for finding in site.check()] == [Level.OK]
    copy = put(site, a_post())
    assert copy.notes == ()
    assert '"@type": "BlogPosting"' in with_seo.meta(int(copy.remote_id))["_copydesk_json_ld"]
    assert "schema.org" not in with_seo.posts()[0].content
