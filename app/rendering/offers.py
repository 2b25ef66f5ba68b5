"""Offers: brands with a link each, which only the rendered text contains.

Every offer is linked exactly once: at its first mention outside code or, if the text does not
mention it, in a short list at the end.
"""

import re
from collections import Counter
from collections.abc import Collection, Sequence
from html import escape as escape_html

from app.core.errors import ValidationFailed
from app.core.schemas.api_model import ApiModel, HttpUrl, Name
from app.rendering.escape import ENTITY, escape
from app.rendering.markdown import to_html
from app.rules.languages import offers_heading
from app.rules.words import MARKS, UNSPACED

# A name ends where a word does, and begins behind no sign that would change a link.
_LETTER = rf"[^\W_{UNSPACED}]"
_BEFORE = rf"(?<!{_LETTER})(?<!\w_)(?<!\w\\_)(?<![{MARKS}])"
_AFTER = rf"(?!{_LETTER}|\\?_\w|[{MARKS}])"
# Code, the signs of blocks, and places for links to the site's own pages.
_MASKED = re.compile(
    r"\\.|^(```+)[^\n]*\n.*?^\1$|(`+)(?!`)[^\n]+?(?<!`)\2(?!`)|^(?: *(?:[#>-]+|\d+\.)(?= ))+"
    r"|\[\[[^\n]*?\]\]",
    re.MULTILINE | re.DOTALL,
)
# A URL that every Markdown parser accepts in a link without angle brackets.
_BARE_URL = re.compile(r"[\w:/?#@!$&+,;=.~%-]*", re.ASCII)


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


def link_offers(markdown: str, offers: Sequence[Offer], language: str) -> str:
    """Return the Markdown of a page with one link for each offer.

    Offers without a mention that can be a link get a list at the end.
    """
    if not offers:
        return markdown
    # Imported here: it takes 8 MB, and a service without offers needs none of it.
    from bs4 import BeautifulSoup
    from bs4.filter import SoupStrainer

    listed: set[Offer] = set()
    while True:
        linked = _with_links(markdown, offers, listed)
        if listed:
            items = (f"- {_link(escape(each.name), each)}" for each in offers if each in listed)
            linked += f"\n\n## {escape(offers_heading(language))}\n\n" + "\n".join(items)
        # Nothing but the links: collecting the garbage of a whole tree stops all other threads.
        anchors = SoupStrainer("a", href=True)
        page = BeautifulSoup(to_html(linked, links=True), "html.parser", parse_only=anchors)
        counts = Counter(str(link["href"]) for link in page.find_all("a"))
        missing = {each for each in offers if counts[each.url] != 1} - listed
        if not missing:
            return linked
        listed |= missing


def _with_links(markdown: str, offers: Sequence[Offer], listed: Collection[Offer]) -> str:
    # Longer names first: a mention of "Acme Pro" does not mention "Acme".
    by_length = sorted(offers, key=lambda offer: -len(offer.name))
    pattern = re.compile("|".join(f"({_pattern(each.name)})" for each in by_length), re.IGNORECASE)
    masked = _MASKED.sub(
        lambda found: found[0] if found[0][0] == "\\" else "\0" * len(found[0]), markdown
    )
    parts, at, done = [], 0, set(listed)
    for mention in pattern.finditer(masked):
        offer = by_length[(mention.lastindex or 0) - 1]
        if offer not in done:
            done.add(offer)
            parts += [markdown[at : mention.start()], _link(mention[0], offer)]
            at = mention.end()
    return "".join(parts) + markdown[at:]


def _pattern(name: str) -> str:
    """Return the pattern of a name as Markdown writes it; one of signs alone is no mention."""
    if not any(map(str.isalnum, name)):
        return "(?!)"
    before = "" if re.match(f"[{UNSPACED}]", name[0]) else _BEFORE
    after = "" if re.match(f"[{UNSPACED}]", name[-1]) else _AFTER
    words = ("".join(map(_sign, word)) for word in name.split())
    return rf"(?<![\\!&])(?<!&\#){before}" + r"[^\S\n]+".join(words) + after


def _sign(ch: str) -> str:
    return (
        re.escape(ch) if ch.isalnum() else rf"(?:{re.escape(escape_html(ch))}|\\?{re.escape(ch)})"
    )


def _link(text: str, offer: Offer) -> str:
    text = re.sub(r"(?<!\\)\]", r"\\]", text)
    url = ENTITY.sub("&amp;", offer.url)
    return f"[{text}]({url if _BARE_URL.fullmatch(url) else f'<{url}>'})"
