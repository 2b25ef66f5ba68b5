"""The copy desk: every check, once, and their findings and score for a passage, document or post.

A new check is a decorated function and an entry in a list here. The desk, `check FILE`, the writer,
the table in docs/proofs/quality.md and the API's documentation read these lists.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from app.core.checks import (
    address,
    advice,
    broken_blocks,
    cliches,
    consistency,
    grammar,
    headings,
    hygiene,
    keywords,
    leftovers,
    lists,
    manner,
    mechanics,
    promises,
    prose,
    readability,
    references,
    remnants,
    senseless,
    sides,
    steps,
    structure,
    subject,
    substance,
    usage,
    wrong_word,
)
from app.core.checks.check import OTHER_CHECKS, Check, Finding
from app.core.checks.layout import Layout, layout_of
from app.core.checks.passage import Passage, by_part, passages
from app.core.planning.brief import Brief
from app.core.schemas.post import SEOPost

# Raised whenever a post could get another verdict or score than before.
# 1.1.0  a line break inside a sentence, dashes, e-mail addresses
# 2.0.0  readability (warnings); the language of each paragraph; assistant talk, placeholders and
#        texts that break off in seven languages; every paragraph has to end; questions; what a
#        conclusion introduces; runs of words that come again; the warnings of one
#        check cost at most 9 points
# 2.1.0  a slug without any word of the primary keyword (a warning)
# 2.2.0  transition words by lists of our own, pairs of several words among them; more irregular
#        participles and quotations in the passive voice, and no participles that belong to a noun;
#        ’ and ' are one apostrophe; claims in more forms, exchanged names, disputed figures
# 2.3.0  a density of its own for the strategy balanced; a heading that uses a keyword of more than
#        50 characters may have more than 90
# 2.4.0  Swedish; words that end a text which breaks off also after a bracket or a quotation mark;
#        function words of all languages join the parts of a name in a copied run
# 2.5.0  each paragraph, list item and table cell is a passage; lists, tables, bold, quotations and
#        code are no faults; headings of level 3 divide a section
# 3.0.0  spelling, grammar and punctuation; leftovers of chat tools, templates and drafts; clichés;
#        counts, references, promises and steps; a text against itself and against earlier posts;
#        a score of five parts, at most 70 where nobody examined the content
# 3.1.0  what programs and forms leave in a text; wrong usage; how a text speaks to its readers;
#        footnotes, anchors and items that come twice; what excludes each other; texts that say
#        little, make no sense or leave their subject; a blocker halves the score, a warning takes a
#        tenth of the rest per 500 words
# 3.2.0  readability and copied sentences do not count; fewer false blockers in files
# 3.3.0  findings of an editor take a tenth or a twentieth; awkward wording
# 3.4.0  an editor judges the warnings of the desk; invented and missing facts; links, lists and
#        rows that lead nowhere; an introduction may have the words of a phrase apart
# 3.5.0  a description may have them apart as well, both without words such as “the” and “vs”
# 3.6.0  grammar by parts of speech; values said twice, results and directions that do not follow,
#        opposite orders, names that sound alike, days that no month has, du beside Sie
# 3.6.1  sums joined by words of Spanish, Italian and Portuguese: más, più, mais
# 3.7.0  in English files, words that hardly ever stand between their neighbours
# 3.10.0 keywords in another script; titles and descriptions as readers say a keyword; fewer doubts
#        about examples, ranges, subtotals and sample wordings
QUALITY_VERSION = "3.10.0"

# Findings are reported in this order.
PASSAGE_CHECKS = (
    hygiene.check_link, hygiene.check_html, hygiene.check_placeholder, hygiene.check_assistant_talk,
    hygiene.check_control_character, hygiene.check_markup, hygiene.check_self_reference,
    leftovers.check_chat_mark, leftovers.check_unfinished_note, leftovers.check_draft_label,
    leftovers.check_code_fragment, leftovers.check_instruction_leak,
    cliches.check_cliche, cliches.check_filler, cliches.check_vague_source,
    cliches.check_profanity,
    prose.check_empty, prose.check_cut_off, prose.check_heading_echo,
    readability.check_paragraph_length, prose.check_language,
    prose.check_foreign_sentence,
    mechanics.check_mojibake,
    mechanics.check_mixed_script,
    mechanics.check_doubled_word,
    mechanics.check_wrong_article,
    mechanics.check_confused_words,
    mechanics.check_disagreement,
    mechanics.check_comma_splice,
    mechanics.check_punctuation,
    mechanics.check_missing_capital,
    mechanics.check_unbalanced_marks,
    mechanics.check_capitals,
    mechanics.check_emoji_row,
    mechanics.check_question_mark,
    mechanics.check_ordinal,
    remnants.check_remnant,
    broken_blocks.check_broken_block,
    usage.check_usage, grammar.check_grammar,
    manner.check_hard_sell, manner.check_clickbait, manner.check_insult, manner.check_prejudice,
    manner.check_officialese, manner.check_hedging, manner.check_question_row,
    manner.check_keyword_stuffing, manner.check_redundancy, manner.check_word_salad,
)  # fmt: skip
SECTION_CHECKS = (readability.check_subheading_distance,)
POST_CHECKS = (
    structure.check_too_short, structure.check_too_long, structure.check_sections,
    structure.check_title_length, structure.check_description_length, structure.check_heading,
    keywords.check_keyword_missing, keywords.check_keyword_place, keywords.check_keyword_heading,
    keywords.check_keyword_slug, keywords.check_keyword_density, keywords.check_keyword_rare,
    structure.check_conclusion_introduces,
)  # fmt: skip
DOCUMENT_CHECKS = (
    prose.check_repeated_sentence, prose.check_repeated_phrase, structure.check_faq_shape,
    readability.check_sentence_length, readability.check_passive_voice,
    readability.check_transition_words, readability.check_same_openings, readability.check_flesch,
    subject.check_off_subject, senseless.check_senseless,
    substance.check_says_little, substance.check_shuffled,
)  # fmt: skip
# Those of a document that read headings, lists and tables of a file as well.
TEXT_CHECKS = (mechanics.check_misspelling,)
# Only of files: people type a wrong word, models hardly do, and in a post a false alarm pays for a
# revision.
FILE_CHECKS = (wrong_word.check_wrong_word,)
LAYOUT_CHECKS = (
    promises.check_count, promises.check_promise, promises.check_unanswered,
    references.check_reference,
    steps.check_numbering, steps.check_step_order,
    headings.check_alike, headings.check_heading_level, headings.check_heading_end,
    headings.check_empty_section, headings.check_section_order,
    lists.check_list_shape, lists.check_table_shape,
    advice.check_careless_advice,
    sides.check_one_sided, headings.check_second_title, headings.check_restated_heading,
    headings.check_misplaced, headings.check_lost_heading,
)  # fmt: skip
# A file is read whole by them, with its headings and lists.
CONSISTENCY_CHECKS = (
    consistency.check_contradictory_figures, consistency.check_contradictory_sentences,
    consistency.check_wrong_sum, consistency.check_wrong_conversion,
    consistency.check_impossible_date, consistency.check_impossible_range,
    consistency.check_two_spellings, address.check_mixed_address,
)  # fmt: skip
DESK_CHECKS = (
    *PASSAGE_CHECKS, *SECTION_CHECKS, *DOCUMENT_CHECKS, *TEXT_CHECKS, *FILE_CHECKS, *LAYOUT_CHECKS,
    *CONSISTENCY_CHECKS, *POST_CHECKS,
)  # fmt: skip


def by_name(checks: Iterable[Check]) -> dict[str, Check]:
    """Return the checks by their names.

    Raises:
        ValueError: a name is registered twice.
    """
    named: dict[str, Check] = {}
    for check in checks:
        if check.name in named:
            raise ValueError(f"The check {check.name} is registered twice.")
        named[check.name] = check
    return named


CHECKS = by_name((*DESK_CHECKS, *OTHER_CHECKS))


@dataclass(frozen=True)
class Report:
    """The findings, blockers first, and the names of the checks that were skipped."""

    findings: tuple[Finding, ...]
    skipped: tuple[str, ...]

    @property
    def passes(self) -> bool:
        return not any(finding.blocks for finding in self.findings)


def check_passage(passage: Passage, language: str) -> list[Finding]:
    """Return what is wrong with one passage, whatever the rest of the text is."""
    checks = [check for check in PASSAGE_CHECKS if check.knows(language)]
    return [finding for check in checks for finding in check(passage, language)]


def check_section(section: Sequence[Passage], language: str) -> list[Finding]:
    """Return what is wrong with the passages of one section together."""
    checks = [check for check in SECTION_CHECKS if check.knows(language)]
    return [finding for check in checks for finding in check(section, language)]


def check_document(everything: Sequence[Passage], language: str) -> list[Finding]:
    """Return what is wrong with all passages of a text together, whatever its subject."""
    checks = [check for check in DOCUMENT_CHECKS if check.knows(language)]
    return [finding for check in checks for finding in check(everything, language)]


def check_text(everything: Sequence[Passage], language: str) -> list[Finding]:
    """Return what is wrong with the words of a text, headings, lists and tables included."""
    checks = [check for check in TEXT_CHECKS if check.knows(language)]
    return [finding for check in checks for finding in check(everything, language)]


def check_typing(everything: Sequence[Passage], language: str) -> list[Finding]:
    """Return what is wrong with the words of a text that people typed."""
    checks = [check for check in FILE_CHECKS if check.knows(language)]
    return [finding for check in checks for finding in check(everything, language)]


def check_layout(layout: Layout, language: str) -> list[Finding]:
    """Return what is wrong with headings, lists, tables and questions, and what they promise."""
    checks = [check for check in LAYOUT_CHECKS if check.knows(language)]
    return [finding for check in checks for finding in check(layout, language)]


def check_consistency(everything: Sequence[Passage], language: str) -> list[Finding]:
    """Return where a text contradicts itself."""
    checks = [check for check in CONSISTENCY_CHECKS if check.knows(language)]
    return [finding for check in checks for finding in check(everything, language)]


def check_post(post: SEOPost, brief: Brief) -> Report:
    """Check a post, its passages and its document; it passes if no finding is a blocker."""
    asked_for = mechanics.foreign_words(brief.keywords)
    everything = [replace(each, asked_for=asked_for) for each in passages(post)]
    checks = [check for check in POST_CHECKS if check.knows(brief.language)]
    findings = [
        *(found for passage in everything for found in check_passage(passage, brief.language)),
        *(found for part in by_part(everything) for found in check_section(part, brief.language)),
        *(found for check in checks for found in check(post, brief)),
        *check_document(everything, brief.language),
        *check_text(everything, brief.language),
        *check_layout(layout_of(post), brief.language),
        *check_consistency(everything, brief.language),
    ]
    findings.sort(key=lambda finding: not finding.blocks)
    return Report(tuple(findings), skipped_checks(brief.language))


def skipped_checks(language: str) -> tuple[str, ...]:
    """Return the names of the checks that do not work in a language."""
    return tuple(check.name for check in DESK_CHECKS if not check.knows(language))
