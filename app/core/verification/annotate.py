"""A text, annotated once: its sentences, and the facts and content stems of each."""

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from functools import cache, cached_property, lru_cache
from itertools import pairwise, repeat
from typing import NamedTuple

from app.core.facts.fact import Fact, FactKind
from app.core.facts.read import values
from app.core.facts.scanner import Scanner, Token, Vocabulary, tokenize, vocabulary
from app.core.text import WORDS_KEPT, Span, primary_subtag, sentences, stem
from app.core.verification.ellipsis import with_units
from app.core.verification.quotations import quotations, quoted_words

_CLAUSE_SIGNS = frozenset(",;:()–—")
_MIN_STEM = 4
_APOSTROPHES = {"'", "’"}
# How many words before a value a negation reaches over; and what ends it within a sentence or row.
_NEGATION_REACH = 4
_STOPS = frozenset(".|")
# Split longer sentences; they are not prose.
_MAX_SENTENCE_CHARS = 1500
# A clause is read up to this many words on each side of a value.
_CLAUSE_REACH = 40


class Clause(NamedTuple):
    """The clause of a fact: its stems, 1 if it speaks of a rise and -1 of a fall, else 0, and
    whether the words before the fact deny it."""

    stems: frozenset[str]
    direction: int
    negated: bool


@dataclass(frozen=True)
class AnnotatedSentence:
    """Spans of its facts are in the whole text. ``values`` has the keys of all numbers, dates and
    times, ``known`` is that of the text.
    """

    text: str
    span: Span
    language: str
    stems: frozenset[str]
    facts: tuple[Fact, ...]
    values: frozenset[tuple[str, float, float]]
    known: frozenset[str]

    # Most sentences of a source are never asked for these.

    @cached_property
    def words(self) -> tuple[str, ...]:
        """The words that quotations are compared by."""
        return quoted_words(self.text)

    @cached_property
    def clauses(self) -> tuple[Clause, ...]:
        """The clause of each of ``facts``."""
        return tuple(_clauses(self)) if self.facts else ()

    @cached_property
    def proper(self) -> frozenset[str]:
        """The stems of capitalised words and years."""
        return frozenset(_proper(self))

    def tokens(self) -> tuple[Token, ...]:
        return _tokens(self.text, self.language)

    def span_inside(self, fact: Fact) -> Span:
        """Return the span of a fact within the sentence."""
        return fact.span[0] - self.span[0], fact.span[1] - self.span[0]


@dataclass(frozen=True)
class AnnotatedText:
    """``ordinary`` are the words that the text writes in lower case, ``known`` those that it writes
    with a capital inside a sentence."""

    sentences: tuple[AnnotatedSentence, ...]
    ordinary: frozenset[str]
    known: frozenset[str]


@lru_cache(maxsize=256)
def annotate(
    text: str,
    language: str,
    anchor: date | None,
    known: frozenset[str] = frozenset(),
) -> AnnotatedText:
    """Return the sentences of a text with their facts.

    Args:
        anchor: the day from which "yesterday" counts, None if it is not known.
        known: words that other texts write with a capital.
    """
    words = vocabulary(primary_subtag(language))
    pieces, ordinary, capitals = _read(text, words.language)
    known |= capitals
    scanners = (Scanner(part, tokens, words, anchor, start) for part, tokens, start in pieces)
    return AnnotatedText(tuple(_annotated(each, known) for each in scanners), ordinary, known)


@lru_cache(maxsize=256)
def capitalised_words(text: str, language: str) -> frozenset[str]:
    """Return the words that a text writes with a capital inside a sentence."""
    return _read(text, primary_subtag(language))[2]


# Its result is large: pages are kept without their tokens.
def _read(
    text: str, language: str
) -> tuple[list[tuple[str, tuple[Token, ...], int]], frozenset[str], frozenset[str]]:
    """The sentences of a text with their tokens and places, and its ``ordinary`` and ``known``
    words."""
    pieces, small, capital = [], set[str](), set[str]()
    for sentence in sentences(text, language):
        for cut in range(0, len(sentence.text), _MAX_SENTENCE_CHARS):
            part = sentence.text[cut : cut + _MAX_SENTENCE_CHARS]
            tokens = _tokens(part, language)
            pieces.append((part, tokens, sentence.span[0] + cut))
            follows_word = False
            for token in tokens:
                if token.is_word and token.text == token.low:
                    small.add(token.low)
                elif token.is_capitalised and follows_word:
                    capital.add(token.low)
                follows_word = token.is_word
    return pieces, frozenset(small), frozenset(capital)


def _annotated(scanner: Scanner, known: frozenset[str]) -> AnnotatedSentence:
    """``known`` are those of the text."""
    language, start = scanner.vocabulary.language, scanner.start
    facts = [*quotations(scanner.text, start), *values(scanner)]
    if len(facts) > 1:
        facts.sort(key=lambda fact: fact.span)
        facts = with_units(facts, scanner.tokens, start, language)
    stems = set(map(_content_stem, [token.text for token in scanner.tokens], repeat(language)))
    said = [fact.value for fact in facts if fact.is_value]
    return AnnotatedSentence(
        text=scanner.text,
        span=(start, start + len(scanner.text)),
        language=language,
        stems=frozenset(stems - {""}),
        facts=tuple(facts),
        values=frozenset([value for value in said if any(value[1:])]),
        known=known,
    )


def _tokens(text: str, language: str) -> tuple[Token, ...]:
    # Without an argument that is not needed, so that all share the cached tokens.
    return tokenize(text) if language == "en" else tokenize(text, spaced_groups=True)


def _proper(sentence: AnnotatedSentence) -> Iterator[str]:
    tokens = sentence.tokens()
    dates = [sentence.span_inside(f) for f in sentence.facts if f.kind is FactKind.DATE]
    dated = _inside([token.start for token in tokens], dates)
    for index, token in enumerate(tokens):
        if token.is_digits or _is_proper(token, index, dated, sentence.known):
            stem = _content_stem(token.text, sentence.language)
            if stem:
                yield stem


def _is_proper(token: Token, index: int, dated: frozenset[int], known: frozenset[str]) -> bool:
    """Whether a capital is more than that of a sentence's first word or of a month."""
    return token.is_capitalised and token.start not in dated and (index > 0 or token.low in known)


def _inside(starts: Sequence[int], spans: Sequence[Span]) -> frozenset[int]:
    """The starts of tokens that are in one of these spans."""
    return frozenset(
        start
        for low, high in spans
        for start in starts[bisect_left(starts, low) : bisect_left(starts, high)]
    )


@lru_cache(maxsize=WORDS_KEPT)
def _content_stem(text: str, language: str) -> str:
    """The stem of a word that tells a subject; "" for all others."""
    if text[0].isdecimal() and len(text) == 4 and text[:2] in {"18", "19", "20"}:
        return text  # a year tells what a sentence is about
    if not text[0].isalpha():
        return ""
    low = text.lower()
    if len(low) < _MIN_STEM:
        return low if text.isupper() and len(low) > 1 else ""
    return "" if low in vocabulary(language).function_words else stem(low, language)


def _clauses(sentence: AnnotatedSentence) -> Iterator[Clause]:
    language, words = sentence.language, vocabulary(sentence.language)
    texts, lows, starts, *_ = zip(*sentence.tokens(), strict=True)
    stems = list(map(_content_stem, texts, repeat(language)))
    signs = _clause_ends(language)
    ends = [at for at, low in enumerate(lows) if low in signs]
    moves = any(map(_moves, lows, repeat(language)))
    changes = moves or not _words_of_change(language).isdisjoint(lows)
    denies = "t" in lows or not words.words.negations.isdisjoint(lows)
    for fact in sentence.facts:
        (begin, first), (last, end) = _around(starts, ends, sentence.span_inside(fact))
        around = {*stems[begin:first], *stems[last:end]}
        around.discard("")
        before, following = lows[begin:first], lows[last:end]
        yield Clause(
            frozenset(around),
            _direction(before + following, following, words) if changes else 0,
            denies and _is_negated(before, words),
        )


def _around(starts: Sequence[int], ends: Sequence[int], span: Span) -> tuple[Span, Span]:
    """The tokens before and after a span up to the ends of its clause, by their indices;
    ``starts`` are the places of the tokens, ``ends`` the indices of those that end a clause."""
    first, last = bisect_left(starts, span[0]), bisect_left(starts, span[1])
    ended, ending = bisect_left(ends, first), bisect_left(ends, last)
    begin = max(first - _CLAUSE_REACH, ends[ended - 1] + 1 if ended else 0)
    end = min(last + _CLAUSE_REACH, ends[ending] if ending < len(ends) else len(starts))
    return (begin, first), (last, end)


@cache
def _clause_ends(language: str) -> frozenset[str]:
    return _CLAUSE_SIGNS | vocabulary(language).words.clause_ends


def _direction(clause: Sequence[str], following: Sequence[str], words: Vocabulary) -> int:
    """1 if a clause speaks of a rise, -1 of a fall, 0 of neither or of both. ``following`` are its
    words after the value."""
    changes = words.words.changes
    moves = set(map(_moves, clause, repeat(words.language)))
    if _words_of_change(words.language).isdisjoint(clause):
        return (1 in moves) - (-1 in moves)
    pairs = set(map(" ".join, pairwise(clause)))
    after = following[0] if following else ""
    rises = after in changes.more or 1 in moves or not changes.rise_phrases.isdisjoint(pairs)
    falls = after in changes.less or -1 in moves or not changes.fall_phrases.isdisjoint(pairs)
    return rises - falls


@cache
def _words_of_change(language: str) -> frozenset[str]:
    """The words without which a clause speaks of a change only by those of `_moves`."""
    changes = vocabulary(language).words.changes
    phrases = changes.rise_phrases | changes.fall_phrases
    return changes.more | changes.less | {phrase.partition(" ")[0] for phrase in phrases}


@lru_cache(maxsize=WORDS_KEPT)
def _moves(word: str, language: str) -> int:
    """1 if a word is one for a rise, -1 for one for a fall, else 0."""
    changes = vocabulary(language).words.changes
    return word.startswith(changes.rise) - word.startswith(changes.fall)


def _is_negated(before: Sequence[str], words: Vocabulary) -> bool:
    """Whether one of the words just before a value denies it: "not", but not "not only"."""
    # The "t" of "didn't"; without its apostrophe it is a tonne.
    inside = [
        "not" if low == "t" and last in _APOSTROPHES else low
        for last, low in pairwise(["", *before])
        if low[0].isalpha() or low in _STOPS
    ][-_NEGATION_REACH:]
    denials = words.words.negations
    at = next((index for index, word in enumerate(inside) if word in denials), None)
    ending = words.words.not_negating | _STOPS
    return at is not None and ending.isdisjoint(inside[at + 1 :])
