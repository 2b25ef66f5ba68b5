"""Plain text as Markdown that shows exactly that text.

What a post says is data: a `<`, a `[` or a year at the start of a line must look the same on every
page, whichever converter makes it. Only what would be read as markup is escaped, so that ordinary
prose stays as it is.
"""

import re
from collections.abc import Iterator

# Control characters, which each converter treats in its own way, and the marks of `offers`.
_DROPPED = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ue000-\ue002]")
_LINE_BREAK = re.compile(r"[ \t]*(?:\r\n?|\n)[ \t\r\n]*")
_PARAGRAPH_BREAK = re.compile(r"(?:\r\n?|\n)[ \t]*(?:\r\n?|\n)\s*")
_ENTITY = re.compile(r"&(?=#?\w+;)")
_SPECIAL = re.compile(
    r"""
      [\\`\[\]]
    | (?<![ ])\* | \*(?![ ])                        # 5 * 3 needs none
    | (?<![^\W_])_ | _(?![^\W_])                    # nor does snake_case
    | !(?=\ue000)                                   # a link after it would be an image
    | \#(?=\#*$)                                    # headings lose theirs at the end
    | ^(?: \# | > | -(?=[-\s]|$) | \+(?=\s|$) )     # headings, quotes, lists, rules
    """,
    re.VERBOSE,
)
_NUMBERED = re.compile(r"^(\d+)([.)])(?=\s|$)")


def one_line(text: str) -> str:
    """A text on one line, without what no page can show."""
    return _LINE_BREAK.sub(" ", _DROPPED.sub("", text)).strip(" \t\r\n")


def paragraphs(text: str) -> Iterator[str]:
    """The paragraphs of a text, each on one line."""
    for paragraph in _PARAGRAPH_BREAK.split(text):
        if (line := one_line(paragraph)).strip():
            yield line


def escape(line: str) -> str:
    """Markdown that shows one line of plain text; marks of offers stay in it."""
    line = _ENTITY.sub("&amp;", line).replace("<", "&lt;")
    line = _NUMBERED.sub(r"\1\\\2", _SPECIAL.sub(r"\\\g<0>", line))
    # Three tildes open a code block in CommonMark, and not every converter takes `\~`.
    return f"&#126;{line[1:]}" if line.startswith("~~~") else line
