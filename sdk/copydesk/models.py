"""The answers to the calls of the client and of a feed; what they hold is in ``post``."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any, Self

from copydesk import _wire
from copydesk._wire import Received
from copydesk.post import Post, Rendered


@dataclass(frozen=True)
class Quality(Received):
    """The copy desk's verdict: ``score`` is 0 to 100, ``revision_count`` how often it sent back."""

    status: str
    score: float | None
    revision_count: int | None
    quality_version: str

    @classmethod
    def from_wire(cls, data: dict[str, Any]) -> Self:
        return cls(
            _wire.text(data, "status"),
            _wire.optional_number(data, "score"),
            _wire.optional_int(data, "revisionCount"),
            _wire.text(data, "qualityVersion"),
            raw=data,
        )


@dataclass(frozen=True)
class Debug(Received):
    """How the post was made."""

    generation_model: str | None

    @classmethod
    def from_wire(cls, data: dict[str, Any]) -> Self:
        return cls(_wire.optional_text(data, "generationModel"), raw=data)


@dataclass(frozen=True)
class Generation(Received):
    """The answer to ``generate``. ``debug`` is None unless the service's operator turned it on."""

    request_id: str
    post: Post
    rendered: Rendered
    quality: Quality
    debug: Debug | None

    @classmethod
    def from_wire(cls, data: dict[str, Any]) -> Self:
        debug = _wire.child(data, "debug")
        return cls(
            request_id=_wire.text(data, "requestId"),
            post=Post.from_wire(_wire.required_child(data, "post")),
            rendered=Rendered.from_wire(_wire.child(data, "rendered")),
            quality=Quality.from_wire(_wire.child(data, "quality")),
            debug=Debug.from_wire(debug) if debug else None,
            raw=data,
        )


@dataclass(frozen=True)
class FeedItem(Received):
    """One post of a feed, reserved for the caller until it is confirmed or rejected.

    ``delivery_count`` says how often it was handed out, this time included; after 3 it is lost.
    ``rule_id`` and ``rule_name`` are given by ``Feed.items`` alone. ``generated_at`` has an offset.
    """

    id: str
    post: Post
    rendered: Rendered
    generated_at: datetime | None
    delivery_count: int | None
    rule_id: str | None
    rule_name: str | None

    @classmethod
    def from_wire(cls, data: dict[str, Any]) -> Self:
        return cls(
            id=_wire.required_text(data, "id"),
            post=Post.from_wire(_wire.child(data, "post")),
            rendered=Rendered.from_wire(_wire.child(data, "rendered")),
            generated_at=_wire.optional_time(data, "generatedAt"),
            delivery_count=_wire.optional_int(data, "deliveryCount"),
            rule_id=_wire.optional_text(data, "ruleId"),
            rule_name=_wire.optional_text(data, "ruleName"),
            raw=data,
        )


@dataclass(frozen=True)
class FeedResult(Received):
    """The state of an item after ``confirm`` (used) or ``reject`` (rejected)."""

    id: str
    status: str

    @classmethod
    def from_wire(cls, data: dict[str, Any]) -> Self:
        item = _wire.required_child(data, "item")
        return cls(_wire.required_text(item, "id"), _wire.required_text(item, "status"), raw=data)
