"""Compose a post of sentences of sources: which stand together, in which order, under which
headings, and which questions they answer.

Sentences keep the order and the neighbours that they have on their page. Where a page has headings,
lists or steps, they stay; where it has none, neighbours that speak of the same stay together.
"""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain, pairwise, takewhile
from math import sqrt

from app.core.languages import Composing, get_section
from app.core.planning.brief import Brief
from app.core.text import fold, stems, word_count, words
from app.core.verification import Extract, is_order
from app.core.writing.names import Names, capitalised, lower
from app.core.writing.notes import Notes
from app.core.writing.plan import Form

# The least number of orders that are steps, and how many other sentences may stand between two.
_STEPS, _BETWEEN = 3, 2
# A group holds the first number of sentences at most; one of fewer than the second is too short.
_MOST, _LEAST = 6, 2
# The fewest sentences that make a post.
_FEWEST = 7
# How many sentences there are for each group.
_A_GROUP = 3.1
# How much two sentences belong together because they are of one paragraph, items of one list, or
# the second refers to the first, or begins with its subject; and the least with which groups are
# joined.
_PARAGRAPH, _LISTED, _REFERRING, _CHAINED = 0.3, 0.6, 0.3, 0.15
_JOINED, _FITS = 0.06, 0.09
# How much a sentence belongs with its neighbours, and with others of its page.
_NEAR, _OF_PAGE = 0.1, 0.04
# How alike a sentence is to a step that it goes on from.
_GOES_ON = 0.16
# Sentences of two pages that are so alike say the same.
_SAME = 0.6
_ROWS, _MOST_ROWS = 2, 6
# The least likeness of two sentences that say the same of two things.
_PARALLEL = 0.12
# How much more alike they are if they begin with the same, in their first words.
_SUBJECT, _BEGIN = 0.3, 2
# How many sentences under one heading stay together.
_UNDER_HEADING = 9
# Sentences whose neighbours are less alike have no subject in common.
_MIXED = 0.05
_INTRODUCTION_WORDS, _PASSAGE = 60, 3
# How well a second sentence goes on from the first, at least; and if that has no neighbour.
_SECOND, _SECOND_ALONE = 0.25, 0.1
_ANSWER_WORDS = 60


@dataclass(frozen=True)
class Group:
    """The sentences of a section.

    Args:
        heading: "" if the sentences do not tell; then somebody has to write one.
        columns: the names of two things that are compared; ``rows`` are what is said of each of
            them, below the other notes.
    """

    notes: tuple[Extract, ...]
    form: Form = Form.PROSE
    heading: str = ""
    columns: tuple[str, ...] = ()
    rows: tuple[tuple[Extract, Extract], ...] = ()


@dataclass(frozen=True)
class Composition:
    """A post of sentences; ``questions`` are the answers by their questions."""

    introduction: tuple[Extract, ...]
    groups: tuple[Group, ...]
    questions: dict[str, tuple[Extract, ...]]
    conclusion: tuple[Extract, ...]


@dataclass(frozen=True)
class _Sides:
    """Two things that a request compares: their names, and the stems that tell them apart."""

    names: tuple[str, str]
    stems: tuple[frozenset[str], frozenset[str]]


class Composer:
    """Compose a post from notes in the order of their pages.

    Args:
        brief: of the post; the numbers of sections and questions are at most its own.
        room: how many words the notes of the post may have.
    """

    def __init__(self, notes: Sequence[Extract], brief: Brief, room: int) -> None:
        self._brief, self._room = brief, room
        self._words = Notes(notes, brief)
        self.names = Names(self._words, brief)
        self._stepped: set[Extract] = set()
        # What a reader has to know before the first step.
        self._before: set[Extract] = set()
        # Which of two compared things each sentence is about, or goes on from.
        self._sided: dict[Extract, int] = {}

    def compose(self) -> Composition | None:
        """Return the post; None if the notes are too few for one."""
        brief = self._brief
        if len(self._words.all) < _FEWEST:
            return None
        groups = self._chosen(self._divided())
        questions = self._page_questions(groups)
        asked = set(chain.from_iterable(questions.values()))
        groups = [group for group in groups if asked.isdisjoint(group)]
        if not groups:
            return None
        first = self._introduction(groups)
        groups = _without(groups, first)
        groups = self._prepared(groups)
        last = self._conclusion(groups)
        groups = _without(groups, last)
        table, groups = self._table(groups)
        groups = self._together(groups)
        groups, found = self._asked(groups, brief.faqs - len(questions))
        questions |= found
        most = brief.max_sections - bool(table)
        groups = self._at_most(groups, most)
        while groups and len(groups) + bool(table) < brief.sections[0]:
            longest = max(groups, key=len)
            if len(longest) < 2 * _LEAST or self._is_steps(longest):
                break
            at, half = groups.index(longest), len(longest) // 2
            groups[at : at + 1] = [longest[:half], longest[half:]]
        groups = self._ordered(groups)
        if len(groups) + bool(table) < max(1, brief.sections[0]):
            return None
        made = ([table] if table else []) + [self._made(group) for group in groups]
        return Composition(first, tuple(self._distinct(made)), questions, last)

    # Which sentences stand together.

    def _divided(self) -> list[tuple[Extract, ...]]:
        """Return the notes in their order as groups of neighbours: steps, sentences under one
        heading, and sentences that speak of the same."""
        places: list[list[Extract]] = []
        for note in self._words.all:
            if places and _is_one_place(places[-1][-1], note):
                places[-1].append(note)
            else:
                places.append([note])
        groups: list[tuple[Extract, ...]] = []
        for notes in map(tuple, places):
            at = 0
            for begin, end in self._steps(notes):
                groups += self._joined([(note,) for note in notes[at:begin]])
                groups.append(notes[begin:end])
                self._stepped.update(notes[begin:end])
                at = end
            if notes[0].heading and len(notes) <= _UNDER_HEADING and at == 0:
                groups.append(notes)
            else:
                groups += self._joined([(note,) for note in notes[at:]])
        return groups

    def _chosen(self, groups: list[tuple[Extract, ...]]) -> list[tuple[Extract, ...]]:
        """Return the groups for which there is room, those first that say most of the request; and
        nothing that says almost the same as another page, with another figure maybe."""

        def worth(group: Sequence[Extract]) -> float:
            found = [self._words.relevance(note) for note in group]
            return max(found) + sum(found) / len(found) + 0.2 * self._is_steps(group)

        chosen: list[tuple[Extract, ...]] = []
        left = self._room
        is_scarce = _size(self._words.all) <= self._brief.min_words
        for group in sorted(groups, key=worth, reverse=True):
            if not is_scarce:
                group = tuple(note for note in group if not self._is_said(note, chosen))
            size = _size(group)
            if group and (size <= left or not chosen):
                chosen.append(group)
                left -= size
        return sorted(chosen, key=lambda group: self._words.at[group[0]])

    def _is_said(self, note: Extract, groups: Iterable[Sequence[Extract]]) -> bool:
        return any(
            other.source_index != note.source_index and self._words.likeness(note, other) >= _SAME
            for other in chain.from_iterable(groups)
        )

    def _steps(self, notes: Sequence[Extract]) -> list[tuple[int, int]]:
        """Return where steps begin and end among the notes of one place."""
        heading = notes[0].heading
        if heading and not (self._words.rules and self._words.rules.steps.search(heading)):
            # Several tips are no steps.
            orders = [at for at, note in enumerate(notes) if note.marker == "1"]
        else:
            orders = [at for at, note in enumerate(notes) if self._is_step(note)]
        runs: list[list[int]] = []
        for at in orders:
            if runs and at - runs[-1][-1] <= _BETWEEN + 1:
                runs[-1].append(at)
            else:
                runs.append([at])
        found = []
        for run in runs:
            if len(run) < _STEPS or 2 * len(run) <= run[-1] - run[0]:
                continue
            end = run[-1] + 1
            # What goes on from the last step belongs to it.
            while end < min(len(notes), run[-1] + _BETWEEN + 2):
                if not self._goes_on(notes[end - 1], notes[end]):
                    break
                end += 1
            found.append((run[0], end))
        return found

    def _goes_on(self, before: Extract, note: Extract) -> bool:
        return (
            self._words.likeness(before, note) >= _GOES_ON
            or self._words.refers(note)
            or self._words.is_chained(before, note)
        )

    def _is_step(self, note: Extract) -> bool:
        return note.marker == "1" or is_order(note.text, self._words.language)

    def _is_steps(self, group: Sequence[Extract]) -> bool:
        return not self._stepped.isdisjoint(group)

    def _joined(self, groups: list[tuple[Extract, ...]]) -> list[tuple[Extract, ...]]:
        """Return neighbouring groups joined as long as some belong together."""
        groups = list(groups)
        links = [self._link(one, other) for one, other in pairwise(groups)]
        while links and max(links) >= _JOINED:
            at = links.index(max(links))
            groups[at : at + 2] = [groups[at] + groups[at + 1]]
            del links[at]
            for near in (at - 1, at):
                if 0 <= near < len(links):
                    links[near] = self._link(groups[near], groups[near + 1])
        return groups

    def _link(self, one: Sequence[Extract], other: Sequence[Extract]) -> float:
        """Return how much two neighbouring groups belong together."""
        if len(one) + len(other) > _MOST:
            return 0.0
        last, first = one[-1], other[0]
        bonus = _PARAGRAPH * (last.line == first.line)
        bonus += _LISTED * bool(last.marker and first.marker)
        bonus += _REFERRING * self._words.refers(first) + _CHAINED * self._words.is_chained(
            last, first
        )
        bonus += _REFERRING * (self._words.kind(one) == self._words.kind(other) != "") / 3
        return self._words.fit(one, other) + bonus / sqrt(len(one) + len(other) - 1)

    def _together(self, groups: list[tuple[Extract, ...]]) -> list[tuple[Extract, ...]]:
        """Return the groups without those of a single sentence, as far as these go with another: of
        the same page in their order, of another one at its end."""
        found = list(groups)
        for group in groups:
            others = [each for each in found if each != group]
            if len(group) >= _LEAST or not others or group not in found:
                continue
            (note,) = group
            fits = {
                at: self._words.fit(each, group)
                + _OF_PAGE * (each[0].source_index == note.source_index)
                + _NEAR * self._is_near(each, note)
                - _REFERRING * (len({self._sided.get(n) for n in (*each, note)} - {None}) > 1)
                + _REFERRING * (self._words.kind(each) == self._words.kind(group) != "") / 3
                for at, each in enumerate(found)
                if each != group
                and not each[0].heading
                and len(each) <= _MOST
                and not self._is_steps(each)
            }
            if not fits:
                continue
            best = max(fits, key=lambda at: fits[at])
            found[best] = tuple(sorted((*found[best], note), key=self._order(found[best])))
            found.remove(group)
        return found

    def _prepared(self, groups: list[tuple[Extract, ...]]) -> list[tuple[Extract, ...]]:
        """Return the groups with what a reader has to know before the first step in front of it."""
        steps = next((group for group in groups if self._is_steps(group)), None)
        if steps is None or self._words.rules is None:
            return groups
        before = tuple(
            note
            for note in chain.from_iterable(groups)
            if note not in steps
            and self._words.rules.beforehand.search(note.text)
            and not self._is_step(note)
            and not self._words.refers(note)
        )[:_PASSAGE]
        self._before.update(before)
        rest = _without(groups, before)
        rest[rest.index(steps)] = (*before, *steps)
        return rest

    def _is_near(self, group: Sequence[Extract], note: Extract) -> bool:
        return min(abs(self._words.at[each] - self._words.at[note]) for each in group) == 1

    def _order(self, group: Sequence[Extract]) -> Callable[[Extract], tuple[bool, bool, int]]:
        """Return the key that sorts sentences as their pages have them, the page of a group
        first."""
        own = group[0].source_index
        return lambda note: (
            note not in self._before,
            note.source_index != own,
            self._words.at[note],
        )

    def _at_most(self, groups: list[tuple[Extract, ...]], most: int) -> list[tuple[Extract, ...]]:
        """Return groups of which there are no more than a post of these sentences has room for:
        the nearest are joined. Those with a heading of their page stay, if there is room."""
        kept = [group for group in groups if group[0].heading]
        if len(kept) + bool(len(kept) < len(groups)) > most:
            kept = []
        groups = [group for group in groups if group not in kept]
        most -= len(kept)
        if not groups:
            return kept
        total = sum(map(len, groups))
        most = max(1, min(most, round(total / _A_GROUP)))
        while len(groups) > most or (len(groups) > 1 and min(map(len, groups)) < _LEAST):
            pairs = [
                (at, other)
                for at in range(len(groups))
                for other in range(at + 1, len(groups))
                if len(groups) > most or min(len(groups[at]), len(groups[other])) < _LEAST
            ]

            def fit(pair: tuple[int, int]) -> float:
                one, other = groups[pair[0]], groups[pair[1]]
                apart = one[0].source_index != other[0].source_index or pair[1] > pair[0] + 1
                steps = self._is_steps(one) or self._is_steps(other)
                sides = {self._sided.get(note) for note in (*one, *other)}
                return (
                    self._words.fit(one, other)
                    - 0.03 * (len(one) + len(other))
                    - apart / 4
                    - steps
                    - (len(sides - {None}) > 1)
                    + 0.2 * (len(sides) == 1 and None not in sides)
                )

            at, other = max(pairs, key=fit)
            both = groups[at] + groups.pop(other)
            groups[at] = tuple(sorted(both, key=self._order(both)))
        return [*kept, *groups]

    # What comes first and last.

    def _introduction(self, groups: Sequence[Sequence[Extract]]) -> tuple[Extract, ...]:
        """Return the passage that answers the request most directly: a sentence that is no step,
        and the one after it, or another one about the same."""
        firsts = {note.source_index: note for note in reversed(self._words.all)}.values()
        # What is said of both of two things goes into their table, unless it tells which to take.
        rows = [row for row in self._rows(groups) if not any(map(self._words.answers, row))]
        told = set(chain(*rows)) if len(rows) >= _ROWS else set()

        def score(group: Sequence[Extract], at: int) -> float:
            note, follows = group[at], group[at + 1 : at + 2]
            found = self._opens(note) + 0.3 * (note in firsts)
            found += 1.0 * self._words.answers(note) + 0.8 * any(map(self._words.answers, follows))
            found += 0.15 * (at == 0) - 0.15 * (0 < at < len(group) - 2)
            found -= 0.5 * bool(note.heading and len(group) == _LEAST)
            return found - 1.0 * self._is_steps(group) - 1.0 * (note in told)

        places = [(group, at) for group in groups for at in range(len(group))]
        group, at = max(places, key=lambda place: score(*place))
        is_short = len(group) <= _PASSAGE and _size(group) <= _INTRODUCTION_WORDS
        if at == 0 and len(group) > 1 and is_short:
            return tuple(group)
        first, follows = group[at], group[at + 1 : at + 2]
        found = [
            (self._second(first, note, [each for each in group if each not in {first, note}]), note)
            for group in groups
            if not self._is_steps(group)
            for note in group
            if note != first
            and (note in follows or not self._words.refers(note))
            and note not in told
            and not (note.heading and len(group) <= _LEAST)
        ]
        least = _SECOND if follows else _SECOND_ALONE
        for worth, note in sorted(found, key=lambda each: (-each[0], self._words.at[each[1]])):
            if worth >= least and _size([first, note]) <= _INTRODUCTION_WORDS:
                return first, note
        return (first,)

    def _second(self, first: Extract, note: Extract, rest: Sequence[Extract]) -> float:
        """Return how well a sentence goes on from the first one.

        Args:
            rest: what it would leave behind.
        """
        is_next = self._words.at[note] == self._words.at[first] + 1 and _is_one_place(first, note)
        score = (
            self._words.likeness(first, note) + 0.5 * self._words.relevance(note) + 0.3 * is_next
        )
        score += 0.3 * (is_next and self._words.answers(note))
        score -= 0.2 * bool(note.heading and not is_next)
        if self._words.rules and self._words.rules.help.search(note.text):
            score -= 0.2
        torn = self._words.fit([note], rest) / 2 if rest and first not in rest else 0.0
        return (
            score - torn - 0.2 * (len(rest) == 1) - 0.3 * (self._words.kind([note]) == "cautions")
        )

    def _opens(self, note: Extract) -> float:
        """Return how well a sentence begins a post."""
        keyword = self._brief.primary_keyword
        score = self._words.relevance(note)
        score += 0.3 * self._words.uses(note.text, keyword)
        score -= 1.0 * self._words.refers(note)
        score -= 0.3 * (self._words.kind([note]) == "cautions")
        begin = stems(" ".join(words(note.text)[:4]), self._words.language)
        return score + 0.2 * bool(begin & self._words.primary)

    def _conclusion(self, groups: Sequence[Sequence[Extract]]) -> tuple[Extract, ...]:
        """Return the sentence that ends the post best: whom to ask, or what to do in the end."""
        rules = self._words.rules
        lasts = {note.source_index: note for note in self._words.all}.values()
        best: tuple[float, Extract] | None = None
        others = [group for group in groups if not self._is_steps(group)]
        for group in others or groups:
            for at, note in enumerate(group):
                score = 0.0
                if rules:
                    score += 0.6 * bool(rules.help.search(note.text))
                    score += 0.5 * bool(rules.closing.search(note.text))
                score += 0.3 * is_order(note.text, self._words.language)
                rest = [each for each in group if each != note]
                score += 0.2 * (at == len(group) - 1)
                score += 0.2 - 2 * self._words.fit([note], rest) if rest else 0.2
                score += 0.2 * (note in lasts)
                score += 0.4 * self._words.at[note] / len(self._words.all)
                score += 0.3 * self._words.relevance(note)
                score -= 0.5 * bool(re.search(r"\d", note.text))
                score -= 0.7 * bool(note.heading and note not in lasts)
                score -= 0.7 * bool(note.heading and len(group) == _LEAST)
                score -= 1.0 * self._words.refers(note) + 0.3 * (len(group) == _LEAST)
                follows = group[at + 1] if at + 1 < len(group) else None
                score -= 0.6 * bool(follows and self._words.refers(follows))
                if best is None or score > best[0]:
                    best = score, note
        return (best[1],) if best else ()

    def _ordered(self, groups: list[tuple[Extract, ...]]) -> list[tuple[Extract, ...]]:
        """Return the groups as a reader needs them: steps, then the others as their pages have
        them, then what to avoid, and when to ask for help."""
        ranks = {"": 1, "cautions": 2, "help": 3}

        def rank(group: Sequence[Extract]) -> tuple[int, int]:
            at = min(self._words.at[note] for note in group)
            if any(note.heading for note in group):
                return ranks[""], at
            return 0 if self._is_steps(group) else ranks[self._words.kind(group)], at

        return sorted(groups, key=rank)

    # Two things that the request compares.

    @cached_property
    def _sides(self) -> _Sides | None:
        """The two things that the request compares, if the notes speak of both."""
        rules, brief = self._words.rules, self._brief
        if rules is None:
            return None
        texts = [*brief.keywords, brief.topic or ""]
        pairs = [
            (match[1], match[2])
            for text in texts
            for pattern in rules.compared
            if (match := pattern.search(text))
        ]
        for one, other in pairs:
            sides = self._told_apart(one, other)
            if all(
                sum(bool(side & found) for found in self._words.stems.values()) >= _ROWS
                for side in sides.stems
            ):
                return sides
        return None

    def _told_apart(self, one: str, other: str) -> _Sides:
        first, second = (
            [word for word in text.split() if stems(word, self._words.language) - self._words.small]
            for text in (one, other)
        )
        size = min(len(first), len(second))
        # “Induction vs gas cooktop”: the last word is of both.
        tail = second[size:]
        one, other = " ".join([*first[-size:], *tail]), " ".join(second)
        found = [
            stems(" ".join(part[:size]), self._words.language) for part in (first[-size:], second)
        ]
        return _Sides(
            (capitalised(one), capitalised(other)),
            (frozenset(found[0] - found[1]), frozenset(found[1] - found[0])),
        )

    def _side(self, note: Extract) -> int | None:
        """Return which of the two things a sentence is about; None if both or none."""
        if self._sides is None:
            return None
        is_about = [bool(side & self._words.stems[note]) for side in self._sides.stems]
        return is_about.index(True) if sum(is_about) == 1 else None

    def _rows(self, groups: Iterable[Sequence[Extract]]) -> list[tuple[Extract, Extract]]:
        """Return what some notes say of both things: pairs of sentences, no sentence twice."""
        sides = self._sides
        if sides is None or self._brief.verified:
            return []
        free = [note for group in groups if not self._is_steps(group) for note in group]
        halves = [[note for note in free if self._side(note) == side] for side in (0, 1)]
        own = self._words.primary | sides.stems[0] | sides.stems[1]
        alike = sorted(
            (-self._parallel(one, other, own), self._words.at[one], self._words.at[other])
            for one in halves[0]
            for other in halves[1]
        )
        rows: list[tuple[Extract, Extract]] = []
        for likeness, first, second in alike:
            row = self._words.all[first], self._words.all[second]
            if likeness and len(rows) < _MOST_ROWS and set(row).isdisjoint(chain(*rows)):
                rows.append(row)
        return sorted(rows, key=lambda row: min(self._words.at[note] for note in row))

    def _table(
        self, groups: list[tuple[Extract, ...]]
    ) -> tuple[Group | None, list[tuple[Extract, ...]]]:
        """Return a table of what the notes say of both things, if there are rows for one, and the
        other notes, each group about one thing."""
        sides, rules, rows = self._sides, self._words.rules, self._rows(groups)
        if sides is None or rules is None or len(rows) < _ROWS:
            return None, self._by_side(groups)
        named = rules.headings.compared.format(one=sides.names[0], other=lower(sides.names[1]))
        told = set(chain(*rows))
        lead = [
            note
            for group in groups
            for note in group
            if self._is_about_both(note) and not self._is_steps(group) and note not in told
        ]
        notes = (*lead, *chain(*rows))
        table = Group(notes, Form.TABLE, named, sides.names, tuple(rows))
        return table, self._by_side(_without(groups, notes))

    def _parallel(self, one: Extract, other: Extract, own: frozenset[str]) -> float:
        """Return how much two sentences say the same of two things; 0 for too little."""
        first, second = self._words.stems[one] - own, self._words.stems[other] - own
        both = self._words.weight(first & second)
        share = both / sqrt(self._words.weight(first) * self._words.weight(second)) if both else 0.0
        if share < _PARALLEL:
            return 0.0
        begins = [
            [stem for word in words(note.text) for stem in stems(word, self._words.language) - own]
            for note in (one, other)
        ]
        same = set(begins[0][:_BEGIN]) & set(begins[1][:_BEGIN]) - self._words.small
        is_next = abs(self._words.at[one] - self._words.at[other]) == 1
        return share + _SUBJECT * bool(same) + _NEAR * is_next

    def _by_side(self, groups: list[tuple[Extract, ...]]) -> list[tuple[Extract, ...]]:
        """Return the groups, each of them about one thing or none in particular. What goes on from
        a sentence is about the same thing."""
        found: list[tuple[Extract, ...]] = []
        for group in groups:
            parts: dict[int | None, list[Extract]] = {}
            before: int | None = None
            for note in group:
                side = self._side(note)
                if side is None and not self._is_about_both(note):
                    at = self._words.at[note]
                    earlier = self._words.all[at - 1] if at else note
                    goes_on = self._words.refers(note) or self._words.is_chained(earlier, note)
                    side = self._side(earlier) if goes_on else before
                before = side
                if side is not None:
                    self._sided[note] = side
                parts.setdefault(side, []).append(note)
            for part, own in parts.items():
                same = [each for each in found if part is not None and self._is_of(each, part)]
                if same and len(same[0]) + len(own) <= _MOST + 2:
                    found[found.index(same[0])] = (*same[0], *own)
                else:
                    found.append(tuple(own))
        return found

    def _is_of(self, group: Sequence[Extract], side: int) -> bool:
        return all(self._sided.get(note) == side for note in group)

    def _is_about_both(self, note: Extract) -> bool:
        return self._sides is not None and all(
            side & self._words.stems[note] for side in self._sides.stems
        )

    # Questions.

    def _page_questions(
        self, groups: Sequence[tuple[Extract, ...]]
    ) -> dict[str, tuple[Extract, ...]]:
        """Return the questions that pages ask in their headings, with the sentences below them."""
        found: dict[str, tuple[Extract, ...]] = {}
        for group in groups:
            heading = group[0].heading
            is_asked = heading.endswith("?") and self.names.may_be_used(heading)
            if not is_asked or len(found) >= self._brief.faqs:
                continue
            own = [each for each in groups if _is_one_place(each[0], group[0])]
            total = _size(chain.from_iterable(own))
            if len(own) == 1 and total <= _ANSWER_WORDS and not self._is_steps(group):
                found[heading] = group
        return found

    def _asked(
        self, groups: list[tuple[Extract, ...]], most: int
    ) -> tuple[list[tuple[Extract, ...]], dict[str, tuple[Extract, ...]]]:
        """Return the groups without the sentences that certainly answer a question, and these by
        their questions."""
        found: dict[str, tuple[Extract, ...]] = {}
        candidates = sorted(
            (
                (len(group) > 1, self._words.relevance(note), -at, group, note)
                for group in groups
                if not self._is_steps(group) and len(group) != _LEAST
                for at, note in enumerate(group)
                if (at or len(group) == 1)
                and not (at + 1 < len(group) and self._words.refers(group[at + 1]))
            ),
            key=lambda each: each[:3],
        )
        for _, _, _, group, note in candidates:
            taken = sum(each in group for answer in found.values() for each in answer)
            if len(found) >= most:
                break
            question = "" if taken else self.names.question(note)
            if question and question not in found:
                found[question] = (note,)
        notes = tuple(chain.from_iterable(found.values()))
        ordered = dict(sorted(found.items(), key=lambda each: self._words.at[each[1][0]]))
        return _without(groups, notes), ordered

    # Headings.

    def _made(self, notes: tuple[Extract, ...]) -> Group:
        """Return the section of a group, with its heading if the sentences tell one."""
        form = Form.PROSE
        if self._is_steps(notes):
            form = Form.STEPS
        elif all(note.marker for note in notes):
            form = Form.LIST
        return Group(notes, form, self._heading(notes, form))

    def _heading(self, notes: Sequence[Extract], form: Form) -> str:
        own = self.names.page_heading(notes)
        if own:
            return own
        rules, brief = self._words.rules, self._brief
        if rules is None:
            return ""
        if form is Form.STEPS:
            asked = [each for each in brief.keywords if rules.how_to.search(each)]
            if asked:
                return capitalised(asked[-1])
            return rules.headings.steps.format(topic=capitalised(brief.primary_keyword))
        if self._sides:
            sides = {self._sided.get(note) for note in notes}
            if len(sides) == 1 and None not in sides:
                return self._sides.names[sides.pop() or 0]
        if phrase := self.names.keyword(notes) or self.names.phrase(notes):
            return phrase
        if kind := self._words.kind(notes):
            return str(getattr(rules.headings, kind))
        is_mixed = self._words.cohesion(notes) < _MIXED
        return self.names.general(brief.primary_keyword) if is_mixed else ""

    def _distinct(self, groups: Sequence[Group]) -> list[Group]:
        """Return the groups without headings that another one has."""
        seen: set[str] = set()
        found = []
        for group in groups:
            key = fold(group.heading)
            found.append(replace(group, heading="") if key in seen else group)
            seen.add(key)
        return found


def as_steps(notes: Sequence[str], language: str) -> str:
    """Return sentences as a numbered list. A sentence that tells nobody to do something, or what
    not to do, goes with the step before it; those before the first step, and more than two after
    the last one, are paragraphs."""
    rules = get_section(language, Composing)

    def is_step(note: str) -> bool:
        return is_order(note, language) and not (rules and rules.cautions.match(note))

    lead = list(takewhile(lambda note: not is_step(note), notes))
    steps: list[list[str]] = []
    for note in notes[len(lead) :]:
        if is_step(note):
            steps.append([note])
        else:
            steps[-1].append(note)
    end = steps[-1][1 + _BETWEEN :] if steps else []
    if steps:
        del steps[-1][1 + _BETWEEN :]
    listed = "\n".join(f"{number}. {' '.join(step)}" for number, step in enumerate(steps, 1))
    return "\n\n".join(filter(None, [" ".join(lead), listed, " ".join(end)]))


def as_table(group: Group) -> str:
    """Return a group that compares two things as paragraphs and a table below them."""
    told = set(chain.from_iterable(group.rows))
    lead = " ".join(note.text for note in group.notes if note not in told)
    rows = [group.columns, ("---", "---"), *((one.text, other.text) for one, other in group.rows)]
    lines = [f"| {' | '.join(cell.replace('|', '') for cell in row)} |" for row in rows]
    return "\n\n".join(filter(None, [lead, "\n".join(lines)]))


def _size(notes: Iterable[Extract]) -> int:
    return sum(word_count(note.text) for note in notes)


def _is_one_place(one: Extract, other: Extract) -> bool:
    return (one.source_index, one.heading) == (other.source_index, other.heading)


def _without(
    groups: Iterable[tuple[Extract, ...]], taken: Iterable[Extract]
) -> list[tuple[Extract, ...]]:
    gone = set(taken)
    rest = (tuple(note for note in group if note not in gone) for group in groups)
    return [group for group in rest if group]
