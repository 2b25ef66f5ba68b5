"""Units that a sentence says once: “5, 10 and 15 pounds”, “11 bar up to 600 m, 12 up to 1,200”."""

from collections.abc import Sequence
from dataclasses import replace
from functools import cache

from app.core.facts.fact import Fact, FactKind
from app.core.facts.scanner import Token
from app.core.languages import Enumerations, Results, get_section

# What stands between the numbers of a list or of a calculation, beside words.
_SIGNS = frozenset({",", "+", "=", "/", "&"})
_MEASURED = frozenset({FactKind.AMOUNT, FactKind.MEASUREMENT})
# How many tokens around two numbers must be the same, a word among them; and how far they are read.
_LEAST_ALIKE, _MOST_READ = 2, 4
# A sentence with more values is a table or a list of codes.
_MOST_VALUES = 40


def with_units(
    facts: Sequence[Fact], tokens: Sequence[Token], start: int, language: str
) -> list[Fact]:
    """Return the facts of a sentence. A number without a unit has that of the value behind it in a
    list or calculation, or of the value that stands between the same words.

    Args:
        start: the place of the sentence in the text of the facts.
    """
    found = list(facts)
    bare = [at for at, fact in enumerate(found) if _is_bare(fact)]
    measured = [at for at, fact in enumerate(found) if fact.kind in _MEASURED]
    if not bare or not measured or len(found) > _MOST_VALUES:
        return found
    read, listed = _Read(found, tokens, start), set[int]()
    for at in reversed(bare):
        after = found[at + 1] if at + 1 < len(found) else None
        between = read.between(at) if after is not None else frozenset()
        # “5, 10 and 15 pounds”, but not “step 3, 5 minutes”.
        is_last = after is not None and at + 1 in measured and between != {","}
        is_listed = is_last or at + 1 in listed
        if after is not None and between <= _joins(language) and is_listed:
            found[at] = _measured(found[at], after)
            listed.add(at)
    for at in set(bare) - listed:
        alike = {other: read.likeness(at, other) for other in measured}
        most = max(alike.values())
        like = [found[other] for other in measured if alike[other] == most]
        if most >= _LEAST_ALIKE and len({(each.unit, each.factor) for each in like}) == 1:
            found[at] = _measured(found[at], like[0])
    return found


class _Read:
    """The tokens of a sentence, with its unit in place of each value."""

    def __init__(self, facts: Sequence[Fact], tokens: Sequence[Token], start: int) -> None:
        self._tokens: list[str] = []
        self._places: list[int] = []
        ahead = [(fact.span[0] - start, fact.span[1] - start) for fact in facts]
        for token in tokens:
            number = len(self._places)
            if number < len(ahead) and token.end > ahead[number][0]:
                self._places.append(len(self._tokens))
                self._tokens.append(f"#{facts[number].unit}")
            elif not self._places or token.start >= ahead[len(self._places) - 1][1]:
                self._tokens.append(token.low)

    def between(self, at: int) -> frozenset[str]:
        """Return the tokens between a value and the next one."""
        return frozenset(self._tokens[self._places[at] + 1 : self._places[at + 1]])

    def likeness(self, one: int, other: int) -> int:
        """Return how many tokens before and behind two values are the same; 0 without a word."""
        same = [
            token
            for ours, theirs in zip(self._around(one), self._around(other), strict=True)
            for token in _common(ours, theirs)
        ]
        return len(same) if any(token.isalpha() for token in same) else 0

    def _around(self, at: int) -> tuple[list[str], list[str]]:
        place = self._places[at]
        before = self._tokens[max(0, place - _MOST_READ) : place]
        return before[::-1], self._tokens[place + 1 : place + 1 + _MOST_READ]


def _common(one: Sequence[str], other: Sequence[str]) -> list[str]:
    """Return what two lists begin with."""
    same = []
    for ours, theirs in zip(one, other, strict=False):
        if ours != theirs:
            break
        same.append(ours)
    return same


@cache
def _joins(language: str) -> frozenset[str]:
    words = (get_section(language, Enumerations), get_section(language, Results))
    return _SIGNS.union(*(each.joins for each in words if each))


def _is_bare(fact: Fact) -> bool:
    is_number = fact.kind is FactKind.NUMBER and not fact.unit and not fact.nouns
    return is_number and fact.text[:1].isdecimal()


def _measured(number: Fact, like: Fact) -> Fact:
    return replace(
        number, kind=like.kind, unit=like.unit, factor=like.factor,
        low=number.low * like.factor, high=number.high * like.factor,
    )  # fmt: skip
