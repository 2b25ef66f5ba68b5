"""The public score of a text, from 0 to 100."""

from collections.abc import Iterable

from app.rules.finding import Finding

# What a text can get that no editor has read.
_UNREAD = 70
_BLOCKER, _WARNING = 10, 2


def score(findings: Iterable[Finding], mark: float | None) -> int:
    """Return the score of a text: the editor's mark of 0 to 10, times ten.

    Without a mark it is 70, minus 10 for each blocker and 2 for each warning.
    """
    if mark is not None:
        return max(0, min(100, round(10 * mark)))
    return max(0, _UNREAD - _lost(findings))


def rules_score(findings: Iterable[Finding]) -> int:
    """Return what the rules leave of 100: 10 less for each blocker, 2 for each warning."""
    return max(0, 100 - _lost(findings))


def _lost(findings: Iterable[Finding]) -> int:
    return sum(_BLOCKER if finding.blocks else _WARNING for finding in findings)
