"""One WordPress site by REST: draft first, then publish by id."""

from collections.abc import Mapping, Sequence
from typing import Any

from copydesk_connectors.errors import ConnectorError, DraftGone, Misconfigured, Refused
from copydesk_connectors.internal_links import Page, closest, words
from copydesk_connectors.post import Post
from copydesk_connectors.publisher import Copy, CopyState, Finding
from copydesk_connectors.targets.site_calls import tried
from copydesk_connectors.targets.wordpress import copies
from copydesk_connectors.targets.wordpress.companion import Companion
from copydesk_connectors.targets.wordpress.content import JSON_LD_META, MARKER, marker, with_json_ld
from copydesk_connectors.targets.wordpress.copies import RemotePost
from copydesk_connectors.targets.wordpress.fields import Fields
from copydesk_connectors.targets.wordpress.inspection import inspect
from copydesk_connectors.targets.wordpress.meta import is_about_meta, lost
from copydesk_connectors.targets.wordpress.rest import Refusal, Rest
from copydesk_connectors.targets.wordpress.settings import Settings

# WordPress finds what has every word that it is given: so one is given at a time.
_SEARCHES = 3
_NO_POSTS = "let the REST API's posts route through"


class WordPressSite:
    """Posts on a WordPress site.

    Nothing on a WordPress server is a unique key, so a post is known again by a marker in its
    content and by its slug; of several copies the lowest id is the one, and the drafts among the
    others are removed.
    """

    at_once = 4
    """Posts at a time: as many as small hosts let PHP answer."""
    reconciles = True

    def __init__(self, name: str, settings: Settings) -> None:
        self._name = name
        self._settings = settings
        self._rest = Rest(settings.url, settings.username, settings.password)
        self._fields = Fields(self._rest, settings)
        self._companion = Companion(self._rest, self._fields)
        self._asked, self._written = copies.FIELDS, copies.FIELDS_WRITTEN
        if settings.seo == "auto" or settings.json_ld:
            self._asked += ",meta"
            self._written += ",meta"
        if settings.json_ld:
            self._asked += ",_links"

    @property
    def name(self) -> str:
        """The target's name in the configuration and in the ledger."""
        return self._name

    def ready(self) -> None:
        """Return when the user may put posts there as they are configured."""
        self._companion.forget()
        self._fields.forget()
        self._fields.rights.enough()

    def check(self) -> Sequence[Finding]:
        """Whether the site answers, the user may do what is configured, and the names exist."""
        found = inspect(self._name, self._settings, self._rest, self._fields)
        return self._companion.recommended(found)

    def put(self, post: Post) -> Copy | None:
        """Find or make the post and show it, in one request, where the companion is there."""
        notes: list[str] = []
        try:
            remote = self._companion.put(post, notes)
        except Refusal as refusal:
            raise self._refused(refusal) from refusal
        return None if remote is None else remote.as_copy(*notes)

    def find(self, post: Post) -> Copy | None:
        """The site's copy by its marker, whatever its slug and whoever's it is now.

        What a site's search does not show is found by its slug before anything is published.
        """
        chosen = copies.choose(self._by_marker(post))
        return None if chosen is None else chosen.as_copy()

    def related(self, text: str) -> Sequence[Page]:
        """Published posts that the site's own search finds, by the longest words of the text."""
        found = []
        for word in sorted(words(text), key=lambda word: (-len(word), word))[:_SEARCHES]:
            try:
                found += self._rest.get(
                    "posts", search=word, status="publish", per_page=20, _fields="title,link"
                )
            except Refusal as refusal:
                raise Misconfigured(
                    f"the site cannot be searched: {refusal}", _NO_POSTS
                ) from refusal
        return closest(text, map(copies.as_page, found))

    def draft(self, post: Post) -> Copy:
        """Make a draft, with a look before every try but the first."""
        return tried(lambda: self._make_draft(post), lambda: self.find(post))

    def publish(self, post: Post, remote_id: str) -> Copy:
        """Show the one copy that counts, as ``status`` says, and remove our other drafts."""
        return tried(lambda: self._publish_chosen(post, remote_id))

    def _publish_chosen(self, post: Post, remote_id: str) -> Copy:
        found = self._copies(post, remote_id)
        chosen = copies.choose(found)
        if chosen is None:
            raise DraftGone(f"post {remote_id} was deleted")
        notes: list[str] = []
        if chosen.is_draft:
            chosen = self._show(post, chosen, notes)
        notes += self._sweep(post, [remote for remote in found if remote.id != chosen.id])
        return chosen.as_copy(*notes)

    def _show(self, post: Post, draft: RemotePost, notes: list[str]) -> RemotePost:
        fields = self._fields.shown(post) | self._with_script(post, draft, notes)
        if not fields:
            return draft
        try:
            return self._write(f"posts/{draft.id}", fields)
        except Refusal as refusal:
            if refusal.status == 404:
                raise DraftGone(f"post {draft.id} was deleted") from refusal
            raise self._refused(refusal) from refusal

    def _with_script(self, post: Post, draft: RemotePost, notes: list[str]) -> dict[str, str]:
        # Only of a draft is it known whether a script is kept: else its text would be in the post.
        there = draft.meta.get(JSON_LD_META) or "application/ld+json" in draft.content
        if not self._settings.json_ld or there or not copies.unedited(post, draft):
            return {}
        if not draft.keeps_scripts:
            notes.append("goes without its JSON-LD: the user may not keep scripts in posts")
            return {}
        return {"content": with_json_ld(draft.content, post)}

    def _make_draft(self, post: Post) -> Copy:
        notes: list[str] = []
        try:
            fields = {"status": "draft", **self._fields.of(post, notes)}
            remote = self._write_new(post, fields, notes)
        except Refusal as refusal:
            raise self._refused(refusal) from refusal
        return remote.as_copy(*notes)

    def _write_new(self, post: Post, fields: dict[str, Any], notes: list[str]) -> RemotePost:
        meta = fields.get("meta", {})
        try:
            remote = self._write("posts", fields)
        except Refusal as refusal:
            if not meta or not is_about_meta(refusal):
                raise
            notes.append(f"goes without SEO fields: {refusal}")
            made = self._by_slug(post)  # WordPress stores a post before it looks at its meta
            return made[0] if made else self._write("posts", {**fields, "meta": {}})
        if gone := lost(meta, remote.meta):
            notes.append(f"the site did not keep {', '.join(gone)}")
        return remote

    def _refused(self, refusal: Refusal) -> ConnectorError:
        """The error for a refusal: the post's fault only where the user may write posts at all."""
        self._fields.rights.enough()
        if refusal.status == 404:
            return Misconfigured(str(refusal), _NO_POSTS)
        return Refused(f"WordPress refused the post: {refusal}")

    def _write(self, path: str, fields: Mapping[str, Any]) -> RemotePost:
        return RemotePost.from_json(self._rest.post(path, {**fields, "_fields": self._written}))

    def _copies(self, post: Post, known_id: str) -> list[RemotePost]:
        """Every copy, as it is stored; where the one we know is the only one, its texts are left
        out unless they are needed.

        A search that does not show the one we know is no longer WordPress's own, which reads all
        texts: the slug may then show what it hides.
        """
        query = {"context": "view", "_fields": copies.FIELDS_WRITTEN}
        shown = self._list(**copies.search(post), **query)
        ids = [str(remote.id) for remote in shown]
        if ids == [known_id] and not self._settings.json_ld:
            return shown
        found = [copy for remote_id in ids for copy in self._by_id(remote_id)]
        if known_id not in ids:
            found += [*self._by_slug(post, known_id), *self._by_id(known_id)]
        return copies.ours(post, found, known_id)

    def _by_slug(self, post: Post, known_id: str = "") -> list[RemotePost]:
        found = self._list(slug=copies.slugs(post), context="edit", _fields=self._asked)
        return copies.ours(post, found, known_id)

    def _by_marker(self, post: Post) -> list[RemotePost]:
        """As readers see them, for among those that the user may edit there is no longer what an
        editor published for a contributor, or gave to another author."""
        query = {"context": "view", "_fields": copies.FIELDS_VIEWED}
        found = self._list(**copies.search(post), **query)
        marked = [remote for remote in found if marker(post) in remote.content]
        # Those behind a password, or a plugin that takes comments out, show it to who edits them.
        for remote in found:
            if MARKER not in remote.content:
                marked += copies.ours(post, self._by_id(str(remote.id)))
        return copies.ours(post, marked)

    def _by_id(self, remote_id: str) -> list[RemotePost]:
        for context, fields in (("edit", self._asked), ("view", copies.FIELDS_VIEWED)):
            try:
                answer = self._rest.get(f"posts/{remote_id}", context=context, _fields=fields)
                return [RemotePost.from_json(answer)]
            except Refusal as refusal:
                if refusal.status == 404:
                    return []
                if refusal.status != 403:
                    raise self._refused(refusal) from refusal
        # It is there and is nobody's to see: its owner has decided about it.
        return [RemotePost(int(remote_id), "private", "", "", "")]

    def _list(self, **query: str) -> list[RemotePost]:
        try:
            answer = self._rest.get(
                "posts",
                per_page=100,
                orderby="id",
                order="asc",
                status="any,trash",
                **query,
            )
        except Refusal as refusal:
            self._fields.rights.enough()
            raise Misconfigured(
                f"the site does not list its posts: {refusal}", _NO_POSTS
            ) from refusal
        return [RemotePost.from_json(entry) for entry in answer]

    def _sweep(self, post: Post, others: Sequence[RemotePost]) -> list[str]:
        notes = []
        for stray in others:
            if stray.is_draft and copies.unedited(post, stray):
                try:
                    self._rest.delete(f"posts/{stray.id}", force="true")
                except Refusal:
                    notes.append(f"draft {stray.id} is a second copy: remove it by hand")
            elif stray.state is not CopyState.WITHDRAWN:
                notes.append(f"post {stray.id} is a second copy of it: decide which to keep")
        return notes
