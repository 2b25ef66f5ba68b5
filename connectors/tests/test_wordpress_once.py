"""WordPress: exactly once, whatever its owner or another instance does."""

import pytest

from copydesk_connectors.suite import put
from copydesk_connectors.target.base import CopyState
from copydesk_connectors.target.errors import DraftGone, Misconfigured, Unavailable
from copydesk_connectors.target.post import Post

from .fake_site import Answer, Broken
from .fake_wordpress import FakeWordPress
from .feed_server import FakeFeed
from .items import OnePass, Open, TargetTable, Write, make_item


def test_a_post_is_found_by_its_marker_when_its_owner_changed_the_slug(
    fake_wordpress: FakeWordPress, wordpress: Open, post: Post
) -> None:
    """look for the slug … content marker as key"""
    name = put(wordpress(), post).remote_id
    fake_wordpress.posts[int(name)]["slug"] = "my-own-slug"
    before = fake_wordpress.writes()
    assert put(wordpress(), post).remote_id == name
    assert fake_wordpress.writes() == before


@pytest.mark.parametrize(
    ("status", "state"),
    [
        ("private", CopyState.WITHDRAWN),
        ("pending", CopyState.PENDING),
        ("future", CopyState.SCHEDULED),
        ("publish", CopyState.PUBLIC),
        ("a-plugins-own", CopyState.PENDING),
    ],
)
def test_what_the_owner_decided_about_the_draft_stands(
    fake_wordpress: FakeWordPress, wordpress: Open, post: Post, status: str, state: CopyState
) -> None:
    """never overwrite a post its owner edited"""
    copy = wordpress().draft(post)
    fake_wordpress.posts[1]["status"] = status
    before = fake_wordpress.writes()
    assert wordpress().publish(post, copy.remote_id).state is state
    assert fake_wordpress.writes() == before


def test_a_second_draft_that_was_edited_is_not_removed(
    fake_wordpress: FakeWordPress, wordpress: Open, post: Post
) -> None:
    """The connector's stray drafts are removed, but never one that the owner edited."""
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


def test_a_site_that_cannot_read_its_posts_has_not_lost_them(
    fake_wordpress: FakeWordPress, wordpress: Open, post: Post, waits: list[float]
) -> None:
    """a site that answers with an empty list because of a fault is not a deletion"""
    name = wordpress().draft(post).remote_id
    stored = fake_wordpress.posts
    # What WordPress answers where its table of posts is broken.
    fake_wordpress.posts = {}
    fake_wordpress.fault = lambda method, path: (
        Broken(False, 500, '{"code": "db_insert_error", "message": "Could not insert post."}')
        if (method, path) == ("POST", "posts")
        else None
    )
    with pytest.raises(Unavailable):
        wordpress().publish(post, name)
    fake_wordpress.posts = stored
    fake_wordpress.fault = lambda *_: None
    assert wordpress().publish(post, name).remote_id == name


def test_a_404_of_another_kind_says_nothing_about_a_draft(
    fake_wordpress: FakeWordPress, wordpress: Open, post: Post
) -> None:
    """think what distinguishes them: the site's own word about this very id"""
    name = wordpress().draft(post).remote_id
    hidden = fake_wordpress.posts.pop(int(name))
    for body in ("<h1>Not found</h1>", '{"code": "rest_no_route", "message": "No route."}'):
        fake_wordpress.fault = lambda method, path, body=body: (  # type: ignore[misc]
            Broken(False, 404, body) if path == f"posts/{name}" else None
        )
        with pytest.raises(Misconfigured):
            wordpress().publish(post, name)
    fake_wordpress.fault = lambda *_: None
    fake_wordpress.posts[int(name)] = hidden
    assert wordpress().publish(post, name).remote_id == name


def test_a_draft_that_is_deleted_while_it_is_shown_is_looked_for_once_more(
    fake_wordpress: FakeWordPress, wordpress: Open, post: Post, waits: list[float]
) -> None:
    """two connectors must not misread their race: one leaves the other's copy"""
    names = [wordpress().draft(post).remote_id for _ in range(2)]

    def delete_draft(method: str, path: str) -> Broken | None:
        if (method, path) == ("POST", f"posts/{names[0]}"):
            fake_wordpress.posts.pop(int(names[0]), None)
        return None

    fake_wordpress.fault = delete_draft
    assert wordpress().publish(post, names[0]).remote_id == names[1]


def test_a_draft_that_proves_that_a_site_takes_posts_is_named_if_it_cannot_be_deleted(
    fake_wordpress: FakeWordPress, wordpress: Open, post: Post
) -> None:
    fake_wordpress.fault = lambda method, _path: (
        Broken(False, 403, "<!doctype html><h1>Blocked</h1>") if method == "DELETE" else None
    )
    with pytest.raises(Misconfigured, match="delete draft 1 there"):
        wordpress().publish(post, "9")
    # It is there, and the site shows it: the site reads its posts, and "9" was deleted.
    with pytest.raises(DraftGone):
        wordpress().publish(post, "9")
    assert list(fake_wordpress.posts) == [1]


@pytest.mark.parametrize("shown", [[], ["publish"]], ids=["nothing", "readers' posts alone"])
def test_what_a_search_hides_is_found_by_its_slug(
    fake_wordpress: FakeWordPress,
    wordpress: Open,
    post: Post,
    monkeypatch: pytest.MonkeyPatch,
    shown: list[str],
) -> None:
    """a search that does not show our own draft is no longer WordPress's: the slug is asked too"""
    whole = fake_wordpress._list

    def searched(query: dict[str, str]) -> Answer:
        status, found = whole(query)
        if "search" in query:
            found = [one for one in found if one["status"] in shown]
        return status, found

    first = wordpress().draft(post)
    second = wordpress().draft(post)
    monkeypatch.setattr(fake_wordpress, "_list", searched)
    assert wordpress().publish(post, second.remote_id).remote_id == first.remote_id
    assert [(key, one["status"]) for key, one in fake_wordpress.posts.items()] == [(1, "publish")]
    third = wordpress().draft(post)
    assert wordpress().publish(post, third.remote_id).remote_id == first.remote_id
    assert list(fake_wordpress.posts) == [1]


def test_the_site_is_never_asked_for_more_than_it_has(
    fake_wordpress: FakeWordPress,
    write_config: Write,
    one_pass: OnePass,
    wordpress_target: TargetTable,
    feed: FakeFeed,
) -> None:
    """posts per second against the target's own bare insert rate: few requests a post"""
    feed.add(make_item("itm_0", slug="the-first-of-this-process"))
    feed.add(make_item())
    assert one_pass(write_config(wordpress_target("tags = []"))).confirmed == 2
    first = fake_wordpress.seen.index(("POST", "posts/1"))
    assert fake_wordpress.seen[first + 1 :] == [
        ("POST", "posts"),
        ("GET", "posts"),  # did anybody make one too?
        ("POST", "posts/2"),
    ]
