"""A post in the fields of the REST API."""

import hashlib
import html
from collections.abc import Iterable, Mapping
from contextlib import suppress
from functools import cached_property
from pathlib import PurePath
from typing import Any

from copydesk_connectors.target.errors import Misconfigured
from copydesk_connectors.target.post import Post
from copydesk_connectors.targets.pictures import Picture
from copydesk_connectors.targets.wordpress.fields import Fields, User
from copydesk_connectors.targets.wordpress.posts import (
    JSON_LD_META,
    json_ld_text,
    seo_meta,
)
from copydesk_connectors.targets.wordpress.rest import Refusal, Rest
from copydesk_connectors.targets.wordpress.settings import Settings

_LONGEST_NAME = 200


class RestFields(Fields):
    """The fields of one site's posts by REST."""

    categories = "categories"
    tags = "tags"

    def __init__(self, rest: Rest, settings: Settings) -> None:
        super().__init__(settings)
        self._rest = rest

    def forget(self) -> None:
        """Clear the cache: the owner may have changed the site."""
        super().forget()
        for name in ("meta_keys", "site_name"):
            vars(self).pop(name, None)

    def _meta(self, post: Post, notes: list[str]) -> dict[str, str]:
        wanted = seo_meta(post) if self._settings.seo == "auto" else {}
        if self._settings.json_ld and not self.has_plugin:
            notes.append("goes without its JSON-LD: the site lacks the plugin for it")
        elif self._settings.json_ld:
            wanted[JSON_LD_META] = json_ld_text(post, self.site_name)
        return {key: text for key, text in wanted.items() if key in self.meta_keys}

    @cached_property
    def meta_keys(self) -> frozenset[str]:
        """The names of all post meta that the site accepts by REST.

        WordPress silently drops other meta.

        Raises:
            Unavailable, Misconfigured
        """
        try:
            schema: Any = self._rest.options("posts")
            for name in ("schema", "properties", "meta", "properties"):
                schema = schema[name]
            return frozenset(map(str, schema))
        except (Refusal, KeyError, TypeError):
            return frozenset()

    @property
    def has_plugin(self) -> bool:
        """Whether the plugin Copydesk for WordPress is on the site."""
        return JSON_LD_META in self.meta_keys

    @cached_property
    def site_name(self) -> str:
        """The site's name, "" if it does not say."""
        try:
            said: Any = self._rest.get("/", _fields="name")
            named = html.unescape(str(said["name"]))
        except (Refusal, Misconfigured, KeyError, TypeError):
            return ""  # a plugin may block it, and no post waits for a name
        return " ".join(named.split())[:_LONGEST_NAME]

    def _user(self) -> User:
        try:
            data: dict[str, Any] = self._rest.get(
                "users/me", context="edit", _fields="id,name,roles,capabilities"
            )
        except Refusal as refusal:
            raise Misconfigured(
                f"the site does not say who the user is: {refusal}",
                f"see that url is the address of a WordPress site (5.6 or newer); if it is, "
                f"{refusal.fix}",
            ) from refusal
        may = data.get("capabilities")
        return User(
            id=int(data.get("id") or 0),
            name=str(data.get("name") or ""),
            roles=tuple(map(str, data.get("roles") or ())),
            may=may if isinstance(may, Mapping) else {},
        )

    def _find_author(self, author: str) -> int:
        # Only administrators see logins; others know a user by the slug, which WordPress makes of
        # the login.
        key = "include" if author.isdigit() else "search"
        for query in ({"context": "edit"}, {"who": "authors"}):
            try:
                found = self._rest.get(
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

    def _search_terms(self, taxonomy: str, letters: str, offset: int) -> Iterable[tuple[str, int]]:
        found = self._rest.get(
            taxonomy, search=letters, per_page=100, offset=offset, _fields="id,name"
        )
        return [(str(term["name"]), int(term["id"])) for term in found]

    def _term_id(self, taxonomy: str, name: str) -> int:
        key = (taxonomy, name.casefold())
        # The refusal of a tag that exists names it, so each tag takes one request. Categories are
        # few, and authors may not make them.
        if taxonomy == self.tags and key not in self._term_ids:
            self._term_ids[key] = self._make_term(taxonomy, name)
        return super()._term_id(taxonomy, name)

    def _make_term(self, taxonomy: str, name: str) -> int:
        try:
            return int(self._rest.post(taxonomy, {"name": name})["id"])
        except Refusal as refusal:
            if refusal.code == "term_exists":
                return int(refusal.data["term_id"])
            # The site's search may have missed it before.
            found = self._find_term(taxonomy, name)
            if found is None:
                raise
            return found

    def _picture_key(self, picture: Picture, post: Post) -> str:
        text = f"{picture.digest} {picture.name} {_alt_text(picture, post)}"
        return f"copydesk-{hashlib.sha256(text.encode()).hexdigest()[:24]}"

    def _find_picture(self, key: str, picture: Picture, post: Post) -> int | None:
        found = self._rest.get("media", slug=key, _fields="id,media_details")
        if not found:
            return None
        oldest = min(found, key=lambda entry: int(entry["id"]))
        path = f"media/{oldest['id']}"
        if not oldest.get("media_details"):
            # PHP died in the upload, before it stored the text or made the sizes.
            with suppress(Refusal):  # of a WordPress before 5.3
                self._rest.post(path, {"alt_text": _alt_text(picture, post), "_fields": "id"})
                self._rest.post(f"{path}/post-process", {"action": "create-image-subsizes"})
        return int(oldest["id"])

    def _send_picture(self, key: str, picture: Picture, post: Post) -> int:
        if picture.media_type == "image/svg+xml":
            raise Misconfigured(
                f"WordPress takes no SVG, and {picture.name} is one",
                "let image name a JPEG, PNG or WebP",
            )
        alt = _alt_text(picture, post)
        fields = {"title": alt, "alt_text": alt, "slug": key}
        answer = self._rest.upload(
            "media", picture.name, picture.content, picture.media_type, fields
        )
        return int(answer["id"])


def _alt_text(picture: Picture, post: Post) -> str:
    """Return the post's title for its own picture, else the file's name: others may have it too."""
    stem = PurePath(picture.name).stem
    if stem == post.slug:
        return post.title
    return " ".join(stem.replace("_", " ").replace("-", " ").split())
