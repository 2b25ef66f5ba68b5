"""A folder of plain HTML pages with a page that lists them: a site without any other program."""

import hashlib
import html
import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from importlib import resources
from pathlib import Path
from string import Template
from typing import Self
from urllib.parse import quote

from bs4 import BeautifulSoup

from copydesk_connectors.post import Post
from copydesk_connectors.publisher import Copy, CopyState, Finding, Level
from copydesk_connectors.targets.folder import Folder, os_errors, read_text, replace_whole
from copydesk_connectors.toml_table import Table

_SEAL = re.compile(r"<!-- copydesk-index sha256=([0-9a-f]{64}) -->\n\Z")
_HEAD_END = re.compile(r"</head\s*>|<body\b", re.IGNORECASE)


@dataclass(frozen=True)
class _Listed:
    """What the list of posts shows of one page, as the page itself has it."""

    name: str
    title: str
    description: str
    published: str


class HtmlSite:
    """One page a post, ``slug.html``, and an index of all of them, newest first."""

    def __init__(
        self, name: str, path: Path, *, title: str, language: str, base_url: str, index: str
    ) -> None:
        self._name = name
        self._title = title
        self._language = language
        self._base_url = base_url.rstrip("/")
        self._index = path / index
        self._folder = Folder(path, ".html", _read_id, reserved=[index, "index.html"], deep=False)
        self._style = _template("style.css").template
        self._listed: dict[Path, tuple[int, _Listed]] = {}

    @classmethod
    def from_table(cls, name: str, table: Table) -> Self:
        """Read the target's settings."""
        index = table.text("index", "index.html")
        if not re.fullmatch(r"[A-Za-z0-9_-][A-Za-z0-9._-]*\.html", index):
            table.fail("index", 'must be a file name that ends in .html, such as "posts.html"')
        return cls(
            name,
            table.path("path"),
            title=table.text("title", "Blog"),
            language=table.text("language", "en"),
            base_url=table.url("base_url", ""),
            index=index,
        )

    @property
    def name(self) -> str:
        """The target's name in the configuration and in the ledger."""
        return self._name

    def ready(self) -> None:
        """Return when files can be written."""
        self._folder.ready()

    def check(self) -> Sequence[Finding]:
        """Whether files can be written, and whether the index is ours to write."""
        findings = [self._folder.check(self._name)]
        if self._index.exists() and not _is_sealed(read_text(self._index)):
            findings.append(Finding(Level.WARNING, self._name, *self._foreign_index()))
        return findings

    def find(self, post: Post) -> Copy | None:
        """The post's page, under whatever name."""
        path = self._folder.find(post)
        return None if path is None else self._copy(path)

    def draft(self, post: Post) -> Copy:
        """Nothing to do: a page has no draft, it appears whole when it is published."""
        return Copy("", CopyState.DRAFT)

    def publish(self, post: Post, remote_id: str) -> Copy:
        """Put the page into the folder unless it is there, and on the list."""
        path = self._folder.place(
            post, lambda slug: slug, lambda slug: self._render_post(post, slug)
        )
        with os_errors(self._folder.path):
            notes = self._write_index()
        return self._copy(path, notes)

    def _copy(self, path: Path, notes: tuple[str, ...] = ()) -> Copy:
        return Copy(path.name, CopyState.PUBLIC, self._url(path), notes)

    def _url(self, path: Path) -> str:
        if self._base_url:
            return f"{self._base_url}/{quote(path.name)}"
        return path.absolute().as_uri()

    def _render_post(self, post: Post, slug: str) -> str:
        url = self._url(self._folder.path / f"{slug}.html")
        escaped = html.escape(post.description)
        return _template("post.html").substitute(
            language=html.escape(self._language),
            title=html.escape(post.title),
            description=f'<meta name="description" content="{escaped}">\n' if escaped else "",
            canonical=f'<link rel="canonical" href="{html.escape(url)}">\n'
            if self._base_url
            else "",
            published=post.generated_at.isoformat(timespec="seconds"),
            date=_date(post.generated_at.isoformat()),
            id=html.escape(post.id),
            style=self._style,
            index=quote(self._index.name),
            site_title=html.escape(self._title),
            body=post.html,
        )

    def _write_index(self) -> tuple[str, ...]:
        # Another instance may add a page while this one writes: write until nothing is missing.
        while True:
            listing = self._render_index()
            if self._index.exists():
                current = read_text(self._index)
                if current == listing:
                    return ()
                if not _is_sealed(current):
                    return (". ".join(self._foreign_index()),)
            replace_whole(self._index, listing)

    def _foreign_index(self) -> tuple[str, str]:
        return (
            f"{self._index.name} was made or edited by hand and is left as it is: "
            "new posts are not listed there",
            "move it away to have it made anew, or set index to another file name",
        )

    def _render_index(self) -> str:
        posts = sorted(
            (self._read_listed(path) for path, _ in self._folder.ours()),
            key=lambda post: (post.published, post.name),
            reverse=True,
        )
        page = _template("index.html").substitute(
            language=html.escape(self._language),
            site_title=html.escape(self._title),
            style=self._style,
            posts="".join(_render_listed(post) for post in posts),
        )
        return f"{page}<!-- copydesk-index sha256={_digest(page)} -->\n"

    def _read_listed(self, path: Path) -> _Listed:
        stamp = path.stat().st_mtime_ns
        if path not in self._listed or self._listed[path][0] != stamp:
            head = _head(read_text(path))
            title = head.title.get_text() if head.title else path.stem
            self._listed[path] = (
                stamp,
                _Listed(
                    path.name,
                    " ".join(title.split()),
                    _meta(head, "name", "description"),
                    _meta(head, "property", "article:published_time"),
                ),
            )
        return self._listed[path][1]


def _template(name: str) -> Template:
    return Template((resources.files(__package__) / "templates" / name).read_text("utf-8"))


def _render_listed(post: _Listed) -> str:
    title, link = html.escape(post.title), quote(post.name)
    about = f"<p>{html.escape(post.description)}</p>" if post.description else ""
    when = f'<time datetime="{html.escape(post.published)}">{_date(post.published)}</time>'
    return f'<li><a href="{link}">{title}</a>{about}{when if post.published else ""}</li>\n'


def _head(text: str) -> BeautifulSoup:
    end = _HEAD_END.search(text)
    return BeautifulSoup(text[: end.start()] if end else text, "html.parser")


def _meta(head: BeautifulSoup, attribute: str, value: str) -> str:
    tag = head.find("meta", attrs={attribute: value})
    return str(tag.get("content") or "") if tag else ""


def _read_id(text: str) -> str | None:
    if "copydesk-id" not in text:
        return None
    return _meta(_head(text), "name", "copydesk-id") or None


def _is_sealed(text: str) -> bool:
    seal = _SEAL.search(text)
    return seal is not None and seal[1] == _digest(text[: seal.start()])


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def _date(iso: str) -> str:
    try:
        moment = datetime.fromisoformat(iso)
    except ValueError:
        return html.escape(iso)
    return f"{moment:%Y-%m-%d}"
