"""The score of a text, in five parts."""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass

from app.core.checks.check import Finding, ScorePart

_BLOCKER_POINTS = 20
_WARNING_POINTS = 3
_MOST_COUNTED = 3
# The most that a text scores whose sense nobody examined: random words have no other fault.
UNREAD_MOST = 70
# What the desk examines in any text.
DETERMINISTIC = frozenset({ScorePart.MECHANICS, ScorePart.STRUCTURE, ScorePart.CONSISTENCY})


@dataclass(frozen=True)
class Score:
    """The public number, from 0 to 100, and its parts; a part that was not examined is None."""

    total: int
    parts: Mapping[ScorePart, int | None]

    def __str__(self) -> str:
        shown = ("not examined" if each is None else str(each) for each in self.parts.values())
        parts = ", ".join(map(" ".join, zip(self.parts, shown, strict=True)))
        return f"{self.total} of 100 ({parts})"


def score(findings: Iterable[Finding], examined: Collection[ScorePart] = DETERMINISTIC) -> Score:
    """Return the score of a text with these findings.

    Each part and the total are 100 less 20 for each blocker and 3 for each warning, at least 0. At
    most three warnings of a check count: one check that warns everywhere is one weakness. Without
    the substance, the total is at most 70.

    Args:
        examined: the parts that were examined; the others are None.
    """
    lost: Counter[ScorePart] = Counter()
    warned: Counter[str] = Counter()
    for finding in findings:
        if finding.blocks:
            lost[finding.part] += _BLOCKER_POINTS
        elif warned[finding.check] < _MOST_COUNTED:
            warned[finding.check] += 1
            lost[finding.part] += _WARNING_POINTS
    parts = {part: max(0, 100 - lost[part]) if part in examined else None for part in ScorePart}
    most = 100 if ScorePart.SUBSTANCE in examined else UNREAD_MOST
    return Score(min(most, max(0, 100 - lost.total())), parts)
