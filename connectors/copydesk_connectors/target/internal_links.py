"""Placeholders for internal links: paragraphs ``[[internal-link: SUBJECT]]``.

A request asks for them with includeInternalLinksPlaceholders. Each becomes a link to a page of the
site, with the page's title, or is removed.
"""

import html
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

from copydesk_connectors.target.post import Post

_IN_HTML = re.compile(r"<p>\[\[internal-link: ([^\[\]<]*)\]\]</p>\s*")
_IN_MARKDOWN = re.compile(r"^\[\[internal-link: ([^\n]*)\]\][ \t]*(?:\n+|\Z)", re.MULTILINE)
# Shorter words, such as "the" and "und", do not identify a subject.
_WORD = re.compile(r"\w{4,}")
_SEARCHED = 3
_MARKDOWN = re.compile(r"([\\\[\]*_`<])")


@dataclass(frozen=True)
class Page:
    """A public page of the site. ``title`` is plain text."""

    title: str
    url: str


Links = tuple[Page | None, ...]
"""The page to link to at each place of a post; None if no page fits."""


def places(post: Post) -> tuple[str, ...]:
    """Return the subject of each placeholder, in order."""
    return tuple(html.unescape(match[1]) for match in _IN_HTML.finditer(post.html))


def words(text: str) -> frozenset[str]:
    """Return the words that pages on the same subject share."""
    return frozenset(_WORD.findall(text.casefold()))


def longest_words(text: str) -> list[str]:
    """Return the three longest words of a text, as many searches require every word."""
    return sorted(words(text), key=lambda word: (-len(word), word))[:_SEARCHED]


def closest(text: str, pages: Iterable[Page]) -> list[Page]:
    """Return the pages whose title shares a word with a text, most shared words first."""
    wanted = words(text)
    shared = {page: len(wanted & words(page.title)) for page in pages}
    return sorted((page for page in shared if shared[page]), key=lambda page: -shared[page])


def fill(post: Post, links: Links) -> Post:
    """Return the post with a link for each placeholder; one without a page is removed."""

    def html_link(page: Page) -> str:
        return f'<p>→ <a href="{html.escape(page.url)}">{html.escape(page.title)}</a></p>\n'

    def markdown_link(page: Page) -> str:
        title = _MARKDOWN.sub(r"\\\1", page.title)
        return f"→ [{title}](<{page.url}>)\n\n"

    return replace(
        post,
        html=_filled(_IN_HTML, post.html, links, html_link),
        markdown=_filled(_IN_MARKDOWN, post.markdown, links, markdown_link),
    )


def _filled(
    placeholder: re.Pattern[str], text: str, links: Links, link: Callable[[Page], str]
) -> str:
    given = iter(links)

    def linked(_: re.Match[str]) -> str:
        page = next(given, None)
        return "" if page is None else link(page)

    return placeholder.sub(linked, text).strip()
