"""Collect the outcome of a pass, and log it as it happens."""

import logging
import threading
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime

from copydesk_connectors.engine.log import logger
from copydesk_connectors.target.base import Copy, CopyState
from copydesk_connectors.target.errors import Unavailable
from copydesk_connectors.target.post import Post

_HIDDEN = frozenset({CopyState.DRAFT, CopyState.PENDING, CopyState.SCHEDULED})
_DONE = {
    CopyState.DRAFT: "left as a draft",
    CopyState.PENDING: "left for review",
    CopyState.SCHEDULED: "scheduled",
    CopyState.PUBLIC: "published",
}


def moment_text(moment: datetime) -> str:
    """Return a moment for people: "2026-11-24 08:00 UTC"."""
    return f"{moment.astimezone(UTC):%Y-%m-%d %H:%M} UTC"


@dataclass
class Outcome:
    """The outcome of a pass.

    ``late`` counts the posts that a target got in a later pass than the confirming one.
    ``problems`` are sentences. ``unfinished`` means that another pass may succeed, not earlier than
    in ``retry_after`` seconds.

    Attributes:
        confirmed: the items that were confirmed.
        hidden: how many of those no reader can see yet.
        drafts, pending: how many items were left as drafts or for review on the site.
        scheduled: when scheduled items appear, in ascending order, whether the site shows them or
            the connector.
        next_slot: when the connector has to publish the next of them.
    """

    confirmed: int = 0
    late: int = 0
    hidden: int = 0
    drafts: int = 0
    pending: int = 0
    scheduled: list[datetime] = field(default_factory=list)
    next_slot: datetime | None = None
    problems: list[str] = field(default_factory=list)
    unfinished: bool = False
    retry_after: float = 0.0


class Report:
    """Builds an Outcome. Safe to use from any thread."""

    def __init__(self) -> None:
        self.outcome = Outcome()
        self._turn = threading.Lock()
        self._shown: dict[str, set[CopyState]] = {}
        self._slots: dict[str, datetime] = {}
        self._waiting: set[str] = set()

    def confirmed(self, item_id: str) -> None:
        """Count an item as done."""
        with self._turn:
            self.outcome.confirmed += 1
            shown = self._shown.get(item_id)
            if shown and shown <= _HIDDEN:
                self.outcome.hidden += 1
        self.say(logging.INFO, "confirmed", item_id)

    def late(self) -> None:
        """Count a post whose item was confirmed in an earlier pass."""
        with self._turn:
            self.outcome.late += 1

    def shown(self, post: Post, target: str, copy: Copy) -> None:
        """Count and log a post that a target has, in the state that it has there."""
        item_id = post.id
        with self._turn:
            states = self._shown.setdefault(item_id, set())
            self.outcome.drafts += copy.state is CopyState.DRAFT and copy.state not in states
            self.outcome.pending += copy.state is CopyState.PENDING and copy.state not in states
            states.add(copy.state)
            if copy.state is CopyState.SCHEDULED and copy.due is not None:
                self._schedule(item_id, copy.due)
        done = _DONE[copy.state]
        if copy.due is not None:
            done = f"{done} for {moment_text(copy.due)}"
        self.say(logging.INFO, done, item_id, target, url=copy.url)

    def waits_for_slot(self, item_id: str, slot: datetime) -> None:
        """Count an item that the connector publishes on a target later, by its calendar."""
        with self._turn:
            self._waiting.add(item_id)
            self._schedule(item_id, slot)
            following = self.outcome.next_slot
            self.outcome.next_slot = slot if following is None else min(slot, following)

    def _schedule(self, item_id: str, slot: datetime) -> None:
        self._slots[item_id] = min(slot, self._slots.get(item_id, slot))
        self.outcome.scheduled = sorted(self._slots.values())

    @property
    def waiting(self) -> int:
        """The number of items that wait for their slot on some target."""
        return len(self._waiting)

    def trouble(self, what: str, error: Exception | None = None, *, retry: bool = True) -> None:
        """Add a problem, once. ``retry`` tells whether another pass may succeed."""
        problem = what if error is None else f"{what}: {error}"
        with self._turn:
            if problem in self.outcome.problems:
                return
            self.outcome.problems.append(problem)
            self.outcome.unfinished |= retry
            if isinstance(error, Unavailable) and error.retry_after is not None:
                self.outcome.retry_after = max(self.outcome.retry_after, error.retry_after)
        self.say(logging.WARNING if retry else logging.ERROR, problem)

    def note(self, item: str, target: str, notes: Sequence[str]) -> None:
        """Log the notes of a site about its copy."""
        for note in notes:
            self.say(logging.WARNING, note, item, target)

    def say(
        self,
        level: int,
        message: str,
        item: str | None = None,
        target: str | None = None,
        *,
        url: str | None = None,
    ) -> None:
        """Log one line."""
        fields = {"item": item, "target": target, "url": url}
        logger.log(level, "%s", message, extra=fields)
