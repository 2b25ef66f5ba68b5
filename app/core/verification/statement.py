"""The sentences of a post that a judge compares with the sources."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from app.core.checks import Kind, Passage
from app.core.text import Span, sentences, word_count

# Questions state nothing, labels name a kind of text, and nobody judges code.
_NOT_JUDGED = frozenset({Kind.QUESTION, Kind.LABEL, Kind.CODE})
_HEADLINES = frozenset({Kind.TITLE, Kind.HEADING})

# A sentence of fewer words says too little to find its subject in the sources.
_SHORT = 8


@dataclass(frozen=True)
class Statement:
    """A sentence, its place, and what it needs to be understood.

    ``before`` is the sentence before it in its passage. ``about`` says what an item or a cell is
    about, and what an answer is the answer to.
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
    def key(self) -> tuple[str, str]:
        """Equal for statements that need only one verdict."""
        return self.about, self.text

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
    """Yield the sentences of passages in reading order."""
    for passage in passages:
        if passage.kind in _NOT_JUDGED:
            continue
        before = ""
        for sentence in sentences(passage.text, language):
            yield Statement(sentence.text, passage, sentence.span, before)
            before = sentence.text
