"""Words and sentences of a text.

`sentencex` has rules for some 240 languages; without a stemmer of `snowballstemmer`, the words of a
language are compared by their beginnings alone.
"""

import re
import unicodedata
from collections.abc import Callable, Iterator
from functools import cache, lru_cache, wraps
from typing import TypeVar, TypeVarTuple, cast

import sentencex
import snowballstemmer
from babel import Locale

from app.rules.languages import primary_subtag

R = TypeVar("R")
Ts = TypeVarTuple("Ts")

Span = tuple[int, int]
# Scripts that put no space between words: each character counts as a word.
UNSPACED = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\u0e00-\u0e7f"
_UNSPACED = re.compile(f"[{UNSPACED}]")
# Accents and vowel signs that follow their letter, and the joiners inside Persian and Indic words.
# `\w` matches none of them, and would split such words.
MARKS = "\u200c\u200d" + "".join(
    ch
    for ch in map(chr, range(0x300, 0x10000))
    if unicodedata.category(ch) in {"Mn", "Mc"} and not _UNSPACED.match(ch)
)
_LETTERS = rf"[^\W_{UNSPACED}]+(?:[{MARKS}][^\W_{UNSPACED}]*)*"
_COUNTED = re.compile(rf"[{UNSPACED}]|{_LETTERS}(?:['’\-.,]{_LETTERS})*")
# Signs at the end belong to a name: C++ and C# are not C.
_WORD = re.compile(rf"[{UNSPACED}]|{_LETTERS}(?:['’]{_LETTERS})*(?:[+#]+(?!\w))?")
_APOSTROPHE = re.compile("’|(?<=.)ʼ(?=.)")
_POSSESSIVE = re.compile(r"'s?$", re.MULTILINE)
_ACCENT = re.compile("[\u0300-\u036f\u00ad]")
# Letters that Unicode does not take apart.
_PLAIN_LETTERS = str.maketrans("łøđıħ", "lodih", "\u00ad") | {ord("æ"): "ae", ord("œ"): "oe"}
# The length of a long paragraph, and where in it a sentence may be cut off by the window's end.
_WINDOW_CHARS = 2_000
_SEEN_CHARS = 1_500
# The texts whose results are kept: those of posts, not of sources, and so little memory.
_KEPT_CHARS, _MOST_KEPT = 2_000, 1_024


def kept_if_short(work: Callable[[str, *Ts], R]) -> Callable[[str, *Ts], R]:
    """Return the function with a cache for short texts: most paragraphs of a post are read for each
    of its drafts, edits and rules."""
    kept = cast("Callable[[str, *Ts], R]", lru_cache(maxsize=_MOST_KEPT)(work))

    @wraps(work)
    def run(text: str, *args: *Ts) -> R:
        return (kept if len(text) <= _KEPT_CHARS else work)(text, *args)

    return run


@kept_if_short
def word_count(text: str) -> int:
    """Return the number of words as they are billed."""
    return len(_COUNTED.findall(text))


def words(text: str) -> tuple[str, ...]:
    """Return the words of a text in lower case, with whole contractions: `isn't`, `d'abord`."""
    found = _WORD.findall(text)
    # All words at once, each on a line, take a third of the time. NFKC unifies é in one or two
    # characters, and ＳＥＯ in full width.
    lines = unicodedata.normalize("NFKC", "\n".join(found)).casefold()
    return tuple(_APOSTROPHE.sub("'", lines).split("\n")) if found else ()


def word_spans(text: str) -> list[Span]:
    """Return the places of the words that `words` and `fold` return."""
    return [match.span() for match in _WORD.finditer(text)]


@kept_if_short
def fold(text: str) -> str:
    """Return the words of a text for comparisons, each after a space: without case, accents,
    punctuation and possessive s."""
    return _without_accents(_POSSESSIVE.sub("", "\n".join(words(text)))).replace("\n", " ")


def _without_accents(text: str) -> str:
    apart = unicodedata.normalize("NFKD", text.translate(_PLAIN_LETTERS))
    return unicodedata.normalize("NFC", _ACCENT.sub("", apart))


def shortened(text: str, most: int) -> str:
    """Return a text on one line, in at most ``most`` characters; “…” stands for the rest."""
    line = " ".join(text.split())
    return line if len(line) <= most else f"{line[: most - 1]}…"


@kept_if_short
def sentences(text: str, language: str) -> tuple[str, ...]:
    """Return the sentences of a text, in order, without the white space around them. A line break
    always ends one."""
    found = (
        raw.strip()
        for line in text.split("\n")
        for raw in _raw_sentences(line, primary_subtag(language))
    )
    return tuple(filter(None, found))


def _raw_sentences(line: str, language: str) -> Iterator[str]:
    """Yield the sentences of a line, with the white space around them.

    A long line is read in windows that each begin with a sentence: `sentencex` takes quadratic time
    in the quotation marks of a line, and holds the GIL. A sentence longer than a window is cut at a
    space.
    """
    begin = 0
    while begin < len(line):
        window = line[begin : begin + _WINDOW_CHARS]
        found = [
            (boundary["start_index"], boundary["text"])
            for boundary in sentencex.get_sentence_boundaries(language, window)
        ]
        after = len(window)
        if begin + after < len(line):
            # A quotation that is open near the end may end after the window.
            after = max((at for at, _ in found if at <= _SEEN_CHARS), default=0)
            if after == 0:
                after = window.rfind(" ", _SEEN_CHARS) + 1 or len(window)
                found = [(0, window[:after])]
        yield from (raw for at, raw in found if at < after)
        begin += after


@cache
def _stemmer(language: str) -> str:
    """Return the name of the stemmer of a language, which is that of the language in English."""
    names = Locale("en").languages.get(language, "").lower().split()
    return names[0] if names and names[0] in snowballstemmer.algorithms() else ""


# A stemmer takes some 20 µs a word, and a text repeats most of its words.
@lru_cache(maxsize=16_384)
def stem(word: str, language: str) -> str:
    """Return the stem of a word; the word itself if the language has no stemmer."""
    name = _stemmer(primary_subtag(language))
    # A stemmer keeps the word as state, so threads must not share one.
    return str(snowballstemmer.stemmer(name).stemWord(word)) if name else word


def stems(text: str, language: str) -> frozenset[str]:
    """Return the stems of all words of a text."""
    return frozenset(stem(_POSSESSIVE.sub("", word), language) for word in words(text))
