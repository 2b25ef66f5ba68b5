"""One WordPress site by XML-RPC, for hosts that block its REST API."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any
from xmlrpc.client import DateTime

from bs4 import BeautifulSoup
from wordpress_xmlrpc.methods.posts import DeletePost, EditPost, GetPost, GetPosts, NewPost

from copydesk_connectors.errors import (
    ConnectorError,
    DraftGone,
    Misconfigured,
    Refused,
    Unavailable,
)
from copydesk_connectors.internal_links import Page, closest, words
from copydesk_connectors.post import Post
from copydesk_connectors.publisher import Copy, CopyState, Finding, Level
from copydesk_connectors.targets.scheduled import due
from copydesk_connectors.targets.site_calls import Refusal, tried
from copydesk_connectors.targets.wordpress import copies
from copydesk_connectors.targets.wordpress.content import search_term
from copydesk_connectors.targets.wordpress.copies import RemotePost
from copydesk_connectors.targets.wordpress.settings import Settings
from copydesk_connectors.targets.wordpress.xmlrpc import XmlRpc
from copydesk_connectors.targets.wordpress.xmlrpc_fields import Fields

_FIELDS = ["post_title", "post_status", "post_content", "post_name", "link"]
_FIELDS += ["post_date_gmt", "post_modified_gmt"]
_ALL = "publish,future,draft,pending,private,trash"
# A plugin may change what the site's search finds; a copy that a crash left is among the newest.
_NEWEST = 30
# WordPress finds what has every word that it is given: so one is given at a time.
_SEARCHES = 3
_STRAY = "A second copy of a draft, which nobody needs."


class XmlRpcSite:
    """Posts on a WordPress site, in the same way as by REST: draft first, then publish by id.

    A copy is known by its marker, which the site's search finds, and where the site took the
    marker out, by its slug and its text among the newest posts: XML-RPC looks nothing up by slug.
    """

    def __init__(self, name: str, settings: Settings) -> None:
        self._name = name
        self._settings = settings
        self._rpc = XmlRpc(settings.url, settings.username, settings.password)
        self._fields = Fields(self._rpc, settings)

    @property
    def name(self) -> str:
        """The target's name in the configuration and in the ledger."""
        return self._name

    def ready(self) -> None:
        """Return when the user may put posts there."""
        self._fields.people.enough()

    def check(self) -> Sequence[Finding]:
        """Whether the site answers and the user may do what is configured."""
        try:
            user = self._fields.people.enough()
        except Misconfigured as error:
            return [Finding(Level.PROBLEM, self._name, str(error.args[0]), error.fix)]
        except (Unavailable, Refusal) as error:
            fix = "see whether the site is up and answers this machine, then check again"
            return [Finding(Level.PROBLEM, self._name, str(error), fix)]
        done = "leave drafts" if self._settings.status == "draft" else "put posts up"
        return [Finding(Level.OK, self._name, f"{user} may {done}, by XML-RPC")]

    def find(self, post: Post) -> Copy | None:
        """The site's copy by its marker, or by its slug and text among the newest."""
        chosen = copies.choose(tried(lambda: self._look(post)))
        return None if chosen is None else chosen.as_copy()

    def draft(self, post: Post) -> Copy:
        """Make a draft, with a look before every try but the first."""
        return tried(lambda: self._make_draft(post), lambda: self.find(post))

    def publish(self, post: Post, remote_id: str) -> Copy:
        """Publish the one copy that counts and remove our other drafts."""
        return tried(lambda: self._publish_chosen(post, remote_id))

    def related(self, text: str) -> Sequence[Page]:
        """Published posts that the site's own search finds, by the longest words of the text; only
        those that our user may edit, for XML-RPC shows no others."""
        found: dict[int, RemotePost] = {}
        for word in sorted(words(text), key=lambda word: (-len(word), word))[:_SEARCHES]:
            query = {"s": word, "post_status": "publish", "number": 20}
            found |= {remote.id: remote for remote in self._posts(query)}
        pages = [Page(_plain(remote.title), remote.link) for remote in found.values()]
        return closest(text, pages)

    def _publish_chosen(self, post: Post, remote_id: str) -> Copy:
        found = self._look(post, remote_id)
        chosen = copies.choose(found)
        if chosen is None:
            raise DraftGone(f"post {remote_id} was deleted")
        if chosen.is_draft and self._settings.status != "draft":
            chosen = self._show(post, chosen)
        notes = self._sweep(post, [remote for remote in found if remote.id != chosen.id])
        return chosen.as_copy(*notes)

    def _show(self, post: Post, draft: RemotePost) -> RemotePost:
        fields: dict[str, Any] = {"post_status": "publish"}
        if self._settings.status == "pending":
            fields = {"post_status": "pending"}
        moment = due(post.generated_at, self._settings.publish_after, datetime.now(UTC))
        if moment is not None:
            fields["post_date_gmt"] = DateTime(moment.replace(tzinfo=None))
        self._edit(draft, fields)
        shown = self._by_id(str(draft.id))
        if not shown:
            raise DraftGone(f"post {draft.id} was deleted")
        return shown[0]

    def _edit(self, remote: RemotePost, fields: Mapping[str, Any]) -> None:
        """Change a post that is still as we saw it: not edited and not in the trash since."""
        unchanged = {"if_not_modified_since": remote.meta["modified"]}
        try:
            self._rpc.call(EditPost(str(remote.id), {**fields, **unchanged}))
        except Refusal as refusal:
            if refusal.status == 404:
                raise DraftGone(f"post {remote.id} was deleted") from refusal
            if refusal.status == 409:
                raise Unavailable(f"post {remote.id} was changed meanwhile", 0.0) from refusal
            raise self._refused(refusal) from refusal

    def _make_draft(self, post: Post) -> Copy:
        notes: list[str] = []
        try:
            fields = {**self._fields.of(post, notes), "post_status": "draft"}
            remote_id = str(self._rpc.call(NewPost(fields)))
        except Refusal as refusal:
            raise self._refused(refusal) from refusal
        if lost := self._fields.meta.look(remote_id, post):
            notes.append(lost)
        return Copy(remote_id, CopyState.DRAFT, "", tuple(notes))

    def _refused(self, refusal: Refusal) -> ConnectorError:
        """The error for a fault: the post's own only where the user may write posts at all."""
        self._fields.people.enough()
        if refusal.status == 401:
            return Misconfigured(
                f"the user may not write the post as it is configured: {refusal}",
                "give the user the role Editor, or change what the message names",
            )
        if refusal.status in {403, 404}:
            # A term or a picture that we knew by its id is gone.
            self._fields.forget()
            return Unavailable(f"the site no longer has what the post names: {refusal}")
        if refusal.status < 400 or refusal.status >= 500:
            return Unavailable(f"the site failed: {refusal}")
        return Refused(f"WordPress refused the post: {refusal}")

    def _look(self, post: Post, known_id: str = "") -> list[RemotePost]:
        found = self._posts({"s": search_term(post), "number": 100, "post_status": _ALL})
        if known_id and not any(str(remote.id) == known_id for remote in found):
            found += self._by_id(known_id)
        return copies.ours(post, found, known_id) or self._among_newest(post)

    def _among_newest(self, post: Post) -> list[RemotePost]:
        slugs = copies.slugs(post).split(",")
        found = self._posts(
            {"number": _NEWEST, "orderby": "modified", "order": "DESC", "post_status": _ALL}
        )
        marked = copies.ours(post, found)
        return marked or [
            remote
            for remote in sorted(found, key=lambda remote: remote.id)
            if remote.meta["slug"] in slugs
            and "<!-- copydesk:" not in remote.content
            and copies.unedited(post, remote)
        ]

    def _by_id(self, remote_id: str) -> list[RemotePost]:
        try:
            return [self._rpc.call(GetPost(remote_id, _FIELDS, results_class=_remote))]
        except Refusal as refusal:
            if refusal.status == 404:
                return []
            raise self._refused(refusal) from refusal

    def _posts(self, query: dict[str, Any]) -> list[RemotePost]:
        try:
            found = self._rpc.call(GetPosts(query, _FIELDS, results_class=_remote))
        except Refusal as refusal:
            self._fields.people.enough()
            raise Misconfigured(
                f"the site does not list its posts: {refusal}",
                "see whether a security plugin blocks XML-RPC's wp.getPosts",
            ) from refusal
        return list(found)

    def _sweep(self, post: Post, others: Sequence[RemotePost]) -> list[str]:
        notes = []
        for stray in others:
            if stray.is_draft and copies.unedited(post, stray):
                try:
                    # Its text goes first: cut off here, it would count as trashed by the owner.
                    self._edit(stray, {"post_status": "trash", "post_content": _STRAY})
                    self._rpc.call(DeletePost(str(stray.id)))
                except (Refusal, DraftGone, Refused, Misconfigured):
                    notes.append(f"draft {stray.id} is a second copy: remove it by hand")
            elif stray.state is not CopyState.WITHDRAWN:
                notes.append(f"post {stray.id} is a second copy of it: decide which to keep")
        return notes


def _remote(struct: Mapping[str, Any]) -> RemotePost:
    """A post of an answer."""
    status = str(struct["post_status"])
    # XML-RPC calls what is scheduled published.
    if status == "publish" and str(struct["post_date_gmt"]) > _now():
        status = "future"
    return RemotePost(
        id=int(struct["post_id"]),
        status=status,
        link=str(struct.get("link") or ""),
        title=str(struct.get("post_title") or ""),
        content=str(struct.get("post_content") or ""),
        meta={"slug": str(struct.get("post_name")), "modified": struct.get("post_modified_gmt")},
    )


def _now() -> str:
    return datetime.now(UTC).strftime("%Y%m%dT%H:%M:%S")


def _plain(title: str) -> str:
    return " ".join(BeautifulSoup(title, "html.parser").get_text().split())
