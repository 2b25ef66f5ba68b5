"""The claims of a post: its facts, without those that need no source."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date

from app.core.evidence.advice import is_advice, is_any_day
from app.core.evidence.fact import Fact, Kind
from app.core.evidence.quotations import quoted_words
from app.core.evidence.reading import Line, Reading, read
from app.core.evidence.tokens import tokens
from app.core.evidence.words import ATTRIBUTIONS, BOTH, word_set
from app.core.quality.passage import Kind as PassageKind
from app.core.quality.passage import Passage
from app.core.text import find_phrase, primary_subtag, stem

# "Three ways to …", "these two": numbers that count the text itself, not the world.
_LISTED = {
    "en": "way tip step reason thing idea example option rule mistake question point kind type part"
    " habit method trick fact lesson sign benefit advantage answer side aspect factor approach"
    " choice",
    "de": "Weg Tipp Schritt Grund Gründe Ding Idee Beispiel Möglichkeit Regel Fehler Frage"
    " Punkt Art"
    " Teil Vorteil Antwort Seite Aspekt Faktor",
    "fr": "façon astuce conseil étape raison chose idée exemple option règle erreur question"
    " côté aspect facteur",
    "es": "forma manera consejo paso razón razones cosa idea ejemplo opción regla error pregunta"
    " lado aspecto factor",
    "it": "modo consiglio passo motivo cosa idea esempio opzione regola errore domanda",
    "pt": "forma maneira dica passo razão razões coisa ideia exemplo opção regra erro pergunta",
    "nl": "manier tip stap reden ding idee voorbeeld optie regel fout vraag",
}
_MAX_LISTED = 30
_NUMBERED_BEFORE = word_set(
    "step tip part chapter section number no rule option question schritt tipp teil étape conseil"
    " paso consejo passo consiglio dica stap"
)
_POINTING = word_set("these those both diese beiden ces estos estas questi queste estes deze")
_CONTEXT_ENOUGH = 3
_NOBODY = frozenset[str]()
_HEADLINES = frozenset({PassageKind.TITLE, PassageKind.HEADING, PassageKind.LABEL})


@dataclass(frozen=True)
class Asked:
    """What the claims are held against beside the sources: the request's own words.

    ``brands`` are names that need no source: those of the offers and of who asks.
    """

    language: str
    keywords: tuple[str, ...] = ()
    topic: str = ""
    brands: tuple[str, ...] = ()


@dataclass(frozen=True)
class Claim:
    """``context`` are the stems that tell what it is about; ``clause`` those nearest to it.
    ``names`` are those of its sentence, ``before`` is the word before it.

    ``is_advice`` is a measure or a weekday in a sentence that tells the reader what to do ("let it
    rest for ten minutes"): no source need say it, but none may say otherwise.
    ``is_attributed`` says that its sentence names somebody's word for it.
    """

    fact: Fact
    section: str
    line: Line
    context: frozenset[str]
    clause: frozenset[str]
    names: tuple[tuple[str, ...], ...]
    before: str
    is_advice: bool
    is_attributed: bool


def claims(
    passages: Sequence[Passage],
    asked: Asked,
    today: date,
    ordinary: frozenset[str],
    known: frozenset[str],
) -> Iterator[Claim]:
    """The claims of a post's passages, in reading order. ``ordinary`` and ``known`` are the words
    of the sources, see `Reading`.
    """
    whole = [
        read(passage.text, asked.language, today)
        for passage in passages
        if passage.kind not in _HEADLINES
    ]
    ordinary |= frozenset().union(*(reading.ordinary for reading in whole))
    known |= frozenset().union(*(reading.known for reading in whole))
    for passage in passages:
        reading = read(passage.text, asked.language, today, ordinary, known, with_names=True)
        yield from _of_passage(passage, reading, asked)


def _of_passage(passage: Passage, reading: Reading, asked: Asked) -> Iterator[Claim]:
    language = primary_subtag(asked.language)
    heading = frozenset(
        stem(word, language) for word in quoted_words(passage.heading) if len(word) > 3
    )
    previous: frozenset[str] = heading
    for line in reading.lines:
        inside = tokens(line.text)
        quoted = [fact.span for fact in line.facts if fact.kind is Kind.QUOTATION]
        named = tuple(fact.words for fact in line.facts if fact.kind is Kind.NAME)
        attributed = not ATTRIBUTIONS.get(language, _NOBODY).isdisjoint(t.low for t in inside)
        for fact, clause in zip(line.facts, line.clauses, strict=True):
            begin = fact.span[0] - line.span[0]
            words = [t.low for t in inside if t.is_word and t.end <= begin]
            before = words[-1] if words else ""
            if fact.kind is Kind.NAME and passage.kind in _HEADLINES:
                continue
            if fact.kind is not Kind.QUOTATION and any(
                low <= fact.span[0] < high for low, high in quoted
            ):
                continue  # the quotation is held against the sources word by word
            if _is_exempt(fact, before, asked, language) or is_any_day(fact, words):
                continue
            own = {stem(t.low, language) for t in tokens(fact.text) if t.is_word}
            context = line.stems - own
            if len(context) < _CONTEXT_ENOUGH:
                context |= previous
            advice = is_advice(fact, inside, language)
            yield Claim(
                fact,
                passage.section,
                line,
                context,
                clause - own,
                named,
                before,
                advice,
                attributed,
            )
        previous = line.stems | heading


def _is_exempt(fact: Fact, before: str, asked: Asked, language: str) -> bool:
    if fact.kind is Kind.NAME:
        given = (*asked.brands, *asked.keywords, asked.topic)
        wanted = " ".join(fact.words)
        return any(
            find_phrase(phrase, wanted, language) or find_phrase(wanted, phrase, language)
            for phrase in given
            if phrase
        )
    if fact.kind is Kind.QUOTATION:
        return any(find_phrase(keyword, fact.text, language) for keyword in asked.keywords)
    if any(find_phrase(phrase, fact.text, language) for phrase in (*asked.keywords, asked.topic)):
        return True
    if fact.text.lower() in BOTH:
        return True
    if fact.kind is Kind.NUMBER and fact.unit == "":
        listed = _listed(language)
        small = fact.high <= _MAX_LISTED
        return small and bool(
            fact.nouns & listed or before in _NUMBERED_BEFORE or before in _POINTING
        )
    return False


_LISTED_STEMS: dict[str, frozenset[str]] = {
    language: frozenset(stem(word.lower(), language) for word in words.split())
    for language, words in _LISTED.items()
}


def _listed(language: str) -> frozenset[str]:
    return _LISTED_STEMS.get(language, frozenset())
