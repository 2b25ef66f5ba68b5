"""One WordPress site by XML-RPC, for hosts that block its REST API."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import PurePath
from typing import Any
from xmlrpc.client import Binary, DateTime

from wordpress_xmlrpc import WordPressTerm
from wordpress_xmlrpc.methods.media import GetMediaLibrary, UploadFile
from wordpress_xmlrpc.methods.posts import DeletePost, EditPost, GetPost, GetPosts, NewPost
from wordpress_xmlrpc.methods.taxonomies import GetTerms, NewTerm
from wordpress_xmlrpc.methods.users import GetAuthors, GetProfile

from copydesk_connectors.target.base import Copy
from copydesk_connectors.target.errors import ConnectorError, Misconfigured, Refused, Unavailable
from copydesk_connectors.target.http_api import Refusal, retry
from copydesk_connectors.target.internal_links import Page
from copydesk_connectors.target.post import Post
from copydesk_connectors.targets.pictures import Picture
from copydesk_connectors.targets.wordpress import posts
from copydesk_connectors.targets.wordpress.drafts import WordPressDrafts
from copydesk_connectors.targets.wordpress.fields import Fields, User
from copydesk_connectors.targets.wordpress.posts import MARKER, RemotePost, search_term
from copydesk_connectors.targets.wordpress.settings import Settings
from copydesk_connectors.targets.wordpress.xmlrpc import XmlRpc, text

_FIELDS = ["post_title", "post_status", "post_content", "post_excerpt", "post_author", "post_name"]
_FIELDS += ["link", "post_date_gmt", "post_modified_gmt", "terms", "post_thumbnail"]
_NAMES = {
    "title": "post_title",
    "slug": "post_name",
    "content": "post_content",
    "excerpt": "post_excerpt",
    "author": "post_author",
    "featured_media": "post_thumbnail",
    "status": "post_status",
}
_TAXONOMIES = {"categories": "category", "tags": "post_tag"}
_ALL = "publish,future,draft,pending,private,trash"
# A plugin may change the site's search; a copy that a crash left is among the newest posts.
_NEWEST = 30
_STRAY = "A second copy of a draft, which nobody needs."
# XML-RPC reports roles, not rights. Of WordPress's own roles, these may neither publish nor upload.
# Any other role is assumed to have the rights; if not, the site refuses the post.
_MAY_NOT_PUBLISH = frozenset({"contributor", "subscriber"})


class XmlRpcFields(Fields):
    """The fields of one site's posts by XML-RPC.

    XML-RPC cannot set a picture's alternative text, finds pictures only among the newest, and keeps
    no fields of SEO plugins.
    """

    categories = "category"
    tags = "post_tag"

    def __init__(self, rpc: XmlRpc, settings: Settings) -> None:
        super().__init__(settings)
        self._rpc = rpc

    def _user(self) -> User:
        try:
            profile = retry(lambda: self._rpc.call(GetProfile()))
        except Refusal as refusal:
            raise Misconfigured(
                f"the site does not accept the user: {refusal}",
                "check the user name, make an application password for this user (Users > Profile "
                "> Application Passwords) and configure it, or see whether a security plugin "
                "blocks XML-RPC",
            ) from refusal
        roles = frozenset(map(str, profile.roles or ()))
        publishes = not roles <= _MAY_NOT_PUBLISH
        may = {
            "publish_posts": publishes,
            "upload_files": publishes,
            "edit_posts": publishes or "contributor" in roles,
            "manage_categories": bool(roles & {"administrator", "editor"}),
            "edit_others_posts": True,
        }
        return User(id=0, name=str(profile.display_name), roles=sorted(roles), may=may)

    def _find_author(self, author: str) -> int:
        try:
            found = retry(lambda: self._rpc.call(GetAuthors()))
        except Refusal as refusal:
            raise Misconfigured(
                f"the site does not name its authors: {refusal}", "leave author out"
            ) from refusal
        for known in found:
            names = {str(known.id), str(known.user_login), str(known.display_name)}
            if author.casefold() in {name.casefold() for name in names}:
                return int(known.id)
        raise Misconfigured(
            f'the site has no author "{author}"',
            "set author to the login or the id of somebody in Users who may write posts",
        )

    def _search_terms(self, taxonomy: str, letters: str, offset: int) -> Iterable[tuple[str, int]]:
        query = {"search": text(letters), "number": 100, "offset": offset}
        found = retry(lambda: self._rpc.call(GetTerms(taxonomy, query), list))
        return [(str(term.name), int(term.id)) for term in found]

    def _make_term(self, taxonomy: str, name: str) -> int:
        term = WordPressTerm()
        term.taxonomy, term.name = taxonomy, text(name)
        return int(self._rpc.call(NewTerm(term)))

    def _picture_key(self, picture: Picture, post: Post) -> str:
        return f"copydesk-{picture.digest[:24]}{PurePath(picture.name).suffix.lower()}"

    def _find_picture(self, key: str, picture: Picture, post: Post) -> int | None:
        newest = self._rpc.call(GetMediaLibrary({"number": 100}), list)
        found = [item for item in newest if item.title == key]
        # One without metadata is sent once more: PHP died before it made the sizes.
        whole = [item for item in found if item.metadata] or (found if len(found) > 1 else [])
        return min((int(item.id) for item in whole), default=None)

    def _send_picture(self, key: str, picture: Picture, post: Post) -> int:
        file = {"name": key, "type": picture.media_type, "bits": Binary(picture.content)}
        return int(self._rpc.call(UploadFile(file))["id"])


class XmlRpcSite(WordPressDrafts):
    """Posts on a WordPress site, as by REST.

    A copy is found by its marker, or, if the site took the marker out, by its text among the newest
    posts that have its slug or none: XML-RPC looks nothing up by slug.
    """

    # If the known draft is found, copies without a marker are not searched for.
    reconciles = False

    def __init__(self, name: str, settings: Settings) -> None:
        self._rpc = XmlRpc(settings.url, settings.username, settings.password, settings.proxy)
        super().__init__(name, settings, XmlRpcFields(self._rpc, settings))

    def find(self, post: Post) -> Copy | None:
        """Return the copy that counts. Calls by XML-RPC are not retried one by one."""
        return retry(lambda: super(XmlRpcSite, self).find(post))

    def _copies(self, post: Post, known_id: str) -> Sequence[RemotePost]:
        """Return the copies by their marker, or by their text among the newest posts."""
        found = self._posts({"s": search_term(post), "number": 100, "post_status": _ALL})
        if known_id and not any(remote.remote_id == known_id for remote in found):
            found += self._by_id(known_id)
        return posts.ours(post, found, known_id) or self._among_newest(post)

    def _new(self, post: Post, fields: Mapping[str, Any], notes: list[str]) -> RemotePost:
        # ``show`` names it: of two drafts of one name, the shown one would get "…-2".
        unnamed = {} if self._settings.status == "draft" else {"slug": ""}
        sent = _for_xmlrpc({**fields, **unnamed, "status": "draft"})
        return self._written(str(self._rpc.call(NewPost({"post_type": "post", **sent}))))

    def _shown_fields(
        self, post: Post, draft: RemotePost, moment: datetime | None
    ) -> dict[str, Any]:
        fields = super()._shown_fields(post, draft, moment)
        return {**fields, "slug": draft.meta["slug"] or post.slug}

    def _changed(self, remote: RemotePost, fields: Mapping[str, Any]) -> RemotePost:
        self._edit(remote, _for_xmlrpc(fields))
        return self._written(remote.remote_id)

    def _written(self, remote_id: str) -> RemotePost:
        """Return a post that was written just now: the answer to that says nothing about it."""
        found = self._by_id(remote_id)
        if not found:
            raise Unavailable(f"post {remote_id} was deleted meanwhile", 0.0)
        return found[0]

    def remove(self, draft: RemotePost) -> None:
        """Delete the draft; XML-RPC deletes only from the trash."""
        for copy in [draft] if draft.meta else self._by_id(draft.remote_id):
            # With its text, a draft left in the trash would count as trashed by the owner.
            self._edit(copy, {"post_status": "trash", "post_content": _STRAY})
            self._rpc.call(DeletePost(copy.remote_id))

    def _pages_about(self, word: str) -> Iterable[Page]:
        # XML-RPC shows only those that our user may edit.
        query = {"s": word, "post_status": "publish", "number": 20}
        return [posts.page(remote.title, remote.url) for remote in self._posts(query)]

    def _edit(self, remote: RemotePost, fields: Mapping[str, Any]) -> None:
        """Change a post unless it was edited or trashed since we saw it."""
        unchanged = {"if_not_modified_since": remote.meta["modified"]}
        try:
            self._rpc.call(EditPost(remote.remote_id, {**fields, **unchanged}))
        except Refusal as refusal:
            if refusal.status in {404, 409}:
                # The owner or another process changed it first: look again.
                raise Unavailable(
                    f"post {remote.remote_id} was changed meanwhile", 0.0
                ) from refusal
            raise self._error_of(refusal) from refusal

    def _error_of(self, refusal: Refusal) -> ConnectorError:
        """Return Refused only if the user may write posts at all."""
        self._fields.need_rights()
        if refusal.status == 401:
            return Misconfigured(
                f"the user may not write the post as it is configured: {refusal}",
                "give the user the role Editor, or change what the message names",
            )
        if refusal.status in {403, 404}:
            # A term or picture whose id is cached is gone.
            self._fields.forget()
            return Unavailable(f"the site no longer has what the post names: {refusal}")
        if refusal.status < 400 or refusal.status >= 500:
            return Unavailable(f"the site failed: {refusal}")
        return Refused(f"WordPress refused the post: {refusal}")

    def _among_newest(self, post: Post) -> list[RemotePost]:
        found = self._newest()
        marked = posts.ours(post, found)
        return marked or [
            remote
            for remote in sorted(found, key=lambda remote: int(remote.remote_id))
            if remote.meta["slug"] in {"", *posts.slugs(post)}
            and MARKER not in remote.content
            and posts.unedited(post, remote)
        ]

    def _by_id(self, remote_id: str) -> list[RemotePost]:
        try:
            return [self._rpc.call(GetPost(remote_id, _FIELDS, results_class=_remote), RemotePost)]
        except Refusal as refusal:
            if refusal.status == 404:
                return []
            raise self._error_of(refusal) from refusal

    def _posts(self, query: dict[str, Any]) -> list[RemotePost]:
        try:
            found = self._rpc.call(GetPosts(query, _FIELDS, results_class=_remote), list)
        except Refusal as refusal:
            self._fields.need_rights()
            raise Misconfigured(
                f"the site does not list its posts: {refusal}",
                "see whether a security plugin blocks XML-RPC's wp.getPosts",
            ) from refusal
        return list(found)

    def _newest(self) -> Sequence[RemotePost]:
        return self._posts(
            {"number": _NEWEST, "orderby": "modified", "order": "DESC", "post_status": _ALL}
        )


def _for_xmlrpc(fields: Mapping[str, Any]) -> dict[str, Any]:
    """Return fields of REST as XML-RPC has them."""
    sent = {
        _NAMES[name]: text(value) if isinstance(value, str) else value
        for name, value in fields.items()
        if name in _NAMES
    }
    if sent.get("post_status") == "future":  # it is told by the date
        sent["post_status"] = "publish"
    if date := fields.get("date_gmt"):
        sent["post_date_gmt"] = DateTime(datetime.fromisoformat(date))
    terms = {kind: fields[name] for name, kind in _TAXONOMIES.items() if fields.get(name)}
    return {**sent, "terms": terms} if terms else sent


def _terms(struct: Mapping[str, Any]) -> dict[str, frozenset[int]]:
    """Return the terms and the picture of an answer as REST has them."""
    terms = struct.get("terms") or ()
    ids: dict[str, Any] = {
        name: [int(term["term_id"]) for term in terms if str(term["taxonomy"]) == kind]
        for name, kind in _TAXONOMIES.items()
    }
    picture = struct.get("post_thumbnail") or {}  # an empty list without one
    return posts.terms_of({**ids, "featured_media": int(picture.get("attachment_id") or 0)})


def _remote(struct: Mapping[str, Any]) -> RemotePost:
    """Return a post of an answer."""
    status = str(struct["post_status"])
    # XML-RPC reports scheduled posts as published.
    if (
        status == "publish"
        and str(struct["post_date_gmt"]) > f"{datetime.now(UTC):%Y%m%dT%H:%M:%S}"
    ):
        status = "future"
    return RemotePost.of(
        int(struct["post_id"]),
        status,
        str(struct.get("link") or ""),
        due=posts.moment(str(struct.get("post_date_gmt"))),
        title=str(struct.get("post_title") or ""),
        content=str(struct.get("post_content") or ""),
        excerpt=str(struct.get("post_excerpt") or ""),
        author=int(struct.get("post_author") or 0),
        terms=_terms(struct),
        meta={"slug": str(struct.get("post_name")), "modified": struct.get("post_modified_gmt")},
    )
