"""What rules examine, and a finding: one thing that a rule, the editor or the reader objects
to."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from app.core.schemas.post import SEOPost
from app.rules.passages import Passage
from app.sources.source import Source
from app.writing.brief import Brief

# The highest score of a text that no reader has marked.
_UNREAD = 70
_BLOCKER, _WARNING = 10, 2


@dataclass(frozen=True)
class Checked:
    """A post or a Markdown file, as rules see it.

    Args:
        texts: its passages in reading order.
        spoken: the passages that may use a keyword.
        post: None for a file, in which people may do more on purpose.
        sources: what the post is written from.
    """

    texts: Sequence[Passage]
    spoken: Sequence[Passage]
    brief: Brief
    post: SEOPost | None = None
    sources: Sequence[Source] = ()

    @property
    def language(self) -> str:
        return self.brief.language

    @property
    def in_file(self) -> bool:
        return self.post is None

    @property
    def is_verified(self) -> bool:
        """Whether the post may say only what its sources support."""
        return self.brief.verified and bool(self.sources)


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


def score(findings: Iterable[Finding], mark: float | None) -> int:
    """Return the score of a text: the reader's mark of 0 to 10, times ten.

    Without a mark it is 70, minus 10 for each blocker and 2 for each warning.
    """
    if mark is not None:
        return max(0, min(100, round(10 * mark)))
    return max(0, _UNREAD - sum(_BLOCKER if each.blocks else _WARNING for each in findings))
