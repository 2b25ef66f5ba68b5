"""Sentences about the same things of which one denies the other, says the opposite, or orders it
the other way round.

Two sentences are compared by what is left of them without denials and without words that say
nothing of their own: "this lamp can be dimmed" meets "a pity that the lamp cannot be dimmed". What
one of them says more must not limit it to a case.
"""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from app.core.facts.contrasts import Place
from app.core.facts.scanner import vocabulary
from app.core.languages import Calculations, Consistency, Opposition, get_section
from app.core.text import stem, words

_MIN_CHARS = 3
_MOST_WORDS = 24
_LEAST_WORDS = 3
_LEAST_SHARED = 2
# A pronoun may stand for something else each time.
_LEAST_SHARED_OF_PRONOUNS = 3
_MOST_STEMS = 10
_MAX_COMPARED = 10
# How many stems one sentence may have beside those of the other.
_MOST_MORE = 3
_DENIED = ("n't", "n’t")
_ENDS = (".", "!", ".”", '."', ".»", ".“", ".)")
# Signs of code, formulas and templates.
_NOT_PROSE = re.compile(r"[=<>|&{}\\“”„\"«]")

Order = tuple[frozenset[str], frozenset[str]]


@dataclass(frozen=True)
class Said:
    """What a sentence says.

    Args:
        content: the stems of its own words, and its numbers.
        denied: whether its denials are odd in number.
        limiting: the stems that tell one thing or case from another: right before another stem
            ("folded bicycles"), or behind a preposition.
        chosen: the stems that tell which of several things: "the small oven".
        cases: words that limit the sentence to a case.
        is_vague: whether it is about a pronoun: "this is".
        order: the stems of what comes first, and of what follows; None if it gives no order.
    """

    content: frozenset[str]
    denied: bool
    limiting: frozenset[str]
    chosen: frozenset[str]
    cases: frozenset[str]
    is_vague: bool
    order: Order | None

    def opposes(self, other: "Said", opposites: Mapping[str, frozenset[str]]) -> bool:
        """Return whether the two cannot both hold."""
        left, right = self.content - other.content, other.content - self.content
        if min(len(left), len(right)) > 1:
            return False
        turned = [
            (one, two) for one in left for two in right if two in opposites.get(one, frozenset())
        ]
        if self.order and other.order and _is_reversed(self.order, other.order):
            return self.denied == other.denied and not turned
        if self.cases != other.cases:
            return False
        if len(turned) + (self.denied != other.denied) != 1:
            return False
        for one, two in turned:
            if one in self.chosen and two in other.chosen:
                return False
            left, right = left - {one}, right - {two}
        if (left and right) or len(left | right) > _MOST_MORE:
            return False
        if left & self.limiting or right & other.limiting:
            return False
        if left | right and self.cases:
            return False  # "if it is blank", "if not"
        shared = len(self.content & other.content)
        if left | right and shared < _LEAST_SHARED_OF_PRONOUNS and self.is_vague and other.is_vague:
            return False
        return shared >= _LEAST_SHARED or (shared > 0 and bool(turned) and not left | right)


def _is_reversed(one: Order, other: Order) -> bool:
    first, then = one[0] - one[1], one[1] - one[0]
    before, after = other[0] - other[1], other[1] - other[0]
    if (one[0] | one[1]) ^ (other[0] | other[1]):
        return False
    return bool(first & after and then & before) and not (first & before and then & after)


def oppositions(said: Sequence[Place], language: str) -> Iterator[tuple[Place, Place]]:
    """Yield the sentences that oppose an earlier one, with that one.

    Each is compared with the few latest that share a stem, so the time is linear.
    """
    data, rules = get_section(language, Opposition), get_section(language, Consistency)
    if data is None or rules is None:
        return
    reader, opposites = _Opposites(data, rules, language), _opposites(language)
    known: dict[str, list[tuple[Said, Place]]] = defaultdict(list)
    for place in said:
        read = reader.read(place.sentence.text)
        if read is None:
            continue
        seen: set[int] = set()
        found = None
        for each in sorted(read.content):
            for earlier, where in known[each][-_MAX_COMPARED:]:
                if found is None and id(earlier) not in seen:
                    seen.add(id(earlier))
                    if read.opposes(earlier, opposites):
                        found = where
            known[each].append((read, place))
        if found is not None:
            yield place, found


class _Opposites:
    """Reads the sentences of one language."""

    def __init__(self, data: Opposition, rules: Consistency, language: str) -> None:
        self.data, self.rules, self.language = data, rules, language
        known = vocabulary(language)
        self.denials = data.denials | rules.denials
        calculations = get_section(language, Calculations)
        self.than = calculations.than if calculations else frozenset[str]()
        said_always = data.generic - data.first - data.then
        self.cases = (rules.conditions | rules.limits | rules.cases) - said_always
        self.small = known.function_words | rules.pronouns
        self.articles = rules.leading_over | rules.definite
        # Some words with an opposite are function words as well: "above", "off".
        self.left_out = (
            data.generic | rules.without_denial | self.denials | (self.small - _polar(language))
        )

    def read(self, text: str) -> Said | None:
        """Return what a sentence says; None for questions, quotations, code and long sentences."""
        if not text.endswith(_ENDS) or _NOT_PROSE.search(text):
            return None
        said = words(text)
        if not _LEAST_WORDS <= len(said) <= _MOST_WORDS:
            return None
        denials = [word in self.denials or word.endswith(_DENIED) for word in said]
        if any(denials) and not self.data.restricting.isdisjoint(said):
            return None  # "This is not the only way."
        stems = ["" if no else self._stem(word) for word, no in zip(said, denials, strict=True)]
        content = frozenset(filter(None, stems))
        if not content or len(content) > _MOST_STEMS:
            return None
        limiting, chosen = self._limiting(said, stems)
        return Said(
            content,
            sum(denials) % 2 == 1,
            limiting,
            chosen,
            self.cases.intersection(said) - content,
            said[0] in self.rules.pronouns and not stems[1],
            self._order(text, said),
        )

    def _stem(self, word: str) -> str:
        if word in self.left_out or (len(word) < _MIN_CHARS and not word.isdecimal()):
            return ""
        return stem(word, self.language)

    def _limiting(
        self, said: Sequence[str], stems: Sequence[str]
    ) -> tuple[frozenset[str], frozenset[str]]:
        limiting, chosen = set[str](), set[str]()
        for at, each in enumerate(stems):
            if not each:
                continue
            before = at - 1
            while before >= 0 and (stems[before] or said[before] in self.articles):
                before -= 1
            if at + 1 < len(stems) and stems[at + 1]:
                limiting.add(each)
                if at and said[at - 1] in self.rules.definite:
                    chosen.add(each)
            elif before >= 0 and said[before] in self.rules.fronting | self.rules.leading:
                limiting.add(each)
        return frozenset(limiting), frozenset(chosen)

    def _order(self, text: str, said: Sequence[str]) -> Order | None:
        """ "First oil the wood, then sand it", "sand the wood first and oil it afterwards", "sand
        the wood before you oil it"."""
        for at, word in enumerate(said[1:-1], 1):
            if f", {word} " in text:
                continue  # "The register, after the change": an addition
            if word in self.data.before or word in self.data.after or word in self.than:
                one, two = self._stems(said[:at]), self._stems(said[at:])
                found = (two, one) if word in self.data.after else (one, two)
                return found if one and two else None
        first = next((i for i, word in enumerate(said) if word in self.data.first), 0)
        then = next((i for i, word in enumerate(said) if word in self.data.then and i > first), -1)
        if then < 0:
            return None
        at = then
        if then == len(said) - 1:  # "and oil it afterwards"
            joins = self.rules.span_to | {"and", "und", "et", "y"}
            at = next((i for i in range(first, then) if said[i] in joins), -1)
        if at < 0:
            return None
        one, two = self._stems(said[:at]), self._stems(said[at:])
        return (one, two) if one and two else None

    def _stems(self, said: Sequence[str]) -> frozenset[str]:
        polar = _polar(self.language)
        return frozenset(filter(None, (self._stem(word) for word in said if word not in polar)))


@cache
def _polar(language: str) -> frozenset[str]:
    """The words with an opposite that the data of a language lists."""
    data = get_section(language, Opposition)
    return frozenset(
        word for pair in (data.antonyms if data else ()) for group in pair for word in group
    )


@cache
def _opposites(language: str) -> Mapping[str, frozenset[str]]:
    """The stems of the opposites of each stem."""
    data = get_section(language, Opposition)
    found: dict[str, set[str]] = defaultdict(set)
    pairs = [
        (one, two)
        for left, right in (data.antonyms if data else ())
        for one in left
        for two in right
    ]
    listed = files("app.core.text") / "words" / f"opposites.{language}.txt"
    if listed.is_file():
        pairs += [(one, two) for one, two in map(str.split, listed.read_text("utf-8").splitlines())]
    for one, two in pairs:
        first, second = stem(one, language), stem(two, language)
        if first != second:
            found[first].add(second)
            found[second].add(first)
    return {each: frozenset(others) for each, others in found.items()}
