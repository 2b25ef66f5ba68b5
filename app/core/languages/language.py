"""The sections of a language file: words, patterns and thresholds. `en.toml` explains each key."""

import re
from collections.abc import Mapping, Sequence
from fractions import Fraction
from functools import cached_property
from typing import Annotated

from pydantic import BaseModel, BeforeValidator, ConfigDict

from app.core.text import fold, words

Words = frozenset[str]
# Quotation marks end no clause: the key was “turned” by hand.
_CLAUSE = re.compile(r"[,;:()\[\]—–]")
# More than the longest words that a text can break off after.
_LAST_WORDS_CHARS = 40


def _any_of(patterns: object) -> object:
    """Join a list of regular expressions: case is ignored, `^` matches at the start of a line."""
    if not isinstance(patterns, list) or not all(isinstance(each, str) for each in patterns):
        return patterns
    return "(?im)" + "|".join(f"(?:{each})" for each in patterns) if patterns else "(?!)"


Patterns = Annotated[re.Pattern[str], BeforeValidator(_any_of)]


def _by_first_word(phrases: object) -> object:
    if not isinstance(phrases, list) or not all(isinstance(each, str) for each in phrases):
        return phrases
    found: dict[str, list[tuple[str, ...]]] = {}
    for phrase in sorted(phrases, key=len, reverse=True):
        words = tuple(phrase.split())
        found.setdefault(words[0], []).append(words)
    return found


# Phrases by their first word, the longest first.
Phrases = Annotated[dict[str, tuple[tuple[str, ...], ...]], BeforeValidator(_by_first_word)]


class Section(BaseModel):
    """A table of a language file: every key is required, and no other is accepted."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class Headings(Section):
    """Headings that Copydesk writes, and those that say nothing and are refused."""

    faq: str
    offers: str
    empty: Words


class Sentences(Section):
    """A sentence of more than ``long_words`` words is long. Openings of sentences are compared by
    their first word, and by the second as well if the first is one of ``articles``."""

    long_words: int
    articles: Words


class Flesch(Section):
    """The reading ease: ``base`` less ``per_word`` for each word of a mean sentence and
    ``per_syllable`` for each syllable of a mean word. ``hyphenation`` is a dictionary of pyphen."""

    hyphenation: str
    base: float
    per_word: float
    per_syllable: float


class Transitions(Section):
    """Words and phrases that link sentences; ``opening`` ones count only at the start of a text.

    Both halves of a pair (either, or) must occur, in that order.
    """

    phrases: tuple[str, ...]
    opening: tuple[str, ...]
    pairs: tuple[tuple[str, str], ...]

    def within(self, text: str) -> bool:
        """Return whether a text uses any of them."""
        found = words(text)
        if any(found[: len(parts)] == parts for parts in self._opening):
            return True
        if not self._by_first.keys().isdisjoint(found):
            for index, word in enumerate(found):
                for parts in self._by_first.get(word, ()):
                    if found[index : index + len(parts)] == parts:
                        return True
        return any(
            (end := _end_of(first, found, 0)) and _end_of(second, found, end)
            for first, second in self._pairs
        )

    @cached_property
    def _opening(self) -> list[tuple[str, ...]]:
        return [words(phrase) for phrase in self.opening]

    @cached_property
    def _by_first(self) -> dict[str, list[tuple[str, ...]]]:
        by_first: dict[str, list[tuple[str, ...]]] = {}
        for phrase in self.phrases:
            parts = words(phrase)
            by_first.setdefault(parts[0], []).append(parts)
        return by_first

    @cached_property
    def _pairs(self) -> list[tuple[tuple[str, ...], tuple[str, ...]]]:
        return [(words(first), words(second)) for first, second in self.pairs]


def _end_of(phrase: tuple[str, ...], text: tuple[str, ...], start: int) -> int:
    """Return the end of a phrase in a text, at or after ``start``; 0 if it is not there."""
    while phrase[0] in text[start:]:
        start = text.index(phrase[0], start) + 1
        end = start + len(phrase) - 1
        if text[start - 1 : end] == phrase:
            return end
    return 0


class Passive(Section):
    """An auxiliary and a participle in one clause, the auxiliary first unless ``either_order``.

    A participle is one of ``participles``, alone or after one of ``participle_prefixes``, or a
    match of ``participle_patterns``, unless it is one of ``not_participles``. The words of
    ``clause_starts`` begin another clause. A participle right after one of ``adjective_after`` is
    an adjective (`a broken jar`). One of ``other_complements`` after the auxiliary completes it in
    place of a participle (`is a jar filled by hand`), but not in a question, where it begins the
    subject.
    """

    auxiliaries: Words
    participles: Words
    participle_prefixes: tuple[str, ...]
    participle_patterns: Patterns
    not_participles: Words
    clause_starts: Words
    adjective_after: Words
    other_complements: Words
    either_order: bool

    def within(self, sentence: str) -> bool:
        """Return whether a sentence is in the passive voice."""
        if self.auxiliaries.isdisjoint(words(sentence)):
            return False
        others = Words() if sentence.endswith("?") else self.other_complements
        return any(self._in_clause(words(clause), others) for clause in _CLAUSE.split(sentence))

    def _in_clause(self, found: Sequence[str], other_complements: Words) -> bool:
        open_auxiliary = open_participle = False
        for index, word in enumerate(found):
            if word in self.clause_starts:
                open_auxiliary = open_participle = False
            elif word in other_complements:
                open_auxiliary = False
            elif word in self.auxiliaries:
                open_auxiliary = True
                if self.either_order and open_participle:
                    return True
            elif (
                (open_auxiliary or self.either_order)
                and self._is_participle(word)
                and not (index and found[index - 1] in self.adjective_after)
            ):
                if open_auxiliary:
                    return True
                open_participle = True
        return False

    def _is_participle(self, word: str) -> bool:
        return word not in self.not_participles and (
            word in self._participles or self.participle_patterns.fullmatch(word) is not None
        )

    @cached_property
    def _participles(self) -> Words:
        prefixes = ("", *self.participle_prefixes)
        return Words(prefix + word for prefix in prefixes for word in self.participles)


class SelfReference(Section):
    """A text that speaks of itself ("in this article"): a warning; in a description a blocker if
    ``blocks_description``."""

    patterns: Patterns
    blocks_description: bool


class AssistantTalk(Section):
    """What a model says to its user. People may write what is ``of_the_task`` ("this paragraph"),
    so that it is refused in generated text only."""

    of_itself: Patterns
    of_the_task: Patterns


class Placeholders(Section):
    """Places that were left to be filled in: "[insert your name]"."""

    patterns: Patterns


class CutOff(Section):
    """Words that end a text which breaks off: ``always``, or ``before_ellipsis`` ("and …").

    A word of one letter counts in lower case only: vitamin A may end a sentence.
    """

    always: tuple[str, ...]
    before_ellipsis: tuple[str, ...]

    def ends(self, text: str) -> bool:
        """Return whether a text ends with one of them."""
        # The pattern ends with the text and would be tried at each of its characters.
        begin = max(0, len(text.rstrip(".…")) - _LAST_WORDS_CHARS)
        return self._pattern.search(text, begin) is not None

    @cached_property
    def _pattern(self) -> re.Pattern[str]:
        return re.compile(
            rf"(?<![\w'’-])(?:{_alternatives(self.always)}[.…]*"
            rf"|{_alternatives(self.before_ellipsis)}(?:…|\.{{2,}}))$"
        )


def _alternatives(phrases: Sequence[str]) -> str:
    each = (re.escape(one) if len(one) == 1 else f"(?i:{re.escape(one)})" for one in phrases)
    return f"(?:{'|'.join(each)})" if phrases else "(?!)"


class CurrentEvents(Section):
    """Requests about what happens now: they contain one of ``phrases``, or end with one of
    ``endings`` ("bitcoin news") that none of ``not_after`` precedes ("fake news")."""

    phrases: tuple[str, ...]
    endings: tuple[str, ...]
    not_after: tuple[str, ...]

    @cached_property
    def pattern(self) -> re.Pattern[str]:
        """A pattern to be searched for in folded text."""
        phrases, endings, before = (
            "|".join(re.escape(fold(phrase)) for phrase in listed) or "(?!)"
            for listed in (self.phrases, self.endings, self.not_after)
        )
        return re.compile(
            rf"\b(?:{phrases})\b|^(?!.*\b(?:{before}) (?:{endings})$)\S.* (?:{endings})$"
        )


class Refusals(Section):
    """How a model declines a task: each of the optional ``lead_in`` patterns, in order, then one
    of ``declines``."""

    lead_in: tuple[str, ...]
    declines: tuple[str, ...]

    @property
    def pattern(self) -> str:
        """The source of a pattern that matches at the start of a refusal; case is to be ignored."""
        return "".join(f"(?:{each})?" for each in self.lead_in) + f"(?:{'|'.join(self.declines)})"


class Hedges(Section):
    about: Words
    over: Words
    just_over: Words
    under: Words
    nearly: Words
    before_number: Words

    @cached_property
    def by_phrase(self) -> Mapping[str, str]:
        """The name of its list for each hedge."""
        kinds = ("about", "over", "just_over", "under", "nearly")
        return {phrase: kind for kind in kinds for phrase in getattr(self, kind)}


class Changes(Section):
    rise: tuple[str, ...]
    fall: tuple[str, ...]
    rise_phrases: Words
    fall_phrases: Words
    more: Words
    less: Words
    by: Words


class Numbers(Section):
    ones: tuple[str, ...]
    tens: tuple[str, ...]
    numbers: dict[str, int]
    scales: dict[str, int]
    groups: dict[str, int]
    joiners: Words
    has_compounds: bool
    unit_first: bool
    counts_by_twenty: bool
    articles: Words
    halves: Words
    and_half: Phrases
    one_and_half: Words
    half_endings: tuple[str, ...]
    range: Words
    between: Words
    both: Words
    people: Words
    ordinals: tuple[str, ...]
    before_ordinal: Words
    ordinal_endings: Words

    @cached_property
    def values(self) -> Mapping[str, int]:
        """The value of each word that can be a part of a number."""
        tens = {word: 10 * ten for ten, word in enumerate(self.tens, 2)}
        return {word: one for one, word in enumerate(self.ones)} | tens | self.numbers | self.scales

    @cached_property
    def longest(self) -> int:
        """The length in characters of the longest of these words."""
        return max(map(len, self.values), default=0)


class Shares(Section):
    percent: Phrases
    points: Words
    percentage_points: Phrases
    fractions: dict[str, Fraction]
    plain_fractions: Words
    of: Words
    after_alone: Words
    before_half: Words
    never_after: Words
    one_in: Phrases
    ratios: dict[str, float]


class Dates(Section):
    past: Words
    coming: Words
    present: Words
    adjectives_follow: bool
    yesterday: Words
    tomorrow: Words
    ago_before: Phrases
    ago_after: Words
    joiners: Words
    before_year: Words
    capitalised_months: bool
    ambiguous_months: Words
    before_month: Words
    oclock: Words
    periods: dict[str, str]
    seasons: dict[str, str]


class Verification(Section):
    negations: Words
    not_negating: Words
    clause_ends: Words
    saying: Words
    attributing: Words
    listed: Words
    numbered: Words
    pointing: Words
    hedges: Hedges
    changes: Changes
    numbers: Numbers
    shares: Shares
    dates: Dates


class Consistency(Section):
    """Words by which the statements of one text are held against each other.

    ``neutral`` words tell no subject; ``implied`` are words that a unit says already (cost, of
    money) and ``dimensions`` those that name what a length measures. A sentence with one of
    ``conditions`` holds only in some case, a clause with one of ``limits`` as well; ``fronting``
    words begin such a case. ``once`` are beginnings of words for what happens on one day only. A
    count is the whole number of things after one of ``having`` or ``definite``, and ``capacity``
    words need no thing. ``leading`` words stand before a value in front of what it is said of ("At
    $60, the filter"); ``leading_over`` ones stand behind such a value ("the $60 for the filter").
    ``total_rows`` begin the last row of a table, ``relatives`` a clause about what stands before
    it, ``orders`` an order.
    """

    neutral: Words
    implied: dict[str, Words]
    dimensions: dict[str, Words]
    conditions: Words
    limits: Words
    fronting: Words
    leading: Words
    leading_over: Words
    relatives: Words
    pronouns: Words
    orders: Words
    once: tuple[str, ...]
    having: Words
    definite: Words
    capacity: Words
    per: Words
    total_before: Words
    total_after: Words
    total_rows: Words
    remaining: Words
    overlapping: Words
    each: Words
    span_from: Words
    span_to: Words
    ranging: Words
    later: Words
    old: Words
    equals: Words
    denials: Words
    without_denial: Words
    opposites: tuple[tuple[str, str], ...]

    @cached_property
    def opposite(self) -> Mapping[str, str]:
        """One word for both of a pair, for each word of a pair."""
        return {word: pair[0] for pair in self.opposites for word in pair}


class Language(Section):
    """The content of a language file; a section that it leaves out is None.

    ``function_words`` carry no subject: articles, pronouns, prepositions, auxiliaries and such.
    ``capitalises_nouns`` says that a capital inside a sentence need not begin a name. ``colon`` is
    a colon with the space before it, if any.
    """

    name: str
    colon: str
    capitalises_nouns: bool
    function_words: Words
    headings: Headings | None = None
    sentences: Sentences | None = None
    flesch: Flesch | None = None
    transitions: Transitions | None = None
    passive: Passive | None = None
    self_reference: SelfReference | None = None
    assistant_talk: AssistantTalk | None = None
    placeholders: Placeholders | None = None
    cut_off: CutOff | None = None
    current_events: CurrentEvents | None = None
    refusals: Refusals | None = None
    verification: Verification | None = None
    consistency: Consistency | None = None
