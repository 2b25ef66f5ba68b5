"""WordPress: settings, the mapping, roles, and what check says."""

import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest

from copydesk_connectors.suite import put
from copydesk_connectors.target.base import Level
from copydesk_connectors.target.errors import Misconfigured
from copydesk_connectors.target.post import Post
from copydesk_connectors.targets.wordpress.posts import content_of
from copydesk_connectors.targets.wordpress.rest_fields import RestFields

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
