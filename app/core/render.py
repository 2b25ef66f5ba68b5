"""A post as Markdown and as HTML.

The title is not part of either: the page that shows a post sets it as its heading, and a second
one below it would be a mistake on every site. HTML in a text is escaped, never passed through,
and no Markdown link is turned into one.
"""

import json
from collections.abc import Iterable, Sequence

import nh3
from markdown import Markdown

from app.core.offers import Offer, as_html, as_markdown, place
from app.core.post import Rendered, SectionType, SEOPost
from app.core.request import ResponseType

_TAGS = {
    "a", "blockquote", "br", "code", "em", "h2", "h3", "h4", "hr", "li", "ol", "p", "pre",
    "strong", "table", "tbody", "td", "th", "thead", "tr", "ul",
}  # fmt: skip
_LINK_PATTERNS = (
    "reference", "link", "image_link", "image_reference", "short_reference",
    "short_image_ref", "autolink", "automail", "html",
)  # fmt: skip


def render(
    post: SEOPost,
    wanted: Iterable[ResponseType],
    offers: Sequence[Offer] = (),
    language: str = "en",
) -> Rendered:
    """The representations that were asked for; Markdown and HTML where none were.

    ``json`` adds rawJson only when it is asked for alone: a post comes as JSON in any case.
    """
    kinds = set(wanted) or {ResponseType.MARKDOWN, ResponseType.HTML}
    source = place(_source(post), offers, language)
    return Rendered(
        markdown=as_markdown(source, offers) if ResponseType.MARKDOWN in kinds else None,
        html=sanitise(as_html(_to_html(source), offers)) if ResponseType.HTML in kinds else None,
        raw_json=json.dumps(post.to_wire(), ensure_ascii=False)
        if kinds == {ResponseType.JSON}
        else None,
    )


def _source(post: SEOPost) -> str:
    blocks: list[str] = []
    for section in post.sections:
        if section.type is SectionType.CONCLUSION and post.faqs:
            # It has no heading of its own: without a rule it would read as the last answer.
            blocks.append("---")
        if section.heading:
            blocks.append(f"## {section.heading}")
        if section.callout:
            blocks.append(f"> **{section.callout.label}:** {section.callout.text}")
        if section.type is SectionType.FAQ:
            for faq in post.faqs:
                blocks += [f"### {faq.question}", faq.answer]
        if section.content_markdown:
            blocks.append(section.content_markdown)
    return "\n\n".join(blocks) + "\n"


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
