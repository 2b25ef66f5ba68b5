"""Placeholders for internal links: paragraphs ``[[internal-link: SUBJECT]]``.

A request asks for them with includeInternalLinksPlaceholders. Each becomes a link to a page of the
site, or is removed. The link is in a sentence of the section before the placeholder, if words of
that section name the page; else it is a paragraph with the page's title.
"""

import html
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace

from copydesk_connectors.target.post import Post

_IN_HTML = re.compile(r"<p>\[\[internal-link: ([^\[\]<]*)\]\]</p>\s*")
_IN_MARKDOWN = re.compile(r"^\[\[internal-link: ([^\n]*)\]\][ \t]*(?:\n+|\Z)", re.MULTILINE)
# Shorter words, such as "the" and "und", do not identify a subject.
_WORD = re.compile(r"\w{4,}")
_SEARCHED = 3
_MARKDOWN = re.compile(r"([\\\[\]*_`<])")
# Characters. In a longer section no sentence is looked for: its text may be anything.
_LONGEST_SECTION = 20_000
# A single word names a page only if it is long; "garden" in any sentence says too little.
_TELLING = 8
_HTML_SECTION = re.compile(r"<h[1-6]\b")
_MARKDOWN_SECTION = re.compile(r"^#", re.MULTILINE)
_TAG = re.compile(r"<(/?)([a-z][a-z0-9]*)\b[^<>]*>|<[^<>]*>|\[\[[^\n]*")
_UNLINKABLE = frozenset({"a", "code", "pre", "th", "h1", "h2", "h3", "h4", "h5", "h6"})
# Code, links, other markup, headings, tables and placeholders.
_NOT_PROSE = re.compile(
    r"^```.*?^```|`[^`\n]*`|!?\[[^\[\]\n]*\]\([^()\n]*\)|\[\[[^\n]*|<[^<>\n]*>|https?://\S+"
    r"|^#[^\n]*$|^[^|\n]*\|[^\n]*$",
    re.MULTILINE | re.DOTALL,
)
_PLAIN_WORD = re.compile(r"\w+")
_GAP = re.compile(r"[ \n-]")


@dataclass(frozen=True)
class Page:
    """A public page of the site. ``title`` is plain text."""

    title: str
    url: str


Span = tuple[int, int]

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

    def html_link(page: Page, words: str) -> str:
        return f'<a href="{html.escape(page.url)}">{words}</a>'

    def markdown_link(page: Page, words: str) -> str:
        return f"[{words}](<{page.url}>)"

    def html_paragraph(page: Page) -> str:
        return f"<p>→ {html_link(page, html.escape(page.title))}</p>\n"

    def markdown_paragraph(page: Page) -> str:
        title = _MARKDOWN.sub(r"\\\1", page.title)
        return f"→ {markdown_link(page, title)}\n\n"

    as_html = _Form(_IN_HTML, _HTML_SECTION, _html_prose, html_link, html_paragraph)
    as_markdown = _Form(
        _IN_MARKDOWN, _MARKDOWN_SECTION, _markdown_prose, markdown_link, markdown_paragraph
    )
    return replace(
        post, html=as_html.fill(post.html, links), markdown=as_markdown.fill(post.markdown, links)
    )


@dataclass(frozen=True)
class _Form:
    """How placeholders, sections and links look in HTML or in Markdown.

    ``prose`` yields where a section has text that a link may be in.
    """

    placeholder: re.Pattern[str]
    heading: re.Pattern[str]
    prose: Callable[[str], Iterator[Span]]
    link: Callable[[Page, str], str]
    paragraph: Callable[[Page], str]

    def fill(self, text: str, links: Links) -> str:
        given = iter(links)
        done: list[str] = []
        end = 0
        for match in self.placeholder.finditer(text):
            before, end = text[end : match.start()], match.end()
            page = next(given, None)
            done.append(before if page is None else self._linked(before, page))
        return "".join([*done, text[end:]]).strip()

    def _linked(self, text: str, page: Page) -> str:
        # From the last heading: above it, the post is about something else.
        start = max((match.start() for match in self.heading.finditer(text)), default=0)
        section = text[start:]
        if len(section) <= _LONGEST_SECTION:
            named = _naming(section, self.prose(section), words(page.title))
            if named is not None:
                first, last = start + named[0], start + named[1]
                return text[:first] + self.link(page, text[first:last]) + text[last:]
        return text + self.paragraph(page)


def _naming(text: str, prose: Iterable[Span], title: frozenset[str]) -> Span | None:
    """Return where the text has the most words in a row of a page's title; None if too few."""
    best: tuple[int, int, int] = (0, 0, 0)
    for start, end in prose:
        run: list[re.Match[str]] = []
        for word in _PLAIN_WORD.finditer(text, start, end):
            if run and not _GAP.fullmatch(text, run[-1].end(), word.start()):
                run = []
            if word[0].casefold() not in title:
                run = []
                continue
            run.append(word)
            first, last = run[0].start(), run[-1].end()
            if (len(run) > 1 or len(word[0]) >= _TELLING) and len(run) > best[0]:
                best = (len(run), first, last)
    return best[1:] if best[0] else None


def _html_prose(section: str) -> Iterator[Span]:
    open_tags = 0
    end = 0
    for tag in _TAG.finditer(section):
        if not open_tags:
            yield end, tag.start()
        end = tag.end()
        if tag[2] in _UNLINKABLE:
            open_tags = max(0, open_tags + (-1 if tag[1] else 1))
    if not open_tags:
        yield end, len(section)


def _markdown_prose(section: str) -> Iterator[Span]:
    end = 0
    for other in _NOT_PROSE.finditer(section):
        yield end, other.start()
        end = other.end()
    yield end, len(section)
