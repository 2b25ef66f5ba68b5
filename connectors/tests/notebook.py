"""A target in memory, for what no folder and no web site can be made to do."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from copydesk_connectors.target.base import Copy, CopyState, Target
from copydesk_connectors.target.post import Post

_MOMENT_S = 0.1


class Notebook(Target):
    """Keeps posts by id.

    ``fault`` may give an error in place of publishing a post; ``down`` in place of being ready;
    ``faults`` holds, by step, those of its next calls.
    ``calls`` are (step, id). In the steps of ``lingers`` a post waits a moment for another to come
    in beside it, so that two are seen where two are let in; ``most`` says how many were.
    """

    def __init__(self, name: str = "notebook") -> None:
        super().__init__(name)
        self.posts: dict[str, Post] = {}
        self.calls: list[tuple[str, str]] = []
        self.most: dict[str, int] = {}
        self.fault: Callable[[Post], Exception | None] = lambda post: None
        self.down: Exception | None = None
        self.faults: dict[str, list[Exception]] = {}
        self.lingers: set[str] = set()
        self._inside = {"find": 0, "draft": 0, "publish": 0, "any step": 0}
        self._turn = threading.Condition()

    def ready(self) -> None:
        if self.down is not None:
            raise self.down

    def find(self, post: Post) -> Copy | None:
        with self._counted("find", post):
            return Copy(post.id, CopyState.PUBLIC) if post.id in self.posts else None

    def draft(self, post: Post) -> Copy:
        with self._counted("draft", post):
            return Copy(post.id, CopyState.DRAFT)

    def publish(self, post: Post, remote_id: str) -> Copy:
        with self._counted("publish", post):
            if (error := self.fault(post)) is not None:
                raise error
            self.posts[post.id] = post
            return Copy(post.id, CopyState.PUBLIC, f"https://notes.example/{post.slug}")

    @contextmanager
    def _counted(self, step: str, post: Post) -> Iterator[None]:
        with self._turn:
            self.calls.append((step, post.id))
            for key in (step, "any step"):
                self._inside[key] += 1
                self.most[key] = max(self.most.get(key, 0), self._inside[key])
            self._turn.notify_all()
            for key in self.lingers & {step, "any step"}:
                self._turn.wait_for(lambda: self._inside[key] > 1, _MOMENT_S)  # noqa: B023
        try:
            if waiting := self.faults.get(step):
                raise waiting.pop(0)
            yield
        finally:
            with self._turn:
                for key in (step, "any step"):
                    self._inside[key] -= 1


class BusyNotebook(Notebook):
    """The same, for several posts at a time."""

    at_once = 4
