"""The desk on a Markdown file that anybody may have written."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby, pairwise

from app.core.quality.desk import QUALITY_VERSION, Report, inspect_flow, score, skipped_checks
from app.core.quality.document import Document, Located, prose, read_document
from app.core.quality.finding import Finding, Severity, blocker, warning
from app.core.quality.hygiene import check_file_wording, check_self_reference
from app.core.quality.identify import check_language
from app.core.quality.keywords import MAX_DENSITY, STUFFED_DENSITY
from app.core.quality.languages import rules_for
from app.core.quality.passage import Passage
from app.core.quality.prose import check_ending, check_heading_echo
from app.core.quality.readability import check_paragraphs, check_subheadings
from app.core.text import find_phrase, fold, word_count

# A file has links, HTML and Markdown of its own, and no plan that it was written to.
NOT_IN_A_FILE = (
    "link", "markup", "too_short", "too_long", "sections", "title_length", "description_length",
    "conclusion_introduces",
)  # fmt: skip
_WHOLE_FROM_WORDS = 12


@dataclass(frozen=True)
class FileFinding:
    """A finding at a line and a column of the file, both from 1."""

    line: int
    column: int
    finding: Finding


@dataclass(frozen=True)
class FileReport:
    findings: tuple[FileFinding, ...]
    skipped: tuple[str, ...]
    words: int
    score: int
    quality_version: str = QUALITY_VERSION

    @property
    def passes(self) -> bool:
        return not any(entry.finding.blocks for entry in self.findings)


def check_file(text: str, language: str = "en", keywords: Sequence[str] = ()) -> FileReport:
    """All that the desk has to say about a Markdown text, in the order of its lines."""
    document = read_document(text)
    found = list(_findings(document, language, keywords))
    report = Report(
        tuple(finding for _, finding in found), (*NOT_IN_A_FILE, *skipped_checks(language))
    )
    placed = [FileFinding(*document.position(place), finding) for place, finding in found]
    placed.sort(key=lambda entry: (entry.line, entry.column, not entry.finding.blocks))
    words = sum(word_count(located.passage.text) for located in document.passages)
    return FileReport(tuple(placed), report.skipped, words, score(report.findings))


def _findings(
    document: Document, language: str, keywords: Sequence[str]
) -> Iterator[tuple[int, Finding]]:
    if not document.passages:
        yield 0, blocker("empty", "post", "There is no text.")
        return
    for place in document.active:
        reason = "A script, a frame or an event handler. Take it out."
        yield place, blocker("html", "post", reason)
    for located in [*document.headings, *document.passages]:
        for finding in check_file_wording(located.passage, language):
            yield _place(located, finding), finding
    for located in prose(document):
        for finding in _of_prose(located, language):
            yield _place(located, finding), finding
    yield from _of_headings(document)
    yield from _of_sections(document)
    # In a list or a quotation lines may well be the same; running prose says a thing once.
    running = [located for located in document.passages if located.whole]
    named = [replace(located.passage, section=f"{index}") for index, located in enumerate(running)]
    copies = _copies(running)
    for finding in inspect_flow(named, language):
        located = running[int(finding.section)]
        severity = finding.severity
        if finding.check == "repeated_sentence" and int(finding.section) not in copies:
            severity = Severity.WARNING
        section = located.passage.section
        yield _place(located, finding), replace(finding, section=section, severity=severity)
    for finding in _of_keywords(document, language, keywords):
        yield 0, finding


def _copies(running: Sequence[Located]) -> set[int]:
    """Paragraphs pasted twice; further apart people do say a thing again, word for word."""
    texts = [located.passage.text for located in running]
    return {i for i, (one, two) in enumerate(pairwise(texts), 1) if fold(one) == fold(two)}


def _place(located: Located, finding: Finding) -> int:
    return located.offset(finding.span[0] if finding.span else 0)


def _of_prose(located: Located, language: str) -> Iterator[Finding]:
    yield from check_self_reference(located.passage, language)
    yield from check_paragraphs(located.passage)
    if located.whole:
        yield from check_language(located.passage, language)
        yield from check_heading_echo(located.passage, language)
        yield from _of_ending(located.passage, language)


def _of_ending(passage: Passage, language: str) -> Iterator[Finding]:
    """People leave the full stop out after captions, notes and addresses; none of them ends so."""
    if word_count(passage.text) < _WHOLE_FROM_WORDS:
        return
    rules = rules_for(language)
    for finding in check_ending(passage, language):
        end = passage.text.rstrip()
        broken = end.endswith(",") or (rules and rules.unfinished.search(f"{end}…"))
        yield finding if broken else replace(finding, severity=Severity.WARNING)


def _of_headings(document: Document) -> Iterator[tuple[int, Finding]]:
    """A heading twice in a row is a slip; elsewhere it may be a pattern."""
    previous = ""
    for located in document.headings:
        folded = fold(located.passage.text)
        if folded and folded == previous:
            reason = f"“{located.passage.text}” is used twice in a row. Give it its own words."
            finding = warning("heading", located.passage.section, reason)
            yield located.offset(0), finding
        previous = folded


def _of_sections(document: Document) -> Iterator[tuple[int, Finding]]:
    by_section = groupby(prose(document), key=lambda located: located.passage.section)
    for section, group in by_section:
        parts = list(group)
        text = "\n\n".join(located.passage.text for located in parts)
        together = Passage(section, parts[0].passage.kind, text)
        for finding in check_subheadings(together):
            yield parts[0].offset(0), finding


def _of_keywords(document: Document, language: str, keywords: Sequence[str]) -> Iterator[Finding]:
    texts = [located.passage.text for located in document.passages]
    total = sum(word_count(text) for text in texts)
    for index, keyword in enumerate(keywords):
        uses = sum(len(find_phrase(text, keyword, language)) for text in texts)
        if not uses:
            reason = f"The keyword “{keyword}” is not used in the text."
            yield blocker("keyword_missing", "post", reason, keyword=keyword)
        elif uses > 3 and uses > MAX_DENSITY * total:
            severity = Severity.BLOCKER if uses > STUFFED_DENSITY * total else Severity.WARNING
            reason = f"“{keyword}” is used {uses} times in {total} words."
            yield Finding("keyword_density", severity, "post", reason, keyword=keyword)
        if index == 0 and document.title and not find_phrase(document.title, keyword, language):
            reason = f"The title does not use “{keyword}”."
            yield warning("keyword_place", "title", reason, keyword=keyword)
