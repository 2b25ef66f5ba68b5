"""The copy desk: every check over a passage or over a whole post, and the score."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from app.core.brief import Brief
from app.core.post import SectionType, SEOPost
from app.core.quality.closing import check_conclusion, check_questions
from app.core.quality.finding import Finding
from app.core.quality.headings import check_headings
from app.core.quality.hygiene import check_hygiene, check_markup, check_self_reference
from app.core.quality.identify import check_language, knows
from app.core.quality.keywords import check_coverage, check_density, check_primary_keyword
from app.core.quality.languages import rules_for
from app.core.quality.lengths import (
    check_description_length,
    check_sections,
    check_title_length,
    check_word_count,
)
from app.core.quality.passage import Passage, passages, reading_text
from app.core.quality.prose import check_heading_echo, check_whole
from app.core.quality.readability import check_paragraphs, check_reading, check_subheadings
from app.core.quality.repetition import check_repetition

# Raised whenever the same post could get another verdict or score than before.
# 1.1.0  a line break inside a sentence, dashes, e-mail addresses
# 2.0.0  readability (warnings); the language of each paragraph; assistant talk, placeholders and
#        texts that break off in seven languages; every paragraph has to end; questions; what a
#        conclusion introduces; runs of words that come again; the warnings of one
#        check cost at most 9 points
# 2.1.0  a slug without any word of the primary keyword (a warning)
# 2.2.0  transition words by lists of our own, pairs of several words among them; more irregular
#        participles and quotations in the passive voice, and no participles that belong to a noun;
#        ’ and ' are one apostrophe; claims in more forms, exchanged names, disputed figures
QUALITY_VERSION = "2.2.0"
_BLOCKER_POINTS = 20
_WARNING_POINTS = 3
_MOST_COUNTED = 3
# What needs to know a language, and is skipped in one that has no rules.
_BY_RULES = (
    "sentence_length", "passive_voice", "transition_words", "same_openings", "flesch",
    "self_reference",
)  # fmt: skip


@dataclass(frozen=True)
class Report:
    """The findings, blockers first, and the names of the checks that could not be made."""

    findings: tuple[Finding, ...]
    skipped: tuple[str, ...]

    @property
    def passes(self) -> bool:
        return not any(finding.blocks for finding in self.findings)


def inspect_passage(passage: Passage, language: str) -> list[Finding]:
    """What can be said of one passage without the rest of the post."""
    return [
        *check_hygiene(passage, language),
        *check_markup(passage),
        *check_self_reference(passage, language),
        *check_whole(passage, language),
        *check_heading_echo(passage, language),
        *check_paragraphs(passage),
        *check_subheadings(passage),
        *check_language(passage, language),
    ]


def inspect_flow(everything: Sequence[Passage], language: str) -> list[Finding]:
    """What shows only in all passages of a text together, whatever it is about."""
    rules = rules_for(language)
    return [
        *check_repetition(everything, language),
        *check_questions(everything),
        *(check_reading(everything, language, rules) if rules else ()),
    ]


def skipped_checks(language: str) -> tuple[str, ...]:
    """The checks that a text in this language goes without, because nothing is known of it."""
    return (
        *(() if rules_for(language) else _BY_RULES),
        *(() if knows(language) else ("language",)),
    )


def examine(post: SEOPost, brief: Brief) -> Report:
    """All findings about a post; one without blockers passes."""
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
        *check_headings(post.title, list(headings.values()), list(headings), brief.language),
        *check_coverage(post),
        *check_primary_keyword(post, brief),
        *check_density(post, brief),
        *inspect_flow(everything, brief.language),
        *_check_end(post, brief),
    ]
    return _report(findings, brief.language)


def _check_end(post: SEOPost, brief: Brief) -> Iterable[Finding]:
    if not post.sections or post.sections[-1].type is not SectionType.CONCLUSION:
        return ()
    section = f"sections[{len(post.sections) - 1}]"
    above = [passage.text for passage in reading_text(post) if passage.section != section]
    before = [post.title, *above]
    return check_conclusion(post.conclusion, section, before, brief.keywords, brief.language)


def _report(findings: Iterable[Finding], language: str) -> Report:
    ordered = sorted(findings, key=lambda finding: not finding.blocks)
    return Report(tuple(ordered), skipped_checks(language))


def inspect(post: SEOPost, brief: Brief) -> list[Finding]:
    """All findings about a post, blockers first; none of severity blocker means it passes."""
    return list(examine(post, brief).findings)


def score(findings: Iterable[Finding]) -> int:
    """100 - 20·blockers - 3·Σ over the checks of min(3, its warnings), and never below 0.

    One check that warns everywhere is one weakness, so that only three of its warnings count.
    A post that passes has no blockers: it scores 100 less its warnings.
    """
    listed = list(findings)
    warnings = Counter(finding.check for finding in listed if not finding.blocks)
    lost = _BLOCKER_POINTS * sum(finding.blocks for finding in listed)
    lost += _WARNING_POINTS * sum(min(_MOST_COUNTED, count) for count in warnings.values())
    return max(0, 100 - lost)
