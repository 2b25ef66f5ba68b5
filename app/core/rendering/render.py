"""A post as Markdown and as HTML.

Neither contains the title, which a page shows as its heading. Both are written from the same
blocks. Texts other than those of sections are plain and are shown as they are.
"""

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import nh3

from app.core.rendering.blocks import (
    Heading,
    LinkPlaceholder,
    PageBlock,
    Paragraph,
    Quotation,
    Rule,
    parse,
    to_html,
    to_markdown,
    together,
)
from app.core.rendering.inline import Run, plain_text, settled
from app.core.rendering.offers import Offer, link_offers
from app.core.rendering.plain_markdown import one_line, paragraphs
from app.core.schemas.post import Quality, Rendered, SectionType, SEOPost
from app.core.schemas.request import GenerateRequest, ResponseType

_TAGS = {
    "a", "blockquote", "code", "em", "h2", "h3", "hr", "li", "ol", "p", "pre", "strong", "table",
    "tbody", "td", "th", "thead", "tr", "ul",
}  # fmt: skip
_BRACKETS = re.compile(r"[\[\]]")
_MAX_INTERNAL_LINKS = 3


def render(
    post: SEOPost,
    wanted: Iterable[ResponseType],
    offers: Sequence[Offer] = (),
    language: str = "en",
    *,
    internal_links: bool = False,
) -> Rendered:
    """Return the requested representations; Markdown and HTML if none are requested.

    ``json`` adds rawJson only if it is the only one requested: the post itself is JSON in any case.
    With ``internal_links``, a paragraph ``[[internal-link: what to look for]]`` follows each of the
    first sections; the publisher replaces it with a link to a related page of the site, or
    deletes it.
    """
    kinds = set(wanted) or {ResponseType.MARKDOWN, ResponseType.HTML}
    page = _page(post, _MAX_INTERNAL_LINKS if internal_links else 0)
    blocks = link_offers(list(together(page)), offers, language)
    return Rendered(
        markdown=f"{to_markdown(blocks)}\n" if ResponseType.MARKDOWN in kinds else None,
        html=sanitise(to_html(blocks)) if ResponseType.HTML in kinds else None,
        raw_json=json.dumps(post.to_wire(), ensure_ascii=False)
        if kinds == {ResponseType.JSON}
        else None,
    )


def answer_members(
    post: SEOPost, quality: Quality, request: GenerateRequest, wanted: Iterable[ResponseType]
) -> dict[str, Any]:
    """Return post, rendered and quality as the API answers them."""
    links = request.constraints.include_internal_links_placeholders
    rendered = render(post, wanted, language=request.language, internal_links=links)
    return {
        "post": post.to_wire(),
        "rendered": rendered.to_wire(),
        "quality": quality.to_wire(),
    }


def _page(post: SEOPost, internal_links: int) -> Iterator[PageBlock]:
    """Yield the blocks below the title, with a placeholder for an internal link after each of the
    first ``internal_links`` sections."""
    bodies = [section for section in post.sections if section.type is SectionType.BODY]
    linked = {id(section) for section in bodies[:internal_links]}
    for section in post.sections:
        if section.type is SectionType.CONCLUSION:
            # Without a heading or a rule, it would read as part of the section above it.
            yield Rule()
        if heading := plain_text(section.heading or ""):
            yield Heading(heading, level=2)
        if section.callout:
            label = Run(f"{one_line(section.callout.label)}:", strong=True)
            yield Quotation(settled([label, Run(f" {section.callout.text}")]))
        if section.type is SectionType.FAQ:
            for faq in post.faqs:
                yield Heading(plain_text(faq.question))
                yield from (Paragraph(plain_text(each)) for each in paragraphs(faq.answer))
        yield from parse(section.content_markdown)
        if id(section) in linked:
            subject = section.heading or post.meta.primary_keyword
            yield LinkPlaceholder(one_line(_BRACKETS.sub(" ", subject)))


def sanitise(html: str) -> str:
    """Return HTML with our own tags only; offer links keep their attributes."""
    return nh3.clean(
        html,
        tags=_TAGS,
        attributes={"a": {"href", "rel", "target"}, "ol": {"start"}},
        link_rel=None,
        url_schemes={"http", "https"},
    )
