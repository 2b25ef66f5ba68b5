"""Remove text from a page that its readers do not see, because it can hide a prompt injection.

This finds text hidden by attributes, inline styles, and simple selectors in the page's own style
sheets, but not by external style sheets or scripts. `tinycss2` parses declarations as browsers do,
with escapes, comments and `!important`, which would defeat a regular expression.
"""

import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any

import tinycss2
import tinycss2.color4

_NEVER_TEXT = frozenset({
    "script", "style", "noscript", "template", "svg", "math", "object", "embed", "iframe", "canvas",
    "audio", "video", "select", "datalist", "textarea", "button", "dialog",
})  # fmt: skip
_TINY_PIXELS = re.compile(r"([0-9]*\.?[0-9]+)(px|pt|em|rem|%)?")
_FAR_AWAY = re.compile(r"-(?:999|[0-9]{4,})(?:\.[0-9]+)?(?:px|pt)|-[0-9]{3,}(?:em|rem|%|vw|vh)")
_CLIPPED = re.compile(r"rect\((?:0|1)?(?:px)?[ ,]+.*\)|inset\((?:50|100)%.*\)|circle\(0.*\)")
_SIMPLE = re.compile(r"([a-zA-Z][\w-]*|\*)?((?:[.#][\w-]+)*)")
_MAX_SHEET_CHARS = 200_000
_SIZES = ("width", "height", "max-width", "max-height")
_PLACES = ("left", "right", "top", "bottom", "text-indent", "margin-left", "margin-top")
# Characters that an element may not be given, although a page has them by reference: “&#1;”.
_NOT_IN_XML = re.compile(r"[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
# The default background.
_WHITE = (1.0, 1.0, 1.0)
_NEAR = 0.06

# A tag or `*`, and the classes (`.name`) and ids (`#name`) that an element must have.
_Selector = tuple[str, frozenset[str]]


def remove_hidden(tree: Any) -> None:
    """Remove from an lxml tree, in place, all elements that are hidden or never text."""
    sheet: dict[str, set[_Selector]] = {}
    for tag, marks in _hiding_rules(tree):
        # Indexed by one of its marks, so that many rules cost no more than few.
        sheet.setdefault(min(marks), set()).add((tag, marks))
    doomed = []
    grounds: dict[Any, tuple[float, ...]] = {}
    for element in tree.iter():
        if not isinstance(element.tag, str):
            doomed.append(element)
            continue
        style = _declarations(element.get("style", ""))
        ground = _colour(style, "background-color", "background")
        above = grounds.get(element.getparent(), _WHITE)
        grounds[element] = ground or above
        if (
            element.tag in _NEVER_TEXT
            or element.get("hidden") is not None
            or element.get("aria-hidden", "").strip().lower() == "true"
            or _hides(style)
            or _is_unseen_colour(style, element, grounds[element])
            or _is_selected(sheet, element)
        ):
            doomed.append(element)
    for element in doomed:
        parent = element.getparent()
        if parent is not None and element.tag not in {"html", "body"}:
            _drop(element, parent)


def storable(text: str) -> str:
    """Return a text without the characters that no lxml element may be given."""
    return _NOT_IN_XML.sub("", text)


def _drop(element: Any, parent: Any) -> None:
    """Remove an element but keep the text after it, which belongs to the parent."""
    if element.tail:
        before = element.getprevious()
        if before is not None:
            before.tail = storable(f"{before.tail or ''} {element.tail}")
        else:
            parent.text = storable(f"{parent.text or ''} {element.tail}")
    parent.remove(element)


@lru_cache(maxsize=1024)
def _declarations(style: str) -> Mapping[str, str]:
    """Return properties and values in lower case; the last of a name counts."""
    if not style:
        return {}
    return {
        declaration.lower_name: tinycss2.serialize(declaration.value).strip().lower()
        for declaration in tinycss2.parse_declaration_list(
            style, skip_comments=True, skip_whitespace=True
        )
        if declaration.type == "declaration"
    }


def _hides(style: Mapping[str, str]) -> bool:
    if not style:
        return False
    value = style.get
    overflow = value("overflow", "") in {"hidden", "clip"}
    return (
        value("display") == "none"
        or value("visibility") in {"hidden", "collapse"}
        or value("content-visibility") == "hidden"
        or _is_small(value("opacity", ""), 0.05)
        or _is_small(value("font-size", ""), 2.0)
        or (overflow and any(_is_small(value(name, ""), 1.0) for name in _SIZES))
        or any(_FAR_AWAY.fullmatch(value(name, "")) for name in _PLACES)
        or bool(_CLIPPED.fullmatch(value("clip", "")) or _CLIPPED.fullmatch(value("clip-path", "")))
        or bool(re.search(r"scale[xy]?\(\s*0(?:\.0+)?\s*[,)]", value("transform", "")))
    )


def _is_small(value: str, most: float) -> bool:
    """Return whether a size is at most ``most`` pixels or points, or nearly 0 in other units."""
    match = _TINY_PIXELS.fullmatch(value)
    if match is None:
        return False
    number, unit = float(match[1]), match[2]
    return number <= (most if unit in {None, "px", "pt"} else 0.1)


def _is_unseen_colour(style: Mapping[str, str], element: Any, ground: tuple[float, ...]) -> bool:
    """Return whether text is transparent or has its background's colour, by inline styles."""
    said = style.get("color") or (element.get("color") if element.tag == "font" else None)
    if not said:
        return False
    colour = tinycss2.color4.parse_color(said)
    if colour is None or isinstance(colour, str):
        return False
    if colour.alpha is not None and colour.alpha <= _NEAR:
        return True
    letters = _rgb(colour)
    return letters is not None and all(
        abs(one - other) <= _NEAR for one, other in zip(letters, ground, strict=True)
    )


def _colour(style: Mapping[str, str], *names: str) -> tuple[float, ...] | None:
    for name in names:
        # A background may begin with an image; its colour is one of the words.
        for word in style.get(name, "").split(" ") if name == "background" else [style.get(name)]:
            colour = tinycss2.color4.parse_color(word) if word else None
            if colour is not None and not isinstance(colour, str) and (colour.alpha or 0) > _NEAR:
                return _rgb(colour)
    return None


def _rgb(colour: Any) -> tuple[float, ...] | None:
    try:
        return tuple(float(part) for part in colour.to("srgb").coordinates)
    except (NotImplementedError, TypeError, ValueError):
        return None


def _hiding_rules(tree: Any) -> Iterator[_Selector]:
    """Yield the simple selectors that the page's own style sheets hide.

    Rules inside @media and the like are skipped, as they only apply to some readers.
    """
    text = "\n".join("".join(sheet.itertext()) for sheet in tree.iter("style"))[:_MAX_SHEET_CHARS]
    for rule in tinycss2.parse_stylesheet(text, skip_comments=True, skip_whitespace=True):
        if rule.type != "qualified-rule":
            continue
        if not _hides(_declarations(tinycss2.serialize(rule.content))):
            continue
        for selector in tinycss2.serialize(rule.prelude).split(","):
            match = _SIMPLE.fullmatch(selector.strip())
            if match and match[2]:
                yield (match[1] or "*").lower(), frozenset(re.findall(r"[.#][\w-]+", match[2]))


def _is_selected(sheet: Mapping[str, set[_Selector]], element: Any) -> bool:
    if not sheet:
        return False
    has = {f".{name}" for name in element.get("class", "").split()}
    has.add(f"#{element.get('id', '')}")
    return any(
        tag in {"*", element.tag} and marks <= has
        for mark in has
        for tag, marks in sheet.get(mark, ())
    )
