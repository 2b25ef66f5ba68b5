"""WordPress: the mapping by each choice of its owner, roles, blocks, and what check says."""

import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest

from copydesk_connectors.suite import put
from copydesk_connectors.target.base import Copy, Level, Target
from copydesk_connectors.target.errors import Misconfigured, Unavailable
from copydesk_connectors.target.post import Post
from copydesk_connectors.targets.wordpress.blocks import as_blocks
from copydesk_connectors.targets.wordpress.posts import content_of
from copydesk_connectors.targets.wordpress.site import RestFields

from .fake_site import Broken
from .fake_wordpress import FakeWordPress
from .items import Open, make_item

_MOMENT_S = 0.5


def test_the_mapping(fake_wordpress: FakeWordPress, wordpress: Open, post: Post) -> None:
    """draft first, publish by id; excerpt = meta description; the marker; the slug"""
    put(wordpress('format = "html"'), post)
    (stored,) = fake_wordpress.public()
    assert stored["title"] == "How to descale an espresso machine"
    assert stored["slug"] == "descale-espresso-machine"
    assert stored["excerpt"] == "Descale it in an hour: what to buy &amp; what to avoid."
    assert stored["content"] == post.html.replace("enjoy.</p>", "enjoy.<!-- copydesk:itm_1 --></p>")
    assert [fake_wordpress.terms["tags"][tag] for tag in stored["tags"]] == list(post.keywords)
    assert fake_wordpress.writes() == ["POST tags", "POST tags", "POST posts", "POST posts/1"]


@pytest.mark.parametrize(
    ("html", "marked"),
    [
        ("<p>A</p>\n<ul>\n<li>B</li>\n</ul>\n", "<p>A</p>\n<ul>\n<li>B#</li>\n</ul>\n"),
        ("<blockquote><p>A</p></blockquote><hr>", "<blockquote><p>A#</p></blockquote><hr>"),
        ("<table><tr><td>A</td></tr></table>", "<table><tr><td>A#</td></tr></table>"),
        ("plain", "plain#"),
    ],
)
def test_the_marker_ends_the_last_running_text(post: Post, html: str, marked: str) -> None:
    """The page as readers see it is right: between elements it would show as a gap"""
    marker = "<!-- copydesk:itm_1 -->"
    assert content_of(replace(post, html=html), "html")["content"] == marked.replace("#", marker)


@pytest.mark.parametrize(
    ("role", "settings", "fix"),
    [
        (
            "contributor",
            (),
            'give the user the role Author or Editor, or set status = "pending" or "draft"',
        ),
        ("subscriber", ('status = "draft"',), "give the user the role Author or Editor"),
        ("author", ('category = "News"',), "make it in WordPress, correct category, or"),
    ],
)
def test_what_the_role_may_not_do_is_found_before_anything_is_sent(
    fake_wordpress: FakeWordPress, wordpress: Open, role: str, settings: tuple[str], fix: str
) -> None:
    """target credentials, role …; each finding with how to fix it"""
    fake_wordpress.role = role
    publisher = wordpress(*settings)
    (finding,) = publisher.check()
    assert finding.level is Level.PROBLEM
    assert fix in finding.fix
    with pytest.raises(Misconfigured):
        publisher.ready()
    assert fake_wordpress.writes() == []


def test_a_category_by_name(fake_wordpress: FakeWordPress, wordpress: Open, post: Post) -> None:
    """Categories by name, whatever their capitals; made where the role may"""
    fake_wordpress.terms["categories"][7] = "Tips & Tricks"
    wordpress('category = "tips & tricks"').ready()
    put(wordpress('category = "tips & tricks"'), post)
    assert fake_wordpress.public()[0]["categories"] == [7]
    fake_wordpress.role = "editor"
    publisher = wordpress('category = "Brand new"')
    publisher.ready()
    assert "POST categories" not in fake_wordpress.writes()
    put(publisher, Post.from_item(make_item("itm_2")))
    assert fake_wordpress.terms["categories"][3] == "Brand new"


def test_posts_drafted_at_the_same_time_make_a_new_tag_once(
    fake_wordpress: FakeWordPress, wordpress: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    """posts share tags and pictures, which no site keeps unique"""
    first, second = threading.Event(), threading.Event()

    def fault(method: str, path: str) -> None:
        if (method, path) == ("POST", "tags"):
            (second if first.is_set() else first).set()

    def draft(number: int) -> None:
        target.draft(Post.from_item(make_item(f"itm_{number}", slug=f"post-{number}")))

    fake_wordpress.fault = fault
    target = wordpress('tags = ["New"]')
    make_term = RestFields._make_term

    def slowly(fields: RestFields, taxonomy: str, name: str) -> int:
        term_id = make_term(fields, taxonomy, name)
        second.wait(_MOMENT_S)
        return term_id

    monkeypatch.setattr(RestFields, "_make_term", slowly)
    with ThreadPoolExecutor(2) as pool:
        list(pool.map(draft, (1, 2)))
    assert fake_wordpress.writes().count("POST tags") == 1
    assert [post["tags"] for post in fake_wordpress.posts.values()] == [[1], [1]]


def test_tags_by_name_when_the_role_may(
    fake_wordpress: FakeWordPress, wordpress: Open, post: Post
) -> None:
    """tags by name when the role may; a duplicate tag is 400 term_exists with data.term_id"""
    fake_wordpress.terms["tags"][5] = "citric acid"
    forbidden = Broken(False, 403, '{"code": "rest_cannot_create", "message": "No.", "data": {}}')
    fake_wordpress.fault = lambda method, path: (
        forbidden if (method, path) == ("POST", "tags") else None
    )
    copy = wordpress().draft(post)
    assert fake_wordpress.posts[1]["tags"] == [5]
    assert copy.notes == ("the user may not make tags, left out: descale espresso machine",)

    fake_wordpress.fault = lambda method, path: (
        Broken(False, 200, "[]") if (method, path) == ("GET", "tags") else None
    )
    wordpress('tags = ["Citric Acid"]').draft(Post.from_item(make_item("itm_2")))
    assert fake_wordpress.posts[2]["tags"] == [5]

    wordpress("tags = []").draft(Post.from_item(make_item("itm_3")))
    assert fake_wordpress.posts[3]["tags"] == []


SEO = {
    "_yoast_wpseo_title": "How to descale an espresso machine",
    "_yoast_wpseo_metadesc": "Descale it in an hour: what to buy & what to avoid.",
    "_yoast_wpseo_focuskw": "descale espresso machine",
    "rank_math_title": "How to descale an espresso machine",
    "rank_math_description": "Descale it in an hour: what to buy & what to avoid.",
    "rank_math_focus_keyword": "descale espresso machine",
}


def put_noted(publisher: Target, post: Post) -> Copy:
    """Find or draft, then publish, with the notes of both."""
    copy = publisher.find(post) or publisher.draft(post)
    shown = publisher.publish(post, copy.remote_id)
    return replace(shown, notes=(*copy.notes, *shown.notes))


def test_in_the_name_of_an_author(
    fake_wordpress: FakeWordPress, wordpress: Open, post: Post
) -> None:
    """author: a user who may edit others' posts is needed"""
    fake_wordpress.role = "editor"
    put_noted(wordpress('author = "ann-lee"'), post)
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
    assert put_noted(wordpress(), post).notes == ()
    assert fake_wordpress.posts[1]["meta"] == SEO


def test_a_post_goes_without_seo_fields_that_the_user_may_not_write(
    fake_wordpress: FakeWordPress, wordpress: Open, post: Post
) -> None:
    """WordPress refuses such a post after it was stored: one post, not two, and not refused"""
    fake_wordpress.meta_keys = {"rank_math_title"}
    fake_wordpress.forbidden_meta = True
    copy = put_noted(wordpress("tags = []"), post)
    assert copy.notes[0].startswith("goes without SEO fields: Sorry")
    assert [stored["status"] for stored in fake_wordpress.posts.values()] == ["publish"]
    assert fake_wordpress.writes() == ["POST posts", "POST posts/1"]


def test_a_site_that_hides_what_it_takes_gets_the_post(
    fake_wordpress: FakeWordPress, wordpress: Open, post: Post
) -> None:
    """nothing lost: OPTIONS is blocked by some firewalls"""
    fake_wordpress.fault = lambda method, _: Broken(False, 405) if method == "OPTIONS" else None
    assert put_noted(wordpress(), post).notes == ()


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
        assert put_noted(site, replace(post, id=f"itm_{number}", slug=f"post-{number}")).notes == ()
    assert [stored["featured_media"] for stored in fake_wordpress.posts.values()] == [1, 1]
    (sent,) = fake_wordpress.media
    assert (sent["name"], sent["alt_text"]) == ("two_blue-cups.png", "two blue cups")

    (tmp_path / f"{post.slug}.png").write_bytes(b"\x89PNG another")
    put_noted(wordpress(f'image = "{tmp_path}"'), replace(post, id="itm_3"))
    assert fake_wordpress.media[1]["alt_text"] == post.title


def test_what_its_owner_deletes_meanwhile_is_made_again(
    fake_wordpress: FakeWordPress, wordpress: Open, post: Post, tmp_path: Path
) -> None:
    """run never ends, so each pass reads the site's settings again."""
    (tmp_path / "cup.png").write_bytes(b"\x89PNG")
    site = wordpress(f'image = "{tmp_path / "cup.png"}"')
    put_noted(site, post)
    fake_wordpress.media[0]["slug"] = "deleted"
    fake_wordpress.terms["tags"].clear()
    fake_wordpress.meta_keys = set(SEO)
    site.ready()
    assert put_noted(site, replace(post, id="itm_2", slug="two")).notes == ()
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
    copy = put_noted(wordpress(line), post)
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
    copy = put_noted(wordpress("json_ld = true"), post)
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


@pytest.mark.parametrize(
    ("markup", "blocks"),
    [
        (
            '<ol start="3">\n<li>Rinse <em>it</em>.</li>\n</ol>',
            '<!-- wp:list {"ordered":true,"start":3} -->\n'
            '<ol start="3" class="wp-block-list"><!-- wp:list-item -->\n'
            "<li>Rinse <em>it</em>.</li>\n<!-- /wp:list-item --></ol>\n<!-- /wp:list -->",
        ),
        (
            '<ol start="x"><li>Rinse.</li></ol>',
            '<!-- wp:list {"ordered":true} -->\n'
            '<ol class="wp-block-list"><!-- wp:list-item -->\n'
            "<li>Rinse.</li>\n<!-- /wp:list-item --></ol>\n<!-- /wp:list -->",
        ),
        (
            "<h3>Rinse</h3>",
            '<!-- wp:heading {"level":3} -->\n<h3 class="wp-block-heading">Rinse</h3>\n'
            "<!-- /wp:heading -->",
        ),
        (
            "<blockquote>\n<p>Rinse.</p>\n</blockquote>",
            '<!-- wp:quote -->\n<blockquote class="wp-block-quote"><!-- wp:paragraph -->\n'
            "<p>Rinse.</p>\n<!-- /wp:paragraph --></blockquote>\n<!-- /wp:quote -->",
        ),
        (
            "<pre><code>a &lt; b [c]\n</code></pre>",
            '<!-- wp:code -->\n<pre class="wp-block-code"><code>a &lt; b &#91;c]</code></pre>\n'
            "<!-- /wp:code -->",
        ),
        (
            "<table><thead><tr><th>A</th></tr></thead><tbody><tr><td></td></tr></tbody></table>",
            '<!-- wp:table {"hasFixedLayout":false} -->\n'
            '<figure class="wp-block-table"><table><thead><tr><th>A</th></tr></thead>'
            "<tbody><tr><td></td></tr></tbody></table></figure>\n<!-- /wp:table -->",
        ),
    ],
)
def test_each_element_is_its_own_block(markup: str, blocks: str) -> None:
    assert as_blocks(markup) == blocks
