"""Statements: the values of a text, each with the words that tell what it is said of."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache

from app.core.facts.dates import calendar_names
from app.core.facts.fact import Fact, FactKind
from app.core.facts.read import values
from app.core.facts.scanner import Scanner, Token, Vocabulary, tokenize, vocabulary
from app.core.facts.units import currencies
from app.core.languages import Consistency, get_section
from app.core.text import Sentence, Span, primary_subtag, sentences, stem

_SIGNS = frozenset(",;:()–—[]")
_MIN_CHARS = 3
_DURATIONS = frozenset({"duration", "calendar"})
# Families of what happens on one day only.
_ONCE = frozenset({"year", "day", "weekday", "time"})
_TEMPERATURES = frozenset({"celsius", "fahrenheit"})
# A recipe divides its spoons and cups.
_SPOONS = frozenset({"teaspoon", "tablespoon", "cup"})
_DIGIT = re.compile(r"\d")
_UNIT_ENDS = re.compile(r"(?<=\d)[ \u00a0]?[°%/²A-Za-z]{1,5}\. (?=[^\W\d_a-zß-ÿ])")
_PART_ENDS = re.compile(rf"{_UNIT_ENDS.pattern}|: (?=[^\W\d_a-zß-ÿ])")
_SPLIT = "-.,;:()"
# Longer sentences are lists or code.
_MAX_TOKENS = 90
# "With just about 16 kg"
_MOST_IN_FRONT = 3
# A longer clause before that of a value says more than a case.
_MOST_BEFORE = 8
# How many words of a clause tell what a value is said of.
_MAX_STEMS = 8


@dataclass(frozen=True)
class Numbered:
    """A sentence with its values; spans of facts are in the sentence, ``start`` in the text."""

    text: str
    start: int
    tokens: tuple[Token, ...]
    facts: tuple[Fact, ...]

    @property
    def span(self) -> Span:
        return self.start, self.start + len(self.text)


@dataclass(frozen=True)
class Statement:
    """A value and what it is said of.

    Args:
        sentence: that has it.
        family: of its unit, so that only like is compared with like.
        near: stems of its clause before it, or closely behind it.
        wide: ``near``, the rest of the clause and, of a short clause, the one beside it.
        head: the stem that it is said of directly ("the fee is 38 euros"); "" if there is none.
        subject: the head, and the stems right before it.
        is_part: whether it is an amount of what follows: "50 g of sugar".
        clause: the stems of its clause.
        order: the stem of the verb of an order for some time, "" for any other; orders are
            repeated with other times.
        is_order: whether the clause may be an order.
        is_vague: whether it is said of a pronoun, or of nothing: "hold it for 5 seconds".
        is_loose: whether there may be several such values: a time without a word such as
            "opens", a number of things without "the" or "has".
        modified: the stem before each stem: "small jug".
        parts: pairs of stems joined by "of" or "for": the café of the shop.
        case: what limits the sentence to a case: conditions, other values, names.
    """

    sentence: Numbered
    fact: Fact
    family: str
    near: frozenset[str]
    wide: frozenset[str]
    head: str
    subject: frozenset[str]
    is_part: bool
    clause: frozenset[str]
    order: str
    is_order: bool
    is_vague: bool
    is_loose: bool
    modified: frozenset[tuple[str, str]]
    parts: frozenset[tuple[str, str]]
    case: "Case"

    @property
    def span(self) -> Span:
        """Its place in its text."""
        low, high = self.fact.span
        return self.sentence.start + low, self.sentence.start + high

    @property
    def frame(self) -> str:
        """Its sentence without the value."""
        low, high = self.fact.span
        text = f"{self.sentence.text[:low]}#{self.sentence.text[high:]}"
        return " ".join(text.lower().rstrip(".! ").split())


@dataclass(frozen=True)
class Case:
    """What limits a sentence to a case.

    Args:
        conditions: words such as "if" and "usually".
        cases: stems of times and groups of people that a value may be for.
        names: of people, places and things.
        values: the other values of the sentence.
        times: the dates among them.
        counts: stems of what is counted, with their numbers.
        front: the stems of a clause or phrase before the one of the value.
        per: the stem of what a value is for: "a month".
        dimension: what a length measures.
        is_past: whether it was so.
        is_denied: whether the clause has a denial: "never above 30 °C".
    """

    conditions: frozenset[str]
    cases: frozenset[str]
    names: frozenset[str]
    values: frozenset[tuple[str, float, float]]
    times: frozenset[tuple[str, float, float]]
    counts: frozenset[tuple[str, float]]
    front: frozenset[str]
    per: str
    dimension: str
    is_past: bool
    is_denied: bool


@lru_cache(maxsize=512)
def numbered(text: str, language: str) -> tuple[Numbered, ...]:
    """Return the sentences of a text that have values."""
    words = vocabulary(primary_subtag(language))
    found = []
    for sentence in spoken(text, words.language):
        if not _may_have_values(sentence.text, words):
            continue
        tokens = tokenize(sentence.text, spaced_groups=words.language != "en")
        if len(tokens) > _MAX_TOKENS:
            continue
        facts = values(Scanner(sentence.text, tokens, words))
        if facts:
            found.append(Numbered(sentence.text, sentence.span[0], tokens, tuple(facts)))
    return tuple(found)


def spoken(text: str, language: str) -> Iterator[Sentence]:
    """Yield the sentences of a text; one behind a colon, or behind a unit that looks like an
    abbreviation ("at 60 °C. Never"), stands for itself."""
    pattern = _UNIT_ENDS if vocabulary(language).capitalises_nouns else _PART_ENDS
    for sentence in sentences(text, language):
        at, begin = 0, sentence.span[0]
        if ": " in sentence.text or ". " in sentence.text:
            for match in pattern.finditer(sentence.text):
                yield Sentence(
                    sentence.text[at : match.end() - 1], (begin + at, begin + match.end() - 1)
                )
                at = match.end()
        yield Sentence(sentence.text[at:], (begin + at, sentence.span[1])) if at else sentence


def _may_have_values(text: str, words: Vocabulary) -> bool:
    if _DIGIT.search(text):
        return True
    text = text.lower()
    for sign in _SPLIT:
        text = text.replace(sign, " ")
    return not _number_words(words.language).isdisjoint(text.split())


@cache
def _number_words(language: str) -> frozenset[str]:
    words = vocabulary(language).words
    known = {*words.numbers.values, *words.shares.fractions, *calendar_names(language)[1]}
    return frozenset(known) - words.numbers.articles


@lru_cache(maxsize=512)
def statements(text: str, language: str) -> tuple[Statement, ...]:
    """Return the statements of a text whose values may be held against others."""
    reader = _reader(primary_subtag(language))
    if reader is None:
        return ()
    return tuple(
        statement for sentence in numbered(text, language) for statement in reader.read(sentence)
    )


@cache
def _reader(language: str) -> "_Reader | None":
    rules = get_section(language, Consistency)
    return _Reader(rules, vocabulary(language)) if rules else None


class _Reader:
    """Reads the statements of sentences in one language."""

    def __init__(self, rules: Consistency, words: Vocabulary) -> None:
        self.rules, self.words, self.language = rules, words, words.language
        self.implied: dict[str, frozenset[str]] = {}
        self.articles = rules.leading_over | rules.definite
        self.joining = self.words.words.shares.of - rules.definite | {"-"}
        # "rooms of the library", "a ticket for the library"
        self.chain = self.joining | (rules.leading & rules.leading_over)
        self.neutral = rules.neutral | rules.denials | words.function_words | words.words.saying
        self.subordinate = rules.relatives | rules.reasons
        self.dimension = {name: each for each, names in rules.dimensions.items() for name in names}

    def read(self, sentence: Numbered) -> Iterator[Statement]:
        if sentence.text.rstrip().endswith("?"):
            return
        tokens = sentence.tokens
        taken = _taken(tokens, sentence.facts)
        clause = self._clauses(tokens, taken)
        stems = [
            "" if place in taken else self._content(token) for place, token in enumerate(tokens)
        ]
        # May is a month and a verb.
        dated = _taken(tokens, [f for f in sentence.facts if f.kind is FactKind.DATE])
        free = frozenset(t.low for place, t in enumerate(tokens) if place not in dated)
        conditions = free & self.rules.conditions
        names = frozenset(
            token.low
            for place, token in enumerate(tokens)
            if place and place not in taken and self._is_name(tokens, place)
        )
        parts = self._parts(tokens, stems)
        for fact in sentence.facts:
            family = self._family(fact, sentence)
            if not family:
                continue
            first, last = _places(tokens, fact)
            reading = _Around(tokens, stems, clause, first, last, self.chain, self.articles)
            implied = self._implied(family)
            near = reading.near() - implied
            if not near:
                near = reading.front(self.rules) - implied
            if reading.is_circumstance(self.rules) and family not in _ONCE:
                # "After the 55 minutes, the time that the job takes, …"
                near = reading.apposition(self.subordinate | self.rules.definite) - implied
                if not near:
                    continue
            wide = near | (reading.clause() - implied)
            if len(near) < 2:
                wide |= reading.beside() - implied
            if not wide:
                continue
            number, beside = clause[first], reading.other_clause()
            limits = {
                token.low
                for place, token in enumerate(tokens)
                if (clause[place] == number or (len(near) < 2 and clause[place] == beside))
                and place not in dated
            }
            others = [each for each in sentence.facts if each is not fact and each.unit != "ratio"]
            # "After ten minutes, bake it": the value in front is a case.
            stage = frozenset(
                other.text
                for other in others
                if other.unit in _DURATIONS
                and _places(tokens, other)[1] <= first
                and tokens[0].low in self.rules.fronting
                and clause[_places(tokens, other)[0]] == clause[0] != number
            )
            case = Case(
                conditions | (limits & self.rules.limits),
                self._cases(tokens, stems, clause, first, fact),
                names,
                frozenset(_value(other) for other in others),
                frozenset(_value(other) for other in others if other.kind is FactKind.DATE),
                frozenset(
                    (noun, other.low)
                    for other in others
                    if other.kind is FactKind.NUMBER
                    for noun in other.nouns
                ),
                self._front(tokens, stems, clause, first) | stage,
                self._per(tokens, last),
                self._dimension(tokens, clause, first, last) if family == "length" else "",
                not self.rules.past.isdisjoint(limits),
                any(
                    token.low in self.rules.denials and clause[place] == clause[first]
                    for place, token in enumerate(tokens[:first])
                ),
            )
            head = reading.subject(self.rules, implied) or self._head(
                tokens, stems, first, last, implied
            )
            order = self._order(tokens, clause, first)
            # "Her grandfather opened": a verb has no kinds, as "small jug" is one.
            modified = frozenset(
                pair for pair in reading.modified() if not pair[1].startswith(self.rules.once)
            )
            yield Statement(
                sentence, fact, family, near, wide, head,
                frozenset({head, *(one for one, other in modified if other == head)}) - {""},
                bool(reading.follows()),
                reading.clause() - implied,
                order if family == "duration" else "",
                bool(order),
                self._is_vague(tokens, stems, clause, first),
                self._is_loose(fact, family, sentence),
                modified, parts, case,
            )  # fmt: skip

    def _begin(self, tokens: Sequence[Token], clause: Sequence[int], first: int) -> int:
        """The index of the first word of the clause of a value."""
        begin = next(i for i, of in enumerate(clause) if of == clause[first])
        ends = self.words.words.clause_ends
        while begin < first and (tokens[begin].low in _SIGNS or tokens[begin].low in ends):
            begin += 1
        return begin

    def _cases(
        self,
        tokens: Sequence[Token],
        stems: Sequence[str],
        clause: Sequence[int],
        first: int,
        fact: Fact,
    ) -> frozenset[str]:
        """The words of the clause of a value for times and groups of people; not what is counted,
        and no preposition or conjunction that the value itself stands behind."""
        begin = self._begin(tokens, clause, first)
        return frozenset(
            token.low
            for place, token in enumerate(tokens)
            if token.low in self.rules.cases
            and clause[place] == clause[first]
            and stem(token.low, self.language) not in fact.nouns
            and (stems[place] or not (place == begin or first - 4 <= place < first))
        )

    def _order(self, tokens: Sequence[Token], clause: Sequence[int], first: int) -> str:
        """The stem of the first word of the clause of a value; that of an order is its verb."""
        begin = self._begin(tokens, clause, first)
        token = tokens[begin]
        is_verb = token.low in self.rules.orders or self._content(token) != ""
        return stem(token.low, self.language) if begin < first and is_verb else ""

    def _parts(self, tokens: Sequence[Token], stems: Sequence[str]) -> frozenset[tuple[str, str]]:
        """Pairs of stems joined by "of" or "for", with an article or without."""
        found = set()
        for place in range(1, len(tokens) - 1):
            if tokens[place].low in self.chain and stems[place - 1]:
                after = place + 1 + (tokens[place + 1].low in self.articles)
                if after < len(stems) and stems[after]:
                    found.add((stems[place - 1], stems[after]))
        return frozenset(found)

    def _is_vague(
        self, tokens: Sequence[Token], stems: Sequence[str], clause: Sequence[int], first: int
    ) -> bool:
        begin = self._begin(tokens, clause, first)
        before = tokens[begin:first]
        if any(token.low in self.rules.pronouns for token in before):
            return True
        # An order without an object: "Hold for 5 seconds."
        words = [stem for stem in stems[begin:first] if stem]
        return begin < first and bool(stems[begin]) and len(words) == 1

    def _content(self, token: Token) -> str:
        if not token.is_word or len(token.low) < _MIN_CHARS or token.low in self.neutral:
            return ""
        return stem(token.low, self.language)

    def _is_name(self, tokens: Sequence[Token], place: int) -> bool:
        token = tokens[place]
        if self.words.capitalises_nouns or not token.is_word or not token.is_capitalised:
            return False
        return tokens[place - 1].low not in {".", "!", ":", "“", '"', "(", "-"}

    def _family(self, fact: Fact, sentence: Numbered) -> str:
        """The family of a value; "" if it cannot be held against others."""
        if fact.negated or fact.unit in {"ratio", "points", "ordinal"}:
            return ""
        if fact.kind is FactKind.TIME:
            return "time"
        if fact.kind is FactKind.DATE:
            when = fact.when
            if when is None:
                return ""
            if when.weekday is not None:
                return "weekday"
            if when.day and when.month:
                return "day"
            return "year" if when.year and not when.month and fact.text.isdecimal() else ""
        if fact.unit in currencies():
            return f"money {fact.unit}"
        if fact.unit in _SPOONS:
            return ""
        if fact.unit in _TEMPERATURES:
            return "temperature"
        if fact.unit in _DURATIONS:
            return "duration"
        if fact.unit:
            return fact.unit
        return self._count(fact, sentence)

    def _count(self, fact: Fact, sentence: Numbered) -> str:
        """ "count room" for a number of rooms; "" for a number of nothing."""
        first, last = _places(sentence.tokens, fact)
        if fact.low != fact.high or fact.text.count(".") or fact.low < 2:
            return ""
        if sentence.text[: fact.span[0]][-1:].isalnum():  # MT940
            return ""
        if not fact.nouns:
            at = first - 3 if fact.hedge and first > 2 else first - 1  # for at most eight
            before = sentence.tokens[at].low if first else ""
            return "capacity" if before in self.rules.capacity else ""
        noun = next((t for t in sentence.tokens[last:] if t.is_word), None)
        if noun is None or not self._content(noun):
            return ""
        return " ".join(["count", *sorted(fact.nouns)])

    def _is_loose(self, fact: Fact, family: str, sentence: Numbered) -> bool:
        if family in _ONCE:
            return not any(token.low.startswith(self.rules.once) for token in sentence.tokens)
        if not family.startswith("count"):
            return False
        first, _ = _places(sentence.tokens, fact)
        before = [token.low for token in sentence.tokens[max(first - 3, 0) : first]]
        if before[-1:] and before[-1] in self.joining:  # consists of eight
            return before[-2:-1] == [] or before[-2] not in self.rules.having
        at = 0 if fact.hedge else -1
        whole = self.rules.having | self.rules.definite
        return not before or before[at] not in whole

    def _implied(self, family: str) -> frozenset[str]:
        if family not in self.implied:
            self.implied[family] = self._stems_implied(family)
        return self.implied[family]

    def _stems_implied(self, family: str) -> frozenset[str]:
        if family.startswith("count"):
            return frozenset()
        name = {"temperature": "celsius"}.get(family, family.partition(" ")[0])
        words = self.rules.implied.get(name, frozenset())
        if name == "length":
            words |= frozenset(self.dimension)
        return frozenset(stem(word, self.language) for word in words) | words

    def _clauses(self, tokens: Sequence[Token], taken: frozenset[int]) -> list[int]:
        """The number of the clause of each token."""
        found, number = [], 0
        ends = self.words.words.clause_ends
        for place, token in enumerate(tokens):
            if place not in taken and (token.low in _SIGNS or token.low in ends):
                number += 1
            found.append(number)
        return found

    def _front(
        self, tokens: Sequence[Token], stems: Sequence[str], clause: Sequence[int], first: int
    ) -> frozenset[str]:
        """The stems of a case before the clause of a value: "For members, …", "In spring the lake",
        "Boiled, the potatoes"; none of "As you know, …" and of "Two people lift it, as it weighs".
        """
        if first and clause[first] != clause[0]:
            if tokens[self._begin(tokens, clause, first)].low in self.subordinate:
                return frozenset()
            end = next((i for i, token in enumerate(tokens[:first]) if token.low == ","), 0)
            if tokens[0].low in self.rules.remarking and any(
                token.low in self.rules.remarked for token in tokens[:end]
            ):
                return frozenset()
            return frozenset(filter(None, stems[: min(end, _MOST_BEFORE)]))
        if tokens[0].low not in self.rules.fronting:
            return frozenset()
        found: list[str] = []
        for place in range(1, first):
            if found and tokens[place].low in self.articles:
                return frozenset(found)
            if stems[place]:
                found.append(stems[place])
        return frozenset()

    def _per(self, tokens: Sequence[Token], last: int) -> str:
        """The stem of "a month" behind a value."""
        if last + 1 < len(tokens) and tokens[last].low in self.rules.per:
            return stem(tokens[last + 1].low, self.language)
        return ""

    def _dimension(
        self, tokens: Sequence[Token], clause: Sequence[int], first: int, last: int
    ) -> str:
        number = clause[min(first, len(clause) - 1)]
        inside = [t.low for t, of in zip(tokens, clause, strict=True) if of == number]
        return next((self.dimension[low] for low in inside if low in self.dimension), "")

    def _head(
        self,
        tokens: Sequence[Token],
        stems: Sequence[str],
        first: int,
        last: int,
        implied: frozenset[str],
    ) -> str:
        """The stem that a value is said of directly."""
        if first > 1 and tokens[first - 1].low in self.joining and stems[first - 2]:
            return stems[first - 2]  # a bed of 15 square metres
        after = last + (last < len(tokens) and tokens[last].low in self.joining)
        is_joined = after > last
        is_over = after < len(tokens) and tokens[after].low in self.rules.leading
        if is_over and not any(each and each not in implied for each in stems[:first]):
            while after < len(tokens) - 1 and tokens[after].low in self.rules.leading_over:
                after += 1
        is_defined = first and tokens[first - 1].low in self.rules.definite
        if is_defined and is_joined and after < len(tokens) - 1:
            after += tokens[after].low in self.articles  # the 15 km of the trail
        if is_defined and after < len(tokens) - 1 and tokens[after].low in self.rules.relatives:
            # "The 45 minutes that the whole job takes"
            of = next((i for i in range(after, len(stems)) if stems[i]), after)
            after = of if stems[of] not in implied else after
        if after < len(stems) and stems[after] and stems[after] not in implied:
            return stems[after]
        for place in range(first - 1, max(first - 7, -1), -1):
            if tokens[place].low in _SIGNS - {":"} or tokens[place].is_digits:
                return ""
            if stems[place] and stems[place] not in implied:
                return stems[place]
        return ""


def _value(fact: Fact) -> tuple[str, float, float]:
    """The key by which two values of a case are the same; weekdays are values as well."""
    if fact.when is not None and fact.when.weekday is not None:
        return "weekday", float(fact.when.weekday), 0.0
    return fact.value


def _places(tokens: Sequence[Token], fact: Fact) -> tuple[int, int]:
    """The index of the first token of a fact, and that after its last."""
    inside = [i for i, t in enumerate(tokens) if fact.span[0] <= t.start < fact.span[1]]
    return inside[0], inside[-1] + 1


def _taken(tokens: Sequence[Token], facts: Sequence[Fact]) -> frozenset[int]:
    return frozenset(place for fact in facts for place in range(*_places(tokens, fact)))


@dataclass(frozen=True)
class _Around:
    """The words around a value: tokens from ``first`` to before ``last``."""

    tokens: Sequence[Token]
    stems: Sequence[str]
    clauses: Sequence[int]
    first: int
    last: int
    joining: frozenset[str]
    articles: frozenset[str]

    def near(self) -> frozenset[str]:
        """The stems before the value in its clause, and those that follow it without a gap."""
        number = self.clauses[self.first]
        places = [i for i in range(self.first) if self.clauses[i] == number][-20:]
        before = [self.stems[i] for i in places if self.stems[i]]
        after = self._after(chained=True)
        if not before and not after:
            after = self._after(chained=False)
        return frozenset([*before[-_MAX_STEMS:], *after])

    def follows(self) -> list[str]:
        """The stems that follow the value without a gap."""
        return self._after(chained=True)

    def _is_in_front(self) -> bool:
        """Whether nothing but a preposition and such begins the sentence: "With only 16 kg"."""
        return 0 < self.first <= _MOST_IN_FRONT and not any(self.stems[: self.first])

    def is_circumstance(self, rules: Consistency) -> bool:
        """Whether a value in front says when or where: "After 6 kilometres the trail turns"."""
        if not self._is_in_front() or self.tokens[0].low not in rules.fronting - rules.leading:
            return False
        return not self._after(chained=True)

    def apposition(self, begins: frozenset[str]) -> frozenset[str]:
        """The stems of the clause behind a value that explains it: ", the time that it takes,"."""
        lows = [token.low for token in self.tokens[self.last : self.last + 2]]
        if lows[:1] != [","] or lows[1:] == [] or lows[1] not in begins:
            return frozenset()
        number = self.clauses[self.last + 1]
        found = [s for s, of in zip(self.stems, self.clauses, strict=True) if of == number and s]
        return frozenset(found[:_MAX_STEMS])

    def _after(self, *, chained: bool) -> list[str]:
        number = self.clauses[self.first]
        found: list[str] = []
        for place in range(self.last, len(self.tokens)):
            if self.clauses[place] != number or len(found) == _MAX_STEMS:
                break
            if self.stems[place]:
                found.append(self.stems[place])
            elif chained and not self._joins(place):
                break
        return found

    def clause(self) -> frozenset[str]:
        number = self.clauses[self.first]
        found = [s for s, of in zip(self.stems, self.clauses, strict=True) if of == number and s]
        return frozenset(found[: 2 * _MAX_STEMS])

    def other_clause(self) -> int:
        """The number of the clause after a first one, or before any other."""
        number = self.clauses[self.first]
        return number - 1 if number and number > self.clauses[0] else number + 1

    def beside(self) -> frozenset[str]:
        """The stems of the clause after a first one, or before any other."""
        other = self.other_clause()
        found = [s for s, of in zip(self.stems, self.clauses, strict=True) if of == other and s]
        return frozenset(found[:_MAX_STEMS])

    def front(self, rules: Consistency) -> frozenset[str]:
        """The stems of the subject after a value that stands alone: "At $60, the filter"."""
        if not self._is_in_front() or self.tokens[0].low not in rules.leading:
            return frozenset()
        number, found = self.clauses[self.first] + 1, []
        for place in range(self.last, len(self.stems)):
            if self.clauses[place] > number:
                break
            if self.stems[place]:
                found.append(self.stems[place])
            elif found and not self._joins(place):
                break
        return frozenset(found)

    def _joins(self, place: int) -> bool:
        """Whether a token joins a noun to the one before it: "rooms of the library"."""
        low = self.tokens[place].low
        behind = place > self.last and self.tokens[place - 1].low in self.joining
        return low in self.joining or (behind and low in self.articles)

    def subject(self, rules: Consistency, implied: frozenset[str]) -> str:
        """The stem that a value is said of if it stands alone in its clause: that of the clause
        after "At $60," or before ", which holds 200 litres"."""
        number = self.clauses[self.first]
        inside = [i for i, of in enumerate(self.clauses) if of == number]
        alone = not any(self.stems[i] and self.stems[i] not in implied for i in inside)
        if self._is_in_front() and self.tokens[0].low in rules.leading:
            # German needs no comma: "Mit 55 Euro ist das Paket teuer."
            of = number + 1 if alone else number
            after = [i for i in range(self.last, len(self.stems)) if self.clauses[i] == of]
            begin = next((i for i in after if self.stems[i]), None)
            if begin is None:
                return ""
            while begin + 1 < len(self.stems) and self.stems[begin + 1] not in implied | {""}:
                begin += 1
            return self.stems[begin]
        if not alone:
            return ""
        words = [self.tokens[i].low for i in inside if self.tokens[i].is_word]
        # "The tower, 54 metres high, …"
        beside = number > 0 and self.first > 0 and self.tokens[self.first - 1].low == ","
        if beside or (words and words[0] in rules.relatives):
            return next((self.stems[i] for i in range(inside[0] - 1, -1, -1) if self.stems[i]), "")
        return ""

    def modified(self) -> frozenset[tuple[str, str]]:
        """Pairs of a stem and the stem right before it, "" if there is none."""
        return frozenset(
            (self.stems[i - 1] if i else "", stem) for i, stem in enumerate(self.stems) if stem
        )
