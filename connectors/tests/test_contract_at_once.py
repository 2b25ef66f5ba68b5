"""The contract's test of ``at_once`` finds the targets that are not what they say."""

import threading

import pytest

from copydesk_connectors.suite import Site, TargetContract
from copydesk_connectors.target.base import Copy, CopyState, Target
from copydesk_connectors.target.post import Post

from .items import make_item

POST = Post.from_item(make_item())


class Shelf(Site):
    """A site in memory whose publisher is a class that a test chooses."""

    def __init__(self, kind: "type[Plain]") -> None:
        self.kind = kind
        self.posts: list[tuple[str, str]] = []  # the item's id and the title

    def target(self) -> Target:
        return self.kind(self)

    def readers_see(self) -> dict[str, str]:
        return {str(number): title for number, (_, title) in enumerate(self.posts)}

    def copies(self) -> int:
        return len(self.posts)

    def everything(self) -> object:
        return list(self.posts)

    def owner_writes(self, slug: str, title: str) -> None:
        raise NotImplementedError

    def owner_edits(self, name: str, old: str, new: str) -> None:
        raise NotImplementedError

    def markup(self, name: str) -> str:
        raise NotImplementedError

    def goes_down(self) -> None:
        raise NotImplementedError


class Plain(Target):
    """Keeps each id once; drafts are kept by nobody."""

    def __init__(self, shelf: Shelf) -> None:
        super().__init__("shelf")
        self.shelf = shelf
        self.lock = threading.Lock()

    def ready(self) -> None:
        pass

    def find(self, post: Post) -> Copy | None:
        for number, (item, _) in enumerate(self.shelf.posts):
            if item == post.id:
                return Copy(str(number), CopyState.PUBLIC)
        return None

    def draft(self, post: Post) -> Copy:
        return Copy("", CopyState.DRAFT)

    def publish(self, post: Post, remote_id: str) -> Copy:
        with self.lock:
            if self.find(post) is None:
                self.shelf.posts.append((post.id, post.title))
            found = self.find(post)
        assert found is not None
        return found


class Several(Plain):
    at_once = 4


class Mixing(Several):
    """Keeps what it is about in itself, so that one thread publishes the other's post."""

    def __init__(self, shelf: Shelf) -> None:
        super().__init__(shelf)
        self.all_here = threading.Barrier(self.at_once)
        self.current = POST

    def publish(self, post: Post, remote_id: str) -> Copy:
        self.current = post
        self.all_here.wait(20)
        return super().publish(self.current, remote_id)


class Doubling(Several):
    """Stores a post twice where others come in between."""

    def publish(self, post: Post, remote_id: str) -> Copy:
        copy = super().publish(post, remote_id)
        self.shelf.posts.append((f"{post.id} again", post.title))
        return copy


def test_a_target_that_takes_one_post_at_a_time_is_left_alone() -> None:
    with pytest.raises(pytest.skip.Exception):
        TargetContract().test_as_many_posts_at_once_as_it_says(Shelf(Plain), POST)


def test_a_target_that_takes_several_passes() -> None:
    TargetContract().test_as_many_posts_at_once_as_it_says(Shelf(Several), POST)


@pytest.mark.parametrize("kind", [Mixing, Doubling])
def test_a_target_that_cannot_take_several_is_found(kind: type[Plain]) -> None:
    """at_once > 1 really may be called at once: N threads, N items, N posts, none doubled"""
    with pytest.raises(AssertionError):
        TargetContract().test_as_many_posts_at_once_as_it_says(Shelf(kind), POST)
