"""Compare the claims of a post with its sources.

A writer must fix the findings; the coverage is for the operator.
"""

import re
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from functools import cached_property, partial
from itertools import takewhile
from operator import eq
from typing import NamedTuple

from app.core.checks import (
    COPIED_FROM_SOURCE,
    Finding,
    Kind,
    Passage,
    Severity,
    blocker,
    check_misspelling,
)
from app.core.facts.fact import Fact, FactKind, comparable, made_from, same_value
from app.core.facts.scanner import tokenize, vocabulary
from app.core.languages import Enumerations, get_language, get_section
from app.core.sources.source import Source
from app.core.text import Span, fold, primary_subtag, shortened, stem, stems, words
from app.core.verification.annotate import AnnotatedSentence, annotate
from app.core.verification.claims import HEADLINES, Claim, RequestContext, capitalised, claims
from app.core.verification.examples import Place, Rate, worked_examples, worked_out
from app.core.verification.extract import EXTRACT_CHARS, Extract
from app.core.verification.indexed_source import IndexedSource
from app.core.verification.matching import (
    ANOTHER_SPEAKER,
    CERTAIN,
    Match,
    Outcome,
    has_number,
    has_value,
    look_up,
)
from app.core.verification.material import statements_of
from app.core.verification.names import KnownWords, unknown_names
from app.core.verification.plagiarism import Originals, check_plagiarism
from app.core.verification.quotations import MIN_WORDS, quoted_words
from app.core.verification.retrieval import PassageIndex, marked, title_of
from app.core.verification.statement import Statement

UNSUPPORTED = "unsupported_claim"
CONTRADICTED = "contradicted_claim"
DISPUTED = "disputed_claim"
_MAX_SAID = 300
# What a note that has the value of a claim has in common with it beside.
_LEAST_NEAR = 2
# The letters of short words that tell what a note is about, beside others.
_SHORT = range(3, 5)
# The least letters of a word that another one ends in.
_COMPOUNDED = 6
# The letters that “unterschreiben” and “Unterschrift” begin with, but no two prefixes.
_ALIKE = 8
# How many words before a quotation may introduce it as a sample.
_SAMPLE_REACH = 4
# The kinds of fact that an example may have of its own.
_GIVEN = frozenset({
    FactKind.AMOUNT, FactKind.DATE, FactKind.MEASUREMENT, FactKind.NUMBER, FactKind.TIME,
})  # fmt: skip
_DURATIONS = frozenset({"calendar", "duration"})
_NOT_EXAMINED = (
    "numbers in words, dates, names, units and the direction of changes: no rules for this language"
)


@dataclass(frozen=True)
class Coverage:
    """A claim and its support: ``url`` is the first source that supports it, or None; ``sites`` are
    all sites that do, ``against`` the URLs of sources that contradict it. ``sentence`` is the one
    of the first source that supports the claim; "" if none does alone.
    """

    claim: str
    kind: FactKind
    section: str
    span: Span
    url: str | None
    sites: tuple[str, ...]
    against: tuple[str, ...] = ()
    sentence: str = ""


@dataclass(frozen=True)
class Verdict:
    """``skipped`` says what was not examined, and why; empty if everything was."""

    findings: tuple[Finding, ...]
    coverage: tuple[Coverage, ...]
    skipped: str = ""


# Sentences that a judge supports, and the sentences of sources that it quotes for each; none for
# one that it says to state nothing.
Vouched = Iterable[tuple[Statement, Sequence[Extract]]]


class _Quoted(NamedTuple):
    """What is quoted for a sentence, and whether that is named as an example."""

    span: Span
    extracts: Sequence[Extract]
    is_example: bool

    def holds(self, span: Span) -> bool:
        return self.span[0] <= span[0] < self.span[1]


class _Doubt(NamedTuple):
    """A claim that is not supported. ``in_sources`` means that they have its value, or none in its
    place."""

    claim: Claim
    finding: Finding
    against: Sequence[tuple[Source, Match]]
    in_sources: bool

    @property
    def place(self) -> Place:
        return self.claim.section, self.claim.fact.span[0]


class SourceIndex:
    """The sources of a post, indexed once for the checks of all its drafts.

    Args:
        today: the day of the post.
    """

    def __init__(self, sources: Sequence[Source], request: RequestContext, today: date) -> None:
        self.sources = [IndexedSource(source, request.language) for source in sources]
        self._known = frozenset[str]().union(*(s.text.known for s in self.sources))
        self._request, self._today = request, today
        self._vocabulary = vocabulary(primary_subtag(request.language))

    def check(
        self,
        texts: Sequence[Passage],
        *,
        required: bool = True,
        vouched: Vouched = (),
        notes: Sequence[Extract] = (),
    ) -> Verdict:
        """Compare every claim of these passages with the sources.

        Args:
            required: whether doubtful contradictions count as well.
            vouched: what a judge says of sentences. There is no finding on a value that the quoted
                sentences have; if one of the two denies it, a warning.
            notes: what else the judge was shown: the same holds for a value that one of them has,
                if it is as near to the claim as what contradicts it.
        """
        quoted = defaultdict[str, list[_Quoted]](list)
        for statement, extracts in vouched:
            is_example = self.names_example(f"{statement.before} {statement.text}")
            quoted[statement.passage.section].append(_Quoted(statement.span, extracts, is_example))
        for cell in texts:
            if cell.is_header and quoted and self.names_example(cell.text):
                quoted[cell.section].append(_Quoted((0, len(cell.text)), (), is_example=True))
            # What is quoted for a row is quoted for each of its cells.
            quoted[cell.section] += quoted[cell.row] if cell.row else []
        findings: list[Finding] = []
        doubts: list[_Doubt] = []
        coverage: list[Coverage] = []
        rates = defaultdict[str, set[Rate]](set)
        code = {each.section: each.code for each in texts}
        known = self._known | capitalised(texts, self._request.language)
        headlines = {each.section for each in texts if each.kind in {Kind.TITLE, Kind.HEADING}}
        questions = {each.section for each in texts if each.kind is Kind.QUESTION}
        examples = worked_examples(texts, self._read(known), self._vocabulary)
        for claim in claims(texts, self._request, self._today, known):
            fact = claim.fact
            matches = [(each.source, look_up(claim, each)) for each in self.sources]
            supported = [pair for pair in matches if pair[1].outcome is Outcome.SUPPORTED]
            sentence = supported[0][1].said if supported else ""
            found = [source for source, _ in supported] or self._of_both_ends(claim)
            against = [
                (source, match)
                for source, match in matches
                if match.outcome is Outcome.CONTRADICTED and (required or not match.is_doubtful)
            ]
            url = found[0].url if found else None
            sites = tuple(dict.fromkeys(source.site for source in found))
            urls = tuple(dict.fromkeys(source.url for source, _ in against))
            coverage.append(
                Coverage(fact.text, fact.kind, claim.section, fact.span, url, sites, urls, sentence)
            )
            if found:
                # A sentence that multiplies its rate may do so for something else.
                factors = {each.unit for each in claim.sentence.facts if not each.base}
                if fact.base and fact.base not in factors:
                    rates[_part(claim.section)].add((fact.value, fact.base))
                finding = _disputed(claim, found, self._of_one_thing(claim, against))
            else:
                finding = _unsupported(claim, matches, against)
            if finding is not None:
                in_sources = bool(found) or all(each.weight == CERTAIN for _, each in against)
                doubts.append(_Doubt(claim, finding, against, in_sources=in_sources))
        doubted = {each.place: each.in_sources for each in doubts}
        explained = {
            place
            for example in set(examples.values())
            for place in example.explained(doubted, self._shares)
            if examples.get(place) is example
        }
        for doubt in doubts:
            if doubt.place in explained:
                continue
            claim, finding, fact = doubt.claim, doubt.finding, doubt.claim.fact
            said = {each.text for each in claim.sentence.facts}
            # What contradicts a product may be its rate.
            is_own = all(match.value in said for _, match in doubt.against)
            is_right = worked_out(claim.sentence.facts, rates[_part(claim.section)]).get(fact.span)
            if is_right and (is_own or finding.check == UNSUPPORTED):
                continue
            if not required and doubt.place in examples and finding.check != DISPUTED:
                continue  # the figures of an example are its own
            if finding.check == UNSUPPORTED:
                told = examples.get(doubt.place)
                is_free = told is not None and told.is_free and self._is_given(claim)
                if (is_free and is_right is not False) or self._only_orders(claim):
                    continue
                if claim.section in questions and not _has_figure(fact):
                    finding = replace(_as_warning(finding), removable=False)
            elif claim.section in questions:  # it states nothing, and its words are the plan's
                finding = replace(_as_warning(finding), removable=False)
            nearness = max(
                [_LEAST_NEAR, *(m.weight for _, m in doubt.against if m.value not in said)]
            )
            near = partial(self._says, claim, nearness)
            own = [each for each in quoted[claim.section] if each.holds(fact.span)]
            in_code = any(low <= fact.span[0] < high for low, high in code[claim.section])
            if own and (self._is_sample(claim) or (in_code and finding.check == UNSUPPORTED)):
                continue
            if own and in_code:
                # A schedule says in its own way what the sentence says in words: “0 3 * * *”.
                if any(match.value in said for _, match in doubt.against):
                    continue
                finding = replace(_as_warning(finding), removable=False)
            elif self._is_vouched(claim, finding, own, filter(near, notes)):
                if not any(match.is_denial for _, match in doubt.against):
                    continue
                finding = replace(_as_warning(finding), removable=False)
            elif _is_often_wrong(fact, finding, own, is_headline=claim.section in headlines):
                continue
            elif finding.check == UNSUPPORTED and self._is_count(claim, own, notes):
                finding = replace(_as_warning(finding), removable=False)
            findings.append(finding)
        findings += self._unknown_names(texts, known, quoted)
        skipped = "" if self._vocabulary.is_known else _NOT_EXAMINED
        return Verdict(tuple(findings), tuple(coverage), skipped)

    def _read(self, known: frozenset[str]) -> Callable[[str], Sequence[AnnotatedSentence]]:
        """Return how to read a text of the post, as `claims` does, so that it is cached."""
        language, today = self._request.language, self._today
        return lambda text: annotate(text, language, today, known).sentences

    @cached_property
    def _shares(self) -> frozenset[float]:
        """The shares that the sources name."""
        facts = (
            fact for source in self.sources for each in source.values.values() for fact in each
        )
        return frozenset(fact.low / 100 for fact in facts if fact.unit == "percent")

    def _is_given(self, claim: Claim) -> bool:
        """Whether a fact of an example may be of its own: not a rate, nor a duration in place of
        that of a source, which may be a limit."""
        fact = claim.fact
        if fact.kind not in _GIVEN:
            return False
        own = claim.sentence.stems - self._stems(fact.text)
        return fact.unit not in _DURATIONS or not any(
            comparable(fact, told) and len(own & sentence.stems) >= _LEAST_NEAR
            for source in self.sources
            for sentence in source.sentences
            for told in sentence.facts
        )

    def _only_orders(self, claim: Claim) -> bool:
        """Whether a fact is an ordinal in words, as in “a second adult”, and no source has another
        one of the same thing."""
        fact, sentence = claim.fact, claim.sentence
        if fact.kind is not FactKind.ORDINAL or not fact.text.isalpha():
            return False
        after = words(sentence.text[fact.span[1] - sentence.span[0] :])[:1]
        thing = self._stems(" ".join(after))
        return not any(
            told.kind is FactKind.ORDINAL and thing & each.stems
            for source in self.sources
            for each in source.sentences
            for told in each.facts
        )

    def _of_one_thing(
        self, claim: Claim, against: Sequence[tuple[Source, Match]]
    ) -> Sequence[tuple[Source, Match]]:
        """Return what contradicts a claim and shares a word with it that is not one of the request:
        two sentences of one subject may give the time of different steps."""
        asked = " ".join((self._request.topic, *self._request.keywords))
        own = claim.sentence.stems - self._stems(asked) - self._stems(claim.fact.text)
        return [
            (source, match)
            for source, match in against
            if own & (self._stems(match.said) - self._stems(match.value))
        ]

    def _stems(self, text: str) -> frozenset[str]:
        language = self._vocabulary.language
        return frozenset(stem(token.low, language) for token in tokenize(text) if token.is_word)

    def _short_words(self, text: str) -> frozenset[str]:
        """Return the stems of words that are too short to tell a subject alone: “jar”, “bags”."""
        short = (word for word in words(text) if len(word) in _SHORT and word.isalpha())
        return self._stems(" ".join(set(short) - self._vocabulary.function_words))

    def names_example(self, text: str) -> bool:
        """Whether a text names something an example."""
        return not self._vocabulary.words.examples.isdisjoint(words(text))

    def _is_sample(self, claim: Claim) -> bool:
        """Whether a quotation is a wording that readers may use or avoid, nobody's words: “such
        as”, “write”."""
        fact, sentence = claim.fact, claim.sentence
        if fact.kind is not FactKind.QUOTATION or claim.is_attributed:
            return False
        known, before = self._vocabulary.words, sentence.text[: sentence.span_inside(fact)[0]]
        near = words(before)[-_SAMPLE_REACH:]
        return not (known.samples | known.examples).isdisjoint(near)

    def _is_count(self, claim: Claim, own: Sequence[_Quoted], notes: Sequence[Extract]) -> bool:
        """Whether a number in words counts what is quoted for its sentence, or a note that shares
        words with it, names one by one: “three records” are “SPF, DKIM and DMARC”."""
        fact, rules = claim.fact, get_section(self._vocabulary.language, Enumerations)
        quoted = [extract for each in own for extract in each.extracts]
        is_number = fact.kind is FactKind.NUMBER and not fact.unit and fact.text.isalpha()
        if rules is None or not (quoted and is_number):
            return False
        stems = claim.context | self._short_words(claim.sentence.text)
        near = (
            each.text
            for each in notes
            if stems & (self._stems(each.text) | self._short_words(each.text))
        )
        listed = re.compile(
            rf"((?:, [\w’'-]+(?: [\w’'-]+){{0,3}})+),? (?:{'|'.join(rules.joins)}) "
        )
        return any(
            match[1].count(",") + 2 == fact.low
            for text in (*(each.text for each in quoted), *near)
            for match in listed.finditer(text)
        )

    def _is_vouched(
        self, claim: Claim, finding: Finding, own: Sequence[_Quoted], saying: Iterator[Extract]
    ) -> bool:
        """Whether the words that are quoted for the sentence of a claim have its value, or a note
        is ``saying`` it. They need not have the dates of an example that is named as one. Nor need
        they have a day or an hour, or what a sentence works out, unless a source says otherwise."""
        fact = claim.fact
        if fact.when is not None and any(each.is_example for each in own):
            return True
        extracts = [extract for each in own for extract in each.extracts]
        if not extracts or not fact.is_value or finding.check == DISPUTED:
            return False
        values = list[Fact]()
        for extract in extracts:
            source = self.sources[extract.source_index]
            for sentence in source.annotated(extract.text):
                if has_value(claim, sentence, source.vocabulary) or has_number(fact, sentence):
                    return True
                values += [told for told in sentence.facts if told.is_value]
        if next(saying, None) is not None:
            return True
        ends = _ends(fact)
        if len(ends) > 1 and all(any(same_value(end, told) for told in values) for end in ends):
            return True
        if finding.check != UNSUPPORTED:
            return False
        is_day = fact.when is not None and fact.when.weekday is not None
        if is_day or fact.kind is FactKind.TIME:
            return not any(told.is_value and comparable(fact, told) for told in values)
        return made_from(fact, tuple(values), by=claim.is_change)

    def _says(self, claim: Claim, least: int, note: Extract) -> bool:
        """Whether a note has the value of a claim, and ``least`` other words of it; another value
        counts for two."""
        source = self.sources[note.source_index]
        telling = claim.context - source.ubiquitous or claim.context
        telling |= self._short_words(claim.sentence.text)
        others = [each for each in claim.sentence.facts if each.is_value and each != claim.fact]
        for sentence in source.annotated(note.text):
            said = sentence.stems | self._short_words(sentence.text)
            shared = len(telling & said) + 2 * sum(
                fact.value in sentence.values or has_number(fact, sentence) for fact in others
            )
            if shared >= least and (
                has_value(claim, sentence, source.vocabulary) or has_number(claim.fact, sentence)
            ):
                return True
        return False

    def _unknown_names(
        self,
        texts: Sequence[Passage],
        known: frozenset[str],
        quoted: Mapping[str, Sequence[_Quoted]],
    ) -> Iterator[Finding]:
        # The same arguments as in `claims`, so that the annotation is cached.
        language = self._request.language
        prose = [
            (passage, annotate(passage.text, language, self._today, known))
            for passage in texts
            if passage.kind not in HEADLINES | {Kind.CODE} and self._vocabulary.is_known
        ]
        ordinary = frozenset[str]().union(*(text.ordinary for _, text in prose))
        for passage, text in prose:
            for sentence in text.sentences:
                begin = sentence.span[0]
                taken = [(fact.span[0] - begin, fact.span[1] - begin) for fact in sentence.facts]
                tokens = tokenize(sentence.text)
                for low, high in unknown_names(
                    tokens, self._vocabulary, self._known_words, ordinary, taken
                ):
                    name = _quoted(sentence.text[low:high])
                    reason = (
                        f"No source has the name {name}. Leave it out, or write what a source says."
                    )
                    span = begin + low, begin + high
                    finding = blocker(UNSUPPORTED, passage.section, reason, span)
                    if passage.kind is Kind.QUESTION:  # its words are those of the plan
                        finding = replace(_as_warning(finding), removable=False)
                    # Two nouns beside each other may be no name: “des Folgejahres Zeit”.
                    if self._vocabulary.capitalises_nouns and any(
                        each.extracts and each.holds(span) for each in quoted[passage.section]
                    ):
                        finding = replace(_as_warning(finding), removable=False)
                    yield finding

    @cached_property
    def _known_words(self) -> KnownWords:
        asked = self._request
        given = " ".join((*asked.brands, *asked.keywords, asked.topic, asked.background))
        words = {token.low for token in tokenize(given)}.union(*(s.words for s in self.sources))
        return KnownWords(words, self._vocabulary.language)

    def _of_both_ends(self, claim: Claim) -> list[Source]:
        """Return the sources of a range whose ends come from different sources. Empty if an end is
        unsupported, or if one source has both ends but not the range.
        """
        ends = _ends(claim.fact)
        if len(ends) == 1:
            return []
        low, high = (
            [
                each.source
                for each in self.sources
                if look_up(replace(claim, fact=end), each).outcome is Outcome.SUPPORTED
            ]
            for end in ends
        )
        apart = low and high and not {s.url for s in low} & {s.url for s in high}
        return [*low, *high] if apart else []


def _ends(fact: Fact) -> list[Fact]:
    """Return the lowest and the highest value of a range; else the fact alone."""
    if fact.low == fact.high or fact.when is not None:
        return [fact]
    return [replace(fact, high=fact.low), replace(fact, low=fact.high)]


def _unsupported(
    claim: Claim, matches: Sequence[tuple[Source, Match]], against: Sequence[tuple[Source, Match]]
) -> Finding | None:
    what, section, span = _quoted(claim.fact.text), claim.section, claim.fact.span
    if against:
        reason = _contradiction(claim, what, *_heaviest(against))
        return blocker(CONTRADICTED, section, reason, span)
    if claim.is_advice:
        return None
    reason = f"No source says {what}. Leave it out, or write what a source says."
    silent = ((source, match) for source, match in matches if match.outcome is Outcome.SILENT)
    elsewhere = next((pair for pair in silent if pair[1].said), None)
    if elsewhere:
        source, match = elsewhere
        reason = (
            f"No source says {what} of this; {source.site} has it of something else:"
            f" {_quoted(match.said)} Leave it out, or write what the source says."
        )
    return blocker(UNSUPPORTED, section, reason, span)


def _has_figure(fact: Fact) -> bool:
    return bool(fact.unit) or any(map(str.isdigit, fact.text))


def _has_extracts(own: Sequence[_Quoted]) -> bool:
    return any(each.extracts for each in own)


def _is_often_wrong(
    fact: Fact, finding: Finding, own: Sequence[_Quoted], *, is_headline: bool
) -> bool:
    """Whether a finding on what a judge supports, or takes for no claim, is more often wrong than
    right: two sources have different hours, or numbers of nothing, mostly for different things; and
    the number in a heading is one of the post's own things."""
    is_number = fact.kind is FactKind.NUMBER and not fact.unit
    if finding.check == DISPUTED:
        is_bare = is_number and not fact.nouns
        return (is_bare or fact.kind is FactKind.TIME) and _has_extracts(own)
    return finding.check == UNSUPPORTED and is_number and is_headline and bool(own)


def _nearness(claim: Claim, against: Match) -> int:
    """How near what contradicts a claim is to it; 0 if the sentence of the claim has both values,
    each of something else."""
    is_said = any(fact.text == against.value for fact in claim.sentence.facts)
    return 0 if is_said and against.weight < CERTAIN else against.weight


def _disputed(
    claim: Claim, found: Sequence[Source], against: Sequence[tuple[Source, Match]]
) -> Finding | None:
    """Return a blocker if two sources disagree on a value, unless the post has both values or says
    whose it is.
    """
    disputes = [pair for pair in against if pair[1].is_dispute]
    if not disputes or claim.is_attributed:
        return None
    source, match = _heaviest(disputes)
    if any(fact.text == match.value for fact in claim.sentence.facts):
        return None
    reason = (
        f"{found[0].site} says {_quoted(claim.fact.text)}, but {source.site} says"
        f" {_quoted(match.value)}: {_quoted(match.said)} Give both, or say whose figure it is."
    )
    return blocker(DISPUTED, claim.section, reason, claim.fact.span)


def _heaviest(pairs: Sequence[tuple[Source, Match]]) -> tuple[Source, Match]:
    return max(pairs, key=lambda pair: pair[1].weight)


def _contradiction(claim: Claim, what: str, source: Source, match: Match) -> str:
    said = _quoted(match.said)
    if match.is_denial:
        return (
            f"Either the post or {source.site} denies {what}, and the other does not: {said} Write"
            " what the source says."
        )
    if claim.fact.kind is not FactKind.QUOTATION:
        return (
            f"{what} is not what {source.site} says; there it is {_quoted(match.value)}:"
            f" {said} Write what the source says."
        )
    if match.value == ANOTHER_SPEAKER:
        return f"{source.site} gives the words {what} to somebody else: {said} Name who said them."
    return f"{what} is not word for word what {source.site} has: {said} Quote it so."


def _part(section: str) -> str:
    """Return the path of the section that a text of a post belongs to."""
    return section.partition(".")[0]


def _are_akin(one: str, other: str) -> bool:
    """Whether one of two stems begins or ends with the other, or they begin alike."""
    short, long = sorted((one, other), key=len)
    if len(short) < _COMPOUNDED:
        return False
    alike = sum(takewhile(bool, map(eq, one, other)))
    return long.endswith(short) or alike == len(short) or alike >= max(_ALIKE, 0.7 * len(long))


def _quoted(text: str) -> str:
    return f"“{shortened(text, _MAX_SAID)}”"


def unsupported_statement(
    statement: Statement, nearest: str = "", words: Sequence[Span] = ()
) -> Finding:
    """Return the finding of a sentence that no source supports.

    Args:
        nearest: the sentence of a source that says most like it; "" without one.
        words: where the words are, in the text of the statement, that no source has; () if that is
            all of it.
    """
    text, place = statement.text, statement.place
    if words:
        named = " and ".join(_quoted(text[begin:end]) for begin, end in words)
        source = f"the source says it ({_quoted(nearest)})" if nearest else "a source says it"
        kind = "row" if statement.is_row else "sentence"
        # A title or heading has to stand.
        or_else = "" if statement.is_headline else f", or leave the {kind} out"
        reason = (
            f"In {_quoted(text)}, no source says {named}. Say it without these words, as"
            f" {source}{or_else}."
        )
        if place:
            place = (place[0] + words[0][0], place[0] + words[-1][1])
    else:
        such = f", such as {_quoted(nearest)}" if nearest else ""
        reason = f"No source says {_quoted(text)}. Leave it out, or write what a source says{such}."
    return blocker(UNSUPPORTED, statement.passage.section, reason, place)


def contradicted_statement(statement: Statement, source: Source, said: str) -> Finding:
    """Return the finding of a sentence that a source contradicts, with what it says instead."""
    reason = (
        f"{_quoted(statement.text)} is not what {source.site} says: {_quoted(said)} Write what the"
        " source says."
    )
    return blocker(CONTRADICTED, statement.passage.section, reason, statement.place)


def _as_warning(finding: Finding) -> Finding:
    is_sourced = finding.check in {COPIED_FROM_SOURCE.name, DISPUTED}
    return replace(finding, severity=Severity.WARNING, removable=not is_sourced, fixable=True)


@dataclass(frozen=True)
class Grounding:
    """The sources of one post; ``day`` is that of the post."""

    sources: tuple[Source, ...]
    request: RequestContext
    day: date

    def notes(self, about: str, most: int) -> tuple[Extract, ...]:
        """Return up to ``most`` sentences of the sources, first what they say about something."""
        return self._passages.overview(about, most)

    def material(self, about: str, most: int) -> tuple[Extract, ...]:
        """Return the sentences, items and rows of tables of the sources: notes for a writer. Of
        more than ``most`` of the longest sentences have room for, first what they say about
        something.
        """
        return self._material.statements(about, most * EXTRACT_CHARS[1])

    def marked(self, extracts: Iterable[Extract]) -> str:
        """Return extracts as a block for a prompt, below the names of their sites."""
        return marked(extracts, [source.site for source in self.sources])

    def quotations(self, about: str, most: int, *, is_read: bool) -> tuple[Extract, ...]:
        """Return up to ``most`` sentences of the sources and their tables, to be copied.

        Args:
            is_read: whether a model reads the text that they are copied into. Otherwise, some may
                be orders to a model.
        """
        if is_read:
            return self._passages.quotations(about, most)
        request = self.request
        index = PassageIndex(self.sources, request.language, request.keywords, copied=True)
        return index.quotations(about, most)

    def title(self, index: int, *, is_read: bool = True) -> str:
        """Return the title of a source without the name of its site; "" if it may not be given.

        Args:
            is_read: whether a model reads it.
        """
        return title_of(self.sources[index], copied=not is_read)

    def notes_apart(self, queries: Sequence[str], most: int) -> list[tuple[Extract, ...]]:
        """Return up to ``most`` sentences of the sources for each query, none of them twice."""
        return self._passages.share_out(queries, most)

    def findings(
        self,
        texts: Sequence[Passage],
        *,
        required: bool = True,
        vouched: Vouched = (),
        notes: Sequence[Extract] = (),
    ) -> list[Finding]:
        """Return the findings of single passages: unsupported claims and plagiarism.

        Args:
            required: whether the sources must support every claim. If not, the findings are
                warnings, to be repaired if there is room, without doubtful contradictions; what a
                source says stays, even if it is copied, or if another source says something else.
            vouched: the sentences that a judge supports. On a value that is in the sentences quoted
                for it, there is no finding: comparing words, the rules err more often.
            notes: what else the judge was shown, see `SourceIndex.check`.
        """
        found = [
            *self._index.check(texts, required=required, vouched=vouched, notes=notes).findings,
            *check_plagiarism(texts, self._originals, self.request.keywords, self.request.language),
        ]
        if required:
            return found
        # What is said of a whole text is a finding of each passage, for its rewriting; as warnings,
        # the first says all.
        told: dict[object, Finding] = {}
        for finding in found:
            place = (finding.section, finding.span) if finding.span else None
            told.setdefault((finding.check, finding.reason, place), _as_warning(finding))
        return list(told.values())

    def without_known_spellings(
        self, texts: Sequence[Passage], findings: Sequence[Finding]
    ) -> list[Finding]:
        """Return the findings without misspelled words that a source spells in the same way."""
        by_section = {passage.section: passage.text for passage in texts}

        def is_known(finding: Finding) -> bool:
            if finding.check != check_misspelling.name or finding.span is None:
                return False
            word = by_section.get(finding.section, "")[slice(*finding.span)]
            return fold(word) in self._spellings

        return [finding for finding in findings if not is_known(finding)]

    def coverage(self, texts: Sequence[Passage]) -> tuple[Coverage, ...]:
        """Return every claim of the passages with its support."""
        return self._index.check(texts).coverage

    def extracts_about(
        self, queries: Iterable[str], most: int, fill: int = 0, given: Collection[Extract] = ()
    ) -> tuple[Extract, ...]:
        """Return the sentences of the sources nearest to each query, up to ``most`` for each, and
        their neighbours up to ``fill`` in all; if a writer was ``given`` some, these."""
        return self._material.around(queries, most, fill, given)

    def verbatim(self, sentence: str) -> Extract | None:
        """Return the sentence of a source that has the same words; None if no source has it."""
        return self._by_words.get(quoted_words(sentence))

    def names_example(self, text: str) -> bool:
        """Whether a text of the post names something an example."""
        return self._index.names_example(text)

    def is_about(self, sentence: str, extract: Extract, least: int = 1) -> bool:
        """Return whether a sentence and one of a source in its language share ``least`` telling
        words, or all of the sentence."""
        language = primary_subtag(self.request.language)
        theirs = self.sources[extract.source_index].language
        if theirs and primary_subtag(theirs) != language:
            return True
        own = stems(sentence, language) - self._small_words
        told = stems(extract.text, language) - self._small_words
        shared = own & told
        if len(shared) < least:
            # “Nebenkostenabrechnung” is about an “Abrechnung”, and “unterschreiben” about an
            # “Unterschrift”.
            shared |= {one for one in own if any(_are_akin(one, each) for each in told)}
        return len(shared) >= min(least, len(own))

    @cached_property
    def _by_words(self) -> Mapping[tuple[str, ...], Extract]:
        return {
            sentence.words: Extract(number, sentence.text)
            for number, source in enumerate(self._index.sources)
            for sentence in source.sentences
            if len(sentence.words) >= MIN_WORDS
        }

    @cached_property
    def _spellings(self) -> frozenset[str]:
        return frozenset(word for source in self.sources for word in words(source.text))

    @cached_property
    def _small_words(self) -> frozenset[str]:
        language = primary_subtag(self.request.language)
        spoken = get_language(language)
        return stems(" ".join(spoken.function_words), language) if spoken else frozenset()

    @cached_property
    def _passages(self) -> PassageIndex:
        return PassageIndex(self.sources, self.request.language, self.request.keywords)

    @cached_property
    def _material(self) -> PassageIndex:
        request = self.request
        return PassageIndex(self.sources, request.language, request.keywords, statements_of)

    @cached_property
    def _index(self) -> SourceIndex:
        return SourceIndex(self.sources, self.request, self.day)

    @cached_property
    def _originals(self) -> Originals:
        return Originals(self.sources)
