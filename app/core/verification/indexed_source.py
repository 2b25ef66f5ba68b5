"""One source of a post, indexed to look claims up."""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from datetime import date
from functools import cached_property

from app.core.facts.fact import Fact, FactKind
from app.core.facts.scanner import tokenize, vocabulary
from app.core.sources.source import Source
from app.core.text import primary_subtag
from app.core.verification.annotate import AnnotatedSentence, AnnotatedText, annotate
from app.core.verification.quotations import ELLIPSIS, find_words, quoted_words

# A stem in more than this share of a source's sentences does not tell them apart.
_UBIQUITOUS = 0.6
_MIN_SENTENCES = 5


# The place of a sentence, itself, and its values.
Measured = tuple[int, AnnotatedSentence, tuple[Fact, ...]]


class IndexedSource:
    """A source with its annotated sentences.

    Args:
        language: that of the source, if the source does not say.
    """

    def __init__(self, source: Source, language: str) -> None:
        self.source = source
        self.anchor: date | None = source.published_at.date() if source.published_at else None
        self.vocabulary = vocabulary(primary_subtag(source.language or language))
        text = f"{source.title}\n{source.text}"
        self.text: AnnotatedText = annotate(text, self.vocabulary.language, self.anchor)
        self.sentences = self.text.sentences
        self._tokens = tokenize(text)

    @cached_property
    def _words(self) -> list[str]:
        return [word for word in quoted_words(self.source.text) if word != ELLIPSIS]

    @cached_property
    def _word_places(self) -> dict[str, list[int]]:
        return _places([token.low] if token.is_word else [] for token in self._tokens)

    @cached_property
    def _measured(self) -> list[tuple[frozenset[str] | None, Measured]]:
        """The sentences with values, each with the families of these; None if one is a date."""
        having = (
            (index, sentence, tuple(fact for fact in sentence.facts if fact.is_value))
            for index, sentence in enumerate(self.sentences)
        )
        return [
            (
                None
                if any(fact.kind is FactKind.DATE for fact in each[2])
                else frozenset(fact.family for fact in each[2]),
                each,
            )
            for each in having
            if each[2]
        ]

    def measured(self, families: frozenset[str] | None) -> Iterator[Measured]:
        """Yield the sentences with a date or a value of some families, or with any value if None is
        given."""
        for having, measured in self._measured:
            if families is None or having is None or not families.isdisjoint(having):
                yield measured

    @cached_property
    def around(self) -> list[frozenset[str]]:
        """The stems of the sentences before and behind each one."""
        own = [frozenset[str](), *(each.stems for each in self.sentences), frozenset[str]()]
        return [before | behind for before, behind in zip(own, own[2:], strict=False)]

    @cached_property
    def ubiquitous(self) -> frozenset[str]:
        """Stems that do not tell one sentence from another."""
        if len(self.sentences) < _MIN_SENTENCES:
            return frozenset()
        counts = Counter(each for sentence in self.sentences for each in sentence.stems)
        return frozenset(s for s, n in counts.items() if n > _UBIQUITOUS * len(self.sentences))

    @property
    def words(self) -> Collection[str]:
        """The words of its title and text, in lower case."""
        return self._word_places.keys()

    def sentences_with_words(self, words: Sequence[str]) -> list[int]:
        """Return the indices of the sentences with the first words of a quotation."""
        first = [word for word in words if word != ELLIPSIS][:4]
        return [
            index
            for index, sentence in enumerate(self.sentences)
            if find_words(sentence.words, first) is not None
        ]

    def has_words(self, words: Sequence[str]) -> bool:
        """Return whether the source contains a quotation."""
        return find_words(self._words, words) is not None

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
        """Return the sentence that shares most words of a quotation, at least six in ten."""
        wanted = {word for word in words if word != ELLIPSIS}
        scored = ((len(wanted & set(sentence.words)), sentence) for sentence in self.sentences)
        shared, sentence = max(scored, key=lambda pair: pair[0], default=(0, None))
        return sentence if shared >= max(3, 0.6 * len(wanted)) else None

    def number_name(self, before: str, number: str) -> bool:
        """Return whether the source has a number right after a word with a capital: Web 2.0."""
        return any(
            place + 1 < len(self._tokens)
            and self._tokens[place].is_capitalised
            and self._tokens[place + 1].text == number
            for place in self._word_places.get(before, ())
        )


def _places(parts: Iterable[Iterable[str]]) -> dict[str, list[int]]:
    """The places of the parts that contain each word."""
    found: dict[str, list[int]] = defaultdict(list)
    for place, words in enumerate(parts):
        for word in words:
            found[word].append(place)
    return dict(found)
