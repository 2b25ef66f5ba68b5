"""Look a claim up in one source: supported, contradicted, or not mentioned.

A value counts only near its subject: in a sentence that shares a content word with the sentence of
the claim, or next to one that shares two.
"""

from bisect import bisect_left
from enum import StrEnum
from itertools import pairwise, takewhile
from math import isclose
from typing import NamedTuple

from app.core.facts.fact import (
    Fact,
    FactKind,
    comparable,
    is_rounded,
    made_from,
    same_value,
)
from app.core.facts.scanner import Vocabulary, tokenize, vocabulary
from app.core.text import stem
from app.core.verification.advice import is_order
from app.core.verification.annotate import AnnotatedSentence
from app.core.verification.claims import Claim
from app.core.verification.indexed_source import IndexedSource
from app.core.verification.names import capitalised, speaker
from app.core.verification.quotations import quoted_words

# A sentence is on the subject of a claim if it shares this part of the words of the claim's
# sentence, and at least that many.
_SAME_SUBJECT = 0.4
_SAME_SUBJECT_WORDS = 2
# And for the same statement, not only the same subject.
_SAME_STATEMENT = 0.6
_SAME_STATEMENT_WORDS = 3
# Two words of the sentences around a value are equivalent to one of its own sentence.
_BESIDE = 2
_QUOTE_REACH = 2
# Stems two clauses may differ by (their units).
_SAME_CLAUSE = 2
# A unit of time follows its value within this number of words.
_RATE_REACH = 6
# A converted value is rounded by up to this share.
_CONVERTED = 0.02
# A number of the reader's own things is by this factor less than the sample of a study.
_OTHER_SCALE = 10
_TIMES = frozenset({"duration", "calendar"})
# What a value is for, beside a unit of time and the stem of a thing.
_AGAIN, _ONE_OF_TIMES = "again", "one of several times"

# The weight of a contradiction by a sentence that has the value itself, of something else.
CERTAIN = 99
# What a source has in place of the speaker of a quotation.
ANOTHER_SPEAKER = "somebody else's words"


class Outcome(StrEnum):
    SUPPORTED = "supported"
    CONTRADICTED = "contradicted"
    SILENT = "silent"


class Match(NamedTuple):
    """``said`` is the sentence of the source, ``value`` what it has in place of the claim. A claim
    that the date of the page or the name of a thing supports has no sentence.

    ``is_dispute`` means the same statement with another value, not only the same subject.
    ``is_doubtful`` means that a contradiction is often none, see `_is_doubtful`.
    """

    outcome: Outcome
    said: str = ""
    value: str = ""
    weight: int = 0
    is_dispute: bool = False
    is_doubtful: bool = False

    @property
    def is_denial(self) -> bool:
        """Whether the source has the value itself, and one of the two denies it."""
        return self.weight == CERTAIN and self.is_doubtful


SILENT = Match(Outcome.SILENT)


def look_up(claim: Claim, source: IndexedSource) -> Match:
    """Return what one source says about a claim."""
    if claim.fact.kind is FactKind.QUOTATION:
        return _quotation(claim, source)
    return _value(claim, source)


def has_value(claim: Claim, sentence: AnnotatedSentence, words: Vocabulary) -> bool:
    """Return whether words that are quoted for a claim have its value, as a rise or fall as there,
    for the same unit of time, and beside no value that the claim's sentence may have taken for it:
    “860 euros in Orvik, 1,140 in Halden”."""
    fact = claim.fact
    others = {
        told.value
        for told in sentence.facts
        if told.is_value
        and comparable(fact, told)
        # The number of other things: “10 on each of three days”.
        and (fact.unit or not (fact.nouns and told.nouns) or fact.nouns & told.nouns)
        and not _is_part(told, fact, sentence)
    }
    if not others <= claim.sentence.values | {fact.value}:
        return False
    return any(
        told.is_value
        and same_value(fact, told)
        and _reversed(claim, sentence, place) is None
        and _other_rate(claim, told, sentence, words) is None
        for place, told in enumerate(sentence.facts)
    )


def has_number(fact: Fact, sentence: AnnotatedSentence) -> bool:
    """Return whether a sentence of a source has the number of a fact where one of the two leaves
    out its unit: “2,995 watts, and with a margin 3,600”, or the cell of a table."""
    return fact.when is None and any(
        told.is_value
        and told.when is None
        and FactKind.NUMBER in (fact.kind, told.kind)
        and "" in (fact.unit, told.unit)
        and fact.unit != told.unit
        and isclose(fact.low / fact.factor, told.low / told.factor)
        and isclose(fact.high / fact.factor, told.high / told.factor)
        for told in sentence.facts
    )


def _quotation(claim: Claim, source: IndexedSource) -> Match:
    words = claim.fact.words
    if not source.has_words(words):
        near = source.nearest_words(words)
        if near is None:
            return SILENT
        # Sample wordings and labels stand in quotation marks as well.
        is_quoted = any(told.kind is FactKind.QUOTATION for told in near.facts)
        doubtful = not (is_quoted or claim.is_attributed)
        return Match(Outcome.CONTRADICTED, near.text, near.text, is_doubtful=doubtful)
    if (denial := source.denial_before(words)) and not _denies(claim, source.denials):
        return Match(Outcome.CONTRADICTED, f"{denial} {claim.fact.text}", "denied")
    places = source.sentences_with_words(words)
    around = frozenset[str]().union(*(
        sentence.words
        for place in places
        for sentence in source.sentences[max(place - _QUOTE_REACH, 0) : place + _QUOTE_REACH + 1]
    ))  # fmt: skip
    if places and (name := _speaker(claim, source)):
        said = source.sentences[places[0]]
        if name not in around or (_names_another(said, source) and name not in said.words):
            return Match(Outcome.CONTRADICTED, said.text, ANOTHER_SPEAKER)
    return Match(Outcome.SUPPORTED, source.sentences[places[0]].text if places else "")


def _speaker(claim: Claim, source: IndexedSource) -> str:
    """The last name of whom a claim gives a quotation to; "" if nobody is named."""
    low, high = (place - claim.sentence.span[0] for place in claim.fact.span)
    tokens = tokenize(claim.sentence.text)
    outside = [token for token in tokens if not low <= token.start < high]
    return speaker([t for t in outside if t.is_word], source.vocabulary, source.text.known)


def _names_another(said: AnnotatedSentence, source: IndexedSource) -> bool:
    """Whether the sentence of a quotation names its speaker."""
    inside = [fact.span for fact in said.facts if fact.kind is FactKind.QUOTATION]
    begin = said.span[0]
    tokens = [
        token
        for token in tokenize(said.text)
        if token.is_word and not any(low <= begin + token.start < high for low, high in inside)
    ]
    saying = source.vocabulary.words.saying
    if saying.isdisjoint(token.low for token in tokens):
        return False
    named = speaker(tokens, source.vocabulary, source.text.known)
    return bool(named) or any(len(run) > 1 + (run[0] is tokens[0]) for run in capitalised(tokens))


def _denies(claim: Claim, denials: frozenset[str]) -> bool:
    """Whether the words around a quotation deny it: he would not "raise the price"."""
    low, high = (place - claim.sentence.span[0] for place in claim.fact.span)
    around = f"{claim.sentence.text[:low]} {claim.sentence.text[high:]}"
    return bool(denials.intersection(quoted_words(around)))


def _value(claim: Claim, source: IndexedSource) -> Match:
    fact, other, elsewhere = claim.fact, SILENT, SILENT
    telling = claim.context - source.ubiquitous or claim.context
    # Another value that both sentences have tells the subject as well as a word does.
    keys = telling | (claim.sentence.values - {fact.value})
    for index in sorted(source.by_value.sentences(fact, by=claim.is_change)):
        sentence, values = source.sentences[index], source.values[index]
        same = [told.span for told in values if same_value(fact, told)]
        derived = not same and made_from(fact, values, by=claim.is_change)
        if not (same or derived):
            continue
        shared = len(keys & sentence.stems) + len(keys & sentence.values)
        near = _nearness(telling, source, index, shared)
        for place, told in enumerate(sentence.facts):
            if not told.is_value or not (derived or told.span in same):
                continue
            if not near.is_near(fact, told, derived=derived):
                elsewhere = Match(Outcome.SILENT, sentence.text, told.text)
                continue
            against = (
                _swapped(claim, source, index, place)
                or _reversed(claim, sentence, place)
                or _other_rate(claim, told, sentence, source.vocabulary)
            )
            # A negation before a value often denies something else.
            denied = None if against else _denied(claim, sentence, place)
            if against is None and denied is None:
                return Match(Outcome.SUPPORTED, sentence.text, told.text)
            other = Match(
                Outcome.CONTRADICTED, sentence.text, against or denied or "", CERTAIN,
                is_doubtful=against is None,
            )  # fmt: skip
    is_name = fact.kind is FactKind.NUMBER and source.number_name(claim.before, fact.text)
    if is_name or _is_of_page(fact, source):
        return Match(Outcome.SUPPORTED)
    if other is SILENT:
        other = _another_value(claim, keys, source)
    return other if other is not SILENT else elsewhere


def _another_value(claim: Claim, keys: frozenset[object], source: IndexedSource) -> Match:
    """The contradiction by the sentence nearest to a claim among those with another value."""
    other = SILENT
    shared = source.shared(keys)
    for index in sorted(source.by_comparison.get(claim.fact.compared_by, ())):
        # Fewer are not on one subject, see `_Nearness.is_same_subject`.
        if shared[index] < _SAME_SUBJECT_WORDS:
            continue
        sentence = source.sentences[index]
        near = _Nearness(shared[index], 0)
        said = {each.value for each in claim.sentence.facts if each.when is not None}
        # A date that both sentences have is mostly the other end of a range, so it comes last.
        for told in sorted(source.values[index], key=lambda each: each.value in said):
            if comparable(claim.fact, told) and near.is_same_subject(claim, told):
                weight = near.shared + bool(claim.fact.nouns & told.nouns)
                if weight > other.weight:
                    dispute = (
                        near.is_same_statement(claim, told)
                        and _same_years(claim, sentence)
                        and not _lists_values_of(claim, told, sentence)
                        and not _is_another_case(claim, told, sentence)
                        and _same_basis(claim, told, sentence, source.vocabulary)
                    )
                    doubtful = _is_doubtful(claim, told, sentence, near)
                    other = Match(
                        Outcome.CONTRADICTED, sentence.text, told.text, weight, dispute, doubtful
                    )
    return other


def _is_doubtful(claim: Claim, told: Fact, sentence: AnnotatedSentence, near: "_Nearness") -> bool:
    """Whether the sentence of a source with another value hardly contradicts a claim: a number that
    counts something else, such as that of a day, an oven or a court case; a count of the reader's
    own things against a far larger sample; a year against a day of something near; a value that the
    sentence has without its unit, or within its range; or a claim beside the value of the source,
    as in a comparison or a sum.
    """
    fact = claim.fact
    if told.value in claim.sentence.values:
        return True
    if fact.when is not None or told.when is not None:
        return _names_day(fact) != _names_day(told) and not near.is_most_of(claim)
    if fact.kind is FactKind.NUMBER and not fact.unit:
        low, high = sorted((fact.low, told.low))
        is_own = high > _OTHER_SCALE * low and is_order(claim.sentence.text, sentence.language)
        return is_own or not fact.nouns & told.nouns
    if fact.unit == told.unit and told.low <= fact.low and fact.high <= told.high:
        return True
    values = [each for each in sentence.facts if each.is_value]
    if any(each.kind is FactKind.NUMBER and each.low == fact.low for each in values):
        return True
    return any(
        each.unit == fact.unit == other.unit and each.low in (other.low, other.high)
        for each in claim.sentence.facts
        for other in values
    )


class _Nearness(NamedTuple):
    """``shared`` counts the stems of the claim's sentence in one of the source, ``beside``, without
    any, those in the sentences around it."""

    shared: int
    beside: int

    def is_near(self, claim: Fact, told: Fact, *, derived: bool) -> bool:
        counted = claim.kind is FactKind.NUMBER and claim.unit == "" and not derived
        if counted and claim.nouns and told.nouns and not claim.nouns & told.nouns:
            return self.shared >= _SAME_SUBJECT_WORDS
        if self.shared >= 1:
            return True
        exact = claim.kind in {FactKind.AMOUNT, FactKind.MEASUREMENT}
        return self.beside >= (1 if exact else _BESIDE)

    def is_same_subject(self, claim: Claim, told: Fact) -> bool:
        if self.shared >= max(_SAME_SUBJECT_WORDS, round(_SAME_SUBJECT * len(claim.context))):
            counts = claim.fact.kind in {FactKind.NUMBER, FactKind.ORDINAL}
            return not counts or not claim.fact.nouns or bool(claim.fact.nouns & told.nouns)
        return bool(claim.fact.nouns & told.nouns) and self.shared >= 2

    def is_same_statement(self, claim: Claim, told: Fact) -> bool:
        fact = claim.fact
        if fact.kind is not told.kind or fact.unit != told.unit or told.kind is FactKind.DATE:
            return False
        if fact.nouns != told.nouns and not fact.nouns & told.nouns:
            return False
        return self.is_most_of(claim) and not is_rounded(fact, told)

    def is_most_of(self, claim: Claim) -> bool:
        """Whether the sentence of the source has most words of the claim."""
        return self.shared >= max(_SAME_STATEMENT_WORDS, _SAME_STATEMENT * len(claim.context))


def _lists_values_of(claim: Claim, told: Fact, sentence: AnnotatedSentence) -> bool:
    """Whether a sentence of the source has several values of one unit, and the sentence of a claim
    one of them: “in steps of 5, 10 and 15 bar”."""
    theirs = {each.value for each in sentence.facts if each.is_value and each.unit == told.unit}
    return bool(told.unit) and bool(claim.sentence.values & theirs)


def _is_another_case(claim: Claim, told: Fact, sentence: AnnotatedSentence) -> bool:
    """Whether each sentence repeats its number, and so is about a case of its own: “nine sprockets
    need a 9 speed chain” and “ten sprockets a 10 speed chain”."""
    ours = [fact.low for fact in claim.sentence.facts if fact.is_value]
    theirs = [fact.low for fact in sentence.facts if fact.is_value]
    return ours.count(claim.fact.low) > 1 and theirs.count(told.low) > 1


def _names_day(fact: Fact) -> bool:
    return fact.when is not None and bool(fact.when.month)


def _same_years(claim: Claim, sentence: AnnotatedSentence) -> bool:
    """Whether two sentences name the same years, if both name any."""
    ours = {each for each in claim.sentence.stems if each.isdecimal()}
    theirs = {each for each in sentence.stems if each.isdecimal()}
    return not ours or not theirs or ours == theirs


def _nearness(telling: frozenset[str], source: IndexedSource, index: int, shared: int) -> _Nearness:
    return _Nearness(shared, 0 if shared else len(telling & source.around(index)))


def _swapped(claim: Claim, source: IndexedSource, index: int, place: int) -> str | None:
    """The value that a source gives for the subject of the claim, if it gives the value of the
    claim for another one: "32 % in Halden and 58 % in Orvik".
    """
    sentence = source.sentences[index]
    # The other end of “from 1999 to 2001” tells no subject.
    said = claim.clause - set(quoted_words(sentence.facts[place].text))
    own = sentence.clauses[place].stems
    # The 10 of “with 5, 10 and 15 bar”.
    is_listed = not own and sentence.facts[place].text[-1:].isdecimal()
    for step in (0, -1, 1):
        if not 0 <= index + step < len(source.sentences) or (step == 0 and is_listed):
            continue
        other = source.sentences[index + step]
        for their_place, told in enumerate(other.facts):
            if not told.is_value or not comparable(claim.fact, told):
                continue
            if told.base != claim.fact.base:  # 230 mg, or 23 mg/kg
                continue
            clause = other.clauses[their_place].stems
            theirs, ours = clause - own, own - clause
            if said.isdisjoint(theirs):
                continue
            if same_value(claim.fact, told) or _is_converted(claim.fact, told):
                continue
            if step == 0 and _is_part(told, sentence.facts[place], sentence):
                continue
            if _said_beside(claim, told):
                continue
            proper = sentence.proper | other.proper
            if _other_name(said, theirs & proper, ours & proper):
                return told.text
            said_too = told.value in claim.sentence.values
            if step == 0 and not said_too and not said & ours:
                return told.text
    return None


def _is_part(told: Fact, total: Fact, sentence: AnnotatedSentence) -> bool:
    """Whether a sentence adds a value to others, and has the sum behind them: “a half, and then
    another quarter, so three quarters in all”."""
    alike = [each for each in sentence.facts if each.unit == total.unit and each.when is None]
    at = next((place for place, each in enumerate(alike) if same_value(each, total)), 0)
    return at > 1 and told in alike[:at] and isclose(sum(f.low for f in alike[:at]), total.low)


def _is_converted(one: Fact, other: Fact) -> bool:
    """Whether one value is the other in another unit: 3,300 feet, or 1,000 metres."""
    return one.factor != other.factor and isclose(one.low, other.low, rel_tol=_CONVERTED)


def _said_beside(claim: Claim, told: Fact) -> bool:
    """Whether the clause of the claim has this value too, and so tells the two apart."""
    return any(
        fact.value == told.value and len(clause.stems ^ claim.clause) <= _SAME_CLAUSE
        for fact, clause in zip(claim.sentence.facts, claim.sentence.clauses, strict=True)
        if fact.is_value
    )


def _other_name(said: frozenset[str], theirs: frozenset[str], ours: frozenset[str]) -> bool:
    """Whether a clause names what belongs to the other value, not what belongs to its own."""
    return bool(said & theirs) and bool(ours - said) and len(said & ours) <= len(said & theirs)


def _reversed(claim: Claim, sentence: AnnotatedSentence, place: int) -> str | None:
    """What the source says if the claim has a fall for a rise."""
    fact = claim.fact
    if not fact.direction or fact.kind in {FactKind.TIME, FactKind.ORDINAL, FactKind.DATE}:
        return None
    if fact.direction * sentence.clauses[place].direction >= 0:
        return None
    return f"{sentence.facts[place].text}, the other way"


def _denied(claim: Claim, sentence: AnnotatedSentence, place: int) -> str | None:
    """What the source says if one of the two values is denied."""
    fact = claim.fact
    if fact.kind in {FactKind.TIME, FactKind.ORDINAL}:
        return None
    if fact.negated == sentence.clauses[place].negated:
        return None
    said = sentence.facts[place].text
    beside = (sentence, sentence.facts[place]) if fact.negated else (claim.sentence, fact)
    if _is_denied_behind(*beside):
        return None
    return f"{said}, and not denied" if fact.negated else f"not {said}"


def _is_denied_behind(sentence: AnnotatedSentence, fact: Fact) -> bool:
    """Whether a clause says no behind a value: “two servers must never …”."""
    end = sentence.span_inside(fact)[1]
    negations = vocabulary(sentence.language).words.negations
    behind = (token for token in sentence.tokens() if token.start >= end)
    clause = takewhile(lambda token: token.is_word or token.is_digits, behind)
    return any(token.low in negations for token in clause)


def _other_rate(
    claim: Claim, told: Fact, sentence: AnnotatedSentence, words: Vocabulary
) -> str | None:
    """What the source says if both values are for a unit of time, and for another one."""
    ours = _rate(claim.fact, claim.sentence, words)
    theirs = _rate(told, sentence, words) if ours else None
    if ours is None or theirs is None or ours[0] == theirs[0]:
        return None
    return f"{told.text} … {theirs[1]}"


def _same_basis(claim: Claim, told: Fact, sentence: AnnotatedSentence, words: Vocabulary) -> bool:
    """Whether two values are not for different things, such as a meal and a day: 60 grams a meal
    say nothing against 200 a day. A time after which something comes again is no duration."""
    ours, theirs = _basis(claim.fact, claim.sentence, words), _basis(told, sentence, words)
    is_one_missing = ours is None or theirs is None
    return ours == theirs or (is_one_missing and _AGAIN not in (ours, theirs))


def _basis(fact: Fact, sentence: AnnotatedSentence, words: Vocabulary) -> object:
    """What a value is for: a unit of time, the stem of a thing, one of several times; or `_AGAIN`
    if something comes again after it. None if the sentence does not say."""
    begin, end = sentence.span_inside(fact)
    tokens = sentence.tokens()
    first, last = (bisect_left(tokens, at, key=lambda token: token.start) for at in (begin, end))
    each, times = words.words.each, words.words.times
    if fact.unit in _TIMES and first and tokens[first - 1].low in each:
        return _AGAIN
    rate = _rate(fact, sentence, words)
    for token, following in pairwise(tokens[last : last + _RATE_REACH]):
        if token.low in times:  # “2 grams three times a week” are not 2 a week
            return _ONE_OF_TIMES
        if token.low in each:
            return rate[0] if rate else stem(following.low, words.language)
        if not (token.is_word or token.is_digits):
            break
    return rate and rate[0]


def _rate(
    fact: Fact, sentence: AnnotatedSentence, words: Vocabulary
) -> tuple[tuple[str, float], str] | None:
    """The unit of time behind a value, and its words: 5 euros a month, 90 people in all per day."""
    end = fact.span[1] - sentence.span[0]
    tokens = tokenize(sentence.text)
    begin = bisect_left(tokens, end, key=lambda token: token.start)
    after = tokens[begin : begin + _RATE_REACH]
    for (one, unit), following in zip(pairwise(after), [*after[2:], None], strict=False):
        if not one.is_word:
            return None
        known = words.units.get(unit.low) if one.low in words.words.rates else None
        is_year = following is not None and following.is_digits  # "im Jahr 2025"
        if known and known.dimension in _TIMES and not is_year:
            return (known.dimension, known.factor), sentence.text[one.start : unit.end]
    return None


def _is_of_page(fact: Fact, source: IndexedSource) -> bool:
    """Whether the date of the page supports "this year" or "today"."""
    if fact.when is None or source.anchor is None or not fact.when.loose:
        return False
    day = source.anchor.toordinal()
    return any(low <= day <= high for low, high in fact.when.ranges)
