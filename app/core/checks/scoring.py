"""The score of a text, in five parts.

The public number begins at 100. Each blocker halves it, and each warning takes a tenth of the rest
in a text of 500 words, less in a longer one and more in a shorter one. Of one check, three warnings
count at most; those on readability and on copied sentences do not count. What an editor found takes
a tenth if it blocks, and a twentieth in 500 words if it does not. If nobody examined the substance,
the number is 70 % of that.

bench/marks.py compares the number with the marks of an editor, which led to this formula: faults
per page tell good texts from bad ones, but long sentences and the passive voice do not. An editor
finds many faults in one poor text: if each halved the number, poor texts would all have none.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from math import prod

from app.core.checks.check import COPIED_FROM_SOURCE, EDITOR_PREFIX, Finding, ScorePart

_KEPT_BY_BLOCKER = 0.5
_KEPT_BY_WARNING = 0.9
_MOST_COUNTED = 3
_KEPT_BY_EDITORS_BLOCKER = 0.9
_KEPT_BY_EDITORS_WARNING = 0.95
# The length of a text in which a warning counts once, and the length below which it counts no more.
_PAGE_WORDS, _LEAST_WORDS = 500, 250
# They judge lengths and shares of a whole text: good essays have more of them than poor posts. And
# whether a text may take over sentences of its sources, only their owner knows.
_UNCOUNTED = frozenset({
    "sentence_length", "passive_voice", "transition_words", "flesch", "same_openings",
    "paragraph_length", "subheading_distance", COPIED_FROM_SOURCE.name,
})  # fmt: skip
# What is left of the number of a text whose sense nobody examined.
UNREAD_SHARE = 0.7
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


def score(
    findings: Iterable[Finding],
    examined: Collection[ScorePart] = DETERMINISTIC,
    words: int = _PAGE_WORDS,
) -> Score:
    """Return the score of a text with these findings.

    Each part is the number that its own findings leave; the total counts all of them, and is 70 %
    of their number without the substance.

    Args:
        examined: the parts that were examined; the others are None.
        words: the length of the text.
    """
    kept = dict.fromkeys(ScorePart, 1.0)
    warned: Counter[str] = Counter()
    pages = max(words, _LEAST_WORDS) / _PAGE_WORDS
    for finding in findings:
        if finding.check.startswith(EDITOR_PREFIX):
            kept[finding.part] *= (
                _KEPT_BY_EDITORS_BLOCKER
                if finding.blocks
                else _KEPT_BY_EDITORS_WARNING ** (1 / pages)
            )
        elif finding.blocks:
            kept[finding.part] *= _KEPT_BY_BLOCKER
        elif finding.check not in _UNCOUNTED and warned[finding.check] < _MOST_COUNTED:
            warned[finding.check] += 1
            kept[finding.part] *= _KEPT_BY_WARNING ** (1 / pages)
    parts = {part: round(100 * kept[part]) if part in examined else None for part in ScorePart}
    share = 1.0 if ScorePart.SUBSTANCE in examined else UNREAD_SHARE
    return Score(round(100 * share * prod(kept.values())), parts)
