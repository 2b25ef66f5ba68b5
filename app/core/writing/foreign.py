"""Whether each paragraph of a text is on its subject.

A paragraph on another subject shares few words with the others, and a model's embedding of it is
unlike theirs. Neither tells enough alone: people also write paragraphs in words of their own.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from statistics import fmean

from app.core.checks import FOREIGN_PARAGRAPH, Finding, Kind, Passage
from app.core.text import primary_subtag, word_count
from app.core.writing.completion import Prompt
from app.core.writing.order import content_stems

Cosines = Sequence[Sequence[float]]
"""The cosine of each text with each other."""

LANGUAGES = frozenset({"en"})
# A shorter paragraph says too little of its subject.
_LEAST_WORDS = 40
_LEAST_PARAGRAPHS, _MOST_PARAGRAPHS = 4, 12
# No token is shorter than a byte, and llama.cpp embeds at most 512 tokens at once.
_MOST_BYTES = 500
_WEIGHT_OF_WORDS = 0.3
LEAST_BELONGING = 0.625
# Embeddings of any two texts are alike. What these, on different subjects, have in common is
# subtracted.
_ANY_SUBJECTS = (
    "Bring the stock to a boil, then lower the heat and let the onions soften for ten minutes"
    " before you add the lentils and a bay leaf.",
    "The striker left the pitch after half an hour with a torn muscle, and the visitors scored"
    " twice before the break to win the cup.",
    "Parliament passed the budget by four votes on Thursday, although two ministers had said that"
    " they would rather resign than raise the tax.",
    "Click the button in the upper corner to open the settings, choose a folder for the backup, and"
    " restart the program when it asks you to.",
    "Most of the houses along the harbour were painted white a century ago, when lime was cheap and"
    " every family owned at least one boat.",
    "Patients who slept less than six hours caught colds more often, so the doctors advised them to"
    " put their phones away before bed.",
    "My grandmother kept her letters in a tin under the stairs, and nobody in the family was"
    " allowed to read them until she had died.",
    "The company sold fewer cars than it had promised its shareholders, and the price of its stock"
    " fell by a tenth within a day.",
)


def comparison_prompt(texts: Sequence[str]) -> Prompt:
    """Return the prompt that asks how alike texts are."""
    return Prompt(system="", user="", compared=tuple(texts), max_tokens=0, purpose="subject")


def foreign_paragraphs(
    passages: Sequence[Passage],
    language: str,
    compare: Callable[[Sequence[str]], Cosines | None],
) -> Iterator[Finding]:
    """Yield a finding for each paragraph that is not on the subject of the others.

    Args:
        compare: returns the cosines of up to 20 texts of at most 500 bytes, or None if unknown; is
            called at most once.
    """
    for passage, value in belonging(passages, language, compare):
        if value < LEAST_BELONGING:
            problem = "This paragraph is on another subject than the rest of the text."
            yield FOREIGN_PARAGRAPH.found(passage.section, problem)


def belonging(
    passages: Sequence[Passage],
    language: str,
    compare: Callable[[Sequence[str]], Cosines | None],
) -> list[tuple[Passage, float]]:
    """Return how well each paragraph fits the others, about 0 to 1.3, the least fitting one first;
    empty if nobody can tell.

    Of a long text, those are compared that share the fewest words with the rest, and the most.
    """
    if primary_subtag(language) not in LANGUAGES:
        return []
    paragraphs = [
        each
        for each in passages
        if each.kind in {Kind.PROSE, Kind.ANSWER} and word_count(each.text) >= _LEAST_WORDS
    ]
    if len(paragraphs) < _LEAST_PARAGRAPHS:
        return []
    shared = _shared([content_stems(each.text, language) for each in paragraphs])
    order = sorted(range(len(paragraphs)), key=lambda at: shared[at])
    if len(order) > _MOST_PARAGRAPHS:
        order = order[: _MOST_PARAGRAPHS // 2] + order[-_MOST_PARAGRAPHS // 2 :]
    cosines = compare([*(_beginning(paragraphs[at].text) for at in order), *_ANY_SUBJECTS])
    if cosines is None:
        return []
    alike = _alike(cosines, len(order))
    found = [
        (paragraphs[at], likeness + _WEIGHT_OF_WORDS * min(shared[at], 1.0))
        for at, likeness in zip(order, alike, strict=True)
    ]
    return sorted(found, key=lambda each: each[1])


def _shared(paragraphs: Sequence[frozenset[str]]) -> list[float]:
    """Return how much each paragraph shares its words with the others; the mean is 1. Long words
    tell more."""
    used = Counter(stem for each in paragraphs for stem in each)
    found = [
        sum(len(stem) * (used[stem] - 1) for stem in each) / (len(each) or 1) ** 0.5
        for each in paragraphs
    ]
    mean = fmean(found) or 1.0
    return [each / mean for each in found]


def _beginning(text: str) -> str:
    return text.encode()[:_MOST_BYTES].decode(errors="ignore")


def _alike(cosines: Cosines, count: int) -> list[float]:
    """Return how alike each of the first texts is to the others of them: its cosine with all of
    them and with the nearest one, when the mean of all texts behind them is subtracted."""
    common = [fmean(row[count:]) for row in cosines]
    middle = fmean(common[count:])

    def product(one: int, other: int) -> float:
        return cosines[one][other] - common[one] - common[other] + middle

    lengths = [max(product(at, at), 0.0) ** 0.5 or 1.0 for at in range(count)]
    found = []
    for one in range(count):
        others = [
            product(one, other) / lengths[one] / lengths[other]
            for other in range(count)
            if other != one
        ]
        found.append((fmean(others) + max(others)) / 2)
    return found
