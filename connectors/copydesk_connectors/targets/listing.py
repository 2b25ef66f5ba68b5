"""The pages that list the posts of a plain HTML site, newest first, and its Atom feed (RFC 4287).

The oldest posts are on pages of 50, which do not change once they are full. The index has the 50 to
99 newest ones, so a new post usually changes only the index and the feed.
"""

import hashlib
import html
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from string import Template
from urllib.parse import quote
from uuid import NAMESPACE_URL, uuid5
from xml.etree import ElementTree

from copydesk_connectors.targets.seen_files import Facts

PAGE = 50
FEED_ENTRIES = 20
_ATOM = "http://www.w3.org/2005/Atom"
_SEAL = re.compile(r"<!-- copydesk-index sha256=([0-9a-f]{64}) -->\n\Z")
_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")

Posts = Sequence[tuple[str, Facts]]
"""The file names of posts, with what the files say, oldest first."""


@dataclass(frozen=True)
class Listing:
    """The lists of one site. ``base_url`` is empty if unknown."""

    title: str
    language: str
    author: str
    base_url: str
    index: str
    feed: str

    def page_name(self, number: int) -> str:
        """Return the file name of a page of old posts; page 1 has the oldest."""
        return f"{self.index.removesuffix('.html')}-page-{number}.html"

    def is_reserved(self, name: str) -> bool:
        """Return whether a file name belongs to a list."""
        stem = re.escape(self.index.removesuffix(".html"))
        return name in (self.index, "index.html") or bool(
            re.fullmatch(rf"{stem}-page-\d+\.html", name)
        )

    @staticmethod
    def old_pages(posts: int) -> int:
        """Return the number of pages beside the index."""
        return max(0, posts // PAGE - 1)

    def pages(self, posts: Posts) -> Iterator[tuple[str, Posts, int]]:
        """Yield the file name, the posts and the older page's number (or 0) of each page.

        The index comes last.
        """
        old = self.old_pages(len(posts))
        for number in range(1, old + 1):
            yield self.page_name(number), posts[(number - 1) * PAGE : number * PAGE], number - 1
        yield self.index, posts[old * PAGE :], old

    def state(self, posts: Posts, older: int) -> str:
        """Return a digest of everything that a page shows. The page contains it."""
        digest = hashlib.sha256(f"{self} {older} {_templates()}".encode())
        digest.update("\n".join("\t".join((name, *facts)) for name, facts in posts).encode())
        return digest.hexdigest()[:32]

    def render_page(self, name: str, posts: Posts, older: int) -> str:
        """Return the text of the page with that file name; see ``pages``."""
        links = []
        if name != self.index:
            links.append(f'<a href="{quote(self.index)}">Newest posts</a>')
        if older:
            links.append(f'<a rel="prev" href="{quote(self.page_name(older))}">Older posts</a>')
        page = template("index.html").substitute(
            language=html.escape(self.language),
            site_title=html.escape(self.title),
            style=template("style.css").template,
            feed=quote(self.feed),
            state=self.state(posts, older),
            posts="".join(_item(post, facts) for post, facts in reversed(posts))
            or '<li class="none">No posts yet.</li>\n',
            older=f"<nav>{' '.join(links)}</nav>\n" if links else "",
        )
        return _sealed(page)

    def render_feed(self, posts: Posts, current: str) -> str:
        """Return the feed of the newest posts. It keeps the id of the ``current`` feed, if any."""
        newest = list(reversed(posts[-FEED_ENTRIES:]))
        times = [_moment(facts.published) for _, facts in newest]
        known = re.search(r"<id>(urn:uuid:[0-9a-f-]{36})</id>", current)
        feed = ElementTree.Element("feed", {"xmlns": _ATOM, "xml:lang": self.language})
        _add(feed, "id", known[1] if known else _urn(f"{self.base_url} {self.title}"))
        _add(feed, "title", self.title)
        _add(feed, "updated", max(times, default=_moment("")).isoformat(timespec="seconds"))
        _add(_add(feed, "author"), "name", self.author or self.title)
        if self.base_url:
            _add(feed, "link", rel="self", type="application/atom+xml", href=self._url(self.feed))
        _add(feed, "link", rel="alternate", type="text/html", href=self._url(self.index))
        for (name, facts), time in zip(newest, times, strict=True):
            entry = _add(feed, "entry")
            # The id depends only on the item, so it survives a new title, file name or domain.
            _add(entry, "id", _urn(f"copydesk:{facts.id}"))
            _add(entry, "title", facts.title or name)
            _add(entry, "link", rel="alternate", type="text/html", href=self._url(name))
            for element in ("published", "updated"):
                _add(entry, element, time.isoformat(timespec="seconds"))
            if facts.description:
                _add(entry, "summary", facts.description)
        ElementTree.indent(feed, "")
        text = ElementTree.tostring(feed, encoding="unicode")
        return _sealed(f'<?xml version="1.0" encoding="utf-8"?>\n{text}\n')

    def _url(self, name: str) -> str:
        return f"{self.base_url}/{quote(name)}" if self.base_url else quote(name)


@cache
def template(name: str) -> Template:
    """Return a file of the folder ``templates``."""
    return Template((Path(__file__).with_name("templates") / name).read_text("utf-8"))


def is_sealed(text: str) -> bool:
    """Return whether a list is as we wrote it."""
    seal = _SEAL.search(text)
    return seal is not None and seal[1] == _digest(text[: seal.start()])


def day(iso: str) -> str:
    """Return the day of a time for readers; a text that is not a time stays, escaped."""
    try:
        return f"{datetime.fromisoformat(iso):%Y-%m-%d}"
    except ValueError:
        return html.escape(iso)


def _sealed(text: str) -> str:
    """Return the text with a mark at its end that shows whether anybody edited it since."""
    return f"{text}<!-- copydesk-index sha256={_digest(text)} -->\n"


def _item(name: str, facts: Facts) -> str:
    about = f"<p>{html.escape(facts.description)}</p>" if facts.description else ""
    when = f'<time datetime="{html.escape(facts.published)}">{day(facts.published)}</time>'
    link = f'<a href="{quote(name)}">{html.escape(facts.title)}</a>'
    return f"<li>{link}{about}{when if facts.published else ''}</li>\n"


@cache
def _templates() -> str:
    return _digest(template("index.html").template + template("style.css").template)


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def _urn(name: str) -> str:
    return uuid5(NAMESPACE_URL, name).urn


def _moment(iso: str) -> datetime:
    try:
        moment = datetime.fromisoformat(iso)
    except ValueError:
        return datetime(1970, 1, 1, tzinfo=UTC)
    return moment.replace(tzinfo=moment.tzinfo or UTC)


def _add(
    parent: ElementTree.Element, name: str, text: str = "", **attributes: str
) -> ElementTree.Element:
    child = ElementTree.SubElement(parent, name, attributes)
    child.text = _NOT_XML.sub("", text) or None
    return child
