"""The request of POST /v1/check."""

from pydantic import Field

from app.core.schemas.api_model import AnyText, ApiModel, FreeText, Keyword
from app.core.schemas.locales import Language


class CheckRequest(ApiModel):
    """The text to check."""

    text: AnyText = Field(
        description="The text, in Markdown. The whole body has at most 64 KiB. Line breaks and"
        " white space are kept."
    )
    title: FreeText | None = Field(
        None, description="The title, if it is not the first heading of the text."
    )
    language: Language | None = Field(
        None,
        description="A BCP 47 language tag, such as en, de or pt-BR. Default: the language of the"
        " text if it is certain, else en.",
    )
    keywords: tuple[Keyword, ...] = Field(
        (), max_length=20, description="Keywords that the text must use, in any form and order."
    )
