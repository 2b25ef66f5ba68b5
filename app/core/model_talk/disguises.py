"""What an order can be dressed up as, and what is underneath.

`confusable-homoglyphs` was looked at for the lookalikes: its tables are those of Unicode for
spoofed names, with thousands of pairs, and it answers letter by letter. What matters here is which
letter of another script is taken for one of the Latin alphabet: one small table.
"""

import html
import re
import unicodedata
from base64 import b64decode
from collections import Counter
from collections.abc import Iterable, Iterator
from functools import partial

from app.core.model_talk.signs import VOCABULARY, Reading

# Soft hyphens, spaces without width, marks of direction, fillers, selectors of variants, tags.
_UNSEEN = re.compile(
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e"
    "\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\U000e0000-\U000e0fff]+"
)
# The tag characters are a second ASCII, which nobody sees.
_TAG = re.compile("[\U000e0020-\U000e007e]")
_TAG_LETTERS = {0xE0000 + code: chr(code) for code in range(0x20, 0x7F)}
_ACCENTS = re.compile("[\u0300-\u036f\u0483-\u0489\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff]+")
_ALPHABET = "abcdefghijklmnopqrstuvwxyz"
_LOOKS = {
    "a": "аαɑᴀΑА", "b": "вьβʙΒВЬ", "c": "сϲᴄС", "d": "ԁɗᴅ", "e": "еєεҽᴇΕЕЄ", "f": "ꜰϝ",
    "g": "ɡցɢԍ", "h": "һнհʜΗНҺ", "i": "іιıɩɪΙІ", "j": "јϳᴊЈ", "k": "кκᴋΚКҟ", "l": "ӏʟ",
    "m": "мᴍΜМ", "n": "пηոɴΝ", "o": "оοσօᴏΟОՕ", "p": "рρᴘΡР", "q": "ԛզǫԚ", "r": "гʀ",
    "s": "ѕꜱՏЅ", "t": "тτᴛΤТ", "u": "υսᴜμи", "v": "νѵᴠѴ", "w": "ѡԝωшᴡԜ", "x": "хχΧХ",
    "y": "уүγʏΥУ", "z": "ᴢΖ",
}  # fmt: skip
# Flags and letters in squares and circles come in the order of the alphabet.
_PICTURES = (0x1F1E6, 0x1F150, 0x1F170)
_LOOKALIKES = str.maketrans(
    {look: letter for letter, looks in _LOOKS.items() for look in looks}
    | {chr(first + at): letter for first in _PICTURES for at, letter in enumerate(_ALPHABET)}
)

_LOOKALIKE_SIGNS = frozenset(map(chr, _LOOKALIKES))

# Letters one by one: "i g n o r e", "i-g-n-o-r-e". Where words are apart, the gap is another one.
_SINGLES = bytes([1] * 5)
_SPACED = re.compile(r"(?<![^\W_])(?:ss|[^\W\d_])(?:[\W_]{1,3}(?:ss|[^\W\d_])(?![^\W_])){4,}")
_GAP = re.compile(r"[\W_]+")
_RUN_CHARS = 18
_FEWEST_WORDS = 3
_RUN = re.compile(rf"[^\W\d_]{{{_RUN_CHARS},}}")
# Signs inside of a word: "ig-nore", "pre.vious".
_BROKEN = re.compile(r"[^\W\d_]{1,12}(?:(?:[^\w\s<>(){}\[\]/]{1,2}|_{1,2})[^\W\d_]{1,12}){1,12}")
_SIGNS = re.compile(r"[\W_]+")
# What stands around words without being part of them.
_AROUND = ".,;:?()[]{}\"'“”„‘’«»…*/–—"
_PART = re.compile(r"\S+")
# So far a disguised word may stand from the rest of its order.
_AROUND_CHARS = 400
_LEET = re.compile(r"(?<![a-z0-9])[a-z]{0,12}[0-9@$!|+€][a-z0-9@$!|+€]{1,20}")
# A one is an i to some and an l to others.
_LEET_SIGNS = tuple(str.maketrans("013456789@$!|+€", f"o{one}easgtbgasi{one}te") for one in "il")
_ROTATED = str.maketrans(_ALPHABET, _ALPHABET[13:] + _ALPHABET[:13])
_KEY = 6
_KNOWN = frozenset(word[:_KEY] for word in VOCABULARY if len(word) >= _KEY)
_ROTATED_WORDS = frozenset(word.translate(_ROTATED) for word in VOCABULARY if len(word) >= _KEY)
_BEGINNINGS = frozenset(word[:2] for word in VOCABULARY if len(word) > 1)
_LONGEST = max(map(len, VOCABULARY))

_ESCAPED = re.compile(r"%[0-9a-fA-F]{2}|\\x[0-9a-fA-F]{2}|\\u[0-9a-fA-F]{4}")
# The bytes of one letter belong together.
_ESCAPES = re.compile(r"(?:%[0-9a-fA-F]{2})+|\\x[0-9a-fA-F]{2}|\\u[0-9a-fA-F]{4}")
_FEWEST_ESCAPES = 2
_ENTITIES = re.compile(r"&(?:#\d{2,7}|#[xX][0-9a-fA-F]{2,6}|[a-zA-Z]{2,8});")
# Only from where such a run begins: anything else would be tried at each of its letters.
_BASE64 = re.compile(
    r"(?<![A-Za-z0-9+/_-])[A-Za-z0-9+/_-]{16,}(?:[\r\n]{1,2}[A-Za-z0-9+/_-]{16,})*"
)
# Letters and spaces of Latin scripts begin with these digits.
_HEX = re.compile(
    r"[2-7c-eC-E](?<![0-9a-fA-F][2-7c-eC-E])[0-9a-fA-F]"
    r"(?:[ ,:\n]{0,2}(?:0x|\\x)?[0-9a-fA-F]{2}){11,}"
)
_BITS = re.compile(r"(?<![01])[01]{8}(?:[ ,\n]?[01]{8}){11,}")
# Of what is decoded so much must be letters and spaces for it to be a text.
_TEXT_SHARE = 0.8


def plain(text: str) -> str:
    """A text as it is seen, with one spelling for what looks the same; unseen tags as letters."""
    if text.isascii():
        return text
    if _TAG.search(text):
        text = text.translate(_TAG_LETTERS)
    return unicodedata.normalize("NFKC", _UNSEEN.sub("", text))


def fold(plain_text: str) -> str:
    """For comparing words: small letters of the Latin alphabet, without accents."""
    if not plain_text.isascii():
        bare = _ACCENTS.sub("", unicodedata.normalize("NFD", plain_text))
        plain_text = bare if _LOOKALIKE_SIGNS.isdisjoint(bare) else bare.translate(_LOOKALIKES)
    return plain_text.casefold()


def readings(text: str, seen: str) -> Iterator[Reading]:
    """The words of a text as it stands, then as it may be meant. ``seen`` is ``plain(text)``.

    Whatever is not there costs no more than a look for it.
    """
    folded = fold(seen)
    words = Reading(folded)
    yield words
    if text is not seen and _UNSEEN.search(text):
        # They may stand between words just as well as inside of them.
        yield Reading(fold(plain(_UNSEEN.sub(" ", text))))
    if _SINGLES in bytes([len(word) == 1 for word in words.words]):
        folded = _SPACED.sub(_put_together, folded)
        words = Reading(folded)
        yield words
    if any(len(word) >= _RUN_CHARS and _hides_words(word) for word in words.places):
        yield Reading(_RUN.sub(_taken_apart, folded))
    # Most words are letters and at most a sign after them.
    odd = [part for part in set(folded.split()) if not part.strip(_AROUND).isalpha()]
    if broken := [part for part in odd if any(map(_is_broken, _BROKEN.finditer(part)))]:
        yield Reading(_BROKEN.sub(_without_signs, _around(broken, folded)))
    for signs in _LEET_SIGNS:
        is_leet = partial(_is_leet, signs)
        if leet := [part for part in odd if any(map(is_leet, _LEET.finditer(part)))]:
            yield Reading(_LEET.sub(partial(_translated, signs), _around(leet, folded)))
    if not _ROTATED_WORDS.isdisjoint(words.places):
        yield Reading(fold(seen.casefold().translate(_ROTATED)))


def _around(parts: Iterable[str], text: str) -> str:
    """What stands around these parts of a text, each stretch of it as a line."""
    meant = frozenset(parts)
    stretches: list[tuple[int, int]] = []
    for match in _PART.finditer(text):
        if match[0] not in meant:
            continue
        first, end = max(0, match.start() - _AROUND_CHARS), match.end() + _AROUND_CHARS
        if stretches and first <= stretches[-1][1]:
            first = stretches.pop()[0]
        stretches.append((first, end))
    return "\n".join(text[first:end] for first, end in stretches)


def _without_signs(match: re.Match[str]) -> str:
    return _SIGNS.sub("", match[0])


def _is_broken(match: re.Match[str]) -> bool:
    return _is_known(_without_signs(match), match[0])


def _is_leet(signs: dict[int, int], match: re.Match[str]) -> bool:
    return _is_known(match[0].translate(signs), match[0])


def _hides_words(part: str) -> bool:
    """Whether a run of letters has three longer words of orders in it; compounds have fewer."""
    for run in _RUN.finditer(part):
        apart = _taken_apart(run).split()
        if sum(len(word) >= _KEY - 2 and word in VOCABULARY for word in apart) >= _FEWEST_WORDS:
            return True
    return False


def _is_known(word: str, written: str) -> bool:
    """Whether a word is one of an order, and was not before its signs were taken away."""
    return word[:_KEY] in _KNOWN and not written.startswith(word[:_KEY])


def _translated(signs: dict[int, int], match: re.Match[str]) -> str:
    return match[0].translate(signs)


def _put_together(match: re.Match[str]) -> str:
    gaps = _GAP.findall(match[0])
    usual = Counter(gaps).most_common(1)[0][0]
    parts = _GAP.split(match[0])
    words = [
        ("" if gap == usual else " ") + part for gap, part in zip(gaps, parts[1:], strict=True)
    ]
    return parts[0] + "".join(words)


def _taken_apart(match: re.Match[str]) -> str:
    """`ignoreallprevious` as `ignore all previous`: the longest known word at each place."""
    run = match[0]
    found: list[str] = []
    at = rest = 0
    after_word = True
    while at < len(run):
        if run[at : at + 2] not in _BEGINNINGS:
            at += 1
            after_word = False
            continue
        shortest = 2 if after_word else 3
        for length in range(min(_LONGEST, len(run) - at), shortest - 1, -1):
            if run[at : at + length] in VOCABULARY:
                found += [run[rest:at], run[at : at + length]]
                at = rest = at + length
                after_word = True
                break
        else:
            at += 1
            after_word = False
    return " ".join(part for part in [*found, run[rest:]] if part)


def payloads(seen: str) -> Iterator[str]:
    """Texts that are written here in another alphabet: escapes, entities, base64, hex, bits."""
    if ("%" in seen or "\\" in seen) and len(_ESCAPED.findall(seen)) >= _FEWEST_ESCAPES:
        yield _ESCAPES.sub(_unescaped, seen)
    if "&" in seen and len(_ENTITIES.findall(seen)) >= _FEWEST_ESCAPES:
        yield html.unescape(seen)
    for match in _BASE64.finditer(seen):
        letters = "".join(match[0].split()).replace("-", "+").replace("_", "/")
        yield from _text(b64decode(letters[: len(letters) // 4 * 4]))
        # What is left over at the end is padded.
        yield from (
            _text(b64decode(letters + "=" * (-len(letters) % 4))) if len(letters) % 4 > 1 else ()
        )
    for match in _HEX.finditer(seen):
        digits = re.sub(r"0x|\\x|[ ,:\n]", "", match[0])
        yield from _text(bytes.fromhex(digits[: len(digits) // 2 * 2]))
    for match in _BITS.finditer(seen) if "011" in seen else ():
        bits = re.sub(r"[ ,\n]", "", match[0])
        yield from _text(bytes(int(bits[at : at + 8], 2) for at in range(0, len(bits), 8)))


def _unescaped(match: re.Match[str]) -> str:
    written = match[0]
    if written.startswith("%"):
        return bytes.fromhex(written.replace("%", "")).decode("utf-8", "replace")
    return chr(int(written[2:], 16))


def _text(data: bytes) -> Iterator[str]:
    """The bytes as a text, where they are one."""
    encoding = "utf-16-le" if data[1::2].count(0) > len(data) // 4 else "utf-8"
    try:
        text = data.decode(encoding)
    except UnicodeDecodeError:
        return
    if sum(ch.isalnum() or ch.isspace() for ch in text) >= _TEXT_SHARE * len(text):
        yield text
