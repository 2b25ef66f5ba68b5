"""What posts on WordPress have in common, by either protocol."""

from abc import abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

from copydesk_connectors.target.additions import with_notice
from copydesk_connectors.target.base import CopyState, Finding, Level
from copydesk_connectors.target.draft_site import DraftSite
from copydesk_connectors.target.errors import ConnectorError, Misconfigured, Refused, Unavailable
from copydesk_connectors.target.http_api import Refusal
from copydesk_connectors.target.internal_links import Page, closest, longest_words
from copydesk_connectors.target.post import Post
from copydesk_connectors.targets import pictures
from copydesk_connectors.targets.scheduled import due
from copydesk_connectors.targets.wordpress import posts
from copydesk_connectors.targets.wordpress.fields import Fields
from copydesk_connectors.targets.wordpress.posts import RemotePost
from copydesk_connectors.targets.wordpress.settings import Settings

# WordPress stores seconds.
_EXACT = timedelta(minutes=1)


class WordPressDrafts(DraftSite[RemotePost]):
    """Drafts on a WordPress site, compared with what was sent.

    WordPress stores a post first, and its terms, picture and meta after that.
    """

    removes_first = False
    schedules = True

    def __init__(self, name: str, settings: Settings, fields: Fields) -> None:
        super().__init__(name)
        self._settings = settings
        self._fields = fields
        # What this process wrote and the changes that it noted, by the id, until a post is shown.
        self._sent: dict[str, tuple[Mapping[str, Any], list[str]]] = {}

    def ready(self) -> None:
        """Return if the user may publish posts as they are configured."""
        self._fields.forget()
        self._fields.need_rights()

    def inspect(self) -> Sequence[Finding]:
        """Return what the user may do, and what would be left out."""
        user = self._fields.need_rights()
        found = [*pictures.check(self._settings, self.name), *self._warnings()]
        fine = f"{user.described} may put posts up with status {self._settings.status}"
        return [*found, Finding(Level.OK, self.name, fine)]

    def related(self, text: str) -> Sequence[Page]:
        """Return published posts that the site's own search finds, by the longest words."""
        return closest(
            text, [page for word in longest_words(text) for page in self._pages_about(word)]
        )

    def copies(self, post: Post, known_id: str = "") -> Sequence[RemotePost]:
        """Return the copies, whatever their state, with the drafts marked that nobody edited."""
        post = with_notice(post, self._settings)
        ours = self._copies(post, known_id)
        if known_id and not ours:
            self._need_readable_posts(post)
        return posts.compared(post, ours)

    def make(self, post: Post) -> RemotePost:
        """Create a draft with its terms, picture, author and meta."""
        notes: list[str] = []
        fields = self._of(post, notes)
        try:
            remote = self._new(post, fields, notes)
        except Refusal as refusal:
            raise self._error_of(refusal) from refusal
        return self._compared(fields, remote, notes)

    def show(self, post: Post, draft: RemotePost) -> RemotePost:
        """Publish, schedule or submit the draft as ``status`` says."""
        if self._settings.status == "draft":
            return draft
        moment = due(post, self._settings.publish_after)
        shown = self._changed(draft, self._shown_fields(post, draft, moment))
        return self._compared_shown(shown, moment)

    def complete(self, post: Post, draft: RemotePost) -> RemotePost:
        """Write everything but the slug, the status and the date again, if something is missing.

        That is a term, the picture or a field of meta, in a post that its owner did not edit.
        """
        notes: list[str] = []
        fields = self._of(post, notes)
        there = self._compared(fields, draft, [])
        no_meta = any(not draft.meta.get(key) for key in fields.get("meta", {}))
        if not (there.lacks or no_meta) or not posts.unedited(
            with_notice(post, self._settings), draft
        ):
            return there
        again = {key: value for key, value in fields.items() if key != "slug"}
        return self._compared(fields, self._changed(draft, again), notes)

    def _warnings(self) -> Sequence[Finding]:
        """Return what would be left out of posts."""
        return ()

    def _of(self, post: Post, notes: list[str]) -> dict[str, Any]:
        """Return the fields of a post, with the owner's notices."""
        try:
            return self._fields.of(with_notice(post, self._settings), notes)
        except Refusal as refusal:
            raise self._error_of(refusal) from refusal

    def _compared(
        self, fields: Mapping[str, Any], remote: RemotePost, notes: list[str]
    ) -> RemotePost:
        """Return a post with what it lacks, and with notes on what the site changed."""
        changes = posts.changes(fields, remote)
        self._sent[remote.remote_id] = fields, changes
        return replace(
            posts.compared_with(fields, remote),
            untouched=remote.state is CopyState.DRAFT,
            notes=(*remote.notes, *notes, *changes),
        )

    def _compared_shown(self, shown: RemotePost, due: datetime | None) -> RemotePost:
        """Return a post that was just shown, compared with what this process wrote.

        ``due`` is when it is to appear, None for at once.
        """
        notes = list(shown.notes)
        appears = shown.state in {CopyState.PUBLIC, CopyState.SCHEDULED}
        if due and appears and (shown.due is None or abs(shown.due - due) > _EXACT):
            notes.append(f"the site changed the date, which was {due:%Y-%m-%d %H:%M} UTC")
        if shown.remote_id in self._sent:
            sent, noted = self._sent.pop(shown.remote_id)
            notes += [change for change in posts.changes(sent, shown) if change not in noted]
            shown = posts.compared_with(sent, shown)
        return replace(shown, notes=tuple(notes))

    def _shown_fields(
        self, post: Post, draft: RemotePost, moment: datetime | None
    ) -> dict[str, Any]:
        """Return the fields that show a draft as ``status`` says, at a moment or at once."""
        del post, draft
        if moment is not None:
            return {"status": "future", "date_gmt": moment.strftime("%Y-%m-%dT%H:%M:%S")}
        return {"status": "pending" if self._settings.status == "pending" else "publish"}

    def _need_readable_posts(self, post: Post) -> None:
        """Return if the site shows a post or takes one.

        A site whose database cannot read posts answers as if it had none.
        """
        if self._newest():
            return
        title = "Copydesk looks whether the site keeps posts; delete this"
        try:
            probe = self._new(post, {"title": title}, [])
        except Refusal as refusal:
            raise Unavailable(f"the site shows no posts and takes none: {refusal}") from refusal
        try:
            self.remove(probe)
        except (Refusal, Refused) as refusal:
            raise Misconfigured(
                f"the site takes posts, but deletes none: {refusal}",
                f"delete draft {probe.remote_id} there, and see whether a security plugin or a "
                "firewall blocks deleting",
            ) from refusal

    @abstractmethod
    def _pages_about(self, word: str) -> Iterable[Page]:
        """Return published posts that the site's search finds."""

    @abstractmethod
    def _new(self, post: Post, fields: Mapping[str, Any], notes: list[str]) -> RemotePost:
        """Create a draft with these fields and return it."""

    @abstractmethod
    def _changed(self, remote: RemotePost, fields: Mapping[str, Any]) -> RemotePost:
        """Change fields of a post and return it."""

    @abstractmethod
    def _copies(self, post: Post, known_id: str) -> Sequence[RemotePost]:
        """Return the copies of a post, which has the owner's notices, as ``copies`` does."""

    @abstractmethod
    def _newest(self) -> Sequence[RemotePost]:
        """Return some posts of the site, in any state; none if it has none."""

    @abstractmethod
    def _error_of(self, refusal: Any) -> ConnectorError:
        """Return Refused if WordPress itself refused the post and the user may write posts.

        ``refusal`` is the protocol's own.
        """
