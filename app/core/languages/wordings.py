"""Patterns of wordings, which most texts are not searched for because they lack their words."""

import re
from collections.abc import Iterator, Sequence, Set
from functools import cache
from string import ascii_lowercase
from typing import Annotated

from pydantic import PlainValidator

from app.core.text import ascii_table, cached

_RUN = re.compile(r"[^\W\d_]+")
_ASCII_RUNS = ascii_table(ascii_lowercase)
_BRACKETS = frozenset("([<")
_SPECIAL = frozenset("^$.*+?{}[]()|\\")
_REPEATS = frozenset("*+?{")
_MOST_TRIED = 8


def joined(patterns: Sequence[str]) -> str:
    """Return a pattern of whole words that matches what any of these patterns matches."""
    either = "|".join(f"(?:{each})" for each in patterns) or "(?!)"
    return rf"(?m)(?<!\w)(?:{either})(?:(?!\w)|(?<!\w))"


class Wording:
    """Regular expressions for text in lower case, each of which matches whole words.

    Nearly all of them contain words that a match must have. A text is searched only for those whose
    words it has, which takes a twentieth of the time.
    """

    def __init__(self, patterns: Sequence[str]) -> None:
        self.pattern = re.compile(joined(patterns))
        self._cued: dict[str, list[tuple[str, Sequence[frozenset[str]]]]] = {}
        uncued = []
        for each in patterns:
            cues, *others = _needed(each) or [frozenset[str]()]
            for cue in cues:
                self._cued.setdefault(cue, []).append((each, others))
            if not cues:
                uncued.append(each)
        self._cues = frozenset(self._cued)
        self._uncued = re.compile(joined(uncued)) if uncued else None

    def search(self, text: str) -> re.Match[str] | None:
        """Return the first match in a text that `app.core.checks.wording.level` returned."""
        runs = _runs(text)
        cues = () if self._cues.isdisjoint(runs) else sorted(self._cues & runs)
        # A search for a few patterns is several times as fast as one for all of them at once.
        tried = dict.fromkeys(
            each
            for cue in cues
            for each, others in self._cued[cue]
            if not any(map(runs.isdisjoint, others))
        )
        if len(tried) > _MOST_TRIED:
            return self.pattern.search(text)
        found = [match for each in tried if (match := _compiled(each).search(text))]
        if self._uncued and (match := self._uncued.search(text)):
            found.append(match)
        return min(found, key=re.Match.start, default=None)


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(joined([pattern]))


def _wording(patterns: object) -> Wording:
    if not isinstance(patterns, list) or not all(isinstance(each, str) for each in patterns):
        raise ValueError("must be a list of regular expressions")
    return Wording(patterns)


Wordings = Annotated[Wording, PlainValidator(_wording)]


@cached
def _runs(text: str) -> Set[str]:
    """Return the runs of letters of a text in lower case, and which brackets it has."""
    brackets = {bracket for bracket in _BRACKETS if bracket in text}
    if text.isascii():
        return brackets.union(text.encode().translate(_ASCII_RUNS).decode().split())
    return brackets.union(_RUN.findall(text))


def _needed(pattern: str) -> list[frozenset[str]]:
    """Return sets of words and brackets: each match of a pattern has one of each set, a word
    between other signs.

    The rarest set is the first. What is not certain is left out. The pattern stands between signs
    that are no letters itself.
    """
    alternatives = list(_split(pattern))
    if len(alternatives) > 1:
        each = [_needed(alternative) for alternative in alternatives]
        return [frozenset[str]().union(*(sets[0] for sets in each))] if all(each) else []
    found: list[frozenset[str]] = []
    # What a run of letters may be so far, and whether it begins a word.
    forms, begins, at = [""], True, 0
    while at < len(pattern):
        after = _after(pattern, at)
        repeat = pattern[after : after + 1]
        if pattern[at].isalpha() and repeat not in {"*", "+", "{"}:
            longer = [form + pattern[at] for form in forms]
            forms = [*forms, *longer] if repeat == "?" else longer
            at = after + (repeat == "?")
            if begins and all(forms) and _is_edge(pattern, at):
                found.append(frozenset(forms))
            continue
        if pattern.startswith("(?:", at):
            inner = pattern[at + 3 : after - 1]
            if begins and forms == [""] and repeat not in _REPEATS and _is_edge(pattern, after):
                found += _needed(inner)
            ends = all(alternative.endswith(" ") for alternative in _split(inner))
            begins = ends and (repeat not in _REPEATS or (begins and forms == [""]))
        elif _is_sign(pattern, at):
            is_there = repeat not in {"*", "?", "{"}
            begins = is_there or (begins and forms == [""])
            if is_there and (signs := _signs(pattern, at)) <= _BRACKETS:
                found.append(signs)
        else:
            begins = pattern[at] == "^"
        forms = [""]
        at = _past_repeat(pattern, after)
    return sorted(found, key=_rarity, reverse=True)


def _is_edge(pattern: str, at: int) -> bool:
    """Return whether no letter can follow here in a match."""
    if at == len(pattern) or pattern[at] == "$":
        return True
    after = _after(pattern, at)
    repeat = pattern[after : after + 1]
    if pattern.startswith("(?:", at):
        inside = all(each and _is_edge(each, 0) for each in _split(pattern[at + 3 : after - 1]))
        past = _past_repeat(pattern, after)
        return inside and (repeat not in _REPEATS or _is_edge(pattern, past))
    past = _past_repeat(pattern, after)
    return _is_sign(pattern, at) and (repeat not in {"*", "?", "{"} or _is_edge(pattern, past))


def _is_sign(pattern: str, at: int) -> bool:
    """Return whether what stands here matches signs or spaces, or the end of a word."""
    if pattern[at] == "\\":
        return pattern[at + 1] in "bs" or not pattern[at + 1].isalnum()
    if pattern[at] == "[":
        return not any(sign.isalnum() or sign in "^_" for sign in _signs(pattern, at))
    return pattern[at] not in _SPECIAL and not pattern[at].isalnum() and pattern[at] != "_"


def _signs(pattern: str, at: int) -> frozenset[str]:
    """Return the signs of a class, or the one that stands for itself."""
    after = _after(pattern, at)
    within = pattern[at + 1 : after - 1] if pattern[at] == "[" else pattern[at:after]
    return frozenset(within) - {"\\"}


def _rarity(words: frozenset[str]) -> tuple[int, int]:
    """Prefer long words, and few of them."""
    return min(map(len, words)), -len(words)


def _split(pattern: str) -> Iterator[str]:
    """Yield the alternatives of a pattern that are in no group."""
    begin = at = 0
    while at < len(pattern):
        if pattern[at] == "|":
            yield pattern[begin:at]
            begin = at + 1
        at = _after(pattern, at)
    yield pattern[begin:]


def _after(pattern: str, at: int) -> int:
    """Return the index after the sign, class or group that begins at an index."""
    if pattern[at] == "\\":
        return at + 2
    if pattern[at] == "[":
        end = at + 2 if pattern[at + 1] == "^" else at + 1
        end += pattern[end] == "]"
        while pattern[end] != "]":
            end += 2 if pattern[end] == "\\" else 1
        return end + 1
    if pattern[at] == "(":
        end = at + 1
        while pattern[end] != ")":
            end = _after(pattern, end)
        return end + 1
    return at + 1


def _past_repeat(pattern: str, at: int) -> int:
    """Return the index after a sign of repetition, if one stands at an index."""
    if pattern[at : at + 1] not in _REPEATS:
        return at
    end = pattern.index("}", at) + 1 if pattern[at] == "{" else at + 1
    return end + (pattern[end : end + 1] in {"?", "+"})
