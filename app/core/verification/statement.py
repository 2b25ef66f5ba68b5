"""What a judge compares with the sources: the sentences of a post, and the rows of its tables."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby

from app.core.checks import Kind, Passage
from app.core.text import Span, sentences, word_count

# Questions state nothing, labels name a kind of text, and nobody judges code.
_NOT_JUDGED = frozenset({Kind.QUESTION, Kind.LABEL, Kind.CODE})
_HEADLINES = frozenset({Kind.TITLE, Kind.HEADING})

# A sentence of fewer words says too little to find its subject in the sources.
_SHORT = 8
# In place of what a row is about: no sentence is about that.
ROW = "|"


@dataclass(frozen=True)
class Statement:
    """A sentence, its place, and what it needs to be understood; or a row of a table, with the
    names of its columns.

    ``before`` is the sentence before it in its passage. ``about`` says what an item is about, and
    what an answer is the answer to.
    """

    text: str
    passage: Passage
    span: Span
    before: str = ""

    @property
    def about(self) -> str:
        is_answer = self.passage.kind is Kind.ANSWER
        return self.passage.heading if is_answer else self.passage.about

    @property
    def is_row(self) -> bool:
        return self.passage.kind is Kind.CELL

    @property
    def key(self) -> tuple[str, str]:
        """Equal for statements that need only one verdict; of a row, it begins with `ROW`."""
        return ROW if self.is_row else self.about, self.text

    @property
    def place(self) -> Span | None:
        """Where a finding on it is in the text of its passage; None if it is at all of a row."""
        return None if self.is_row else self.span

    def holds(self, section: str, span: Span | None) -> bool:
        """Whether a place in a passage of the post is within it."""
        if self.is_row:
            return section == self.passage.section or section.startswith(f"{self.passage.section}[")
        if section != self.passage.section or span is None:
            return False
        return self.span[0] <= span[0] and span[1] <= self.span[1]

    @property
    def query(self) -> str:
        """What to search the sources for."""
        before = self.before if word_count(self.text) < _SHORT else ""
        return " ".join(filter(None, (self.about, before, self.text)))

    @property
    def is_headline(self) -> bool:
        """Whether it is a title or heading, which need not be a sentence."""
        return self.passage.kind in _HEADLINES


def statements(passages: Iterable[Passage], language: str) -> Iterator[Statement]:
    """Yield the sentences of passages, and the rows of tables without their headers, in reading
    order."""
    names: dict[str, Mapping[int, str]] = {}
    for row, group in groupby(passages, key=lambda passage: passage.row):
        if not row:
            for passage in group:
                yield from _sentences(passage, language)
            continue
        cells, table = list(group), row.rpartition(".")[0]
        if cells[0].is_header:
            names[table] = {cell.column: cell.text for cell in cells}
        else:
            yield _row(row, cells, names.get(table, {}))


def _row(path: str, cells: Sequence[Passage], names: Mapping[int, str]) -> Statement:
    text = "; ".join(
        f"{name}: {cell.text}" if (name := names.get(cell.column)) else cell.text for cell in cells
    )
    return Statement(text, Passage(path, Kind.CELL, text, cells[0].heading), (0, len(text)))


def _sentences(passage: Passage, language: str) -> Iterator[Statement]:
    if passage.kind in _NOT_JUDGED:
        return
    before = ""
    for sentence in sentences(passage.text, language):
        yield Statement(sentence.text, passage, sentence.span, before)
        before = sentence.text
