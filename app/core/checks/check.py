"""Checks and findings: what a check reads, how serious its findings are, and what a writer does."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Any, Generic, ParamSpec, TypedDict, Unpack

from app.core.languages import Section, get_section
from app.core.text import Span

P = ParamSpec("P")


class Severity(StrEnum):
    """A post with a blocker is not returned; a warning only lowers its score."""

    BLOCKER = "blocker"
    WARNING = "warning"


BLOCKER, WARNING = Severity.BLOCKER, Severity.WARNING


class ScorePart(StrEnum):
    """The part of the score that a check counts for.

    Mechanics: spelling, grammar, leftovers, readability. Structure: what title, headings, keywords,
    lists and questions promise and keep. Consistency: the text against itself and earlier posts.
    Substance: whether it says something true and sensible. Grounding: against its sources.
    """

    MECHANICS = "mechanics"
    STRUCTURE = "structure"
    CONSISTENCY = "consistency"
    SUBSTANCE = "substance"
    GROUNDING = "grounding"


@dataclass(frozen=True)
class Finding:
    """One fault in a text.

    ``check`` is the name of the check. ``section`` is a path into the post (`sections[2]`,
    `meta.description`), or `post`. ``reason`` tells the writer what is wrong and what to do.
    ``span`` is the half-open range of characters in the section's text, if the fault has one.
    ``keyword`` is the keyword of a finding about a keyword. ``removable``, ``fixable`` and
    ``part`` are those of the check. ``related`` is the other place of a finding about two: a
    path, and where the text in question begins there.
    """

    check: str
    severity: Severity
    section: str
    reason: str
    span: Span | None = None
    keyword: str = ""
    removable: bool = False
    fixable: bool = False
    part: ScorePart = ScorePart.MECHANICS
    related: tuple[str, int] | None = None

    @property
    def blocks(self) -> bool:
        return self.severity is Severity.BLOCKER

    def to_wire(self) -> dict[str, Any]:
        return {"check": self.check, "section": self.section, "reason": self.reason}


def blocker(
    check: str, section: str, reason: str, span: Span | None = None, *, keyword: str = ""
) -> Finding:
    """Return a blocker of a check that is made outside the desk."""
    made_by = _BY_NAME.get(check)
    finding = Finding(check, Severity.BLOCKER, section, reason, span, keyword)
    if made_by is None:
        return finding
    return replace(finding, removable=made_by.removable, part=made_by.part)


class Scope(StrEnum):
    """How much a check reads: a passage, those of a section or a text, or a post and its brief.

    The layout of a text has its headings, paragraphs, lists, tables and questions.
    """

    PASSAGE = "passage"
    SECTION = "section"
    DOCUMENT = "document"
    LAYOUT = "layout"
    POST = "post"


class FilePart(StrEnum):
    """The part of a Markdown file that a check applies to."""

    TEXT = "all text"
    PROSE = "paragraphs, list items, quotations"
    PARAGRAPHS = "paragraphs"
    SECTIONS = "sections"
    FILE = "the file as a whole"


@dataclass(frozen=True)
class Check:
    """One thing that a text is checked for.

    Args:
        name: its name in the API and in `check FILE`.
        part: the part of the score that its findings lower.
        severity: of its findings; ``sometimes`` is the other severity, if it has findings of both.
        remedy: what the writer is told to do; `{keyword}` stands for the keyword of the finding.
        languages: tells whether it works in a language; None if it works in every language.
        in_files: the part of a Markdown file it applies to; None if `check FILE` skips it.
        removable: a finding is fixed by cutting the sentence or list item it points at.
        fixable: a warning is worth a revision, unless its finding says otherwise.
    """

    name: str
    part: ScorePart
    scope: Scope
    severity: Severity
    remedy: str
    sometimes: Severity | None = None
    languages: Callable[[str], bool] | None = None
    in_files: FilePart | None = None
    removable: bool = False
    fixable: bool = False

    def knows(self, language: str) -> bool:
        """Return whether the check works in a language such as `pt-BR`."""
        return self.languages is None or self.languages(language)

    def remedy_for(self, keyword: str) -> str:
        """Return the remedy of a finding about a keyword."""
        return self.remedy.replace("{keyword}", keyword)

    def found(
        self,
        section: str,
        problem: str = "",
        span: Span | None = None,
        *,
        severity: Severity | None = None,
        keyword: str = "",
        related: tuple[str, int] | None = None,
    ) -> Finding:
        """Return a finding of this check; its reason is the problem, then the remedy.

        ``{place}`` in a problem stands for the path of the related place.
        """
        if related is not None:
            problem = problem.replace("{place}", related[0])
        reason = f"{problem} {self.remedy_for(keyword)}".strip()
        return Finding(
            self.name, severity or self.severity, section, reason, span, keyword,
            self.removable, self.fixable, self.part, related,
        )  # fmt: skip


@dataclass(frozen=True)
class DeskCheck(Check, Generic[P]):
    """A check of the desk; a call returns its findings."""

    function: Callable[P, Iterable[Finding]] = field(kw_only=True)

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> Iterable[Finding]:
        return self.function(*args, **kwargs)


def is_found_by(
    checks: Iterable[DeskCheck[P]], finding: Finding, *args: P.args, **kwargs: P.kwargs
) -> bool:
    """Return whether checks find the same fault: at the same place, and at least as serious."""
    begin, end = finding.span or (0, 0)
    return any(
        other.span is not None
        and other.span[0] < end
        and begin < other.span[1]
        and (other.blocks or not finding.blocks)
        for check in checks
        for other in check(*args, **kwargs)
    )


class _Options(TypedDict, total=False):
    sometimes: Severity
    languages: Callable[[str], bool]
    in_files: FilePart
    removable: bool
    fixable: bool


def check(
    name: str,
    part: ScorePart,
    scope: Scope,
    severity: Severity,
    remedy: str,
    **options: Unpack[_Options],
) -> Callable[[Callable[P, Iterator[Finding]]], DeskCheck[P]]:
    """Make a check of a function; list it in `desk.py`.

    The function takes `(passage, language)` for the scope passage, `(passages, language)` for
    section and document, `(layout, language)` for layout, and `(post, brief)` for post. It yields
    findings made by ``found``.
    """
    return lambda function: DeskCheck(
        name, part, scope, severity, remedy, **options, function=function
    )


def with_section(kind: type[Section]) -> Callable[[str], bool]:
    """Return a function that tells whether a language has a section."""
    return lambda language: get_section(language, kind) is not None


# Checks that the writer makes of one part of a post.
KEYWORD_OVERUSE = Check(
    "keyword_overuse",
    ScorePart.STRUCTURE,
    Scope.PASSAGE,
    BLOCKER,
    "Say it once, then “it”, “they” or another word.",
)
CALLOUT_SHAPE = Check(
    "callout_shape",
    ScorePart.STRUCTURE,
    Scope.PASSAGE,
    BLOCKER,
    "Write a label of at most 40 characters.",
)
TITLE_TAKEN = Check(
    "title_taken", ScorePart.STRUCTURE, Scope.PASSAGE, BLOCKER, "Write another title."
)
UNREADABLE = Check(
    "unreadable", ScorePart.SUBSTANCE, Scope.PASSAGE, BLOCKER,
    "Try again, or configure another model.",
    sometimes=WARNING,
)  # fmt: skip
# Made of what a model hears that cannot edit.
NONSENSE = Check(
    "nonsense", ScorePart.SUBSTANCE, Scope.PASSAGE, BLOCKER,
    "Rewrite it in clear sentences.",
)  # fmt: skip
DISORDERED = Check(
    "disordered", ScorePart.SUBSTANCE, Scope.PASSAGE, BLOCKER,
    "Put the sentences into an order in which each follows from the one before.",
)  # fmt: skip
FOREIGN_PARAGRAPH = Check(
    "foreign_paragraph", ScorePart.SUBSTANCE, Scope.PASSAGE, BLOCKER,
    "Leave it out, or say what it has to do with the subject.",
)  # fmt: skip
# Compares a post with earlier posts of the feed or account.
ORIGINALITY = Check(
    "originality", ScorePart.SUBSTANCE, Scope.POST, BLOCKER, "Request another topic or angle."
)
# Compares a post with the ledger of claims of the feed or account.
CONTRADICTS_EARLIER_POST = Check(
    "contradicts_earlier_post", ScorePart.CONSISTENCY, Scope.POST, WARNING,
    "Say the same, or say why it is different here.",
    fixable=True,
)  # fmt: skip
# Verification makes these, against the sources of a post.
UNSUPPORTED_CLAIM = Check(
    "unsupported_claim", ScorePart.GROUNDING, Scope.PASSAGE, BLOCKER,
    "Leave it out, or write what a source says.",
    removable=True,
)  # fmt: skip
CONTRADICTED_CLAIM = Check(
    "contradicted_claim",
    ScorePart.GROUNDING,
    Scope.PASSAGE,
    BLOCKER,
    "Write what the source says.",
    removable=True,
)
DISPUTED_CLAIM = Check(
    "disputed_claim", ScorePart.GROUNDING, Scope.PASSAGE, BLOCKER,
    "Give both figures, or say whose figure it is.",
    removable=True,
)  # fmt: skip
# How the names of an editor's checks begin.
EDITOR_PREFIX = "editor_"
COPIED_FROM_SOURCE = Check(
    "copied_from_source",
    ScorePart.GROUNDING,
    Scope.DOCUMENT,
    BLOCKER,
    "Say it in other words.",
    removable=True,
)

OTHER_CHECKS = (
    KEYWORD_OVERUSE, CALLOUT_SHAPE, TITLE_TAKEN, UNREADABLE, NONSENSE, FOREIGN_PARAGRAPH,
    DISORDERED, UNSUPPORTED_CLAIM, CONTRADICTED_CLAIM, DISPUTED_CLAIM, COPIED_FROM_SOURCE,
    ORIGINALITY, CONTRADICTS_EARLIER_POST,
)  # fmt: skip
_BY_NAME = {each.name: each for each in OTHER_CHECKS}
