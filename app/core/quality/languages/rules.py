"""The shape of a language's rules, and how its words and patterns are looked for."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from app.core.text import words

# Quotation marks end no clause: the key was “turned” by hand.
_CLAUSE = re.compile(r"[,;:()\[\]—–]")


class Phrases:
    """Words and phrases, written one after the other with `|` or a new line between them.

    `either … or` is a pair: both halves in that order, with words between them. A line that begins
    with `#` is a note. Those of ``opening`` count only where a text begins with one.
    """

    def __init__(self, listed: str, opening: str = "") -> None:
        self._by_first: dict[str, list[tuple[str, ...]]] = {}
        self._pairs: list[tuple[tuple[str, ...], tuple[str, ...]]] = []
        self._opening = [words(phrase) for phrase in opening.split("|") if phrase]
        listed = re.sub(r"(?m)^\s*#.*$", "", listed)
        for phrase in filter(None, (part.strip() for part in re.split(r"[|\n]", listed))):
            first, _, second = (part.strip() for part in phrase.partition("…"))
            if second:
                self._pairs.append((words(first), words(second)))
            else:
                parts = words(phrase)
                self._by_first.setdefault(parts[0], []).append(parts)

    def within(self, text: str) -> bool:
        """Whether a text uses any of them."""
        found = words(text)
        if any(found[: len(parts)] == parts for parts in self._opening):
            return True
        if not self._by_first.keys().isdisjoint(found):
            for index, word in enumerate(found):
                for parts in self._by_first.get(word, ()):
                    if found[index : index + len(parts)] == parts:
                        return True
        return any(
            (end := _end_of(first, found, 0)) and _end_of(second, found, end)
            for first, second in self._pairs
        )


def _end_of(phrase: tuple[str, ...], text: tuple[str, ...], start: int) -> int:
    """Where a phrase ends that stands in a text at or behind ``start``; 0 where it does not."""
    while phrase[0] in text[start:]:
        start = text.index(phrase[0], start) + 1
        end = start + len(phrase) - 1
        if text[start - 1 : end] == phrase:
            return end
    return 0


@dataclass(frozen=True)
class Marked:
    """A pattern of which each match has one of the ``marks`` in it, case aside.

    Few texts have any, and to look for a dozen of them takes a fiftieth of the time that a pattern
    with as many alternatives takes.
    """

    marks: tuple[str, ...]
    pattern: re.Pattern[str]

    def search(self, text: str) -> re.Match[str] | None:
        small = text.casefold()
        if not small.isascii():
            # To a pattern that ignores case, these are an i as well.
            small = small.replace("i\u0307", "i").replace("ı", "i")
        for mark in self.marks:
            if mark in small:
                return self.pattern.search(text)
        return None


@dataclass(frozen=True)
class Passive:
    """An auxiliary and a participle in one clause, the auxiliary first unless ``either_order``.

    ``between`` are words that end a clause; a participle right after one of ``before`` is an
    adjective (`a broken jar`). One of ``instead`` after the auxiliary says that something else
    than a participle completes it (`is a jar filled by hand`, `is and has worked`), but not in a
    question, where the subject stands there.
    """

    auxiliaries: frozenset[str]
    participle: re.Pattern[str]
    not_participles: frozenset[str] = frozenset()
    between: frozenset[str] = frozenset()
    before: frozenset[str] = frozenset()
    instead: frozenset[str] = frozenset()
    either_order: bool = False

    def within(self, sentence: str) -> bool:
        if self.auxiliaries.isdisjoint(words(sentence)):
            return False
        instead = frozenset() if sentence.endswith("?") else self.instead
        return any(self._in_clause(words(clause), instead) for clause in _CLAUSE.split(sentence))

    def _in_clause(self, found: Sequence[str], instead: frozenset[str]) -> bool:
        open_auxiliary = open_participle = False
        for index, word in enumerate(found):
            if word in self.between:
                open_auxiliary = open_participle = False
            elif word in instead:
                open_auxiliary = False
            elif word in self.auxiliaries:
                open_auxiliary = True
                if self.either_order and open_participle:
                    return True
            elif (
                (open_auxiliary or self.either_order)
                and self._is_participle(word)
                and not (index and found[index - 1] in self.before)
            ):
                if open_auxiliary:
                    return True
                open_participle = True
        return False

    def _is_participle(self, word: str) -> bool:
        return word not in self.not_participles and self.participle.fullmatch(word) is not None


@dataclass(frozen=True)
class Rules:
    """Word lists, patterns and thresholds of one language.

    ``hyphenation`` names its dictionary in pyphen; ``flesch`` is (constant, points for each word
    of a mean sentence, points for each syllable of a mean word). A sentence of more than
    ``long_sentence`` words is long. ``articles`` are looked past where openings are compared.
    ``unfinished`` matches a text that breaks off, ``task_talk`` what a model says of its text and
    people may say of theirs; the other patterns what nobody should say.
    """

    hyphenation: str
    flesch: tuple[float, float, float]
    long_sentence: int
    transitions: Phrases
    passive: Passive
    articles: frozenset[str]
    self_reference: Marked
    assistant: Marked
    task_talk: Marked
    placeholder: Marked
    unfinished: re.Pattern[str]
    empty_headings: frozenset[str]


def either(marks: str, lines: str) -> Marked:
    """Any of these patterns, one a line, case aside; `^` is the start of a line.

    Each match of one has one of the ``marks`` in it, which stand in small letters with `|` or a
    new line between them.
    """
    alternatives = "|".join(f"(?:{line})" for line in listed(lines))
    pattern = re.compile(alternatives, re.IGNORECASE | re.MULTILINE)
    return Marked(tuple(re.split(r"[|\n]", marks.strip())), pattern)


def listed(lines: str) -> Iterable[str]:
    return [line.strip() for line in lines.splitlines() if line.strip()]


def one_of(text: str) -> frozenset[str]:
    """A set of the words of a text."""
    return frozenset(text.split())
