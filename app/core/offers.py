"""Offers: brands with a link each, placed into the rendered text and nowhere else.

Every offer is linked exactly once: its first mention, or, where the text does not mention it, an
entry in a short list at the end. The place is found once, in the plain text, and marked with
characters that no rendered text contains (Unicode's private use area), so that Markdown and HTML
always agree.
"""

import re
from collections.abc import Sequence
from html import escape

from app.core.errors import ValidationFailed
from app.core.plain_markdown import one_line
from app.core.text import MARKS, UNSPACED, primary_subtag
from app.core.wire import HttpUrl, Name, WireModel

REL = "sponsored noopener"
_OPEN, _MIDDLE, _CLOSE = "\ue000", "\ue001", "\ue002"
_MARK = re.compile(f"{_OPEN}(\\d+){_MIDDLE}([^{_CLOSE}]*){_CLOSE}")
_ENTITY = re.compile(r"&(?=#?\w+;)")
# What may stand in a Markdown link without angle brackets around it, whoever reads it.
_BARE_URL = re.compile(r"[\w:/?#@!$&*+,;=.~%-]*")
# A name ends where a word does, except next to scripts that put no space between words.
_SPACED = rf"[^\W{UNSPACED}]"
_NO_WORD_BEFORE = rf"(?<!{_SPACED})(?<![{MARKS}])"
_NO_WORD_AFTER = rf"(?!{_SPACED})(?![{MARKS}])"
_HEADINGS = {
    "de": "Empfohlene Angebote",
    "en": "Featured offers",
    "es": "Ofertas destacadas",
    "fr": "Offres à la une",
    "it": "Offerte in evidenza",
    "nl": "Uitgelichte aanbiedingen",
    "pt": "Ofertas em destaque",
}


class Offer(WireModel):
    """A name as readers see it, and the one address that it may be linked to."""

    name: Name
    url: HttpUrl


def check_offers(offers: Sequence[Offer]) -> None:
    """Refuse offers that could not each be linked exactly once.

    Raises:
        ValidationFailed: two offers share a name or a URL, or there are more than 20.
    """
    if len(offers) > 20:
        raise ValidationFailed("offers must have at most 20 entries.", {"field": "offers"})
    # Names are found in any case and spacing; in a URL capitals make a difference.
    names = [" ".join(offer.name.casefold().split()) for offer in offers]
    for attribute, values in (("name", names), ("url", [offer.url for offer in offers])):
        for index, value in enumerate(values):
            if value in values[:index]:
                raise ValidationFailed(
                    f"offers[{index}].{attribute} is used by another offer; each must differ.",
                    {"field": f"offers[{index}].{attribute}"},
                )


def place(lines: Sequence[str], offers: Sequence[Offer]) -> tuple[list[str], list[str]]:
    """Mark where each offer's link goes in lines of plain text, which hold no marks yet.

    Returns the lines, and an entry, marked as well, for each offer that none of them mentions.
    """
    if not offers:
        return list(lines), []
    # Longer names first: a mention of "Acme Pro" is none of "Acme".
    by_length = sorted(range(len(offers)), key=lambda i: -len(offers[i].name))
    pattern = re.compile(
        "|".join(f"(?P<o{i}>{_name_pattern(offers[i].name)})" for i in by_length), re.IGNORECASE
    )
    placed: set[int] = set()

    def mark(match: re.Match[str]) -> str:
        index = int(str(match.lastgroup)[1:])
        if index in placed:
            return match.group()
        placed.add(index)
        return _marked(index, match.group())

    marked = [pattern.sub(mark, line) for line in lines]
    missing = [
        _marked(i, one_line(offer.name)) for i, offer in enumerate(offers) if i not in placed
    ]
    return marked, missing


def featured_heading(language: str) -> str:
    """What stands above the offers that a text does not mention."""
    return _HEADINGS.get(primary_subtag(language), _HEADINGS["en"])


def _name_pattern(name: str) -> str:
    before = "" if re.match(f"[{UNSPACED}]", name[0]) else _NO_WORD_BEFORE
    after = "" if re.match(f"[{UNSPACED}]", name[-1]) else _NO_WORD_AFTER
    return before + r"\s+".join(map(re.escape, name.split())) + after


def _marked(index: int, text: str) -> str:
    return f"{_OPEN}{index}{_MIDDLE}{text}{_CLOSE}"


def as_markdown(marked: str, offers: Sequence[Offer]) -> str:
    """Replace the marks by Markdown links. Markdown cannot express rel."""

    def link(match: re.Match[str]) -> str:
        url = offers[int(match.group(1))].url
        target = _ENTITY.sub("&amp;", url)
        return f"[{match.group(2)}]({target if _BARE_URL.fullmatch(url) else f'<{target}>'})"

    return _MARK.sub(link, marked)


def as_html(marked: str, offers: Sequence[Offer]) -> str:
    """Replace the marks by sponsored links that open in a new tab."""

    def link(match: re.Match[str]) -> str:
        url = escape(offers[int(match.group(1))].url)
        return f'<a href="{url}" rel="{REL}" target="_blank">{match.group(2)}</a>'

    return _MARK.sub(link, marked)
