"""Exact edits of a document: an editor's answer, and how it is applied.

An edit names a passage and the text to put there. It applies if the passage stands in the document
exactly once, in any spelling of its spaces, quotation marks, dashes and apostrophes; otherwise it
is dropped. What no edit names stays word for word.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

# Longer than any answer of an editor.
_MAX_CHARS = 120_000
_MAX_EDITS = 60
_OPENS = re.compile(r"[ \t]*<{5,9}[ \t]*(?:FIND|SEARCH)?[ \t]*")
_PARTS = re.compile(r"[ \t]*={5,9}[ \t]*")
_CLOSES = re.compile(r"[ \t]*>{5,9}[ \t]*(?:END|REPLACE)?[ \t]*")
_BASE = re.compile(r"^[ \t*_#]*BASE[ \t*_]*:[ \t*_]*([ABC])\b", re.MULTILINE | re.IGNORECASE)
_BLOCKING = re.compile(r"^[ \t*_#-]*BLOCKING[ \t*_]*:[ \t*_]*(.*)$", re.MULTILINE)
_NOTHING = re.compile(r"(?:none|nothing|no|-|–|—|n/a)?[.!]?", re.IGNORECASE)
_BLANK_LINES = re.compile(r"\n{3,}")
_SPELLINGS = str.maketrans({
    "“": '"', "”": '"', "„": '"', "«": '"', "»": '"', "‘": "'", "’": "'", "‚": "'",
    "–": "-", "—": "-", "‑": "-",
})  # fmt: skip
_WORD = re.compile(r"\w+")
_LIST_MARK = re.compile(r"\s*(?:\d{1,3}[.)]|[-*+>])\s")
_EMPHASIS = ("*", "_", "`")
_REASON_CHARS = 300


class UnreadableAnswer(ValueError):
    """An answer that is not in the form that was asked for; the message says how."""


@dataclass(frozen=True)
class Edit:
    """A passage, and the text to put there."""

    find: str
    replace: str


@dataclass(frozen=True)
class EditorAnswer:
    """What an editor answered.

    Args:
        base: the draft that it took: A, B or C; A if it was not asked.
        blocking: what makes the post unfit to publish and cannot be repaired by edits.
    """

    edits: tuple[Edit, ...]
    blocking: tuple[str, ...] = ()
    base: str = "A"


def parse_edits(answer: str, *, chooses: bool = False) -> EditorAnswer:
    """Read an editor's answer.

    Args:
        chooses: it was asked for the base of several drafts.

    Raises:
        UnreadableAnswer: it names no base though it should, or has an edit that never ends.
    """
    answer = answer[:_MAX_CHARS].replace("\r\n", "\n")
    edits, rest = _blocks(answer)
    base = _BASE.search(rest)
    if chooses and base is None:
        raise UnreadableAnswer("the answer names no base")
    blocking = (match[1].strip() for match in _BLOCKING.finditer(rest))
    return EditorAnswer(
        tuple(edits),
        tuple(each[:_REASON_CHARS] for each in blocking if not _NOTHING.fullmatch(each)),
        base[1].upper() if chooses and base else "A",
    )


def _blocks(answer: str) -> tuple[list[Edit], str]:
    """Return the edits of an answer, and the lines that belong to none."""
    edits: list[Edit] = []
    rest: list[str] = []
    lines = iter(answer.split("\n"))
    for line in lines:
        if _OPENS.fullmatch(line):
            find, replace = _until(_PARTS, lines), _until(_CLOSES, lines)
            # A blank line that only the replacement has begins a paragraph.
            start = "\n\n" if replace.startswith("\n") and not find.startswith("\n") else ""
            replace = replace.strip("\n")
            edits.append(Edit(find.strip("\n"), replace and start + replace))
        else:
            rest.append(line)
    return edits[:_MAX_EDITS], "\n".join(rest)


def _until(mark: re.Pattern[str], lines: Iterator[str]) -> str:
    """Return the lines up to a mark.

    Raises:
        UnreadableAnswer: there is no such mark.
    """
    found: list[str] = []
    for line in lines:
        if mark.fullmatch(line):
            return "\n".join(found)
        found.append(line)
    raise UnreadableAnswer("an edit has no end")


def apply(document: str, edits: Sequence[Edit]) -> tuple[str, list[Edit]]:
    """Return the document with those edits whose passage stands in it exactly once, and the edits
    that were dropped."""
    dropped = []
    for edit in edits:
        if edit.find == edit.replace:
            continue
        place = find_once(document, edit.find)
        if place is None:
            dropped.append(edit)
        else:
            document = document[: place[0]] + edit.replace + document[place[1] :]
    return _BLANK_LINES.sub("\n\n", document).strip() + "\n", dropped


def without(document: str, statement: str) -> str:
    """Return the document without a statement, whatever emphasis it has, and without the marks of
    the item or row that it filled; the document itself unless it stands there exactly once."""
    place = find_once(document, statement, ignored="*_`")
    if place is None:
        return document
    begin, end = place
    line = document.rfind("\n", 0, begin) + 1
    after = document.find("\n", end)
    after = len(document) if after < 0 else after
    before, behind = document[line:begin], document[end:after]
    if before.endswith(_EMPHASIS) and behind.startswith(_EMPHASIS):
        before, behind = before.rstrip("*_`"), behind.lstrip("*_`")
    left = before.rstrip(" ") + behind
    if not _WORD.search(_LIST_MARK.sub("", left, count=1)):
        left = ""
    return document[:line] + left + document[after:]


def find_once(document: str, passage: str, ignored: str = "") -> tuple[int, int] | None:
    """Return where a passage stands in a document, in any spelling of its spaces and marks; None
    unless it stands there exactly once.

    Args:
        ignored: characters that do not count.
    """
    passage = passage.strip()
    if not passage:
        return None
    at = document.find(passage)
    if at >= 0:
        return None if document.find(passage, at + 1) >= 0 else (at, at + len(passage))
    folded, places = _folded(document, ignored)
    wanted, _ = _folded(passage, ignored)
    if not wanted:
        return None
    at = folded.find(wanted)
    if at < 0 or folded.find(wanted, at + 1) >= 0:
        return None
    return places[at], places[at + len(wanted) - 1] + 1


def _folded(text: str, ignored: str) -> tuple[str, list[int]]:
    """Return a text with one spelling of spaces and marks, and the place of each character."""
    kept: list[str] = []
    places: list[int] = []
    for place, character in enumerate(text.translate(_SPELLINGS)):
        if character in ignored:
            continue
        if not character.isspace():
            kept.append(character)
        elif kept and kept[-1] != " ":
            kept.append(" ")
        else:
            continue
        places.append(place)
    while kept and kept[-1] == " ":
        kept.pop(), places.pop()
    return "".join(kept), places


def is_cut(edit: Edit) -> bool:
    """Return whether an edit only takes words out."""
    before, after = _WORD.findall(edit.find.casefold()), _WORD.findall(edit.replace.casefold())
    kept = SequenceMatcher(None, before, after, autojunk=False).get_matching_blocks()
    return len(after) < len(before) and sum(block.size for block in kept) == len(after)
