"""When a mark counts: the marks of a damaged text that the text did not have before."""

import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

from app.core.checks import FileFinding, ScorePart, check_file
from bench.defects.plant import Group, Planted

# The parts of the score that a finding about a defect of a group may lower.
PARTS: Mapping[Group, Collection[ScorePart]] = {
    Group.MECHANICS: {ScorePart.MECHANICS},
    Group.LEFTOVERS: {ScorePart.MECHANICS},
    Group.STRUCTURE: {ScorePart.STRUCTURE},
    Group.CONSISTENCY: {ScorePart.CONSISTENCY},
    Group.SUBSTANCE: {ScorePart.SUBSTANCE, ScorePart.MECHANICS},
}
# These judge shares and lengths of a whole text or section. One more sentence can tip them, but
# they say nothing about it.
OF_THE_WHOLE = frozenset({
    "sentence_length", "passive_voice", "transition_words", "flesch", "same_openings",
    "paragraph_length", "subheading_distance",
})  # fmt: skip
_QUOTED = re.compile(r"“([^”…]{3,})”")


@dataclass(frozen=True)
class Mark:
    """What a tool says about a line, counted from 1; line 0 stands for the text as a whole."""

    line: int
    rule: str
    message: str
    part: ScorePart | None = None
    blocks: bool = False


def desk_marks(text: str, language: str) -> list[Mark]:
    """Return the findings of `check FILE`, without those about the text as a whole."""
    found = check_file(text, language).findings
    return [as_mark(each) for each in found if each.finding.check not in OF_THE_WHOLE]


def as_mark(found: FileFinding) -> Mark:
    """Return a finding of the desk as a mark."""
    one = found.finding
    return Mark(found.line, one.check, one.reason, one.part, one.blocks)


def at_defect(
    text: str, planted: Planted, before: Sequence[Mark], after: Sequence[Mark]
) -> list[Mark]:
    """Return the new marks about the defect.

    A mark is new if its line has more marks of its rule than the same line had before. It is about
    the defect if it stands on one of the defect's lines, is about the text as a whole and its rule
    is new, or quotes words that only the damaged text has.
    """
    lines = _lines_before(text, planted.text)
    had = Counter((mark.rule, mark.line) for mark in before)
    found = []
    for mark in after:
        key = (mark.rule, lines.get(mark.line, -1) if mark.line else 0)
        if had[key]:
            had[key] -= 1
        elif mark.line in planted.lines or not mark.line or _names(mark, text, planted.text):
            found.append(mark)
    return found


def _names(mark: Mark, before: str, after: str) -> bool:
    return any(words in after and words not in before for words in _QUOTED.findall(mark.message))


def _lines_before(before: str, after: str) -> dict[int, int]:
    """Return the line before of each line after; inserted lines have none."""
    return dict(_paired(before.split("\n"), after.split("\n")))


def _paired(before: Sequence[str], after: Sequence[str]) -> Iterator[tuple[int, int]]:
    matcher = SequenceMatcher(None, before, after, autojunk=False)
    for tag, begin, end, begin_after, end_after in matcher.get_opcodes():
        if tag == "equal" or (tag == "replace" and end - begin == end_after - begin_after):
            for offset in range(end - begin):
                yield begin_after + offset + 1, begin + offset + 1
