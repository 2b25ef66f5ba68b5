"""Texts as the wordings of the language files are written, and the quotations in a text."""

import re

from app.core.text import cached

_QUOTATION = re.compile(
    r"“[^“”\n]{1,400}”|„[^„“”\n]{1,400}[“”]|«[^«»\n]{1,400}»|\"[^\"\n]{1,400}\""
)
_SAME = (("’", "'"), ("“", '"'), ("”", '"'), ("„", '"'), ("\xa0", " "), ("\u202f", " "))


@cached
def level(text: str) -> str:
    """Return a text of the same length in lower case, with straight quotation marks, apostrophes
    and ordinary spaces."""
    lower = text.lower()
    if len(lower) != len(text):
        # The lower case of İ is two characters.
        lower = "".join(each.lower() if len(each.lower()) == 1 else each for each in text)
    if not lower.isascii():
        for sign, plain in _SAME:
            lower = lower.replace(sign, plain)
    return lower


def without_quotations(text: str) -> str:
    """Return a text of the same length, with a blank for each character of a quotation."""
    return _QUOTATION.sub(lambda match: " " * len(match.group()), text)
