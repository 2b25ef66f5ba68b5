"""What the pull feed answers."""

from typing import Literal

from pydantic import Field

from app.core.feed_item import ITEMS_LIMIT
from app.core.post import SEOPost
from app.core.wire import Timestamp, WireModel


class RenderedItem(WireModel):
    """The post with its offer links; the structured post has none."""

    markdown: str
    html: str = Field(description="Offer links carry rel=sponsored noopener and open a new tab.")


class FeedItem(WireModel):
    """A post to publish, then to confirm or reject."""

    id: str
    post: SEOPost
    rendered: RenderedItem
    generated_at: Timestamp
    delivery_count: int = Field(
        ge=1,
        description="How often this item was handed out, this call included. After the third time"
        " without confirm or reject the next pull gives it up.",
    )


class RuleFeedItem(FeedItem):
    """A feed item, with the rule that it comes from."""

    rule_id: str
    rule_name: str


class ItemAvailable(WireModel):
    """There is something to publish."""

    available: Literal[True]
    item: FeedItem


class NothingNew(WireModel):
    """Nothing is reserved and nothing new is there. This is no error."""

    available: Literal[False]


class ItemList(WireModel):
    """All open items, each of them reserved for you."""

    count: int = Field(ge=0, le=ITEMS_LIMIT)
    limit: Literal[100] = Field(description="The most items of one call.")
    items: tuple[RuleFeedItem, ...] = Field(max_length=ITEMS_LIMIT)


class UsedItem(WireModel):
    """An item that was confirmed, for good."""

    id: str
    status: Literal["used"]


class RejectedItem(WireModel):
    """An item that was rejected, for good."""

    id: str
    status: Literal["rejected"]


class Confirmed(WireModel):
    """The item is used."""

    ok: Literal[True]
    item: UsedItem


class Rejected(WireModel):
    """The item is rejected."""

    ok: Literal[True]
    item: RejectedItem
