"""Exactly once on a site that has drafts: make a draft, then show it by its id."""

from abc import abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Generic, TypeVar

from copydesk_connectors.target import http_api
from copydesk_connectors.target.base import Copy, CopyState, Target
from copydesk_connectors.target.errors import DraftGone, Misconfigured, Refused, Unavailable
from copydesk_connectors.target.http_api import Refusal, retry
from copydesk_connectors.target.post import Post


@dataclass(frozen=True)
class SiteCopy(Copy):
    """A copy as ``DraftSite.copies`` returns it. Derive from it to keep more of a site's answer.

    ``untouched`` is a draft that nobody changed since it was made. Only such drafts are removed if
    there are several copies. ``lacks`` names what was sent and is missing in the site's answer.
    """

    untouched: bool = False
    lacks: tuple[str, ...] = ()

    def as_copy(self, *notes: str) -> Copy:
        """Return the part of it that the engine sees, with more notes."""
        return Copy(self.remote_id, self.state, self.url, (*self.notes, *notes), self.due)


C = TypeVar("C", bound=SiteCopy)

_WAITS_S = (1.0, 2.0)
# Pending and scheduled copies are decided like public ones.
_RANK = {CopyState.WITHDRAWN: 1, CopyState.DRAFT: 2}


class DraftSite(Target, Generic[C]):
    """A site that can list, make, show and remove drafts. An author writes these four methods.

    Such a site does not keep post ids unique, so a crash or a second connector may leave several
    copies. Before a draft is shown, every process chooses the same copy: one that is public,
    scheduled or pending, else a withdrawn one, else a draft; the oldest of its kind. Other
    untouched drafts are removed.
    """

    reconciles = True
    removes_first = True
    """Whether the other drafts are removed before the chosen one is shown.

    Set True if two processes may each see their own draft first: the second one then removes the
    draft that the first was about to show, and a crash in between leaves no two public posts.
    Set False if drafts become visible in the order of their ids.
    """

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self._whole: set[str] = set()
        """The drafts that an answer proved to be whole."""
        self._never_stored: set[str] = set()

    @abstractmethod
    def copies(self, post: Post, known_id: str = "") -> Sequence[C]:
        """Return every copy of this post on the site, whatever its state, oldest first.

        Args:
            known_id: the id of a draft that ``make`` returned, or "". Return that copy even if
                the owner removed what identifies it. Return an empty result only if the site's own
                software reports that draft as missing; else raise Unavailable or Misconfigured.
        """

    @abstractmethod
    def make(self, post: Post) -> C:
        """Create a draft of the post that ``copies`` will return."""

    @abstractmethod
    def show(self, post: Post, draft: C) -> C:
        """Show a draft to readers, or do what the owner configured instead.

        Raises:
            Unavailable: with ``retry_after`` 0.0, if the draft was changed or removed meanwhile. A
                Refusal with 404, 409 or 410 means the same.
        """

    @abstractmethod
    def remove(self, draft: C) -> None:
        """Delete a draft permanently. Returns, or raises a Refusal with 404, if it is gone."""

    def complete(self, post: Post, draft: C) -> C:
        """Write everything that a copy may lack again, and return it.

        Its state and address stay. Override it if the site stores a post in several steps.
        """
        del post
        return draft

    def find(self, post: Post) -> Copy | None:
        """Return the copy that counts, if there is one."""
        chosen = _chosen(self.copies(post))
        return None if chosen is None else chosen.as_copy()

    def draft(self, post: Post) -> Copy:
        """Make a draft. Look for copies before a retry."""

        def once() -> Copy:
            made = self.make(post)
            if not made.lacks:
                self._whole.add(made.remote_id)
            return made.as_copy()

        return retry(once, lambda: self.find(post))

    def publish(self, post: Post, remote_id: str) -> Copy:
        """Show the one copy that counts and remove our other drafts."""
        removed: set[str] = set()
        return retry(lambda: self._publish(post, remote_id, removed))

    def _publish(self, post: Post, remote_id: str, removed: set[str]) -> Copy:
        found = self.copies(post, remote_id)
        if not found and removed and self.removes_first:
            # Two processes removed each other's drafts: no owner deleted anything.
            found = self.copies(post, self.make(post).remote_id)
        chosen = _chosen(found)
        if chosen is None:
            raise DraftGone(f"the draft {remote_id} was deleted")
        others = [copy for copy in found if copy.remote_id != chosen.remote_id]
        notes: list[str] = []
        if self.removes_first:
            notes += self._sweep(others, removed)
        shown = self._shown_whole(post, chosen)
        if not self.removes_first:
            notes += self._sweep(others, removed)
        self._whole.discard(chosen.remote_id)
        if shown.lacks:
            notes.append(f"the site did not store {', '.join(shown.lacks)}")
        return shown.as_copy(*notes)

    def _shown_whole(self, post: Post, copy: C) -> C:
        """Show a draft, completed if it may lack something.

        A site stores a post before its terms and its picture, and some answer even if that failed.
        So a draft is completed unless an answer proved that it is whole.
        """
        if copy.state is CopyState.DRAFT and copy.untouched and copy.remote_id not in self._whole:
            copy = self._until_whole(post, copy)
            self._whole.add(copy.remote_id)
        if copy.state is not CopyState.DRAFT:
            return copy
        shown, notes = self._shown(post, copy), copy.notes
        if shown.lacks:
            notes += shown.notes
            shown = self._until_whole(post, shown)
        return replace(shown, notes=tuple(dict.fromkeys(notes + shown.notes)))

    def _until_whole(self, post: Post, copy: C) -> C:
        """Write a post until it lacks nothing, up to three times with waits.

        A database may store nothing for a moment. What a plugin removes from each post is not
        waited for again.
        """
        copy = self.complete(post, copy)
        for wait_s in _WAITS_S:
            if self._never_stored.issuperset(copy.lacks):
                break
            http_api.sleep(wait_s)
            copy = self.complete(post, copy)
        self._never_stored = set(copy.lacks)
        return copy

    def _shown(self, post: Post, draft: C) -> C:
        try:
            return self.show(post, draft)
        except Refusal as error:
            if not error.own or error.status not in {404, 409, 410}:
                raise
            raise Unavailable(str(error), 0.0) from None

    def _sweep(self, others: Iterable[C], removed: set[str]) -> list[str]:
        notes = []
        for copy in others:
            if copy.untouched:
                removed.add(copy.remote_id)
                try:
                    self.remove(copy)
                except (Refusal, Refused, Misconfigured) as error:
                    if isinstance(error, Refusal) and error.own and error.status == 404:
                        continue
                    notes.append(f"draft {copy.remote_id} is a second copy: remove it by hand")
            elif copy.state is not CopyState.WITHDRAWN:
                notes.append(f"post {copy.remote_id} is a second copy of it: decide which to keep")
        return notes


def _chosen(copies: Sequence[C]) -> C | None:
    return min(copies, key=lambda copy: _RANK.get(copy.state, 0), default=None)
