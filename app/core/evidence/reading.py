"""A text, read once: its sentences, and the facts and content stems of each."""

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date
from functools import lru_cache
from itertools import pairwise, takewhile

from app.core.evidence.dates import Dates
from app.core.evidence.fact import Fact, Kind
from app.core.evidence.names import names
from app.core.evidence.quotations import quotations, quoted_words
from app.core.evidence.tokens import Token, tokens
from app.core.evidence.words import (
    DOWN,
    LANGUAGES,
    LESS,
    MORE,
    NEGATIONS,
    NOT_NEGATING,
    SMALL,
    UP,
    word_set,
)
from app.core.text import Span, primary_subtag, sentences, stem

# A clause ends where another subject may begin.
_CLAUSE_ENDS = word_set(
    ", ; : ( ) – — and while whereas but compared versus than und während aber als et tandis mais"
    " que y mientras pero e mentre ma enquanto mas en terwijl maar dan"
)
_MIN_STEM = 4
_APOSTROPHES = {"'", "’"}
# How many words before a value a negation reaches over.
_NEGATION_REACH = 4
# Longer sentences than this are no prose, and are cut.
_MAX_SENTENCE = 1500
# No clause has more words on one side of a value.
_CLAUSE_REACH = 40


@dataclass(frozen=True)
class Line:
    """One sentence. Spans of its facts are in the whole text; ``clauses`` are their stems, a set
    for each fact in ``facts``. ``proper`` are the stems of its capitalised words and its years,
    ``values`` what its facts come to.
    """

    text: str
    span: Span
    stems: frozenset[str]
    facts: tuple[Fact, ...]
    clauses: tuple[frozenset[str], ...]
    proper: frozenset[str]
    values: frozenset[tuple[str, float, float]]
    words: tuple[str, ...]


@dataclass(frozen=True)
class Reading:
    """``ordinary`` are the words that the text writes small, ``known`` those that it writes with
    a capital inside a sentence."""

    lines: tuple[Line, ...]
    ordinary: frozenset[str]
    known: frozenset[str]


@lru_cache(maxsize=256)
def read(
    text: str,
    language: str,
    anchor: date | None,
    ordinary: frozenset[str] = frozenset(),
    known: frozenset[str] = frozenset(),
    *,
    with_names: bool = False,
) -> Reading:
    """Read a text. ``anchor`` is the day from which "yesterday" counts, None where none is known.

    ``ordinary`` and ``known`` are the words of other texts, for names at the start of sentences.
    """
    language = primary_subtag(language)
    pieces = []
    small: set[str] = set()
    capital: set[str] = set()
    for sentence in sentences(text, language):
        for cut in range(0, len(sentence.text), _MAX_SENTENCE):
            part = sentence.text[cut : cut + _MAX_SENTENCE]
            found = tokens(part, spaced_groups=language != "en")
            pieces.append((part, sentence.span[0] + cut, found))
            for index, token in enumerate(found):
                if token.is_word and token.text == token.low:
                    small.add(token.low)
                elif token.is_capitalised and index and found[index - 1].is_word:
                    capital.add(token.low)
    here = Reading((), frozenset(small) | ordinary, frozenset(capital) | known)
    lines = (
        _line(part, start, found, language, anchor, here, with_names)
        for part, start, found in pieces
    )
    return Reading(tuple(lines), here.ordinary, here.known)


def _line(
    text: str,
    start: int,
    found: tuple[Token, ...],
    language: str,
    anchor: date | None,
    words: Reading,
    with_names: bool,
) -> Line:
    quoted = list(quotations(text))
    reader = Dates(found, text, language, anchor)
    measured: list[Fact] = []
    at = 0
    while at < len(found):
        step = reader.date_at(at) or reader.fact(at)
        if step is None:
            at += 1
            continue
        measured.append(step[0])
        at = max(step[1], at + 1)
    named: list[Fact] = []
    if with_names and language in LANGUAGES:
        taken = _inside(found, [fact.span for fact in (*measured, *quoted)])
        named = list(
            names(found, text, language, taken=taken, ordinary=words.ordinary, known=words.known)
        )
    facts = sorted([*quoted, *measured, *named], key=lambda fact: fact.span)
    marks = [(token, content_stem(token, language)) for token in found]
    starts = [token.start for token in found]
    inside = [_clause(marks, starts, fact.span) for fact in facts]
    clauses = [frozenset(each for _, each in clause if each) for clause in inside]
    shifted = [
        replace(
            fact,
            span=(fact.span[0] + start, fact.span[1] + start),
            direction=_direction(clause, fact.span, language),
            negated=_negated(clause, fact.span, language),
        )
        for fact, clause in zip(facts, inside, strict=True)
    ]
    stems = frozenset(each for _, each in marks if each)
    dated = _inside(found, [fact.span for fact in facts if fact.kind is Kind.DATE])
    proper = frozenset(
        each
        for index, (token, each) in enumerate(marks)
        if each
        and (
            token.is_digits
            or (
                token.is_capitalised
                and (index or token.low in words.known)
                and token.start not in dated
            )
        )
    )
    values = frozenset(
        fact.value
        for fact in facts
        if fact.kind not in {Kind.QUOTATION, Kind.NAME} and any(fact.value[1:])
    )
    return Line(
        text,
        (start, start + len(text)),
        stems,
        tuple(shifted),
        tuple(clauses),
        proper,
        values,
        quoted_words(text) if not with_names else (),
    )


def _inside(found: Sequence[Token], spans: Sequence[Span]) -> frozenset[int]:
    """Where the tokens begin that stand in one of these spans."""
    starts = [token.start for token in found]
    return frozenset(
        start
        for low, high in spans
        for start in starts[bisect_left(starts, low) : bisect_left(starts, high)]
    )


def content_stem(token: Token, language: str) -> str:
    """The stem of a word that carries a subject; empty for all others."""
    if token.is_digits and len(token.text) == 4 and token.text[:2] in {"18", "19", "20"}:
        return token.text  # a year tells what a sentence is about
    if not token.is_word or len(token.low) < _MIN_STEM:
        return token.low if token.is_word and token.text.isupper() and len(token.low) > 1 else ""
    if token.low in SMALL.get(language, frozenset()):
        return ""
    return stem(token.low, language)


def _clause(
    marks: Sequence[tuple[Token, str]], starts: Sequence[int], span: Span
) -> list[tuple[Token, str]]:
    """The words around a span as far as its clause goes; ``starts`` are those of the tokens."""
    first, last = bisect_left(starts, span[0]), bisect_left(starts, span[1])
    before: list[tuple[Token, str]] = []
    for mark in reversed(marks[max(first - _CLAUSE_REACH, 0) : first]):
        if mark[0].low in _CLAUSE_ENDS:
            break
        before.append(mark)
    after = takewhile(
        lambda mark: mark[0].low not in _CLAUSE_ENDS, marks[last : last + _CLAUSE_REACH]
    )
    return [*reversed(before), *after]


def _direction(clause: list[tuple[Token, str]], span: Span, language: str) -> int:
    """1 where a clause speaks of a rise, -1 of a fall, 0 of neither or of both."""
    if language not in UP:
        return 0
    words = [token.low for token, _ in clause]
    after = next((token.low for token, _ in clause if token.start >= span[1]), "")
    up = after in MORE or any(word.startswith(UP[language]) for word in words)
    down = after in LESS or any(word.startswith(DOWN[language]) for word in words)
    if language == "en":
        up = up or _stands(words, "went", "up")
        down = down or _stands(words, "went", "down") or _stands(words, "were", "down")
    return up - down


def _negated(clause: list[tuple[Token, str]], span: Span, language: str) -> bool:
    """Whether one of the words just before a value denies it: "not", but not "not only"."""
    before = [token.low for token, _ in clause if token.end <= span[0]]
    # The "t" of "didn't"; without its apostrophe it is a tonne.
    words = [
        "not" if low == "t" and last in _APOSTROPHES else low
        for last, low in pairwise(["", *before])
        if low[0].isalpha() or low == "."
    ][-_NEGATION_REACH:]
    denials = NEGATIONS.get(language, frozenset())
    at = next((index for index, word in enumerate(words) if word in denials), None)
    return at is not None and not NOT_NEGATING.intersection(words[at + 1 :])


def _stands(words: list[str], first: str, second: str) -> bool:
    return any(pair == (first, second) for pair in pairwise(words))
