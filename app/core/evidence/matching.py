"""Looking a claim up in one source: borne out, contradicted, or not spoken of.

A value must stand near its subject: in a sentence that shares a word of content with the claim's
sentence, or beside two. The same number about something else is no support.
"""

from dataclasses import dataclass
from enum import StrEnum

from app.core.evidence.archive import Page
from app.core.evidence.claims import Claim
from app.core.evidence.fact import Fact, Kind
from app.core.evidence.quotations import quoted_words
from app.core.evidence.reading import Line
from app.core.evidence.values import comparable, is_rounded, made_from, same_value
from app.core.evidence.words import NEGATIONS

# How many of the words of a claim's sentence a source's sentence must share to be about the same:
# this share of them, and no fewer than that many.
_SAME_SUBJECT = 0.4
_SAME_SUBJECT_WORDS = 2
# The same statement, not only the same subject: this share of the words, and no fewer than that.
_SAME_STATEMENT = 0.6
_SAME_STATEMENT_WORDS = 3
# Two words of the sentences around a value stand for one of its own sentence.
_BESIDE = 2
_QUOTE_REACH = 2
# The stems by which two facts of one clause may differ: their own units.
_SAME_CLAUSE = 2


class Answer(StrEnum):
    SUPPORTED = "supported"
    CONTRADICTED = "contradicted"
    SILENT = "silent"


@dataclass(frozen=True)
class Match:
    """``said`` is the source's sentence, ``value`` what it has in the claim's place.

    ``is_dispute`` says that it is the same statement with another value, beyond what two sentences
    about one subject may have in common.
    """

    answer: Answer
    said: str = ""
    value: str = ""
    weight: int = 0
    is_dispute: bool = False


SILENT = Match(Answer.SILENT)


def look_up(claim: Claim, page: Page) -> Match:
    """What one source says of a claim."""
    if claim.fact.kind is Kind.QUOTATION:
        return _quotation(claim, page)
    if claim.fact.kind is Kind.NAME:
        return _name(claim, page)
    return _value(claim, page)


def _quotation(claim: Claim, page: Page) -> Match:
    words = claim.fact.words
    if not page.has_words(words):
        near = page.nearest_words(words)
        return Match(Answer.CONTRADICTED, near.text, near.text) if near else SILENT
    if (denial := page.denial_before(words)) and not _denies(claim, page.language):
        return Match(Answer.CONTRADICTED, f"{denial} {claim.fact.text}", "denied")
    places = page.lines_with_words(words)
    around = " ".join(
        line.text
        for place in places
        for line in page.lines[max(place - _QUOTE_REACH, 0) : place + _QUOTE_REACH + 1]
    ).lower()
    # Another name beside the words than the source has near them: somebody else's words.
    for name in claim.names:
        if places and not any(word in around for word in name) and page.has_name(name):
            return Match(Answer.CONTRADICTED, page.lines[places[0]].text, "somebody else's words")
    return Match(Answer.SUPPORTED)


def _denies(claim: Claim, language: str) -> bool:
    """Whether the words around a quotation deny it: he would not "raise the price"."""
    low, high = (place - claim.line.span[0] for place in claim.fact.span)
    around = f"{claim.line.text[:low]} {claim.line.text[high:]}"
    denials = NEGATIONS.get(language, frozenset()) | {"t"}  # didn't
    return bool(denials.intersection(quoted_words(around)))


def _name(claim: Claim, page: Page) -> Match:
    if page.has_name(claim.fact.words):
        return Match(Answer.SUPPORTED)
    like = page.name_like(claim.fact.words)
    return Match(Answer.CONTRADICTED, like, like) if like else SILENT


def _value(claim: Claim, page: Page) -> Match:
    fact = claim.fact
    other: Match = SILENT
    elsewhere: Match = SILENT
    for index, line, values in page.measured:
        same = {told for told in values if same_value(fact, told)}
        derived = not same and made_from(fact, line.facts, claim.before)
        if not (same or derived or any(comparable(fact, told) for told in values)):
            continue
        near = _nearness(claim, page, index)
        for place, told in enumerate(line.facts):
            if not told.is_value:
                continue
            if told in same or derived:
                if near.is_near(fact, told, derived=derived):
                    against = (
                        _swapped(claim, page, index, place)
                        or _turned_round(claim, told)
                        or _denied(claim, told)
                    )
                    if against is None:
                        return Match(Answer.SUPPORTED, line.text, told.text)
                    other = Match(Answer.CONTRADICTED, line.text, against, 99)
                else:
                    elsewhere = Match(Answer.SILENT, line.text, told.text)
            elif comparable(fact, told) and near.is_same_subject(claim, told):
                weight = near.shared + bool(fact.nouns & told.nouns)
                if weight > other.weight:
                    dispute = near.is_same_statement(claim, told) and _same_years(claim, line)
                    other = Match(Answer.CONTRADICTED, line.text, told.text, weight, dispute)
    if _date_of_page(claim, page):
        return Match(Answer.SUPPORTED)
    if fact.kind is Kind.NUMBER and page.number_name(claim.before, fact.text):
        return Match(Answer.SUPPORTED)
    return other if other is not SILENT else elsewhere


@dataclass(frozen=True)
class _Nearness:
    """``shared`` counts the stems of the claim's sentence in the source's, ``beside`` those in the
    sentences around it."""

    shared: int
    beside: int
    enough: int

    def is_near(self, claim: Fact, told: Fact, *, derived: bool) -> bool:
        counted = claim.kind is Kind.NUMBER and claim.unit == "" and not derived
        if counted and claim.nouns and told.nouns and not claim.nouns & told.nouns:
            return self.shared >= _SAME_SUBJECT_WORDS
        exact = claim.kind in {Kind.AMOUNT, Kind.MEASUREMENT}
        return self.shared >= 1 or self.beside >= (1 if exact else _BESIDE)

    def is_same_subject(self, claim: Claim, told: Fact) -> bool:
        if self.shared >= self.enough:
            counts = claim.fact.kind in {Kind.NUMBER, Kind.ORDINAL}
            return not counts or not claim.fact.nouns or bool(claim.fact.nouns & told.nouns)
        return bool(claim.fact.nouns & told.nouns) and self.shared >= 2

    def is_same_statement(self, claim: Claim, told: Fact) -> bool:
        fact = claim.fact
        if fact.kind is not told.kind or fact.unit != told.unit or told.kind is Kind.DATE:
            return False
        if fact.nouns != told.nouns and not fact.nouns & told.nouns:
            return False
        least = max(_SAME_STATEMENT_WORDS, _SAME_STATEMENT * len(claim.context))
        return self.shared >= least and not is_rounded(fact, told)


def _same_years(claim: Claim, line: Line) -> bool:
    """Whether two sentences are of one time, as far as they name years."""
    ours, theirs = (
        {each for each in stems if each.isdecimal()} for stems in (claim.line.stems, line.stems)
    )
    return not ours or not theirs or ours == theirs


def _nearness(claim: Claim, page: Page, index: int) -> _Nearness:
    telling = claim.context - page.ubiquitous or claim.context
    line = page.lines[index]
    # What else both sentences say to the same value tells the subject as well as a word does.
    shared = len(telling & line.stems) + len((claim.line.values - {claim.fact.value}) & line.values)
    around: frozenset[str] = frozenset()
    for place in (index - 1, index + 1):
        if 0 <= place < len(page.lines):
            around |= page.lines[place].stems
    enough = max(_SAME_SUBJECT_WORDS, round(_SAME_SUBJECT * len(claim.context)))
    return _Nearness(shared, len(telling & around), enough)


def _swapped(claim: Claim, page: Page, index: int, place: int) -> str | None:
    """The value that a source gives for the claim's subject, where it gives the claim's value for
    another one: "32 % in Halden and 58 % in Orvik".
    """
    line = page.lines[index]
    own = line.clauses[place]
    for step in (0, -1, 1):
        if not 0 <= index + step < len(page.lines):
            continue
        other = page.lines[index + step]
        proper = line.proper | other.proper
        for told, clause in zip(other.facts, other.clauses, strict=True):
            if not told.is_value or not comparable(claim.fact, told):
                continue
            if same_value(claim.fact, told) or _said_beside(claim, told):
                continue
            theirs, ours = clause - own, own - clause
            if _other_name(claim.clause, theirs & proper, ours & proper):
                return told.text
            said_too = told.value in claim.line.values
            if step == 0 and not said_too and claim.clause & theirs and not claim.clause & ours:
                return told.text
    return None


def _said_beside(claim: Claim, told: Fact) -> bool:
    """Whether the claim's own clause says this value too: then it tells them apart itself."""
    return any(
        fact.value == told.value and len(clause ^ claim.clause) <= _SAME_CLAUSE
        for fact, clause in zip(claim.line.facts, claim.line.clauses, strict=True)
        if fact.is_value
    )


def _other_name(said: frozenset[str], theirs: frozenset[str], ours: frozenset[str]) -> bool:
    """Whether a clause names what stands beside the other value, and not what stands beside its
    own."""
    return bool(said & theirs) and bool(ours - said) and len(said & ours) <= len(said & theirs)


def _turned_round(claim: Claim, told: Fact) -> str | None:
    """What the source says of a change that the claim turns round: up for down."""
    if claim.fact.kind in {Kind.DATE, Kind.TIME, Kind.ORDINAL}:
        return None
    return f"{told.text}, the other way" if claim.fact.direction * told.direction < 0 else None


def _denied(claim: Claim, told: Fact) -> str | None:
    """What the source says where one of the two says that it is not so."""
    if claim.fact.kind in {Kind.TIME, Kind.ORDINAL} or claim.fact.negated == told.negated:
        return None
    return f"{told.text}, and not denied" if claim.fact.negated else f"not {told.text}"


def _date_of_page(claim: Claim, page: Page) -> bool:
    """Whether the page's own date bears out "this year", or the day on which it was published."""
    when, anchor = claim.fact.when, page.anchor
    if when is None or anchor is None:
        return False
    day = anchor.toordinal()
    loose = when.loose or (when.ranges and when.ranges[0][0] != when.ranges[0][1])
    inside = any(low <= day <= high for low, high in when.ranges)
    return bool(inside and loose and when.loose)
