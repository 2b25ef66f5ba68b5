"""Responses of the pull feed."""

from typing import Literal

from pydantic import Field

from app.core.schemas.api_model import ApiModel, HttpUrl, Timestamp
from app.core.schemas.post import SEOPost

ITEMS_LIMIT = 100


class ConfirmRequest(ApiModel):
    """What a site may tell of an item that it published."""

    url: HttpUrl | None = Field(
        None, description="The address of the published post, which its owners are shown."
    )


class RenderedItem(ApiModel):
    """The post with its offer links. The structured post has no links."""

    markdown: str
    html: str = Field(description="Offer links have rel=sponsored noopener and open in a new tab.")


class FeedItem(ApiModel):
    """A post to publish and then confirm, or to reject."""

    id: str
    post: SEOPost
    rendered: RenderedItem
    generated_at: Timestamp
    delivery_count: int = Field(
        ge=1,
        description="How often this item was returned, including this call. After the third time"
        " without confirm or reject, the next pull abandons it.",
    )


class RuleFeedItem(FeedItem):
    """A feed item and the rule that made it."""

    rule_id: str
    rule_name: str


class ItemAvailable(ApiModel):
    """An item is available."""

    available: Literal[True]
    item: FeedItem


class NothingNew(ApiModel):
    """No item is reserved or pending. This is not an error."""

    available: Literal[False]


class ItemList(ApiModel):
    """All open items, now reserved for you."""

    count: int = Field(ge=0, le=ITEMS_LIMIT)
    limit: Literal[100] = Field(description="The maximum number of items per call.")
    items: tuple[RuleFeedItem, ...] = Field(max_length=ITEMS_LIMIT)


class UsedItem(ApiModel):
    """An item that was confirmed. This is final."""

    id: str
    status: Literal["used"]


class RejectedItem(ApiModel):
    """An item that was rejected. This is final."""

    id: str
    status: Literal["rejected"]


class Confirmed(ApiModel):
    """The item is used."""

    ok: Literal[True]
    item: UsedItem


class Rejected(ApiModel):
    """The item is rejected."""

    ok: Literal[True]
    item: RejectedItem
