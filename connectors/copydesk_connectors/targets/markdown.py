"""A folder of Markdown files with front matter, as static site generators read them."""

import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import datetime
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any, Literal, Self
from urllib.parse import quote
from zoneinfo import ZoneInfo

import frontmatter
import yaml
from pydantic import AfterValidator, model_validator

from copydesk_connectors.target import settings
from copydesk_connectors.target.base import Copy, CopyState, Finding, Level
from copydesk_connectors.target.internal_links import Page, closest
from copydesk_connectors.target.json_ld import blog_posting
from copydesk_connectors.target.notice import NoticeSettings, with_notice
from copydesk_connectors.target.post import Post
from copydesk_connectors.target.settings import (
    FilePath,
    Names,
    SiteUrl,
    Text,
    Texts,
    setting,
)
from copydesk_connectors.targets import pictures
from copydesk_connectors.targets.command import CommandSettings
from copydesk_connectors.targets.folder import Facts, FolderTarget, os_errors, quoted, read_text
from copydesk_connectors.targets.generators import GENERATORS, Generator, Preset, sponsored_links
from copydesk_connectors.targets.pictures import PictureFolder, PictureSettings
from copydesk_connectors.targets.scheduled import Zone

_RELATED = 9  # far more than a post has places for links
# Hugo takes a folder with an index.md for a single page.
_RESERVED = frozenset({"index.md", "_index.md"})
_DATE_PREFIX = re.compile(r"^\d{4}-\d{2}-\d{2}-")
_DELIMITER = re.compile(r"^(?:-{3,}|\+{3,})\s*$", re.MULTILINE)
_ID_LINE = re.compile(r"""^copydesk_id\s*[:=]\s*["']?(.+?)["']?\s*$""", re.MULTILINE)


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


class MarkdownSettings(CommandSettings, PictureSettings, NoticeSettings):
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


class MarkdownFolder(FolderTarget):
    """One file for each post: ``slug.md``, or ``YYYY-MM-DD-slug.md`` as Jekyll expects."""

    Settings = MarkdownSettings
    suffix = ".md"
    deep = True
    """The owner may move files into subfolders, and each remains the same post."""

    def __init__(self, name: str, settings: MarkdownSettings) -> None:
        super().__init__(name, settings.path)
        self._set = settings
        self._dated = (settings.file_name or settings.generator.file_name) == "date-slug"

    def inspect(self) -> Sequence[Finding]:
        """Return what the generator would make of the files."""
        findings = pictures.check(self._set, self.name)
        if self._set.preset == "jekyll" and self.path.name != "_posts":
            problem = f"Jekyll reads posts from a folder named _posts, not {self.path.name}"
            fix = "let path end in _posts"
            findings.append(Finding(Level.WARNING, self.name, problem, fix))
        if self._set.preset == "jekyll" and self._set.base_url and self._set.zone is None:
            problem = "_config.yml names no timezone, so Jekyll uses that of the building machine"
            fix = "set timezone there; addresses are right only if it is that of the build"
            findings.append(Finding(Level.WARNING, self.name, problem, fix))
        if self._set.status == "draft" and not self._set.generator.knows_drafts:
            problem = f"{self._set.preset} shows drafts like other posts unless its pages filter"
            fix = "filter in the pages: getCollection(name, ({ data }) => !data.draft)"
            findings.append(Finding(Level.WARNING, self.name, problem, fix))
        return findings

    def publish(self, post: Post, remote_id: str) -> Copy:
        """Write the file unless it exists."""
        prefix = f"{self._local(post.generated_at):%Y-%m-%d}-" if self._dated else ""
        pictures = self._set.pictures
        picture = pictures.put(post) if pictures else ""
        path = self._place(post, lambda slug: self._render(post, slug, picture), prefix=prefix)
        self._set.run(self.path, post)
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

    def _is_reserved(self, name: str) -> bool:
        return name in _RESERVED

    def _read(self, text: str) -> Facts | None:
        if "copydesk_id" not in text:
            return None
        fields = _fields(text)
        if "copydesk_id" in fields:
            return Facts(str(fields["copydesk_id"]), title=str(fields.get("title") or ""))
        # The owner may have turned the front matter into TOML, or be in the middle of editing it.
        parts = _DELIMITER.split(text, maxsplit=2)
        line = _ID_LINE.search(parts[1]) if len(parts) == 3 and not parts[0].strip() else None
        return Facts(line[1]) if line else None

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
        page = quoted(page)
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
