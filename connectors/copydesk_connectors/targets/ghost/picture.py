"""The pictures of the owner's that posts are shown with."""

import hashlib
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from copydesk_connectors.post import Post

_MEDIA_TYPES = {
    ".gif": "image/gif",
    ".jpeg": "image/jpeg",
    ".jpg": "image/jpeg",
    ".png": "image/png",
    ".webp": "image/webp",
}


@dataclass(frozen=True)
class Picture:
    """One picture, as it is sent to a site. ``name`` is a file name without a folder."""

    name: str
    media_type: str
    content: bytes


@dataclass(frozen=True)
class Pictures:
    """One file for all posts, or a folder from which each post gets one, always the same."""

    path: Path

    @classmethod
    def at(cls, path: Path) -> Self:
        """The picture or pictures at a path.

        Raises:
            ValueError: there are none; the message says what is wrong.
        """
        pictures = cls(path)
        if not pictures._files():
            known = ", ".join(sorted(_MEDIA_TYPES))
            raise ValueError(f"there is no picture at {path} (known are {known})")
        return pictures

    def of(self, post: Post) -> Picture | None:
        """The picture of a post; None where there is none any more.

        Raises:
            OSError: it cannot be read.
        """
        files = self._files()
        if not files:
            return None
        number = int.from_bytes(hashlib.sha256(post.id.encode()).digest()[:8])
        file = files[number % len(files)]
        return Picture(file.name, _MEDIA_TYPES[file.suffix.lower()], file.read_bytes())

    def _files(self) -> list[Path]:
        files = sorted(self.path.iterdir()) if self.path.is_dir() else [self.path]
        return [file for file in files if file.suffix.lower() in _MEDIA_TYPES and file.is_file()]
