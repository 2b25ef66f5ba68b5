"""The settings of a Micropub site."""

from dataclasses import dataclass

from copydesk_connectors.target import Secret, settings
from copydesk_connectors.target.settings import SettingError, SiteSettings, is_readable_on_the_way


def _address(form: str) -> str:
    if "{slug}" not in form:
        raise ValueError("must contain {slug}, such as https://blog.example/{year}/{slug}")
    return form


@dataclass(frozen=True, kw_only=True)
class MicropubSettings(SiteSettings):
    """What the owner chose for a Micropub site."""

    endpoint: str = settings.url(
        "The Micropub endpoint. Without it, the one that `url` names.", default=""
    )
    token: Secret = settings.secret(
        "A token with the scopes create, update, delete and draft.",
        ask="Token with the scopes create, update, delete and draft",
    )
    address: str = settings.text(
        "The form of your posts' addresses, such as `https://blog.example/{year}/{slug}`: by "
        "it a post is found again if the connection broke while it was created.",
        default="",
        ask="Form of your posts' addresses, such as https://blog.example/{year}/{slug}, if known",
        convert=_address,
    )
    status: str = settings.choice(
        "`publish`; `draft` if you publish posts yourself.",
        choices=("publish", "draft"),
        default="publish",
        ask="Publish posts, or leave them as drafts",
    )
    tags: tuple[str, ...] | None = settings.tags()
    categories: tuple[str, ...] = settings.categories()

    def __post_init__(self) -> None:
        """Refuse an endpoint that gets the token readably."""
        super().__post_init__()
        if is_readable_on_the_way(self.endpoint) and not self.allow_http:
            raise SettingError(
                "endpoint", "must begin with https://; allow_http = true permits http"
            )
