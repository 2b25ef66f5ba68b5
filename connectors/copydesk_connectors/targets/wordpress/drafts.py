"""What posts on WordPress have in common, by either protocol."""

from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

from copydesk_connectors.target.base import CopyState
from copydesk_connectors.target.draft_site import DraftSite
from copydesk_connectors.target.errors import ConnectorError
from copydesk_connectors.target.http_api import Refusal
from copydesk_connectors.target.notice import with_notice
from copydesk_connectors.target.post import Post
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
        return self._compared(fields, self._rewritten(draft, fields), notes)

    def _of(self, post: Post, notes: list[str]) -> dict[str, Any]:
        """Return the fields of a post, with the owner's notices."""
        try:
            return self._fields.of(with_notice(post, self._settings), notes)
        except Refusal as refusal:
            raise self._refused(refusal) from refusal

    def _compared(
        self, fields: Mapping[str, Any], remote: RemotePost, notes: list[str]
    ) -> RemotePost:
        """Return a post with what it lacks, and with notes on what the site changed."""
        sent = self._as_rest(fields)
        changes = posts.changes(sent, remote)
        self._sent[remote.remote_id] = sent, changes
        return replace(
            posts.compared_with(sent, remote),
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

    def _as_rest(self, fields: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return the fields of a post under the names that REST has for them."""
        return fields

    @abstractmethod
    def _rewritten(self, remote: RemotePost, fields: Mapping[str, Any]) -> RemotePost:
        """Write the fields of a post again, but not its slug, and return it."""

    @abstractmethod
    def _refused(self, refusal: Any) -> ConnectorError:
        """Return Refused if WordPress itself refused the post and the user may write posts.

        ``refusal`` is the protocol's own.
        """
