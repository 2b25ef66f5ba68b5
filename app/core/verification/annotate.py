"""A text, annotated once: its sentences, and the facts and content stems of each."""

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date
from functools import cached_property, lru_cache
from itertools import pairwise, takewhile

from app.core.facts.fact import Fact, FactKind
from app.core.facts.read import values
from app.core.facts.scanner import Scanner, Token, Vocabulary, tokenize, vocabulary
from app.core.text import WORDS_KEPT, Span, primary_subtag, sentences, stem
from app.core.verification.quotations import quotations, quoted_words

_CLAUSE_SIGNS = frozenset(",;:()–—")
_MIN_STEM = 4
_APOSTROPHES = {"'", "’"}
# How many words before a value a negation reaches over.
_NEGATION_REACH = 4
# Split longer sentences; they are not prose.
_MAX_SENTENCE_CHARS = 1500
# A clause is read up to this many words on each side of a value.
_CLAUSE_REACH = 40


@dataclass(frozen=True)
class AnnotatedSentence:
    """Spans of its facts are in the whole text. ``clauses`` has the stems of the clause of each of
    ``facts``, ``proper`` the stems of capitalised words and years, ``values`` the keys of all
    numbers, dates and times.
    """

    text: str
    span: Span
    stems: frozenset[str]
    facts: tuple[Fact, ...]
    clauses: tuple[frozenset[str], ...]
    proper: frozenset[str]
    values: frozenset[tuple[str, float, float]]

    @cached_property
    def words(self) -> tuple[str, ...]:
        """The words that quotations are compared by."""
        return quoted_words(self.text)


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
            tokens = tokenize(part, spaced_groups=language != "en")
            pieces.append((part, tokens, sentence.span[0] + cut))
            for index, token in enumerate(tokens):
                if token.is_word and token.text == token.low:
                    small.add(token.low)
                elif token.is_capitalised and index and tokens[index - 1].is_word:
                    capital.add(token.low)
    return pieces, frozenset(small), frozenset(capital)


def _annotated(scanner: Scanner, known: frozenset[str]) -> AnnotatedSentence:
    """``known`` are those of the text."""
    tokens, words, start = scanner.tokens, scanner.vocabulary, scanner.start
    facts = [*quotations(scanner.text, start), *values(scanner)]
    facts.sort(key=lambda fact: fact.span)
    marks = [(token, _content_stem(token.text, words.language)) for token in tokens]
    starts = [token.start for token in tokens]
    spans = [(fact.span[0] - start, fact.span[1] - start) for fact in facts]
    clauses = [_clause(marks, starts, span, words) for span in spans]
    dated = _inside(
        starts, [s for fact, s in zip(facts, spans, strict=True) if fact.kind is FactKind.DATE]
    )
    for place, (clause, span) in enumerate(zip(clauses, spans, strict=True)):
        direction, negated = _direction(clause, span, words), _is_negated(clause, span, words)
        if direction or negated:
            facts[place] = replace(facts[place], direction=direction, negated=negated)
    proper = (
        stem
        for index, (token, stem) in enumerate(marks)
        if token.is_digits or _is_proper(token, index, dated, known)
    )
    return AnnotatedSentence(
        text=scanner.text,
        span=(start, start + len(scanner.text)),
        stems=frozenset(stem for _, stem in marks if stem),
        facts=tuple(facts),
        clauses=tuple(frozenset(stem for _, stem in clause if stem) for clause in clauses),
        proper=frozenset(filter(None, proper)),
        values=frozenset(fact.value for fact in facts if fact.is_value and any(fact.value[1:])),
    )


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


def _clause(
    marks: Sequence[tuple[Token, str]], starts: Sequence[int], span: Span, words: Vocabulary
) -> list[tuple[Token, str]]:
    """The words around a span up to the ends of its clause; ``starts`` are those of the tokens."""

    def goes_on(mark: tuple[Token, str]) -> bool:
        word = mark[0].low
        return word not in _CLAUSE_SIGNS and word not in words.words.clause_ends

    first, last = bisect_left(starts, span[0]), bisect_left(starts, span[1])
    before = takewhile(goes_on, reversed(marks[max(first - _CLAUSE_REACH, 0) : first]))
    after = takewhile(goes_on, marks[last : last + _CLAUSE_REACH])
    return [*reversed(list(before)), *after]


def _direction(clause: list[tuple[Token, str]], span: Span, words: Vocabulary) -> int:
    """1 if a clause speaks of a rise, -1 of a fall, 0 of neither or of both."""
    changes = words.words.changes
    inside = [token.low for token, _ in clause]
    moves = {_moves(word, words.language) for word in inside}
    pairs = set(map(" ".join, pairwise(inside)))
    after = next((token.low for token, _ in clause if token.start >= span[1]), "")
    rises = after in changes.more or 1 in moves or not changes.rise_phrases.isdisjoint(pairs)
    falls = after in changes.less or -1 in moves or not changes.fall_phrases.isdisjoint(pairs)
    return rises - falls


@lru_cache(maxsize=WORDS_KEPT)
def _moves(word: str, language: str) -> int:
    """1 if a word is one for a rise, -1 for one for a fall, else 0."""
    changes = vocabulary(language).words.changes
    return word.startswith(changes.rise) - word.startswith(changes.fall)


def _is_negated(clause: list[tuple[Token, str]], span: Span, words: Vocabulary) -> bool:
    """Whether one of the words just before a value denies it: "not", but not "not only"."""
    before = [token.low for token, _ in clause if token.end <= span[0]]
    # The "t" of "didn't"; without its apostrophe it is a tonne.
    inside = [
        "not" if low == "t" and last in _APOSTROPHES else low
        for last, low in pairwise(["", *before])
        if low[0].isalpha() or low == "."
    ][-_NEGATION_REACH:]
    denials = words.words.negations
    at = next((index for index, word in enumerate(inside) if word in denials), None)
    # A full stop within a sentence ends the denial.
    ending = words.words.not_negating | {"."}
    return at is not None and ending.isdisjoint(inside[at + 1 :])
