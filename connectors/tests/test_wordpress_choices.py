"""WordPress: the owner's choices, what a site does not take, and wrong settings."""

from dataclasses import replace
from pathlib import Path

import pytest

from copydesk_connectors.target.base import Copy, Level, Target
from copydesk_connectors.target.errors import Misconfigured, Unavailable
from copydesk_connectors.target.post import Post
from copydesk_connectors.targets.wordpress.posts import content_of

from .fake_site import Broken
from .fake_wordpress import FakeWordPress
from .items import Open

SEO = {
    "_yoast_wpseo_title": "How to descale an espresso machine",
    "_yoast_wpseo_metadesc": "Descale it in an hour: what to buy & what to avoid.",
    "_yoast_wpseo_focuskw": "descale espresso machine",
    "rank_math_title": "How to descale an espresso machine",
    "rank_math_description": "Descale it in an hour: what to buy & what to avoid.",
    "rank_math_focus_keyword": "descale espresso machine",
}


def put(publisher: Target, post: Post) -> Copy:
    """Find or draft, then publish, with the notes of both."""
    copy = publisher.find(post) or publisher.draft(post)
    shown = publisher.publish(post, copy.remote_id)
    return replace(shown, notes=(*copy.notes, *shown.notes))


def test_in_the_name_of_an_author(
    fake_wordpress: FakeWordPress, wordpress: Open, post: Post
) -> None:
    """author: a user who may edit others' posts is needed"""
    fake_wordpress.role = "editor"
    put(wordpress('author = "ann-lee"'), post)
    assert fake_wordpress.posts[1]["author"] == 3
    fake_wordpress.role = "author"
    wordpress('author = "jo"').ready()
    with pytest.raises(Misconfigured, match='may not write posts in the name of "ann-lee"'):
        wordpress('author = "ann-lee"').ready()


def test_seo_fields_are_sent_where_the_site_takes_them(
    fake_wordpress: FakeWordPress, wordpress: Open, post: Post
) -> None:
    """seo = "auto" fills Yoast's or Rank Math's fields where the site takes them; check says when
    nothing took them"""
    fake_wordpress.namespaces.append("yoast/v1")
    warning, fine = wordpress().check()
    assert (warning.level, fine.level) == (Level.WARNING, Level.OK)
    assert warning.message.startswith("Yoast SEO is there, but the site takes its title")
    assert "Copydesk for WordPress" in warning.fix
    (fine,) = wordpress('seo = "none"').check()
    assert fine.level is Level.OK

    fake_wordpress.meta_keys = set(SEO)
    (fine,) = wordpress().check()
    assert fine.level is Level.OK
    assert put(wordpress(), post).notes == ()
    assert fake_wordpress.posts[1]["meta"] == SEO


def test_a_post_goes_without_seo_fields_that_the_user_may_not_write(
    fake_wordpress: FakeWordPress, wordpress: Open, post: Post
) -> None:
    """WordPress refuses such a post after it was stored: one post, not two, and not refused"""
    fake_wordpress.meta_keys = {"rank_math_title"}
    fake_wordpress.forbidden_meta = True
    copy = put(wordpress("tags = []"), post)
    assert copy.notes[0].startswith("goes without SEO fields: Sorry")
    assert [stored["status"] for stored in fake_wordpress.posts.values()] == ["publish"]
    assert fake_wordpress.writes() == ["POST posts", "POST posts/1"]


def test_a_site_that_hides_what_it_takes_gets_the_post(
    fake_wordpress: FakeWordPress, wordpress: Open, post: Post
) -> None:
    """nothing lost: OPTIONS is blocked by some firewalls"""
    fake_wordpress.fault = lambda method, _: Broken(False, 405) if method == "OPTIONS" else None
    assert put(wordpress(), post).notes == ()


def test_a_picture_is_sent_once_whatever_the_connection_does(
    fake_wordpress: FakeWordPress,
    wordpress: Open,
    post: Post,
    tmp_path: Path,
    waits: list[float],
) -> None:
    """upload once per file and process; alt text = title or the image's name"""
    (tmp_path / "two_blue-cups.png").write_bytes(b"\x89PNG")
    answers = iter([Broken(True)])
    fake_wordpress.fault = lambda method, path: (
        next(answers, None) if (method, path) == ("POST", "media") else None
    )
    site = wordpress(f'image = "{tmp_path / "two_blue-cups.png"}"')
    for number in (1, 2):
        assert put(site, replace(post, id=f"itm_{number}", slug=f"post-{number}")).notes == ()
    assert [stored["featured_media"] for stored in fake_wordpress.posts.values()] == [1, 1]
    (sent,) = fake_wordpress.media
    assert (sent["name"], sent["alt_text"]) == ("two_blue-cups.png", "two blue cups")

    (tmp_path / f"{post.slug}.png").write_bytes(b"\x89PNG another")
    put(wordpress(f'image = "{tmp_path}"'), replace(post, id="itm_3"))
    assert fake_wordpress.media[1]["alt_text"] == post.title


def test_what_its_owner_deletes_meanwhile_is_made_again(
    fake_wordpress: FakeWordPress, wordpress: Open, post: Post, tmp_path: Path
) -> None:
    """run never ends, so each pass reads the site's settings again."""
    (tmp_path / "cup.png").write_bytes(b"\x89PNG")
    site = wordpress(f'image = "{tmp_path / "cup.png"}"')
    put(site, post)
    fake_wordpress.media[0]["slug"] = "deleted"
    fake_wordpress.terms["tags"].clear()
    fake_wordpress.meta_keys = set(SEO)
    site.ready()
    assert put(site, replace(post, id="itm_2", slug="two")).notes == ()
    stored = fake_wordpress.posts[2]
    assert stored["featured_media"] == 2
    assert {fake_wordpress.terms["tags"][tag] for tag in stored["tags"]} == set(post.keywords)
    assert stored["meta"] == SEO


def test_a_post_waits_for_its_site_but_not_for_its_picture(
    fake_wordpress: FakeWordPress,
    wordpress: Open,
    post: Post,
    tmp_path: Path,
    waits: list[float],
) -> None:
    """a post never waits for ever for a picture"""
    (tmp_path / "cup.png").write_bytes(b"\x89PNG")
    line = f'image = "{tmp_path / "cup.png"}"'
    full = Broken(False, 500, '{"code": "rest_upload_sideload_error", "message": "Disk full."}')
    fake_wordpress.fault = lambda method, path: full if path == "media" else None
    copy = put(wordpress(line), post)
    assert copy.notes == (
        "goes without its picture cup.png: blog.example answered 500: "
        "Disk full. (rest_upload_sideload_error)",
    )
    assert "featured_media" not in fake_wordpress.posts[1]

    fake_wordpress.fault = lambda method, path: full if path in {"media", "users/me"} else None
    with pytest.raises(Unavailable):
        wordpress(line).draft(replace(post, id="itm_2"))

    refused = Broken(False, 413, "<h1>Too large</h1>")
    fake_wordpress.fault = lambda method, path: refused if path == "media" else None
    with pytest.raises(Misconfigured, match=r"does not take the picture cup\.png"):
        wordpress(line).draft(replace(post, id="itm_2"))


def test_json_ld_needs_the_plugin(
    fake_wordpress: FakeWordPress, wordpress: Open, post: Post
) -> None:
    """json_ld: without the plugin check says so and it is left out"""
    said = "the JSON-LD is left out without the plugin"
    assert said in [finding.message for finding in wordpress("json_ld = true").check()]
    copy = put(wordpress("json_ld = true"), post)
    assert copy.notes == ("goes without its JSON-LD: the site lacks the plugin for it",)
    assert "schema.org" not in fake_wordpress.posts[1]["content"]


def test_a_text_is_text_in_every_field(post: Post) -> None:
    """A title is text whatever is in it; no shortcode comes of a text"""
    title, html = "1 < 2 & <b>3</b>", "<p>See [gallery] &amp; [b].</p>"
    content = content_of(replace(post, title=title, description=title, html=html), "html")
    assert content["title"] == content["excerpt"] == "1 &lt; 2 &amp; &lt;b&gt;3&lt;/b&gt;"
    assert content["content"].startswith("<p>See &#91;gallery] &amp; &#91;b].<!--")
    blocks = content_of(replace(post, html=html), "blocks")
    assert "<p>See &#91;gallery] &amp; &#91;b].<!--" in blocks["content"]


@pytest.mark.parametrize(
    "end", ["/wp-json/", "/wp-admin/", "/wp-admin/post.php?a=1", "/xmlrpc.php", "/wp-login.php#x"]
)
def test_the_address_of_the_admin_is_that_of_the_site(
    fake_wordpress: FakeWordPress, wordpress: Open, end: str
) -> None:
    """`init` trims /wp-admin: it is what the browser shows"""
    url = fake_wordpress.url
    fake_wordpress.url += end
    target = wordpress()
    fake_wordpress.url = url
    target.ready()
