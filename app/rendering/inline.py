"""What stands in a line of Markdown: code, emphasis and escaped signs, and no links or HTML."""

import re
from unicodedata import category

from app.rendering.escape import backslashed

CODE = r"(?P<ticks>`+)(?!`)(?P<code>.+?)(?<!`)(?P=ticks)(?!`)"
# Emphasis stands inside other emphasis once: converters differ in what they make of other stars.
_TOKEN = re.compile(
    rf"""
      \\(?P<escaped>[!-/:-@\[-`{{-~])
    | {CODE}
    | (?P<marks>\*{{1,3}}(?!\*)|(?<!\w)_{{1,3}}(?!_))(?!\s)
      (?P<opening>[("'“‘«（「『【《]{{0,3}})
      (?P<styled>(?:
          \\. | [^*_`\\] | `[^`]{{1,300}}` | (?<=\w)_+(?=\w)
        | (?!(?P=marks)(?![*_]))
          (?P<inner>\*\*?|(?<!\w)__?)(?![\s*_])[^*_`\\]{{1,300}}(?<!\s)(?P=inner)
      ){{1,1000}}?)
      (?P<closing>[.,:!?"'”’»…。，、：；！？）」』】》)]{{0,3}})
      (?<!\s)(?P=marks)(?![*_])(?!(?<=_)\w)
    | `+ | [<\[] | (?<!\w)_+ | _+(?!\w) | \*+(?<!\ \*(?=\ ))
    """,
    re.VERBOSE,
)
# Python-Markdown knows the backslash before these alone.
_ESCAPABLE = frozenset("\\`*_{}[]()>#+-.!|")
_ENTITIES = {"<": "&lt;", "&": "&amp;", "~": "&#126;"}


def safe_line(line: str) -> str:
    """Return a line without links and HTML, whose emphasis all converters read alike.

    What is no such emphasis, and what looks like a link or HTML, is shown as it is.
    """
    return _TOKEN.sub(_safe, line)


def _safe(found: re.Match[str]) -> str:
    text, escaped = found[0], found["escaped"]
    if escaped and escaped not in _ESCAPABLE:
        return _ENTITIES.get(escaped, escaped)
    if found["styled"]:
        return _styled(found)
    if escaped or found["code"]:
        return text
    return "&lt;" if text == "<" else backslashed(text)


def _styled(found: re.Match[str]) -> str:
    """Return emphasis that begins and ends where CommonMark reads it: `**a:**b` is none there."""
    marks, opening, text, closing = found.group("marks", "opening", "styled", "closing")
    before = _is_letter(found.string[found.start() - 1 : found.start()])
    after = _is_letter(found.string[found.end() : found.end() + 1])
    begins = not before or _is_letter(text[0]) or (opening and not text[0].isspace())
    ends = not after or _is_letter(text[-1]) or (closing and not text[-1].isspace())
    marks = marks if begins and ends else ""
    begin = f"{opening}{marks}" if before else f"{marks}{opening}"
    end = f"{marks}{closing}" if after else f"{closing}{marks}"
    return f"{begin}{safe_line(text)}{end}"


def _is_letter(ch: str) -> bool:
    """Return whether a character, if there is one, is neither white space nor a sign."""
    return bool(ch) and category(ch)[0] not in "PSZ"
