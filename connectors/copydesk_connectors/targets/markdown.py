"""A folder of Markdown files with front matter, as static site generators read them."""

import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self
from urllib.parse import quote

import frontmatter
import yaml
from slugify import slugify

from copydesk_connectors.internal_links import Page as Linked
from copydesk_connectors.internal_links import closest
from copydesk_connectors.json_ld import blog_posting
from copydesk_connectors.post import Post
from copydesk_connectors.publisher import Copy, CopyState, Finding, Level
from copydesk_connectors.targets.folder import Folder, os_errors, read_text
from copydesk_connectors.targets.generators import GENERATORS, Generator, Page
from copydesk_connectors.targets.git import Git
from copydesk_connectors.targets.picture_folder import PictureFolder
from copydesk_connectors.targets.seen_files import Facts
from copydesk_connectors.toml_table import Table

_FILE_NAMES = ("slug", "date-slug")
_RELATED = 9  # far more than a post has places for links
_NONE: tuple[object, ...] = ("", [])
_STATUSES = ("publish", "draft")
# Hugo takes a folder with an index.md for a single page.
_RESERVED = frozenset({"index.md", "_index.md"})
_DATE_PREFIX = re.compile(r"^\d{4}-\d{2}-\d{2}-")
_DELIMITER = re.compile(r"^(?:-{3,}|\+{3,})\s*$", re.MULTILINE)
_ID_LINE = re.compile(r"""^copydesk_id\s*[:=]\s*["']?(.+?)["']?\s*$""", re.MULTILINE)


@dataclass(frozen=True)
class Settings:
    """What the owner wants of every file. ``tags`` None are the post's keywords."""

    preset: str
    dated: bool
    permalink: str
    base_url: str
    layout: str
    draft: bool
    tags: tuple[str, ...] | None
    categories: tuple[str, ...]
    author: str
    image_url: str
    json_ld: bool
    pictures: PictureFolder | None

    @property
    def generator(self) -> Generator:
        """The program that builds the site."""
        return GENERATORS[self.preset]

    @classmethod
    def from_table(cls, table: Table) -> Self:
        """Read them; what is left out is as the preset has it."""
        preset = table.choice("preset", tuple(GENERATORS), "plain")
        generator = GENERATORS[preset]
        permalink = table.text("permalink", generator.permalink)
        try:
            _filled(permalink, "", "", "", "", "")
        except (KeyError, ValueError, IndexError):
            table.fail(
                "permalink", "may hold {slug}, {year}, {month}, {day} and {categories}, as {slug}/"
            )
        one, many = table.text("category", ""), table.texts("categories")
        if one and many:
            table.fail("category", "give only one of category or categories")
        pictures = PictureFolder.from_table(table, table.path("path"), generator.pictures)
        if pictures and table.has("image_url"):
            table.fail("image_url", "is one picture for all posts; give it, or image")
        return cls(
            preset=preset,
            dated=table.choice("file_name", _FILE_NAMES, generator.file_name) == "date-slug",
            permalink=permalink,
            base_url=table.url("base_url", "").rstrip("/"),
            layout=table.text("layout", generator.layout),
            draft=table.choice("status", _STATUSES, "publish") == "draft",
            tags=table.texts("tags") if table.has("tags") else None,
            categories=many or ((one,) if one else ()),
            author=table.text("author", ""),
            image_url=table.text("image_url", ""),
            json_ld=table.flag("json_ld", default=False),
            pictures=pictures,
        )


class MarkdownFolder:
    """One file a post: ``slug.md``, or ``YYYY-MM-DD-slug.md`` as Jekyll wants it."""

    def __init__(
        self, name: str, path: Path, settings: Settings, git: Git | None, cache: Path | None
    ) -> None:
        self._name = name
        self._git = git
        self._set = settings
        # The owner may move files into subfolders, and each stays the same post.
        self._folder = Folder(
            path, ".md", _read, reserved=_RESERVED.__contains__, deep=True, cache=cache
        )

    @classmethod
    def from_table(cls, name: str, table: Table) -> Self:
        """Read the target's settings."""
        cache = table.path("cache", f".copydesk-{slugify(name) or 'site'}.cache")
        path = table.path("path")
        settings = Settings.from_table(table)
        # A commit holds the picture as well.
        kept = [path, settings.pictures.path] if settings.pictures else [path]
        git = Git.from_table(Path(os.path.commonpath(kept)), table)
        return cls(name, path, settings, git, cache)

    @property
    def name(self) -> str:
        """The target's name in the configuration and in the ledger."""
        return self._name

    def ready(self) -> None:
        """Return when files can be written."""
        self._folder.ready()
        if self._git:
            self._git.ready()

    def check(self) -> Sequence[Finding]:
        """Whether files can be written, and what the generator would make of them."""
        findings = [self._folder.check(self._name)]
        if self._git:
            findings.append(self._git.check(self._name))
        if self._set.preset == "jekyll" and self._folder.path.name != "_posts":
            problem = f"Jekyll reads posts from a folder named _posts, not {self._folder.path.name}"
            fix = "let path end in _posts"
            findings.append(Finding(Level.WARNING, self._name, problem, fix))
        if self._set.draft and not self._set.generator.knows_drafts:
            problem = f"{self._set.preset} shows drafts like other posts unless its pages filter"
            fix = "filter in the pages: getCollection(name, ({ data }) => !data.draft)"
            findings.append(Finding(Level.WARNING, self._name, problem, fix))
        return findings

    def find(self, post: Post) -> Copy | None:
        """The post's file, under whatever name."""
        path = self._folder.find(post)
        return None if path is None else self._copy(post, path)

    def draft(self, post: Post) -> Copy:
        """Nothing to do: a file appears whole when it is published."""
        return Copy("", CopyState.DRAFT)

    def publish(self, post: Post, remote_id: str) -> Copy:
        """Put the file into the folder unless it is there."""
        prefix = f"{post.generated_at:%Y-%m-%d}-" if self._set.dated else ""
        pictures = self._set.pictures
        picture = pictures.put(post) if pictures else ""
        path = self._folder.place(
            post, lambda slug: f"{prefix}{slug}", lambda slug: self._render(post, slug, picture)
        )
        if self._git:
            beside = [pictures.path / picture] if pictures and picture else []
            names = [file.relative_to(self._git.folder).as_posix() for file in beside]
            self._git.keep(post, path, names)
        return self._copy(post, path)

    def related(self, text: str) -> Sequence[Linked]:
        """Posts of ours about what the text is about; none where the site's address is unknown."""
        if not self._set.base_url:
            return ()
        with os_errors(self._folder.path):
            ours = list(self._folder.ours())
        pages = [Linked(facts.title, name) for name, facts in ours if facts.title]
        found = closest(text, pages)[:_RELATED]
        return [Linked(page.title, self._file_url(self._folder.path / page.url)) for page in found]

    def _file_url(self, path: Path) -> str:
        return self._url(path, _fields(read_text(path)))

    def _copy(self, post: Post, path: Path) -> Copy:
        remote_id = path.relative_to(self._folder.path).as_posix()
        with os_errors(self._folder.path):
            fields = _fields(read_text(path))
        if fields.get("draft") is True or fields.get("published") is False:
            return Copy(remote_id, CopyState.DRAFT)
        url = path.absolute().as_uri()
        if self._set.base_url:
            url = self._url(path, {"date": post.generated_at, **fields})
        return Copy(remote_id, CopyState.PUBLIC, url)

    def _url(self, path: Path, fields: Mapping[str, Any]) -> str:
        relative = path.relative_to(self._folder.path)
        page = relative.with_name(_DATE_PREFIX.sub("", relative.stem)).as_posix()
        return self._address(page, fields.get("date") or fields.get("pubDate"))

    def _address(self, page: str, date: object) -> str:
        year, month, day = (getattr(date, part, 0) for part in ("year", "month", "day"))
        categories = "/".join(quote(name.lower()) for name in self._set.categories)
        path = _filled(
            self._set.permalink, page, f"{year:04}", f"{month:02}", f"{day:02}", categories
        )
        return f"{self._set.base_url}/{path.lstrip('/')}"

    def _render(self, post: Post, slug: str, picture: str) -> str:
        settings = self._set
        address = self._address(slug, post.generated_at) if settings.base_url else ""
        given = settings.json_ld
        page = Page(
            post=post,
            slug=slug,
            draft=settings.draft,
            tags=post.keywords if settings.tags is None else settings.tags,
            categories=settings.categories,
            author=settings.author,
            layout=settings.layout,
            image=f"{settings.pictures.url}/{picture}"
            if settings.pictures and picture
            else settings.image_url,
            json_ld=blog_posting(post, url=address, author=settings.author) if given else "",
        )
        fields = settings.generator.fields(page)
        document = frontmatter.Post(settings.generator.body(page))
        document.metadata.update(
            {key: value for key, value in fields.items() if value not in _NONE}
        )
        document.metadata["copydesk_id"] = post.id
        return frontmatter.dumps(document, sort_keys=False, width=10_000) + "\n"


def _filled(permalink: str, slug: str, year: str, month: str, day: str, categories: str) -> str:
    return permalink.format(slug=slug, year=year, month=month, day=day, categories=categories)


def _fields(text: str) -> Mapping[str, Any]:
    try:
        return frontmatter.parse(text)[0]
    except (yaml.YAMLError, ValueError):
        return {}


def _read(text: str) -> Facts | None:
    if "copydesk_id" not in text:
        return None
    fields = _fields(text)
    if "copydesk_id" in fields:
        return Facts(str(fields["copydesk_id"]), title=str(fields.get("title") or ""))
    # Front matter that its owner turned into TOML, or is in the middle of editing, is still ours.
    parts = _DELIMITER.split(text, maxsplit=2)
    line = _ID_LINE.search(parts[1]) if len(parts) == 3 and not parts[0].strip() else None
    return Facts(line[1]) if line else None
