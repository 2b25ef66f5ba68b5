"""One Ghost site: draft first, then publish by id."""

from collections.abc import Sequence
from datetime import UTC, datetime
from functools import cached_property
from typing import Any, Self
from urllib.parse import quote

from copydesk_connectors.errors import (
    ConnectorError,
    DraftGone,
    Misconfigured,
    Refused,
    Unavailable,
)
from copydesk_connectors.internal_links import Page, closest, words
from copydesk_connectors.post import Post
from copydesk_connectors.publisher import Copy, CopyState, Finding
from copydesk_connectors.targets import owner_image
from copydesk_connectors.targets.ghost import copies
from copydesk_connectors.targets.ghost.api import AdminApi
from copydesk_connectors.targets.ghost.content import author_key, draft_fields
from copydesk_connectors.targets.ghost.copies import RemotePost
from copydesk_connectors.targets.ghost.inspection import inspect
from copydesk_connectors.targets.ghost.settings import Settings
from copydesk_connectors.targets.scheduled import due
from copydesk_connectors.targets.site_calls import Refusal, tried
from copydesk_connectors.toml_table import Table

# What Ghost answers to a post that it will never take: not valid, or too large.
_POSTS_OWN_FAULT = frozenset({400, 413, 422})
_NO_API = (
    "url must be the address under which Ghost's admin is opened, without /ghost, and nothing in "
    "front of Ghost may block /ghost/api/admin/"
)
_SEARCHED_WORDS = 3


class GhostSite:
    """Posts on a Ghost site.

    Nothing on a Ghost server is a unique key, so a post is known again by an internal tag. Of
    several copies the oldest is the one. The untouched drafts among the others are removed before
    it is shown, not after: so whichever instance comes second takes away what the first was about
    to show, and never are two of them left.
    """

    at_once = 8
    """Posts at a time; four give about twice the rate of one, more give little on top."""
    reconciles = True

    def __init__(self, name: str, settings: Settings) -> None:
        self._name = name
        self._settings = settings
        self._api = AdminApi(settings.url, settings.key)
        self._uploaded: dict[str, str] = {}

    @classmethod
    def from_table(cls, name: str, table: Table) -> Self:
        """Read the target's settings."""
        return cls(name, Settings.from_table(table))

    @property
    def name(self) -> str:
        """The target's name in the configuration and in the ledger."""
        return self._name

    def ready(self) -> None:
        """Return when the key is accepted and the author exists."""
        try:
            self._api.get("posts/", limit=1, fields="id")
        except Refusal as refusal:
            raise _blocked(refusal) from refusal
        if self._settings.author:
            self._need_author(self._settings.author)

    def check(self) -> Sequence[Finding]:
        """Whether the key works, and what of the site would change posts or lose them."""
        return inspect(self._name, self._settings, self._api, self.ready)

    def find(self, post: Post) -> Copy | None:
        """The site's copy by its internal tag."""
        chosen = copies.choose(self._look(copies.marked(post)))
        return None if chosen is None else chosen.as_copy()

    def draft(self, post: Post) -> Copy:
        """Make a draft, with a look before every try but the first."""
        return tried(lambda: self._make_draft(post), lambda: self.find(post))

    def publish(self, post: Post, remote_id: str) -> Copy:
        """Remove our other drafts and publish the one copy that counts."""
        return tried(lambda: self._publish_chosen(post, remote_id))

    def related(self, text: str) -> Sequence[Page]:
        """Published posts whose titles hold one of the longest words of the text."""
        longest = sorted(words(text), key=lambda word: (-len(word), word))[:_SEARCHED_WORDS]
        if not longest:
            return []
        titles = ",".join(f"title:~'{word}'" for word in longest)
        try:
            answer = self._api.get(
                "posts/",
                filter=f"status:published+({titles})",
                fields="id,uuid,slug,title,url",
                limit=50,
            )
        except Refusal as refusal:
            raise _blocked(refusal) from refusal
        return closest(text, [Page(str(p["title"]), str(p["url"])) for p in answer["posts"]])

    def _publish_chosen(self, post: Post, remote_id: str) -> Copy:
        # The id as well, for an owner may have removed the tag.
        found = self._look(f"{copies.marked(post)},id:'{remote_id}'")
        chosen = copies.choose(found)
        if chosen is None:
            raise DraftGone(f"post {remote_id} was deleted")
        notes = self._sweep(post, [remote for remote in found if remote.id != chosen.id])
        if chosen.state is CopyState.DRAFT and self._settings.status != "draft":
            chosen = self._show(post, chosen)
        return chosen.as_copy(*notes)

    def _show(self, post: Post, draft: RemotePost) -> RemotePost:
        fields = {"status": "published", "updated_at": draft.updated_at}
        moment = due(post.generated_at, self._settings.publish_after, datetime.now(UTC))
        if moment is not None:
            fields |= {"status": "scheduled", "published_at": _ghost_time(moment)}
        try:
            answer = self._api.put(f"posts/{draft.id}/", {"posts": [fields]})
        except Refusal as refusal:
            if refusal.status == 404:
                raise DraftGone(f"post {draft.id} was deleted") from refusal
            if refusal.status == 409:
                # Its owner, or another instance, was quicker: look what it is now.
                raise Unavailable(f"post {draft.id} was changed meanwhile", 0.0) from refusal
            raise _refused(refusal) from refusal
        return RemotePost.from_json(answer["posts"][0])

    def _sweep(self, post: Post, others: Sequence[RemotePost]) -> list[str]:
        notes = []
        for stray in others:
            if not copies.untouched(post, stray):
                notes.append(f"post {stray.id} is a second copy of it: decide which to keep")
                continue
            try:
                self._api.delete(f"posts/{stray.id}/")
            except Refusal as refusal:
                if refusal.status != 404:
                    notes.append(f"draft {stray.id} is a second copy: remove it by hand")
        return notes

    def _make_draft(self, post: Post) -> Copy:
        fields = draft_fields(
            post,
            self._settings,
            picture_url=self._picture_url(post),
            site=self._site if self._settings.json_ld else {},
        )
        query = {"source": "html"} if self._settings.format == "html" else {}
        try:
            answer = self._api.post("posts/", {"posts": [fields]}, **query)
        except Refusal as refusal:
            raise _refused(refusal) from refusal
        return RemotePost.from_json(answer["posts"][0]).as_copy()

    def _picture_url(self, post: Post) -> str:
        """The address of the post's picture on the site, "" for none.

        Each process sends each picture once; a crash in between leaves an unused file on the site.
        """
        if self._settings.image is None:
            return ""
        # The name of the site is asked for where it is drawn.
        site = self._site if self._settings.image.path is None else {}
        picture = owner_image.pick(self._settings.image, post, str(site.get("title") or ""))
        if picture is None:
            return ""
        if picture.digest not in self._uploaded:
            try:
                answer = self._api.upload(
                    "images/upload/", picture.name, picture.content, picture.media_type
                )
            except Refusal as refusal:
                raise Misconfigured(
                    f"the site does not take the picture {picture.name}: {refusal}",
                    "replace it by a smaller one, or one of another format",
                ) from refusal
            self._uploaded[picture.digest] = str(answer["images"][0]["url"])
        return self._uploaded[picture.digest]

    def _look(self, what: str) -> list[RemotePost]:
        try:
            answer = self._api.get("posts/", filter=what, fields=copies.FIELDS, limit=100)
        except Refusal as refusal:
            raise _blocked(refusal) from refusal
        return [RemotePost.from_json(entry) for entry in answer["posts"]]

    def _need_author(self, author: str) -> None:
        # Ghost gives a post whose author it does not know to its owner, without a word.
        try:
            self._api.get(f"users/{author_key(author)}/{quote(author, safe='@')}/", fields="id")
        except Refusal as refusal:
            if refusal.status not in {404, 422}:
                raise _blocked(refusal) from refusal
            raise Misconfigured(
                f'the site has no author "{author}"',
                "set author to the slug or the e-mail address of somebody in Settings > Staff",
            ) from refusal

    @cached_property
    def _site(self) -> dict[str, Any]:
        try:
            site: dict[str, Any] = self._api.get("site/")["site"]
        except Refusal as refusal:
            raise _blocked(refusal) from refusal
        return site


def _refused(refusal: Refusal) -> ConnectorError:
    if refusal.status in _POSTS_OWN_FAULT:
        return Refused(f"Ghost refused the post: {refusal}")
    return _blocked(refusal)


def _blocked(refusal: Refusal) -> Misconfigured:
    if refusal.status == 403:
        return Misconfigured(
            f"the site lets the key do nothing: {refusal}",
            "see in Ghost whether the integration is still there and the plan's limits are kept",
        )
    return Misconfigured(f"Ghost's Admin API does not answer there: {refusal}", _NO_API)


def _ghost_time(moment: datetime) -> str:
    return moment.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
