"""Enumerations whose number is not that of the things they name: "Both of them, A, B and C"."""

import re
from collections.abc import Iterator
from functools import cache

from app.core.facts.reading import Mistake
from app.core.languages import Enumerations, get_section

_ITEM = r"[^\W\d_][\w’'-]{0,30}(?: [^\W\d_][\w’'-]{0,30}){0,3}"
_COUNTED = r"(?: [^\W\d_][\w’'-]{0,30}){1,3}"


def may_enumerate(text: str, language: str) -> bool:
    """Return whether a text has one of the words that every enumeration with a number has."""
    words = get_section(language, Enumerations)
    if words is None:
        return False
    lower = text.lower()
    return any(sign in lower for sign in (*words.signs, *words.of_three))


def mistakes_in_enumerations(text: str, language: str) -> Iterator[Mistake]:
    """Yield the numbers of a sentence that the things named right behind them do not have."""
    words = get_section(language, Enumerations)
    if words is None:
        return
    for match in _of_three(language).finditer(text):
        yield Mistake(match.span(), f"“{match[0]}” is said of two things.")
    if "," not in text:
        return
    for pattern in _patterns(language):
        found = pattern.search(text)
        if found is None:
            continue
        number = words.numbers.get(found["number"].lower(), 0)
        named = re.split(rf", ?|,? (?:{_either(words.joins)}) ", found["list"])
        count = sum(bool(item.strip()) for item in named)
        if number and count > 1 and count != number:
            problem = f"“{found['number']}” does not fit: “{found['list']}” names {count}."
            yield Mistake(found.span("number"), problem)


def _either(words: frozenset[str]) -> str:
    return "|".join(sorted(map(re.escape, words), key=len, reverse=True))


@cache
def _patterns(language: str) -> tuple[re.Pattern[str], ...]:
    words = get_section(language, Enumerations)
    if words is None:
        return ()
    joins = _either(words.joins)
    named = rf"(?P<list>{_ITEM}(?:, {_ITEM}){{0,6}},? (?:{joins}) {_ITEM})"
    number = f"(?P<number>{_either(frozenset(words.numbers))})"
    both = f"(?P<number>{_either(words.both)})"
    # "Both materials, wood, steel and plastic, last long", "All three, A and B, are cheap"
    return (
        re.compile(rf"(?<![\w-]){both}{_COUNTED}, {named}, (?=[^\W\d_])", re.IGNORECASE),
        re.compile(
            rf"(?<![\w-])(?:{_either(words.all)}) {number}{_COUNTED}, {named}, (?=[^\W\d_])",
            re.IGNORECASE,
        ),
        # "The two best colours are red, blue and green."
        re.compile(
            rf"^(?:{_either(words.the)}) {number} (?:{_either(words.best)}){_COUNTED}"
            rf" (?:{_either(words.being)}) {named}\.?$",
            re.IGNORECASE,
        ),
    )


@cache
def _of_three(language: str) -> re.Pattern[str]:
    words = get_section(language, Enumerations)
    if words is None or not words.of_three:
        return re.compile("(?!)")
    more = _either(frozenset(word for word, number in words.numbers.items() if number > 2))
    phrases = _either(frozenset(words.of_three))
    return re.compile(rf"\b(?:{phrases}) (?:(?:{_either(words.the)}) )?(?:{more})\b", re.IGNORECASE)
