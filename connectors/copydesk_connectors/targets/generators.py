"""What each static site generator wants of a Markdown file."""

import html
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from bs4 import BeautifulSoup

from copydesk_connectors.post import Post
from copydesk_connectors.targets.picture_folder import Usual

# A brace that Liquid, Nunjucks, a Hugo shortcode or a kramdown attribute could begin with.
_BRACE = re.compile(r"\{(?=[{%#:])")
# Goldmark and kramdown make a definition of it.
_COLON = re.compile(r"^:(?=\s)", re.MULTILINE)
_TABLE_RULE = re.compile(r"^\s*\|?(?:\s*:?-+:?\s*\|)+\s*(?::?-+:?)?\s*$", re.MULTILINE)
_BLOCKS = re.compile(r"(\n[ \t]*\n)")
_LINK = re.compile(r"(?<!!)\[((?:\\.|[^\[\]\\])+)\]\(<?([^()\s<>]+)>?\)")


@dataclass(frozen=True)
class Page:
    """A post with what its owner has set for all of them.

    ``image`` is the picture's address as the page needs it, ``json_ld`` the text of the script
    element; empty where there is none.
    """

    post: Post
    slug: str
    draft: bool
    tags: Sequence[str]
    categories: Sequence[str]
    author: str
    layout: str
    image: str
    json_ld: str

    @property
    def date(self) -> datetime:
        """When the post was made, to the second."""
        return self.post.generated_at.replace(microsecond=0)


@dataclass(frozen=True)
class Generator:
    """One preset.

    ``permalink`` is where the generator puts a page unless it was told otherwise; see
    ``address``. ``fields`` gives the front matter and ``body`` the text below it.
    ``knows_drafts`` tells whether a draft stays off the site without the owner's doing, and
    ``pictures`` where the generator looks for files that it copies as they are.
    """

    fields: Callable[[Page], dict[str, Any]]
    body: Callable[[Page], str]
    file_name: str = "slug"
    permalink: str = "{slug}/"
    layout: str = ""
    knows_drafts: bool = True
    pictures: Usual | None = None


def _plain_fields(page: Page) -> dict[str, Any]:
    return {
        "title": page.post.title,
        "date": page.date,
        "description": page.post.description,
        "slug": page.slug,
        **({"draft": True} if page.draft else {}),
        "tags": list(page.tags),
        **_lists(page),
        "layout": page.layout,
        "image": page.image,
        "json_ld": page.json_ld,
    }


def _hugo_fields(page: Page) -> dict[str, Any]:
    return {
        "title": page.post.title,
        "date": page.date,
        "draft": page.draft,
        "description": page.post.description,
        "slug": page.slug,
        "layout": page.layout,
        "tags": list(page.tags),
        **_lists(page),
        "images": [page.image] if page.image else [],
        # Hugo drops HTML in Markdown, so these two wait for the owner's templates.
        "sponsored": list(_sponsored(page.post)),
        "json_ld": page.json_ld,
    }


def _jekyll_fields(page: Page) -> dict[str, Any]:
    return {
        "layout": page.layout,
        "title": page.post.title,
        "date": page.date,
        **({"published": False} if page.draft else {}),
        "description": page.post.description,
        "excerpt": page.post.description,
        "slug": page.slug,
        "tags": list(page.tags),
        **_lists(page),
        "image": page.image,
    }


def _eleventy_fields(page: Page) -> dict[str, Any]:
    # Eleventy itself has no drafts: these two keep the page off the site and out of every list.
    hidden = {"draft": True, "permalink": False, "eleventyExcludeFromCollections": True}
    return {
        "layout": page.layout,
        "title": page.post.title,
        "date": page.date,
        **(hidden if page.draft else {}),
        "description": page.post.description,
        "tags": list(page.tags),
        **_lists(page),
        "image": page.image,
        "templateEngineOverride": "md",  # the text is no template
    }


def _astro_fields(page: Page) -> dict[str, Any]:
    return {
        "layout": page.layout,
        "title": page.post.title,
        "pubDate": page.date,
        "description": page.post.description or page.post.title,  # its blog requires one
        "draft": page.draft,
        "slug": page.slug,
        "tags": list(page.tags),
        **_lists(page),
        "heroImage": page.image,
    }


def _lists(page: Page) -> dict[str, Any]:
    return {
        "categories": list(page.categories),
        "keywords": list(page.post.keywords),
        "author": page.author,
    }


def _plain_body(page: Page) -> str:
    return page.post.markdown


def _no_template(page: Page) -> str:
    return _COLON.sub("&#58;", _BRACE.sub("&#123;", page.post.markdown))


def _body_with_html(page: Page) -> str:
    """For generators that keep HTML in Markdown: offer links as they are in the post's HTML."""
    text = _no_template(page)
    sponsored = _sponsored(page.post)

    def link(match: re.Match[str]) -> str:
        url = html.unescape(match[2])
        if url not in sponsored:
            return match[0]
        return f'<a href="{html.escape(url)}"{sponsored[url]}>{match[1]}</a>'

    text = _LINK.sub(link, text)
    if page.json_ld:
        # Within its texts a brace may be written as an escape; outside of them none is doubled.
        data = _BRACE.sub(r"\\u007b", page.json_ld)
        text += f'\n\n<script type="application/ld+json">{data}</script>'
    return text


def _jekyll_body(page: Page) -> str:
    """The same; kramdown makes a table of every line with a bar, and formulas of two dollars."""
    blocks = _BLOCKS.split(_body_with_html(page))
    for number, block in enumerate(blocks):
        if "|" in block and not _TABLE_RULE.search(block):
            blocks[number] = block.replace("\\|", "|").replace("|", "&#124;")
    return "".join(blocks).replace("$$", "&#36;&#36;")


def _sponsored(post: Post) -> Mapping[str, str]:
    """The other attributes of each link that is marked as paid for, by its address."""
    if "sponsored" not in post.html:
        return {}
    links = BeautifulSoup(post.html, "html.parser").select('a[href][rel~="sponsored"]')
    return {str(link["href"]): _attributes(link.attrs) for link in links}


def _attributes(given: Mapping[str, object]) -> str:
    kept = {name: given[name] for name in ("rel", "target") if name in given}
    texts = {k: " ".join(v) if isinstance(v, list) else str(v) for k, v in kept.items()}
    return "".join(f' {name}="{html.escape(value)}"' for name, value in texts.items())


GENERATORS: Mapping[str, Generator] = {
    "plain": Generator(_plain_fields, _plain_body),
    "hugo": Generator(
        _hugo_fields, _no_template, pictures=Usual("content", "static/images", "/images")
    ),
    "jekyll": Generator(
        _jekyll_fields,
        _jekyll_body,
        file_name="date-slug",
        permalink="{categories}/{year}/{month}/{day}/{slug}.html",
        layout="post",
        pictures=Usual("_posts", "assets/images", "/assets/images"),
    ),
    "eleventy": Generator(_eleventy_fields, _body_with_html),
    "astro": Generator(
        _astro_fields,
        _body_with_html,
        knows_drafts=False,
        pictures=Usual("src", "public/images", "/images"),
    ),
}
