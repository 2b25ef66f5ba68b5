"""What our user is and may do on the site, and whether that is enough for what is configured."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from copydesk_connectors.errors import Misconfigured
from copydesk_connectors.targets.wordpress.rest import Refusal, Rest
from copydesk_connectors.targets.wordpress.settings import Settings
from copydesk_connectors.targets.wordpress.terms import Terms

_PUBLISHED = frozenset({"publish", "scheduled"})


@dataclass(frozen=True)
class User:
    """Who the password belongs to. ``may`` holds WordPress's capabilities; ``locale``, such as
    "de_DE", is the site's unless the user chose another."""

    id: int
    name: str
    roles: tuple[str, ...]
    may: Mapping[str, bool]
    locale: str = ""

    @property
    def described(self) -> str:
        """The name with the roles."""
        return f"{self.name} ({', '.join(self.roles) or 'no role'})"


@dataclass
class Rights:
    """The rights on one site, asked for anew each time."""

    rest: Rest
    settings: Settings
    categories: Terms
    _author_id: int | None = field(default=None, init=False)

    def enough(self) -> User:
        """The user, who may do what is configured.

        Raises:
            Unavailable
            Misconfigured: not so, or a category or the author neither exists nor can be made.
        """
        user = self._user()
        status = self.settings.status
        if not user.may.get("publish_posts" if status in _PUBLISHED else "edit_posts"):
            raise Misconfigured(
                f"{user.described} may not put posts up with status {status}",
                "give the user the role Author or Editor"
                + (', or set status = "pending" or "draft"' if user.may.get("edit_posts") else ""),
            )
        if self.settings.image is not None and not user.may.get("upload_files"):
            raise Misconfigured(
                f"{user.described} may not upload pictures",
                'give the user the role Author or Editor, or set image = "none"',
            )
        if not user.may.get("manage_categories"):
            for name in self.settings.categories:
                self._need_category(name)
        if self.settings.author:
            self._need_author(user)
        return user

    def forget(self) -> None:
        """Look up anew, for owners change such things."""
        self._author_id = None

    def author_id(self) -> int | None:
        """The id of the author that is configured, None for the user itself.

        Raises:
            Unavailable
            Misconfigured: there is no such author.
        """
        if self.settings.author and self._author_id is None:
            self._author_id = self._find_author(self.settings.author)
        return self._author_id

    def _user(self) -> User:
        try:
            data: dict[str, Any] = self.rest.get(
                "users/me", context="edit", _fields="id,name,roles,capabilities,locale"
            )
        except Refusal as refusal:
            raise Misconfigured(
                f"the site does not say who the user is: {refusal}",
                "url must be the address of a WordPress site (5.6 or newer) whose REST API is "
                "not blocked by a plugin, firewall or host",
            ) from refusal
        may = data.get("capabilities")
        return User(
            id=int(data.get("id") or 0),
            name=str(data.get("name") or ""),
            roles=tuple(map(str, data.get("roles") or ())),
            may=may if isinstance(may, Mapping) else {},
            locale=str(data.get("locale") or ""),
        )

    def _need_category(self, name: str) -> None:
        if self.categories.find(name) is None:
            raise Misconfigured(
                f'there is no category "{name}" and the user may not make one',
                "make it in WordPress, correct category, or give the user the role Editor",
            )

    def _need_author(self, user: User) -> None:
        author_id = self.author_id()
        if author_id != user.id and not user.may.get("edit_others_posts"):
            raise Misconfigured(
                f'{user.described} may not write posts in the name of "{self.settings.author}"',
                "give the user the role Editor, or leave author out",
            )

    def _find_author(self, author: str) -> int:
        # Names of logins are told to administrators alone; others know a user by the slug, which
        # WordPress makes of the login.
        key = "include" if author.isdigit() else "search"
        for query in ({"context": "edit"}, {"who": "authors"}):
            try:
                found = self.rest.get(
                    "users", per_page=100, _fields="id,slug,username", **{key: author}, **query
                )
            except Refusal:
                continue
            for entry in found:
                names = {str(entry.get(key, "")).casefold() for key in ("id", "slug", "username")}
                if author.casefold() in names:
                    return int(entry["id"])
        raise Misconfigured(
            f'the site shows no user "{author}" who may write posts',
            "set author to the login, the slug or the id of somebody in Users",
        )
