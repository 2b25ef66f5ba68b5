"""What a site kept of the HTML that was sent to it."""

import re
from collections import Counter

from bs4 import BeautifulSoup

# What search engines and the law read; "noopener" is browsers' business.
_MARKS = frozenset({"sponsored", "nofollow", "ugc"})


def words(markup: str) -> list[str]:
    """Return the words of a text that readers see, whatever the markup around them."""
    # Without the comments, which would part words.
    text = BeautifulSoup(re.sub(r"<!--.*?-->", "", markup, flags=re.DOTALL), "html.parser")
    return text.get_text(" ").split()


def lost(sent: str, stored: str) -> list[str]:
    """Return what stored HTML lacks of what was sent: words, links, their ``rel``, elements."""
    if sent == stored:
        return []
    there = _parts(stored)
    gone = [part for part, number in _parts(sent).items() if there[part] < number]
    return [*(["words of the text"] if words(sent) != words(stored) else []), *gone]


def _parts(markup: str) -> Counter[str]:
    parsed = BeautifulSoup(markup, "html.parser")
    found = Counter({f"<{name}>" for name in (tag.name for tag in parsed.find_all(True))})
    for link in parsed.find_all("a", href=True):
        found["links"] += 1
        found.update(f'rel="{mark}"' for mark in _MARKS.intersection(link.get("rel") or ()))
    return found
