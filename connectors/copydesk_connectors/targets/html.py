"""A folder of plain HTML pages and an index of them: a site without any other program."""

import hashlib
import re
import traceback
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Any, Self
from urllib.parse import quote

from bs4 import BeautifulSoup
from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup
from pydantic import AfterValidator, model_validator

from copydesk_connectors.target.base import Copy, CopyState, Finding, Level
from copydesk_connectors.target.errors import Misconfigured
from copydesk_connectors.target.internal_links import Page, closest
from copydesk_connectors.target.json_ld import blog_posting
from copydesk_connectors.target.notice import NoticeSettings, with_notice
from copydesk_connectors.target.post import Post
from copydesk_connectors.target.settings import FilePath, SettingError, SiteUrl, Text, setting
from copydesk_connectors.targets import pictures
from copydesk_connectors.targets.command import CommandSettings
from copydesk_connectors.targets.folder import (
    Facts,
    FolderTarget,
    os_errors,
    quoted,
    read_text,
    replace_whole,
)
from copydesk_connectors.targets.pictures import ImageSettings, PictureFolder

BUILT_IN = Path(__file__).with_name("templates") / "copydesk.html"
_IMAGES = "images"
_HEAD_END = re.compile(r"</head\s*>|<body\b", re.IGNORECASE)
_SEAL = re.compile(r"<!-- copydesk-index sha256=([0-9a-f]{64}) -->\n\Z")
_MOVE_AWAY = "move it away to have it generated again, or set another name in index"


def _page_name(name: str) -> str:
    if not re.fullmatch(r"[A-Za-z0-9_-][A-Za-z0-9._-]*\.html", name):
        raise ValueError('must be a file name that ends in .html, such as "posts.html"')
    return name


class HtmlSettings(CommandSettings, ImageSettings, NoticeSettings):
    """The settings of a folder of HTML pages."""

    path: FilePath = setting(
        "The folder for the pages.", ask="Folder for the pages", suggestion="public"
    )
    title: Text = setting("The title of the site.", default="Blog", ask="Title of the site")
    language: Text = setting("The language of the pages.", default="en")
    author: Text = setting("The author in the JSON-LD.", default="")
    base_url: SiteUrl = setting(
        "The address of the folder on the web, for canonical links.",
        default="",
        ask="Address of that folder on the web, if you know it",
    )
    index: Annotated[Text, AfterValidator(_page_name)] = setting(
        "The page that lists all posts.", default="index.html"
    )
    template: FilePath | None = setting(
        "A template of your own. See [Plain HTML pages](#plain-html-pages).", default=None
    )
    json_ld: bool = setting("`true` adds a schema.org BlogPosting to each page.", default=False)

    @model_validator(mode="after")
    def _has_its_template(self) -> Self:
        """Check that the template is a file."""
        if self.template and not self.template.is_file():
            raise SettingError("template", f"must be a file; {self.template} is not one")
        return self


class HtmlSite(FolderTarget):
    """One page for each post, ``slug.html``, and an index of all posts."""

    Settings = HtmlSettings
    suffix = ".html"

    def __init__(self, name: str, settings: HtmlSettings) -> None:
        super().__init__(name, settings.path)
        self._set = settings
        self._pictures = PictureFolder(settings, self.path / _IMAGES, _IMAGES)

    def ready(self) -> None:
        """Return if files can be written, and the template makes pages."""
        super().ready()
        self._try_template()

    def inspect(self) -> Sequence[Finding]:
        """Return whether the template makes pages, and the index is ours to write."""
        findings = pictures.check(self._set, self.name)
        try:
            self._try_template()
        except Misconfigured as error:
            findings.append(Finding.of_error(self.name, error))
        if not self._is_ours(self._set.index):
            problem = _foreign(self._set.index)
            findings.append(Finding(Level.WARNING, self.name, problem, _MOVE_AWAY))
        return findings

    def publish(self, post: Post, remote_id: str) -> Copy:
        """Write the page unless it exists, and add it to the index."""
        path = self._place(post, lambda slug: self._page(post, slug))
        with os_errors(self.path):
            notes = self._write_index()
        self._set.run(self.path, post)
        return replace(self._copy(post, path), notes=notes)

    def related(self, text: str) -> Sequence[Page]:
        """Return the published posts whose titles fit the text."""
        with os_errors(self.path):
            ours = [Page(facts.title, quoted(name)) for name, facts in self._ours()]
        return closest(text, ours)

    def _is_reserved(self, name: str) -> bool:
        return name in (self._set.index, "index.html")

    def _read(self, text: str) -> Facts | None:
        """Return what a page says, or None for a page of somebody else."""
        if "copydesk-id" not in text:
            return None
        end = _HEAD_END.search(text)
        head = BeautifulSoup(text[: end.start()] if end else text, "html.parser")

        def said(attribute: str, value: str) -> str:
            tag = head.find("meta", attrs={attribute: value})
            return str(tag.get("content") or "") if tag else ""

        if not (post_id := said("name", "copydesk-id")):
            return None
        title = head.title.get_text() if head.title else ""
        about, published = said("name", "description"), said("property", "article:published_time")
        return Facts(post_id, " ".join(title.split()), about, published)

    def _copy(self, post: Post, path: Path) -> Copy:
        url = self._url(path.name) or path.resolve().as_uri()
        return Copy(path.name, CopyState.PUBLIC, url)

    def _url(self, name: str) -> str:
        return f"{self._set.base_url}/{quoted(name)}" if self._set.base_url else ""

    def _page(self, post: Post, slug: str) -> str:
        """Return the page of a post, with its picture in place."""
        picture = self._pictures.put(post)
        return self._render(post, f"{slug}.html", f"{_IMAGES}/{picture}" if picture else "")

    def _render(self, post: Post, name: str, image: str = "") -> str:
        """Return a page; raise Misconfigured if the template is wrong or leaves out the id."""
        site, url = self._set, self._url(name)
        published = post.generated_at.isoformat(timespec="seconds")
        address = self._url(image) if image else ""
        data = blog_posting(
            post,
            url=url,
            language=site.language,
            author=site.author,
            publisher=site.title,
            image=address,
        )
        shown = _scrollable(with_notice(post, site).html)
        page = {
            "title": post.title,
            "description": post.description,
            "url": url,
            "image": address,
        }
        values = {
            "id": post.id,
            "title": post.title,
            "description": post.description,
            "published": published,
            "html": Markup(shown),  # noqa: S704 - the service's own, sanitised
            "cover": image,
            "json_ld": Markup(data) if site.json_ld else "",  # noqa: S704 - has no <
        }
        text = self._filled({"page": page, "post": values, "posts": []})
        facts = self._read(text)
        if facts is None or facts.id != post.id:
            raise Misconfigured(
                f"the template {site.template} leaves out the id by which posts are recognized",
                'put <meta name="copydesk-id" content="{{ post.id }}"> into <head>',
            )
        return text

    def _render_index(self, posts: Sequence[tuple[str, Facts]]) -> str:
        site = self._set
        page = {"title": site.title, "description": "", "url": self._url(site.index), "image": ""}
        listed = [{"href": quoted(name), **facts._asdict()} for name, facts in posts]
        return self._filled({"page": page, "post": None, "posts": listed})

    def _filled(self, values: Mapping[str, Any]) -> str:
        site = self._set
        file = site.template or BUILT_IN
        named = {"title": site.title, "language": site.language, "index": quote(site.index)}
        try:
            environment = Environment(
                loader=FileSystemLoader([file.parent, BUILT_IN.parent]),
                autoescape=True,
                undefined=StrictUndefined,
                trim_blocks=True,
                lstrip_blocks=True,
                keep_trailing_newline=True,
            )
            return environment.get_template(file.name).render({"site": named, **values})
        except Exception as error:  # noqa: BLE001 - an expression of the owner's may raise anything
            frames = traceback.extract_tb(error.__traceback__)
            lines = [frame.lineno for frame in frames if frame.filename == str(file)]
            line = getattr(error, "lineno", None) or next(reversed(lines), None)
            where = f"{file}, line {line}" if line else str(file)
            raise Misconfigured(
                f"the template {where}: {type(error).__name__}: {error}",
                "correct it, or leave template out to use the built-in one",
            ) from None

    def _try_template(self) -> None:
        """Render a page of each kind. Raises Misconfigured if the template is wrong."""
        moment = datetime(2026, 1, 1, tzinfo=UTC)
        post = Post("itm", "Title", "slug", "About", ("tag",), "<p>Text</p>", "Text", moment)
        self._render(post, "slug.html")
        self._render_index([("slug.html", Facts("itm", "Title"))])

    def _write_index(self) -> tuple[str, ...]:
        # Another instance may add a page while this one writes: write until nothing is missing.
        index = self.path / self._set.index
        while True:
            posts = sorted(self._ours(), key=lambda each: (each[1].published, each[0]))
            text = _sealed(self._render_index(posts[::-1]))
            if index.exists() and read_text(index) == text:
                return ()
            if not self._is_ours(index.name):
                return (f"{_foreign(index.name)}. {_MOVE_AWAY}",)
            replace_whole(index, text)

    def _is_ours(self, name: str) -> bool:
        """Return whether nobody edited or made the page with that name."""
        path = self.path / name
        if not path.exists():
            return True
        text = read_text(path)
        return text == _sealed(_SEAL.sub("", text))


def _sealed(text: str) -> str:
    """Return the text with a mark at its end that shows whether anybody edited it since."""
    digest = hashlib.sha256(text.encode()).hexdigest()
    return f"{text}<!-- copydesk-index sha256={digest} -->\n"


def _foreign(name: str) -> str:
    return f"{name} was made or edited by hand and is left as it is: new posts are not listed there"


def _scrollable(text: str) -> str:
    """Return the HTML with wide parts in elements that the keyboard can scroll."""
    text = text.replace("<table>", '<div class="scroll" tabindex="0"><table>')
    return text.replace("</table>", "</table></div>").replace("<pre>", '<pre tabindex="0">')
