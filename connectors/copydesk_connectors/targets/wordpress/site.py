"""One WordPress site by REST."""

from collections.abc import Iterable, Mapping, Sequence
from importlib import import_module
from typing import Any

from copydesk_connectors.target.base import Finding, Level, Target
from copydesk_connectors.target.errors import (
    ConnectorError,
    Misconfigured,
    Refused,
    Unavailable,
)
from copydesk_connectors.target.internal_links import Page
from copydesk_connectors.target.post import Post
from copydesk_connectors.target.settings import SettingError
from copydesk_connectors.targets.wordpress import posts
from copydesk_connectors.targets.wordpress.drafts import WordPressDrafts
from copydesk_connectors.targets.wordpress.posts import RemotePost
from copydesk_connectors.targets.wordpress.rest import META_REFUSED, Refusal, Rest
from copydesk_connectors.targets.wordpress.rest_fields import RestFields
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
