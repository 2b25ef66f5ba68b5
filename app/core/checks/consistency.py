"""Whether a text agrees with itself: its figures, dates, sums, conversions, orders and names."""

import re
from collections.abc import Callable, Iterator, Sequence
from functools import cache, lru_cache, partial

from app.core.checks.agreement import (
    names,
    ordinary_words,
    short_forms,
    spellings,
    two_meanings,
)
from app.core.checks.check import (
    BLOCKER,
    WARNING,
    DeskCheck,
    FilePart,
    Finding,
    Scope,
    ScorePart,
    check,
    with_section,
)
from app.core.checks.passage import Kind, Passage
from app.core.facts.ages import wrong_ages
from app.core.facts.arithmetic import mistakes_in_ranges, mistakes_in_sums
from app.core.facts.comparisons import mistakes_in_comparisons
from app.core.facts.contradictions import contradictions, same_words
from app.core.facts.contrasts import Place, Reader
from app.core.facts.enumerations import may_enumerate, mistakes_in_enumerations
from app.core.facts.extremes import beyond_extremes
from app.core.facts.ledger import Claim, claim_of
from app.core.facts.names import two_spellings
from app.core.facts.oppositions import oppositions
from app.core.facts.persons import wrong_pronouns
from app.core.facts.reading import Mistake, Reading
from app.core.facts.restatements import mistakes_in_conversions
from app.core.facts.results import mistakes_in_results
from app.core.facts.scanner import vocabulary
from app.core.facts.statement import Statement, numbered, spoken, statements
from app.core.facts.tables import Cell, Row, against_rows, rows_of, wrong_totals
from app.core.facts.times import mistakes_in_times
from app.core.facts.variants import two_variants
from app.core.languages import Calculations, Consistency, Results, get_section
from app.core.text import Span, primary_subtag, sentences, shortened, stems, words

# Cells and labels stand in a context of their own, code is not said of anything.
_SKIPPED = frozenset({Kind.CELL, Kind.LABEL, Kind.CODE, Kind.QUESTION})
_short = partial(shortened, most=90)
# Longer headings name more than one of several things.
_MOST_HEADING_WORDS = 5
_CELL = re.compile(r"\.rows\[(\d{1,4})\]\[(\d{1,3})\]$")
FindMistakes = Callable[[Reading], Iterator[Mistake]]


def _read(everything: Sequence[Passage]) -> Iterator[Passage]:
    return (passage for passage in everything if passage.kind not in _SKIPPED)


@check(
    "contradictory_figures", ScorePart.CONSISTENCY, Scope.DOCUMENT, WARNING,
    "Find out which is right, and write it in both places.",
    sometimes=BLOCKER, languages=with_section(Consistency), in_files=FilePart.TEXT, fixable=True,
)  # fmt: skip
def check_contradictory_figures(everything: Sequence[Passage], language: str) -> Iterator[Finding]:
    """Two values for the same thing: a price, a time, a measure, a count, a year.

    Two values are compared if they have the same unit and are said of the same thing in the
    same case: at most one of the two clauses has words that the other lacks, and both
    have the same times, groups of people, names, other values, verb of an order, tense and part
    ("the café of the shop"). Anything that limits one of them (if, usually, at least, another)
    ends the comparison, and so do headings that name two things of a kind.

    It is a blocker in a post if the sentences have the same words but for the value, and are about
    what the title names or about a name; in a file, and in all other cases, it is a warning.
    """
    places: dict[int, Passage] = {}
    said: list[Statement] = []
    for passage in _read(everything):
        for statement in statements(passage.text_without_code, language):
            places[id(statement)] = passage
            said.append(statement)
    # Equal texts share their statements, and any of their places will do.
    for statement, cell, sentence in against_rows(said, _tables(everything, language)):
        passage = places[id(statement)]
        problem = (
            f"“{_short(statement.sentence.text)}” says {statement.fact.text}, but the table"
            f" ({{place}}) says {sentence.text}."
        )
        yield check_contradictory_figures.found(
            passage.section, problem, statement.span, related=(everything[cell.number].section, 0)
        )
    named = cache(lambda: _names_inside(everything, language))
    titles = (each.text for each in everything if each.kind is Kind.TITLE)
    title = stems(next(titles, ""), primary_subtag(language))
    for earlier, later in (*contradictions(said), *beyond_extremes(said, language)):
        passage, other = places[id(later)], places[id(earlier)]
        if _name_two_things(passage.heading, other.heading, named):
            continue
        problem = (
            f"“{_short(later.sentence.text)}” says {later.fact.text}, but"
            f" “{_short(earlier.sentence.text)}” ({{place}}) says {earlier.fact.text}."
        )
        # Of what the title names, or of a name.
        is_known = bool(later.case.names or later.near & title)
        is_sure = is_known and same_words(earlier, later)
        yield check_contradictory_figures.found(
            passage.section, problem, later.span,
            severity=BLOCKER if is_sure and not passage.in_file else WARNING,
            related=(other.section, earlier.sentence.start),
        )  # fmt: skip


def _name_two_things(one: str, other: str, named: Callable[[], frozenset[str]]) -> bool:
    """Whether two headings name two things of a kind: "Route A" and "Route B", "Ghent" and
    "Bruges". What is said below them may differ.

    ``named`` returns the names that the text uses.
    """
    if not one or not other or one == other:
        return False
    first, second = words(one), words(other)
    if max(len(first), len(second)) > _MOST_HEADING_WORDS:
        return False
    if len(first) == len(second) > 1:
        return sum(left != right for left, right in zip(first, second, strict=True)) == 1
    return named().issuperset(first) and named().issuperset(second)


def _names_inside(everything: Sequence[Passage], language: str) -> frozenset[str]:
    """The words of names that stand inside of sentences."""
    known = vocabulary(primary_subtag(language))
    return frozenset(
        word
        for passage in _read(everything)
        if passage.kind not in {Kind.TITLE, Kind.HEADING}
        for name in names(passage.text, known.function_words)
        if name.is_inside
        for word in name.words
    )


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


@lru_cache(maxsize=1)
def _readings(everything: tuple[Passage, ...], language: str) -> list[tuple[Passage, Reading]]:
    """The sentences with values; kept for the checks that read the same text one by one."""
    rules = get_section(language, Consistency)
    if rules is None:
        return []
    known = vocabulary(primary_subtag(language))
    calculations = get_section(language, Calculations)
    results = get_section(language, Results)
    found: list[tuple[Passage, Reading]] = []
    for passage in _read(everything):
        before = None
        for sentence in numbered(passage.text_without_code, language):
            before = Reading(sentence, rules, known, calculations, results, before)
            found.append((passage, before))
    return found


def _mistakes(
    everything: Sequence[Passage], language: str, find: FindMistakes
) -> Iterator[tuple[Passage, Span, Mistake]]:
    for passage, reading in _readings(tuple(everything), language):
        for mistake in find(reading):
            (low, high), start = mistake.span, reading.sentence.start
            yield passage, (low + start, high + start), mistake


@check(
    "wrong_sum", ScorePart.CONSISTENCY, Scope.DOCUMENT, WARNING,
    "Calculate again and correct it.",
    languages=with_section(Consistency), in_files=FilePart.TEXT, fixable=True,
)  # fmt: skip
def check_wrong_sum(everything: Sequence[Passage], language: str) -> Iterator[Finding]:
    """Totals, shares, rates and comparisons that do not follow from the values beside them."""
    for find in (mistakes_in_sums, mistakes_in_comparisons, mistakes_in_results):
        for passage, span, mistake in _mistakes(everything, language, find):
            yield check_wrong_sum.found(passage.section, mistake.problem, span)
    for passage in _read(everything):
        if not may_enumerate(passage.text, language):
            continue
        for said in sentences(passage.text, language):
            for mistake in mistakes_in_enumerations(said.text, language):
                low, high = (place + said.span[0] for place in mistake.span)
                yield check_wrong_sum.found(passage.section, mistake.problem, (low, high))
    for rows in _tables(everything, language):
        for cell, sentence, total, made in wrong_totals(rows):
            passage = everything[cell.number]
            problem = f"The column adds up to {made:.10g}, not “{total.text}”."
            low, high = total.span
            yield check_wrong_sum.found(
                passage.section, problem, (sentence.start + low, sentence.start + high),
            )  # fmt: skip


@check(
    "impossible_date", ScorePart.CONSISTENCY, Scope.DOCUMENT, WARNING,
    "Check it and correct it.",
    languages=with_section(Consistency), in_files=FilePart.TEXT, fixable=True,
)  # fmt: skip
def check_impossible_date(everything: Sequence[Passage], language: str) -> Iterator[Finding]:
    """Days and times that do not exist, wrong weekdays, and wrong spans, ages and centuries."""
    for passage, span, mistake in _mistakes(everything, language, mistakes_in_times):
        yield check_impossible_date.found(passage.section, mistake.problem, span)
    read = _readings(tuple(everything), language)
    for number, reading, mistake in wrong_ages((n, each) for n, (_, each) in enumerate(read)):
        (low, high), start = mistake.span, reading.sentence.start
        yield check_impossible_date.found(
            read[number][0].section, mistake.problem, (low + start, high + start)
        )


def _check_of(
    name: str, remedy: str, about: str, find: FindMistakes
) -> DeskCheck[[Sequence[Passage], str]]:
    """Return the check of the mistakes that a function finds in single sentences."""

    def function(everything: Sequence[Passage], language: str) -> Iterator[Finding]:
        for passage, span, mistake in _mistakes(everything, language, find):
            yield made.found(passage.section, mistake.problem, span)

    function.__doc__ = about
    made = check(
        name, ScorePart.CONSISTENCY, Scope.DOCUMENT, WARNING, remedy,
        languages=with_section(Consistency), in_files=FilePart.TEXT, fixable=True,
    )(function)  # fmt: skip
    return made


check_wrong_conversion = _check_of(
    "wrong_conversion",
    "Convert again and correct the value.",
    "A value and its conversion, percentage or number in words beside it that do not agree.",
    mistakes_in_conversions,
)
check_impossible_range = _check_of(
    "impossible_range",
    "Write the lower end first.",
    "Ranges that end below their beginning.",
    mistakes_in_ranges,
)


@check(
    "contradictory_sentences", ScorePart.CONSISTENCY, Scope.DOCUMENT, WARNING,
    "Keep the one that is true.",
    languages=with_section(Consistency), in_files=FilePart.TEXT, fixable=True,
)  # fmt: skip
def check_contradictory_sentences(
    everything: Sequence[Passage], language: str
) -> Iterator[Finding]:
    """Sentences that deny or exclude each other: before and after, closed and open every day."""
    rules = get_section(language, Consistency)
    if rules is None:
        return
    read = [passage for passage in _read(everything) if passage.kind is not Kind.HEADING]
    said = [
        Place(number, sentence)
        for number, passage in enumerate(read)
        for sentence in spoken(passage.text, primary_subtag(language))
    ]
    contrasts = Reader(primary_subtag(language))
    found = [*oppositions(said, primary_subtag(language))]
    found += [(place, earlier) for place in said if (earlier := contrasts.add(place)) is not None]
    for number, passage in enumerate(read if contrasts.has_free else ()):
        for sentence in sentences(passage.text, language):
            priced = contrasts.prices(statements(sentence.text, language))
            found += [(Place(number, sentence), earlier) for earlier in priced]
    seen: set[tuple[int, Span]] = set()
    for place, earlier in found:
        if (place.passage, place.sentence.span) in seen:
            continue
        seen.add((place.passage, place.sentence.span))
        problem = (
            f"“{_short(place.sentence.text)}” contradicts “{_short(earlier.sentence.text)}”"
            " ({place})."
        )
        related = read[earlier.passage].section, earlier.sentence.span[0]
        yield check_contradictory_sentences.found(
            read[place.passage].section, problem, place.sentence.span, related=related
        )
    for passage in read:
        for sentence, mistake in wrong_pronouns(sentences(passage.text, language), language):
            low, high = mistake.span
            span = low + sentence.span[0], high + sentence.span[0]
            yield check_contradictory_sentences.found(passage.section, mistake.problem, span)


@check(
    "two_spellings", ScorePart.CONSISTENCY, Scope.DOCUMENT, WARNING,
    "Use one spelling.",
    in_files=FilePart.TEXT, fixable=True,
)  # fmt: skip
def check_two_spellings(everything: Sequence[Passage], language: str) -> Iterator[Finding]:
    """A name, word or short form in two spellings: Ida Brandt, Ida Brand; colour, color; RGS, RSG.

    A short form that is explained in two ways counts as well.
    """
    known = vocabulary(primary_subtag(language))
    read = list(_read(everything))
    ordinary = set().union(*(ordinary_words(passage.text) for passage in read))
    for number, span, text, form in short_forms((i, each.text) for i, each in enumerate(read)):
        problem = f"“{text}” is spelled “{form}” where the text explains it."
        yield check_two_spellings.found(read[number].section, problem, span)
    for number, span, form, said, before in two_meanings((i, p.text) for i, p in enumerate(read)):
        problem = f"“{form}” stands for “{said}” here and for “{before}” elsewhere in the text."
        yield check_two_spellings.found(read[number].section, problem, span)
    plain = ((number, passage.text_without_code) for number, passage in enumerate(read))
    for number, span, text, variant in two_variants(plain, language):
        problem = f"“{text}” is spelled “{variant}” elsewhere in the text."
        yield check_two_spellings.found(read[number].section, problem, span)
    found = (
        (number, name)
        for number, passage in enumerate(read)
        if passage.kind not in {Kind.TITLE, Kind.HEADING}
        for name in names(passage.text_without_code, known.function_words)
    )
    reported: set[tuple[int, Span]] = set()
    texts = ((number, passage.text_without_code) for number, passage in enumerate(read))
    for number, span, text, earlier in two_spellings(
        texts, ordinary, capitalised=known.capitalises_nouns
    ):
        reported.add((number, span))
        problem = f"“{text}” is spelled “{earlier}” elsewhere in the text."
        yield check_two_spellings.found(read[number].section, problem, span)
    singles = not known.capitalises_nouns
    for number, other, name in spellings(found, ordinary, language, singles=singles):
        if any(
            number == at and low < name.span[1] and name.span[0] < high
            for at, (low, high) in reported
        ):
            continue
        problem = f"“{name.text}” is spelled “{other.text}” elsewhere in the text."
        yield check_two_spellings.found(read[number].section, problem, name.span)
