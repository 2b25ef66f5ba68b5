"""Sentences that exclude each other by what words mean: closed and open, free and priced, north
and south, a vegetarian dish and its ham."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache

from app.core.facts.dates import calendar_names
from app.core.facts.scanner import vocabulary
from app.core.facts.statement import Statement
from app.core.languages import Consistency, Contrasts, Exclusive, Opposition, get_section
from app.core.text import Sentence, stem, words

_MIN_CHARS = 3
# "in the bright, direct light"
_BEHIND = 4
_LEAST_BAG = 2
_MAX_WORDS = 40
# The latest sentences about one thing that a sentence is compared with.
_MAX_COMPARED = 10


@dataclass(frozen=True)
class Place:
    """A sentence of a text, and the number of its passage."""

    passage: int
    sentence: Sentence


class Reader:
    """Collects what the sentences of a text say, and finds those that exclude each other.

    Give it the sentences with ``add``, in reading order; ``prices`` then compares the free things.
    """

    def __init__(self, language: str) -> None:
        self._language = language
        self._words = get_section(language, Contrasts)
        self._rules = get_section(language, Consistency)
        self._sides: dict[tuple[object, ...], list[tuple[int, Place]]] = defaultdict(list)
        self._closed: dict[frozenset[str], Place] = {}
        self._open: dict[frozenset[str], Place] = {}
        self._days_closed: dict[tuple[frozenset[str], str], Place] = {}
        self._days_open: dict[tuple[frozenset[str], str], Place] = {}
        self._restricted: list[tuple[frozenset[str], frozenset[str], Place]] = []
        self._opened_on: list[tuple[frozenset[str], frozenset[str], Place]] = []
        self._free: dict[frozenset[str], Place] = {}
        self._diets: dict[str, list[tuple[int, Place]]] = defaultdict(list)
        self._foods: dict[str, list[tuple[frozenset[str], Place]]] = defaultdict(list)

    def add(self, place: Place) -> Place | None:
        """Read a sentence; return an earlier one that excludes it."""
        said = words(place.sentence.text)
        if self._words is None or self._rules is None or len(said) > _MAX_WORDS:
            return None
        triggers = _triggers(self._language).intersection(said)
        if not triggers or not self._rules.conditions.isdisjoint(said):
            return None
        for read in (self._exclusive, self._hours, self._diet):
            if found := read(place, said, self._words, self._rules):
                return found
        self._note_free(place, said, self._words, self._rules)
        return None

    @property
    def has_free(self) -> bool:
        """Whether a sentence calls something free."""
        return bool(self._free)

    def prices(self, statements: Sequence[Statement]) -> Iterator[Place]:
        """Yield the sentences that call free what the statements give a price."""
        for statement in statements:
            case = statement.case
            limited = case.conditions or case.cases or case.times or case.front or case.is_past
            if statement.family.startswith("money") and not limited and statement.fact.low:
                earlier = self._free.get(statement.wide)
                if earlier is not None:
                    yield earlier

    def _content(self, said: Sequence[str], left_out: frozenset[str] = frozenset()) -> list[str]:
        neutral = _neutral(self._language)
        return [
            stem(word, self._language)
            for word in said
            if len(word) >= _MIN_CHARS and word not in neutral and word not in left_out
        ]

    def _exclusive(
        self, place: Place, said: Sequence[str], data: Contrasts, rules: Consistency
    ) -> Place | None:
        for number, group in enumerate(data.exclusive):
            at, side = _side(said, group) if not group.words.isdisjoint(said) else (-1, -1)
            if side < 0:
                continue
            is_denied = sum(word in rules.denials for word in said) % 2
            bag = frozenset(self._content(said, group.words | rules.denials | data.always))
            after = next(iter(self._content(said[at + 1 :], group.words)), "")
            if len(bag) < _LEAST_BAG or not rules.limits.isdisjoint(set(said) - group.words):
                continue
            key = (number, after, bag, is_denied)
            for other, earlier in self._sides[key][-_MAX_COMPARED:]:
                if other != side:
                    return earlier
            self._sides[key].append((side, place))
        return None

    def _hours(
        self, place: Place, said: Sequence[str], data: Contrasts, rules: Consistency
    ) -> Place | None:
        """ "Closed on Mondays" and "open every day"."""
        text = f" {' '.join(said)} "
        phrase = next((each for each in data.every_day if f" {each} " in text), "")
        is_closed, is_open = not data.closed.isdisjoint(said), not data.opened.isdisjoint(said)
        if is_closed == is_open or not rules.denials.isdisjoint(said):
            return None
        days = frozenset(word for word in said if _is_weekday(word, self._language))
        left_out = data.closed | data.opened | days | frozenset(phrase.split()) | data.week
        subject = frozenset(self._content(said, left_out))
        if is_open and days and not phrase and (found := self._one_day(place, said, days, subject)):
            return found
        if not subject or not data.excepting.isdisjoint(said):
            return None
        if is_closed and days:
            self._closed.setdefault(subject, place)
            for day in days:
                self._days_closed.setdefault((subject, day.removesuffix("s")), place)
            opened = (self._days_open.get((subject, day.removesuffix("s"))) for day in days)
            return self._open.get(subject) or next(filter(None, opened), None)
        if is_open and phrase:
            self._open.setdefault(subject, place)
            return self._closed.get(subject)
        if is_open and len(days) == 1:
            (day,) = days
            self._days_open.setdefault((subject, day.removesuffix("s")), place)
            return self._days_closed.get((subject, day.removesuffix("s")))
        return None

    def _one_day(
        self, place: Place, said: Sequence[str], days: frozenset[str], subject: frozenset[str]
    ) -> Place | None:
        """ "Open on Tuesday only" and "on a Saturday, when it is open"."""
        restricting = get_section(self._language, Opposition)
        only = restricting.restricting if restricting else frozenset[str]()
        subject -= {stem(word, self._language) for word in only}
        named = frozenset(day.removesuffix("s") for day in days)
        if not subject:
            return None
        if only.isdisjoint(said):
            self._opened_on.append((subject, named, place))
            return next(
                (
                    earlier for own, other, earlier in self._restricted[-_MAX_COMPARED:]
                    if own <= subject and other.isdisjoint(named)
                ),
                None,
            )  # fmt: skip
        self._restricted.append((subject, named, place))
        return next(
            (
                earlier for other, open_, earlier in self._opened_on[-_MAX_COMPARED:]
                if subject <= other and open_.isdisjoint(named)
            ),
            None,
        )  # fmt: skip

    def _note_free(
        self, place: Place, said: Sequence[str], data: Contrasts, rules: Consistency
    ) -> None:
        at = next((i for i, word in enumerate(said) if word in data.free), 0)
        if not at or said[at - 1] not in data.being or not rules.denials.isdisjoint(said):
            return
        if set(said[at + 1 :]) <= data.free_ends:
            implied = _money_words(self._language)
            subject = [each for each in self._content(said[: at - 1]) if each not in implied]
            if subject:
                self._free.setdefault(frozenset(subject), place)

    def _diet(
        self, place: Place, said: Sequence[str], data: Contrasts, rules: Consistency
    ) -> Place | None:
        """ "The pie is vegetarian" and "put the ham into the pie"."""
        if not rules.limits.isdisjoint(said):
            return None
        text = f" {' '.join(said)} "
        begin = next((i for i, word in enumerate(said) if word in data.being_made), 0)
        if begin and said[0] in rules.definite:
            for number, diet in enumerate(data.diets):
                if any(f" {name} " in text for name in diet.names) and (
                    diet.denied or rules.denials.isdisjoint(said)
                ):
                    subject = self._content(said[:begin])[-1:]
                    for each in subject:
                        self._diets[each].append((number, place))
                        for stems, earlier in self._foods[each][-_MAX_COMPARED:]:
                            if stems & _excluded(self._language)[number]:
                                return earlier
                    return None
        if not data.exempting.isdisjoint(said):
            return None
        foods = frozenset(
            food
            for food in (stem(word, self._language) for word in said)
            if food in _all_excluded(self._language)
        )
        if not foods:
            return None
        for each in dict.fromkeys(self._content(said)):
            for number, earlier in self._diets[each][-_MAX_COMPARED:]:
                if foods & _excluded(self._language)[number] - {each}:
                    return earlier
            self._foods[each].append((foods - {each}, place))
        return None


def _side(said: Sequence[str], group: Exclusive) -> tuple[int, int]:
    """The place of the first word of a group, and the number of its side; -1 for none."""
    for at, word in enumerate(said):
        if word not in group.words:
            continue
        if group.ahead and (at + 1 >= len(said) or said[at + 1] not in group.ahead):
            continue
        if group.behind and group.behind.isdisjoint(said[max(at - _BEHIND, 0) : at]):
            continue
        if group.first and said[0] not in group.first:
            continue
        return at, next(i for i, side in enumerate(group.sides) if word in side)
    return -1, -1


def _is_weekday(word: str, language: str) -> bool:
    days = calendar_names(language)[1]
    # segunda-feira
    return word in days or word.removesuffix("s") in days or f"{word}-feira" in days


@cache
def _neutral(language: str) -> frozenset[str]:
    rules = get_section(language, Consistency)
    return (rules.neutral if rules else frozenset()) | vocabulary(language).function_words


@cache
def _money_words(language: str) -> frozenset[str]:
    rules = get_section(language, Consistency)
    found = rules.implied.get("money", frozenset()) if rules else frozenset()
    return frozenset(stem(word, language) for word in found)


@cache
def _excluded(language: str) -> tuple[frozenset[str], ...]:
    data = get_section(language, Contrasts)
    return tuple(
        frozenset(stem(word, language) for word in diet.excluded)
        for diet in (data.diets if data else ())
    )


@cache
def _all_excluded(language: str) -> frozenset[str]:
    return frozenset[str]().union(*_excluded(language))


@cache
def _triggers(language: str) -> frozenset[str]:
    """The words of which a sentence needs one to be read."""
    data = get_section(language, Contrasts)
    if data is None:
        return frozenset()
    found = data.closed | data.opened | data.free
    found = found.union(*(group.words for group in data.exclusive))
    for diet in data.diets:
        found |= diet.excluded | frozenset(name.split()[-1] for name in diet.names)
    return found
