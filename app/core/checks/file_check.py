"""The desk on any Markdown file."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby, pairwise
from typing import Any

from app.core.checks.broken_blocks import check_broken_block
from app.core.checks.check import BLOCKER, WARNING, FilePart, Finding, ScorePart
from app.core.checks.desk import (
    DESK_CHECKS,
    PASSAGE_CHECKS,
    QUALITY_VERSION,
    check_consistency,
    check_document,
    check_layout,
    check_section,
    check_text,
    check_typing,
)
from app.core.checks.document import Document, Located, prose, read_document
from app.core.checks.hygiene import check_html, check_markup
from app.core.checks.keywords import (
    MAX_DENSITY,
    STUFFED_DENSITY,
    check_keyword_density,
    check_keyword_place,
    missing_keyword,
)
from app.core.checks.passage import Kind, Passage
from app.core.checks.prose import check_empty, check_repeated_sentence
from app.core.checks.remnants import check_remnant
from app.core.checks.scoring import DETERMINISTIC, Score, score
from app.core.checks.structure import check_heading
from app.core.text import find_phrase, fold, word_count

_COMPARED_CHARS = 100_000
_QUOTED_CHARS = 200
NOT_EXAMINED = "not examined"

# Reads the texts of a file in their order and what the checks found. Returns the findings of the
# checks that stay, and its own, which name the section of a text.
Reader = Callable[[Sequence[Passage], Sequence[Finding]], Sequence[Finding]]


@dataclass(frozen=True)
class FileFinding:
    """A finding at a line and a column of the file, both counted from 1.

    ``quotation`` is the text it is about, up to 200 characters, as readers see it; empty if it is
    about a larger part.
    """

    line: int
    column: int
    finding: Finding
    quotation: str = ""

    def to_wire(self) -> dict[str, Any]:
        found = self.finding
        wire = {
            "line": self.line,
            "column": self.column,
            "severity": found.severity.value,
            "check": found.check,
            "reason": found.reason,
        }
        return {**wire, "quotation": self.quotation} if self.quotation else wire


@dataclass(frozen=True)
class FileReport:
    """The findings in the order of the lines, and the names of skipped checks."""

    findings: tuple[FileFinding, ...]
    skipped: tuple[str, ...]
    words: int
    score: Score
    language: str = "en"
    quality_version: str = QUALITY_VERSION

    @property
    def passes(self) -> bool:
        return not any(entry.finding.blocks for entry in self.findings)

    def to_wire(self, most: int | None = None) -> dict[str, Any]:
        """Return the JSON object that `check FILE` prints and POST /v1/check returns.

        Args:
            most: how many findings it has at most: blockers first, then by line. None for all.
        """
        shown = self.findings
        if most is not None and len(shown) > most:
            worst = sorted(shown, key=lambda entry: not entry.finding.blocks)[:most]
            shown = tuple(sorted(worst, key=lambda entry: (entry.line, entry.column)))
        parts = {
            part.value: NOT_EXAMINED if number is None else number
            for part, number in self.score.parts.items()
        }
        return {
            "passes": self.passes,
            # A text without words has no score.
            **({"score": self.score.total, "scoreParts": parts} if self.words else {}),
            "words": self.words,
            "language": self.language,
            "qualityVersion": self.quality_version,
            "findingCount": len(self.findings),
            "findings": [entry.to_wire() for entry in shown],
            "skipped": list(self.skipped),
        }


def check_file(
    text: str,
    language: str = "en",
    keywords: Sequence[str] = (),
    title: str = "",
    reader: Reader | None = None,
) -> FileReport:
    """Check a Markdown text.

    Args:
        keywords: must be used, the first one in the title.
        title: the title, if it is not in the text.
        reader: examines the substance as well.
    """
    document = read_document(text, title)
    found = list(_findings(document, language, keywords))
    examined = set(DETERMINISTIC)
    if reader and document.passages:
        found = _read(document, found, reader)
        examined.add(ScorePart.SUBSTANCE)
    placed = [
        FileFinding(*document.position(place.offset), finding, place.quotation)
        for place, finding in found
    ]
    placed.sort(key=lambda entry: (entry.line, entry.column, not entry.finding.blocks))
    skipped = [
        check.name for check in DESK_CHECKS if not (check.in_files and check.knows(language))
    ]
    words = sum(word_count(located.passage.text) for located in document.passages)
    made = score((finding for _, finding in found), examined, words)
    return FileReport(tuple(placed), tuple(skipped), words, made, language)


@dataclass(frozen=True)
class _Place:
    """The position of a finding in the file, and the text it is about."""

    offset: int
    quotation: str = ""


def _findings(
    document: Document, language: str, keywords: Sequence[str]
) -> Iterator[tuple[_Place, Finding]]:
    """The findings of a file, each with its place."""
    if not document.passages:
        yield _Place(0), check_empty.found("post", "The file has no text.")
        return
    for place in document.active:
        yield (
            _Place(place),
            check_html.found("post", "The file has a script, a frame or an event handler."),
        )
    for place in document.dead_links:
        problem = "A link has no address to lead to."
        yield _Place(place), check_markup.found("post", problem, severity=WARNING)
    for place in document.open_fences:
        problem = "A code block begins with ``` and never ends."
        if document.is_stray(place):
            # What a chat program puts around a whole text.
            yield _Place(place), check_markup.found("post", problem)
        else:
            yield _Place(place), check_broken_block.found("post", problem, severity=BLOCKER)
    for place, problem in document.faults:
        yield _Place(place), check_broken_block.found("post", problem)
    for place in document.program_tags:
        problem = "A tag that another program left."
        yield _Place(place), check_remnant.found("post", problem)
    everything = [*document.headings, *document.passages]
    parts: dict[FilePart | None, list[Located]] = {
        FilePart.TEXT: everything,
        FilePart.PROSE: list(prose(document)),
        FilePart.PARAGRAPHS: [located for located in document.passages if located.whole],
    }
    for check in PASSAGE_CHECKS:
        for located in parts.get(check.in_files, ()) if check.knows(language) else ():
            for finding in check.function(located.passage, language):
                yield _place(located, finding), finding
    for section in _sections(document):
        for finding in check_section([located.passage for located in section], language):
            yield _Place(section[0].offset(0)), finding
    yield from _of_headings(document)
    # Findings of the checks that read more than a passage name its number.
    numbered = [
        replace(located.passage, section=f"{index}") for index, located in enumerate(everything)
    ]
    yield from _of_document(everything, numbered, language)
    yield from _of_text(everything, numbered, language)
    yield from _of_layout(document, language)
    yield from _of_consistency(document, everything, language)
    for finding in _of_keywords(document, language, keywords):
        yield _Place(0), finding


def _read(
    document: Document, found: Sequence[tuple[_Place, Finding]], reader: Reader
) -> list[tuple[_Place, Finding]]:
    """Return the findings that a reader leaves and adds, each with its place."""
    places = {id(finding): place for place, finding in found}
    texts = list(_in_order(document, [*document.headings, *document.passages]))
    located = {passage.section: place for passage, place in texts}
    return [
        (places.get(id(finding)) or _place(located[finding.section], finding), finding)
        for finding in reader([passage for passage, _ in texts], [each for _, each in found])
    ]


def _place(located: Located, finding: Finding) -> _Place:
    if finding.span is None:
        return _Place(located.offset(0))
    begin, end = finding.span
    return _Place(located.offset(begin), located.passage.text[begin:end][:_QUOTED_CHARS].strip())


def _sections(document: Document) -> Iterator[list[Located]]:
    """The prose of each section."""
    by_section = groupby(prose(document), key=lambda located: located.passage.section)
    return (list(group) for _, group in by_section)


def _of_document(
    everything: Sequence[Located], numbered: Sequence[Passage], language: str
) -> Iterator[tuple[_Place, Finding]]:
    """Findings about the running prose; lists and quotations may repeat what it says."""
    running = [index for index, located in enumerate(everything) if located.whole]
    # Paragraphs pasted twice are blockers; further apart, people repeat sentences on purpose.
    texts = [(everything[at].passage.section, fold(everything[at].passage.text)) for at in running]
    same = [one == two for one, two in pairwise(texts)]
    pasted = {at for at, is_same in zip(running[1:], same, strict=True) if is_same}
    for finding in check_document([numbered[at] for at in running], language):
        index = int(finding.section)
        severity = finding.severity
        if finding.check == check_repeated_sentence.name and index not in pasted:
            severity = WARNING
        located = everything[index]
        section = located.passage.section
        yield _place(located, finding), replace(finding, section=section, severity=severity)


def _of_text(
    everything: Sequence[Located], numbered: Sequence[Passage], language: str
) -> Iterator[tuple[_Place, Finding]]:
    """Findings about the words of the file as a whole."""
    for finding in (*check_text(numbered, language), *check_typing(numbered, language)):
        located = everything[int(finding.section)]
        yield _place(located, finding), replace(finding, section=located.passage.section)


def _of_layout(document: Document, language: str) -> Iterator[tuple[_Place, Finding]]:
    """Findings about headings, lists and tables, and about what they promise."""
    for finding in check_layout(document.layout, language):
        located = document.places[int(finding.section)]
        yield _place(located, finding), replace(finding, section=located.passage.section)


def _of_consistency(
    document: Document, everything: Sequence[Located], language: str
) -> Iterator[tuple[_Place, Finding]]:
    """Findings about the text, headings and lists included, in the order of its lines.

    Only the first 100,000 characters are compared with each other: that is a book's chapter.
    """
    texts = list(_in_order(document, everything, _COMPARED_CHARS))
    places = {passage.section: located for passage, located in texts}
    for finding in check_consistency([passage for passage, _ in texts], language):
        located = places[finding.section]
        reason = finding.reason
        if finding.related is not None:
            other, start = finding.related
            line, _ = document.position(places[other].offset(start))
            reason = reason.replace(f"({other})", f"(line {line})")
        section = located.passage.section
        yield _place(located, finding), replace(finding, section=section, reason=reason)


def _in_order(
    document: Document, everything: Sequence[Located], chars: int | None = None
) -> Iterator[tuple[Passage, Located]]:
    """Yield the texts in the order of the lines, each with a section of its own: its number, or
    that of its table with the row and the column.

    Args:
        chars: where to stop in the file.
    """
    starts = [located.starts[0][1] for located in everything]
    last, table, first = 0, 0, 0
    for index in sorted(range(len(everything)), key=starts.__getitem__):
        if chars is not None and starts[index] >= chars:
            break
        located = everything[index]
        passage = replace(located.passage, section=f"{index}")
        if passage.kind is Kind.LABEL:
            line, column = document.position(located.offset(0))
            if line > last + 2:
                table, first = index, line
            last = line
            start = document.line_start(line - 1)
            before = document.source[start : start + column - 1].lstrip(" |")
            place = "header" if line == first else f"rows[{line - first}]"
            path = f"table[{table}].{place}[{before.count('|')}]"
            passage = replace(passage, kind=Kind.CELL, section=path)
        yield passage, located


def _of_headings(document: Document) -> Iterator[tuple[_Place, Finding]]:
    """Headings used twice in a row; elsewhere a repeated heading may be a pattern."""
    for one, two in pairwise(document.headings):
        folded = fold(two.passage.text)
        if folded and folded == fold(one.passage.text):
            problem = f"The heading “{two.passage.text}” is used twice in a row."
            finding = check_heading.found(two.passage.section, problem, severity=WARNING)
            yield _Place(two.offset(0)), finding


def _of_keywords(document: Document, language: str, keywords: Sequence[str]) -> Iterator[Finding]:
    texts = [located.passage.text for located in document.passages]
    total = sum(word_count(text) for text in texts)
    for index, keyword in enumerate(keywords):
        uses = sum(len(find_phrase(text, keyword, language)) for text in texts)
        if not uses:
            yield missing_keyword(keyword)
        elif uses > 3 and uses > MAX_DENSITY * total:
            severity = BLOCKER if uses > STUFFED_DENSITY * total else WARNING
            problem = f"“{keyword}” is used {uses} times in {total} words."
            yield check_keyword_density.found("post", problem, severity=severity, keyword=keyword)
        if index == 0 and document.title and not find_phrase(document.title, keyword, language):
            problem = f"The title does not use the keyword “{keyword}”."
            yield check_keyword_place.found("title", problem, severity=WARNING, keyword=keyword)
