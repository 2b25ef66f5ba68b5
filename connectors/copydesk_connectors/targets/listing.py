"""The files that list the posts of a plain HTML site: pages, topics, a sitemap and an Atom feed.

A list is split into pages of 50. The oldest posts are on pages that do not change once they are
full, and the first page has the 50 to 99 newest ones. So a new post usually changes only the first
page of the list of all posts and of each of its tags, one part of the sitemap, and the feed.
"""

import hashlib
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import lru_cache
from typing import Any, NamedTuple
from urllib.parse import quote
from uuid import NAMESPACE_URL, uuid5
from xml.etree import ElementTree

from slugify import slugify

from copydesk_connectors.targets.page_templates import Templates
from copydesk_connectors.targets.page_words import words
from copydesk_connectors.targets.seen_files import Facts

PAGE = 50
FEED_ENTRIES = 20
SITEMAP_PAGES = 500
TAGS = "tags"
"""The folder of the pages of tags."""
_TAG_LENGTH = 80
_ATOM = "http://www.w3.org/2005/Atom"
_SITEMAP = "http://www.sitemaps.org/schemas/sitemap/0.9"
_SEAL = re.compile(r"<!-- copydesk-index sha256=([0-9a-f]{64})(?: state=([0-9a-f]{32}))? -->\n\Z")
_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")

Posts = Sequence[tuple[str, Facts]]
"""The file names of posts, with what the files say, oldest first."""


class ListFile(NamedTuple):
    """One file of the lists.

    Attributes:
        name: its name within the folder.
        key: the setting that names it, or "" if none does.
        content: all that it shows, for comparison.
        render: returns its text for a state, which the text contains.
    """

    name: str
    key: str
    content: tuple[Any, ...]
    render: Callable[[str], str]


@dataclass(frozen=True)
class Listing:
    """The lists of one site. ``base_url`` is empty if unknown."""

    title: str
    language: str
    author: str
    base_url: str
    index: str
    feed: str
    sitemap: str

    def is_reserved(self, name: str) -> bool:
        """Return whether a file name belongs to a list."""
        stem = re.escape(self.index.removesuffix(".html"))
        return name in (self.index, "index.html") or bool(
            re.fullmatch(rf"{stem}-page-\d+\.html", name)
        )

    def may_be_left(self, name: str) -> bool:
        """Return whether a name within the folder is one that a list may have had before."""
        folder, _, file = name.rpartition("/")
        if folder:
            return file.endswith(".html")
        is_page = name != self.index and self.is_reserved(name) and name != "index.html"
        stem = re.escape(self.sitemap.removesuffix(".xml"))
        return is_page or bool(re.fullmatch(rf"{stem}(-\d+)?\.xml", name))

    def next_names(self, names: Sequence[str]) -> list[str]:
        """Return the names that the lists in the folder itself had when there were more posts."""
        index, sitemap = self.index.removesuffix(".html"), self.sitemap.removesuffix(".xml")
        pages = sum(name.endswith(".html") for name in names)
        parts = len(names) - pages
        # Two more than there are now are enough to see them go, even after a crash.
        more = [f"{index}-page-{number}.html" for number in (pages, pages + 1)]
        return [*more, self.sitemap, *(f"{sitemap}-{number}.xml" for number in (parts, parts + 1))]

    def files(self, posts: Posts, templates: Templates) -> Iterator[ListFile]:
        """Yield every list but the feed; a page comes before those that lead to it."""
        by_tag: dict[str, tuple[str, list[tuple[str, Facts]]]] = {}
        for post in posts:
            for slug, tag in tag_slugs(post[1].tags).items():
                by_tag.setdefault(slug, (tag, []))[1].append(post)
        for slug, (tag, tagged) in by_tag.items():
            yield from self._pages(
                f"{TAGS}/{slug}.html", f"{TAGS}/{slug}.page", tag, tagged, templates
            )
        stem = self.index.removesuffix(".html")
        yield from self._pages(self.index, f"{stem}-page", "", posts, templates)
        if self.base_url:
            yield from self._sitemaps(posts)

    def state(self, content: tuple[Any, ...], design: str) -> str:
        """Return a digest of what a list shows and of its design. The list contains it."""
        shown = repr((self, words(self.language), design, content))
        return hashlib.sha256(shown.encode()).hexdigest()[:32]

    def site(self) -> dict[str, str]:
        """Return what templates know as ``site``."""
        return {
            "title": self.title,
            "language": self.language,
            "author": self.author,
            "base_url": self.base_url,
            "index": quote(self.index),
            "feed": quote(self.feed),
        }

    def render_page(self, file: str, page: "ListPage", templates: Templates) -> str:
        """Return a page of a list, without a seal."""
        said = words(self.language)
        title = said.about.format(tag=page.tag) if page.tag else self.title
        values = {
            "site": self.site(),
            "words": said,
            "post": None,
            "page": {
                "title": f"{title} – {self.title}" if page.tag else title,
                "description": "",
                "url": self.url(file) if self.base_url else "",
                "image": "",
                "root": "../" if "/" in file else "",
            },
            "list": {
                "title": title,
                "tag": page.tag,
                "newest": quote(page.newest),
                "older": quote(page.older),
                "posts": [
                    {
                        "href": quote(name),
                        "title": facts.title or name,
                        "description": facts.description,
                        "published": facts.published,
                        "date": said.day(facts.published),
                        "thumbnail": facts.thumbnail,
                    }
                    for name, facts in reversed(page.posts)
                ],
            },
        }
        return templates.render("list.html", values)

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
            _add(feed, "link", rel="self", type="application/atom+xml", href=self.url(self.feed))
        _add(feed, "link", rel="alternate", type="text/html", href=self.url(self.index))
        for (name, facts), time in zip(newest, times, strict=True):
            entry = _add(feed, "entry")
            # The id depends only on the item, so it survives a new title, file name or domain.
            _add(entry, "id", _urn(f"copydesk:{facts.id}"))
            _add(entry, "title", facts.title or name)
            _add(entry, "link", rel="alternate", type="text/html", href=self.url(name))
            for element in ("published", "updated"):
                _add(entry, element, time.isoformat(timespec="seconds"))
            if facts.description:
                _add(entry, "summary", facts.description)
        return _sealed(_xml(feed))

    def url(self, name: str) -> str:
        """Return a file's address, or the path to it if the site's address is unknown."""
        return f"{self.base_url}/{quote(name)}" if self.base_url else quote(name)

    def _pages(
        self, first: str, stem: str, tag: str, posts: Posts, templates: Templates
    ) -> Iterator[ListFile]:
        old = max(0, len(posts) // PAGE - 1)
        names = [f"{stem}-{number}.html" for number in range(1, old + 1)]
        for number, name in enumerate([*names, first]):
            end = len(posts) if name == first else (number + 1) * PAGE
            older = names[number - 1] if number else ""
            part = tuple(posts[number * PAGE : end])
            page = ListPage(tag, part, "" if name == first else first, older)

            def render(state: str, name: str = name, page: ListPage = page) -> str:
                return _sealed(self.render_page(name, page, templates), state)

            yield ListFile(name, "" if tag else "index", page, render)

    def _sitemaps(self, posts: Posts) -> Iterator[ListFile]:
        stem = self.sitemap.removesuffix(".xml")
        parts: list[tuple[str, str]] = []
        for start in range(0, len(posts), SITEMAP_PAGES):
            entries = [
                (name, facts.published) for name, facts in posts[start : start + SITEMAP_PAGES]
            ]
            name = f"{stem}-{len(parts) + 1}.xml"
            parts.append((name, entries[-1][1]))
            pages = entries if start else [(self.index, ""), *entries]
            yield self._sitemap(name, "urlset", "url", pages)
        yield self._sitemap(self.sitemap, "sitemapindex", "sitemap", parts)

    def _sitemap(
        self, name: str, root: str, child: str, entries: Sequence[tuple[str, str]]
    ) -> ListFile:
        def render(state: str) -> str:
            tree = ElementTree.Element(root, {"xmlns": _SITEMAP})
            for file, published in entries:
                entry = _add(tree, child)
                _add(entry, "loc", self.url(file))
                if published:
                    _add(entry, "lastmod", _moment(published).isoformat(timespec="seconds"))
            return _sealed(_xml(tree), state)

        return ListFile(name, "sitemap", (root, *entries), render)


class ListPage(NamedTuple):
    """A page of a list: of all posts, or of those with a ``tag``.

    ``newest`` and ``older`` are the names of the first page, if this is another one, and of the
    page with the next older posts; both may be empty. ``posts`` are oldest first.
    """

    tag: str
    posts: Posts
    newest: str
    older: str


def tag_slugs(tags: Sequence[str]) -> dict[str, str]:
    """Return the tags by the name of their page. One without a letter or digit has no page."""
    found: dict[str, str] = {}
    for tag in tags:
        if slug := _slug(tag):
            found.setdefault(slug, tag)
    return found


def is_sealed(text: str) -> bool:
    """Return whether a list is as we wrote it."""
    seal = _SEAL.search(text)
    return seal is not None and seal[1] == _digest(text[: seal.start()])


def sealed_state(text: str) -> str:
    """Return the state that a sealed list contains, or "" if it has none."""
    seal = _SEAL.search(text)
    return (seal[2] or "") if seal else ""


@lru_cache(maxsize=65_536)  # every list is compared for every post
def _slug(tag: str) -> str:
    return slugify(tag, max_length=_TAG_LENGTH, word_boundary=True)


def _sealed(text: str, state: str = "") -> str:
    """Return the text with a mark at its end that shows whether anybody edited it since."""
    shown = f" state={state}" if state else ""
    return f"{text}<!-- copydesk-index sha256={_digest(text)}{shown} -->\n"


def _xml(tree: ElementTree.Element) -> str:
    ElementTree.indent(tree, "")
    text = ElementTree.tostring(tree, encoding="unicode")
    return f'<?xml version="1.0" encoding="utf-8"?>\n{text}\n'


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
