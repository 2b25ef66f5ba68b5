"""Bare numbers of a sentence, in digits or in words, with what multiplies them.

For numbers in words a language needs the names of the powers and of the first hundred numbers: the
rest follows by adding and multiplying. Compounds (German, Dutch, Italian) are split into them.
"""

import re
from collections.abc import Iterable, Iterator
from functools import cache
from itertools import chain, islice
from typing import NamedTuple
from unicodedata import numeric

from babel import Locale

from app.core.facts.scanner import Scanner
from app.core.languages import Numbers, known_tags

# No number that a text means is larger, or has more digits: a longer one is a code.
_LARGEST = 1e24
_MAX_DIGITS = 21
_DOZEN = 12
_MAX_COMPOUND_CHARS = 60
_MAX_WORDS = 24
_POWERS = (10**12, 10**9, 10**6, 10**3)
_FRACTION = re.compile(r"(?:(\d+)[\s-]?)?(?:([¼-¾⅐-⅞])|(?<!\d)(\d+)[/⁄](\d+))")
_LETTERS = {"m": 10**6, "mn": 10**6, "k": 10**3, "bn": 10**9, "b": 10**9, "tn": 10**12,
            "md": 10**9, "mds": 10**9}  # fmt: skip


class Number(NamedTuple):
    """``end`` is the index of the token after it, ``scale`` what was multiplied in ("million");
    ``is_loose`` marks a noun for an approximate number ("une vingtaine")."""

    value: float
    end: int
    is_word: bool
    scale: float = 1.0
    is_loose: bool = False


def number_at(scanner: Scanner, at: int) -> Number | None:
    """Return the number at a token, in digits or in words, with its scale."""
    if at >= len(scanner.tokens):
        return None
    token = scanner.tokens[at]
    if not token.is_digits and not (scanner.vocabulary.is_known and token.is_word):
        return None
    if special := _group(scanner, at) or _half(scanner, at):
        return special
    found = _in_digits(scanner, at) if token.is_digits else _in_words(scanner, at)
    return _scaled(scanner, found) if found else None


def small_number_at(scanner: Scanner, at: int) -> int:
    """Return the number from 1 to 100 that is a token of its own; 0 for none."""
    word = scanner.low(at)
    if word.isdecimal():
        value = int(word) if len(word) <= 3 else 0
    else:
        value, _ = read_words([word], scanner.words.numbers)
    return value if 0 < value <= 100 else 0


def after_half(scanner: Scanner, at: int) -> int:
    """Return the index after "and a half" if a token begins that, else that of the token."""
    return scanner.phrase_end(at, scanner.words.numbers.and_half) or at


def letter_scale(scanner: Scanner, at: int) -> int:
    """Return the scale that a token of letters stands for (4.8m); 0 for none."""
    return _LETTERS.get(scanner.low(at), 0)


def with_letter(scanner: Scanner, number: Number) -> Number:
    """Return the number multiplied by a letter that touches it, if one does."""
    letter = letter_scale(scanner, number.end) if scanner.touches(number.end) else 0
    if not letter:
        return number
    value = number.value * letter
    return number._replace(value=value, end=number.end + 1, scale=float(letter))


def _in_digits(scanner: Scanner, at: int) -> Number | None:
    value = parse_digits(scanner.tokens[at].text, scanner.vocabulary.language)
    return None if value is None else Number(value, at + 1, is_word=False)


def _in_words(scanner: Scanner, at: int) -> Number | None:
    names = scanner.words.numbers
    first = scanner.low(at)
    mixed = _with_half(first, names)
    if mixed is not None:
        return Number(mixed, at + 1, is_word=True)
    is_article = first in names.articles
    if is_article and first not in names.values:
        first = names.ones[1]  # a hundred
    following = (scanner.low(place) for place in _words_after(scanner, at))
    count, used = read_words(chain([first], following), names)
    if not used or (is_article and used == 1 and after_half(scanner, at + 1) == at + 1):
        return None
    last = at if used == 1 else next(islice(_words_after(scanner, at), used - 2, None))
    scale = names.scales.get(first if used == 1 else scanner.low(last), 1)
    return Number(float(count), last + 1, is_word=True, scale=float(scale))


def _words_after(scanner: Scanner, at: int) -> Iterator[int]:
    """The indices of the words that follow a word, with nothing but hyphens between them."""
    for index in range(at + 1, min(at + 32, len(scanner.tokens))):
        if scanner.tokens[index].is_word:
            yield index
        elif scanner.low(index) != "-" or not scanner.touches(index):
            break


def _scaled(scanner: Scanner, number: Number) -> Number:
    """The number with what follows it: a half, millions, and half of those."""
    value, end, scale = number.value, number.end, number.scale
    past = after_half(scanner, end)
    if past > end and scale == 1:
        value, end = value + 0.5, past
    scales = scanner.words.numbers.scales
    while (step := scales.get(scanner.low(end), 1)) > 1 and value < _LARGEST:
        value, end, scale = value * step, end + 1, scale * step
        if scanner.low(end) == "." and scanner.touches(end) and len(scanner.low(end - 1)) <= 3:
            end += 1  # Mio. Euro
    past = after_half(scanner, end)
    if past > end and scale > 1:
        value, end = value + scale / 2, past
    return number if end == number.end else number._replace(value=value, end=end, scale=scale)


def _group(scanner: Scanner, at: int) -> Number | None:
    """ "two dozen", "une vingtaine": a noun for a number of things, counted or after an article."""
    names = scanner.words.numbers
    size = names.groups.get(scanner.low(at + 1))
    if size is None:
        return None
    count = 1 if scanner.low(at) in names.articles else small_number_at(scanner, at)
    if not 0 < count < 100:
        return None
    return Number(float(count * size), at + 2, is_word=True, is_loose=size != _DOZEN)


def _half(scanner: Scanner, at: int) -> Number | None:
    """ "half a million", "eine halbe Stunde": a half of what follows directly."""
    names = scanner.words.numbers
    if scanner.low(at) not in names.halves:
        return None
    after = scanner.low(at + 1)
    end = at + 1 + (after in names.articles or after in {"-", "'", "’"})
    if scale := names.scales.get(scanner.low(end)):
        return Number(scale / 2, end + 1, is_word=True, scale=float(scale))
    unit, _ = scanner.unit(end)
    return Number(0.5, end, is_word=True) if unit and not unit.is_money else None


@cache
def _decimal_sign(language: str) -> str:
    is_known = language in known_tags()
    return str(Locale(language).number_symbols["latn"]["decimal"]) if is_known else "."


def parse_digits(text: str, language: str) -> float | None:
    """Return the value of "1,200.5" as its language writes it, of "1½" and of "1 1/2"; None for a
    code or a version."""
    if text.isdecimal():  # as most are
        return float(int(text)) if len(text) <= _MAX_DIGITS else None
    if match := _FRACTION.fullmatch(text):
        whole, sign, above, below = match.groups()
        return float(whole or 0) + (numeric(sign) if sign else int(above) / int(below))
    if text.startswith("."):
        return _decimal("0", text[1:])
    text = "".join(ch for ch in text if not ch.isspace() and ch not in "'’")
    if len(text) > _MAX_DIGITS:
        return None
    signs = [ch for ch in text if ch in ".,"]
    if not signs:
        return float(int(text))
    first, *groups = text.replace(",", ".").split(".")
    is_grouped = all(len(group) == 3 for group in groups) and 1 <= len(first) <= 3
    last = signs[-1]
    if len(set(signs)) == 2:
        whole = "".join([first, *groups[:-1]])
        return _decimal(whole, groups[-1]) if signs.count(last) == 1 else None
    if len(signs) > 1 or (is_grouped and last != _decimal_sign(language) and first != "0"):
        return float(int("".join([first, *groups]))) if is_grouped else None
    return _decimal(first, groups[0])


def _decimal(whole: str, fraction: str) -> float:
    """The value of two runs of digits of any script."""
    return float(f"{int(whole)}.{''.join(str(int(digit)) for digit in fraction)}")


def read_words(words: Iterable[str], names: Numbers) -> tuple[int, int]:
    """Return the number that words begin with, and how many of them it takes.

    The words are in lower case and split at hyphens. (0, 0) if they do not start with a number.
    """
    total = current = used = 0
    started = pending = False
    for index, word in enumerate(islice(words, _MAX_WORDS)):
        if word in names.joiners:
            if not started or pending:
                break
            pending = True
            continue
        parts = _parts(word, names)
        if not parts:
            break
        step = _compose(total, current, parts, names, joined=pending)
        if step is None:
            break
        total, current = step
        started, pending, used = True, False, index + 1
    return (total + current, used) if started else (0, 0)


def _with_half(word: str, names: Numbers) -> float | None:
    """Return the value of one word for a number and a half, None for any other word."""
    if word in names.one_and_half:
        return 1.5
    for end in names.half_endings:
        if word.endswith(end):
            value, used = read_words([word.removesuffix(end)], names)
            return value + 0.5 if used else None
    return None


def _parts(word: str, names: Numbers) -> list[int | None]:
    """The parts of a word; None is a joiner inside a compound."""
    if word in names.values:
        return [names.values[word]]
    if not names.has_compounds or not 0 < len(word) <= _MAX_COMPOUND_CHARS:
        return []
    word = word.replace("centott", "centoott")  # centotto, centottanta: one o stands for two
    parts: list[int | None] = []
    at = 0
    while at < len(word):
        for length in range(min(names.longest, len(word) - at), 1, -1):
            piece = word[at : at + length]
            if piece in names.values:
                parts.append(names.values[piece])
                break
            if piece in names.joiners and parts:
                parts.append(None)
                break
        else:
            return []
        at += length
    return parts if parts[-1] is not None and len(parts) > 1 else []


def _compose(
    total: int, current: int, parts: list[int | None], names: Numbers, *, joined: bool
) -> tuple[int, int] | None:
    """Add the parts to the running total; None if they cannot follow it."""
    for part in parts:
        if part is None:
            joined = True
            continue
        if part >= 1000:
            if total and part >= _lowest_power(total):
                if current:
                    return None
                total *= part  # mil millones
            else:
                total += max(current, 1) * part
            current = 0
        elif part == 100:
            # twelve hundred is one number, forty hundred and two hundreds are none
            if current >= 100 or (current % 10 == 0 and current):
                return None
            current = max(current, 1) * 100
        elif not _fits(current, part, names, joined=joined):
            return None
        elif names.counts_by_twenty and part == 20 and current % 100 == 4:
            current += 76
        else:
            current += part
        joined = False
    return total, current


def _fits(current: int, part: int, names: Numbers, *, joined: bool) -> bool:
    rest = current % 100
    if part >= 100:
        return current == 0
    if rest == 0:
        return True
    if names.counts_by_twenty and part == 20 and rest == 4:
        return True
    if names.unit_first and joined and 0 < rest < 10:
        return part >= 20 and part % 10 == 0
    if names.counts_by_twenty and (rest in {60, 80} or (rest == 10 and part >= 7)):
        return part < 20 if rest > 10 else part < 10  # soixante-dix, quatre-vingt-dix-sept
    return rest >= 20 and rest % 10 == 0 and part < 10


def _lowest_power(value: int) -> int:
    return next((power for power in _POWERS if value % power == 0), 1)
