"""A target of ``ready`` and the four methods of ``DraftSite`` passes the contract suite."""

import threading
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from itertools import count

import pytest

from copydesk_connectors.suite import Site, TargetContract
from copydesk_connectors.target import (
    CopyState,
    DraftSite,
    Misconfigured,
    Post,
    SiteCopy,
    Unavailable,
)


@dataclass
class Stored:
    """A post as the site stores it."""

    item: str
    slug: str
    title: str
    html: str
    state: CopyState = CopyState.DRAFT
    edited: bool = False


@dataclass
class Server:
    """A site in memory that numbers its posts."""

    up: bool = True
    posts: dict[str, Stored] = field(default_factory=dict)
    lock: threading.Lock = field(default_factory=threading.Lock)
    numbers: "count[int]" = field(default_factory=lambda: count(1))

    def insert(self, stored: Stored) -> str:
        with self.lock:
            taken = {post.slug for post in self.posts.values()}
            names = (stored.slug if n == 1 else f"{stored.slug}-{n}" for n in count(1))
            stored.slug = next(name for name in names if name not in taken)
            number = str(next(self.numbers))
            self.posts[number] = stored
            return number


class Board(DraftSite[SiteCopy]):
    """What an author writes."""

    at_once = 4

    def __init__(self, server: Server) -> None:
        super().__init__("board")
        self.server = server

    def ready(self) -> None:
        if not self.server.up:
            raise Misconfigured("the board is closed", "open it")

    def copies(self, post: Post, known_id: str = "") -> Sequence[SiteCopy]:
        with self.server.lock:
            return [
                self._copy(number, stored)
                for number, stored in self.server.posts.items()
                if stored.item == post.id or number == known_id
            ]

    def make(self, post: Post) -> SiteCopy:
        stored = Stored(post.id, post.slug, post.title, post.html)
        return self._copy(self.server.insert(stored), stored)

    def show(self, post: Post, draft: SiteCopy) -> SiteCopy:
        with self.server.lock:
            stored = self.server.posts.get(draft.remote_id)
            if stored is None or stored.state is not CopyState.DRAFT:
                raise Unavailable(f"post {draft.remote_id} was changed meanwhile", 0.0)
            stored.state = CopyState.PUBLIC
            return self._copy(draft.remote_id, stored)

    def remove(self, draft: SiteCopy) -> None:
        with self.server.lock:
            self.server.posts.pop(draft.remote_id, None)

    def _copy(self, number: str, stored: Stored) -> SiteCopy:
        url = f"https://board.example/{stored.slug}" if stored.state is CopyState.PUBLIC else ""
        untouched = stored.state is CopyState.DRAFT and not stored.edited
        return SiteCopy(number, stored.state, url, untouched=untouched)


class BoardSite(Site):
    """What readers and the owner see of it."""

    has_trash = True
    has_drafts = True

    def __init__(self) -> None:
        self.server = Server()

    def target(self) -> Board:
        return Board(self.server)

    def readers_see(self) -> dict[str, str]:
        posts = self.server.posts.items()
        return {number: post.title for number, post in posts if post.state is CopyState.PUBLIC}

    def copies(self) -> int:
        return len(self.server.posts)

    def everything(self) -> object:
        return {number: asdict(post) for number, post in self.server.posts.items()}

    def markup(self, name: str) -> str:
        return self.server.posts[name].html

    def owner_writes(self, slug: str, title: str) -> None:
        self.server.insert(Stored("", slug, title, "<p>Mine.</p>", CopyState.PUBLIC))

    def owner_edits(self, name: str, old: str, new: str) -> None:
        post = self.server.posts[name]
        assert old in post.html
        post.html, post.edited = post.html.replace(old, new), True

    def owner_trashes(self, name: str) -> None:
        self.server.posts[name].state = CopyState.WITHDRAWN

    def owner_deletes(self, name: str) -> None:
        del self.server.posts[name]

    def goes_down(self) -> None:
        self.server.up = False


@pytest.fixture
def site() -> Site:
    """A board without posts."""
    return BoardSite()


class TestContract(TargetContract):
    """The four methods are enough."""


def test_a_draft_that_its_owner_edited_is_kept_beside_the_one_that_is_shown(post: Post) -> None:
    """Untouched drafts among the others are removed; never what its owner worked on"""
    site = BoardSite()
    for _ in range(3):
        site.target().draft(post)
    site.owner_edits("2", "<p>", "<p>My words. ")
    copy = site.target().publish(post, "1")
    assert copy.notes == ("post 2 is a second copy of it: decide which to keep",)
    assert list(site.server.posts) == ["1", "2"]
    assert list(site.readers_see()) == ["1"]


def test_what_another_process_removed_was_not_deleted_by_its_owner(post: Post) -> None:
    """Another process removed ours while we removed its own: no owner deleted anything."""
    site = BoardSite()
    first, second = (site.target().draft(post).remote_id for _ in range(2))

    class Hasty(Board):
        def remove(self, draft: SiteCopy) -> None:
            super().remove(draft)
            self.server.posts.pop(first, None)

    copy = Hasty(site.server).publish(post, first)
    assert copy.state is CopyState.PUBLIC
    assert copy.remote_id not in {first, second}
    assert list(site.readers_see()) == [copy.remote_id]
