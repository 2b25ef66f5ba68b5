"""Plain text as Markdown that every converter shows as exactly that text."""

import re

# Control characters, which converters treat differently.
DROPPED = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]")
_PARAGRAPH_BREAK = re.compile(r"\n[ \t]*\n")
ENTITY = re.compile(r"&(?=#?\w+;)")
# Headings lose the `#` at their end.
_SPECIAL = re.compile(r"[\\`*_\[]|(?<!#)#++$")
_BLOCK_START = re.compile(r"[#>]|[-+*](?=[- ]|$)")
_NUMBERED = re.compile(r"^(\d+)([.)])(?= |$)")


def one_line(text: str) -> str:
    """Return a text on one line, without control characters."""
    lines = DROPPED.sub("", text.replace("\r", "\n")).split("\n")
    return " ".join(filter(None, (line.strip(" \t") for line in lines))).strip()


def paragraphs(text: str) -> list[str]:
    """Return the Markdown of each paragraph of a plain text."""
    found = _PARAGRAPH_BREAK.split(text.replace("\r\n", "\n").replace("\r", "\n"))
    return [escape(each) for each in found if one_line(each)]


def escape(text: str) -> str:
    """Return one line of Markdown that shows a plain text, in a heading as well."""
    line = ENTITY.sub("&amp;", one_line(text)).replace("<", "&lt;")
    line = _SPECIAL.sub(lambda found: backslashed(found[0]), line)
    # Three tildes open a block of code, and some converters do not know `\~`.
    line = f"&#126;{line[1:]}" if line.startswith("~~~") else line
    return escape_start(line)


def escape_start(markdown: str) -> str:
    """Return a line that begins no heading, quotation, list or rule."""
    if _BLOCK_START.match(markdown):
        return f"\\{markdown}"
    return _NUMBERED.sub(r"\1\\\2", markdown)


def backslashed(signs: str) -> str:
    """Return signs with a backslash before each."""
    return "".join(f"\\{sign}" for sign in signs)
