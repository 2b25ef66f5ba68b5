"""What posts on WordPress have in common, by either protocol."""

from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import replace
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
        # The terms and pictures that this process wrote, by the id of the post, until it is shown.
        self._sent: dict[str, Mapping[str, Any]] = {}

    def stored(self, post: Post, remote_id: str) -> RemotePost | None:
        """Return the post with this id."""
        return next(iter(self._by_id(remote_id)), None)

    def is_unedited(self, post: Post, stored: RemotePost) -> bool:
        """Return whether title and text are still those that were sent."""
        return posts.unedited(with_notice(post, self._settings), stored)

    def complete(self, post: Post, draft: RemotePost) -> RemotePost:
        """Write a draft again if it lacks terms, its picture or meta."""
        fields = self._of(post, [])
        there = self._compared(fields, draft, [])
        no_meta = any(not draft.meta.get(key) for key in fields.get("meta", {}))
        return self.rewrite(post, draft) if there.lacks or no_meta else there

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
        self._sent[remote.remote_id] = posts.terms_of(sent)
        return replace(
            posts.compared_with(sent, remote),
            untouched=remote.state is CopyState.DRAFT,
            notes=(*remote.notes, *notes, *posts.changes(sent, remote)),
        )

    def _compared_terms(self, shown: RemotePost) -> RemotePost:
        """Return a post that was just shown with what it lacks of what this process wrote."""
        return posts.compared_with(self._sent.pop(shown.remote_id, {}), shown)

    def _as_rest(self, fields: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return the fields of a post under the names that REST has for them."""
        return fields

    @abstractmethod
    def _by_id(self, remote_id: str) -> list[RemotePost]:
        """Return the post with this id, if there is one."""

    @abstractmethod
    def _refused(self, refusal: Any) -> ConnectorError:
        """Return Refused if WordPress itself refused the post and the user may write posts.

        ``refusal`` is the protocol's own.
        """
