"""The copy desk: every check over a passage or over a whole post, and the score."""

from collections.abc import Iterable

from app.core.brief import Brief
from app.core.post import SectionType, SEOPost
from app.core.quality.finding import Finding
from app.core.quality.headings import check_headings
from app.core.quality.hygiene import check_hygiene, check_markup, check_self_reference
from app.core.quality.keywords import check_coverage, check_density, check_primary_keyword
from app.core.quality.lengths import (
    check_description_length,
    check_sections,
    check_title_length,
    check_word_count,
)
from app.core.quality.passage import Passage, passages
from app.core.quality.prose import (
    check_heading_echo,
    check_paragraphs,
    check_repetition,
    check_whole,
)

# Raised whenever the same post could get another verdict or score than before.
QUALITY_VERSION = "1.1.0"
_BLOCKER_POINTS = 20
_WARNING_POINTS = 3


def inspect_passage(passage: Passage, language: str) -> list[Finding]:
    """What can be said of one passage without the rest of the post."""
    return [
        *check_hygiene(passage),
        *check_markup(passage),
        *check_self_reference(passage),
        *check_whole(passage, language),
        *check_heading_echo(passage, language),
        *check_paragraphs(passage),
    ]


def inspect(post: SEOPost, brief: Brief) -> list[Finding]:
    """All findings about a post, blockers first; none of severity blocker means it passes."""
    everything = list(passages(post))
    findings = [f for passage in everything for f in inspect_passage(passage, brief.language)]
    # The heading above the questions is ours, and it may be as plain as it is.
    headings = {
        f"sections[{index}].heading": section.heading or ""
        for index, section in enumerate(post.sections)
        if section.type is SectionType.BODY
    }
    findings += [
        *check_word_count(post, brief),
        *check_sections(post, brief),
        *check_title_length(post.title),
        *check_description_length(post.meta.description),
        *check_headings(post.title, list(headings.values()), list(headings)),
        *check_coverage(post),
        *check_primary_keyword(post, brief),
        *check_density(post, brief),
        *check_repetition(everything, brief.language),
    ]
    return sorted(findings, key=lambda finding: not finding.blocks)


def score(findings: Iterable[Finding]) -> int:
    """100, less 20 for each blocker and 3 for each warning, and never below 0."""
    lost = sum(_BLOCKER_POINTS if finding.blocks else _WARNING_POINTS for finding in findings)
    return max(0, 100 - lost)
