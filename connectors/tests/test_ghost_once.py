"""Ghost: exactly once, whatever its owner, another instance or the connection does."""

from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest

from copydesk_connectors.courier import Outcome
from copydesk_connectors.errors import DraftGone
from copydesk_connectors.internal_links import Page
from copydesk_connectors.ledger import Ledger
from copydesk_connectors.post import Post
from copydesk_connectors.publisher import CopyState, Publisher, Searchable

from .fake_ghost import FakeGhost
from .fake_site import Broken, put
from .feed_server import FakeFeed
from .items import make_item

Write = Callable[..., Path]
OnePass = Callable[[Path], Outcome]
Target = Callable[..., str]
Open = Callable[..., Publisher]


class Killed(BaseException):
    """Stands for the end of the process, which no handler sees."""


def test_an_owner_who_took_a_post_back_does_not_get_it_again(
    write_config: Write,
    one_pass: OnePass,
    fake_ghost: FakeGhost,
    ghost_target: Target,
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


def test_a_post_that_was_deleted_after_it_was_published_stays_deleted(
    write_config: Write,
    one_pass: OnePass,
    fake_ghost: FakeGhost,
    ghost_target: Target,
    feed: FakeFeed,
) -> None:
    """a post that its owner deleted … must not come back within the ledger's knowledge"""
    feed.add(make_item())
    file = write_config(ghost_target())
    one_pass(file)
    fake_ghost.posts.clear()
    one_pass(file)
    assert fake_ghost.posts == {}
    with Ledger.read(file.parent / "copydesk-ledger.sqlite3") as ledger:
        assert [entry.id for entry in ledger.newest(9)] == ["itm_1"]


def test_a_draft_that_was_deleted_is_made_again(
    write_config: Write,
    one_pass: OnePass,
    fake_ghost: FakeGhost,
    ghost_target: Target,
    feed: FakeFeed,
) -> None:
    """Nothing is lost: a draft that nobody saw is no decision of its owner's."""
    feed.add(make_item())

    def delete_draft(method: str, path: str) -> Broken | None:
        if method == "PUT":
            fake_ghost.posts.pop(f"{1:024x}", None)
        return None

    fake_ghost.fault = delete_draft
    assert one_pass(write_config(ghost_target())).confirmed == 1
    assert [stored["id"] for stored in fake_ghost.public()] == [f"{2:024x}"]


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


def test_a_draft_that_its_owner_edited_is_shown_as_edited(
    fake_ghost: FakeGhost, ghost: Open, post: Post
) -> None:
    """edited is never overwritten"""
    draft = ghost().draft(post).remote_id
    fake_ghost.change(draft, html="<p>A word of my own.</p>", title="My title")
    put(ghost(), post)
    (stored,) = fake_ghost.public()
    assert (stored["title"], stored["html"]) == ("My title", "<p>A word of my own.</p>")


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
    with pytest.raises(DraftGone):
        ghost().publish(post, younger)
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
    assert isinstance(publisher, Searchable)
    found = publisher.related("the best espresso machine")
    assert found == [Page(post.title, "https://blog.example/descale-espresso-machine/")]
    assert publisher.related("a b c") == []


def test_few_requests_a_post(fake_ghost: FakeGhost, ghost: Open, post: Post) -> None:
    """posts per second against the target's own bare insert rate"""
    put(ghost(), post)
    assert [method for method, _ in fake_ghost.seen] == ["GET", "POST", "GET", "PUT"]
