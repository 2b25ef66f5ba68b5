"""Bound untrusted text before anything else processes it.

Libraries and rules may take time quadratic in the length of a line, or of a run of one character;
on bounded text, that is a short time.
"""

import re
from collections.abc import Iterator

# About 8,000 words, more than any post uses.
MAX_CHARS = 50_000
MAX_LINE_CHARS = 2_000
MAX_TITLE_CHARS = 300
# Punctuation, blanks and combining marks. Three may stay, as in an ellipsis. Blanks at the start of
# a line are the indentation of code, which has a meaning.
_RUN = re.compile(r"(?<=\S)( )\1{3,}|([^\w ]|_)\2{3,}")
_SENTENCE_END = re.compile(r"(?:[.!?…][\"'”’»)]?\s|[。！？])")


def bounded(text: str) -> str:
    """Return the beginning of a text: at most 50,000 characters, in lines of at most 2,000.

    A run of more than three of one mark or blank is shortened to three. A longer line is split
    after a sentence, else at a blank, else anywhere. Only whole lines are kept.
    """
    kept: list[str] = []
    left = MAX_CHARS
    for line in _lines(_RUN.sub(lambda run: 3 * run[0][0], text)):
        left -= len(line) + 1
        if left < 0:
            break
        kept.append(line)
    return "\n".join(kept)


def bounded_title(text: str) -> str:
    """Return a title on one line, of at most 300 characters."""
    return " ".join(bounded(text[: 10 * MAX_TITLE_CHARS]).split())[:MAX_TITLE_CHARS].rstrip()


def _lines(text: str) -> Iterator[str]:
    for line in text.split("\n"):
        begin = 0
        while len(line) - begin > MAX_LINE_CHARS:
            end = _cut(line, begin)
            yield line[begin:end].rstrip()
            begin = end
        yield line[begin:].lstrip() if begin else line


def _cut(line: str, begin: int) -> int:
    """Return where to cut the part of a long line that begins at ``begin``."""
    end = begin + MAX_LINE_CHARS
    ends = [match.end() for match in _SENTENCE_END.finditer(line, begin, end)]
    if ends:
        return ends[-1]
    blank = line.rfind(" ", begin + 1, end)
    return end if blank < 0 else blank + 1
