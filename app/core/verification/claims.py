"""The claims of a post: its facts, without those that need no source."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date

from app.core.checks import Kind as PassageKind
from app.core.checks import Passage
from app.core.facts.fact import Fact, FactKind
from app.core.facts.scanner import Vocabulary, tokenize, vocabulary
from app.core.languages import Consistency, get_section
from app.core.text import find_phrase, primary_subtag, stem
from app.core.verification.advice import is_advice, is_any_day
from app.core.verification.annotate import (
    AnnotatedSentence,
    AnnotatedText,
    annotate,
    capitalised_words,
)
from app.core.verification.quotations import quoted_words

# Larger numbers do not count the text itself ("three ways to …").
_MAX_LISTED = 30
# Larger numbers in words are figures.
_MOST_PRONOUN = 3
# Sentences with fewer stems take those of the sentence before them as well.
_MIN_CONTEXT = 3
# Their words have capitals without being names.
HEADLINES = frozenset({PassageKind.TITLE, PassageKind.HEADING, PassageKind.LABEL, PassageKind.CELL})


@dataclass(frozen=True)
class RequestContext:
    """The words of the request: what they say needs no source.

    ``brands`` are names that need none either: those of the offers and of the caller.
    ``background`` is what the request says of readers, brand voice and industry: its names need
    none.
    """

    language: str
    keywords: tuple[str, ...] = ()
    topic: str = ""
    brands: tuple[str, ...] = ()
    background: str = ""


@dataclass(frozen=True)
class Claim:
    """A fact that needs a source. ``context`` are the stems of its subject, ``clause`` the nearest
    stems, ``before`` is the word before it.

    ``is_change`` marks the size of a change ("by 4 euros"). ``is_advice`` marks a measure or a
    weekday in a sentence that tells the reader what to do: it needs no source, but a source may
    contradict it. ``is_attributed`` means that its sentence says whose statement it is.
    """

    fact: Fact
    section: str
    sentence: AnnotatedSentence
    context: frozenset[str]
    clause: frozenset[str]
    before: str
    is_change: bool
    is_advice: bool
    is_attributed: bool


def capitalised(passages: Sequence[Passage], language: str) -> frozenset[str]:
    """Return the words that passages of prose write with a capital inside a sentence."""
    return frozenset[str]().union(*(
        capitalised_words(passage.text, language)
        for passage in passages
        if passage.kind not in HEADLINES | {PassageKind.CODE}
    ))  # fmt: skip


def claims(
    passages: Sequence[Passage],
    request: RequestContext,
    today: date,
    known: frozenset[str],
) -> Iterator[Claim]:
    """Yield the claims of the passages, in reading order; code makes none.

    ``known`` are the words that the passages and the sources write with a capital.
    """
    passages = [passage for passage in passages if passage.kind is not PassageKind.CODE]
    part, last = "", frozenset[str]()
    for passage in passages:
        text = annotate(passage.text, request.language, today, known)
        before = last if passage.part == part else frozenset[str]()
        yield from _of_passage(passage, text, request, before)
        if passage.kind is PassageKind.PROSE and text.sentences:
            part, last = passage.part, text.sentences[-1].stems


def _of_passage(
    passage: Passage,
    text: AnnotatedText,
    request: RequestContext,
    before: frozenset[str],
) -> Iterator[Claim]:
    """Yield the claims of one passage; ``before`` are the stems of the sentence above it."""
    words = vocabulary(primary_subtag(request.language))
    heading = _stems(passage.heading, words.language)
    about = _stems(passage.about, words.language)
    previous = heading | before
    speech = words.words.saying | words.words.attributing
    for sentence in text.sentences:
        tokens = tokenize(sentence.text)
        quoted = [fact.span for fact in sentence.facts if fact.kind is FactKind.QUOTATION]
        is_attributed = any(token.low in speech for token in tokens)
        for found, clause in zip(sentence.facts, sentence.clauses, strict=True):
            fact = found
            if clause.direction or clause.negated:
                fact = replace(found, direction=clause.direction, negated=clause.negated)
            if fact.kind is not FactKind.QUOTATION and any(
                low <= fact.span[0] < high for low, high in quoted
            ):
                continue  # the quotation is compared with the sources word by word
            begin = fact.span[0] - sentence.span[0]
            ahead = [t.low for t in tokens if t.is_word and t.end <= begin]
            if _is_exempt(fact, ahead, request, words):
                continue
            if is_any_day(fact, ahead):
                continue
            end = fact.span[1] - sentence.span[0]
            inside = [t.low for t in tokens if t.is_word and begin <= t.start < end]
            own = {stem(low, words.language) for low in inside}
            context = (sentence.stems | about) - own
            if len(context) < _MIN_CONTEXT:
                context |= previous
            last = ahead[-1] if ahead else ""
            yield Claim(
                fact,
                passage.section,
                sentence,
                context,
                (clause.stems | about) - own,
                last,
                is_change=last in words.words.changes.by,
                is_advice=is_advice(fact, tokens, words.language),
                is_attributed=is_attributed,
            )
        previous = sentence.stems | heading


def _stems(text: str, language: str) -> frozenset[str]:
    return frozenset(stem(word, language) for word in quoted_words(text) if len(word) > 3)


def _is_exempt(
    fact: Fact, before: Sequence[str], request: RequestContext, words: Vocabulary
) -> bool:
    """Whether a fact needs no source: the request says it, or it counts the text itself."""
    language = words.language
    if any(find_phrase(keyword, fact.text, language) for keyword in request.keywords):
        return True
    if fact.kind is FactKind.QUOTATION:
        return False
    if find_phrase(request.topic, fact.text, language) or (
        fact.text.lower() in words.words.numbers.both
    ):
        return True
    if fact.kind is not FactKind.NUMBER or fact.unit or fact.high > _MAX_LISTED:
        return False
    rules = get_section(language, Consistency)
    is_pronoun = fact.text.isalpha() and fact.high <= _MOST_PRONOUN and not fact.nouns
    is_bare = is_pronoun and not (fact.direction or fact.hedge)
    if is_bare and rules is not None and not rules.definite.isdisjoint(before[-1:]):
        # "The two are alike"
        return True
    introducing = words.words.numbered | words.words.pointing
    return not (introducing.isdisjoint(before[-1:]) and fact.nouns.isdisjoint(words.listed_stems))
