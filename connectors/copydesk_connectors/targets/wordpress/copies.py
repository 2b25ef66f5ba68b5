"""Which of the posts on the site are ours, and which of them is the one."""

import html
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any, Self

from bs4 import BeautifulSoup

from copydesk_connectors.internal_links import Page
from copydesk_connectors.post import Post
from copydesk_connectors.publisher import Copy, CopyState
from copydesk_connectors.targets.wordpress.content import marker, search_term

# What is asked of posts that the user may edit: without the rendered text, which takes WordPress
# longer than all the rest of an answer.
FIELDS = "id,status,slug,link,title.raw,content.raw"
# The same as readers get it.
FIELDS_VIEWED = "id,status,slug,link,title,content"
# What is asked of a post that was just written.
FIELDS_WRITTEN = "id,status,link"
# How far a slug can have been numbered by WordPress because others had it.
_NUMBERED = 9
_TRASH_SUFFIX = "__trashed"
_DRAFTS = frozenset({"draft", "auto-draft"})
# How far the clock of a site and that of the feed may be apart.
_CLOCKS = timedelta(days=2)


@dataclass(frozen=True)
class RemotePost:
    """A post as the site has it, with its content as it is stored, or as readers get it where our
    user may not edit it.

    ``meta`` and ``keeps_scripts`` (whether our user may keep scripts in it) are what an answer
    said of them, if it was asked.
    """

    id: int
    status: str
    link: str
    title: str
    content: str
    meta: Mapping[str, Any] = field(default_factory=dict)
    keeps_scripts: bool = False

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Self:
        """Read one post of an answer."""
        title, content = data.get("title") or {}, data.get("content") or {}
        meta, links = data.get("meta"), data.get("_links")
        return cls(
            id=int(data["id"]),
            status=str(data["status"]),
            link=str(data.get("link") or ""),
            title=str(title.get("raw") or title.get("rendered") or ""),
            content=str(content.get("raw") or content.get("rendered") or ""),
            # PHP writes an object without members as a list.
            meta=meta if isinstance(meta, Mapping) else {},
            keeps_scripts=isinstance(links, Mapping) and "wp:action-unfiltered-html" in links,
        )

    @property
    def is_draft(self) -> bool:
        """Whether readers have not seen it and its owner has not decided about it."""
        return self.status in _DRAFTS

    @property
    def state(self) -> CopyState:
        """The status in the words of every site.

        What is private, pending or scheduled is decided, by its owner or by us, and done.
        """
        if self.status == "trash":
            return CopyState.WITHDRAWN
        return CopyState.DRAFT if self.is_draft else CopyState.PUBLIC

    def as_copy(self, *notes: str) -> Copy:
        """The port's view of it."""
        return Copy(str(self.id), self.state, self.link if self.status == "publish" else "", notes)


def as_page(data: Mapping[str, Any]) -> Page:
    """A published post of an answer, as readers know it."""
    title = BeautifulSoup(str((data.get("title") or {}).get("rendered") or ""), "html.parser")
    return Page(" ".join(title.get_text().split()), str(data.get("link") or ""))


def slugs(post: Post) -> str:
    """Every slug that WordPress may have given the post, for one look-up."""
    numbered = [post.slug, *(f"{post.slug}-{n}" for n in range(2, _NUMBERED + 1))]
    return ",".join([*numbered, *(f"{slug}{_TRASH_SUFFIX}" for slug in numbered)])


def search(post: Post) -> dict[str, str]:
    """A query for the marker, among all posts that could have it.

    A copy was stored after its item was generated, and WordPress looks at dates before it reads
    texts, which takes it a tenth of a second for a thousand posts. Before 5.7 it ignores the date.
    """
    since = (post.generated_at - _CLOCKS).strftime("%Y-%m-%dT%H:%M:%SZ")
    return {"search": search_term(post), "modified_after": since}


def ours(post: Post, found: Iterable[RemotePost], known_id: str = "") -> list[RemotePost]:
    """The posts that carry our marker or the id we noted, each once, by id."""
    by_id = {
        remote.id: remote
        for remote in found
        if marker(post) in remote.content or str(remote.id) == known_id
    }
    return [by_id[remote_id] for remote_id in sorted(by_id)]


def choose(copies: Sequence[RemotePost]) -> RemotePost | None:
    """The one that counts: what readers see, else what the owner trashed, else a draft.

    The lowest id of its kind, so that two instances choose the same.
    """
    order = {CopyState.PUBLIC: 0, CopyState.WITHDRAWN: 1, CopyState.DRAFT: 2}
    return min(copies, key=lambda remote: (order[remote.state], remote.id), default=None)


def unedited(post: Post, remote: RemotePost) -> bool:
    """Whether the text is still the one that we sent; markup is the site's to change."""
    same_title = html.unescape(remote.title).split() == post.title.split()
    return same_title and _words(remote.content) == _words(post.html)


def _words(markup: str) -> list[str]:
    text = BeautifulSoup(re.sub(r"<!--.*?-->", "", markup, flags=re.DOTALL), "html.parser")
    return text.get_text(" ").split()
