"""Whether a text agrees with itself: its figures, dates, sums, conversions, orders and names."""

import re
from collections.abc import Callable, Iterator, Sequence

from app.core.checks.agreement import Polarity, names, ordinary_words, polarity, spellings
from app.core.checks.check import (
    WARNING,
    FilePart,
    Finding,
    Scope,
    ScorePart,
    check,
    with_section,
)
from app.core.checks.passage import Kind, Passage
from app.core.facts.arithmetic import (
    Mistake,
    Reading,
    mistakes_in_conversions,
    mistakes_in_ranges,
    mistakes_in_sums,
    mistakes_in_times,
)
from app.core.facts.contradictions import contradictions
from app.core.facts.ledger import Claim, claim_of
from app.core.facts.scanner import vocabulary
from app.core.facts.statement import Statement, numbered, statements
from app.core.facts.tables import Cell, Row, against_rows, rows_of, wrong_totals
from app.core.languages import Consistency, get_section
from app.core.text import Span, primary_subtag, sentences

# Cells and labels stand in a context of their own, code is not said of anything.
_SKIPPED = frozenset({Kind.CELL, Kind.LABEL, Kind.CODE, Kind.QUESTION})
_SHOWN_CHARS = 90
_CELL = re.compile(r"\.rows\[(\d{1,4})\]\[(\d{1,3})\]$")


def _short(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= _SHOWN_CHARS else f"{text[: _SHOWN_CHARS - 1]}…"


def _read(everything: Sequence[Passage]) -> Iterator[Passage]:
    return (passage for passage in everything if passage.kind not in _SKIPPED)


@check(
    "contradictory_figures", ScorePart.CONSISTENCY, Scope.DOCUMENT, WARNING,
    "Give one value in both places.",
    languages=with_section(Consistency), in_files=FilePart.TEXT, fixable=True,
)  # fmt: skip
def check_contradictory_figures(everything: Sequence[Passage], language: str) -> Iterator[Finding]:
    """Two values for the same thing: a price, a time, a measure, a count, a year."""
    places: dict[int, Passage] = {}
    said: list[Statement] = []
    for passage in _read(everything):
        for statement in statements(passage.text_without_code, language):
            places[len(said)] = passage
            said.append(statement)
    numbers = {id(statement): number for number, statement in enumerate(said)}
    for statement, sentence in against_rows(said, _tables(everything, language)):
        passage = places[numbers[id(statement)]]
        problem = (
            f"“{_short(statement.sentence.text)}” says {statement.fact.text}, but the table says"
            f" {sentence.text}."
        )
        yield check_contradictory_figures.found(passage.section, problem, statement.span)
    for earlier, later in contradictions(said):
        passage = places[numbers[id(later)]]
        problem = (
            f"“{_short(later.sentence.text)}” says {later.fact.text}, but"
            f" “{_short(earlier.sentence.text)}” says {earlier.fact.text}."
        )
        yield check_contradictory_figures.found(
            passage.section, problem, later.span,
                    )  # fmt: skip


def claimed(everything: Sequence[Passage], language: str) -> list[tuple[Passage, Statement, Claim]]:
    """Return the statements of a post that other posts may contradict, with their claims."""
    return [
        (passage, statement, claim)
        for passage in _read(everything)
        for statement in statements(passage.text_without_code, language)
        if (claim := claim_of(statement, language))
    ]


def _tables(everything: Sequence[Passage], language: str) -> list[list[Row]]:
    """The rows of the tables of a text."""
    rules = get_section(language, Consistency)
    if rules is None:
        return []
    cells = []
    for number, passage in enumerate(everything):
        if passage.kind is Kind.CELL and (match := _CELL.search(passage.section)):
            row, column = int(match[1]), int(match[2])
            table = passage.section[: match.start()]
            cells.append(Cell(number, table, row, column, passage.text))
    return rows_of(cells, rules, language) if cells else []


def _mistakes(
    everything: Sequence[Passage],
    language: str,
    find: Callable[[Reading], Iterator[Mistake]],
) -> Iterator[tuple[Passage, Span, Mistake]]:
    rules = get_section(language, Consistency)
    if rules is None:
        return
    words = vocabulary(primary_subtag(language))
    for passage in _read(everything):
        for sentence in numbered(passage.text_without_code, language):
            for mistake in find(Reading(sentence, rules, words)):
                low, high = mistake.span
                yield passage, (low + sentence.start, high + sentence.start), mistake


@check(
    "wrong_sum", ScorePart.CONSISTENCY, Scope.DOCUMENT, WARNING,
    "Calculate again and correct the value.",
    languages=with_section(Consistency), in_files=FilePart.TEXT, fixable=True,
)  # fmt: skip
def check_wrong_sum(everything: Sequence[Passage], language: str) -> Iterator[Finding]:
    """Totals, shares, ratios and changes that do not follow from the values beside them."""
    for passage, span, mistake in _mistakes(everything, language, mistakes_in_sums):
        yield check_wrong_sum.found(passage.section, mistake.problem, span)
    for rows in _tables(everything, language):
        for cell, sentence, total, made in wrong_totals(rows):
            passage = everything[cell.number]
            problem = f"The column does not make “{total.text}”; it makes {made:.10g}."
            low, high = total.span
            yield check_wrong_sum.found(
                passage.section, problem, (sentence.start + low, sentence.start + high),
            )  # fmt: skip


@check(
    "wrong_conversion", ScorePart.CONSISTENCY, Scope.DOCUMENT, WARNING,
    "Convert again and correct the value.",
    languages=with_section(Consistency), in_files=FilePart.TEXT, fixable=True,
)  # fmt: skip
def check_wrong_conversion(everything: Sequence[Passage], language: str) -> Iterator[Finding]:
    """A length, weight or temperature that its conversion in brackets does not equal."""
    for passage, span, mistake in _mistakes(everything, language, mistakes_in_conversions):
        yield check_wrong_conversion.found(passage.section, mistake.problem, span)


@check(
    "impossible_range", ScorePart.CONSISTENCY, Scope.DOCUMENT, WARNING,
    "Write the lower end first.",
    languages=with_section(Consistency), in_files=FilePart.TEXT, fixable=True,
)  # fmt: skip
def check_impossible_range(everything: Sequence[Passage], language: str) -> Iterator[Finding]:
    """Ranges that end below their beginning."""
    for passage, span, mistake in _mistakes(everything, language, mistakes_in_ranges):
        yield check_impossible_range.found(passage.section, mistake.problem, span)


@check(
    "impossible_date", ScorePart.CONSISTENCY, Scope.DOCUMENT, WARNING,
    "Look the date up and correct it.",
    languages=with_section(Consistency), in_files=FilePart.TEXT, fixable=True,
)  # fmt: skip
def check_impossible_date(everything: Sequence[Passage], language: str) -> Iterator[Finding]:
    """Days that no calendar has, wrong weekdays of dates, and wrong spans between times."""
    for passage, span, mistake in _mistakes(everything, language, mistakes_in_times):
        yield check_impossible_date.found(passage.section, mistake.problem, span)


@check(
    "contradictory_sentences", ScorePart.CONSISTENCY, Scope.DOCUMENT, WARNING,
    "Keep the one that is true.",
    languages=with_section(Consistency), in_files=FilePart.TEXT, fixable=True,
)  # fmt: skip
def check_contradictory_sentences(
    everything: Sequence[Passage], language: str
) -> Iterator[Finding]:
    """A sentence that denies another, word for word, or has before for after."""
    rules = get_section(language, Consistency)
    if rules is None:
        return
    said: dict[tuple[str, ...], tuple[Polarity, str]] = {}
    for passage in _read(everything):
        if passage.kind is Kind.HEADING:
            continue
        for sentence in sentences(passage.text, language):
            polar = polarity(sentence, rules)
            if polar is None:
                continue
            earlier, text = said.setdefault(polar.frame, (polar, sentence.text))
            if polar.contradicts(earlier):
                problem = f"“{_short(sentence.text)}” contradicts “{_short(text)}”"
                yield check_contradictory_sentences.found(
                    passage.section, f"{problem}.", sentence.span
                )


@check(
    "two_spellings", ScorePart.CONSISTENCY, Scope.DOCUMENT, WARNING,
    "Write the name in one way.",
    in_files=FilePart.TEXT, fixable=True,
)  # fmt: skip
def check_two_spellings(everything: Sequence[Passage], language: str) -> Iterator[Finding]:
    """A name that is spelled in two ways: Ida Brandt, Ida Brand."""
    words = vocabulary(primary_subtag(language))
    read = list(_read(everything))
    ordinary = set().union(*(ordinary_words(passage.text) for passage in read))
    found = (
        (number, name)
        for number, passage in enumerate(read)
        if passage.kind not in {Kind.TITLE, Kind.HEADING}
        for name in names(passage.text_without_code, words.function_words)
    )
    singles = not words.capitalises_nouns
    for number, earlier, name in spellings(found, ordinary, language, singles=singles):
        problem = f"“{name.text}” is “{earlier.text}” elsewhere."
        yield check_two_spellings.found(read[number].section, problem, name.span)
