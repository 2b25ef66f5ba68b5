"""A check of whether each paragraph is about the subject of its text."""

from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cache

from app.core.checks.check import WARNING, FilePart, Finding, Scope, ScorePart, check
from app.core.checks.passage import Kind, Passage
from app.core.languages import get_language
from app.core.text import stems, word_count

_LEAST_WORDS = 40
_WORDS_A_COMMA = 4
# A shorter text says too little of its subject.
_LEAST_OTHER_WORDS = 300
# Of the words of a paragraph that carry its meaning, the share that other passages use as well. Of
# 189 texts by people in six languages, 6 have a paragraph with less; of 139 paragraphs moved into a
# text of 800 words on another subject, 88 are found.
_LEAST_SHARED = 0.20


def _is_spoken(language: str) -> bool:
    return get_language(language) is not None


@check(
    "off_subject", ScorePart.SUBSTANCE, Scope.DOCUMENT, WARNING,
    "Leave it out, or say what it has to do with the subject.",
    languages=_is_spoken, in_files=FilePart.PARAGRAPHS, removable=True, fixable=True,
)  # fmt: skip
def check_off_subject(everything: Sequence[Passage], language: str) -> Iterator[Finding]:
    """Paragraphs that share hardly a word with the rest of the text."""
    if sum(word_count(each.text) for each in everything) < _LEAST_WORDS + _LEAST_OTHER_WORDS:
        return
    used = Counter[str]()
    paragraphs: list[tuple[Passage, frozenset[str]]] = []
    for passage in everything:
        if passage.kind in {Kind.CODE, Kind.DESCRIPTION}:
            continue
        found = stems(passage.text, language) - _small_words(language)
        used.update(found)
        # A row of names, such as those of languages, is about the subject all the same.
        length, commas = word_count(passage.text), passage.text.count(",")
        if passage.kind is Kind.PROSE and length >= max(_LEAST_WORDS, commas * _WORDS_A_COMMA):
            paragraphs.append((passage, found))
    for passage, found in paragraphs:
        shared = sum(used[stem] > 1 for stem in found)
        if shared < len(found) * _LEAST_SHARED:
            begin = " ".join(passage.text.split()[:6])
            problem = f"The paragraph “{begin} …” shares hardly a word with the rest of the text."
            yield check_off_subject.found(passage.section, problem)


@cache
def _small_words(language: str) -> frozenset[str]:
    spoken = get_language(language)
    return stems(" ".join(spoken.function_words), language) if spoken else frozenset()
