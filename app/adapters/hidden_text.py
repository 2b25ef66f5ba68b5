"""Takes out of a page what its reader does not see: a place to hide orders to whoever reads by
machine.

Known are attributes, inline styles and the page's own style sheets with simple selectors. What an
outer style sheet or a script hides is not known here. Declarations are read by `tinycss2`, as
browsers do: escapes, comments and `!important` included, where a regular expression is led astray.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
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
# The page's ground where nothing says otherwise.
_WHITE = (1.0, 1.0, 1.0)
_NEAR = 0.06


@dataclass(frozen=True)
class Selector:
    """A tag or `*`, and the classes (`.name`) and ids (`#name`) that an element must have."""

    tag: str
    marks: frozenset[str]


def remove_hidden(tree: Any) -> None:
    """Take out of an lxml tree, in place, all elements that are hidden or never text."""
    sheet: dict[str, set[Selector]] = {}
    for rule in _hiding_rules(tree):
        # Found again by one of its marks, so that many rules cost no more than few.
        sheet.setdefault(min(rule.marks), set()).add(rule)
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


def _drop(element: Any, parent: Any) -> None:
    """Without the element, but with the text after it, which is its parent's."""
    if element.tail:
        before = element.getprevious()
        if before is not None:
            before.tail = (before.tail or "") + " " + element.tail
        else:
            parent.text = (parent.text or "") + " " + element.tail
    parent.remove(element)


@lru_cache(maxsize=1024)
def _declarations(style: str) -> Mapping[str, str]:
    """Properties and values in lower case; the last of a name counts."""
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


_SIZES = ("width", "height", "max-width", "max-height")
_PLACES = ("left", "right", "top", "bottom", "text-indent", "margin-left", "margin-top")


def _is_small(value: str, most: float) -> bool:
    """Whether a number, in pixels or points, is at most this; em and % count from nothing on."""
    match = _TINY_PIXELS.fullmatch(value)
    if match is None:
        return False
    number, unit = float(match[1]), match[2]
    return number <= (most if unit in {None, "px", "pt"} else 0.1)


def _is_unseen_colour(style: Mapping[str, str], element: Any, ground: tuple[float, ...]) -> bool:
    """Transparent letters, or letters of the colour of their ground as far as it is inline."""
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
        # A background may begin with a picture; its colour is one of the words.
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


def _hiding_rules(tree: Any) -> Iterator[Selector]:
    """The simple selectors that the page's own sheets hide. Rules inside of @media and the like
    hold for some readers alone, and are left."""
    text = "\n".join("".join(sheet.itertext()) for sheet in tree.iter("style"))[:_MAX_SHEET_CHARS]
    for rule in tinycss2.parse_stylesheet(text, skip_comments=True, skip_whitespace=True):
        if rule.type != "qualified-rule":
            continue
        if not _hides(_declarations(tinycss2.serialize(rule.content))):
            continue
        for selector in tinycss2.serialize(rule.prelude).split(","):
            match = _SIMPLE.fullmatch(selector.strip())
            if match and match[2]:
                marks = frozenset(re.findall(r"[.#][\w-]+", match[2]))
                yield Selector((match[1] or "*").lower(), marks)


def _is_selected(sheet: Mapping[str, set[Selector]], element: Any) -> bool:
    if not sheet:
        return False
    marks = {f".{name}" for name in element.get("class", "").split()}
    marks.add(f"#{element.get('id', '')}")
    return any(
        rule.tag in {"*", element.tag} and rule.marks <= marks
        for mark in marks
        for rule in sheet.get(mark, ())
    )
