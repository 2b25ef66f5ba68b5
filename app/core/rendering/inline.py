"""Inline Markdown: text with strong, emphasis and code, as runs of one style each.

Links, images and HTML are not read: they stay as shown text. Only the renderer links a run.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from html import escape as escape_html
from html import unescape
from typing import TYPE_CHECKING

from app.core.rendering.plain_markdown import DROPPED, escape

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.rules_core import StateCore
    from markdown_it.token import Token

# The length of a whole post.
LONGEST_INLINE_CHARS = 20_000
REL = "sponsored noopener"
_SPACE = re.compile(r"([ \t\r\n\f\v]+)")
_BACKTICKS = re.compile(r"`+")
_ENTITY = re.compile(r"&(?=#?\w+;)")
# An escaped character or a character reference.
_ESCAPED = re.compile(r"\\([!-/:-@\[-`{-~])|&(?:#\d{1,7}|#[xX][0-9a-fA-F]{1,6}|[a-zA-Z]\w{1,31});")
# A URL that every Markdown parser accepts in a link without angle brackets.
_BARE_URL = re.compile(r"[\w:/?#@!$&*+,;=.~%-]*")
_MARKERS = {"strong": "**", "emphasis": "*"}
_TAGS = {"strong": "strong", "emphasis": "em"}
NOT_READ = ("link", "image", "autolink", "html_inline")


@dataclass(frozen=True, slots=True)
class Run:
    """Text of one style. ``link`` is the URL of an offer; no parsed text has one."""

    text: str
    strong: bool = False
    emphasis: bool = False
    code: bool = False
    link: str = ""

    def like(self, other: "Run") -> bool:
        """Return whether both have the same style."""
        return (self.strong, self.emphasis, self.code, self.link) == (
            other.strong, other.emphasis, other.code, other.link,
        )  # fmt: skip


Text = tuple[Run, ...]


def plain(text: Text) -> str:
    """Return the text as a reader sees it, without its styles."""
    return "".join(run.text for run in text)


def plain_text(text: str) -> Text:
    """Return plain text as runs: one line, without control characters."""
    return settled([Run(text)])


def joined(texts: Iterable[Text]) -> Text:
    """Return several texts as one, with spaces between them."""
    return settled(run for text in texts for run in (*text, Run(" ")))


def bounded_inline(state: "StateCore") -> None:
    """Parse inline Markdown like `markdown-it-py`, but treat very long blocks as plain text.

    In those, each bracket and star would be a token that is compared with all before it.
    """
    from markdown_it.token import Token

    for token in state.tokens:
        if token.type != "inline":
            continue
        token.children = []
        if len(token.content) <= LONGEST_INLINE_CHARS:
            state.md.inline.parse(token.content, state.md, state.env, token.children)
            continue
        for number, line in enumerate(token.content.split("\n")):
            if number:
                token.children.append(Token("softbreak", "br", 0))
            token.children.append(Token("text", "", 0, content=line))


def read_inline(token: "Token") -> Text:
    """Return the text of an inline token."""
    if len(token.content) > LONGEST_INLINE_CHARS:
        return plain_text(_ESCAPED.sub(_unescaped, token.content))
    return settled(_runs(token.children or []))


def _unescaped(match: re.Match[str]) -> str:
    return match[1] or unescape(match[0])


def _runs(children: "Sequence[Token]") -> Iterator[Run]:
    depth = {"strong": 0, "em": 0}
    link = ""
    for token in children:
        strong, emphasis = depth["strong"] > 0, depth["em"] > 0
        if token.type == "link_open":
            link = "linked"
        elif token.type == "link_close":
            link = ""
        elif token.nesting:
            depth[token.tag] += token.nesting
        elif token.type in {"softbreak", "hardbreak"}:
            yield Run(" ", strong, emphasis, link=link)
        elif token.content:
            yield Run(token.content, strong, emphasis, token.type == "code_inline", link)


def settled(runs: Iterable[Run]) -> Text:
    """Return runs in their normal form.

    They are on one line, without control characters and double spaces. No styled run begins or ends
    with a space, and two neighbours differ in style. A style that Markdown cannot express at its
    place, such as a bold part of a word that ends with a bracket, is dropped.
    """
    text = _merged(_spaced(runs))
    if not any(run.strong or run.emphasis or run.code for run in text):
        return text
    dropped: dict[str, bool] = {}
    for style in ("", "emphasis", "strong"):
        dropped |= {style: False} if style else {}
        simpler = _merged(_restyled(run, dropped) for run in text)
        if _reads_back(simpler):
            return simpler
    return _merged(Run(run.text, link=run.link) for run in text)


def _restyled(run: Run, styles: dict[str, bool]) -> Run:
    return Run(
        run.text,
        styles.get("strong", run.strong),
        styles.get("emphasis", run.emphasis),
        run.code,
        run.link,
    )


def _spaced(runs: Iterable[Run]) -> Iterator[Run]:
    """Yield words and the spaces between them; a space has the styles of both its neighbours."""
    before: Run | None = None
    source = -1
    is_spaced = False
    for number, run in enumerate(runs):
        for part in _SPACE.split(DROPPED.sub("", run.text)):
            if not part:
                continue
            if part[0] in " \t\r\n\f\v":
                is_spaced = True
                continue
            word = replace(run, text=part)
            if before and is_spaced:
                yield Run(
                    " ",
                    before.strong and word.strong,
                    before.emphasis and word.emphasis,
                    before.code and number == source,
                    word.link if word.link == before.link else "",
                )
            yield word
            before, source, is_spaced = word, number, False


def _merged(runs: Iterable[Run]) -> Text:
    """Join neighbours of the same style, and strip white space of any kind at both ends."""
    groups: list[tuple[Run, list[str]]] = []
    for run in runs:
        if groups and groups[-1][0].like(run):
            groups[-1][1].append(run.text)
        elif run.text:
            groups.append((run, [run.text]))
    found = [replace(run, text="".join(parts)) if len(parts) > 1 else run for run, parts in groups]
    while found and found[0].text != (stripped := found[0].text.lstrip()):
        found[:1] = [replace(found[0], text=stripped)] if stripped else []
    while found and found[-1].text != (stripped := found[-1].text.rstrip()):
        found[-1:] = [replace(found[-1], text=stripped)] if stripped else []
    return tuple(found)


def _reads_back(text: Text) -> bool:
    """Whether a Markdown parser makes the same runs of what is written for them."""
    written = inline_markdown(text)
    if len(written) > LONGEST_INLINE_CHARS:
        return False
    links = any(run.link for run in text)
    (token,) = _inline_parser(links=links).parseInline(written)
    shown = tuple(replace(run, link="linked" if run.link else "") for run in text)
    return _merged(_runs(token.children or [])) == _merged(shown)


@cache
def _inline_parser(*, links: bool) -> "MarkdownIt":
    # Imported here: most commands read no Markdown.
    from app.core.rendering.commonmark import MarkdownIt

    not_read = set(NOT_READ) - ({"link"} if links else set())
    return MarkdownIt("commonmark").disable(list(not_read))


def inline_markdown(text: Text, *, line_start: bool = True) -> str:
    """Return the Markdown of a text; ``line_start`` if it begins a line."""
    parts: list[str] = []
    for event, run, number in _events(text):
        if event == "text":
            if run.code:
                parts.append(_code_markdown(run.text))
                continue
            written = escape(run.text, line_start=line_start and number == 0)
            is_before_link = number + 1 < len(text) and text[number + 1].link
            if is_before_link and written.endswith("!"):
                written = f"{written[:-1]}\\!"  # otherwise the link would be an image
            parts.append(written)
        elif event == "link":
            parts.append("[")
        elif event == "/link":
            parts.append(f"]({_target(run.link)})")
        else:
            parts.append(_MARKERS[event.removeprefix("/")])
    return "".join(parts)


def _code_markdown(text: str) -> str:
    runs = {len(found) for found in _BACKTICKS.findall(text)}
    fence = "`" * next(size for size in range(1, len(runs) + 2) if size not in runs)
    pad = " " if text[0] == "`" or text[-1] == "`" else ""
    return f"{fence}{pad}{text}{pad}{fence}"


def _target(url: str) -> str:
    target = _ENTITY.sub("&amp;", url)
    return target if _BARE_URL.fullmatch(url) else f"<{target}>"


def inline_html(text: Text) -> str:
    """Return the HTML of a text. A link is sponsored and opens in a new tab."""
    parts: list[str] = []
    for event, run, _ in _events(text):
        if event == "text":
            shown = escape_html(run.text, quote=False)
            parts.append(f"<code>{shown}</code>" if run.code else shown)
        elif event == "link":
            parts.append(f'<a href="{escape_html(run.link)}" rel="{REL}" target="_blank">')
        elif event == "/link":
            parts.append("</a>")
        else:
            sign = "/" if event.startswith("/") else ""
            parts.append(f"<{sign}{_TAGS[event.removeprefix('/')]}>")
    return "".join(parts)


def _events(text: Text) -> Iterator[tuple[str, Run, int]]:
    """Yield "strong", "emphasis" and "link" where they begin, with a slash where they end, and
    "text" for each run, well nested. A link is never split."""
    opened: list[str] = []
    last = Run("")
    for number, run in enumerate(text):
        is_new_link = bool(run.link) and run.link != last.link
        reach = _reach(text, number, "link") if is_new_link else 0
        kept = [
            _has(run, style)
            and (style != "link" or run.link == last.link)
            and _reach(text, number, style, reach) >= reach
            for style in opened
        ]
        first = kept.index(False) if False in kept else len(opened)
        for style in reversed(opened[first:]):
            yield f"/{style}", last, number
        opened = opened[:first]
        # The style that lasts longest is outside; `***a***` is emphasis with strong inside.
        wanted = [s for s in ("link", "emphasis", "strong") if _has(run, s) and s not in opened]
        for style in sorted(wanted, key=lambda style: -_reach(text, number, style)):
            yield style, run, number
            opened.append(style)
        yield "text", run, number
        last = run
    for style in reversed(opened):
        yield f"/{style}", last, len(text)


def _has(run: Run, style: str) -> bool:
    return bool(getattr(run, style))


# More than the runs of a link: names of offers have at most 100 characters.
_FAR = 200


def _reach(text: Text, number: int, style: str, most: int = _FAR) -> int:
    """Return over how many runs from here a style lasts."""
    value = getattr(text[number], style)
    end = number
    while end < len(text) and end - number < most and getattr(text[end], style) == value:
        end += 1
    return end - number if value else 0
