"""What POST /v1/generate answers."""

from pydantic import Field

from app.core.post import Quality, Rendered, SEOPost
from app.core.wire import WireModel


class Debug(WireModel):
    """What an operator may let callers see."""

    generation_model: str


class Generation(WireModel):
    """A finished post."""

    request_id: str = Field(description="The same as the header X-Request-ID of the first answer.")
    post: SEOPost
    rendered: Rendered
    quality: Quality
    debug: Debug | None = Field(None, description="Only where the operator has turned it on.")
