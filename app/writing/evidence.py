"""Where the figures of a post come from: the sentence of a source that has them."""

from collections.abc import Iterator, Sequence

from app.rules.figures import figure_keys
from app.rules.words import sentences, stems
from app.sources.source import Source
from app.writing.reader import Proof

_MOST_SENTENCES = 3_000


def figure_proofs(
    statements: Sequence[str], sources: Sequence[Source], language: str
) -> Iterator[Proof]:
    """Yield, for each statement with a figure that a source has, the sentence of the source that
    has most of its figures, and of these the one that has most of its words."""
    told = [
        (figure_keys(each), stems(each, language), each, source)
        for source in sources
        for each in sentences(source.text, language)
    ][:_MOST_SENTENCES]
    told = [each for each in told if each[0]]
    for statement in statements:
        figures = figure_keys(statement)
        if not figures:
            continue
        said = stems(statement, language)
        best = max(
            told, key=lambda each: (len(figures & each[0]), len(said & each[1])), default=None
        )
        if best and figures & best[0] and said & best[1]:
            yield Proof(statement, best[3], best[2])
