"""A folder of Markdown files with front matter, as static site generators read them."""

import os
import re
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import datetime
from functools import cached_property
from itertools import count
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple, Self
from urllib.parse import quote
from zoneinfo import ZoneInfo

import frontmatter
import yaml
from pydantic import AfterValidator, model_validator

from copydesk_connectors.target import settings
from copydesk_connectors.target.additions import NoticeSettings, blog_posting, with_notice
from copydesk_connectors.target.base import Copy, CopyState, Finding, Level, Target
from copydesk_connectors.target.errors import ConnectorError, Misconfigured
from copydesk_connectors.target.internal_links import Page, closest
from copydesk_connectors.target.post import Post
from copydesk_connectors.target.settings import FilePath, Names, SiteUrl, Text, Texts, setting
from copydesk_connectors.targets import pictures
from copydesk_connectors.targets.folder import (
    create_whole,
    file_status,
    os_errors,
    read_text,
    run_command,
    sync_folder,
)
from copydesk_connectors.targets.generators import GENERATORS, Generator, Preset, sponsored_links
from copydesk_connectors.targets.pictures import PictureFolder, PictureSettings
from copydesk_connectors.targets.scheduled import Zone

_SUFFIX = ".md"
_STAGED = re.compile(r"\.copydesk-[0-9a-z]+\.tmp")
_ABANDONED_AFTER_S = 3600.0  # no write takes that long: its process died
_RELATED = 9  # far more than a post has places for links
# Hugo takes a folder with an index.md for a single page.
_RESERVED = frozenset({"index.md", "_index.md"})
_DATE_PREFIX = re.compile(r"^\d{4}-\d{2}-\d{2}-")
_DELIMITER = re.compile(r"^(?:-{3,}|\+{3,})\s*$", re.MULTILINE)
_ID_LINE = re.compile(r"""^copydesk_id\s*[:=]\s*["']?(.+?)["']?\s*$""", re.MULTILINE)


class Facts(NamedTuple):
    """What a post's file says."""

    id: str
    title: str = ""


class _Dumper(yaml.SafeDumper):
    """Quotes every text that some reader of YAML takes for a number or a symbol, such as 1e3."""


_Dumper.add_implicit_resolver(
    "tag:yaml.org,2002:float", re.compile(r"[-+]?[.:]?[0-9]\S*$|:\S+$"), list("-+.:0123456789")
)


def jekyll_zone(posts: Path) -> ZoneInfo | None:
    """Return the time zone in the site's _config.yml, or None."""
    for folder in posts.absolute().parents:
        for name in ("_config.yml", "_config.yaml"):
            with suppress(OSError, yaml.YAMLError, UnicodeDecodeError, ValueError, KeyError):
                config = yaml.safe_load((folder / name).read_text(encoding="utf-8")) or {}
                return ZoneInfo(config["timezone"]) if "timezone" in config else None
    return None


def _permalink(form: str) -> str:
    try:
        form.format(slug="", year="", month="", day="", categories="")
    except (KeyError, ValueError, IndexError):
        raise ValueError(
            "may contain {slug}, {year}, {month}, {day} and {categories}, such as {slug}/"
        ) from None
    return form


class MarkdownSettings(PictureSettings, NoticeSettings):
    """The settings of a folder of Markdown files."""

    path: FilePath = setting(
        "The folder for the files.", ask="Folder for the posts, such as content/posts"
    )
    preset: Preset = setting(
        "The program that builds the site, for the front matter and file names it expects.",
        default="plain",
        ask="Program that builds the site",
    )
    status: Literal["publish", "draft"] = setting(
        "`publish`; `draft` writes front matter that keeps a page off the site until you "
        "remove it.",
        default="publish",
        ask="Publish posts, or leave them as drafts",
    )
    file_name: Literal["slug", "date-slug"] | None = setting(
        "`slug`, or `date-slug` as Jekyll's `_posts` expects. By default, the preset's.",
        default=None,
    )
    base_url: SiteUrl = setting("The address of the folder on the site, for links.", default="")
    permalink: Annotated[Text, AfterValidator(_permalink)] | None = setting(
        "The path of a post, appended to `base_url`; may contain `{slug}`, `{year}`, `{month}`, "
        "`{day}` and `{categories}`. By default, the preset's.",
        default=None,
    )
    timezone: Zone | None = setting(
        "The time zone of the site, which decides the day of a post in its address. By default, "
        "that of Jekyll's `_config.yml`, else UTC.",
        default=None,
    )
    tags: Texts | None = settings.tags()
    category: Names = settings.category()
    author: Text = setting("The author in the front matter.", default="")
    layout: Text = setting("The layout in the front matter.", default="")
    json_ld: bool = setting(
        "`true` adds a schema.org BlogPosting to the page; `hugo` and `plain` put it under "
        "`json_ld` for your template.",
        default=False,
    )
    command: Text = setting(
        "A shell command to run in `path` after each post. The feed is told only once it has "
        "succeeded. See [A command after each post](#a-command-after-each-post).",
        default="",
    )

    @model_validator(mode="after")
    def _has_its_folder(self) -> Self:
        _ = self.pictures
        return self

    @cached_property
    def zone(self) -> ZoneInfo | None:
        """The site's time zone, or None if it is unknown."""
        return self.timezone or (jekyll_zone(self.path) if self.preset == "jekyll" else None)

    @property
    def generator(self) -> Generator:
        """The program that builds the site."""
        return GENERATORS[self.preset]

    @cached_property
    def pictures(self) -> PictureFolder | None:
        """The folder for the posts' pictures, or None for no pictures."""
        return self.picture_folder(self.path, self.generator.pictures)


class MarkdownFolder(Target):
    """One file for each post: ``slug.md``, or ``YYYY-MM-DD-slug.md`` as Jekyll expects.

    The owner may move files into subfolders, and each remains the same post. A file is written
    under a hidden name and then gets its real one in a single step that never replaces anything.
    """

    Settings = MarkdownSettings

    def __init__(self, name: str, settings: MarkdownSettings) -> None:
        super().__init__(name)
        self.path = settings.path
        self._set = settings
        self._dated = (settings.file_name or settings.generator.file_name) == "date-slug"
        # What this process has read, by the name within the folder, with the file's state then.
        self._seen: dict[str, tuple[tuple[int, int], Facts | None]] = {}
        self._staged: set[Path] = set()

    def ready(self) -> None:
        """Return if files can be written."""
        if self.path.exists() and not self.path.is_dir():
            raise Misconfigured(f"{self.path} is not a folder", "give the path of a folder")
        nearest = self.path if self.path.exists() else self.path.parent
        if not nearest.is_dir():
            raise Misconfigured(
                f"neither {self.path} nor the folder above it exists",
                f"make it (mkdir -p {self.path}) or correct the path",
            )
        with os_errors(nearest), tempfile.TemporaryFile(dir=nearest):
            pass

    def check(self) -> Sequence[Finding]:
        """Return whether files can be written, and what ``inspect`` finds."""
        try:
            self.ready()
        except ConnectorError as error:
            return [Finding.of_error(self.name, error, "free some space, or repair the disk")]
        return self.inspect()

    def inspect(self) -> Sequence[Finding]:
        """Return that files can be written, and what the generator would make of them."""
        outlook = "can be written" if self.path.exists() else "does not exist yet; it will be made"
        found = [Finding(Level.OK, self.name, f"the folder {self.path.resolve()} {outlook}")]
        found += pictures.check(self._set, self.name)
        if self._set.preset == "jekyll" and self.path.name != "_posts":
            problem = f"Jekyll reads posts from a folder named _posts, not {self.path.name}"
            fix = "let path end in _posts"
            found.append(Finding(Level.WARNING, self.name, problem, fix))
        if self._set.preset == "jekyll" and self._set.base_url and self._set.zone is None:
            problem = "_config.yml names no timezone, so Jekyll uses that of the building machine"
            fix = "set timezone there; addresses are right only if it is that of the build"
            found.append(Finding(Level.WARNING, self.name, problem, fix))
        if self._set.status == "draft" and not self._set.generator.knows_drafts:
            problem = f"{self._set.preset} shows drafts like other posts unless its pages filter"
            fix = "filter in the pages: getCollection(name, ({ data }) => !data.draft)"
            found.append(Finding(Level.WARNING, self.name, problem, fix))
        return found

    def find(self, post: Post) -> Copy | None:
        """Return the post's file, whatever its name."""
        path = self._find_file(post)
        return None if path is None else self._copy(post, path)

    def draft(self, post: Post) -> Copy:
        """Do nothing: a file has no draft, it appears whole when it is published."""
        return Copy("", CopyState.DRAFT)

    def publish(self, post: Post, remote_id: str) -> Copy:
        """Write the file unless it exists."""
        prefix = f"{self._local(post.generated_at):%Y-%m-%d}-" if self._dated else ""
        pictures = self._set.pictures
        picture = pictures.put(post) if pictures else ""
        path = self._place(post, lambda slug: self._render(post, slug, picture), prefix)
        run_command(self._set.command, self.path, post)
        return self._copy(post, path)

    def related(self, text: str) -> Sequence[Page]:
        """Return the published posts that fit the text; none if the site's address is unknown."""
        if not self._set.base_url:
            return ()
        with os_errors(self.path):
            ours = list(self._ours())
        pages = [Page(facts.title, name) for name, facts in ours if facts.title]
        found = closest(text, pages)[:_RELATED]
        paths = {page: self.path / page.url for page in found}
        return [
            Page(page.title, self._url(path, _fields(read_text(path))))
            for page, path in paths.items()
        ]

    def _find_file(self, post: Post) -> Path | None:
        """Return the file that has the post's id; the first by name if there are several."""
        with os_errors(self.path):
            names = [name for name, facts in self._ours() if facts.id == post.id]
            return self.path / min(names) if names else None

    def _ours(self) -> Iterator[tuple[str, Facts]]:
        """Yield the name within the folder, and the facts, of every file that has an id."""
        for name, stamp in self._listed(str(self.path), ""):
            known = self._seen.get(name)
            if known is None or known[0] != stamp:
                try:
                    known = self._seen[name] = (stamp, _facts(read_text(self.path / name)))
                except FileNotFoundError:
                    continue
            if known[1]:
                yield name, known[1]

    def _listed(self, folder: str, prefix: str) -> Iterator[tuple[str, tuple[int, int]]]:
        # One pass by the system's own listing: a site may have tens of thousands of files.
        try:
            entries = os.scandir(folder)
        except FileNotFoundError:
            return
        with entries:
            for entry in entries:
                name = entry.name
                if name.startswith("."):
                    if _STAGED.fullmatch(name):
                        self._staged.add(Path(entry))
                elif name.endswith(_SUFFIX):
                    status = file_status(entry)
                    if status is not None:
                        yield prefix + name, (status.st_mtime_ns, status.st_size)
                elif entry.is_dir(follow_symlinks=False):
                    yield from self._listed(entry.path, f"{prefix}{name}/")

    def _place(self, post: Post, render: Callable[[str], str], prefix: str) -> Path:
        """Write the post's file unless it exists, and return its path.

        Args:
            render: returns the text for a slug: the post's own, or slug-2, slug-3 … if another
                post or file has that name.
            prefix: what the file's name has before the slug.
        """
        with os_errors(self.path):
            self.path.mkdir(exist_ok=True)
            found = self._find_file(post)
            self._sweep()
            if found is None:
                found = self._place_new(post, render, prefix)
                sync_folder(self.path)
        return found

    def _place_new(self, post: Post, render: Callable[[str], str], prefix: str) -> Path:
        for number in count(1):
            slug = post.slug if number == 1 else f"{post.slug}-{number}"
            final = self.path / f"{prefix}{slug}{_SUFFIX}"
            if final.name in _RESERVED:
                continue
            try:
                create_whole(final, render(slug))
            except FileExistsError:
                # Another instance may have placed this very post since we looked.
                there = _facts(read_text(final)) if final.is_file() else None
                if there is None or there.id != post.id:
                    continue
            return final
        raise AssertionError("count() does not end")

    def _sweep(self) -> None:
        while self._staged:
            staged = self._staged.pop()
            with suppress(FileNotFoundError):
                if staged.stat().st_mtime < time.time() - _ABANDONED_AFTER_S:
                    staged.unlink()

    def _copy(self, post: Post, path: Path) -> Copy:
        remote_id = path.relative_to(self.path).as_posix()
        with os_errors(self.path):
            fields = _fields(read_text(path))
        if fields.get("draft") is True or fields.get("published") is False:
            return Copy(remote_id, CopyState.DRAFT)
        url = path.resolve().as_uri()
        if self._set.base_url:
            url = self._url(path, {"date": post.generated_at, **fields})
        return Copy(remote_id, CopyState.PUBLIC, url)

    def _url(self, path: Path, fields: Mapping[str, Any]) -> str:
        relative = path.relative_to(self.path)
        page = relative.with_name(_DATE_PREFIX.sub("", relative.stem)).as_posix()
        page = quote(page, errors="surrogateescape")  # a name may have bytes that are not UTF-8
        return self._address(page, fields.get("date") or fields.get("pubDate"))

    def _address(self, page: str, date: object) -> str:
        if isinstance(date, datetime):
            date = self._local(date)
        year, month, day = (getattr(date, part, 0) for part in ("year", "month", "day"))
        categories = "/".join(quote(name.lower()) for name in self._set.category)
        form = self._set.permalink or self._set.generator.permalink
        parts = {"year": f"{year:04}", "month": f"{month:02}", "day": f"{day:02}"}
        path = form.format(slug=page, categories=categories, **parts)
        return f"{self._set.base_url}/{path.lstrip('/')}"

    def _local(self, moment: datetime) -> datetime:
        zone = self._set.zone
        return moment.astimezone(zone) if zone and moment.tzinfo else moment

    def _render(self, post: Post, slug: str, picture: str) -> str:
        document = self._document(post, slug, picture)
        text = frontmatter.dumps(document, Dumper=_Dumper, sort_keys=False, width=10_000)
        return f"{text}\n"

    def _document(self, post: Post, slug: str, picture: str) -> frontmatter.Post:
        settings = self._set
        address = self._address(slug, post.generated_at) if settings.base_url else ""
        image = f"{settings.pictures.url}/{picture}" if settings.pictures and picture else ""
        script = blog_posting(post, url=address, author=settings.author)
        post = replace(post, generated_at=self._local(post.generated_at))
        post, draft = with_notice(post, settings), settings.status == "draft"
        json_ld = script if settings.json_ld else ""
        values = {
            "title": post.title,
            "date": post.generated_at.replace(microsecond=0),
            "description": post.description,
            "description_or_title": post.description or post.title,
            "slug": slug,
            "draft": draft,
            "true_for_drafts": True if draft else "",
            "false_for_drafts": False if draft else "",
            "tags": list(post.keywords if settings.tags is None else settings.tags),
            "categories": list(settings.category),
            "keywords": list(post.keywords),
            "author": settings.author,
            "layout": settings.layout or settings.generator.layout,
            "image": image,
            "image_list": [image] if image else [],
            "sponsored": list(sponsored_links(post)),
            "json_ld": json_ld,
            "markdown": "md",
        }
        document = frontmatter.Post(settings.generator.body(post, json_ld))
        document.metadata.update(settings.generator.front_matter(values))
        document.metadata["copydesk_id"] = post.id
        return document


def _fields(text: str) -> Mapping[str, Any]:
    try:
        return frontmatter.parse(text)[0]
    except (yaml.YAMLError, ValueError):
        return {}


def _facts(text: str) -> Facts | None:
    """Return what a file says, or None for a file of somebody else."""
    if "copydesk_id" not in text:
        return None
    fields = _fields(text)
    if "copydesk_id" in fields:
        return Facts(str(fields["copydesk_id"]), title=str(fields.get("title") or ""))
    # The owner may have turned the front matter into TOML, or be in the middle of editing it.
    parts = _DELIMITER.split(text, maxsplit=2)
    line = _ID_LINE.search(parts[1]) if len(parts) == 3 and not parts[0].strip() else None
    return Facts(line[1]) if line else None
