"""Whether a text says something: figures, names, reasons and examples against general praise."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import combinations

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
from app.core.languages import Praise, WordOrder, get_language, get_section
from app.core.text import Span, sentences, stems, word_set, words

# A name inside a sentence, a figure, a quotation or a price.
_CONCRETE = re.compile(r"(?<=[a-z,;:)’'\"“] )[A-Z]|\d|[“”\"`$%€£]")
_SENTENCE_FROM_WORDS = 5
_FROM_SENTENCES = 8
# Of 137 English texts by people, none has so large a share of empty sentences together with so
# small a share of concrete ones; small models reach 25 to 65 %.
_MOST_EMPTY, _LEAST_CONCRETE = 0.2, 0.4
# Rare words come again in their paragraph more often than chance. In standard deviations, all but
# one of 189 texts by people have more than this; of 79 longer ones, 32 have less when shuffled.
_LEAST_COHESION = -0.12
_SHUFFLED_FROM_SENTENCES, _LEAST_PAIRS, _MOST_CHANCE = 35, 35, 0.5
_SHORT_STEM, _RARE_TIMES = 2, 6
_SHUFFLED_MOST_SENTENCES = 120


@check(
    "says_little", ScorePart.SUBSTANCE, Scope.DOCUMENT, WARNING,
    "Replace praise with figures, names, reasons and examples.",
    languages=with_section(Praise), in_files=FilePart.PARAGRAPHS, fixable=True,
)  # fmt: skip
def check_says_little(everything: Sequence[Passage], language: str) -> Iterator[Finding]:
    """Texts with many sentences of general praise and hardly a figure, a name or a reason."""
    rules = get_section(language, Praise)
    if rules is None:
        return
    total = concrete = 0
    empty: list[tuple[Passage, str, Span]] = []
    for passage in everything:
        if passage.kind not in {Kind.PROSE, Kind.ANSWER, Kind.ITEM}:
            continue
        for sentence in sentences(passage.text, language):
            if len(words(sentence.text)) < _SENTENCE_FROM_WORDS:
                continue
            total += 1
            said = word_set(sentence.text)
            if _CONCRETE.search(sentence.text):
                concrete += 1
            elif rules.concrete.isdisjoint(said) and not rules.general.isdisjoint(said):
                empty.append((passage, sentence.text, sentence.span))
    if (
        total >= _FROM_SENTENCES
        and len(empty) >= _MOST_EMPTY * total
        and concrete < _LEAST_CONCRETE * total
    ):
        passage, text, span = empty[0]
        problem = (
            f"{len(empty)} of {total} sentences only praise or say the obvious, such as"
            f" “{text[:80]}”."
        )
        yield check_says_little.found(passage.section, problem, span)


@check(
    "shuffled", ScorePart.SUBSTANCE, Scope.DOCUMENT, WARNING,
    "Put sentences about the same thing into one paragraph.",
    languages=with_section(WordOrder), in_files=FilePart.PARAGRAPHS,
)  # fmt: skip
def check_shuffled(everything: Sequence[Passage], language: str) -> Iterator[Finding]:
    """Longer files whose paragraphs share fewer rare words than chance would give them."""
    spoken = get_language(language)
    prose = [passage for passage in everything if passage.kind is Kind.PROSE]
    sizes: Counter[int] = Counter()
    places: dict[str, list[int]] = {}
    # The sections of a post are put together from an outline.
    if not prose or not prose[0].in_file:
        return
    for number, passage in enumerate(prose if spoken else ()):
        read = sentences(passage.text, language)
        if sizes.total() + len(read) > _SHUFFLED_MOST_SENTENCES:
            break
        for sentence in read:
            sizes[number] += 1
            for each in stems(sentence.text, language):
                if len(each) > _SHORT_STEM:
                    places.setdefault(each, []).append(number)
    count = sum(sizes.values())
    if count < _SHUFFLED_FROM_SENTENCES:
        return
    chance = sum(size * (size - 1) for size in sizes.values()) / (count * (count - 1))
    shared = pairs = 0.0
    for stemmed, found in places.items():
        if spoken and stemmed not in spoken.function_words and 2 <= len(found) <= _RARE_TIMES:
            weight = 2 / len(found)
            together = sum(one == two for one, two in combinations(found, 2))
            shared += weight * together
            pairs += weight * len(found) * (len(found) - 1) / 2
    expected = pairs * chance
    if pairs < _LEAST_PAIRS or not 0 < chance < _MOST_CHANCE:
        return
    if (shared - expected) / (expected * (1 - chance)) ** 0.5 < _LEAST_COHESION:
        problem = "The paragraphs jump between subjects, as if their sentences had been shuffled."
        yield check_shuffled.found(prose[0].section, problem)
