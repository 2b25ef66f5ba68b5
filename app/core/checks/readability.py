"""How easily a text reads, by the thresholds that Yoast publishes; every finding is a warning.

A finding about a share of all sentences names the section with most of those sentences, and its
span is the first of them; one about long sentences names the longest.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cache, lru_cache
from itertools import groupby, repeat
from math import ceil
from typing import Any, NamedTuple

import pyphen

from app.core.checks.check import (
    WARNING,
    DeskCheck,
    FilePart,
    Finding,
    Scope,
    ScorePart,
    check,
    with_section,
)
from app.core.checks.passage import Kind, Passage, paragraphs
from app.core.languages import Flesch, Passive, Sentences, Transitions, get_section
from app.core.text import WORDS_KEPT, Sentence, sentences, word_count, words

PARAGRAPH_MAX_WORDS = 150
SUBHEADING_MAX_WORDS = 300
# Yoast (the package yoastseo, farTooMany and fairlyDifficult) shows more than the first share in
# orange, and in red only more than the second, or a Flesch score below the second limit. A text
# that misses a limit by little is not revised: a sentence that was split for it lost a case.
LONG_SENTENCES_MAX, LONG_SENTENCES_FAR = 0.25, 0.30
PASSIVE_MAX = 0.10
TRANSITIONS_MIN = 0.30
TRANSITIONS_FROM_WORDS = 200
SAME_OPENINGS = 3
FLESCH_MIN, FLESCH_FAR = 60, 50
# In a shorter text a single hard word changes the score by points.
FLESCH_FROM_WORDS = 100
_BLOCKS = frozenset({Kind.PROSE, Kind.ITEM})
_SHOWN_CHARS = 60
_MOST_SHOWN = 3


@check(
    "paragraph_length",
    ScorePart.MECHANICS,
    Scope.PASSAGE,
    WARNING,
    "Split it into shorter ones.",
    in_files=FilePart.PROSE,
    fixable=True,
)
def check_paragraph_length(passage: Passage, language: str) -> Iterator[Finding]:
    """Paragraphs and list items that are too long to read."""
    for start, paragraph in paragraphs(passage.text) if passage.kind in _BLOCKS else ():
        if (count := word_count(paragraph)) > PARAGRAPH_MAX_WORDS:
            begin = " ".join(paragraph.split()[:6])
            problem = (
                f"The paragraph “{begin} …” has {count} words; {PARAGRAPH_MAX_WORDS} are enough."
            )
            span = (start, start + len(paragraph))
            yield check_paragraph_length.found(passage.section, problem, span)


@check(
    "subheading_distance",
    ScorePart.STRUCTURE,
    Scope.SECTION,
    WARNING,
    "Put a heading before a part of them.",
    in_files=FilePart.SECTIONS,
)
def check_subheading_distance(section: Sequence[Passage], language: str) -> Iterator[Finding]:
    """Sections that are too long for a single heading."""
    for is_heading, group in groupby(section, key=lambda passage: passage.kind is Kind.HEADING):
        below = [passage for passage in group if passage.kind in _BLOCKS]
        count = 0 if is_heading else sum(word_count(passage.text) for passage in below)
        if count > SUBHEADING_MAX_WORDS:
            most = SUBHEADING_MAX_WORDS
            problem = f"{count} words stand below one heading; {most} are enough."
            yield check_subheading_distance.found(below[0].section, problem)


class _Located(NamedTuple):
    """A sentence and its passage."""

    passage: Passage
    sentence: Sentence


_ITEM = re.compile(r"\s*(?:\||[•·▪◦‣–—*+-]\s|\(?\d{1,3}[.)]\s|[a-z]\)\s)")
_ROW = re.compile(r"[^|\n]{0,300}\|[^|\n]{0,300}\|")


def _prose(everything: Sequence[Passage], language: str) -> list[_Located]:
    return [
        _Located(passage, sentence)
        for passage in everything
        if passage.kind in {Kind.PROSE, Kind.ANSWER}
        for sentence in sentences(passage.text, language)
        if not _is_fragment(sentence.text)
    ]


def _is_fragment(text: str) -> bool:
    """Whether a text is a row of a table or an item of a list."""
    return bool(_ITEM.match(text) or ("|" in text and _ROW.match(text)))


def _total_words(located: Sequence[_Located]) -> int:
    return sum(word_count(sentence.text) for _, sentence in located)


def _share(
    broken: DeskCheck[[Sequence[Passage], str]],
    offending: Sequence[_Located],
    total: int,
    most: float,
    problem: str,
) -> Iterator[Finding]:
    """Yield a finding if the offending sentences are more than ``most``, 0 to 1, of the total."""
    share = len(offending) / (total or 1)
    if share > most:
        [(worst, _)] = Counter(passage.section for passage, _ in offending).most_common(1)
        first = next(sentence for passage, sentence in offending if passage.section == worst)
        problem = f"{share:.0%} of the sentences {problem}, such as {_quoted(first)}."
        yield broken.found(worst, problem, first.span)


def _quoted(sentence: Sentence) -> str:
    shown = " ".join(sentence.text.split()).rstrip(".")
    return f"“{shown if len(shown) <= _SHOWN_CHARS else f'{shown[:_SHOWN_CHARS]} …'}”"


@check(
    "sentence_length", ScorePart.MECHANICS, Scope.DOCUMENT, WARNING,
    "Split those that can be split.",
    languages=with_section(Sentences), in_files=FilePart.PARAGRAPHS, fixable=True,
)  # fmt: skip
def check_sentence_length(everything: Sequence[Passage], language: str) -> Iterator[Finding]:
    """Texts with more than a quarter of long sentences."""
    if rules := get_section(language, Sentences):
        located = _prose(everything, language)
        counted = [(word_count(each.sentence.text), each) for each in located]
        long = sorted(
            (each for each in counted if each[0] > rules.long_words), key=lambda each: -each[0]
        )
        too_many = len(long) - LONG_SENTENCES_MAX * len(located)
        if too_many > 0:
            # One that is split in two leaves one long sentence less and one sentence more.
            enough = ceil(too_many / (1 + LONG_SENTENCES_MAX))
            shown = (f"{_quoted(each.sentence)} ({count})" for count, each in long[:_MOST_SHOWN])
            share = len(long) / len(located)
            problem = (
                f"{share:.0%} of the sentences have more than"
                f" {rules.long_words} words; splitting {enough} is enough. The longest:"
                f" {', '.join(shown)}."
            )
            passage, sentence = long[0][1]
            found = check_sentence_length.found(passage.section, problem, sentence.span)
            yield replace(found, fixable=share > LONG_SENTENCES_FAR)


@check(
    "passive_voice", ScorePart.MECHANICS, Scope.DOCUMENT, WARNING,
    "Say who does it: “we tested it”, not “it was tested”.",
    languages=with_section(Passive), in_files=FilePart.PARAGRAPHS,
)  # fmt: skip
def check_passive_voice(everything: Sequence[Passage], language: str) -> Iterator[Finding]:
    """Texts with more than a tenth of sentences in the passive voice."""
    if rules := get_section(language, Passive):
        located = _prose(everything, language)
        passive = [each for each in located if rules.within(each.sentence.text)]
        problem = "are in the passive voice"
        yield from _share(check_passive_voice, passive, len(located), PASSIVE_MAX, problem)


@check(
    "transition_words", ScorePart.MECHANICS, Scope.DOCUMENT, WARNING,
    "Link more of them with words such as “however”, “because” or “then”.",
    languages=with_section(Transitions), in_files=FilePart.PARAGRAPHS,
)  # fmt: skip
def check_transition_words(everything: Sequence[Passage], language: str) -> Iterator[Finding]:
    """Longer texts with a transition word in fewer than 30 % of the sentences."""
    located, rules = _prose(everything, language), get_section(language, Transitions)
    if rules and _total_words(located) >= TRANSITIONS_FROM_WORDS:
        bare = [each for each in located if not rules.within(each.sentence.text)]
        problem, most = "have no linking word", 1 - TRANSITIONS_MIN
        yield from _share(check_transition_words, bare, len(located), most, problem)


@check(
    "same_openings", ScorePart.MECHANICS, Scope.DOCUMENT, WARNING, "Begin one of them differently.",
    languages=with_section(Sentences), in_files=FilePart.PARAGRAPHS, fixable=True,
)  # fmt: skip
def check_same_openings(everything: Sequence[Passage], language: str) -> Iterator[Finding]:
    """Three sentences in a row, below one heading, that begin with the same word."""
    rules = get_section(language, Sentences)
    if rules is None:
        return
    run: list[_Located] = []
    before: tuple[str, ...] = ()
    for entry in _prose(everything, language):
        found = words(entry.sentence.text)
        # An article says little: then the second word counts as well.
        opening = found[: 2 if found and found[0] in rules.articles else 1]
        goes_on = run and _go_together(run[-1], entry) and opening and opening == before
        run, before = [*run, entry] if goes_on else [entry], opening
        if len(run) == SAME_OPENINGS:
            problem = f"{SAME_OPENINGS} sentences in a row begin with “{' '.join(opening)}”."
            own = next(each for each in run if each.passage is entry.passage)
            span = (own.sentence.span[0], entry.sentence.span[1])
            yield check_same_openings.found(entry.passage.section, problem, span)


def _go_together(one: _Located, two: _Located) -> bool:
    first, second = one.passage, two.passage
    return first is second or (first.part, first.heading) == (second.part, second.heading)


@check(
    "flesch", ScorePart.MECHANICS, Scope.DOCUMENT, WARNING,
    "Use shorter sentences and shorter words.",
    languages=with_section(Flesch), in_files=FilePart.PARAGRAPHS, fixable=True,
)  # fmt: skip
def check_flesch(everything: Sequence[Passage], language: str) -> Iterator[Finding]:
    """Longer texts that are hard to read, by the Flesch formula of their language."""
    located, formula = _prose(everything, language), get_section(language, Flesch)
    if not formula or _total_words(located) < FLESCH_FROM_WORDS:
        return
    ease = flesch([sentence.text for _, sentence in located], formula)
    if ease < FLESCH_MIN:
        passage, hardest = max(
            located, key=lambda each: _sentence_syllables(each.sentence.text, formula)
        )
        problem = (
            f"The text is hard to read: its Flesch score is {ease:.0f}, and {FLESCH_MIN} is easy."
        )
        found = check_flesch.found(passage.section, problem, hardest.span)
        yield replace(found, fixable=ease < FLESCH_FAR)


@cache
def _dictionary(name: str) -> pyphen.Pyphen:
    read = pyphen.Pyphen(lang=name)
    # 66,000 German patterns have 2,500 values: shared, the dictionary takes 8 MB less.
    values: dict[Any, Any] = {}
    for pattern, value in read.hd.patterns.items():
        read.hd.patterns[pattern] = values.setdefault(value, value)
    return read


@lru_cache(maxsize=WORDS_KEPT)
def syllables(word: str, hyphenation: str) -> int:
    """Return the number of syllables, counted by hyphenation points: a few percent too few.

    Against a pronouncing dictionary, pyphen is right for 93 % of the words of running English text,
    and it supports all of our languages. The package `syllables` (English only) reaches 87 %.
    """
    dictionary = _dictionary(hyphenation)
    count = len(dictionary.positions(word)) + 1
    # It would keep every word that it has ever seen.
    dictionary.hd.cache.clear()
    return count


def _sentence_syllables(text: str, formula: Flesch) -> int:
    return sum(map(syllables, words(text), repeat(formula.hyphenation)))


def flesch(texts: Sequence[str], formula: Flesch) -> float:
    """Return the reading ease of sentences by the formula of their language, 0 to 100."""
    count = sum(len(words(text)) for text in texts) or 1
    spoken = sum(_sentence_syllables(text, formula) for text in texts)
    ease = formula.base - formula.per_word * count / len(texts)
    ease -= formula.per_syllable * spoken / count
    return max(0.0, min(100.0, ease))
