"""Counting words as the service counts and bills them."""

import re
import unicodedata
from functools import cache

# Chinese, Japanese and Thai put no space between words: each of their characters counts.
_UNSPACED = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\u0e00-\u0e7f"


def count_words(text: str) -> int:
    """Runs of letters and digits, inner hyphens, apostrophes, points and commas included."""
    return sum(1 for _ in _word().finditer(text))


@cache
def _word() -> re.Pattern[str]:
    # Accents and vowel signs that follow their letter, and the joiners inside Persian and Indic
    # words: the pattern's \w knows none of them. Looked up at the first count, not at import.
    marks = "\u200c\u200d" + "".join(
        char
        for char in map(chr, range(0x300, 0x10000))
        if unicodedata.category(char) in {"Mn", "Mc"} and not re.match(f"[{_UNSPACED}]", char)
    )
    letters = rf"[^\W_{_UNSPACED}]+(?:[{marks}][^\W_{_UNSPACED}]*)*"
    return re.compile(rf"[{_UNSPACED}]|{letters}(?:[-.,'’]{letters})*")
