"""A post as Markdown, and as the HTML of that Markdown: for answers of the API and for feed items.

Neither contains the title, which a page shows as its heading. Texts other than those of
introductions and sections are plain and are shown as they are.
"""

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from app.core.schemas.post import Quality, Rendered, SectionType, SEOPost
from app.core.schemas.request import GenerateRequest, ResponseType
from app.rendering.escape import escape, paragraphs
from app.rendering.markdown import normalise, to_html
from app.rendering.offers import Offer, link_offers

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
    if kinds == {ResponseType.JSON}:
        return Rendered(raw_json=json.dumps(post.to_wire(), ensure_ascii=False))
    page = "\n\n".join(_blocks(post, _MAX_INTERNAL_LINKS if internal_links else 0))
    markdown = link_offers(page, offers, language)
    return Rendered(
        markdown=f"{markdown}\n" if ResponseType.MARKDOWN in kinds else None,
        html=to_html(markdown, links=bool(offers)) if ResponseType.HTML in kinds else None,
    )


def answer_members(
    post: SEOPost, quality: Quality, request: GenerateRequest, wanted: Iterable[ResponseType]
) -> dict[str, Any]:
    """Return post, rendered and quality as the API answers them."""
    links = request.constraints.include_internal_links_placeholders
    rendered = render(post, wanted, language=request.language, internal_links=links)
    return {"post": post.to_wire(), "rendered": rendered.to_wire(), "quality": quality.to_wire()}


def item_columns(
    post: SEOPost, request: GenerateRequest, offers: Sequence[Offer]
) -> dict[str, Any]:
    """Return the columns of a feed item that hold its post."""
    links = request.constraints.include_internal_links_placeholders
    rendered = render(post, (), offers, request.language, internal_links=links)
    return {
        "title": post.title,
        "post": post.to_wire(),
        "markdown": rendered.markdown or "",
        "html": rendered.html or "",
    }


def _blocks(post: SEOPost, places: int) -> Iterator[str]:
    """Yield the blocks below the title, with a place for an internal link after each of the first
    ``places`` sections."""
    for section in post.sections:
        if section.type is SectionType.CONCLUSION:
            # Without a heading or a rule, it would read as part of the section above it.
            yield "---"
            yield from paragraphs(section.content_markdown)
            continue
        if heading := escape(section.heading or ""):
            yield f"## {heading}"
        if section.callout:
            yield f"> **{escape(section.callout.label)}:** {escape(section.callout.text)}"
        if section.type is SectionType.FAQ:
            for faq in post.faqs:
                yield f"### {escape(faq.question)}"
                yield from paragraphs(faq.answer)
        if content := normalise(section.content_markdown):
            yield content
        if section.type is SectionType.BODY and places:
            places -= 1
            subject = section.heading or post.meta.primary_keyword
            yield f"[[internal-link: {escape(_BRACKETS.sub(' ', subject))}]]"
