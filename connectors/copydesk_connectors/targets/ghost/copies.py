"""Which of the posts on the site are ours, and which of them is the one.

The key of a post is an internal tag, ``#copydesk-`` and the item's id in hexadecimal: Ghost shows
such tags to nobody but staff, and finds posts by them whatever else was changed. A draft that never
had a date is one that nobody published. Ghost keeps the date of a post that was public or
scheduled once, so a draft with a date is a post that its owner took back: it is never shown again.
"""

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Self

from copydesk_connectors.post import Post
from copydesk_connectors.publisher import Copy, CopyState

# Without uuid and slug Ghost makes wrong addresses.
FIELDS = "id,uuid,slug,url,status,title,created_at,updated_at,published_at"
# Ghost cuts the slug of a tag, by which posts are found, at 185 characters.
_LONGEST_ID_BYTES = 80
# How far the slug of a tag can have been numbered by Ghost because others had it.
_NUMBERED = 4


@dataclass(frozen=True)
class RemotePost:
    """A post as the site has it; times in Ghost's own writing, "" where there is none."""

    id: str
    status: str
    url: str
    title: str
    created_at: str
    updated_at: str
    published_at: str

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Self:
        """Read one post of an answer."""
        return cls(**{name: str(data.get(name) or "") for name in cls.__dataclass_fields__})

    @property
    def state(self) -> CopyState:
        """The status in the words of every site; what is scheduled is decided, and done."""
        if self.status != "draft":
            return CopyState.PUBLIC
        return CopyState.WITHDRAWN if self.published_at else CopyState.DRAFT

    def as_copy(self, *notes: str) -> Copy:
        """The port's view of it."""
        if self.state is CopyState.WITHDRAWN:
            taken_back = f"post {self.id} was public or scheduled once and is a draft again"
            notes = (f"{taken_back}: that is left as it is", *notes)
        return Copy(self.id, self.state, self.url if self.status == "published" else "", notes)


def marker(post: Post) -> str:
    """The name of the internal tag by which the post is known again."""
    return f"#{_key(post)}"


def marked(post: Post) -> str:
    """What finds the posts with the marker, in Ghost's language for filters (NQL).

    Tags of one name that are made at the same moment get slugs with numbers.
    """
    slug = f"hash-{_key(post)}"
    return f"tag:[{','.join([slug, *(f'{slug}-{n}' for n in range(2, _NUMBERED + 1))])}]"


def _key(post: Post) -> str:
    item_id = post.id.encode()
    if len(item_id) > _LONGEST_ID_BYTES:
        return f"copydesk-sha256-{hashlib.sha256(item_id).hexdigest()}"
    return f"copydesk-{item_id.hex()}"


def choose(copies: Iterable[RemotePost]) -> RemotePost | None:
    """The one that counts: what readers see, else what the owner took back, else a draft.

    The oldest of its kind, so that two instances choose the same.
    """
    order = {CopyState.PUBLIC: 0, CopyState.WITHDRAWN: 1, CopyState.DRAFT: 2}
    return min(
        copies,
        key=lambda remote: (order[remote.state], remote.created_at, remote.id),
        default=None,
    )


def untouched(post: Post, remote: RemotePost) -> bool:
    """Whether it is a draft as we left it. A duplicate that the owner made has another title."""
    return (
        remote.state is CopyState.DRAFT
        and remote.updated_at == remote.created_at
        and remote.title == post.title
    )
