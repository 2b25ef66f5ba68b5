"""One WordPress site by REST."""

import hashlib
import html
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from functools import cached_property
from importlib import import_module
from pathlib import PurePath
from typing import Any

from copydesk_connectors.target.base import Finding, Level, Target
from copydesk_connectors.target.errors import ConnectorError, Misconfigured, Refused, Unavailable
from copydesk_connectors.target.internal_links import Page
from copydesk_connectors.target.post import Post
from copydesk_connectors.target.settings import SettingError
from copydesk_connectors.targets.pictures import Picture
from copydesk_connectors.targets.wordpress import posts
from copydesk_connectors.targets.wordpress.drafts import WordPressDrafts
from copydesk_connectors.targets.wordpress.fields import Fields, User
from copydesk_connectors.targets.wordpress.posts import (
    JSON_LD_META,
    RemotePost,
    json_ld_text,
    seo_meta,
)
from copydesk_connectors.targets.wordpress.rest import META_REFUSED, Refusal, Rest
from copydesk_connectors.targets.wordpress.settings import Settings as WordPressSettings

# The REST namespace of a plugin, its name, and one of its fields.
_SEO_PLUGINS = (
    ("yoast/v1", "Yoast SEO", "_yoast_wpseo_metadesc"),
    ("rankmath/v1", "Rank Math", "rank_math_description"),
)
# Other plugins that print a description of their own, by their REST namespaces.
_DESCRIBE = frozenset({"aioseo/v1", "seopress/v1", "slim-seo"})
_INSTALL_PLUGIN = "install the plugin Copydesk for WordPress, without a feed URL"
# WordPress's own code; a 404 of another kind says nothing about the post.
_NO_SUCH_POST = "rest_post_invalid_id"
_REMOVED = frozenset({_NO_SUCH_POST, "rest_already_trashed"})
_LONGEST_NAME = 200


class RestFields(Fields):
    """The fields of one site's posts by REST."""

    categories = "categories"
    tags = "tags"

    def __init__(self, rest: Rest, settings: WordPressSettings) -> None:
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


class WordPressSite(WordPressDrafts):
    """Posts on a WordPress site, identified by a marker in their content and by their slug."""

    at_once = 4
    """Small hosts let PHP answer no more requests at a time."""
    drafts_in_turn = False
    Settings = WordPressSettings

    def __init__(self, name: str, settings: WordPressSettings) -> None:
        self._rest = Rest(settings.url, settings.username, settings.password, settings.proxy)
        self._fields: RestFields
        super().__init__(name, settings, RestFields(self._rest, settings))
        self._asked = posts.FIELDS
        if settings.seo == "auto" or settings.json_ld:
            self._asked += ",meta"

    @classmethod
    def open(cls, name: str, settings: WordPressSettings) -> Target:
        """Return the site by the protocol that its settings name."""
        if settings.protocol == "rest":
            return cls(name, settings)
        try:
            # Imported only here: its library is an extra.
            module = import_module("copydesk_connectors.targets.wordpress.xmlrpc_site")
        except ModuleNotFoundError as error:
            if (error.name or "").partition(".")[0] not in {"defusedxml", "wordpress_xmlrpc"}:
                raise
            raise SettingError(
                "protocol",
                "\"xmlrpc\" needs another package: pip install ./sdk './connectors[xmlrpc]'",
            ) from None
        site: Target = module.XmlRpcSite(name, settings)
        return site

    def _pages_about(self, word: str) -> Iterable[Page]:
        query = {"search": word, "status": "publish", "_fields": "title,link"}
        try:
            return map(posts.as_page, self._rest.get("posts", per_page=20, **query))
        except Refusal as refusal:
            raise Misconfigured(f"the site cannot be searched: {refusal}", refusal.fix) from refusal

    def _copies(self, post: Post, known_id: str) -> Sequence[RemotePost]:
        """Return the copies by their marker, whatever their slug and author.

        If the known copy is the only one, its texts are left out unless they are needed. If the
        search does not show it, a plugin replaced WordPress's own search, which reads all texts:
        the slug may then find other copies.
        """
        query = {"context": "view", "_fields": posts.FIELDS_SHORT}
        shown = self._list(**posts.search(post), **query)
        ids = [remote.remote_id for remote in shown]
        if ids == [known_id] and known_id in self._whole:
            return shown
        # Behind a password, or a plugin that removes comments, only editors see the marker.
        found = [copy for remote_id in ids for copy in self._by_id(remote_id)]
        if known_id and known_id not in ids:
            found += [*self._by_slug(post, known_id), *self._by_id(known_id)]
        return posts.ours(post, found, known_id)

    def remove(self, draft: RemotePost) -> None:
        """Delete the draft, past the trash."""
        self._rest.delete(f"posts/{draft.remote_id}", force="true")

    def _warnings(self) -> list[Finding]:
        """Return what pages lack because the site has no plugin that takes or prints it."""
        self._list(context="edit", _fields=posts.FIELDS_SHORT)
        lacking: list[tuple[str, str]] = []
        fields = self._fields
        if self._settings.seo == "auto":
            namespaces = self._namespaces()
            known = [plugin for plugin in _SEO_PLUGINS if plugin[0] in namespaces]
            said = "is there, but the site takes its title and description from nobody by REST"
            lacking += [
                (f"{plugin} {said}", 'set seo = "none"')
                for _, plugin, key in known
                if key not in fields.meta_keys
            ]
            if namespaces and not (known or fields.has_plugin or _DESCRIBE & namespaces):
                problem = "no SEO plugin is known there: pages may have no description, Open Graph"
                lacking.append((f"{problem} or picture for sharing", 'set seo = "none"'))
        if self._settings.json_ld and not fields.has_plugin:
            lacking.append(("the JSON-LD is left out without the plugin", "set json_ld = false"))
        return [
            Finding(Level.WARNING, self.name, problem, f"{_INSTALL_PLUGIN}, or {fix}")
            for problem, fix in lacking
        ]

    def _namespaces(self) -> set[str]:
        try:
            said: Any = self._rest.get("/", _fields="namespaces")
            return set(map(str, said["namespaces"]))
        except (Refusal, KeyError, TypeError):
            return set()

    def _changed(self, remote: RemotePost, fields: Mapping[str, Any]) -> RemotePost:
        try:
            return self._write(f"posts/{remote.remote_id}", fields)
        except Refusal as refusal:
            raise self._error_of(refusal) from refusal

    def _new(self, post: Post, fields: Mapping[str, Any], notes: list[str]) -> RemotePost:
        fields = {"status": "draft", **fields}
        meta = fields.get("meta", {})
        try:
            remote = self._write("posts", fields)
        except Refusal as refusal:
            if not meta or refusal.code not in META_REFUSED:
                raise
            notes.append(f"goes without SEO fields: {refusal}")
            made = self._by_slug(post)  # WordPress stores a post before it looks at its meta
            return made[0] if made else self._write("posts", {**fields, "meta": {}})
        if gone := sorted(key for key in meta if not remote.meta.get(key)):
            notes.append(f"the site did not keep {', '.join(gone)}")
        return remote

    def _error_of(self, refusal: Refusal) -> ConnectorError:
        """Return Refused if WordPress itself refused the post and the user may write posts."""
        if refusal.code in _REMOVED:
            # The owner or another process was first: look again.
            return Unavailable(f"the post was deleted meanwhile: {refusal}", 0.0)
        self._fields.need_rights()
        if refusal.status == 404 or not refusal.own:
            return Misconfigured(f"the site takes no posts: {refusal}", refusal.fix)
        return Refused(f"WordPress refused the post: {refusal}")

    def _write(self, path: str, fields: Mapping[str, Any]) -> RemotePost:
        return RemotePost.from_json(self._rest.post(path, {**fields, "_fields": self._asked}))

    def _by_slug(self, post: Post, known_id: str = "") -> list[RemotePost]:
        found = self._list(slug=",".join(posts.slugs(post)), context="edit", _fields=self._asked)
        return posts.ours(post, found, known_id)

    def _by_id(self, remote_id: str) -> list[RemotePost]:
        """Return a post as its editors see it, or as readers do if an editor gave it to others."""
        for context, fields in (("edit", self._asked), ("view", posts.FIELDS_VIEWED)):
            try:
                answer = self._rest.get(f"posts/{remote_id}", context=context, _fields=fields)
                return [RemotePost.from_json(answer)]
            except Refusal as refusal:
                if refusal.code == _NO_SUCH_POST:
                    return []
                if refusal.status != 403:
                    raise self._error_of(refusal) from refusal
        # It exists, but nobody may see it: its owner has decided about it.
        return [RemotePost.of(int(remote_id), "private")]

    def _list(self, **query: str) -> list[RemotePost]:
        try:
            answer = self._rest.get(
                "posts", per_page=100, orderby="id", order="asc", status="any,trash", **query
            )
        except Refusal as refusal:
            self._fields.need_rights()
            raise Misconfigured(
                f"the site does not list its posts: {refusal}", refusal.fix
            ) from refusal
        return [RemotePost.from_json(entry) for entry in answer]

    def _newest(self) -> Sequence[RemotePost]:
        return self._list(context="view", _fields=posts.FIELDS_SHORT)


def _alt_text(picture: Picture, post: Post) -> str:
    """Return the post's title for its own picture, else the file's name: others may have it too."""
    stem = PurePath(picture.name).stem
    if stem == post.slug:
        return post.title
    return " ".join(stem.replace("_", " ").replace("-", " ").split())
