"""Remove from a page what its readers do not see, because it can hide orders to a model.

This finds text hidden by attributes and inline styles, but not by style sheets or scripts. Text
that a script fades in, and that has no opacity until then, is text.
"""

import re
from typing import Any

from lxml import etree

_NEVER_TEXT = (
    "script", "style", "noscript", "template", "svg", "math", "object", "embed", "iframe", "canvas",
    "audio", "video", "select", "datalist", "textarea", "button", "dialog",
)  # fmt: skip
# In a style without white space.
_HIDING = re.compile(
    r"(?:^|;)(?:display:none|visibility:hidden|font-size:0(?![.\d]*[1-9])"
    r"|(?:left|text-indent):-\d{4})"
)


def remove_hidden(tree: Any) -> None:
    """Remove from an lxml tree, in place, all elements that are hidden or never text."""
    for heading in tree.xpath("//*[self::h2 or self::h3 or self::h4]//button"):
        # It opens the text below its heading.
        heading.tag = "span"
    for element in tree.xpath("//*[@hidden or @aria-hidden or @style]"):
        if element.tag not in {"html", "body"} and _is_hidden(element):
            element.tag = "template"
    # Faster than removing them one by one, which takes time quadratic in their number.
    etree.strip_elements(tree, *_NEVER_TEXT, with_tail=False)


def _is_hidden(element: Any) -> bool:
    return (
        # Browsers show what is hidden "until-found" to those who search the page.
        element.get("hidden", "until-found").lower() != "until-found"
        or element.get("aria-hidden", "").strip().lower() == "true"
        or _HIDING.search("".join(element.get("style", "").lower().split())) is not None
    )
