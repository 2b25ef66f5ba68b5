"""The sections of a language file: words, patterns and thresholds. `en.toml` explains each key."""

import re
from collections.abc import Mapping, Sequence
from fractions import Fraction
from functools import cached_property
from typing import Annotated

from pydantic import BaseModel, BeforeValidator, ConfigDict

from app.core.languages.wordings import Wordings, joined
from app.core.text import fold, words

Words = frozenset[str]
# Quotation marks end no clause: the key was “turned” by hand.
_CLAUSE = re.compile(r"[,;:()\[\]—–]")
# More than the longest words that a text can break off after.
_LAST_WORDS_CHARS = 40
_STEM_START = r"(?i)(?<!\w)(?:"
_LITERAL = re.compile(r"[^\W\d_]*")
# As many letters of a word are looked up.
BEGINNING_LETTERS = (3, 4)


def _any_of(patterns: object) -> object:
    """Join a list of regular expressions: case is ignored, `^` matches at the start of a line."""
    if not isinstance(patterns, list) or not all(isinstance(each, str) for each in patterns):
        return patterns
    return "(?im)" + "|".join(f"(?:{each})" for each in patterns) if patterns else "(?!)"


Patterns = Annotated[re.Pattern[str], BeforeValidator(_any_of)]


def _one(pattern: object) -> object:
    return _any_of([pattern]) if isinstance(pattern, str) else pattern


OnePattern = Annotated[re.Pattern[str], BeforeValidator(_one)]


def _any_case(pattern: object) -> object:
    return f"(?i){pattern}" if isinstance(pattern, str) else pattern


def _whole_sentence(pattern: object) -> object:
    return rf"(?i)\A{pattern}[.!]\Z" if isinstance(pattern, str) else pattern


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


def _by_cue(entries: object) -> object:
    """Give each word of the first half of an entry the pattern that is its second half."""
    if not isinstance(entries, list):
        return entries
    found: dict[str, tuple[object, ...]] = {}
    for cues, pattern in entries:
        compiled = joined([pattern])
        for cue in cues.split():
            found[cue] = (*found.get(cue, ()), compiled)
    return found


def _any_stem(alternatives: object) -> object:
    """Words and beginnings of words, in one string: `bleach|chlorine`."""
    if not isinstance(alternatives, str):
        return alternatives
    return f"{_STEM_START}{alternatives})"


def _beginnings_of(pattern: str) -> frozenset[str]:
    """Return the first letters of the words that a pattern can match; none if it is not certain."""
    found: set[str] = set()
    for alternative in _alternatives_of(pattern.removeprefix(_STEM_START)[:-1]):
        bare = alternative.removeprefix(r"\b")
        if bare.startswith("(?:"):
            inner, _, after = bare[3:].partition(")")
            own = _beginnings_of(f"{_STEM_START}{inner})")
            if not own or "(" in inner or after.startswith(("?", "*")):
                return frozenset()
            found |= own
            continue
        literal = _LITERAL.match(bare)
        letters = literal.group() if literal else ""
        # The last letter before a question mark may be missing.
        letters = letters[:-1] if bare[len(letters) :].startswith("?") else letters
        if len(letters) < BEGINNING_LETTERS[0]:
            return frozenset()
        found.add(letters[: BEGINNING_LETTERS[-1]])
    return frozenset(found)


def _alternatives_of(pattern: str) -> list[str]:
    """Return the alternatives of a pattern that are in no group."""
    found, depth = [""], 0
    for sign in pattern:
        depth += (sign == "(") - (sign == ")")
        if sign == "|" and not depth:
            found.append("")
        else:
            found[-1] += sign
    return found


# Patterns for text as `level` returns it, by the words of which a text has one if it has a match.
CuedPatterns = Annotated[dict[str, tuple[re.Pattern[str], ...]], BeforeValidator(_by_cue)]


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


class NeverNext(Section):
    """Words, such as “the”, and those that never come right after them, such as “of”."""

    words: Words
    never_next: Words


class Senseless(Section):
    """Pairs of words that no sentence has."""

    rules: tuple[NeverNext, ...]


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
        opening = self._opening.get(found[0], ()) if found else ()
        if any(found[: len(parts)] == parts for parts in opening):
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
    def _opening(self) -> dict[str, list[tuple[str, ...]]]:
        return _parts_by_first(self.opening)

    @cached_property
    def _by_first(self) -> dict[str, list[tuple[str, ...]]]:
        return _parts_by_first(self.phrases)

    @cached_property
    def _pairs(self) -> list[tuple[tuple[str, ...], tuple[str, ...]]]:
        return [(words(first), words(second)) for first, second in self.pairs]


def _parts_by_first(phrases: Sequence[str]) -> dict[str, list[tuple[str, ...]]]:
    """Return the words of each phrase, by the first of them."""
    by_first: dict[str, list[tuple[str, ...]]] = {}
    for parts in map(words, phrases):
        by_first.setdefault(parts[0], []).append(parts)
    return by_first


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
    subject. What matches ``idioms`` is no part of a passive: `is interested`, `used to it`.
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
    idioms: Patterns

    def within(self, sentence: str) -> bool:
        """Return whether a sentence is in the passive voice."""
        if self.auxiliaries.isdisjoint(words(sentence)):
            return False
        others = Words() if sentence.endswith("?") else self.other_complements
        return any(
            self._in_clause(words(clause), others)
            and self._in_clause(words(self.idioms.sub(" ", clause)), others)
            for clause in _CLAUSE.split(sentence)
        )

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

    patterns: Wordings
    blocks_description: bool


class AssistantTalk(Section):
    """What a model says to its user. People say to their readers what is ``to_its_user`` ("let me
    know"): in files that is a warning. They may write what is ``of_the_task`` ("this paragraph"),
    so that it is refused in generated text only."""

    of_itself: Wordings
    to_its_user: Wordings
    of_the_task: Wordings


class Placeholders(Section):
    """Places that were left to be filled in: "[insert your name]"."""

    patterns: Patterns


class UnfinishedNotes(Section):
    """Notes to the writer or the editor, and requests for a source. What is ``doubtful`` may be
    meant for readers ("[photo]"): a warning in files."""

    certain: Wordings
    doubtful: Wordings
    sources: Wordings


class DraftLabels(Section):
    """Names of the parts of a draft, before a colon at the start of a passage.

    People may have written what is ``doubtful`` ("Summary: …"). What is ``numbered`` is a label
    with a number only ("Paragraph 2: …").
    """

    certain: tuple[str, ...]
    doubtful: tuple[str, ...]
    numbered: tuple[str, ...]
    word_count: Wordings

    @cached_property
    def certain_pattern(self) -> re.Pattern[str]:
        """A pattern for a label in lower case."""
        either = _either(self.certain), _either(self.numbered)
        return re.compile(rf"\s{{0,9}}(?:(?:{either[0]})|(?:{either[1]})\s?\d{{1,2}})\s?:")

    @cached_property
    def doubtful_pattern(self) -> re.Pattern[str]:
        """A pattern for a label in lower case."""
        return re.compile(rf"\s{{0,9}}(?:{_either(self.doubtful)})(?:\s\d{{1,2}})?\s?:")


def _either(patterns: Sequence[str]) -> str:
    return "|".join(patterns) or "(?!)"


class WriterOrders(Section):
    """What a writer is told in a prompt; what is ``doubtful`` may be advice to readers who write
    ("use the keyword in the title"): a warning."""

    certain: Wordings
    doubtful: Wordings


class WornPhrases(Section):
    """Clichés, words that say nothing, vague sources ("studies show") and profanity."""

    cliches: Wordings
    filler: Wordings
    vague_sources: Wordings
    profanity: Wordings


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


class Spelling(Section):
    """What the check of spelling knows beside the word list of the language.

    ``letters`` may be missing in a word, or wrong. ``short_words`` may be run together with the
    word beside them (inthe). A word is known if it is one of ``other_words``,
    a known word with one of ``prefixes`` or ``suffixes``, or two known words with one of ``joints``
    between them. Before one of ``clitics``, a known word takes an accent (cuela, cuélalo). At the
    beginning of a clause, behind a sign or one of ``clause_openers``, an imperative is a known word
    without one of ``cut_endings`` (rühr, rühren).
    ``misspelled`` has the words that are always wrong, each with its correction; ``names`` the
    names of places and firms that everybody knows.
    """

    letters: str
    short_words: Words
    other_words: Words
    prefixes: tuple[str, ...]
    suffixes: tuple[str, ...]
    joints: tuple[str, ...]
    clitics: tuple[str, ...] = ()
    clause_openers: Words = frozenset()
    cut_endings: tuple[str, ...] = ()
    names: Words = frozenset()
    misspelled: dict[str, str]

    def near_name(self, word: str) -> str | None:
        """Return the name that an unknown word stands for with one letter wrong, if any."""
        for key in (word, *_shortened(word)):
            for name in self._by_letters.get(key, ()):
                # “Auguste” is another name.
                if not word.startswith(name) and _is_one_off(word, name):
                    return name
        return None

    @cached_property
    def _by_letters(self) -> Mapping[str, tuple[str, ...]]:
        """The names by their letters, and by what is left without one of them."""
        found: dict[str, tuple[str, ...]] = {}
        for name in sorted(self.names):
            for key in {name, *_shortened(name)}:
                found[key] = (*found.get(key, ()), name)
        return found


def _shortened(word: str) -> list[str]:
    """Return what is left of a word without one of its letters."""
    return [word[:at] + word[at + 1 :] for at in range(len(word))]


def _is_one_off(word: str, other: str) -> bool:
    """Whether two words differ by one letter, or by the order of two beside each other."""
    if len(word) != len(other):
        shorter, longer = sorted((word, other), key=len)
        return shorter in _shortened(longer)
    wrong = [at for at, (one, two) in enumerate(zip(word, other, strict=True)) if one != two]
    if len(wrong) == 2:
        first, last = wrong
        return last == first + 1 and word[first] == other[last] and word[last] == other[first]
    return len(wrong) == 1


def _rule(entry: object) -> object:
    if isinstance(entry, list) and len(entry) == 3:
        return dict(zip(("first", "pattern", "instead"), entry, strict=True))
    return entry


class GrammarRule(Section):
    """A pattern of words that are wrong together, and what to write ``instead``.

    A match begins with a word of ``first``. In ``instead``, \\1 stands for what the first group of
    the pattern matched.
    """

    first: Words
    pattern: Annotated[
        re.Pattern[str],
        BeforeValidator(lambda one: f"(?im){one}" if isinstance(one, str) else one),
    ]
    instead: str


Rules = tuple[Annotated[GrammarRule, BeforeValidator(_rule)], ...]


def _by_first(rules: Rules) -> Mapping[str, tuple[GrammarRule, ...]]:
    found: dict[str, tuple[GrammarRule, ...]] = {}
    for rule in rules:
        for word in rule.first:
            found[word.casefold()] = (*found.get(word.casefold(), ()), rule)
    return found


class Grammar(Section):
    """Errors of grammar that words alone tell.

    The words of ``may_double`` may stand twice in a row, those of ``relatives`` after a comma or
    one of ``prepositions``. A word in lower case may follow the full stop of ``abbreviations``.
    ``comma_splices`` match two sentences with only a comma between them, ``confused`` words that
    are mixed up, ``disagreeing`` forms that do not agree. A phrase with one of ``joining`` at its
    end may stand twice in a row (on and on and on). ``proper_names`` have a capital, unless they
    stand in one of ``not_names`` (french fries). ``questions`` are sentences with one of
    ``question_words`` that end with a full stop though they ask. ``opening_marks`` has the mark
    that opens a sentence for the one that closes it (¿ for ?).
    """

    may_double: Words
    relatives: Words
    prepositions: Words
    abbreviations: Words
    comma_splices: tuple[re.Pattern[str], ...]
    joining: Words
    proper_names: Words
    not_names: Patterns
    question_words: Words
    questions: Patterns
    opening_marks: dict[str, str]
    confused: Rules
    disagreeing: Rules

    @cached_property
    def confused_by_word(self) -> Mapping[str, tuple[GrammarRule, ...]]:
        """The rules of words that are mixed up, by each word that a match can begin with."""
        return _by_first(self.confused)

    @cached_property
    def disagreeing_by_word(self) -> Mapping[str, tuple[GrammarRule, ...]]:
        """The rules of forms that do not agree, by each word that a match can begin with."""
        return _by_first(self.disagreeing)


class Articles(Section):
    """An article that has two forms by the sound that follows, as a and an.

    A word that begins with one of ``vowel_sounds`` begins with a vowel in speech, and one of
    ``consonant_sounds`` does not; after one of ``either``, both forms are in use.
    """

    vowel_sounds: tuple[str, ...]
    consonant_sounds: tuple[str, ...]
    either: tuple[str, ...]


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

    @cached_property
    def last_words(self) -> Words:
        """The word that each hedge ends with."""
        return frozenset(phrase.rpartition(" ")[2] for phrase in self.by_phrase)

    @cached_property
    def single(self) -> Words:
        """The words that may stand between a number and what it is said of."""
        return self.about | self.over | self.under | self.nearly | self.before_number


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
    """How a language says percent and fractions; a word of ``placing`` before a half says which of
    two it is (the lower half)."""

    percent: Phrases
    points: Words
    percentage_points: Phrases
    fractions: dict[str, Fraction]
    plain_fractions: Words
    of: Words
    after_alone: Words
    before_half: Words
    placing: Words
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
    """A sentence with one of ``referring`` among its first words needs the one before it;
    ``examples`` name an example, one of ``supposing`` begins one, ``samples`` introduce a wording
    that readers may use or avoid. One of ``each`` stands before what a value is for, ``times``
    before it if the value is for one of several times (twice a week)."""

    negations: Words
    not_negating: Words
    clause_ends: Words
    saying: Words
    attributing: Words
    rates: Words
    listed: Words
    numbered: Words
    pointing: Words
    examples: Words
    supposing: Phrases
    samples: Words
    referring: Words = frozenset()
    each: Words
    times: Words
    hedges: Hedges
    changes: Changes
    numbers: Numbers
    shares: Shares
    dates: Dates


class Counts(Section):
    """Numbers of things that a text counts, such as its tips and steps.

    A number of things counts if one of ``counted`` follows within a few words, or if one of
    ``pointing`` precedes it (the following three), unless a word of ``not_before`` stands before
    it or the thing is one of ``units``. ``plurals`` are the endings of nouns after the number that
    a title begins with. ``both`` are constructions for two things that have three.
    ``other_headings`` are those that are none of the things. ``more`` may stand in place of the
    last ordinal. What follows a ``definite`` word and an ordinal, or one of ``last`` and a number,
    points into a list in a sentence with one of ``lists`` or if it is one of ``listed_things``;
    ``before_label`` stands before the label of a step, ``of`` before the number of all.
    """

    counted: Words
    pointing: Words
    not_before: Words
    units: Words
    plurals: Patterns
    both: Patterns
    other_headings: Patterns
    more: Words
    definite: Words
    of: Words
    last: Words
    lists: Words
    listed_things: Words
    before_label: Words


class Reference(Section):
    """What points at something that a text may not have.

    It is there if the text has a block of ``shown_by``; ``link`` stands for a link.
    """

    what: str
    patterns: Patterns
    shown_by: Words


class References(Section):
    """Words that point at other parts of a text; ``words`` has one word of each pattern.

    ``below``, ``right_below`` and ``above`` tell where a thing is. ``caption`` begins the caption
    of a picture or table. The number of a step is the first group of ``steps``, the name of a
    section that of ``named``; ``chapters`` have a number. ``earlier`` needs something before it,
    ``later`` something after it.
    """

    words: Words
    things: tuple[Reference, ...]
    below: Words
    right_below: Words
    above: Words
    caption: Patterns
    steps: Patterns
    chapters: Patterns
    named: Patterns
    earlier: Patterns
    later: Patterns

    @cached_property
    def words_of(self) -> Mapping[str, Words]:
        """The words of each thing, of which a text has one if it has one of the patterns."""
        places = self.below | self.right_below | self.above
        sources = {thing.what: thing.patterns.pattern for thing in self.things}
        sources |= {"named": self.named.pattern, "chapters": self.chapters.pattern}
        return {
            what: Words(word for word in self.words - places if word in source)
            for what, source in sources.items()
        }


class Promise(Section):
    """What titles, headings and descriptions promise; the text keeps it by a block of ``shown_by``
    or by words that match ``kept``, at least ``times`` of them."""

    what: str
    promised: Patterns
    kept: Patterns
    times: int
    shown_by: Words


class Promises(Section):
    """``words`` has one word of each pattern. The groups of ``versus`` are the two things that a
    title compares, the group of ``announced`` what an introduction announces; indirect questions
    are no things."""

    words: Words
    kinds: tuple[Promise, ...]
    versus: Patterns
    announced: Patterns
    indirect: Patterns


class QuestionKind(Section):
    asked: Patterns
    answered: Patterns


class Questions(Section):
    """How questions of some kinds begin, and what their answers have.

    Answers to ``yes_no`` questions begin with one of ``replies``, or use a word of the question or
    one of ``pronouns``. Answers to ``wh`` questions do not begin with ``yes_or_no``.
    """

    yes_no: Patterns
    replies: Patterns
    wh: Patterns
    yes_or_no: Patterns
    pronouns: Words
    kinds: tuple[QuestionKind, ...]


class StepOrder(Section):
    """Words that tell the place of a step: ``ordinals`` from the first on, and openings of the
    last, the middle and the first step. A step that begins with the first word of a pair of
    ``verbs`` cannot come before one that begins with one of the others."""

    labels: Words
    ordinals: tuple[Words, ...]
    last: Patterns
    middle: Patterns
    first: Patterns
    verbs: tuple[tuple[str, ...], ...]


class SectionOrder(Section):
    """Headings of conclusions and introductions, headings that may follow a conclusion, and
    openings of a conclusion."""

    conclusions: Patterns
    after_conclusion: Patterns
    introductions: Patterns
    concluding: Patterns


class Alike(Section):
    """Words that do not tell one heading or question from another."""

    filler: Words


class Advice(Section):
    """Advice on health, law and money that nobody should follow without care.

    ``reckless`` advice is always one, ``doubtful`` advice if its paragraph has no word of ``care``.
    Neither is one in a sentence with a word of ``refuting``. ``words`` has one word of each
    pattern.
    """

    words: Words
    reckless: Patterns
    doubtful: Patterns
    care: Patterns
    refuting: Patterns


class Manner(Section):
    """Words that press, tease, insult or belittle, and those of offices.

    ``sales`` press the reader to buy, ``clickbait`` holds back what it is about, ``insults`` are
    meant for the reader or those who do otherwise, ``prejudice`` is about groups of people. A
    sentence is officialese if it has one of ``office_phrases`` or ``most_office_words`` of
    ``office_words``, and vague if it has ``most_hedges`` of ``hedges``.
    """

    sales: CuedPatterns
    clickbait: CuedPatterns
    insults: CuedPatterns
    prejudice: CuedPatterns
    office_phrases: CuedPatterns
    office_words: Words
    most_office_words: int
    hedges: Words
    hedging: Words
    most_hedges: int


class Redundancy(Section):
    """Words for saying a thing twice.

    ``synonyms`` are groups of words for one thing: three short sentences in a row with words of one
    group say the same. ``defining`` words stand between a thing and its definition, ``reasons``
    before a reason; ``empty`` words add nothing to a definition.
    """

    synonyms: tuple[Words, ...]
    defining: Patterns
    reasons: Patterns
    empty: Words

    @cached_property
    def groups(self) -> Mapping[str, frozenset[int]]:
        """The numbers of the groups that a word is in."""
        found: dict[str, frozenset[int]] = {}
        for number, group in enumerate(self.synonyms):
            for word in group:
                found[word] = found.get(word, frozenset()) | {number}
        return found


class WordOrder(Section):
    """Pairs of words that hardly follow each other in a sentence: a word of ``before`` and one of
    ``never_after``, or, twice in a sentence, a word of ``joining`` and one of ``rarely_after``."""

    before: Words
    never_after: Words
    joining: Words
    rarely_after: Words
    exceptions: Words


class Evasion(Section):
    """Sentences that answer no question: ``evading`` ones. ``comparing`` questions ask which of two
    is more; their answers have a figure or match ``compared``."""

    evading: Patterns
    comparing: Patterns
    compared: Patterns


class Sides(Section):
    """Beginnings of which a text needs the other half.

    Each of ``halves`` is a word of which one is in it, a pattern for it, one for the other half,
    and the number of sentences after it in which that may stand. ``pairs`` are the two things that
    a heading names, both of them ``opposites``.
    """

    halves: tuple[tuple[str, OnePattern, OnePattern, int], ...]
    pairs: Patterns
    opposites: Words

    @cached_property
    def cues(self) -> Words:
        """The words of which a text with any half has one."""
        return Words(cue for cues, *_ in self.halves for cue in cues.split())

    @cached_property
    def by_cue(self) -> Sequence[tuple[Words, re.Pattern[str], re.Pattern[str], int]]:
        """The halves, each with its words."""
        return [
            (Words(cues.split()), half, other, within) for cues, half, other, within in self.halves
        ]


class Placement(Section):
    """Sentences that belong to one end of a text: ``closing`` ones, ``opening`` ones, the ``leads``
    of a table of contents, and what a text says it has ``mentioned`` or ``said`` above, with one of
    ``mention_words`` and one of ``mention_places``. ``restating`` words add nothing to a heading
    that a sentence says again.
    """

    closing: Patterns
    opening: Patterns
    leads: Patterns
    mention_words: Words
    mention_places: Words
    mentioned: Patterns
    said: Patterns
    restating: Words


class Safety(Section):
    """Advice that hurts people, or that the law forbids.

    Each of ``dangers`` is a list of patterns that all match in a sentence of such advice; each
    alternative of the first one begins with three letters. Words of ``warning`` make a sentence a
    warning.
    """

    dangers: tuple[tuple[Annotated[re.Pattern[str], BeforeValidator(_any_stem)], ...], ...]
    warning: Patterns

    @cached_property
    def beginnings(self) -> Sequence[tuple[frozenset[str], ...]]:
        """For each danger, the beginnings of words of which a sentence has one of each set."""
        return [
            tuple(found for pattern in danger if (found := _beginnings_of(pattern.pattern)))
            for danger in self.dangers
        ]

    @cached_property
    def by_beginning(self) -> Mapping[str, tuple[int, ...]]:
        """The numbers of the dangers by the beginnings of words that their first patterns need."""
        found: dict[str, tuple[int, ...]] = {}
        for number, (first, *_) in enumerate(self.beginnings):
            for letters in first:
                found[letters] = (*found.get(letters, ()), number)
        return found


class Praise(Section):
    """Words of texts that say little: ``general`` ones praise or claim without saying anything,
    ``concrete`` ones give a reason, an example or a limit."""

    general: Words
    concrete: Words


class Consistency(Section):
    """Words by which the statements of one text are held against each other.

    ``neutral`` words tell no subject; ``implied`` are words that a unit says already (cost, of
    money) and ``dimensions`` those that name what a length measures. A sentence with one of
    ``conditions`` holds only in some case, a clause with one of ``limits`` as well; ``cases`` are
    times and groups of people that a value may be for, ``past`` verbs say how it was; ``fronting``
    words begin such a case, but a clause with one of ``remarked`` behind one of ``remarking`` ("As
    you know, …") is none. ``once`` are beginnings of words for what happens on one day only. A
    count is the whole number of things after one of ``having`` or ``definite``, and ``capacity``
    words need no thing. ``leading`` words stand before a value in front of what it is said of ("At
    $60, the filter"); ``leading_over`` ones stand behind such a value ("the $60 for the filter").
    ``total_rows`` begin the last row of a table, ``relatives`` a clause about what stands before
    it, ``reasons`` one that says why, ``orders`` an order. ``others`` name what a whole has beside
    a part, and ``exact`` words stand before a value that is not rounded.
    """

    neutral: Words
    implied: dict[str, Words]
    dimensions: dict[str, Words]
    conditions: Words
    limits: Words
    cases: Words
    past: Words
    fronting: Words
    remarking: Words
    remarked: Words
    leading: Words
    leading_over: Words
    relatives: Words
    reasons: Words
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
    others: Words = frozenset()
    exact: Words = frozenset()
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


class Calculations(Section):
    """Words around figures that are calculated from each other.

    ``average`` or one of ``rates`` stands before a speed ("at 5 km/h"), ``minimum`` and ``maximum``
    phrases before a limit; ``discount`` words name a reduction and ``instead`` words join the two
    prices. ``apposition`` words may stand before a value that repeats another ("or 75 percent").
    ``born`` words are before the year in which something began, ``ended`` words before that of its
    end; ``turned``, or ``aged`` with one of ``age_ends`` behind it, mark an age. ``centuries``
    stand behind an ordinal, and ``century_gap`` between it and its year. ``events`` are names in
    lower case with the first and the last year; ``earlier`` and ``afterwards`` stand before them.
    ``clock_before`` words stand before a time of day. ``more`` are comparatives by the unit of what
    is compared ("dearer", of money), ``fewer`` those for the lower value, ``highest`` and
    ``lowest`` their superlatives; ``than`` and ``so`` join what is compared.
    """

    average: Words
    rates: Words
    minimum: tuple[str, ...]
    maximum: tuple[str, ...]
    discount: Words
    instead: Words
    apposition: Words
    born: Words
    ended: Words
    turned: Words
    aged: Words
    age_ends: Words
    anniversaries: Words
    centuries: Words
    century_gap: Words
    events: tuple[tuple[str, int, int], ...]
    earlier: Words
    afterwards: Words
    clock_before: Words
    more: dict[str, Words]
    fewer: dict[str, Words]
    highest: dict[str, Words]
    lowest: dict[str, Words]
    than: Words
    so: Words


class Results(Section):
    """Words by which one value is calculated from others.

    ``makes`` and ``so`` stand before a result, ``opens`` begin a sentence whose result follows from
    the sentence before, ``joins`` stand between values that are added, and ``adds`` begin a
    sentence that adds values up. ``at`` joins a count to the value of
    each ("12 months at €10"), ``rate`` a value to what it is for ("7 minutes for a kilometre").
    ``left`` stand beside a difference. ``multiples`` and numbers before one of ``times`` compare
    two values if one of ``compared`` follows. ``same`` are phrases before a number that is said
    again.
    """

    makes: Words
    so: Words
    opens: Words
    joins: Words
    adds: Words
    at: Words
    rate: Words
    left: Words
    multiples: dict[str, float]
    times: Words
    compared: Words
    same: Words


class Opposition(Section):
    """Words by which two sentences order or say the opposite.

    ``generic`` words say nothing of their own ("use", "leave"); ``denials`` deny beside those of
    the section ``consistency``, and a denial beside a ``restricting`` word denies nothing else.
    ``antonyms`` are pairs of groups of words.
    What follows one of ``first`` comes before what follows one of ``then``; ``before`` stands
    between the two, ``after`` the other way round.
    """

    generic: Words
    denials: Words
    restricting: Words
    antonyms: tuple[tuple[Words, Words], ...]
    first: Words
    then: Words
    before: Words
    after: Words


class Address(Section):
    """Words by which a text addresses its reader formally, and informally, as they are written
    inside of a sentence. At its beginning, in lower case, ``informal_first`` words are
    informal, and ``orders`` formal; an order may be another word as well, and is no slip."""

    formal: Words
    informal: Words
    informal_first: Words = frozenset()
    orders: Words = frozenset()


class Enumerations(Section):
    """Words around things that are named one by one.

    ``both`` and ``all`` with one of ``numbers`` say how many there are; ``the`` articles, ``best``
    superlatives and ``being`` verbs surround them, ``joins`` stand before the last one. What is
    ``of_three`` is said of two. A text without any of ``signs`` has none.
    """

    numbers: dict[str, int]
    both: Words
    all: Words
    the: Words
    best: Words
    being: Words
    joins: Words
    of_three: tuple[str, ...]
    signs: tuple[str, ...]


class Variants(Section):
    """Pairs of spellings of one word."""

    pairs: tuple[tuple[str, str], ...]


class Exclusive(Section):
    """Words that exclude each other.

    A word of one of the ``sides`` counts if one of ``ahead`` follows it, one of ``behind`` stands
    before it and the sentence begins with one of ``first``; an empty list asks for nothing.
    """

    sides: tuple[Words, ...]
    ahead: Words
    behind: Words
    first: Words

    @cached_property
    def words(self) -> Words:
        return frozenset[str]().union(*self.sides)


class Diet(Section):
    """Names of a way to eat, and foods that it leaves out; ``denied`` for "contains no gluten"."""

    names: Words
    excluded: Words
    denied: bool


class Contrasts(Section):
    """Words by which two sentences exclude each other.

    ``closed`` and ``opened`` are of a place, ``every_day`` phrases with the other words of
    ``week``. ``free`` follows ``being``, and only ``free_ends`` follow it.
    A food is not meant in a sentence with one of ``exempting``; ``being_made`` words stand before
    the name of a diet. ``excepting`` words make an exception, ``always`` says nothing new.
    """

    closed: Words
    opened: Words
    every_day: tuple[str, ...]
    week: Words
    free: Words
    free_ends: Words
    being: Words
    being_made: Words
    excepting: Words
    exempting: Words
    always: Words
    exclusive: tuple[Exclusive, ...]
    diets: tuple[Diet, ...]


class Persons(Section):
    """First names and titles of ``men`` and ``women``, and other words for ``people``.

    ``his`` and ``hers`` are pronouns. One counts if a word of ``own`` follows it or a word of
    ``joining`` stands before it, and no word of ``reporting`` does.
    """

    men: Words
    women: Words
    people: Words
    his: Words
    hers: Words
    own: Words
    joining: Words
    reporting: Words


class QuestionPattern(Section):
    """A sentence that answers a question: its pattern, and the question with the groups of the
    pattern in braces. ``{subject}`` is written as within a sentence.

    ``answer`` is what the sentence says apart from the question, in the same way; ``{sentence}`` is
    the whole sentence, which is also the answer of a pattern without one.
    """

    sentence: Annotated[re.Pattern[str], BeforeValidator(_whole_sentence)]
    question: str
    answer: str = "{sentence}"


class ComposingHeadings(Section):
    """Headings for sections of a known kind; the words in braces are filled in. ``how_to`` begins
    those that go on with an order."""

    how_to: str | None = None
    steps: str
    cautions: str
    help: str
    pair: str
    other: str
    asked: str


class Composing(Section):
    """How a post is made of passages of sources.

    ``referring`` begins a sentence that needs the one before it. ``cautions`` and ``help`` tell
    what to avoid, and when to ask somebody; a sentence with a word for the ``publisher`` may be
    about the page, as one that fits ``of_page`` is; ``beforehand`` what to know before the first
    step; ``answers`` what a reader wants to know first. ``compared`` have a group for each of two
    things.
    ``ordinals`` begins a sentence that is a step and can stand without it (“The first step is to”),
    and ``how_to`` a keyword that asks for steps. In headings, ``steps`` is above steps,
    ``deciding`` above what a reader decides, ``comparing`` above a table that helps with it,
    ``preparing`` above what has to be ready for the first step, ``mistakes`` above those that a
    reader can make, and ``digressing`` above stories, histories and figures of the trade.
    ``unspecific`` words of a request name no part of its subject.
    ``subject_starts`` lose their capital within a sentence, ``clause_ends`` are where a long
    topic may be cut, and ``before_keyword`` ends a topic from which the keyword was taken.
    ``conditions`` begin a clause that may stand behind its main clause as well, unless that has a
    word that points at it, one of ``pointing``. ``sources`` names the pages that a post is made of,
    ``also`` what else it is about, ``in_steps`` how many steps a section has and ``answers_to`` how
    many questions are answered; ``no_topic`` is in a heading that cannot stand in such a sentence.
    ``in_short`` is a title that promises nothing, and ``short_labels`` are labels of short answers.
    By ``first_person`` a page speaks of those who wrote it.
    """

    referring: Patterns
    cautions: Patterns
    publisher: Words
    of_page: Patterns
    help: Patterns
    beforehand: Patterns
    answers: Patterns
    compared: tuple[Annotated[re.Pattern[str], BeforeValidator(_any_case)], ...]
    steps: Patterns
    ordinals: Patterns | None = None
    deciding: Patterns
    comparing: Patterns
    preparing: Patterns
    mistakes: Patterns
    digressing: Patterns
    unspecific: Words
    how_to: Patterns
    subject_starts: Words
    clause_ends: Patterns
    before_keyword: Patterns
    conditions: Patterns | None = None
    pointing: Patterns | None = None
    sources: str
    also: str
    in_steps: str
    answers_to: str
    no_topic: Patterns
    in_short: str
    short_labels: Patterns
    first_person: Words
    headings: ComposingHeadings
    questions: tuple[QuestionPattern, ...]


class Language(Section):
    """The content of a language file; a section that it leaves out is None.

    ``function_words`` carry no subject: articles, pronouns, prepositions, auxiliaries and such.
    ``capitalises_nouns`` says that a capital inside a sentence need not begin a name; a
    single one behind one of ``label_verbs`` is a button or a menu. ``colon`` is
    a colon with the space before it, if any.
    """

    name: str
    colon: str
    capitalises_nouns: bool
    label_verbs: Words = frozenset()
    function_words: Words
    headings: Headings | None = None
    sentences: Sentences | None = None
    flesch: Flesch | None = None
    senseless: Senseless | None = None
    transitions: Transitions | None = None
    passive: Passive | None = None
    self_reference: SelfReference | None = None
    assistant_talk: AssistantTalk | None = None
    placeholders: Placeholders | None = None
    unfinished_notes: UnfinishedNotes | None = None
    draft_labels: DraftLabels | None = None
    writer_orders: WriterOrders | None = None
    worn_phrases: WornPhrases | None = None
    cut_off: CutOff | None = None
    spelling: Spelling | None = None
    grammar: Grammar | None = None
    articles: Articles | None = None
    current_events: CurrentEvents | None = None
    refusals: Refusals | None = None
    verification: Verification | None = None
    counts: Counts | None = None
    references: References | None = None
    promises: Promises | None = None
    questions: Questions | None = None
    step_order: StepOrder | None = None
    section_order: SectionOrder | None = None
    alike: Alike | None = None
    advice: Advice | None = None
    consistency: Consistency | None = None
    calculations: Calculations | None = None
    results: Results | None = None
    address: Address | None = None
    enumerations: Enumerations | None = None
    variants: Variants | None = None
    opposition: Opposition | None = None
    contrasts: Contrasts | None = None
    persons: Persons | None = None
    composing: Composing | None = None
    manner: Manner | None = None
    redundancy: Redundancy | None = None
    word_order: WordOrder | None = None
    evasion: Evasion | None = None
    sides: Sides | None = None
    placement: Placement | None = None
    safety: Safety | None = None
    praise: Praise | None = None
