"""Keywords in sentences, and the lengths of texts, as the service counts them."""

import re
import unicodedata
from collections.abc import Iterable

# Scripts without spaces: each character is a word.
_UNSPACED = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\u0e00-\u0e7f"
_WORD = re.compile(rf"[{_UNSPACED}]|[^\W_{_UNSPACED}]+(?:['’\-.,][^\W_{_UNSPACED}]+)*")
_SHORT_WORD = 3
_ENDING = re.compile(r"(?:ing|ed|es|s|e|y)\Z")


def count_words(text: str) -> int:
    """Return the number of words."""
    return len(_WORD.findall(text))


def width(text: str) -> int:
    """Return the length in columns; a full-width character takes two."""
    return sum(2 if unicodedata.east_asian_width(char) in "WF" else 1 for char in text)


def pattern(phrase: str) -> re.Pattern[str]:
    """Return a pattern that finds a phrase and its inflected forms, and rather too much."""
    words = [_inflected(word) for word in re.findall(r"\w+", phrase)]
    return re.compile(r"\W+".join(words) or r"(?!)", re.IGNORECASE)


def says(text: str, phrases: Iterable[re.Pattern[str]]) -> bool:
    """Return whether a text has one of the phrases."""
    return any(phrase.search(text) for phrase in phrases)


def capital(text: str) -> str:
    """Return a text with a capital first letter."""
    return text[:1].upper() + text[1:]


def _inflected(word: str) -> str:
    if not word.isascii():
        return re.escape(word)
    if len(word) <= _SHORT_WORD:
        return rf"\b{re.escape(word)}(?:s|es|ed|ing)?\b"
    return rf"\b{re.escape(_ENDING.sub('', word))}\w{{0,4}}"
