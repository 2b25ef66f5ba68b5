"""Words, sentences and phrases of a text, with their positions.

Sentences come from `sentencex` (rules for some 240 languages) and word stems from
`snowballstemmer`; a language that has no stemmer is compared letter by letter.
"""

import re
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache, wraps
from typing import Concatenate, ParamSpec, TypeVar

import sentencex
import snowballstemmer

# Scripts that put no space between words: each character counts as a word.
UNSPACED = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\u0e00-\u0e7f"
# Accents and vowel signs that follow their letter, and the joiners inside Persian and Indic
# words. `\w` knows none of them: without them such a word would fall into pieces.
MARKS = "\u200c\u200d" + "".join(
    ch
    for ch in map(chr, range(0x300, 0x10000))
    if unicodedata.category(ch) in {"Mn", "Mc"} and not re.match(f"[{UNSPACED}]", ch)
)
_LETTERS = rf"[^\W_{UNSPACED}]+(?:[{MARKS}][^\W_{UNSPACED}]*)*"
_WORD = re.compile(rf"[{UNSPACED}]|{_LETTERS}(?:['’\-.,]{_LETTERS})*")
# Signs at the end belong to a name: C++ and C# are not C.
_TOKEN = re.compile(rf"[{UNSPACED}]|{_LETTERS}(?:['’]{_LETTERS})*(?:[+#]+(?!\w))?")
# One apostrophe however it is typed: a straight one, the typographic one, the letter of Unicode.
_APOSTROPHE = re.compile("’|(?<=.)ʼ(?=.)")
_POSSESSIVE = re.compile(r"'s?$")
# The same for texts of ASCII alone, in small letters: a third of the time.
_ASCII_WORD = re.compile(r"[a-z0-9]+(?:['\-.,][a-z0-9]+)*")
_ASCII_TOKEN = re.compile(r"[a-z0-9]+(?:'[a-z0-9]+)*(?:[+#]+(?!\w))?")

Span = tuple[int, int]

# snowballstemmer names its algorithms by language, in English.
_STEMMERS = {
    "ar": "arabic", "ca": "catalan", "cs": "czech", "da": "danish", "de": "german", "el": "greek",
    "en": "english", "eo": "esperanto", "es": "spanish", "et": "estonian", "eu": "basque",
    "fa": "persian", "fi": "finnish", "fr": "french",
    "ga": "irish", "hi": "hindi", "hu": "hungarian", "hy": "armenian", "id": "indonesian",
    "it": "italian", "lt": "lithuanian", "ne": "nepali", "nl": "dutch", "no": "norwegian",
    "nb": "norwegian", "pl": "polish", "pt": "portuguese", "ro": "romanian", "ru": "russian",
    "sr": "serbian", "sv": "swedish", "ta": "tamil", "tr": "turkish", "yi": "yiddish",
}  # fmt: skip


@dataclass(frozen=True)
class Sentence:
    """A sentence without the white space around it, and where it stands in its text."""

    text: str
    span: Span


P = ParamSpec("P")
R = TypeVar("R")
# Longer texts are pages of strangers and whole files: thousands of them would fill the memory.
_LONGEST_KEPT_CHARS = 20_000
_forget: list[Callable[[], None]] = []


def forget() -> None:
    """Empty what is remembered of texts, so that a measurement finds nothing of earlier ones."""
    for each in _forget:
        each()


def _cached(read: Callable[Concatenate[str, P], R]) -> Callable[Concatenate[str, P], R]:
    """Each check asks again for the words, sentences and stems of the same paragraphs."""
    kept = lru_cache(maxsize=4096)(read)
    _forget.append(kept.cache_clear)

    @wraps(read)
    def look(text: str, /, *args: P.args, **kwargs: P.kwargs) -> R:
        if len(text) > _LONGEST_KEPT_CHARS:
            return read(text, *args, **kwargs)
        # lru_cache forgets what its function takes.
        return kept(text, *args, **kwargs)  # type: ignore[arg-type]

    return look


@_cached
def word_count(text: str) -> int:
    return len(_ASCII_WORD.findall(text.lower()) if text.isascii() else _WORD.findall(text))


def primary_subtag(language: str) -> str:
    """`pt-BR` → `pt`."""
    return language.partition("-")[0].lower()


@_cached
def sentences(text: str, language: str) -> tuple[Sentence, ...]:
    """The sentences of a text, in order. A line break always ends one."""
    found = []
    for line in re.finditer(r"[^\n]+", text):
        for boundary in sentencex.get_sentence_boundaries(primary_subtag(language), line.group()):
            raw: str = boundary["text"]
            stripped = raw.strip()
            if stripped:
                start = line.start() + boundary["start_index"] + raw.index(stripped)
                found.append(Sentence(stripped, (start, start + len(stripped))))
    return tuple(found)


@lru_cache(maxsize=65536)
def stem(word: str, language: str) -> str:
    """A word's stem in its language; the word itself where the language has no stemmer."""
    name = _STEMMERS.get(primary_subtag(language))
    if name is None:
        return word
    # A stemmer keeps the word in itself while it works, so threads must not share one.
    return str(snowballstemmer.stemmer(name).stemWord(word))


@_cached
def _tokens(text: str) -> tuple[str, ...]:
    if text.isascii():
        return tuple(_ASCII_TOKEN.findall(text.lower()))
    # One spelling for what looks the same: é in one or two characters, ＳＥＯ in full width.
    return tuple(
        _APOSTROPHE.sub("'", unicodedata.normalize("NFKC", found).casefold())
        for found in _TOKEN.findall(text)
    )


@_cached
def _bare(text: str) -> tuple[str, ...]:
    """The tokens without the possessive s."""
    return tuple(_POSSESSIVE.sub("", word) if "'" in word else word for word in _tokens(text))


@_cached
def _spans(text: str) -> tuple[Span, ...]:
    """Where the tokens stand."""
    return tuple(match.span() for match in _TOKEN.finditer(text))


@_cached
def _stemmed(text: str, language: str) -> tuple[str, ...]:
    return tuple(stem(word, language) for word in _bare(text))


def words(text: str) -> tuple[str, ...]:
    """The words of a text in small letters, contractions whole: `isn't`, `d'abord`."""
    return _tokens(text)


def find_phrase(text: str, phrase: str, language: str, *, exact: bool = False) -> list[Span]:
    """Where a phrase stands in a text, case, punctuation and the shape of apostrophes aside.

    Unless ``exact``, inflected forms count: `cold brews` is found for `cold brew`.
    Occurrences do not overlap.
    """
    if exact:
        words, wanted = _bare(text), _bare(phrase)
    else:
        words, wanted = _stemmed(text, language), _stemmed(phrase, language)
    found: list[Span] = []
    if not wanted or wanted[0] not in words:
        return found
    index = words.index(wanted[0])
    while index <= len(words) - len(wanted):
        if words[index : index + len(wanted)] == wanted:
            spans = _spans(text)
            found.append((spans[index][0], spans[index + len(wanted) - 1][1]))
            index += len(wanted)
        else:
            index += 1
    return found


def stems(text: str, language: str) -> frozenset[str]:
    """The stems of all words of a text."""
    return frozenset(_stemmed(text, language))


def fold(text: str) -> str:
    """A text reduced to its words, for telling whether two sentences are the same."""
    return " ".join(_bare(text))


def folded(text: str) -> tuple[tuple[str, Span], ...]:
    """The words that `fold` keeps, each with where it stands."""
    return tuple(zip(_bare(text), _spans(text), strict=True))
