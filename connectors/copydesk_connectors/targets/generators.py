"""The front matter and the Markdown that each static site generator expects."""

import html
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from bs4 import BeautifulSoup

from copydesk_connectors.target.post import Post
from copydesk_connectors.targets.pictures import Usual

# A brace that Liquid, Nunjucks, a Hugo shortcode or a kramdown attribute could begin with.
_BRACE = re.compile(r"\{(?=[{%#:])")
# Goldmark and kramdown make a definition of it.
_COLON = re.compile(r"(?<=\n):(?=\s)")
_TABLE_RULE = re.compile(r"^\s*\|?(?:\s*:?-+:?\s*\|)+\s*(?::?-+:?)?\s*$", re.MULTILINE)
_BLOCKS = re.compile(r"(\n[ \t]*\n)")
_FENCE = re.compile(r"(`{3,})([^`\n]*)")
_INLINE_CODE = re.compile(r"(?<![`\\])(`{1,9})(?!`)([^\n]{1,500}?)(?<!`)\1(?!`)")
_SHORTCODE = re.compile(r"\{\{([<%])([^\n]{0,500}?)([>%])\}\}")
# What Liquid and kramdown read in code as well: templates, tables and formulas.
_READ_IN_CODE = re.compile(r"[{|$]")
_LINK = re.compile(r"(?<!!)\[((?:\\.|[^\[\]\\])+)\]\(<?([^()\s<>]+)>?\)")
_EMPTY: tuple[object, ...] = ("", [])


Preset = Literal["plain", "hugo", "jekyll", "eleventy", "astro"]


@dataclass(frozen=True)
class Generator:
    """One preset.

    Attributes:
        fields: the keys of the front matter in order, separated by spaces. ``key=name`` takes the
            value of another name.
        body: returns the text below the front matter, for a post and its JSON-LD or "".
        permalink: where the generator puts a page by default.
        knows_drafts: whether a draft stays off the site unless the owner does something.
        pictures: where the generator looks for files that it copies unchanged.
    """

    fields: str
    body: Callable[[Post, str], str]
    file_name: str = "slug"
    permalink: str = "{slug}/"
    layout: str = ""
    knows_drafts: bool = True
    pictures: Usual | None = None

    def front_matter(self, values: Mapping[str, Any]) -> dict[str, Any]:
        """Return the front matter with these values, without empty ones."""
        named = (field.partition("=") for field in self.fields.split())
        found = {key: values[value or key] for key, _, value in named}
        return {key: value for key, value in found.items() if value not in _EMPTY}


def _parts(text: str) -> Iterator[tuple[str, str]]:
    """Yield the parts of a Markdown text, each as it is written and, for code, the code in it."""
    prose: list[str] = []
    code: list[str] = []
    fence = ""
    for line in text.splitlines(keepends=True):
        if fence:
            code.append(line)
            if line.strip() == fence:
                yield "".join(code), "".join(code[1:-1])
                fence = ""
        elif opening := _FENCE.fullmatch(line.rstrip()):
            yield from _inline_parts("".join(prose))
            prose, code, fence = [], [line], opening[1]
        else:
            prose.append(line)
    yield from _inline_parts("".join(code if fence else prose))


def _inline_parts(text: str) -> Iterator[tuple[str, str]]:
    at = 0
    for match in _INLINE_CODE.finditer(text):
        yield text[at : match.start()], ""
        code = match[2]
        has_pad = code.startswith(" ") and code.endswith(" ") and code.strip()
        yield match[0], code[1:-1] if has_pad else code
        at = match.end()
    yield text[at:], ""


def _no_template(text: str) -> str:
    """Return Markdown in which nothing is a template, outside of code."""
    parts = (
        written if code else _COLON.sub("&#58;", _BRACE.sub("&#123;", written))
        for written, code in _parts(text)
    )
    return "".join(parts)


def _hugo_body(post: Post, _json_ld: str) -> str:
    """Return the text with the shortcodes of its code in the form that Hugo shows."""
    parts = (
        _SHORTCODE.sub(r"{{\1/*\2*/\3}}", written) if code else _no_template(written)
        for written, code in _parts(post.markdown)
    )
    return "".join(parts)


def _body_with_html(post: Post, json_ld: str) -> str:
    """Return the text with offer links as HTML, for generators that keep HTML in Markdown."""
    text = _no_template(post.markdown)
    sponsored = sponsored_links(post)

    def link(match: re.Match[str]) -> str:
        url = html.unescape(match[2])
        if url not in sponsored:
            return match[0]
        return f'<a href="{html.escape(url)}"{sponsored[url]}>{match[1]}</a>'

    text = _LINK.sub(link, text)
    if json_ld:
        # Within its texts a brace may be written as an escape; outside of them none is doubled.
        data = _BRACE.sub(r"\\u007b", json_ld)
        text += f'\n\n<script type="application/ld+json">{data}</script>'
    return text


def _jekyll_body(post: Post, json_ld: str) -> str:
    """Return the same for kramdown, which takes bars for tables and two dollars for formulas."""
    text = "".join(
        _code_html(written, code) if _READ_IN_CODE.search(code) else written
        for written, code in _parts(_body_with_html(post, json_ld))
    )
    blocks = _BLOCKS.split(text)
    for number, block in enumerate(blocks):
        if "|" in block and not _TABLE_RULE.search(block):
            blocks[number] = block.replace("\\|", "|").replace("|", "&#124;")
    return "".join(blocks).replace("$$", "&#36;&#36;")


def _code_html(written: str, code: str) -> str:
    """Return code as HTML, in which no character has a meaning."""
    is_block = written.startswith("```")
    shown = html.escape(code if is_block else code.replace("\\|", "|"), quote=False)
    shown = _READ_IN_CODE.sub(lambda match: f"&#{ord(match[0])};", shown)
    if not is_block:
        return f"<code>{shown}</code>"
    # An empty line would end the block of HTML.
    shown = shown.replace("\n\n", "\n&#10;")
    return f"<pre><code>{shown}</code></pre>\n"


def sponsored_links(post: Post) -> Mapping[str, str]:
    """Return the other attributes of each sponsored link, by its address."""
    if "sponsored" not in post.html:
        return {}
    page = BeautifulSoup(post.html, "html.parser", multi_valued_attributes=None)
    return {
        str(link["href"]): "".join(
            f' {name}="{html.escape(str(link[name]))}"'
            for name in ("rel", "target")
            if name in link.attrs
        )
        # A selector would take 0.3 s to compile.
        for link in page.find_all("a", href=True)
        if "sponsored" in str(link.get("rel", "")).split()
    }


_LISTS = "categories keywords author"
GENERATORS: Mapping[Preset, Generator] = {
    "plain": Generator(
        f"title date description slug draft=true_for_drafts tags {_LISTS} layout image json_ld",
        lambda post, _: post.markdown,
    ),
    # Hugo drops HTML in Markdown, so the last two fields wait for the owner's templates.
    "hugo": Generator(
        f"title date draft description slug layout tags {_LISTS} images=image_list "
        "sponsored json_ld",
        _hugo_body,
        pictures=Usual("content", "static/images", "/images"),
    ),
    "jekyll": Generator(
        "layout title date published=false_for_drafts description excerpt=description slug tags "
        f"{_LISTS} image",
        _jekyll_body,
        file_name="date-slug",
        permalink="{categories}/{year}/{month}/{day}/{slug}.html",
        layout="post",
        pictures=Usual("_posts", "assets/images", "/assets/images"),
    ),
    # Eleventy itself has no drafts: three fields keep the page off the site and out of every list.
    # The last field says that the text is not a template.
    "eleventy": Generator(
        "layout title date draft=true_for_drafts permalink=false_for_drafts "
        f"eleventyExcludeFromCollections=true_for_drafts description tags {_LISTS} image "
        "templateEngineOverride=markdown",
        _body_with_html,
    ),
    # Its blog template requires a description.
    "astro": Generator(
        "layout title pubDate=date description=description_or_title draft slug tags "
        f"{_LISTS} heroImage=image",
        _body_with_html,
        knows_drafts=False,
        pictures=Usual("src", "public/images", "/images"),
    ),
}
