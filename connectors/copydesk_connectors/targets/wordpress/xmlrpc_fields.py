"""A post in the fields of XML-RPC, with the terms, picture and author that it names."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import PurePath
from typing import Any
from xmlrpc.client import Binary

from wordpress_xmlrpc.methods.media import GetMediaLibrary, UploadFile
from wordpress_xmlrpc.methods.posts import GetPost, GetPosts

from copydesk_connectors.errors import Misconfigured, Unavailable
from copydesk_connectors.post import Post
from copydesk_connectors.targets import owner_image
from copydesk_connectors.targets.owner_image import Picture
from copydesk_connectors.targets.site_calls import Refusal, tried
from copydesk_connectors.targets.wordpress.content import (
    JSON_LD_META,
    content_of,
    json_ld_text,
    seo_meta,
)
from copydesk_connectors.targets.wordpress.settings import Settings
from copydesk_connectors.targets.wordpress.xmlrpc import XmlRpc, text
from copydesk_connectors.targets.wordpress.xmlrpc_names import People, Terms

_RANK_MATH = "rank_math_"


class Fields:
    """The fields of one site's posts. What they name is looked up or made once a process."""

    def __init__(self, rpc: XmlRpc, settings: Settings) -> None:
        self._settings = settings
        self._categories = Terms(rpc, "category")
        self._tags = Terms(rpc, "post_tag")
        self._pictures = Pictures(rpc)
        self.people = People(rpc, settings, self._categories)
        self.meta = Meta(rpc, settings)

    def of(self, post: Post, notes: list[str]) -> dict[str, Any]:
        """The whole post without a status; what has to be left out is said in ``notes``.

        Raises:
            Unavailable, Misconfigured
            Refusal: a category can be neither found nor made.
        """
        settings = self._settings
        content = content_of(post, settings.format)
        fields: dict[str, Any] = {
            "post_type": "post",
            "post_title": text(content.title),
            "post_name": content.slug,
            "post_content": text(content.content),
            "post_excerpt": text(content.excerpt),
            "terms": self._terms(post, notes),
            "custom_fields": [
                {"key": key, "value": text(value)} for key, value in self.meta.of(post).items()
            ],
        }
        if (author_id := self.people.author_id()) is not None:
            fields["post_author"] = author_id
        if (picture_id := self._picture_id(post, notes)) is not None:
            fields["post_thumbnail"] = picture_id
        return fields

    def forget(self) -> None:
        """Look terms and pictures up anew: one of those that we knew was deleted."""
        self._categories.forget()
        self._tags.forget()
        self._pictures.forget()

    def _terms(self, post: Post, notes: list[str]) -> dict[str, list[int]]:
        wanted = post.keywords if self._settings.tags is None else self._settings.tags
        tags, missing = self._tags.find_or_make_all(wanted)
        if missing:
            notes.append(f"the user may not make tags, left out: {', '.join(missing)}")
        categories = [self._categories.find_or_make(name) for name in self._settings.categories]
        by_taxonomy = {"post_tag": tags, "category": categories}
        return {taxonomy: ids for taxonomy, ids in by_taxonomy.items() if ids}

    def _picture_id(self, post: Post, notes: list[str]) -> int | None:
        """As by REST: a picture that its owner has to mend is waited for, the site's own trouble
        with one is not."""
        if self._settings.image is None:
            return None
        picture = owner_image.pick(self._settings.image, post)
        if picture is None:
            return None
        try:
            return self._pictures.id_of(picture)
        except Unavailable as error:
            self.people.enough()  # raises where the site is down altogether
            notes.append(f"goes without its picture {picture.name}: {error}")
            return None


@dataclass
class Pictures:
    """The pictures of one site, looked up among the newest or sent, once a process.

    XML-RPC writes no text for those who cannot see a picture.
    """

    rpc: XmlRpc
    _ids: dict[str, int] = field(default_factory=dict)

    def id_of(self, picture: Picture) -> int:
        """The id of the picture in the media library, sent where it is missing.

        Raises:
            Unavailable
            Misconfigured: the site does not take such a picture.
        """
        name = f"copydesk-{picture.digest[:24]}{PurePath(picture.name).suffix.lower()}"
        if name not in self._ids:
            try:
                self._ids[name] = tried(lambda: self._find(name) or self._send(name, picture))
            except Refusal as refusal:
                raise Misconfigured(
                    f"the site does not take the picture {picture.name}: {refusal}",
                    "replace it by a smaller one, or by a JPEG, PNG or WebP",
                ) from refusal
        return self._ids[name]

    def forget(self) -> None:
        """Look all of them up anew."""
        self._ids.clear()

    def _find(self, name: str) -> int | None:
        newest = self.rpc.call(GetMediaLibrary({"number": 100}))
        return min((int(item.id) for item in newest if item.title == name), default=None)

    def _send(self, name: str, picture: Picture) -> int:
        file = {"name": name, "type": picture.media_type, "bits": Binary(picture.content)}
        return int(self.rpc.call(UploadFile(file))["id"])


@dataclass
class Meta:
    """The SEO fields and the JSON-LD, of which the first post shows what the site keeps."""

    rpc: XmlRpc
    settings: Settings
    _lost: frozenset[str] | None = None

    def of(self, post: Post) -> dict[str, str]:
        """What the site may keep. Rank Math's names are kept by every site: they go where its
        other fields are seen. Those of others are dropped where nobody registered them."""
        wanted = seo_meta(post) if self.settings.seo == "auto" else {}
        if self.settings.json_ld:
            wanted[JSON_LD_META] = json_ld_text(post)
        if self._lost is None and not self._has_rank_math(wanted):
            wanted = {key: at for key, at in wanted.items() if not key.startswith(_RANK_MATH)}
        return {key: at for key, at in wanted.items() if key not in (self._lost or ())}

    def look(self, remote_id: str, post: Post) -> str:
        """Learn from the first post what the site does not keep; a note where the owner asked
        for it, which SEO fields by themselves are not."""
        sent = self.of(post) if self._lost is None else {}
        if not sent:
            return ""
        try:
            kept = self.rpc.call(GetPost(remote_id, ["custom_fields"], results_class=custom_fields))
        except (Refusal, Unavailable):
            return ""  # the next post shows it
        everything = seo_meta(post).keys() | {JSON_LD_META}
        self._lost = frozenset(everything - kept.keys())
        if JSON_LD_META not in sent.keys() & self._lost:
            return ""
        return (
            "goes without its JSON-LD, and so do the next ones: by XML-RPC the site keeps it only "
            "with the companion plugin (copydesk-connect companion writes it)"
        )

    def _has_rank_math(self, wanted: Mapping[str, str]) -> bool:
        if not any(key.startswith(_RANK_MATH) for key in wanted):
            return False
        method = GetPosts({"number": 10}, ["custom_fields"], results_class=custom_fields)
        found = tried(lambda: self.rpc.call(method))
        return any(key.startswith(_RANK_MATH) for fields in found for key in fields)


def custom_fields(struct: Mapping[str, Any]) -> dict[str, str]:
    """The custom fields of a post in an answer."""
    return {str(at["key"]): str(at["value"]) for at in struct.get("custom_fields") or ()}
