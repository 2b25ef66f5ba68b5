"""Places for internal links: ``[[internal-link: what to look for]]``, a paragraph of its own in the
rendered text where the request asked for them (includeInternalLinksPlaceholders).

Each becomes a link to a page of the same site, or goes without a trace.
"""

import html
import re
from collections.abc import Iterable
from dataclasses import dataclass, replace

from copydesk_connectors.post import Post

_IN_HTML = re.compile(r"<p>\[\[internal-link: ([^\[\]<]*)\]\]</p>\s*")
_IN_MARKDOWN = re.compile(r"^\[\[internal-link: ([^\n]*)\]\][ \t]*(?:\n+|\Z)", re.MULTILINE)
# Shorter ones, such as "the" and "und", say nothing of a subject.
_WORD = re.compile(r"\w{4,}")
_MARKDOWN = re.compile(r"([\\\[\]*_`<])")


@dataclass(frozen=True)
class Page:
    """A public page of the site. ``title`` is plain text."""

    title: str
    url: str


Links = tuple[Page | None, ...]
"""A page for each place of a post, None where there is none to link to."""


def places(post: Post) -> tuple[str, ...]:
    """What each place asks for, in order."""
    return tuple(html.unescape(match[1]) for match in _IN_HTML.finditer(post.html))


def words(text: str) -> frozenset[str]:
    """The words by which pages are told to have one subject."""
    return frozenset(_WORD.findall(text.casefold()))


def closest(text: str, pages: Iterable[Page]) -> list[Page]:
    """The pages whose title shares a word with a text, most words first."""
    wanted = words(text)
    shared = {page: len(wanted & words(page.title)) for page in pages}
    return sorted((page for page in shared if shared[page]), key=lambda page: -shared[page])


def fill(post: Post, links: Links) -> Post:
    """The post with a link in each place; a place without one is taken out."""
    in_html, in_markdown = iter(links), iter(links)

    def as_html(match: re.Match[str]) -> str:
        page = next(in_html, None)
        if page is None:
            return ""
        return f'<p>→ <a href="{html.escape(page.url)}">{html.escape(page.title)}</a></p>\n'

    def as_markdown(match: re.Match[str]) -> str:
        page = next(in_markdown, None)
        if page is None:
            return ""
        title = _MARKDOWN.sub(r"\\\1", page.title)
        return f"→ [{title}](<{page.url}>)\n\n"

    return replace(
        post,
        html=_IN_HTML.sub(as_html, post.html).strip(),
        markdown=_IN_MARKDOWN.sub(as_markdown, post.markdown).strip(),
    )
