"""A folder of Markdown files with front matter, for Hugo, Jekyll and their like."""

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Self

import frontmatter
import yaml

from copydesk_connectors.post import Post
from copydesk_connectors.publisher import Copy, CopyState, Finding
from copydesk_connectors.targets.folder import Folder
from copydesk_connectors.toml_table import Table

_FILE_NAMES = ("slug", "date-slug")
# Hugo takes a folder with an index.md for a single page.
_RESERVED = ("index.md", "_index.md")
_DATE_PREFIX = re.compile(r"^\d{4}-\d{2}-\d{2}-")
_DELIMITER = re.compile(r"^(?:-{3,}|\+{3,})\s*$", re.MULTILINE)
_ID_LINE = re.compile(r"""^copydesk_id\s*[:=]\s*["']?(.+?)["']?\s*$""", re.MULTILINE)


class MarkdownFolder:
    """One file a post: ``slug.md``, or ``YYYY-MM-DD-slug.md`` as Jekyll wants it."""

    def __init__(
        self, name: str, path: Path, *, file_name: str, base_url: str, tags: Sequence[str]
    ) -> None:
        self._name = name
        self._dated = file_name == "date-slug"
        self._base_url = base_url.rstrip("/")
        self._tags = tuple(tags)
        # The owner may move files into subfolders, and each stays the same post.
        self._folder = Folder(path, ".md", _read_id, reserved=_RESERVED, deep=True)

    @classmethod
    def from_table(cls, name: str, table: Table) -> Self:
        """Read the target's settings."""
        return cls(
            name,
            table.path("path"),
            file_name=table.choice("file_name", _FILE_NAMES, "slug"),
            base_url=table.url("base_url", ""),
            tags=table.texts("tags"),
        )

    @property
    def name(self) -> str:
        """The target's name in the configuration and in the ledger."""
        return self._name

    def ready(self) -> None:
        """Return when files can be written."""
        self._folder.ready()

    def check(self) -> Sequence[Finding]:
        """Whether files can be written."""
        return [self._folder.check(self._name)]

    def find(self, post: Post) -> Copy | None:
        """The post's file, under whatever name."""
        path = self._folder.find(post)
        return None if path is None else self._copy(path)

    def draft(self, post: Post) -> Copy:
        """Nothing to do: a file has no draft, it appears whole when it is published."""
        return Copy("", CopyState.DRAFT)

    def publish(self, post: Post, remote_id: str) -> Copy:
        """Put the file into the folder unless it is there."""
        prefix = f"{post.generated_at:%Y-%m-%d}-" if self._dated else ""
        return self._copy(
            self._folder.place(
                post, lambda slug: f"{prefix}{slug}", lambda slug: self._render(post, slug)
            )
        )

    def _copy(self, path: Path) -> Copy:
        relative = path.relative_to(self._folder.path)
        url = path.absolute().as_uri()
        if self._base_url:
            page = relative.with_name(_DATE_PREFIX.sub("", relative.stem)).as_posix()
            url = f"{self._base_url}/{page}/"
        return Copy(relative.as_posix(), CopyState.PUBLIC, url)

    def _render(self, post: Post, slug: str) -> str:
        fields = {
            "title": post.title,
            "date": post.generated_at.replace(microsecond=0),
            "description": post.description,
            "slug": slug,
            "tags": list(dict.fromkeys([*self._tags, *post.keywords])),
            "keywords": list(post.keywords),
            "copydesk_id": post.id,
        }
        page = frontmatter.Post(post.markdown)
        page.metadata.update(fields)
        return frontmatter.dumps(page, sort_keys=False, width=10_000) + "\n"


def _read_id(text: str) -> str | None:
    if "copydesk_id" not in text:
        return None
    try:
        fields, _ = frontmatter.parse(text)
    except (yaml.YAMLError, ValueError):
        fields = {}
    if "copydesk_id" in fields:
        return str(fields["copydesk_id"])
    # Front matter that its owner turned into TOML, or is in the middle of editing, is still ours.
    parts = _DELIMITER.split(text, maxsplit=2)
    line = _ID_LINE.search(parts[1]) if len(parts) == 3 and not parts[0].strip() else None
    return line[1] if line else None
