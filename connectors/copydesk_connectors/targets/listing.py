"""The pages that list the posts of a plain HTML site, newest first, and its Atom feed (RFC 4287).

The oldest posts stand on pages of 50, which no longer change once they are full; the index has the
50 to 99 newest ones, so that a new post changes the index and the feed alone.
"""

import hashlib
import html
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from typing import NamedTuple
from urllib.parse import quote
from uuid import NAMESPACE_URL, uuid5
from xml.etree import ElementTree

from copydesk_connectors.targets.seen_files import Facts
from copydesk_connectors.targets.templates import template

PAGE = 50
FEED_ENTRIES = 20
_ATOM = "http://www.w3.org/2005/Atom"
_SEAL = re.compile(r"<!-- copydesk-index sha256=([0-9a-f]{64}) -->\n\Z")
_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


class Listed(NamedTuple):
    """One post on the list: the name of its file and what the file says."""

    name: str
    facts: Facts


@dataclass(frozen=True)
class Listing:
    """What all the lists of one site have in common. ``base_url`` is empty where unknown."""

    title: str
    language: str
    author: str
    base_url: str
    index: str
    feed: str

    def page_name(self, number: int) -> str:
        """The file of the ``number``-th page of old posts, counted from the oldest."""
        return f"{self.index.removesuffix('.html')}-page-{number}.html"

    def is_reserved(self, name: str) -> bool:
        """Whether the name of a file belongs to a list."""
        stem = re.escape(self.index.removesuffix(".html"))
        return name in (self.index, "index.html") or bool(
            re.fullmatch(rf"{stem}-page-\d+\.html", name)
        )

    @staticmethod
    def old_pages(posts: int) -> int:
        """How many pages of old posts there are beside the index."""
        return max(0, posts // PAGE - 1)

    def pages(self, posts: Sequence[Listed]) -> Iterator[tuple[str, Sequence[Listed], int]]:
        """The file, the posts and the older page's number (or 0) of each page, the index last."""
        old = self.old_pages(len(posts))
        for number in range(1, old + 1):
            yield self.page_name(number), posts[(number - 1) * PAGE : number * PAGE], number - 1
        yield self.index, posts[old * PAGE :], old

    def state(self, posts: Sequence[Listed], older: int) -> str:
        """What ``render_page`` makes of these, in brief: another page has another state."""
        digest = hashlib.sha256(f"{self} {older} {_templates()}".encode())
        digest.update("\n".join("\t".join((name, *facts)) for name, facts in posts).encode())
        return digest.hexdigest()[:32]

    def render_page(
        self, posts: Sequence[Listed], older: int, state: str, *, is_index: bool
    ) -> str:
        """One list. ``posts`` are the oldest first; ``state`` is kept in the page."""
        links = [] if is_index else [f'<a href="{quote(self.index)}">Newest posts</a>']
        if older:
            links.append(f'<a rel="prev" href="{quote(self.page_name(older))}">Older posts</a>')
        page = template("index.html").substitute(
            language=html.escape(self.language),
            site_title=html.escape(self.title),
            style=template("style.css").template,
            feed=quote(self.feed),
            state=state,
            posts="".join(_item(post) for post in reversed(posts))
            or '<li class="none">No posts yet.</li>\n',
            older=f"<nav>{' '.join(links)}</nav>\n" if links else "",
        )
        return sealed(page)

    def render_feed(self, posts: Sequence[Listed], feed_id: str) -> str:
        """The feed of the newest posts. ``posts`` are the oldest first."""
        newest = list(reversed(posts[-FEED_ENTRIES:]))
        times = [_moment(post.facts.published) for post in newest]
        feed = ElementTree.Element("feed", {"xmlns": _ATOM, "xml:lang": self.language})
        _add(feed, "id", feed_id)
        _add(feed, "title", self.title)
        _add(feed, "updated", max(times, default=_moment("")).isoformat(timespec="seconds"))
        _add(_add(feed, "author"), "name", self.author or self.title)
        if self.base_url:
            _add(feed, "link", rel="self", type="application/atom+xml", href=self._url(self.feed))
        _add(feed, "link", rel="alternate", type="text/html", href=self._url(self.index))
        for post, time in zip(newest, times, strict=True):
            entry = _add(feed, "entry")
            # An id of the item alone: it outlives new titles, new file names and new domains.
            _add(entry, "id", uuid5(NAMESPACE_URL, f"copydesk:{post.facts.id}").urn)
            _add(entry, "title", post.facts.title or post.name)
            _add(entry, "link", rel="alternate", type="text/html", href=self._url(post.name))
            for name in ("published", "updated"):
                _add(entry, name, time.isoformat(timespec="seconds"))
            if post.facts.description:
                _add(entry, "summary", post.facts.description)
        ElementTree.indent(feed, "")
        text = ElementTree.tostring(feed, encoding="unicode")
        return sealed(f'<?xml version="1.0" encoding="utf-8"?>\n{text}\n')

    def feed_id(self, current: str) -> str:
        """The feed's id: the one that it has, else one of the site's address and title."""
        found = re.search(r"<id>(urn:uuid:[0-9a-f-]{36})</id>", current)
        return found[1] if found else uuid5(NAMESPACE_URL, f"{self.base_url} {self.title}").urn

    def _url(self, name: str) -> str:
        return f"{self.base_url}/{quote(name)}" if self.base_url else quote(name)


def sealed(text: str) -> str:
    """The text with a mark at its end that tells whether anybody edited it since."""
    return f"{text}<!-- copydesk-index sha256={_digest(text)} -->\n"


def is_sealed(text: str) -> bool:
    """Whether the text is as we wrote it."""
    seal = _SEAL.search(text)
    return seal is not None and seal[1] == _digest(text[: seal.start()])


def day(iso: str) -> str:
    """The day of a time, as readers see it; what is no time stays as it is, escaped."""
    try:
        return f"{datetime.fromisoformat(iso):%Y-%m-%d}"
    except ValueError:
        return html.escape(iso)


def _item(post: Listed) -> str:
    facts = post.facts
    about = f"<p>{html.escape(facts.description)}</p>" if facts.description else ""
    when = f'<time datetime="{html.escape(facts.published)}">{day(facts.published)}</time>'
    link = f'<a href="{quote(post.name)}">{html.escape(facts.title)}</a>'
    return f"<li>{link}{about}{when if facts.published else ''}</li>\n"


@cache
def _templates() -> str:
    return _digest(template("index.html").template + template("style.css").template)


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


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
