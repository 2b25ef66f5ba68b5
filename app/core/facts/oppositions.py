"""Sentences about the same things of which one orders or says the opposite of the other.

They are compared by what is left of them without denials, opposites and words that
say nothing of their own, so that "leave the window open" meets "the window must stay shut".
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache

from app.core.facts.contrasts import Place
from app.core.facts.scanner import vocabulary
from app.core.languages import Calculations, Consistency, Opposition, get_section
from app.core.text import stem, words

_MIN_CHARS = 3
_MOST_WORDS = 24
_LEAST_STEMS = 2
# A sentence that is no rule says more than what is compared.
_LEAST_PLAIN = 3
_MOST_STEMS = 8
_MAX_COMPARED = 10
# How many stems a rule may have beside those of the other one.
_MOST_MORE = 1
_DENIED = ("n't", "n’t")


@dataclass(frozen=True)
class Said:
    """What a sentence says.

    Args:
        content: the stems of its own words, without opposites.
        denied: whether its denials are odd in number.
        sides: the side of each pair of opposites that it has.
        is_rule: whether it orders, allows, or holds always.
        is_strict: whether it orders, or holds always.
        order: the stems of what comes first, and of what follows; empty if it gives no order.
    """

    content: frozenset[str]
    denied: bool
    sides: Mapping[int, int]
    undone: frozenset[str]
    is_rule: bool
    is_strict: bool
    order: tuple[frozenset[str], frozenset[str]] | None

    def opposes(self, other: "Said") -> bool:
        """Return whether the two cannot both hold."""
        if self.order and other.order:
            return _is_reversed(self.order, other.order)
        if self.sides.keys() != other.sides.keys():
            return False
        small, large = sorted((self.content, other.content), key=len)
        size = len(small) + len(self.sides)
        if not small or size < _LEAST_STEMS or not small <= large:
            return False
        if not (self.is_rule and other.is_rule and (self.is_strict or other.is_strict)):
            if len(small) < len(large) or size < _LEAST_PLAIN:
                return False
        elif len(large) - len(small) > _MOST_MORE:
            return False
        flips = sum(self.sides[pair] != other.sides[pair] for pair in self.sides)
        flips += len(self.undone ^ other.undone)
        return flips < 2 and (self.denied != other.denied) != bool(flips)


def _is_reversed(
    one: tuple[frozenset[str], frozenset[str]], other: tuple[frozenset[str], frozenset[str]]
) -> bool:
    first, then = one[0] - one[1], one[1] - one[0]
    before, after = other[0] - other[1], other[1] - other[0]
    if (one[0] | one[1]) ^ (other[0] | other[1]):
        return False
    return bool(first & after and then & before) and not (first & before and then & after)


def oppositions(said: Sequence[Place], language: str) -> Iterator[tuple[Place, Place]]:
    """Yield the sentences that oppose an earlier one, with that one."""
    data, rules = get_section(language, Opposition), get_section(language, Consistency)
    if data is None or rules is None:
        return
    reader = _Opposites(data, rules, language)
    known: dict[str, list[tuple[Said, Place]]] = defaultdict(list)
    for place in said:
        read = reader.read(place.sentence.text)
        if read is None:
            continue
        stems = sorted(read.content)
        seen: set[int] = set()
        found = None
        for each in stems:
            for earlier, where in known[each][-_MAX_COMPARED:]:
                if found is None and id(earlier) not in seen:
                    seen.add(id(earlier))
                    if read.opposes(earlier):
                        found = where
            known[each].append((read, place))
        if found is not None:
            yield place, found


class _Opposites:
    """Reads the sentences of one language that deny, order, or have a word with an opposite."""

    def __init__(self, data: Opposition, rules: Consistency, language: str) -> None:
        self.data, self.rules, self.language = data, rules, language
        self.denials = data.denials | rules.denials
        self.sides = _sides(language)
        calculations = get_section(language, Calculations)
        self.than = calculations.than if calculations else frozenset[str]()
        self.norms = frozenset(norm for norm in data.norms if " " not in norm)
        self.phrases = tuple(f" {norm} " for norm in data.norms if " " in norm)
        self.triggers = (
            self.denials
            | frozenset(self.sides)
            | self.norms
            | self.than
            | data.allowing
            | data.first
            | data.before
        )
        self.qualified = rules.conditions - {"while", "during", "now", "today"}
        self.left_out = (
            data.generic
            | self.denials
            | rules.without_denial
            | rules.pronouns
            | vocabulary(language).function_words
        )

    def read(self, text: str) -> Said | None:
        said = words(text)
        if not _LEAST_STEMS <= len(said) <= _MOST_WORDS or text.rstrip().endswith("?"):
            return None
        if self.triggers.isdisjoint(said) and not any(each in text for each in self.phrases):
            return None
        if not self.qualified.isdisjoint(said) or "“" in text or '"' in text:
            return None
        denies = any(word in self.denials or word.endswith(_DENIED) for word in said)
        if denies and not self.data.restricting.isdisjoint(said):
            return None  # "This is not the only way."
        denied, sides, content = False, dict[int, int](), list[str]()
        undone: set[str] = set()
        for word in said:
            if word in self.denials or word.endswith(_DENIED):
                denied = not denied
            elif word in self.sides:
                pair, side = self.sides[word]
                sides.setdefault(pair, side)
            elif len(word) >= _MIN_CHARS and word not in self.left_out:
                base = next((p for p in self.data.prefixes if word.startswith(p)), "")
                if base and len(word) - len(base) > _MIN_CHARS:
                    undone.add(stem(word[len(base) :], self.language))
                    content.append(stem(word[len(base) :], self.language))
                else:
                    content.append(stem(word, self.language))
        stems = frozenset(content)
        if len(stems) > _MOST_STEMS:
            return None
        low = f" {' '.join(said)} "
        is_strict = not self.norms.isdisjoint(said) or any(p in low for p in self.phrases)
        is_rule = is_strict or not self.data.allowing.isdisjoint(said)
        return Said(stems, denied, sides, frozenset(undone), is_rule, is_strict, self._order(said))

    def _order(self, said: Sequence[str]) -> tuple[frozenset[str], frozenset[str]] | None:
        """ "First oil the wood, then sand it", "sand the wood first and oil it afterwards", "sand
        the wood before you oil it"."""
        for at, word in enumerate(said[1:-1], 1):
            if word in self.data.before or word in self.data.after or word in self.than:
                one, two = self._stems(said[:at]), self._stems(said[at:])
                found = (two, one) if word in self.data.after else (one, two)
                return found if one and two else None
        first = next((i for i, word in enumerate(said) if word in self.data.first), -1)
        then = next((i for i, word in enumerate(said) if word in self.data.then and i > first), -1)
        if first < 0 or then < 0:
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
        return frozenset(
            stem(word, self.language)
            for word in said
            if len(word) >= _MIN_CHARS and word not in self.left_out
        )


@cache
def _sides(language: str) -> Mapping[str, tuple[int, int]]:
    """The number of the pair and of the side of each word with an opposite."""
    data = get_section(language, Opposition)
    return {
        word: (number, side)
        for number, pair in enumerate(data.antonyms if data else ())
        for side, group in enumerate(pair)
        for word in group
    }
