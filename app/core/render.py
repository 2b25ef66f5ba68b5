"""A post as Markdown and as HTML.

The title is not part of either: the page that shows a post sets it as its heading, and a second
one below it would be a mistake on every site. The texts of a post are plain (the checks see to
it), and are shown as they are: HTML, links and other markup in them never come alive.
"""

import json
import re
from collections.abc import Iterable, Iterator, Sequence

import nh3
from markdown import Markdown

from app.core.offers import Offer, as_html, as_markdown, featured_heading, place
from app.core.plain_markdown import escape, one_line, paragraphs
from app.core.post import Rendered, SectionType, SEOPost
from app.core.request import ResponseType

_TAGS = {
    "a", "blockquote", "br", "code", "em", "h2", "h3", "h4", "hr", "li", "ol", "p", "pre",
    "strong", "table", "tbody", "td", "th", "thead", "tr", "ul",
}  # fmt: skip
_BRACKETS = re.compile(r"[\[\]]")
_MAX_INTERNAL_LINKS = 3
_LINK_PATTERNS = (
    "reference", "link", "image_link", "image_reference", "short_reference",
    "short_image_ref", "autolink", "automail", "html",
)  # fmt: skip


def render(
    post: SEOPost,
    wanted: Iterable[ResponseType],
    offers: Sequence[Offer] = (),
    language: str = "en",
    *,
    internal_links: bool = False,
) -> Rendered:
    """The representations that were asked for; Markdown and HTML where none were.

    ``json`` adds rawJson only when it is asked for alone: a post comes as JSON in any case. With
    ``internal_links``, each of the first sections is followed by a paragraph
    ``[[internal-link: what to look for]]``, for whoever publishes the post to replace by a link
    to a related page of the site, or to take out.
    """
    kinds = set(wanted) or {ResponseType.MARKDOWN, ResponseType.HTML}
    source = _source(post, offers, language, internal_links=internal_links)
    return Rendered(
        markdown=as_markdown(source, offers) if ResponseType.MARKDOWN in kinds else None,
        html=sanitise(as_html(_to_html(source), offers)) if ResponseType.HTML in kinds else None,
        raw_json=json.dumps(post.to_wire(), ensure_ascii=False)
        if kinds == {ResponseType.JSON}
        else None,
    )


def _source(post: SEOPost, offers: Sequence[Offer], language: str, *, internal_links: bool) -> str:
    """The post as Markdown with marks for the offers' links."""
    blocks = list(_blocks(post, _MAX_INTERNAL_LINKS if internal_links else 0))
    marked, featured = place([line for _, lines in blocks for line in lines], offers)
    rest = iter(marked)
    parts = [form.format(*(escape(next(rest)) for _ in lines)) for form, lines in blocks]
    if featured:
        parts.append(f"## {featured_heading(language)}")
        parts.append("\n".join(f"- {escape(entry)}" for entry in featured))
    return "\n\n".join(parts) + "\n"


def _blocks(post: SEOPost, internal_links: int) -> Iterator[tuple[str, list[str]]]:
    """The blocks of Markdown, each as its form and the plain lines that fill it; after so many
    sections, one more that is a place for an internal link."""
    bodies = [section for section in post.sections if section.type is SectionType.BODY]
    linked = {id(section) for section in bodies[:internal_links]}
    for section in post.sections:
        if section.type is SectionType.CONCLUSION:
            # It has no heading of its own: without a rule it would read as part of the section
            # or the answer above it.
            yield "---", []
        if section.heading:
            yield "## {}", [one_line(section.heading)]
        if section.callout:
            yield "> **{}:** {}", [one_line(section.callout.label), one_line(section.callout.text)]
        if section.type is SectionType.FAQ:
            for faq in post.faqs:
                yield "### {}", [one_line(faq.question)]
                yield from (("{}", [paragraph]) for paragraph in paragraphs(faq.answer))
        yield from (("{}", [paragraph]) for paragraph in paragraphs(section.content_markdown))
        if id(section) in linked:
            yield _internal_link(section.heading or post.meta.primary_keyword), []


def _internal_link(subject: str) -> str:
    # No line of its own: the name of an offer in it is no mention for readers.
    words = escape(one_line(_BRACKETS.sub(" ", subject)))
    return f"[[internal-link: {words}]]".replace("{", "{{").replace("}", "}}")


def _to_html(source: str) -> str:
    # A Markdown object keeps state while it converts, so each call has its own.
    converter = Markdown(extensions=["tables", "sane_lists"], output_format="html")
    converter.preprocessors.deregister("html_block")
    converter.parser.blockprocessors.deregister("reference")
    for name in _LINK_PATTERNS:
        converter.inlinePatterns.deregister(name)
    return converter.convert(source)


def sanitise(html: str) -> str:
    """Our own tags and nothing else; the attributes of offer links are kept as they are."""
    return nh3.clean(
        html,
        tags=_TAGS,
        attributes={"a": {"href", "rel", "target"}},
        link_rel=None,
        url_schemes={"http", "https"},
    )
