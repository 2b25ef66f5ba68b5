"""The picture of a post: a file of the owner's."""

import hashlib
from pathlib import Path

from copydesk_connectors.errors import Misconfigured
from copydesk_connectors.post import Post
from copydesk_connectors.toml_table import Table

SUFFIXES = frozenset({".jpg", ".jpeg", ".png", ".webp", ".gif", ".avif", ".svg"})


def from_table(table: Table) -> Path | None:
    """The file or folder that ``image`` names, None for "none"."""
    if table.text("image", "none") == "none":
        return None
    path = table.path("image")
    if path.suffix.lower() not in SUFFIXES and not path.is_dir():
        table.fail(
            "image",
            'must be "none", a picture or a folder of pictures '
            f"({', '.join(sorted(SUFFIXES))}); {path} is neither",
        )
    return path


def pick(path: Path, post: Post) -> Path:
    """The picture for a post: the one of its slug, else one that stays the same for the post.

    Raises:
        Misconfigured: there is none.
    """
    if not path.is_dir():
        found = [path] if path.is_file() else []
    else:
        found = sorted(file for file in path.iterdir() if file.suffix.lower() in SUFFIXES)
    if not found:
        raise Misconfigured(f"there is no picture at {path}", "put one there, or correct image")
    number = int.from_bytes(hashlib.sha256(post.id.encode()).digest()[:8])
    return next((file for file in found if file.stem == post.slug), found[number % len(found)])
