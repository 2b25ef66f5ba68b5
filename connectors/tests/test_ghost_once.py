"""Ghost: exactly once, whatever its owner, another instance or the connection does."""

from contextlib import suppress

import pytest

from copydesk_connectors.suite import put
from copydesk_connectors.target.base import CopyState
from copydesk_connectors.target.errors import Misconfigured, Unavailable
from copydesk_connectors.target.internal_links import Page
from copydesk_connectors.target.post import Post

from .fake_ghost import FakeGhost
from .fake_site import Broken, Killed
from .feed_server import FakeFeed
from .items import OnePass, Open, TargetTable, Write, make_item


def test_an_owner_who_took_a_post_back_does_not_get_it_again(
    write_config: Write,
    one_pass: OnePass,
    fake_ghost: FakeGhost,
    ghost_target: TargetTable,
    feed: FakeFeed,
) -> None:
    """unpublished by its owner stays unpublished, also for a connector that forgot it all"""
    feed.add(make_item())
    file = write_config(ghost_target())
    assert one_pass(file).confirmed == 1
    (post_id,) = fake_ghost.posts
    fake_ghost.change(post_id, status="draft")
    for ledger in file.parent.glob("*ledger*"):
        ledger.unlink()
    feed.items[0].state = "pending"
    assert one_pass(file).confirmed == 1
    assert [stored["status"] for stored in fake_ghost.posts.values()] == ["draft"]


def test_only_ghosts_own_word_about_the_draft_says_that_it_was_deleted(
    fake_ghost: FakeGhost, ghost: Open, post: Post, waits: list[float]
) -> None:
    """a site that is down, or answers with an empty list because of a fault, is not a deletion"""
    draft = ghost().draft(post).remote_id
    empty = Broken(False, 200, '{"posts": []}')
    for broken, error in (
        (None, None),
        (Broken(False, 404, "<h1>Not found</h1>"), Misconfigured),
        (Broken(False, 502, ""), Unavailable),
    ):
        fake_ghost.fault = lambda method, path, broken=broken: (  # type: ignore[misc]
            empty if (method, path) == ("GET", "posts/") else broken if method == "GET" else None
        )
        if error is None:
            assert ghost().publish(post, draft).remote_id == draft
            fake_ghost.change(draft, status="draft", published_at=None)
        else:
            with pytest.raises(error):
                ghost().publish(post, draft)
    fake_ghost.fault = lambda *_: None
    assert ghost().publish(post, draft).remote_id == draft


def test_two_that_take_away_each_others_draft_leave_one_post(
    fake_ghost: FakeGhost, ghost: Open, post: Post, waits: list[float]
) -> None:
    """two connectors must not misread their race as a deletion"""
    older, younger = (ghost().draft(post).remote_id for _ in range(2))

    def meanwhile(method: str, path: str) -> None:
        # The other has shown its own, the younger, and takes ours away; then we take away its own.
        if method == "DELETE" and path == f"posts/{younger}/":
            fake_ghost.posts.pop(older)

    fake_ghost.fault = meanwhile
    copy = ghost().publish(post, older)
    assert copy.state is CopyState.PUBLIC
    assert [stored["id"] for stored in fake_ghost.public()] == [copy.remote_id]
    assert len(fake_ghost.posts) == 1


def test_only_untouched_drafts_are_removed(fake_ghost: FakeGhost, ghost: Open, post: Post) -> None:
    """delete our other untouched drafts; never what its owner worked on, or made a duplicate of"""
    first, _, edited, duplicate = (ghost().draft(post).remote_id for _ in range(4))
    fake_ghost.change(edited, html="<p>A word of my own.</p>")
    fake_ghost.posts[duplicate]["title"] += " (Copy)"
    copy = ghost().publish(post, first)
    assert list(fake_ghost.posts) == [first, edited, duplicate]
    assert copy.notes == tuple(
        f"post {kept} is a second copy of it: decide which to keep" for kept in (edited, duplicate)
    )


def test_a_post_is_found_by_its_id_when_its_owner_removed_the_tag(
    fake_ghost: FakeGhost, ghost: Open, post: Post
) -> None:
    """Internal tag as key … and the id that was noted"""
    draft = ghost().draft(post).remote_id
    fake_ghost.posts[draft]["tags"] = []
    assert ghost().publish(post, draft).remote_id == draft
    assert len(fake_ghost.public()) == 1


def test_a_post_that_changed_while_it_was_shown_is_looked_at_again(
    fake_ghost: FakeGhost, ghost: Open, post: Post, waits: list[float]
) -> None:
    """PUT published with updated_at"""
    draft = ghost().draft(post).remote_id
    edits = iter([lambda: fake_ghost.change(draft, title="My title")])

    def edit(method: str, path: str) -> None:
        if method == "PUT":
            next(edits, lambda: None)()

    fake_ghost.fault = edit
    assert ghost().publish(post, draft).state is CopyState.PUBLIC
    assert fake_ghost.public()[0]["title"] == "My title"
    assert waits == [0.0]


@pytest.mark.parametrize("first", ["A", "B"])
def test_whoever_comes_second_takes_away_what_the_first_was_about_to_show(
    fake_ghost: FakeGhost, ghost: Open, post: Post, first: str
) -> None:
    """two instances at once: the first looked before the older draft of the second was stored"""
    older, younger = (ghost().draft(post).remote_id for _ in range(2))
    hidden = fake_ghost.posts.pop(older)
    a, b = ghost(), ghost()
    acts: list[str] = []

    def meanwhile(method: str, path: str) -> None:
        # A saw its own draft alone. Before or after A's request arrives, B does all of its own.
        if method == "PUT" and not acts:
            acts.append("B")
            fake_ghost.posts[older] = hidden
            if first == "A":
                fake_ghost.change(younger, status="published")
            fake_ghost.lock.release()
            b.publish(post, older)
            fake_ghost.lock.acquire()

    fake_ghost.fault = meanwhile
    with suppress(Exception):
        a.publish(post, younger)
    assert acts == ["B"]
    assert len(fake_ghost.posts) == 1
    assert len(fake_ghost.public()) == 1


def test_the_second_may_die_after_taking_away_what_the_first_was_about_to_show(
    fake_ghost: FakeGhost, ghost: Open, post: Post
) -> None:
    """two instances at once, one of them killed: strays are removed before anything is shown"""
    older, younger = (ghost().draft(post).remote_id for _ in range(2))
    hidden = fake_ghost.posts.pop(older)
    b = ghost()

    def dies_after_its_first_write(method: str, path: str) -> Broken | None:
        return None if method == "GET" else Broken(True, error=Killed)

    def meanwhile(method: str, path: str) -> None:
        if method == "PUT":
            fake_ghost.posts[older] = hidden
            fake_ghost.fault = dies_after_its_first_write
            fake_ghost.lock.release()
            with suppress(Killed):
                b.publish(post, older)
            fake_ghost.lock.acquire()
            fake_ghost.fault = lambda *_: None

    fake_ghost.fault = meanwhile
    # It looks once more, and carries on with the draft of the one that died.
    assert ghost().publish(post, younger).remote_id == older
    assert ghost().publish(post, older).state is CopyState.PUBLIC
    assert [stored["id"] for stored in fake_ghost.posts.values()] == [older]
    assert len(fake_ghost.public()) == 1


def test_pages_of_the_site_for_internal_links(
    fake_ghost: FakeGhost, ghost: Open, post: Post
) -> None:
    """resolved at publish time to the site's own related posts by its search"""
    publisher = ghost()
    put(publisher, post)
    fake_ghost.insert(status="draft", title="An espresso draft", slug="draft")
    found = publisher.related("the best espresso machine")
    assert found == [Page(post.title, "https://blog.example/descale-espresso-machine/")]
    assert publisher.related("a b c") == []


def test_few_requests_a_post(fake_ghost: FakeGhost, ghost: Open, post: Post) -> None:
    """posts per second against the target's own bare insert rate"""
    publisher = ghost()
    put(publisher, post)
    # The engine does not look before the first draft of a new post.
    assert [method for method, _ in fake_ghost.seen] == ["GET", "POST", "GET", "PUT"]
