"""The answers to the calls of the client and of a feed; what they hold is in ``post``."""

from dataclasses import dataclass, replace
from datetime import datetime
from typing import Annotated, Any, Self

from copydesk._wire import REQUIRED, Received, child
from copydesk.post import Post, Rendered


@dataclass(frozen=True)
class Quality(Received):
    """The copy desk's verdict: ``score`` is 0 to 100, ``revision_count`` how often it sent back."""

    status: str
    score: float | None
    revision_count: int | None
    quality_version: str


@dataclass(frozen=True)
class Debug(Received):
    """How the post was made."""

    generation_model: str | None


@dataclass(frozen=True)
class Generation(Received):
    """The answer to ``generate``. ``debug`` is None unless the service's operator turned it on."""

    request_id: str
    post: Annotated[Post, REQUIRED]
    rendered: Rendered
    quality: Quality
    debug: Debug | None


@dataclass(frozen=True)
class FeedItem(Received):
    """One post of a feed, reserved for the caller until it is confirmed or rejected.

    ``delivery_count`` says how often it was handed out, this time included; after 3 it is lost.
    ``rule_id`` and ``rule_name`` are given by ``Feed.items`` alone. ``generated_at`` has an offset.
    """

    id: Annotated[str, REQUIRED]
    post: Post
    rendered: Rendered
    generated_at: datetime | None
    delivery_count: int | None
    rule_id: str | None
    rule_name: str | None


@dataclass(frozen=True)
class FeedResult(Received):
    """The state of an item after ``confirm`` (used) or ``reject`` (rejected)."""

    id: Annotated[str, REQUIRED]
    status: Annotated[str, REQUIRED]

    @classmethod
    def from_wire(cls, data: dict[str, Any]) -> Self:
        return replace(super().from_wire(child(data, "item")), raw=data)
