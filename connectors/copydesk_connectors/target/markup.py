"""What a site kept of the HTML that was sent to it."""

from collections import Counter

from bs4 import BeautifulSoup

# What search engines and the law read; "noopener" is browsers' business.
_MARKS = frozenset({"sponsored", "nofollow", "ugc"})
# Elements that a site may replace without a loss for readers.
_PLAIN = frozenset({"p", "br", "div", "span", "small"})


def text_of(markup: str) -> str:
    """Return the text that readers see, without white space: sites put it between other blocks."""
    text = BeautifulSoup(markup, "html.parser")
    return "".join(text.get_text().split())


def lost(sent: str, stored: str) -> list[str]:
    """Return what stored HTML lacks of what was sent: words, links, their ``rel``, elements."""
    if sent == stored:
        return []
    there = _parts(stored)
    gone = [part for part, number in _parts(sent).items() if there[part] < number]
    return [*(["words of the text"] if text_of(sent) != text_of(stored) else []), *gone]


def _parts(markup: str) -> Counter[str]:
    parsed = BeautifulSoup(markup, "html.parser")
    found = Counter({f"<{tag.name}>" for tag in parsed.find_all(True) if tag.name not in _PLAIN})
    for link in parsed.find_all("a", href=True):
        found["links"] += 1
        found.update(f'rel="{mark}"' for mark in _MARKS.intersection(link.get("rel") or ()))
    return found
