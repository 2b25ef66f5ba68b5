"""A finding: one thing that a rule or an editor objects to."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Any


class Severity(StrEnum):
    """A post with a blocker is not returned. A warning is told to the editor and to operators."""

    BLOCKER = "blocker"
    WARNING = "warning"


@dataclass(frozen=True)
class Finding:
    """What is wrong with a text, and where.

    ``rule`` is the name in the API. ``section`` is a path into the post (`sections[2]`, `title`,
    `meta.description`, `faqs[0].answer`, `conclusion`), or `post`. ``reason`` says what is wrong
    and what to do, to a person as well as to a model. ``quotation`` is the passage, word for word,
    or "" if the finding is about the whole.
    """

    rule: str
    severity: Severity
    section: str
    reason: str
    quotation: str = ""

    @property
    def blocks(self) -> bool:
        return self.severity is Severity.BLOCKER

    def to_wire(self) -> dict[str, Any]:
        return {"check": self.rule, "section": self.section, "reason": self.reason}
