"""Offers: brands with a link each, placed into the rendered text and nowhere else.

Every offer is linked exactly once: its first mention, or, where the text does not mention it, an
entry in a short list at the end. The place is found once and marked with characters that no text
may contain (Unicode's private use area), so that Markdown and HTML always agree.
"""

import re
from collections.abc import Sequence
from html import escape

from app.core.errors import ValidationFailed
from app.core.text import primary_subtag
from app.core.wire import HttpUrl, Name, WireModel

REL = "sponsored noopener"
_OPEN, _MIDDLE, _CLOSE = "\ue000", "\ue001", "\ue002"
_MARK = re.compile(f"{_OPEN}(\\d+){_MIDDLE}([^{_CLOSE}]*){_CLOSE}")
_MARKDOWN_SPECIAL = re.compile(r"([\\`*_{}\[\]()#+\-.!|<>])")
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
    for attribute in ("name", "url"):
        values = [getattr(offer, attribute).casefold() for offer in offers]
        for index, value in enumerate(values):
            if value in values[:index]:
                raise ValidationFailed(
                    f"offers[{index}].{attribute} is used by another offer; each must differ.",
                    {"field": f"offers[{index}].{attribute}"},
                )


def place(markdown: str, offers: Sequence[Offer], language: str) -> str:
    """Mark where each offer's link goes."""
    if not offers:
        return markdown
    # Longer names first: a mention of "Acme Pro" is none of "Acme".
    by_length = sorted(range(len(offers)), key=lambda i: -len(offers[i].name))
    names = [r"\s+".join(map(re.escape, offers[i].name.split())) for i in by_length]
    pattern = re.compile(
        r"(?<!\w)(?:" + "|".join(f"(?P<o{i}>{n})" for i, n in zip(by_length, names, strict=True))
        + r")(?!\w)",
        re.IGNORECASE,
    )  # fmt: skip
    placed: set[int] = set()

    def mark(match: re.Match[str]) -> str:
        index = int(str(match.lastgroup)[1:])
        if index in placed:
            return match.group()
        placed.add(index)
        return f"{_OPEN}{index}{_MIDDLE}{match.group()}{_CLOSE}"

    text = pattern.sub(mark, markdown)
    missing = [i for i in range(len(offers)) if i not in placed]
    if missing:
        heading = _HEADINGS.get(primary_subtag(language), _HEADINGS["en"])
        entries = [f"- {_OPEN}{i}{_MIDDLE}{_escape(offers[i].name)}{_CLOSE}" for i in missing]
        text = text.rstrip() + "\n\n".join(["", f"## {heading}", "\n".join(entries)]) + "\n"
    return text


def _escape(name: str) -> str:
    return _MARKDOWN_SPECIAL.sub(r"\\\1", name)


def as_markdown(marked: str, offers: Sequence[Offer]) -> str:
    """Replace the marks by Markdown links. Markdown cannot express rel."""

    def link(match: re.Match[str]) -> str:
        url = offers[int(match.group(1))].url
        target = f"<{url}>" if any(ch in url for ch in "()<>") else url
        return f"[{match.group(2)}]({target})"

    return _MARK.sub(link, marked)


def as_html(marked: str, offers: Sequence[Offer]) -> str:
    """Replace the marks by sponsored links that open in a new tab."""

    def link(match: re.Match[str]) -> str:
        url = escape(offers[int(match.group(1))].url)
        return f'<a href="{url}" rel="{REL}" target="_blank">{match.group(2)}</a>'

    return _MARK.sub(link, marked)
