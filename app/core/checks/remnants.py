"""What programs, forms and drafts leave in a text: error messages, buttons, notes, file names."""

import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from importlib.resources import files
from typing import Any

import numpy as np
from numpy.typing import NDArray

from app.core.checks.check import (
    BLOCKER,
    WARNING,
    FilePart,
    Finding,
    Scope,
    ScorePart,
    check,
    is_found_by,
)
from app.core.checks.hygiene import (
    check_assistant_talk,
    check_html,
    check_markup,
    check_placeholder,
)
from app.core.checks.leftovers import (
    check_chat_mark,
    check_code_fragment,
    check_draft_label,
    check_instruction_leak,
    check_unfinished_note,
)
from app.core.checks.passage import Kind, Passage
from app.core.checks.wording import without_quotations
from app.core.text import Span

# A longer line is a sentence or more.
_LINE_CHARS = 150
# A line that ends with a full stop is a sentence, unless it is short.
_SENTENCE_CHARS = 90
_PAUSES = frozenset({"um", "uh", "er", "äh", "eu"})
_SHOWN_CHARS = 60
# The kind of remnants that web pages have by right.
_OF_WEB_PAGES = "a part of a web page, such as a button or a menu"
_OPENING_BRACKET = re.compile(r"[(\[]")


@check(
    "remnant", ScorePart.MECHANICS, Scope.PASSAGE, WARNING,
    "Delete it, or write what a reader should see.",
    sometimes=BLOCKER, in_files=FilePart.TEXT, removable=True, fixable=True,
)  # fmt: skip
def check_remnant(passage: Passage, language: str) -> Iterator[Finding]:
    """Error messages, buttons, template variables, notes of a draft, file names, sample data.

    It is a warning unless no person writes it, because a text may be about such things.
    """
    if passage.kind is Kind.CODE:
        return
    text = passage.text_without_code
    found = _of_line(passage, text) or _anywhere(text)
    if found:
        kind, span = found
        shown = " ".join(text[slice(*span)].split())[:_SHOWN_CHARS]
        problem = f"“{shown}” looks like {kind.what}."
        severity = BLOCKER if kind.certain else WARNING
        remnant = check_remnant.found(passage.section, problem, span, severity=severity)
        others = _SURER_CHECKS if passage.in_file else (*_SURER_CHECKS, check_html)
        if not is_found_by(others, remnant, passage, language):
            yield remnant


# What they find is not reported twice.
_SURER_CHECKS = (
    check_placeholder, check_assistant_talk, check_markup, check_chat_mark,
    check_unfinished_note, check_draft_label, check_code_fragment, check_instruction_leak,
)  # fmt: skip


def is_part_of_a_web_page(line: str) -> bool:
    """Return whether a line is a button, a menu or the like, and not of the text of its page."""
    passage = Passage("page", Kind.PROSE, line)
    found = _of_line(passage, line) or _anywhere(line)
    return found is not None and found[0].what == _OF_WEB_PAGES


@dataclass(frozen=True)
class _Remnants:
    """One kind of remnants; `remnants.toml` explains the fields."""

    what: str
    certain: bool
    quotable: bool
    lines: Sequence[str]
    openings: Sequence[str]
    bracketed: Sequence[str]
    anywhere: Sequence[tuple[Sequence[str], str]]

    @cached_property
    def of_line(self) -> re.Pattern[str]:
        return _either(self.lines)

    @cached_property
    def opening(self) -> re.Pattern[str]:
        return _either(self.openings)

    @cached_property
    def in_brackets(self) -> re.Pattern[str]:
        return _either(self.bracketed)


def _either(patterns: Sequence[str]) -> re.Pattern[str]:
    return re.compile("|".join(f"(?:{each})" for each in patterns) or "(?!)", re.I | re.M)


@cache
def _pattern(source: str) -> re.Pattern[str]:
    return re.compile(source, re.I | re.M)


@cache
def _kinds() -> tuple[_Remnants, ...]:
    read: Mapping[str, Sequence[Mapping[str, Any]]]
    read = tomllib.loads(files(__package__).joinpath("remnants.toml").read_text("utf-8"))
    return tuple(_Remnants(**each) for each in read["kinds"])


@cache
def _by_sign() -> Mapping[str, Sequence[tuple[_Remnants, str, str]]]:
    """Return the kinds and patterns to search for in a text that has a sign, by the sign in lower
    case, and the sign as it is written; "" if its case does not matter."""
    found: dict[str, list[tuple[_Remnants, str, str]]] = {}
    for kind in _kinds():
        for signs, source in kind.anywhere:
            for sign in signs:
                lower = sign.lower()
                found.setdefault(lower, []).append((kind, source, sign if sign != lower else ""))
    return found


@cache
def _by_trigram() -> tuple[
    Mapping[int, Sequence[str]], NDArray[np.bool_], Mapping[str, Sequence[str]]
]:
    """Return the signs by a run of three of their characters, which runs there are, and shorter
    signs by one of their characters.

    The run is the one with the rarest letters, and the character the rarest.
    """
    found: dict[int, list[str]] = {}
    signs = [sign for sign in _by_sign() if len(sign) > 2]
    for sign in signs:
        runs = [sign[at : at + 3] for at in range(len(sign) - 2)]
        rarest = max(runs, key=_rarity)
        found.setdefault(int(_trigrams(rarest)[0]), []).append(sign)
    there = np.zeros(1 << 16, dtype=np.bool_)
    there[list(found)] = True
    shorter: dict[str, list[str]] = {}
    for sign in _by_sign():
        if len(sign) < 3:
            shorter.setdefault(max(sign, key=_rarity), []).append(sign)
    return found, there, shorter


# The letters, the most common first; any other sign is rarer still.
_COMMON = " etaoinshrdlcumwfgypbvkjxqz"
_COMMON_RUNS = frozenset(
    [
        "ing",
        "ng_",
        "and",
        "the",
        "ion",
        "tio",
        "ent",
        "for",
        "_fo",
        "or_",
        "ati",
        "her",
        "tha",
        "hat",
        "ere",
        "ter",
        "ers",
        "res",
        "thi",
        "ver",
        "ith",
        "wit",
        "all",
        "not",
        "ate",
        "est",
        "rea",
        "eve",
        "_th",
        "his",
        "is_",
        "nd_",
        "_an",
        "ed_",
        "ly_",
        "_to",
        "to_",
        "ons",
        "com",
        "con",
        "pro",
        "per",
        "our",
        "one",
        "you",
        "oun",
        "ine",
        "ted",
        "ess",
        "men",
        "con",
        "sta",
        "_re",
        "_in",
        "_on",
        "_be",
        "_wi",
        "_so",
        "_pr",
        "are",
        "ear",
        "ist",
        "oth",
        "ome",
        "ill",
        "out",
        "ave",
        "was",
        "hav",
    ]
)


def _rarity(run: str) -> int:
    common = -100 if run.replace(" ", "_") in _COMMON_RUNS else 0
    return common + sum(_COMMON.find(letter) % 40 for letter in run)


def _trigrams(text: str) -> NDArray[np.uint16]:
    """Return a number for each run of three characters."""
    codes = np.frombuffer(text.encode("utf-16-le", "surrogatepass"), dtype=np.uint16)
    return codes[:-2] * np.uint16(961) + codes[1:-1] * np.uint16(31) + codes[2:]


def _signs_in(lower: str) -> Iterator[str]:
    """Yield the signs of a text; a search for each of the 800 takes ten times as long."""
    by_run, there, by_character = _by_trigram()
    for character in sorted(by_character.keys() & set(lower)):
        for sign in by_character[character]:
            if sign in lower:
                yield sign
    runs = _trigrams(lower)
    for run in sorted(set(runs[there[runs]].tolist())):
        for sign in by_run[run]:
            if sign in lower:
                yield sign


def _of_line(passage: Passage, text: str) -> tuple[_Remnants, Span] | None:
    """Return the remnant that is a line of a paragraph, or that begins it."""
    if passage.kind is not Kind.PROSE:
        return None
    if text[:1] in "[(" or text[:1].isdigit() or ":" in text[:30] or text[:2].lower() in _PAUSES:
        for kind in _kinds():
            if kind.openings and (match := kind.opening.match(text)):
                return kind, match.span()
    if passage.leads or ("\n" not in text and len(text) > _LINE_CHARS):
        return None
    for line in re.finditer(r"[^\n]+", text):
        shown = line.group().strip()
        most = _SENTENCE_CHARS if shown.endswith((".", "?", "”")) else _LINE_CHARS
        if 0 < len(shown) <= most:
            for kind in _kinds():
                if kind.lines and kind.of_line.fullmatch(shown):
                    return kind, line.span()
    return None


def _anywhere(text: str) -> tuple[_Remnants, Span] | None:
    lower = text.lower()
    by_sign = _by_sign()
    tried: set[str] = set()
    quoted = ""
    for sign in _signs_in(lower):
        for kind, source, written in by_sign[sign]:
            if source in tried or written not in text:
                continue
            tried.add(source)
            if kind.quotable:
                quoted = quoted or without_quotations(text)
            if match := _pattern(source).search(quoted if kind.quotable else text):
                return kind, match.span()
    for bracket in _OPENING_BRACKET.finditer(text):
        for kind in _kinds():
            if kind.bracketed and (match := kind.in_brackets.match(text, bracket.start())):
                return kind, match.span()
    return None
