"""Offers: brands with a link each, which only the rendered text contains.

Every offer is linked exactly once: at its first mention outside code or, if the text does not
mention it, in a short list at the end.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from app.core.errors import ValidationFailed
from app.core.languages import Headings, get_section
from app.core.rendering.block_edits import change_texts, code_spans, part
from app.core.rendering.blocks import (
    BulletList,
    Heading,
    Item,
    LinkPlaceholder,
    PageBlock,
    Rule,
)
from app.core.rendering.inline import Run, Text, plain, plain_text, settled
from app.core.schemas.api_model import ApiModel, HttpUrl, Name
from app.core.text import MARKS, UNSPACED, Span

# A name ends where a word does, except next to scripts that put no space between words.
_SPACED = rf"[^\W{UNSPACED}]"
_NO_WORD_BEFORE = rf"(?<!{_SPACED})(?<![{MARKS}])"
_NO_WORD_AFTER = rf"(?!{_SPACED})(?![{MARKS}])"
_HEADING = "Featured offers"


class Offer(ApiModel):
    """A name as readers see it, and its link."""

    name: Name
    url: HttpUrl


def check_offers(offers: Sequence[Offer]) -> None:
    """Reject offers that cannot each be linked exactly once.

    Raises:
        ValidationFailed: two offers share a name or a URL, or there are more than 20.
    """
    if len(offers) > 20:
        raise ValidationFailed("offers must have at most 20 entries.", {"field": "offers"})
    # Names match in any case and spacing; URLs are case-sensitive.
    names = [" ".join(offer.name.casefold().split()) for offer in offers]
    for attribute, values in (("name", names), ("url", [offer.url for offer in offers])):
        for index, value in enumerate(values):
            if value in values[:index]:
                raise ValidationFailed(
                    f"offers[{index}].{attribute} is used by another offer; each must differ.",
                    {"field": f"offers[{index}].{attribute}"},
                )


def link_offers(
    blocks: Sequence[PageBlock], offers: Sequence[Offer], language: str
) -> list[PageBlock]:
    """Return the blocks of a page with a link for each offer.

    Offers without a mention get a list at the end.
    """
    if not offers:
        return list(blocks)
    # Longer names first: a mention of "Acme Pro" does not mention "Acme".
    by_length = sorted(range(len(offers)), key=lambda i: -len(offers[i].name))
    pattern = re.compile(
        "|".join(f"(?P<o{i}>{_name_pattern(offers[i].name)})" for i in by_length), re.IGNORECASE
    )
    linked: set[int] = set()

    def link(path: str, text: Text) -> Text:
        places: list[tuple[Span, str]] = []
        code = code_spans(text)
        for match in pattern.finditer(plain(text)):
            index = int(str(match.lastgroup)[1:])
            begin, end = match.span()
            if index not in linked and not any(b < end and begin < e for b, e in code):
                linked.add(index)
                places.append(((begin, end), offers[index].url))
        return settled(_linked(text, places)) if places else text

    found = [
        block if isinstance(block, Rule | LinkPlaceholder) else change_texts("", block, link)
        for block in blocks
    ]
    missing = [offer for index, offer in enumerate(offers) if index not in linked]
    if missing:
        found.append(Heading(plain_text(featured_heading(language)), level=2))
        found.append(BulletList(tuple(Item(_link_of(offer)) for offer in missing)))
    return found


def _linked(text: Text, places: Sequence[tuple[Span, str]]) -> Iterator[Run]:
    at = 0
    for (begin, end), url in places:
        yield from part(text, at, begin)
        yield from (replace(run, link=url) for run in part(text, begin, end))
        at = end
    yield from part(text, at, len(plain(text)))


def _link_of(offer: Offer) -> Text:
    return tuple(replace(run, link=offer.url) for run in plain_text(offer.name))


def featured_heading(language: str) -> str:
    """Return the heading above offers that a text does not mention; English by default."""
    headings = get_section(language, Headings)
    return headings.offers if headings else _HEADING


def _name_pattern(name: str) -> str:
    before = "" if re.match(f"[{UNSPACED}]", name[0]) else _NO_WORD_BEFORE
    after = "" if re.match(f"[{UNSPACED}]", name[-1]) else _NO_WORD_AFTER
    return before + r"\s+".join(map(re.escape, name.split())) + after
