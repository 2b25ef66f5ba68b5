"""The notes of a post, and what their words tell: which are alike, which need the one before them,
and which say what the request asks."""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import chain
from math import log, sqrt

from app.core.languages import Composing, Passive, Sentences, get_language, get_section
from app.core.planning.brief import Brief
from app.core.text import find_phrase, stems, word_count, words
from app.core.verification import Extract

_WORD = re.compile(r"\w+")
# What a word of the primary keyword weighs: nearly every sentence has it.
_KEYWORD = 0.25
# A sentence begins with its first words.
_BEGIN = 3
# The share of a group that is of one kind.
OF_A_KIND = 0.6
# The least length of a part of a compound.
_PART_CHARS = 5


class Notes:
    """The notes of a post in the order of their pages.

    Attributes:
        stems: those of each note, function words aside; ``counts``: in how many notes each is.
        at: the place of each note.
        primary, topic, wanted: the stems of the primary keyword, the topic and all keywords.
    """

    def __init__(self, notes: Sequence[Extract], brief: Brief) -> None:
        self.all, self._brief, self.language = tuple(notes), brief, brief.language
        self.rules = get_section(brief.language, Composing)
        spoken = get_language(brief.language)
        self.small = stems(" ".join(spoken.function_words) if spoken else "", self.language)
        self.stems = {note: stems(note.text, self.language) - self.small for note in notes}
        if spoken and spoken.capitalises_nouns:
            self.stems = _with_parts(self.stems)
        self.counts = Counter(chain.from_iterable(self.stems.values()))
        self.at = {note: number for number, note in enumerate(self.all)}
        self.primary = stems(brief.primary_keyword, self.language)
        self.topic = stems(brief.topic or "", self.language) - self.small
        self.wanted = stems(" ".join(brief.keywords), self.language) - self.small

    def is_chained(self, one: Extract, other: Extract) -> bool:
        """Whether a sentence begins with what the one before it speaks of."""
        begin = words(other.text)[:_BEGIN]
        subject = stems(" ".join(begin), self.language) - self.small - self.primary
        return bool(subject & self.stems[one])

    def fit(self, one: Sequence[Extract], other: Sequence[Extract]) -> float:
        """Return the mean likeness of the sentences of two groups."""
        total = sum(self.likeness(first, second) for first in one for second in other)
        return total / (len(one) * len(other))

    def likeness(self, one: Extract, other: Extract) -> float:
        """Return the share of the weight of two sentences' words that both have."""
        first, second = self.stems[one], self.stems[other]
        both = self.weight(first & second)
        return both / sqrt(self.weights[one] * self.weights[other]) if both else 0.0

    @cached_property
    def weights(self) -> dict[Extract, float]:
        return {note: self.weight(found) for note, found in self.stems.items()}

    def weight(self, found: Iterable[str]) -> float:
        count = len(self.all)
        return sum(
            log(1 + count / self.counts[each]) * (_KEYWORD if each in self.primary else 1)
            for each in sorted(found)
            if self.counts[each]
        )

    def refers(self, note: Extract) -> bool:
        """Whether a sentence needs the one before it."""
        return bool(self.rules and self.rules.referring.search(note.text))

    def relevance(self, note: Extract) -> float:
        """Return the share of the request's words that a sentence has, by their weight: those of
        the topic count for twice those of the keywords."""
        shares = [
            self.rarity(wanted & self.stems[note]) / whole
            for wanted in (self.topic, self.topic, self.wanted)
            if (whole := self.rarity(wanted))
        ]
        return sum(shares) / len(shares) if shares else 0.0

    def is_hard(self, note: Extract) -> bool:
        """Whether a sentence is long or in the passive voice, by the rules of the checks."""
        length, voice = get_section(self.language, Sentences), get_section(self.language, Passive)
        is_long = length is not None and word_count(note.text) > length.long_words
        return is_long or (voice is not None and voice.within(note.text))

    def rarity(self, found: Iterable[str]) -> float:
        count = len(self.all)
        return sum(log(1 + count / (1 + self.counts[each])) for each in sorted(found))

    def kind(self, group: Sequence[Extract]) -> str:
        """Return “cautions” or “help” if most sentences of a group are that; else ""."""
        if self.rules:
            for kind in ("help", "cautions"):
                pattern = getattr(self.rules, kind)
                count = sum(bool(pattern.search(note.text)) for note in group)
                if count >= OF_A_KIND * len(group):
                    return kind
        return ""

    def answers(self, note: Extract) -> bool:
        return bool(self.rules and self.rules.answers.search(note.text))

    def all_of(self, keyword: str) -> frozenset[str]:
        """Return the stems of a keyword, function words aside."""
        return stems(keyword, self.language) - self.small

    def uses(self, text: str, phrase: str) -> bool:
        return bool(find_phrase(text, phrase, self.language, exact=self._brief.exact_keywords))


def impersonal(notes: Sequence[Extract], language: str) -> list[Extract]:
    """Return the notes in which no page speaks of those who wrote it: in a post, “call us” would be
    about somebody else. Without one step or row, all of them are left out."""
    rules = get_section(language, Composing)
    if rules is None:
        return list(notes)

    def is_personal(note: Extract) -> bool:
        # “US” is a country.
        found = _WORD.findall(note.text)
        return any(word.lower() in rules.first_person and word != "US" for word in found)

    def place(note: Extract) -> tuple[int, str, str]:
        return note.source_index, note.heading, note.marker

    personal = {note for note in notes if is_personal(note)}
    torn = {place(note) for note in personal if note.marker in {"1", "|"}}
    left: list[Extract] = []
    begins: tuple[int, int] | None = None
    for note in notes:
        line = note.source_index, note.line
        if note in personal or place(note) in torn:
            begins = line if note.opens else begins
            continue
        # What stands behind “Our hotline is open” begins the line if it does not refer to that.
        is_begin = begins == line and not rules.referring.search(note.text)
        left.append(replace(note, opens=True) if is_begin else note)
        begins = None
    return left


def _with_parts(found: dict[Extract, frozenset[str]]) -> dict[Extract, frozenset[str]]:
    """Return the stems of notes with those that begin or end one of them, as parts of compounds."""
    known = [each for each in frozenset[str]().union(*found.values()) if len(each) >= _PART_CHARS]
    parts = {
        each: {part for part in known if each.startswith(part) or each.endswith(part)}
        for each in frozenset[str]().union(*found.values())
    }
    return {note: own.union(*(parts[each] for each in own)) for note, own in found.items()}
