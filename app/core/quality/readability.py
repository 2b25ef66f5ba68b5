"""How easily a text is read, by the thresholds that Yoast publishes; every finding is a warning.

A finding about a share of all sentences stands where most of those sentences are, and its span is
the first of them.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache

import pyphen

from app.core.quality.finding import Finding, warning
from app.core.quality.languages.rules import Rules
from app.core.quality.passage import Kind, Passage, paragraphs
from app.core.text import Sentence, sentences, word_count, words

PARAGRAPH_MAX_WORDS = 150
SUBHEADING_MAX_WORDS = 300
LONG_SENTENCES_MAX = 0.25
PASSIVE_MAX = 0.10
TRANSITIONS_MIN = 0.30
TRANSITIONS_FROM_WORDS = 200
SAME_OPENINGS = 3
FLESCH_MIN = 60
# Under a hundred words one hard word moves the score by points.
FLESCH_FROM_WORDS = 100


def check_paragraphs(passage: Passage) -> Iterator[Finding]:
    """Paragraphs that are too long to read."""
    if passage.kind is not Kind.PROSE:
        return
    for start, paragraph in paragraphs(passage.text):
        count = word_count(paragraph)
        if count > PARAGRAPH_MAX_WORDS:
            yield warning(
                "paragraph_length",
                passage.section,
                f"A paragraph has {count} words; at most {PARAGRAPH_MAX_WORDS} read well.",
                (start, start + len(paragraph)),
            )


def check_subheadings(passage: Passage) -> Iterator[Finding]:
    """A long stretch of text under one heading."""
    if passage.kind is Kind.PROSE:
        count = word_count(passage.text)
        if count > SUBHEADING_MAX_WORDS:
            yield warning(
                "subheading_distance",
                passage.section,
                f"{count} words without a heading; after {SUBHEADING_MAX_WORDS} at the latest"
                " readers want one.",
            )


@dataclass(frozen=True)
class _Located:
    """A sentence and the passage that it stands in."""

    passage: Passage
    sentence: Sentence


def prose_sentences(everything: Sequence[Passage], language: str) -> list[_Located]:
    return [
        _Located(passage, sentence)
        for passage in everything
        if passage.kind in {Kind.PROSE, Kind.ANSWER}
        for sentence in sentences(passage.text, language)
    ]


def check_reading(everything: Sequence[Passage], language: str, rules: Rules) -> Iterator[Finding]:
    """Long sentences, passive voice, transition words, openings and Flesch, in all the prose."""
    located = prose_sentences(everything, language)
    if not located:
        return
    yield from _share(
        "sentence_length",
        located,
        lambda text: word_count(text) > rules.long_sentence,
        LONG_SENTENCES_MAX,
        f"of the sentences have more than {rules.long_sentence} words. Break some of them up.",
    )
    yield from _share(
        "passive_voice",
        located,
        rules.passive.within,
        PASSIVE_MAX,
        "of the sentences are in the passive voice. Say who does it.",
    )
    total = sum(word_count(entry.sentence.text) for entry in located)
    if total >= TRANSITIONS_FROM_WORDS:
        yield from _share(
            "transition_words",
            located,
            lambda text: not rules.transitions.within(text),
            1 - TRANSITIONS_MIN,
            "of the sentences have no transition word such as “however” or its like."
            " Say how sentences hang together.",
        )
    yield from _openings(located, rules)
    if total >= FLESCH_FROM_WORDS:
        ease = flesch([entry.sentence.text for entry in located], rules)
        if ease < FLESCH_MIN:
            hardest = max(
                located, key=lambda entry: _sentence_syllables(entry.sentence.text, rules)
            )
            yield warning(
                "flesch",
                hardest.passage.section,
                f"The Flesch reading ease is {ease:.0f}; {FLESCH_MIN} and more reads easily."
                " Write shorter sentences and words.",
                hardest.sentence.span,
            )


def _share(
    check: str,
    located: Sequence[_Located],
    offends: Callable[[str], bool],
    most: float,
    reason: str,
) -> Iterator[Finding]:
    offending = [entry for entry in located if offends(entry.sentence.text)]
    share = len(offending) / len(located)
    if share <= most:
        return
    places = [entry.passage.section for entry in offending]
    worst = max(dict.fromkeys(places), key=places.count)
    first = next(entry for entry in offending if entry.passage.section == worst)
    yield warning(check, worst, f"{share:.0%} {reason}", first.sentence.span)


def _openings(located: Sequence[_Located], rules: Rules) -> Iterator[Finding]:
    """Three sentences in a row, in one passage, that begin with the same word."""
    run: list[_Located] = []
    for entry in located:
        opening = _opening(entry.sentence.text, rules)
        same = (
            run
            and opening
            and run[-1].passage is entry.passage
            and _opening(run[-1].sentence.text, rules) == opening
        )
        run = [*run, entry] if same else [entry]
        if len(run) == SAME_OPENINGS:
            yield warning(
                "same_openings",
                entry.passage.section,
                f"{SAME_OPENINGS} sentences in a row begin with “{' '.join(opening)}”.",
                (run[0].sentence.span[0], entry.sentence.span[1]),
            )


def _opening(text: str, rules: Rules) -> tuple[str, ...]:
    """The first word; with an article, the word after it as well."""
    found = words(text)
    return found[: 2 if found and found[0] in rules.articles else 1]


@cache
def _dictionary(name: str) -> pyphen.Pyphen:
    return pyphen.Pyphen(lang=name)


@lru_cache(maxsize=65536)
def syllables(word: str, hyphenation: str) -> int:
    """By the places where a word may be hyphenated: a few in a hundred fewer than are spoken.

    pyphen serves all of our languages. Measured against a pronouncing dictionary it has 93 % of
    the words of running English text right, the package `syllables` (English alone) 87 %;
    `textstat` needs nltk and a download for the same answer.
    """
    return len(_dictionary(hyphenation).positions(word)) + 1


def _sentence_syllables(text: str, rules: Rules) -> int:
    return sum(syllables(word, rules.hyphenation) for word in words(text))


def flesch(texts: Sequence[str], rules: Rules) -> float:
    """The reading ease of these sentences in the formula of their language, 0 to 100."""
    count = sum(len(words(text)) for text in texts) or 1
    spoken = sum(_sentence_syllables(text, rules) for text in texts)
    constant, by_words, by_syllables = rules.flesch
    ease = constant - by_words * count / len(texts) - by_syllables * spoken / count
    return max(0.0, min(100.0, ease))
