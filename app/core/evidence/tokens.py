"""A text as words, numbers and signs, in one pass that no text can slow down."""

import re
from dataclasses import dataclass
from functools import lru_cache

# Groups of three digits may be set apart by a space; a digit joins the one before it otherwise
# through a point, a comma or an apostrophe. One letter, one step: linear.
_TOKEN = re.compile(
    r"\d{1,3}(?:[\u00a0\u202f\u2009]\d{3}(?!\d))+(?:[.,]\d+)?"
    r"|\d{1,3}(?: \d{3}(?!\d)){2,}(?:[.,]\d+)?"
    r"|\d+(?:[.,'’]\d+)*"
    r"|[^\W\d_]+"
    r"|[^\w\s]|_"
)
_SPACED = re.compile(
    r"\d{1,3}(?:[ \u00a0\u202f\u2009]\d{3}(?!\d))+(?:[.,]\d+)?|" + _TOKEN.pattern.split("|", 1)[1]
)


@dataclass(frozen=True, slots=True)
class Token:
    """``low`` is ``text`` in lower case; ``start`` and ``end`` its place in the text."""

    text: str
    low: str
    start: int
    end: int

    @property
    def is_digits(self) -> bool:
        return self.text[0].isdecimal()

    @property
    def is_word(self) -> bool:
        return self.text[0].isalpha()

    @property
    def is_capitalised(self) -> bool:
        return self.text[0].isupper()


@lru_cache(maxsize=1024)
def tokens(text: str, *, spaced_groups: bool = False) -> tuple[Token, ...]:
    """The tokens of a text. With ``spaced_groups``, "12 000" is one number."""
    pattern = _SPACED if spaced_groups else _TOKEN
    return tuple(
        Token(match.group(), match.group().lower(), match.start(), match.end())
        for match in pattern.finditer(text)
    )
