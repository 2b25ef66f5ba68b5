"""Plain text as Markdown that shows exactly that text.

A `<`, a `[` or a year at the start of a line must look the same with every converter. Only
characters that would be markup are escaped, so ordinary prose is unchanged.
"""

import re
from collections.abc import Iterator

# Control characters, which converters treat differently.
DROPPED = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")
_LINE_BREAK = re.compile(r"[\r\n]+")
_PARAGRAPH_BREAK = re.compile(r"(?:\r\n?|\n)[ \t]*(?:\r\n?|\n)\s*")
_ENTITY = re.compile(r"&(?=#?\w+;)")
_SPECIAL = re.compile(
    r"""
      [\\`\[\]]
    | (?<![ ])\* | \*(?![ ])                        # 5 * 3 needs none
    | (?<![^\W_])_ | _(?![^\W_])                    # nor does snake_case
    | (?<!\#)\#++$                                  # headings lose theirs at the end
    """,
    re.VERBOSE,
)
# Headings, quotations, lists and rules.
_LINE_START = re.compile(r"\#|>|-(?=[-\s]|$)|\+(?=\s|$)")
_NUMBERED = re.compile(r"^(\d+)([.)])(?=\s|$)")


def one_line(text: str) -> str:
    """Return a text on one line, without control characters."""
    lines = (line.strip(" \t") for line in _LINE_BREAK.split(DROPPED.sub("", text)))
    return " ".join(line for line in lines if line)


def paragraphs(text: str) -> Iterator[str]:
    """Yield the paragraphs of a text, each on one line."""
    for paragraph in _PARAGRAPH_BREAK.split(text):
        if (line := one_line(paragraph)).strip():
            yield line


def escape(line: str, *, line_start: bool = True) -> str:
    """Return Markdown that shows one line of plain text; ``line_start`` if it begins a line."""
    is_special = line_start and _LINE_START.match(line)
    line = _ENTITY.sub("&amp;", line).replace("<", "&lt;")
    line = _SPECIAL.sub(_escaped, line)
    if not line_start:
        return line
    if is_special and not line.startswith("\\"):
        return f"\\{line}"
    # Three tildes open a code block in CommonMark, and some converters do not know `\~`.
    return f"&#126;{line[1:]}" if line.startswith("~~~") else _NUMBERED.sub(r"\1\\\2", line)


def _escaped(match: re.Match[str]) -> str:
    return "".join(f"\\{mark}" for mark in match.group())
