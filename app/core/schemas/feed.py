"""The pull feed: its limit, and what a confirm may say."""

from pydantic import Field

from app.core.schemas.api_model import ApiModel, HttpUrl

ITEMS_LIMIT = 100


class ConfirmRequest(ApiModel):
    """What a site may tell of an item that it published."""

    url: HttpUrl | None = Field(
        None, description="The address of the published post, which its owners are shown."
    )
