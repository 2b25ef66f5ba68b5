"""Names and short forms in two spellings."""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from string import ascii_letters

from app.core.text import Span, ascii_table, sign_before, stem, typed

# A name: words with a capital, joined by a space or an ampersand.
_NAME = re.compile(
    r"[^\W\d_a-zß-ÿ][^\W\d_A-ZÀ-Þ]{2,20}(?:(?: & | )[^\W\d_a-zß-ÿ][^\W\d_A-ZÀ-Þ]{2,20}){0,3}"
)
_LOWER = re.compile(r"(?<![^\W\d_])[^\W\d_A-ZÀ-Þ]{3,30}(?![^\W\d_])")
_ASCII_LETTERS = ascii_table(ascii_letters)
_SHORT_NAME = 8
_SINGLE_NAME = 8
_MAX_BUCKET = 20
_SAME_SOUND = ("ck", "iy", "vw", "sz", "fp", "gj")
# Endings that make another form of a name, not another spelling.
_FORMS = ("s", "e", "a", "o", "i", "n", "y")
_ENDING = 2
_SENTENCE_END = frozenset(".!?:\n“\"'(—–-•*")


@dataclass(frozen=True)
class Named:
    """A name, its words in lower case, and where it is first written so."""

    words: tuple[str, ...]
    text: str
    span: Span
    is_inside: bool


def names(text: str, function_words: frozenset[str]) -> Iterator[Named]:
    """Yield the names of a text; ``is_inside`` is False for one that begins a sentence."""
    for match in _NAME.finditer(text):
        begin, end = match.span()
        if text[end : end + 1].isalnum() or (begin and text[begin - 1].isalnum()):
            continue
        parts = match.group().replace(" & ", " ").split(" ")
        inside = _is_inside(text, begin)
        while parts and parts[0].lower() in function_words:
            begin += len(parts[0]) + 1
            parts, inside = parts[1:], True
        if parts:
            low = tuple(part.lower() for part in parts)
            yield Named(low, text[begin:end], (begin, end), inside)
            if not inside and len(low) > 2:
                # The first word may be an ordinary one: "Ask Harlow & Finch".
                begin += len(parts[0]) + 1
                yield Named(low[1:], text[begin:end], (begin, end), is_inside=True)


def _is_inside(text: str, begin: int) -> bool:
    before = sign_before(text, begin)
    return bool(before) and before not in _SENTENCE_END


def ordinary_words(text: str) -> set[str]:
    """Return the words that a text writes in lower case."""
    plain = typed(text)
    if plain.isascii():
        runs = plain.encode().translate(_ASCII_LETTERS).decode().split()
        return {run for run in runs if 2 < len(run) <= 30 and run.islower()}
    return set(_LOWER.findall(text))


def spellings(
    found: Iterable[tuple[int, Named]], ordinary: set[str], language: str, *, singles: bool
) -> Iterator[tuple[int, Named, Named]]:
    """Yield names that differ from an earlier one by a letter or two, with that one.

    Each name is compared with the few that share all of its words but one, or its beginning.
    """
    seen: set[tuple[str, ...]] = set()
    alike: dict[tuple[object, ...], list[Named]] = defaultdict(list)
    for number, name in found:
        if name.words in seen:
            continue
        if len(name.words) == 1 and not (singles and _may_be_single(name, ordinary)):
            continue
        seen.add(name.words)
        keys: list[tuple[object, ...]] = []
        if len(name.words) == 1:
            keys = [(0, name.words[0][:4], len(name.words[0]))]
        else:
            # German writes "Lesen Sie" at the begin of a sentence.
            for at in range(0 if singles or name.is_inside else 1, len(name.words)):
                keys.append((at, *name.words[:at], "", *name.words[at + 1 :]))
        for key in keys:
            at = int(str(key[0]))
            for earlier in alike[key][:_MAX_BUCKET]:
                if _is_misspelt(name.words[at], earlier.words[at], language):
                    yield number, earlier, name
                    break
            alike[key].append(name)


def _may_be_single(name: Named, ordinary: set[str]) -> bool:
    word = name.words[0]
    return name.is_inside and len(word) >= _SINGLE_NAME and word not in ordinary


def _is_misspelt(one: str, other: str, language: str) -> bool:
    shorter, longer = sorted((one, other), key=len)
    if len(shorter) < 4 or len(longer) - len(shorter) > 1:
        return False
    if one[0] != other[0] and not any(one[0] in p and other[0] in p for p in _SAME_SOUND):
        return False
    added = longer[len(shorter) :]
    if longer.startswith(shorter) and added in _FORMS and added != shorter[-1]:
        return False
    if (
        not longer.startswith(shorter)
        and len(shorter) > _SHORT_NAME - 2
        and (one[: len(shorter) - _ENDING] == other[: len(shorter) - _ENDING])
    ):
        return False
    if stem(one, language) == stem(other, language):
        return False
    return _distance(one, other) <= (2 if len(shorter) >= _SHORT_NAME else 1)


def _distance(one: str, other: str) -> int:
    """The number of letters to change, add or remove; words have at most 21."""
    row = list(range(len(other) + 1))
    for i, left in enumerate(one, 1):
        before, row[0] = row[0], i
        for j, right in enumerate(other, 1):
            cost = min(row[j] + 1, row[j - 1] + 1, before + (left != right))
            before, row[j] = row[j], cost
    return row[-1]


# "The Royal Garden Society (RGS)"
_SHORT_FORM = re.compile(r"\(([A-Z]{3,6})\)")
_CAPITALS = re.compile(r"(?<![\w-])[A-Z]{3,6}(?![\w-])")


def short_forms(texts: Iterable[tuple[int, str]]) -> Iterator[tuple[int, Span, str, str]]:
    """Yield short forms that have the letters of one that the text explains, in another order.

    Each comes with the number of its text, its place, itself and the one that is explained.
    """
    read = list(texts)
    explained = {match[1] for _, text in read for match in _SHORT_FORM.finditer(text)}
    by_letters = {"".join(sorted(form)): form for form in sorted(explained)}
    if not by_letters:
        return
    for number, text in read:
        for match in _CAPITALS.finditer(text):
            form = by_letters.get("".join(sorted(match[0])))
            if form and match[0] not in explained:
                yield number, match.span(), match[0], form


_IN_BRACKETS = re.compile(r"(?<= )\(([A-Z]{2,6})\)")
_STANDS_FOR = re.compile(
    r"([A-Z](?<![\w-][A-Z])[A-Z]{1,5}) (?:stands for|is short for|means|steht für|bedeutet|signifie"
    r"|significa|sta per|staat voor) "
)
# The characters around a short form that may explain it, and the words of an explanation.
_READ_CHARS, _EXPLAINING = 160, re.compile(r"[^\W\d_][\w’'-]{0,30}(?: [^\W\d_][\w’'-]{0,30}){0,6}")
_PREFIX = 4


def two_meanings(texts: Iterable[tuple[int, str]]) -> Iterator[tuple[int, Span, str, str, str]]:
    """Yield short forms that a text explains in two ways, with the number of the text, their place,
    the form and both explanations.

    An explanation is words right before the form in brackets, or behind "stands for", that have its
    letters in this order.
    """
    known: dict[str, str] = {}
    for number, text in texts:
        found = []
        for match in _IN_BRACKETS.finditer(text) if "(" in text else ():
            before = text[max(0, match.start() - _READ_CHARS) : match.start()]
            said = re.split(r"[^\w’' -]", before)[-1].split()
            found.append((match.span(1), match[1], _words_of(match[1], said)))
        for match in _STANDS_FOR.finditer(text):
            behind = _EXPLAINING.match(text[match.end() : match.end() + _READ_CHARS])
            if behind:
                said = behind[0].split()
                found.append((match.span(1), match[1], _beginning_of(match[1], said)))
        for span, form, explanation in found:
            earlier = known.setdefault(form, explanation) if explanation else ""
            if earlier and _are_two(earlier, explanation):
                yield number, span, form, explanation, earlier


def _words_of(form: str, before: list[str]) -> str:
    """The last words that have the letters of a form: "ask for value added tax" for VAT."""
    for count in range(1, min(len(before), len(form) + 1) + 1):
        said = " ".join(before[-count:])
        if _has_letters(form, said):
            return said
    return ""


def _beginning_of(form: str, behind: list[str]) -> str:
    for count in range(1, min(len(behind), len(form) + 1) + 1):
        said = " ".join(behind[:count])
        if _has_letters(form, said):
            return said
    return ""


def _has_letters(form: str, said: str) -> bool:
    """Whether the words have the letters in order, the first one as their first letter; words of
    which each begins with one count, and one long word with all of them."""
    low, letters = said.lower(), form.lower()
    initials = "".join(part[0] for part in re.split(r"[ -]", low) if part)
    if initials == letters:
        return True
    at = 0
    for letter in letters:
        at = low.find(letter, at) + 1
        if not at:
            return False
    return low[0] == letters[0] and initials[-1] in letters and len(low) > 2 * len(letters)


def _are_two(one: str, other: str) -> bool:
    first, second = (
        [word[:_PREFIX] for word in re.split(r"[ -]", each.lower())] for each in (one, other)
    )
    shared = len(set(first) & set(second))
    return first[0] != second[0] and 2 * shared < max(len(first), len(second))
