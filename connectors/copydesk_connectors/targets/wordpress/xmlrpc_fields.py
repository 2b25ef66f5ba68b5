"""A post in the fields of XML-RPC."""

from collections.abc import Iterable
from pathlib import PurePath
from xmlrpc.client import Binary

from wordpress_xmlrpc import WordPressTerm
from wordpress_xmlrpc.methods.media import GetMediaLibrary, UploadFile
from wordpress_xmlrpc.methods.taxonomies import GetTerms, NewTerm
from wordpress_xmlrpc.methods.users import GetAuthors, GetProfile

from copydesk_connectors.target.errors import Misconfigured
from copydesk_connectors.target.http_api import Refusal, retry
from copydesk_connectors.target.post import Post
from copydesk_connectors.targets.pictures import Picture
from copydesk_connectors.targets.wordpress.fields import Fields, User
from copydesk_connectors.targets.wordpress.settings import Settings
from copydesk_connectors.targets.wordpress.xmlrpc import XmlRpc, text

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
