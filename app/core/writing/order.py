"""Whether the sentences of a text stand in an order that makes sense.

Where people write, a sentence shares words with the one before it, and a model finds it more
probable behind that one than behind another sentence of the same text. Both are compared within the
text, so a difficult subject is no fault.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, partial
from hashlib import sha256
from math import sqrt
from statistics import fmean, pstdev, stdev

from app.core.checks import DISORDERED, Finding, Kind, Passage
from app.core.languages import get_language
from app.core.text import primary_subtag, sentences, stems
from app.core.writing.completion import Prompt

Likelihood = Callable[[str, str], float | None]
"""Returns the logarithm of the probability of a text behind another; None if unknown."""

LANGUAGES = frozenset({"en"})
# A shorter text tells too little.
_LEAST_PAIRS, _MOST_PAIRS = 8, 14
_MOST_SENTENCES = 60
_LEAST_WORDS, _WORDS_BEFORE, _TOKENS = 5, 30, 8
_SHORT_STEM = 2
_ORDERS = 100
# A word that comes again two sentences later, or more, counts less.
_FURTHER = 0.3
# One strange sentence must not decide.
_MOST_LIFT = 8.0
# The words alone tell well enough above this, in standard deviations.
_CLEAR = 3.0
LEAST_ORDER = 1.4
# Sentences of random words do not follow from one another either: the least order of a text whose
# paragraphs sound senseless.
LEAST_DOUBTED_ORDER = 3.0


@dataclass(frozen=True)
class Lift:
    """How much more probable a sentence is behind its own neighbours, as a natural logarithm."""

    section: str
    value: float


def continuation_prompt(before: str, text: str) -> Prompt:
    """Return the prompt that asks how probable the beginning of a text is behind another."""
    return Prompt(
        system="",
        user=before,
        continuation=f" {text}",
        max_tokens=_TOKENS,
        temperature=0.0,
        purpose="order",
    )


def disordered(
    passages: Sequence[Passage], language: str, likelihood: Likelihood
) -> Iterator[Finding]:
    """Yield a finding for each paragraph whose sentences do not follow from one another, if the
    text has no order.

    Args:
        likelihood: is asked up to 28 times, and not at all if the words show an order.
    """
    found = lifts(passages, language, likelihood)
    if not found or deviations(found) >= LEAST_ORDER:
        return
    by_section: dict[str, list[float]] = {}
    for each in found:
        by_section.setdefault(each.section, []).append(each.value)
    means = {section: fmean(values) for section, values in by_section.items()}
    for section, mean in means.items():
        if mean <= max(0.0, min(means.values())):
            yield DISORDERED.found(section, "The sentences do not follow from one another.")


def lifts(
    passages: Sequence[Passage], language: str, likelihood: Likelihood, *, clear: bool = True
) -> list[Lift]:
    """Return how much more probable sentences are behind their own neighbours than behind those of
    another sentence; empty if nobody can tell, or the words tell enough.

    Args:
        clear: whether the words may tell enough.
    """
    if primary_subtag(language) not in LANGUAGES:
        return []
    pairs = list(_pairs(passages, language))
    if len(pairs) < _LEAST_PAIRS or (clear and _is_clear(passages, language)):
        return []
    count = min(len(pairs), _MOST_PAIRS)
    asked = [pairs[at * len(pairs) // count] for at in range(count)]
    own, elsewhere = [0.0] * count, [0.0] * count
    for at, (_, before, text) in enumerate(asked):
        # Both calls begin alike, so the endpoint reads what stands before only once.
        other = (at + count // 2) % count
        found, found_other = likelihood(before, text), likelihood(before, asked[other][2])
        if found is None or found_other is None:
            return []
        own[at], elsewhere[other] = found, found_other
    return [
        Lift(section, min(max(here - there, -_MOST_LIFT), _MOST_LIFT))
        for (section, _, _), here, there in zip(asked, own, elsewhere, strict=True)
    ]


def makes_up_for_doubt(passages: Sequence[Passage], language: str, likelihood: Likelihood) -> bool:
    """Whether the sentences of a text follow from one another so well that its paragraphs make
    sense, even if they do not sound so to a model: an essay on an odd subject, not random words."""
    # Words that are kept among random ones may show an order by chance.
    found = lifts(passages, language, likelihood, clear=False)
    return bool(found) and deviations(found) >= LEAST_DOUBTED_ORDER


def deviations(found: Sequence[Lift]) -> float:
    """Return the mean of two or more lifts in its standard deviations: 0 for a random order."""
    values = [each.value for each in found]
    return fmean(values) / (stdev(values) or 1.0) * sqrt(len(values))


def content_stems(text: str, language: str) -> frozenset[str]:
    """Return the stems of the words that carry a text's meaning."""
    small = _small_words(language)
    return frozenset(stem for stem in stems(text, language) - small if len(stem) > _SHORT_STEM)


@cache
def _small_words(language: str) -> frozenset[str]:
    spoken = get_language(language)
    return stems(" ".join(spoken.function_words), language) if spoken else frozenset()


def _pairs(passages: Sequence[Passage], language: str) -> Iterator[tuple[str, str, str]]:
    """Yield section, the words before it, and text of each sentence that stands behind another."""
    for section, said in _paragraphs(passages, language):
        for at, text in enumerate(said):
            if at and len(text.split()) >= _LEAST_WORDS:
                before = " ".join(said[max(at - 2, 0) : at]).split()[-_WORDS_BEFORE:]
                yield section, " ".join(before), text


def _paragraphs(passages: Sequence[Passage], language: str) -> list[tuple[str, list[str]]]:
    return [
        (each.section, [sentence.text for sentence in sentences(each.text, language)])
        for each in passages
        if each.kind in {Kind.PROSE, Kind.ANSWER}
    ]


def _is_clear(passages: Sequence[Passage], language: str) -> bool:
    """Whether the words alone show an order."""
    said = [each for _, each in _paragraphs(passages, language)]
    return _order_of_words(said, language) >= _CLEAR


def _order_of_words(paragraphs: Sequence[Sequence[str]], language: str) -> float:
    """Return how much more the sentences of a paragraph share rare words than in a random order of
    all sentences, in standard deviations."""
    sizes, found = [], list[frozenset[str]]()
    for said in paragraphs:
        read = said[: _MOST_SENTENCES - len(found)]
        sizes.append(len(read))
        found += [content_stems(text, language) for text in read]
    used = Counter(stem for each in found for stem in each)
    shared = [
        [sum(1 / (used[stem] - 1) for stem in one & other if used[stem] > 1) for other in found]
        for one in found
    ]

    def cohesion(order: Sequence[int]) -> float:
        total, start = 0.0, 0
        for size in sizes:
            part = order[start : start + size]
            start += size
            for at, one in enumerate(part):
                for next_, other in enumerate(part[at + 1 :]):
                    total += shared[one][other] * (_FURTHER if next_ else 1.0)
        return total

    order = range(len(found))
    others = [cohesion(sorted(order, key=partial(_drawn, number))) for number in range(_ORDERS)]
    return (cohesion(order) - fmean(others)) / (pstdev(others) or 1.0)


def _drawn(number: int, at: int) -> bytes:
    """Return where a sentence stands in a random order, which is the same in each run."""
    return sha256(f"{number} {at}".encode()).digest()
