"""What a check reports: never a bare yes or no, always what, where and why."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from app.core.text import Span


class Severity(StrEnum):
    """A blocker keeps a post from being returned; a warning only lowers its score."""

    BLOCKER = "blocker"
    WARNING = "warning"


@dataclass(frozen=True)
class Finding:
    """``section`` is a path into the post (`sections[2]`, `meta.description`), or `post`.

    ``span`` is the half-open range of characters in that section's text, where there is one.
    ``reason`` says what is wrong and what would be right, in words a writer can act on.
    ``keyword`` is the one that a finding about a keyword is about.
    """

    check: str
    severity: Severity
    section: str
    reason: str
    span: Span | None = None
    keyword: str = ""

    @property
    def blocks(self) -> bool:
        return self.severity is Severity.BLOCKER

    def to_wire(self) -> dict[str, Any]:
        return {"check": self.check, "section": self.section, "reason": self.reason}


def blocker(
    check: str, section: str, reason: str, span: Span | None = None, *, keyword: str = ""
) -> Finding:
    return Finding(check, Severity.BLOCKER, section, reason, span, keyword)


def warning(
    check: str, section: str, reason: str, span: Span | None = None, *, keyword: str = ""
) -> Finding:
    return Finding(check, Severity.WARNING, section, reason, span, keyword)
