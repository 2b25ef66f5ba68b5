"""A post in the fields of XML-RPC."""

from collections.abc import Iterable, Mapping
from pathlib import PurePath
from typing import Any
from xmlrpc.client import Binary

from wordpress_xmlrpc import WordPressTerm
from wordpress_xmlrpc.methods.media import GetMediaLibrary, UploadFile
from wordpress_xmlrpc.methods.options import GetOptions
from wordpress_xmlrpc.methods.posts import GetPost, GetPosts
from wordpress_xmlrpc.methods.taxonomies import GetTerms, NewTerm
from wordpress_xmlrpc.methods.users import GetAuthors, GetProfile

from copydesk_connectors.target.errors import Misconfigured, Unavailable
from copydesk_connectors.target.http_api import Refusal, retry
from copydesk_connectors.target.post import Post
from copydesk_connectors.targets.pictures import Picture
from copydesk_connectors.targets.wordpress.fields import Fields, User
from copydesk_connectors.targets.wordpress.posts import JSON_LD_META, content_of, seo_meta
from copydesk_connectors.targets.wordpress.settings import Settings
from copydesk_connectors.targets.wordpress.xmlrpc import XmlRpc, text

_RANK_MATH = "rank_math_"
# XML-RPC reports roles, not rights. Of WordPress's own roles, these may neither publish nor upload.
# Any other role is assumed to have the rights; if not, the site refuses the post.
_MAY_NOT_PUBLISH = frozenset({"contributor", "subscriber"})


class XmlRpcFields(Fields):
    """The fields of one site's posts by XML-RPC.

    XML-RPC cannot set a picture's alternative text, and finds pictures only among the newest.
    """

    categories = "category"
    tags = "post_tag"

    def __init__(self, rpc: XmlRpc, settings: Settings) -> None:
        super().__init__(settings)
        self._rpc = rpc
        self._dropped: frozenset[str] | None = None

    def of(self, post: Post, notes: list[str]) -> dict[str, Any]:
        """Return the whole post without a status."""
        terms = {self.tags: self.tag_ids(post, notes), self.categories: self.category_ids()}
        meta = self._meta(post)
        fields: dict[str, Any] = {
            **self.texts(post),
            "terms": {taxonomy: ids for taxonomy, ids in terms.items() if ids},
            "custom_fields": [{"key": key, "value": text(value)} for key, value in meta.items()],
        }
        if (author_id := self.author_id()) is not None:
            fields["post_author"] = author_id
        if (picture_id := self.picture_id(post, notes)) is not None:
            fields["post_thumbnail"] = picture_id
        return fields

    def texts(self, post: Post) -> dict[str, Any]:
        """Return the post without the terms, picture, author and meta that it names."""
        content = content_of(post, self._settings.format)
        return {
            "post_type": "post",
            "post_title": text(content["title"]),
            "post_name": content["slug"],
            "post_content": text(content["content"]),
            "post_excerpt": text(content["excerpt"]),
        }

    def learn_dropped_meta(self, remote_id: str, post: Post) -> str:
        """Learn from the first post which meta the site drops.

        Returns:
            A note if it drops the JSON-LD. Missing SEO fields need none.
        """
        sent = self._meta(post) if self._dropped is None else {}
        if not sent:
            return ""
        try:
            kept = self._rpc.call(GetPost(remote_id, ["custom_fields"], results_class=_custom))
        except (Refusal, Unavailable):
            return ""  # the next post shows it
        everything = seo_meta(post).keys() | {JSON_LD_META}
        self._dropped = frozenset(everything - kept.keys())
        if JSON_LD_META not in sent.keys() & self._dropped:
            return ""
        return (
            "goes without its JSON-LD, and so do the next ones: by XML-RPC the site keeps it only "
            "with the plugin Copydesk for WordPress"
        )

    def _meta(self, post: Post) -> dict[str, str]:
        """Return the meta that the site may keep.

        Every site keeps Rank Math's fields, so they are only sent if a recent post has some. Sites
        drop other fields unless a plugin registered them.
        """
        wanted = self.wanted_meta(post)
        rank_math = {key for key in wanted if key.startswith(_RANK_MATH)}
        dropped = self._dropped
        if dropped is None:
            keep = bool(rank_math) and self._has_rank_math()
            dropped = frozenset() if keep else frozenset(rank_math)
        return {key: value for key, value in wanted.items() if key not in dropped}

    def _has_rank_math(self) -> bool:
        method = GetPosts({"number": 10}, ["custom_fields"], results_class=_custom)
        found = retry(lambda: self._rpc.call(method))
        return any(key.startswith(_RANK_MATH) for fields in found for key in fields)

    def _user(self) -> User:
        try:
            profile = retry(lambda: self._rpc.call(GetProfile()))
        except Refusal as refusal:
            raise Misconfigured(
                f"the site does not accept the user: {refusal}",
                "make an application password for this user (Users > Profile > Application "
                "Passwords) and configure it, or see whether a security plugin blocks XML-RPC",
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

    def _read_site_name(self) -> str:
        options = retry(lambda: self._rpc.call(GetOptions(["blog_title"])))
        return next((str(option.value) for option in options), "")

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

    def _search_terms(self, taxonomy: str, name: str) -> Iterable[tuple[str, int]]:
        query = {"search": text(name), "number": 100}
        found = retry(lambda: self._rpc.call(GetTerms(taxonomy, query)))
        return [(str(term.name), int(term.id)) for term in found]

    def _make_term(self, taxonomy: str, name: str) -> int:
        term = WordPressTerm()
        term.taxonomy, term.name = taxonomy, text(name)
        return int(self._rpc.call(NewTerm(term)))

    def _picture_key(self, picture: Picture, post: Post) -> str:
        return f"copydesk-{picture.digest[:24]}{PurePath(picture.name).suffix.lower()}"

    def _find_picture(self, key: str) -> int | None:
        newest = self._rpc.call(GetMediaLibrary({"number": 100}))
        return min((int(item.id) for item in newest if item.title == key), default=None)

    def _send_picture(self, key: str, picture: Picture, post: Post) -> int:
        file = {"name": key, "type": picture.media_type, "bits": Binary(picture.content)}
        return int(self._rpc.call(UploadFile(file))["id"])


def _custom(struct: Mapping[str, Any]) -> dict[str, str]:
    """Return the custom fields of a post in an answer."""
    return {str(at["key"]): str(at["value"]) for at in struct.get("custom_fields") or ()}
