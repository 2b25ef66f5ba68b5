"""Tables: totals that their columns do not have, and cells that the prose contradicts."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from math import isclose

from app.core.facts.contradictions import differ
from app.core.facts.fact import Fact
from app.core.facts.statement import Numbered, Statement, numbered
from app.core.languages import Consistency
from app.core.text import primary_subtag, stem, words

_LEAST_ROWS = 2
_ROUNDED = 0.005


@dataclass(frozen=True)
class Cell:
    """A cell: the number of its passage, its table, row and column, and its text."""

    number: int
    table: str
    row: int
    column: int
    text: str


@dataclass(frozen=True)
class Row:
    """A row: the stems of its first cell, and its values by column."""

    stems: frozenset[str]
    is_total: bool
    values: dict[int, tuple[Cell, Numbered, Fact]]


def rows_of(cells: Iterable[Cell], rules: Consistency, language: str) -> list[list[Row]]:
    """Return the rows of each table, without its header."""
    tables: dict[str, dict[int, list[Cell]]] = defaultdict(lambda: defaultdict(list))
    for cell in cells:
        tables[cell.table][cell.row].append(cell)
    return [
        [_row(row, rules, language) for _, row in sorted(table.items())]
        for table in tables.values()
    ]


def _row(cells: Sequence[Cell], rules: Consistency, language: str) -> Row:
    found: dict[int, tuple[Cell, Numbered, Fact]] = {}
    label = next((cell.text for cell in cells if cell.column == 0), "")
    said = words(label)
    for cell in cells:
        # "Barrel, 320 litres" has a value beside its name.
        read = numbered(cell.text, language) if cell.column or " " in cell.text else ()
        if len(read) == 1 and len(read[0].facts) == 1:
            fact = read[0].facts[0]
            if fact.low == fact.high and not fact.hedge and fact.when is None:
                found[cell.column] = (cell, read[0], fact)
    tag = primary_subtag(language)
    stems = frozenset(stem(word, tag) for word in said if word not in rules.neutral)
    return Row(stems, bool(said) and said[0] in rules.total_rows, found)


def wrong_totals(rows: Sequence[Row]) -> Iterator[tuple[Cell, Numbered, Fact, float]]:
    """Yield the totals of a table that are not the sum of their column, with that sum."""
    for at, row in enumerate(rows):
        above = rows[:at]
        if not row.is_total or len(above) < _LEAST_ROWS or any(each.is_total for each in above):
            continue
        for column, (cell, sentence, total) in row.values.items():
            parts = [each.values[column][2] for each in above if column in each.values]
            if len(parts) < len(above) or any(part.unit != total.unit for part in parts):
                continue
            values = [part.low for part in parts]
            if total.low in values:
                continue  # what is left of one of them: “Balance”, “Fees”, “Total”
            sums = _sums(values)
            if not any(_is_sum(made, total.low, len(parts)) for made in sums):
                yield cell, sentence, total, sums[-1] / (total.factor or 1)


def _sums(parts: Sequence[float]) -> list[float]:
    """Return what a column may add up to: all of it, and each subtotal in place of its parts."""
    above, parts_of_next = list[float](), list[float]()
    for part in parts:
        if len(parts_of_next) >= _LEAST_ROWS and _is_sum(sum(parts_of_next), part, len(parts)):
            above, parts_of_next = [*above, part], []
        elif above and parts_of_next and _is_sum(sum((*above, *parts_of_next)), part, len(parts)):
            above, parts_of_next = [part], []
        else:
            parts_of_next.append(part)
    return [sum(parts), sum((*above, *parts_of_next))]


def _is_sum(made: float, told: float, parts: int) -> bool:
    return isclose(made, told, rel_tol=_ROUNDED, abs_tol=_ROUNDED * parts)


def against_rows(
    said: Iterable[Statement], tables: Sequence[Sequence[Row]]
) -> Iterator[tuple[Statement, Cell, Numbered]]:
    """Yield statements of the prose that contradict the one row that is about the same thing, with
    the cell of the row."""
    by_stem: dict[str, list[Row]] = defaultdict(list)
    for rows in tables:
        for row in rows:
            if not row.is_total:
                for each in row.stems:
                    by_stem[each].append(row)
    for statement in said:
        rows = by_stem.get(statement.head, [])
        if len(rows) != 1 or statement.case.conditions or statement.case.names:
            continue
        if statement.is_loose:
            continue
        if statement.subject - rows[0].stems:
            continue
        cells = [
            (cell, sentence, fact)
            for cell, sentence, fact in rows[0].values.values()
            if fact.unit == statement.fact.unit
        ]
        if len(cells) != 1:
            continue
        cell, sentence, fact = cells[0]
        if _is_other(statement, fact):
            yield statement, cell, sentence


def _is_other(statement: Statement, fact: Fact) -> bool:
    if statement.family.startswith(("count", "percent", "capacity")):
        return False
    return differ(replace(statement, fact=fact), statement)
