"""The settings of a Micropub site."""

from typing import Annotated, Literal, Self

from pydantic import AfterValidator, model_validator

from copydesk_connectors.target import settings
from copydesk_connectors.target.settings import (
    Names,
    SecretText,
    SettingError,
    SiteSettings,
    Text,
    Texts,
    Url,
    is_readable_on_the_way,
    setting,
)


def _address(form: str) -> str:
    if "{slug}" not in form:
        raise ValueError("must contain {slug}, such as https://blog.example/{year}/{slug}")
    return form


class MicropubSettings(SiteSettings):
    """What the owner chose for a Micropub site."""

    endpoint: Url = setting(
        "The Micropub endpoint. Without it, the one that `url` names.", default=""
    )
    token: SecretText = setting(
        "A token with the scopes create, update, delete and draft.",
        ask="Token with the scopes create, update, delete and draft",
    )
    address: Annotated[Text, AfterValidator(_address)] = setting(
        "The form of your posts' addresses, such as `https://blog.example/{year}/{slug}`: by "
        "it a post is found again if the connection broke while it was created.",
        default="",
        ask="Form of your posts' addresses, such as https://blog.example/{year}/{slug}, if known",
    )
    status: Literal["publish", "draft"] = setting(
        "`publish`; `draft` if you publish posts yourself.",
        default="publish",
        ask="Publish posts, or leave them as drafts",
    )
    tags: Texts | None = settings.tags()
    category: Names = settings.category()

    @model_validator(mode="after")
    def _endpoint_is_https(self) -> Self:
        """Refuse an endpoint that gets the token readably."""
        if is_readable_on_the_way(self.endpoint) and not self.allow_http:
            raise SettingError(
                "endpoint", "must begin with https://; allow_http = true permits http"
            )
        return self
