"""What was asked for is what is on the site, whatever PHP, the database and plugins do."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path

import pytest
from bs4 import BeautifulSoup

from copydesk_connectors.target import http_api
from copydesk_connectors.target.base import CopyState, Level
from tests.support.sites.live_site import LiveSite
from tests.support.sites.wordpress_site import StoredPost, WordPressSite
from tests.support.sites.wordpress_target import a_post, picture, put, target

pytestmark = pytest.mark.sites

# What each plugin of the site does to a post, and how it looks like on disk.
ENDS_PHP_ONCE = """
add_action('save_post_post', function ($id, $post) {
    if ($post->post_status === 'draft' && @unlink(__DIR__ . '/once')) {
        http_response_code(500);
        exit;
    }
}, 10, 2);
"""
LOSES_TERMS_ONCE = """
add_filter('query', function ($sql) {
    static $lost = false;
    $is_term = preg_match('/^INSERT.*term_relationships/i', $sql);
    $lost = $lost || $is_term && @unlink(__DIR__ . '/once');
    return $lost && $is_term ? 'INSERT INTO wp_gone VALUES (1)' : $sql;
});
"""
LOSES_PICTURE_ONCE = """
add_filter('query', function ($sql) {
    $lost = preg_match('/^INSERT.*_thumbnail_id/is', $sql) && @unlink(__DIR__ . '/once');
    return $lost ? 'INSERT INTO wp_gone VALUES (1)' : $sql;
});
"""
ENDS_PHP_IN_UPLOAD_ONCE = """
add_action('add_attachment', function () {
    if (@unlink(__DIR__ . '/once')) {
        http_response_code(500);
        exit;
    }
});
"""
STRIPS_REL = """
add_filter('wp_insert_post_data', function ($data) {
    $data['post_content'] = preg_replace('/ rel=\\\\\\\\"[^"]*"/', '', $data['post_content']);
    return $data;
});
"""
NO_TAGS = """
add_action('set_object_terms', function ($id, $terms, $ids, $taxonomy) {
    if ($taxonomy === 'post_tag' && $ids) {
        wp_set_object_terms($id, [], $taxonomy);
    }
}, 10, 4);
"""
# Changes to a post's row, some when it is shown.
CHANGES = """
add_filter('wp_insert_post_data', function ($post) {
    $is_shown = in_array($post['post_status'], ['publish', 'future'], true);
    if ($post['post_type'] === 'post') {
        %s
    }
    return $post;
});
"""
NO_EXCERPT = CHANGES % "$post['post_excerpt'] = '';"
OTHER_AUTHOR = CHANGES % "$post['post_author'] = 1;"
LATE_WORDS = CHANGES % "$is_shown && $post['post_content'] = 'Soon.';"
LATE_TITLE = CHANGES % "$is_shown && $post['post_title'] = 'Soon';"
OTHER_DATE = (
    CHANGES
    % """
    $is_shown && $post['post_date'] = $post['post_date_gmt'] = '2031-01-01 09:00:00';
"""
)
IN_REVIEW = CHANGES % "$is_shown && $post['post_status'] = 'in-review';"
SAYS_NOTICES = r"""
echo "<br />\n<b>Deprecated</b>: Creation of dynamic property [x] in <b>/p.php</b><br />\n";
register_shutdown_function(function () { echo "\nWarning: fclose(): {} in /p.php on line 9\n"; });
"""


@pytest.fixture
def blog(running: Callable[[str], LiveSite]) -> WordPressSite:
    """A WordPress 6.8 without posts."""
    site = running("wordpress-trixie")
    assert isinstance(site, WordPressSite)
    site.clear()
    return site


@pytest.fixture(autouse=True)
def no_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(http_api, "sleep", lambda _: None)


@contextmanager
def plugin(site: WordPressSite, code: str) -> Iterator[None]:
    """Let the site run some PHP with each request; "once" is a file that it may take away."""
    with site.with_plugin(code):
        once = site._plugins / "once"
        once.touch()
        try:
            yield
        finally:
            once.unlink(missing_ok=True)


def the_post(site: WordPressSite) -> StoredPost:
    (stored,) = site.posts()
    return stored


PROTOCOLS = pytest.mark.parametrize("protocol", ["rest", "xmlrpc"])


@PROTOCOLS
@pytest.mark.parametrize(
    "code",
    [ENDS_PHP_ONCE, LOSES_TERMS_ONCE, LOSES_PICTURE_ONCE, ENDS_PHP_IN_UPLOAD_ONCE],
    ids=["php", "terms", "picture", "upload"],
)
def test_a_post_that_was_stored_in_part_is_completed_before_it_is_shown(
    blog: WordPressSite, tmp_path: Path, protocol: str, code: str
) -> None:
    """Category, tags and picture are on the site, or a warning names what is missing."""
    site = target(
        blog,
        tmp_path,
        "editor",
        protocol=protocol,
        category="Yard",
        tags=["Spade"],
        image=str(picture(tmp_path / "spade.png")),
    )
    site.ready()
    put(site, a_post("itm_before", slug="before"))
    picture(tmp_path / "spade.png", width=60)  # a new one
    with plugin(blog, code):
        copy = put(site, a_post())
        assert not (blog._plugins / "once").exists()
    assert not [note for note in copy.notes if "did not store" in note]
    stored = blog.posts()[-1]
    assert (stored.status, stored.categories, stored.tags) == ("publish", ("Yard",), ("Spade",))
    thumbnail = blog.meta(stored.id).get("_thumbnail_id")
    assert thumbnail, copy.notes
    shown = blog.meta(int(thumbnail))
    assert "_wp_attachment_metadata" in shown
    assert protocol == "xmlrpc" or shown["_wp_attachment_image_alt"] == "spade"
    assert len(blog.posts()) == 2


@PROTOCOLS
@pytest.mark.parametrize(
    ("code", "said"),
    [
        (STRIPS_REL, 'the site changed or removed rel="sponsored"'),
        (NO_TAGS, "the site did not store its tags"),
        (NO_EXCERPT, "the site changed or removed the excerpt"),
        (OTHER_AUTHOR, "the site changed or removed the author"),
        (LATE_WORDS, "the site changed or removed words of the text"),
        (LATE_TITLE, "the site changed or removed the title"),
        (OTHER_DATE, "the site changed the date, which was "),
    ],
    ids=["rel", "tags", "excerpt", "author", "late words", "late title", "date"],
)
def test_what_the_site_changes_is_a_warning_that_names_it(
    blog: WordPressSite, tmp_path: Path, protocol: str, code: str, said: str
) -> None:
    """Publication warns of what the site made of a post."""
    dated = {"status": "scheduled", "publish_after": "2h"} if code == OTHER_DATE else {}
    settings = {"protocol": protocol, "tags": ["Spade"], "author": "author"}
    site = target(blog, tmp_path, "editor", **settings, **dated)
    site.ready()
    now = datetime.now(UTC).isoformat()
    with plugin(blog, code):
        notes = put(site, a_post(generated_at=now)).notes
    assert [note for note in notes if note.startswith(said)]
    assert put(site, a_post("itm_2", slug="two", generated_at=now)).notes == ()


@PROTOCOLS
def test_a_status_of_a_plugin_is_not_public(
    blog: WordPressSite, tmp_path: Path, protocol: str
) -> None:
    """`live`: readers see it at the URL shown"""
    site = target(blog, tmp_path, "editor", protocol=protocol)
    site.ready()
    with plugin(blog, IN_REVIEW):
        copy = put(site, a_post())
    assert (copy.state, copy.url) == (CopyState.PENDING, "")


@pytest.fixture
def three_bytes(blog: WordPressSite) -> Iterator[WordPressSite]:
    with blog.with_old_tables():
        yield blog


@PROTOCOLS
def test_characters_of_four_bytes_are_stored_as_references_in_old_tables(
    three_bytes: WordPressSite, tmp_path: Path, protocol: str
) -> None:
    """No post waits for ever because of an emoji, and none leaves an empty draft behind."""
    tags = ["Garden 🥕", "𠮷野"]
    site = target(three_bytes, tmp_path, "editor", protocol=protocol, tags=tags)
    site.ready()
    post = a_post(title="Carrots 🥕 in 𠮷野", html="<p>Sow 🥕 in <b>rows</b>.</p>")
    assert put(site, post).notes == ()
    assert put(target(three_bytes, tmp_path, "editor", protocol=protocol), post).notes == ()
    stored = the_post(three_bytes)
    assert stored.title == "Carrots &#x1f955; in &#x20bb7;野"
    assert set(stored.tags) == {"Garden &#x1f955;", "&#x20bb7;野"}
    page = BeautifulSoup(
        three_bytes.page_html(f"{three_bytes.url}/{stored.slug}/"), "html.parser"
    ).get_text()
    assert "Sow 🥕 in rows." in page
    statuses = three_bytes._database.rows(
        "SELECT JSON_OBJECT('s', post_status) FROM wp_posts WHERE post_type = 'post'", "wordpress"
    )
    assert [row["s"] for row in statuses] == ["publish"]


@PROTOCOLS
def test_a_second_draft_costs_the_post_no_address(
    blog: WordPressSite, tmp_path: Path, protocol: str
) -> None:
    """A site that is slower than the connector's patience may get the same draft twice."""
    site, post = target(blog, tmp_path, protocol=protocol), a_post()
    site.draft(post)
    second = site.draft(post)
    site.publish(post, second.remote_id)
    assert blog.stored() == [("publish", post.slug)]


NAMES = (
    *("Pots' & pans", 'The "best" of', "Sow < reap", "100% _green_", "Jardín", "C & A"),
    "<i>Oats</i>  &amp; rye%20",
)


@PROTOCOLS
@pytest.mark.parametrize("role", ["editor", "author"])
def test_terms_are_found_whatever_characters_their_names_have(
    blog: WordPressSite, tmp_path: Path, protocol: str, role: str
) -> None:
    """Categories and tags by name"""
    for name in NAMES:
        for kind in ("categories", "tags"):
            with suppress(AssertionError):  # another test has made it
                blog.rest("POST", kind, json={"name": name})
    site = target(blog, tmp_path, role, protocol=protocol, category=list(NAMES), tags=list(NAMES))
    site.ready()
    assert put(site, a_post()).notes == ()
    stored = the_post(blog)
    assert len(stored.categories) == len(stored.tags) == len(NAMES)


@PROTOCOLS
def test_a_tag_that_is_too_long_for_wordpress_holds_up_no_post(
    blog: WordPressSite, tmp_path: Path, protocol: str
) -> None:
    """It is left out with a warning; WordPress counts a name in HTML."""
    long = f"a{'&' * 150}"
    site = target(blog, tmp_path, "editor", protocol=protocol, tags=["Spade", long])
    site.ready()
    (note,) = put(site, a_post()).notes
    assert note == f"WordPress stores names of up to 200 characters (400), left out: {long}"
    assert the_post(blog).tags == ("Spade",)


def test_a_term_that_differs_by_an_accent_is_the_one_that_the_database_finds(
    blog: WordPressSite, tmp_path: Path
) -> None:
    """A term that exists already is no fault of the site."""
    blog.rest("POST", "categories", json={"name": "Brûlée"})
    site = target(blog, tmp_path, "editor", protocol="xmlrpc", category="brulee")
    site.ready()
    put(site, a_post())
    assert the_post(blog).categories == ("Brûlée",)


@PROTOCOLS
def test_messages_of_php_around_an_answer_are_left_out(
    blog: WordPressSite, tmp_path: Path, protocol: str
) -> None:
    """A plugin that prints notices stops no post."""
    site = target(blog, tmp_path, "editor", protocol=protocol, tags=["Spade"])
    with plugin(blog, SAYS_NOTICES):
        assert all(finding.level is not Level.PROBLEM for finding in site.check())
        site.ready()
        assert put(site, a_post()).notes == ()
        assert put(site, a_post()).notes == ()
    assert the_post(blog).tags == ("Spade",)


@PROTOCOLS
def test_an_old_post_with_a_control_character_stops_nothing(
    blog: WordPressSite, tmp_path: Path, protocol: str
) -> None:
    """XML cannot contain it"""
    blog.rest("POST", "posts", json={"title": "Old", "content": "x", "status": "publish"})
    blog._database.execute(
        "UPDATE wordpress.wp_posts SET post_title = CONCAT('Old', CHAR(8), CHAR(12), 'post')"
    )
    site = target(blog, tmp_path, "editor", protocol=protocol)
    site.ready()
    put(site, a_post())
    assert [stored.status for stored in blog.posts()] == ["publish", "publish"]


def test_the_api_is_found_where_permalinks_are_plain(blog: WordPressSite, tmp_path: Path) -> None:
    """A server that sends /wp-json/ to WordPress answers with a redirect or the front page."""
    option = "UPDATE wordpress.wp_options SET option_value = '{}' WHERE option_name = '{}'"
    blog._database.execute(option.format("", "permalink_structure"))
    try:
        site = target(blog, tmp_path, "author")
        site.ready()
        put(site, a_post())
        assert the_post(blog).status == "publish"
    finally:
        blog._database.execute(option.format("/%postname%/", "permalink_structure"))
