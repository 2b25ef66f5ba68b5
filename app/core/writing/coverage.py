"""Choose what a post has of sources that say far more than it has room for: first what covers the
request, each part of it once, then cautions and steps, then the rest."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain

from app.core.languages import get_language
from app.core.planning.brief import MOST_SECTIONS, Brief
from app.core.text import stems, word_count, words
from app.core.verification import Extract
from app.core.writing.notes import Notes

_DIGIT = re.compile(r"\d")

Place = tuple[Extract, ...]

# What a part of the request weighs, one that only further keywords name, and how much more one that
# a title of a page names.
_TOPIC, _KEYWORD, _OF_PAGE = 0.8, 0.4, 0.4
# The fewest words of a place that stand without the rest of it.
_LEAST_PART = 20
# How alike the answer to a question is to what is said without it.
_SAME = 0.33
# How much a place is about a word of a long heading, and about one that all of its sentences have;
# about a heading that is this word it is wholly.
_HEADED, _SAID = 0.6, 0.5
# What speaks for steps, the more under a heading that says so, for cautions, for a table, for a
# heading in the words of its page's title, for one that answers which to choose if the request asks
# that, for one that asks as the request does, and for figures in all of its sentences.
_STEPS, _PROCEDURE, _CAUTIONS, _TABLE, _TITLED, _CHOICE, _ASKED = 0.4, 0.4, 0.3, 0.25, 0.4, 1.0, 0.5
_FIGURES = 0.2
# What speaks for what a page says first, for the second, and so on; and against a place that begins
# with a reference to another one.
_EARLY = (0.8, 0.3, 0.15)
_REFERRING = 0.4
# The share of cautions from which a place warns.
_WARNS = 0.25
# A place is worth this part of how relevant its sentences are.
_RELEVANT = 0.5
# How much a long place is worth less than a short one that says as much; and more, where only a few
# may make a post that is long enough.
_LENGTH, _FEW_LENGTH = 0.35, -1.5
# What a heading needs of the room.
_HEADING_ROOM = 6
# Words are akin if they have the same beginning of at least this length and few letters more, or
# if one, of at least the second length, begins the other.
_AKIN, _MORE, _BEGINNING = 4, 2, 5


@dataclass
class Coverage:
    """The choice of places of pages: what stands under one heading.

    Args:
        titles: of the pages, by the index of their source.
        sides: the stems of the two things that the request compares, if it does.
        taken: how many sections the post has already.
    """

    notes: Notes
    brief: Brief
    titles: Mapping[int, str]
    sides: frozenset[str] = frozenset()
    taken: int = 0
    _known: dict[Place, dict[str, float]] = field(default_factory=dict)
    _worth: dict[Place, float] = field(default_factory=dict)

    def chosen(self, places: Iterable[Place], room: int, least: int) -> list[Place]:
        """Return the places for which there is room, in their order, at most as many as the client
        allows sections: longer ones if these would be too short together.

        Args:
            room, least: how many words they may and should have.
        """
        left = self._without_digressions(list(places), room)
        found = self._covering(left, room, _LENGTH)
        if len(found) == self._most and sum(map(size, found)) < least:
            found = self._covering(left, room, _FEW_LENGTH)
        return sorted(found, key=lambda place: self.notes.at[place[0]])

    @property
    def _most(self) -> int | None:
        """How many sections the client allows; None without a limit."""
        most = self.brief.max_sections
        return most - self.taken if most < MOST_SECTIONS else None

    def _covering(self, places: Sequence[Place], room: int, length: float) -> list[Place]:
        left, found = list(places), list[Place]()
        covered: dict[str, float] = {}

        def gain(place: Place) -> float:
            needed: float = (size(place) + _HEADING_ROOM) ** length
            return self._gain(place, covered) / needed

        while self._most is None or len(found) < self._most:
            fitting = {part: place for place in left if (part := _fitting(place, room))}
            if not fitting:
                break
            best = max(fitting, key=gain)
            left.remove(fitting[best])
            found.append(best)
            room -= size(best) + _HEADING_ROOM
            self._cover(best, covered)
        return found

    def answers(self, places: Iterable[Place], chosen: Sequence[Place], most: int) -> list[Place]:
        """Return up to ``most`` places that say something about the request which the chosen ones
        do not, the best first."""
        said = list(chain.from_iterable(chosen))

        def again(place: Place) -> float:
            return max(
                (self.notes.likeness(note, other) for note in place for other in said), default=0.0
            )

        worth = {
            place: self._relevance(place) + sum(self._about(place).values()) / 4 - alike
            for place in places
            if (alike := again(place)) < _SAME
        }
        return sorted(worth, key=lambda place: worth[place], reverse=True)[:most]

    def _without_digressions(self, places: list[Place], room: int) -> list[Place]:
        """Return the places that tell no history, no story and nothing of their publisher, unless
        that is the subject, or there is little else."""
        rules = self.notes.rules
        if rules is None:
            return places
        patterns = (rules.digressing, rules.of_page)
        told = [each for each in patterns if not each.search(self._request)]
        others = [
            place for place in places if not any(each.search(place[0].heading) for each in told)
        ]
        return others if sum(map(size, others)) >= room else places

    @property
    def _request(self) -> str:
        return " \n ".join([*self.brief.keywords, self.brief.topic or ""])

    def _gain(self, place: Place, covered: Mapping[str, float]) -> float:
        """Return what a place adds."""
        if place not in self._worth:
            self._worth[place] = self._own(place)
        return self._new(place, covered) + self._worth[place]

    def _new(self, place: Place, covered: Mapping[str, float]) -> float:
        return sum(
            self._asked[word] * max(0.0, share - covered.get(word, 0.0))
            for word, share in self._about(place).items()
        )

    def _cover(self, place: Place, covered: dict[str, float]) -> None:
        for word, share in self._about(place).items():
            covered[word] = max(share, covered.get(word, 0.0))

    def _own(self, place: Place) -> float:
        """Return what speaks for a place, whatever else is chosen."""
        rules, heading = self.notes.rules, place[0].heading
        worth = _RELEVANT * self._relevance(place)
        title = self._stems(self.titles.get(place[0].source_index, "")) - self._subject
        worth += _TITLED * any(_is_in(word, title) for word in self._stems(heading) - self._subject)
        worth += _FIGURES * sum(bool(_DIGIT.search(note.text)) for note in place) / len(place)
        worth += _TABLE * any(note.marker == "|" for note in place)
        worth += _STEPS * any(note.marker == "1" for note in place)
        worth += self._early.get((place[0].source_index, heading), 0.0)
        worth += _ASKED * self._asks_alike(heading)
        worth -= _REFERRING * self.notes.refers(place[0])
        if rules:
            warning = sum(bool(rules.cautions.search(note.text)) for note in place) / len(place)
            worth += _PROCEDURE * bool(rules.steps.search(heading))
            worth += _CAUTIONS * ((warning >= _WARNS) + bool(rules.cautions.search(heading)))
            is_choice = rules.deciding.search(heading) or rules.comparing.search(heading)
            worth += _CHOICE * bool(is_choice and self._is_choice_asked)
        return worth

    def _asks_alike(self, heading: str) -> bool:
        """Whether a heading is a question that begins as one in the request: “how”, “which”."""
        rules, first = self.notes.rules, next(iter(words(heading)), "")
        is_question = heading.endswith("?") and rules is not None and first in rules.unspecific
        return is_question and first in words(self._request)

    @cached_property
    def _early(self) -> dict[tuple[int, str], float]:
        """What speaks for the first headings of each page."""
        found: dict[int, list[str]] = {}
        rules = self.notes.rules
        for note in self.notes.all:
            headings = found.setdefault(note.source_index, [])
            is_preparing = rules and rules.preparing.search(note.heading)
            if note.heading and note.heading not in headings and not is_preparing:
                headings.append(note.heading)
        return {
            (index, heading): worth
            for index, headings in found.items()
            for heading, worth in zip(headings, _EARLY, strict=False)
        }

    @cached_property
    def _is_choice_asked(self) -> bool:
        rules = self.notes.rules
        texts = [*self.brief.keywords, self.brief.topic or ""]
        return rules is not None and any(
            pattern.search(text) for text in texts for pattern in rules.compared
        )

    def _relevance(self, place: Place) -> float:
        found = [self.notes.relevance(note) for note in place]
        return max(found) + sum(found) / len(found)

    @cached_property
    def _subject(self) -> frozenset[str]:
        rules = self.notes.rules
        unspecific = stems(" ".join(rules.unspecific), self.notes.language) if rules else set()
        return self.notes.primary | self.notes.small | unspecific

    @cached_property
    def _asked(self) -> dict[str, float]:
        """The words of the request that tell one place from another, with what they weigh."""
        found = dict.fromkeys(self.notes.wanted, _KEYWORD)
        found |= dict.fromkeys(self.notes.topic, _TOPIC)
        titles = self._stems(" ".join(self.titles.values()))
        return {
            word: weight + _OF_PAGE * _is_in(word, titles)
            for word, weight in sorted(found.items())
            if word not in self._subject
            and not _is_in(word, self.notes.primary)
            and not self._is_compound(word)
        } | dict.fromkeys(sorted(self.sides), 1.0)

    def _is_compound(self, word: str) -> bool:
        """Whether a word begins as the primary keyword does, in a language of compounds."""
        spoken = get_language(self.notes.language)
        return bool(spoken and spoken.capitalises_nouns) and any(
            word[:_BEGINNING] == each[:_BEGINNING] for each in self.notes.primary
        )

    def _about(self, place: Place) -> dict[str, float]:
        """Return how much a place is about each word of the request."""
        if place not in self._known:
            heading = self._stems(self._heading(place)) - self._subject | (
                self._stems(self._heading(place)) & self.sides
            )
            shares = {}
            for word in self._asked:
                having = sum(_is_in(word, self.notes.stems[note]) for note in place)
                said = _SAID * having / len(place)
                if _is_in(word, heading):
                    said = _HEADED + (1 - _HEADED) / len(heading)
                shares[word] = said
            self._known[place] = {word: share for word, share in shares.items() if share}
        return self._known[place]

    def _heading(self, place: Place) -> str:
        return place[0].heading or self.titles.get(place[0].source_index, "")

    def _stems(self, text: str) -> frozenset[str]:
        return stems(text, self.notes.language) - self.notes.small


def _fitting(place: Place, room: int) -> Place:
    """Return a place, or as many of its first paragraphs as there is room for; nothing if they are
    too few. A list or table stays with what stands before it."""
    ends = [at for at in range(1, len(place)) if _is_parted(place[at - 1], place[at])]
    for end in (len(place), *reversed(ends)):
        part = place[:end]
        words_needed = size(part)
        if words_needed + _HEADING_ROOM <= room:
            is_enough = end == len(place) or words_needed >= _LEAST_PART
            return part if is_enough else ()
    return ()


def _is_parted(one: Extract, other: Extract) -> bool:
    return bool(other.heading) and not other.marker and one.line != other.line


def _is_in(word: str, known: Iterable[str]) -> bool:
    return any(is_akin(word, each) for each in known)


def is_akin(one: str, other: str) -> bool:
    """Whether two stems are of the same word or family, by their beginnings."""
    if one == other:
        return True
    short, long = sorted((len(one), len(other)))
    same = next((at for at in range(short) if one[at] != other[at]), short)
    return (same >= _AKIN and long - same <= _MORE) or (same == short >= _BEGINNING)


def size(notes: Sequence[Extract]) -> int:
    return sum(word_count(note.text) for note in notes)
