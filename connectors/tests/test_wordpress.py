"""WordPress: roles, terms, keys, and answers that go wrong."""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from itertools import count
from pathlib import Path

import pytest

from copydesk_connectors import config
from copydesk_connectors.courier import Outcome
from copydesk_connectors.errors import Misconfigured, Unavailable
from copydesk_connectors.post import Post
from copydesk_connectors.publisher import CopyState, Level, Publisher
from copydesk_connectors.targets.wordpress.content import content_of

from .fake_site import Broken
from .fake_wordpress import FakeWordPress
from .feed_server import FakeFeed
from .items import make_item

Write = Callable[..., Path]
OnePass = Callable[[Path], Outcome]
Target = Callable[..., str]
Open = Callable[..., Publisher]
LOGIN_PAGE = "<!doctype html><title>Log In</title><form></form>"


@pytest.fixture
def post() -> Post:
    """One post."""
    return Post.from_item(make_item())


@pytest.fixture
def wordpress(write_config: Write, wordpress_target: Target) -> Open:
    """Opens the target anew, with more settings where they are given."""

    def open_it(*lines: str) -> Publisher:
        return config.load(write_config(wordpress_target(*lines))).targets[0]

    return open_it


def put(publisher: Publisher, post: Post) -> str:
    """Find or draft, then publish."""
    copy = publisher.find(post) or publisher.draft(post)
    return publisher.publish(post, copy.remote_id).remote_id


def test_the_mapping(fake_wordpress: FakeWordPress, wordpress: Open, post: Post) -> None:
    """draft first, publish by id; excerpt = meta description; the marker; the slug"""
    put(wordpress(), post)
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
    assert content_of(replace(post, html=html), "html").content == marked.replace("#", marker)


def test_a_draft_is_left_to_its_owner_where_that_is_wanted(
    fake_wordpress: FakeWordPress, wordpress: Open, post: Post
) -> None:
    """status draft|publish"""
    fake_wordpress.role = "contributor"
    publisher = wordpress('status = "draft"')
    publisher.ready()
    put(publisher, post)
    assert [p["status"] for p in fake_wordpress.posts.values()] == ["draft"]
    put(wordpress('status = "draft"'), post)
    assert len(fake_wordpress.posts) == 1


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


def test_a_post_is_found_by_its_marker_when_its_owner_changed_the_slug(
    fake_wordpress: FakeWordPress, wordpress: Open, post: Post
) -> None:
    """look for the slug … content marker as key"""
    name = put(wordpress(), post)
    fake_wordpress.posts[int(name)]["slug"] = "my-own-slug"
    before = fake_wordpress.writes()
    assert put(wordpress(), post) == name
    assert fake_wordpress.writes() == before


@pytest.mark.parametrize("status", ["private", "pending", "future", "publish"])
def test_what_the_owner_decided_about_the_draft_stands(
    fake_wordpress: FakeWordPress, wordpress: Open, post: Post, status: str
) -> None:
    """never overwrite a post its owner edited"""
    copy = wordpress().draft(post)
    fake_wordpress.posts[1]["status"] = status
    before = fake_wordpress.writes()
    assert wordpress().publish(post, copy.remote_id).state is CopyState.PUBLIC
    assert fake_wordpress.writes() == before


def test_a_second_draft_that_was_edited_is_not_removed(
    fake_wordpress: FakeWordPress, wordpress: Open, post: Post
) -> None:
    """stray drafts of ours are swept; never what its owner worked on"""
    wordpress().draft(post)
    wordpress().draft(post)
    wordpress().draft(post)
    # The site's own changes of markup are no edit.
    second = fake_wordpress.posts[2]
    second["content"] = second["content"].replace("&amp;", "&#038;").replace(' target="_blank"', "")
    fake_wordpress.posts[3]["content"] += "<p>A word of my own.</p>"
    copy = wordpress().publish(post, "1")
    assert sorted(fake_wordpress.posts) == [1, 3]
    assert copy.notes == ("post 3 is a second copy of it: decide which to keep",)


def test_a_draft_in_the_trash_outweighs_a_stray_one(
    fake_wordpress: FakeWordPress, wordpress: Open, post: Post
) -> None:
    """an owner who trashed the post does not get it back, from a second draft either"""
    wordpress().draft(post)
    wordpress().draft(post)
    fake_wordpress.trash(1)
    assert wordpress().publish(post, "1").state is CopyState.WITHDRAWN
    assert {key: stored["status"] for key, stored in fake_wordpress.posts.items()} == {1: "trash"}


def test_a_draft_that_was_deleted_for_good_is_made_again(
    write_config: Write,
    one_pass: OnePass,
    fake_wordpress: FakeWordPress,
    wordpress_target: Target,
    feed: FakeFeed,
) -> None:
    """Nothing is lost: only the trash says that the owner does not want it."""
    feed.add(make_item())
    file = write_config(wordpress_target())

    def delete_draft(method: str, path: str) -> Broken | None:
        if (method, path) == ("POST", "posts/1"):
            fake_wordpress.posts.pop(1, None)
        return None

    fake_wordpress.fault = delete_draft
    assert one_pass(file).confirmed == 1
    assert list(fake_wordpress.posts) == [2]
    assert len(fake_wordpress.public()) == 1


def test_a_site_with_plain_permalinks(
    fake_wordpress: FakeWordPress, wordpress: Open, post: Post
) -> None:
    """A site whose permalinks are plain answers under ?rest_route= alone"""
    fake_wordpress.permalinks = False
    wordpress().ready()
    put(wordpress(), post)
    assert len(fake_wordpress.public()) == 1


def test_a_redirect_is_named_and_not_followed(
    fake_wordpress: FakeWordPress, wordpress: Open
) -> None:
    """A redirect would turn a POST into a GET, or carry the password elsewhere"""
    elsewhere = {"Location": "https://www.blog.example/wp-json/wp/v2/users/me?x=1"}
    fake_wordpress.fault = lambda *_: Broken(False, 301, "", elsewhere)
    with pytest.raises(Misconfigured, match=r"redirects to https://www\.blog\.example/wp-json"):
        wordpress().ready()


def test_a_wrong_password_says_what_to_look_at(
    fake_wordpress: FakeWordPress, wordpress: Open
) -> None:
    """each finding with how to fix it"""
    fake_wordpress.password = "another"
    (finding,) = wordpress().check()
    assert finding.message.startswith("the site does not accept the user: You are not currently")
    assert "Application Passwords" in finding.fix
    assert "CGIPassAuth On" in finding.fix


@pytest.mark.parametrize(
    ("broken", "message"),
    [
        (Broken(False, 200, LOGIN_PAGE), "blog.example answered with a web page"),
        (Broken(False, 200, '[{"id": 1, "stat'), "a broken answer in place of JSON"),
        (Broken(False, 503, "maintenance"), "blog.example answered 503"),
        (Broken(False), r"blog.example gave no answer \(ConnectionError\)"),
    ],
)
def test_no_usable_answer_is_tried_again_and_then_left_for_later(
    fake_wordpress: FakeWordPress,
    wordpress: Open,
    waits: list[float],
    broken: Broken,
    message: str,
) -> None:
    """500, 429, a login page, half a response: nothing lost, nothing doubled"""
    fake_wordpress.fault = lambda *_: broken
    with pytest.raises(Unavailable, match=message):
        wordpress().ready()
    assert waits == [1.0, 2.0]
    fake_wordpress.fault = lambda *_: None
    wordpress().ready()


@pytest.mark.parametrize("status", [429, 503])
def test_a_site_that_asks_for_a_wait_gets_it(
    fake_wordpress: FakeWordPress,
    wordpress: Open,
    post: Post,
    waits: list[float],
    status: int,
) -> None:
    """Retry-After on 429/503"""
    answers = iter([Broken(False, status, "", {"Retry-After": "7"})])
    fake_wordpress.fault = lambda method, _: next(answers, None) if method == "POST" else None
    put(wordpress("tags = []"), post)
    assert waits == [7.0]
    assert len(fake_wordpress.posts) == 1

    fake_wordpress.fault = lambda *_: Broken(False, status, "", {"Retry-After": "3600"})
    with pytest.raises(Unavailable) as caught:
        wordpress().ready()
    assert caught.value.retry_after == 3600
    assert waits == [7.0]


def test_a_long_wait_reaches_the_outcome_of_the_pass(
    write_config: Write,
    one_pass: OnePass,
    fake_wordpress: FakeWordPress,
    wordpress_target: Target,
    feed: FakeFeed,
) -> None:
    """run: never sooner than the site asked for"""
    fake_wordpress.fault = lambda *_: Broken(False, 429, "", {"Retry-After": "3600"})
    outcome = one_pass(write_config(wordpress_target()))
    assert (outcome.retry_after, outcome.unfinished) == (3600, True)
    assert feed.calls == []


def test_it_looks_before_every_retry(
    fake_wordpress: FakeWordPress, wordpress: Open, post: Post, waits: list[float]
) -> None:
    """look before every retry after a cut or 5xx"""
    answers = iter([Broken(True), Broken(True, 500)])
    fake_wordpress.fault = lambda method, _: next(answers, None) if method == "POST" else None
    put(wordpress("tags = []"), post)
    asked = [call for call in fake_wordpress.seen if call[0] != "OPTIONS"]
    calls = [call for call in asked if call[1].startswith("posts")]
    writes = [number for number, (method, _) in enumerate(calls) if method == "POST"]
    assert [calls[number - 1][0] for number in writes] == ["GET", "GET"]
    assert [post["status"] for post in fake_wordpress.posts.values()] == ["publish"]


FAULTS = {
    "cut before": Broken(False),
    "cut after": Broken(True),
    "500 before": Broken(False, 500, "<h1>Error</h1>"),
    "500 after": Broken(True, 500),
    "login page": Broken(False, 200, LOGIN_PAGE),
    "half an answer": Broken(True, 200, '{"id": 1, "status": "dra'),
    "429": Broken(False, 429, "", {"Retry-After": "2"}),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_any_one_answer_may_go_wrong(
    write_config: Write,
    one_pass: OnePass,
    fake_wordpress: FakeWordPress,
    wordpress_target: Target,
    feed: FakeFeed,
    waits: list[float],
    fault: str,
) -> None:
    """the connection cut before, during and after each request: exactly one published post"""
    file = write_config(wordpress_target())
    for number in count(1):
        stored = feed.add(make_item(f"itm_{number}", slug=f"post-{number}"))
        fake_wordpress.seen.clear()
        fake_wordpress.break_request(number, FAULTS[fault])
        outcome = one_pass(file)
        if outcome.confirmed == 0:
            outcome = one_pass(file)
        assert outcome.confirmed == 1, outcome.problems
        assert (stored.state, stored.sends) == ("used", 1)
        assert [post["status"] for post in fake_wordpress.posts.values()] == ["publish"] * number
        if len(fake_wordpress.seen) < number:
            break
    assert number > 8


class Killed(BaseException):
    """Stands for the end of the process, which no handler sees."""


@pytest.mark.parametrize("carried_out", [False, True])
def test_the_process_may_die_at_any_request(
    write_config: Write,
    one_pass: OnePass,
    fake_wordpress: FakeWordPress,
    wordpress_target: Target,
    feed: FakeFeed,
    carried_out: bool,
) -> None:
    """a SIGKILL between any two I/O calls: exactly one published post, the item confirmed"""
    file = write_config(wordpress_target())
    for number in count(1):
        stored = feed.add(make_item(f"itm_{number}", slug=f"post-{number}"))
        fake_wordpress.seen.clear()
        fake_wordpress.break_request(number, Broken(carried_out, error=Killed))
        with suppress(Killed):
            one_pass(file)
        fake_wordpress.fault = lambda *_: None
        one_pass(file)
        assert (stored.state, stored.sends) == ("used", 1)
        assert [post["status"] for post in fake_wordpress.posts.values()] == ["publish"] * number
        if number > len(fake_wordpress.seen):
            break
    assert number > 8


def test_the_site_is_never_asked_for_more_than_it_has(
    fake_wordpress: FakeWordPress, wordpress: Open, post: Post
) -> None:
    """posts per second against the target's own bare insert rate: few requests a post"""
    publisher = wordpress("tags = []")
    put(publisher, Post.from_item(make_item("itm_0", slug="the-first-of-this-process")))
    fake_wordpress.seen.clear()
    put(publisher, post)
    assert fake_wordpress.seen == [
        ("GET", "posts"),  # by slug
        ("GET", "posts"),  # by marker
        ("GET", "posts"),  # by marker among those that an author may not edit
        ("POST", "posts"),
        ("GET", "posts"),  # did another instance make one too?
        ("POST", "posts/2"),
    ]
