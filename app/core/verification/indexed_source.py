"""One source of a post, indexed to look claims up."""

import re
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence, Set
from datetime import date
from functools import cached_property
from itertools import chain

from app.core.facts.fact import Fact
from app.core.facts.scanner import next_token, vocabulary
from app.core.sources.source import Source
from app.core.text import primary_subtag
from app.core.verification.annotate import AnnotatedSentence, AnnotatedText, annotate
from app.core.verification.quotations import (
    ELLIPSIS,
    find_words,
    quoted_words,
    shared_in_order,
)
from app.core.verification.value_index import ValueIndex

# A stem in more than this share of a source's sentences does not tell them apart.
_UBIQUITOUS = 0.6
_MIN_SENTENCES = 5
# As `tokenize` finds them.
_WORD = re.compile(r"[^\W\d_]+")


class IndexedSource:
    """A source with its annotated sentences.

    Args:
        language: that of the source, if the source does not say.
    """

    def __init__(self, source: Source, language: str) -> None:
        self.source = source
        self.anchor: date | None = source.published_at.date() if source.published_at else None
        self.vocabulary = vocabulary(primary_subtag(source.language or language))
        self.text: AnnotatedText = annotate(self._whole, self.vocabulary.language, self.anchor)
        self.sentences = self.text.sentences

    def annotated(self, text: str) -> Sequence[AnnotatedSentence]:
        """Return the sentences of a text that is quoted from it, such as the cells of a row."""
        return annotate(text, self.vocabulary.language, self.anchor, self.text.known).sentences

    @cached_property
    def _words(self) -> list[str]:
        return [word for word in quoted_words(self.source.text) if word != ELLIPSIS]

    @cached_property
    def _said(self) -> frozenset[str]:
        return frozenset(self._words)

    @cached_property
    def _by_word(self) -> Mapping[str, Sequence[int]]:
        """The sentences that have each word of quotations."""
        found: dict[str, list[int]] = defaultdict(list)
        for index, sentence in enumerate(self.sentences):
            for word in set(sentence.words):
                found[word].append(index)
        return found

    @cached_property
    def values(self) -> Mapping[int, tuple[Fact, ...]]:
        """The values of each sentence that has any, by the index of the sentence."""
        values = (tuple(f for f in each.facts if f.is_value) for each in self.sentences)
        return {index: facts for index, facts in enumerate(values) if facts}

    @cached_property
    def by_value(self) -> ValueIndex:
        """The sentences by their values."""
        return ValueIndex(self.values)

    @cached_property
    def by_comparison(self) -> Mapping[str | bool, frozenset[int]]:
        """The sentences with values that are comparable with each other, by `Fact.compared_by`."""
        found: dict[str | bool, set[int]] = defaultdict(set)
        for index, facts in self.values.items():
            for fact in facts:
                found[fact.compared_by].add(index)
        return {key: frozenset(indices) for key, indices in found.items()}

    @cached_property
    def _sharing(self) -> Mapping[object, Sequence[int]]:
        """The sentences with values that have each stem and each value."""
        found: dict[object, list[int]] = defaultdict(list)
        for index in self.values:
            for key in (*self.sentences[index].stems, *self.sentences[index].values):
                found[key].append(index)
        return found

    def shared(self, keys: Set[object]) -> Counter[int]:
        """Return how many of some stems and values each sentence with values has."""
        places = self._sharing
        return Counter(chain.from_iterable(places[key] for key in keys & places.keys()))

    def around(self, index: int) -> frozenset[str]:
        """Return the stems of the sentences before and behind one."""
        beside = self.sentences[max(index - 1, 0) : index + 2]
        return frozenset[str]().union(*(s.stems for s in beside if s is not self.sentences[index]))

    @cached_property
    def ubiquitous(self) -> frozenset[str]:
        """Stems that do not tell one sentence from another."""
        if len(self.sentences) < _MIN_SENTENCES:
            return frozenset()
        counts = Counter(each for sentence in self.sentences for each in sentence.stems)
        return frozenset(s for s, n in counts.items() if n > _UBIQUITOUS * len(self.sentences))

    @cached_property
    def _whole(self) -> str:
        return f"{self.source.title}\n{self.source.text}"

    @cached_property
    def words(self) -> frozenset[str]:
        """The words of its title and text, in lower case."""
        found = frozenset(_WORD.findall(self._whole))
        return frozenset(word.lower() for word in found if word[0].isalpha())

    @cached_property
    def _after_capitals(self) -> Mapping[str, Set[str]]:
        """The tokens that follow words with a capital, by these words in lower case."""
        found: dict[str, set[str]] = defaultdict(set)
        for match in _WORD.finditer(self._whole):
            word = match[0]
            if word[0].isupper() and word[0].isalpha():
                found[word.lower()].add(next_token(self._whole, match.end()))
        return found

    def sentences_with_words(self, words: Sequence[str]) -> list[int]:
        """Return the indices of the sentences with the first words of a quotation."""
        first = [word for word in words if word != ELLIPSIS][:4]
        return [
            index
            for index in self._by_word.get(first[0], ())
            if find_words(self.sentences[index].words, first) is not None
        ]

    def has_words(self, words: Sequence[str]) -> bool:
        """Return whether the source contains a quotation."""
        said = {word for word in words if word != ELLIPSIS}
        return said <= self._said and find_words(self._words, words) is not None

    @property
    def denials(self) -> frozenset[str]:
        """Words that deny a quotation."""
        return self.vocabulary.words.negations | {"t"}  # didn't

    def denial_before(self, words: Sequence[str]) -> str:
        """Return the negation that precedes every occurrence of the quotation, or ""."""
        found, begin = "", 0
        while place := find_words(self._words, words, begin):
            found = self._words[place[0] - 1] if place[0] else ""
            if found not in self.denials:
                return ""
            begin = place[0] + 1
        return found

    def nearest_words(self, words: Sequence[str]) -> AnnotatedSentence | None:
        """Return the sentence that shares most words of a quotation, at least six in ten of them in
        their order: a sentence with many of the same words may say something else."""
        wanted = {word for word in words if word != ELLIPSIS}
        counts = Counter(chain.from_iterable(self._by_word.get(word, ()) for word in wanted))
        index, _ = max(counts.items(), key=lambda pair: (pair[1], -pair[0]), default=(0, 0))
        if counts[index] < max(3, 0.6 * len(wanted)):
            return None
        near = self.sentences[index]
        return near if shared_in_order(words, near.words) >= 0.6 * len(words) else None

    def number_name(self, before: str, number: str) -> bool:
        """Return whether the source has a number right after a word with a capital: Web 2.0."""
        return number in self._after_capitals.get(before, ())
