"""Words, sentences and phrases of a text, with their positions.

`sentencex` has rules for some 240 languages; without a stemmer of `snowballstemmer`, the words of a
language are compared unstemmed.
"""

import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterator, Sequence, Set
from dataclasses import dataclass
from functools import lru_cache, wraps
from itertools import islice, pairwise, repeat
from operator import eq
from string import ascii_lowercase, digits
from typing import TypeVar, TypeVarTuple, cast

import sentencex
import snowballstemmer

# Scripts that put no space between words: each character counts as a word.
UNSPACED = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\u0e00-\u0e7f"
# Accents and vowel signs that follow their letter, and the joiners inside Persian and Indic words.
# `\w` matches none of them, and would split such words.
MARKS = "\u200c\u200d" + "".join(
    ch
    for ch in map(chr, range(0x300, 0x10000))
    if unicodedata.category(ch) in {"Mn", "Mc"} and not re.match(f"[{UNSPACED}]", ch)
)
_LETTERS = rf"[^\W_{UNSPACED}]+(?:[{MARKS}][^\W_{UNSPACED}]*)*"
_WORD = re.compile(rf"[{UNSPACED}]|{_LETTERS}(?:['’\-.,]{_LETTERS})*")
# Signs at the end belong to a name: C++ and C# are not C.
_TOKEN = re.compile(rf"[{UNSPACED}]|{_LETTERS}(?:['’]{_LETTERS})*(?:[+#]+(?!\w))?")
# Other forms of the straight apostrophe.
_APOSTROPHE = re.compile("’|(?<=.)ʼ(?=.)")
_POSSESSIVE = re.compile(r"'s?$")
# The same for lower-case ASCII text, in a third of the time.
_ASCII_WORD = re.compile(r"[a-z0-9]+(?:['\-.,][a-z0-9]+)*")
_ASCII_TOKEN = re.compile(r"[a-z0-9]+(?:'[a-z0-9]+)*(?:[+#]+(?!\w))?")

_TYPOGRAPHIC = "“”‘–—…\xa0"
Span = tuple[int, int]


def ascii_table(kept: str) -> bytes:
    """Return a table for ``bytes.translate`` with a space for all other characters than these."""
    return bytes(code if chr(code) in kept else ord(" ") for code in range(128)).ljust(256)


_ASCII_WORDS = ascii_table(f"{ascii_lowercase}{digits}'+#")
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
    """A sentence without the white space around it, and its place in the text."""

    text: str
    span: Span


Others = TypeVarTuple("Others")
R = TypeVar("R")
# The words of a language that are not among its most frequent ones are read again.
WORDS_KEPT = 16_384
# The length of a long paragraph.
_WINDOW_CHARS = 2_000
_SEEN_CHARS = 1_500
_GOES_ON = re.compile(r"\w\.\.\Z")
# What looks like an abbreviation, and before a capital mostly ends a sentence: “by customer ID.
# Enter 0 …”.
_NO_ABBREVIATION = re.compile(r"\b(?:HR|ID|OK|PLZ|May|etc|hr|min|sec|usw)\.\s+(?=[A-ZÄÖÜ])")
# The name of a file or a site: “IMG00023.JPG”. “It closed.The next day” has a capital alone.
_FILE_STEM, _FILE_END = re.compile(r"\w\.\Z"), re.compile(r"[A-Z]{2,4}\d?(?!\w)")
# “dem 15. Lebensmonat”, “dem vollendeten 16. Lebensjahr”: a number with a full stop behind an
# article is an ordinal.
_ORDINAL = re.compile(
    r"\b(?:d(?:e[mnrs]|ie|as)|am|im|vom|zum|zur|beim|jede[mnrs]?|(?:ei|[ms]ei)ne?[mnrs]?)"
    r"(?: [a-zäöüß]{3,20}e[mnrs]?)? \d{1,3}\. *\Z",
    re.IGNORECASE,
)
_ORDINAL_CHARS = 40
# “bis einschließlich 30. Juni”
_NUMBER_ENDS = re.compile(r"(?<!\S)\d{1,2}\. *\Z")
_MONTH = re.compile(
    r"(?:Januar|Jänner|Februar|März|April|Mai|Juni|Juli|August|September|Oktober|November|Dezember)"
    r"s?\b"
)
# “at 8 a.m. Eastern”
_HOUR_ENDS = re.compile(r"\b[ap]\.m\. *\Z")
_ZONE = re.compile(
    r"(?:Eastern|Central|Mountain|Pacific|Atlantic|Greenwich|[ECMP][SD]?T|GMT|UTC|BST)"
    r"(?=[.,;:)]| [a-z(])"
)
_NO_NOUN = re.compile(
    r"(?:D(?:er|ie|as|em|en|ann|anach|avor|abei|amit|afür|a)|E[sr]|Sie|Wir|Ihr|Ich|Man|We[rn]n?|Was|"
    r"Wie|Wo|Bis|Ab|Für|Im?n?|Am|Auch|Aber|Und|Oder|Nach|Seit|Vor|Mit|Bei|Zu[mr]?|Jetzt|Hier|Eine?|"
    r"Kein|Nur|Noch|Schon|So|Als|Ob|Nicht)\b"
)
# A result takes up to kilobytes, and the drafts of a long post have some 450 texts.
_TEXTS_KEPT = 1024
# Thousands of web pages and whole files would fill the memory.
_CHARS_KEPT = 2_000_000
_forget: list[Callable[[], None]] = []


def forget() -> None:
    """Clear the caches, for measurements."""
    for each in _forget:
        each()


def cached(read: Callable[[str, *Others], R]) -> Callable[[str, *Others], R]:
    """Cache a function of a text: every check reads the same paragraphs."""
    chars = 0

    @wraps(read)
    def count(text: str, /, *args: *Others) -> R:
        nonlocal chars
        chars += len(text)
        if chars > _CHARS_KEPT:
            # The text itself is kept, however long it is: a check may ask for each of its words.
            chars = 0
            kept.cache_clear()
        return read(text, *args)

    # A function that looked at the length first would take three times as long as the cache.
    kept = lru_cache(maxsize=_TEXTS_KEPT)(count)
    _forget.append(kept.cache_clear)
    return cast("Callable[[str, *Others], R]", kept)


@cached
def typed(text: str) -> str:
    """Return a text of the same length and words that is in ASCII if only its signs are not."""
    if not text.isascii():
        text = text.replace("’", "'")
        for sign in _TYPOGRAPHIC:
            text = text.replace(sign, " ")
    return text


@cached
def word_count(text: str) -> int:
    plain = typed(text)
    return len(_ASCII_WORD.findall(plain.lower()) if plain.isascii() else _WORD.findall(text))


@lru_cache(maxsize=256)
def primary_subtag(language: str) -> str:
    """`pt-BR` → `pt`."""
    return language.partition("-")[0].lower()


@cached
def sentences(text: str, language: str) -> tuple[Sentence, ...]:
    """Return the sentences of a text, in order. A line break always ends one."""
    found = []
    for line in re.finditer(r"[^\n]+", text):
        for at, raw in _raw_sentences(line.group(), primary_subtag(language)):
            stripped = raw.strip()
            if stripped:
                start = line.start() + at + raw.index(stripped)
                found.append(Sentence(stripped, (start, start + len(stripped))))
    return tuple(found)


def _raw_sentences(line: str, language: str) -> Iterator[tuple[int, str]]:
    """Yield the start and text of each sentence of a line, with the white space around it.

    A long line is read in windows that each begin with a sentence: `sentencex` takes quadratic time
    in the quotation marks of a line, and holds the GIL. A sentence longer than a window is cut at a
    space.
    """
    begin = 0
    while begin < len(line):
        window = line[begin : begin + _WINDOW_CHARS]
        found: list[tuple[int, str]] = []
        for boundary in sentencex.get_sentence_boundaries(language, window):
            at, raw = boundary["start_index"], boundary["text"]
            before = found[-1][1] if found else ""
            # “origin/main..HEAD” is one word of code.
            is_code = _GOES_ON.search(before) and raw[:1].isalnum()
            is_ordinal = language == "de" and (
                (_ORDINAL.search(before[-_ORDINAL_CHARS:]) and not _NO_NOUN.match(raw))
                or (_MONTH.match(raw) and _NUMBER_ENDS.search(before[-_ORDINAL_CHARS:]))
            )
            is_hour = _ZONE.match(raw) and _HOUR_ENDS.search(before[-_ORDINAL_CHARS:])
            is_file = _FILE_END.match(raw) and _FILE_STEM.search(before)
            if is_code or is_ordinal or is_hour or is_file:
                at, raw = found[-1][0], found.pop()[1] + raw
            ends = [0, *(match.end() for match in _NO_ABBREVIATION.finditer(raw)), len(raw)]
            found += [(at + low, raw[low:high]) for low, high in pairwise(ends)]
        after = len(window)
        if begin + after < len(line):
            # A quotation that is open near the end may end after the window.
            after = max((at for at, _ in found if at <= _SEEN_CHARS), default=0)
            if after == 0:
                after = window.rfind(" ", _SEEN_CHARS) + 1 or len(window)
                found = [(0, window[:after])]
            found = [(at, raw) for at, raw in found if at < after]
        yield from ((begin + at, raw) for at, raw in found)
        begin += after


@lru_cache(maxsize=WORDS_KEPT)
def stem(word: str, language: str) -> str:
    """Return the stem of a word; the word itself if the language has no stemmer."""
    name = _STEMMERS.get(primary_subtag(language))
    if name is None:
        return word
    # A stemmer keeps the word as state, so threads must not share one.
    return str(snowballstemmer.stemmer(name).stemWord(word))


@cached
def words(text: str) -> tuple[str, ...]:
    """Return the words of a text in lower case, with whole contractions: `isn't`, `d'abord`."""
    plain = typed(text)
    if plain.isascii():
        lower = plain.lower()
        # Most words have no other sign than an apostrophe inside; a search takes twice the time.
        spaced = f" {lower.encode().translate(_ASCII_WORDS).decode()} "
        is_plain = "+" not in spaced and "#" not in spaced
        if is_plain and "'" in spaced:
            is_plain = " '" not in spaced and "' " not in spaced and "''" not in spaced
        return tuple(spaced.split() if is_plain else _ASCII_TOKEN.findall(lower))
    found = _TOKEN.findall(text)
    if not found:
        return ()
    # NFKC unifies é in one or two characters, and ＳＥＯ in full width. All words at once, each on
    # a line, take a third of the time.
    lines = unicodedata.normalize("NFKC", "\n".join(found)).casefold()
    return tuple(_APOSTROPHE.sub("'", lines).split("\n"))


@cached
def _bare(text: str) -> tuple[str, ...]:
    """Return the words without the possessive s."""
    said = words(text)
    if "'" not in " ".join(said):
        return said
    return tuple(_POSSESSIVE.sub("", word) if "'" in word else word for word in said)


@cached
def word_spans(text: str) -> tuple[Span, ...]:
    """Return the places of the words that `words` returns."""
    plain = typed(text)
    if plain.isascii():
        # No sign between two words is in a word.
        find, end = plain.lower().index, 0
        return tuple([(at := find(word, end), end := at + len(word)) for word in words(text)])
    return tuple(map(re.Match.span, _TOKEN.finditer(text)))


@cached
def _stemmed(text: str, language: str) -> tuple[str, ...]:
    return tuple(map(stem, _bare(text), repeat(language)))


@cached
def word_set(text: str) -> frozenset[str]:
    """Return the different words of a text in lower case."""
    return frozenset(words(text))


def sign_before(text: str, at: int) -> str:
    """Return the last character before a place that is no space; "" if there is none."""
    while at and text[at - 1] == " ":
        at -= 1
    return text[at - 1 : at] if at else ""


def indexes(text: str, wanted: Set[str]) -> list[tuple[int, str]]:
    """Return which of the words of a text are among the wanted ones, each with its index."""
    if wanted.isdisjoint(word_set(text)):
        return []
    return [(index, word) for index, word in enumerate(words(text)) if word in wanted]


def repeats(said: Sequence[str], distance: int) -> list[int]:
    """Return the indexes of the words that come again at this distance."""
    same = map(eq, said, islice(said, distance, None))
    return [index for index, is_same in enumerate(same) if is_same]


def find_phrase(text: str, phrase: str, language: str, *, exact: bool = False) -> list[Span]:
    """Return the places of a phrase in a text, ignoring case and punctuation, without overlaps.

    Unless ``exact``, inflected forms count: `cold brews` is found for `cold brew`.
    """
    if exact:
        said, wanted = _bare(text), _bare(phrase)
    else:
        said, wanted = _stemmed(text, language), _stemmed(phrase, language)
    if not wanted or wanted[0] not in said:
        return []
    found: list[int] = []
    index = said.index(wanted[0])
    while index <= len(said) - len(wanted):
        if said[index : index + len(wanted)] == wanted:
            found.append(index)
            index += len(wanted)
        else:
            index += 1
    spans = word_spans(text) if found else ()
    return [(spans[at][0], spans[at + len(wanted) - 1][1]) for at in found]


def stems(text: str, language: str) -> frozenset[str]:
    """Return the stems of all words of a text."""
    return frozenset(_stemmed(text, language))


def stem_counts(text: str, language: str) -> Counter[str]:
    """Return the stems of all words of a text, each with how often it occurs."""
    return Counter(_stemmed(text, language))


def shortened(text: str, most: int) -> str:
    """Return a text on one line, in at most ``most`` characters; “…” stands for the rest."""
    line = " ".join(text.split())
    return line if len(line) <= most else f"{line[: most - 1]}…"


def fold(text: str) -> str:
    """Return a text reduced to its words, for comparisons."""
    return " ".join(_bare(text))


def folded(text: str) -> tuple[tuple[str, Span], ...]:
    """Return the words that `fold` keeps, each with its place."""
    return tuple(zip(_bare(text), word_spans(text), strict=True))
