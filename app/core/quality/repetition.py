"""Whether a post says things once: no sentence and no long run of words a second time."""

from collections.abc import Sequence

from app.core.quality.finding import Finding, blocker, warning
from app.core.quality.passage import Kind, Passage
from app.core.text import fold, sentences

_REPEAT_FROM_WORDS = 5
# Set phrases and names come to seven words at times; ten in a row are a copy.
RUN_WORDS = 10


def check_repetition(everything: Sequence[Passage], language: str) -> list[Finding]:
    """A sentence that the post already has is refused, a run of ten words is a warning."""
    findings: list[Finding] = []
    seen: set[str] = set()
    runs: set[tuple[str, ...]] = set()
    for passage in everything:
        if not passage.is_prose or passage.kind is Kind.DESCRIPTION:
            continue
        for sentence in sentences(passage.text, language):
            folded = fold(sentence.text)
            words = folded.split(" ")
            own = [tuple(words[i : i + RUN_WORDS]) for i in range(len(words) - RUN_WORDS + 1)]
            if len(words) >= _REPEAT_FROM_WORDS and folded in seen:
                findings.append(
                    blocker(
                        "repeated_sentence",
                        passage.section,
                        f"Says again, word for word: “{sentence.text[:80]}”. Say something new.",
                        sentence.span,
                    )
                )
            elif again := runs.intersection(own):
                words_again = " ".join(next(run for run in own if run in again))
                findings.append(
                    warning(
                        "repeated_phrase",
                        passage.section,
                        f"Has a run of words that the post already has: “{words_again}”.",
                        sentence.span,
                    )
                )
            seen.add(folded)
            runs.update(own)
    return findings
