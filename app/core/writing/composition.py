"""Compose a post of sentences of sources: which stand together, in which order, under which
headings, and which questions they answer.

Sentences keep the order and the neighbours that they have on their page. What a page has under
one heading stays whole, in its form. Where pages have no headings, and in what is too long to stay
whole, neighbours that speak of the same stay together.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain, groupby, pairwise, takewhile, zip_longest
from math import sqrt

from app.core.planning.brief import Brief
from app.core.text import fold, stems, word_count, words
from app.core.verification import Extract
from app.core.writing.coverage import Coverage
from app.core.writing.faithful import likeness
from app.core.writing.forms import form_of, step_of
from app.core.writing.names import Names, capitalised
from app.core.writing.notes import Notes
from app.core.writing.plan import Form

# The least number of orders that are steps, and how many other sentences may stand between two.
_STEPS, _BETWEEN = 3, 2
# A group holds the first number of sentences at most; one of fewer than the second is too short.
_MOST, _LEAST = 6, 2
# The fewest sentences that make a post.
_FEWEST = 7
# How much two sentences belong together because they are of one paragraph, items of one list, or
# the second refers to the first, or begins with its subject; and the least with which groups are
# joined.
_PARAGRAPH, _LISTED, _REFERRING, _CHAINED = 0.3, 0.6, 0.3, 0.15
_JOINED = 0.06
# How much a sentence belongs with its neighbours.
_NEAR = 0.1
# How alike a sentence is to a step that it goes on from.
_GOES_ON = 0.16
# Sentences of two pages that are so alike say the same.
_SAME = 0.6
# What speaks against sentences that are all hard to read.
_HARD = 0.1
# The fewest sentences about each of two things that are compared.
_OF_A_SIDE = 2
# A paragraph of what a page has left has at most this number of sentences.
_PARAGRAPH_MOST = 4
# Fewer points than this are a paragraph.
_POINTS = 3
# A group with this share of a keyword's words is about the keyword.
_ABOUT_KEYWORD = 0.4
# A heading and the title of a page with this share of words say the same.
_ALIKE = 0.5
# A longer title of a page is no heading.
_TITLE_WORDS = 9
# How many sentences under one heading stay together.
_UNDER_HEADING = 9
_INTRODUCTION_WORDS, _PASSAGE = 60, 3
# How well a second sentence goes on from the first, at least; and if that has no neighbour.
_SECOND, _SECOND_ALONE = 0.25, 0.1
_ANSWER_WORDS = 60
# What an answer needs of the room; and the fewest words of a question: “What else?” is a heading.
_ANSWER_ROOM, _QUESTION_WORDS = 45, 4
# How many questions of pages a post has at most, if it has some.
_MOST_QUESTIONS = 6
# The most words of the beginning of a page that introduce a post.
_LEAD_WORDS = 90
# What a heading needs of the room, on average.
_HEADING_ROOM = 6


_Questions = dict[str, tuple[Extract, ...]]


@dataclass(frozen=True)
class Group:
    """The sentences of a section.

    Args:
        heading: "" if the sentences do not tell; then somebody has to write one.
        is_own: whether the sentences themselves tell the heading, and not the title of their page.
        begins: the sentences that begin a paragraph, apart from the first.
        points: sentences that say something else than their neighbours.
        is_page: whether it is all that a page has under one heading, to be kept as it is.
    """

    notes: tuple[Extract, ...]
    form: Form = Form.PROSE
    heading: str = ""
    is_own: bool = True
    begins: frozenset[Extract] = frozenset()
    points: frozenset[Extract] = frozenset()
    is_page: bool = False


@dataclass(frozen=True)
class Composition:
    """A post of sentences; ``questions`` are the answers by their questions."""

    introduction: tuple[Extract, ...]
    groups: tuple[Group, ...]
    questions: dict[str, tuple[Extract, ...]]


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
        titles: of the pages, by the index of their source; those that may be headings.
    """

    def __init__(
        self,
        notes: Sequence[Extract],
        brief: Brief,
        room: int,
        titles: Mapping[int, str] | None = None,
    ) -> None:
        self._brief, self._room, self._titles = brief, room, titles or {}
        self._words = Notes(notes, brief)
        self.names = Names(self._words, brief)
        self._stepped: set[Extract] = set()
        self._single: set[Extract] = set()
        self._unopened: set[Extract] = set()
        # Which of two compared things each sentence is about, or goes on from.
        self._sided: dict[Extract, int] = {}

    def compose(self) -> Composition | None:
        """Return the post; None if the notes are too few for one."""
        brief = self._brief
        if len(self._words.all) < _FEWEST:
            return None
        kept = self._places()
        places, groups, questions = self._choice(kept, self._divided(kept))
        if not places and not groups:
            return None
        first = self._lead(places)
        first = first or self._introduction(groups or places)
        if not first:
            return None
        pages = self._page_sections(_without(places, first))
        groups = self._by_side(self._prepared(_without(groups, first)))
        groups, found = self._asked(groups, brief.faqs - len(questions))
        loose = self._sections(groups, brief, len(pages))
        made = pages + list(map(self.in_paragraphs, loose))
        if len(made) < max(1, brief.sections[0]):
            return None
        return Composition(first, tuple(self._in_order(made)), questions | found)

    def _choice(
        self, kept: list[tuple[Extract, ...]], groups: list[tuple[Extract, ...]]
    ) -> tuple[list[tuple[Extract, ...]], list[tuple[Extract, ...]], _Questions]:
        """Return what pages have under each heading, as far as there is room, the same of the other
        groups, and the questions of pages with those that answer them.

        Args:
            kept: what pages have under each heading; ``groups`` the others.
        """
        questions: _Questions = {}
        if self.is_crowded and kept:
            chosen, questions = self._covering(kept, groups)
        else:
            chosen = self._chosen(kept, groups)
            questions = self._page_questions(chosen)
            asked = set(chain.from_iterable(questions.values()))
            chosen = [group for group in chosen if asked.isdisjoint(group)]
        others = [group for group in chosen if group in groups]
        return [group for group in chosen if group not in groups], others, questions

    def _covering(
        self, kept: list[tuple[Extract, ...]], groups: list[tuple[Extract, ...]]
    ) -> tuple[list[tuple[Extract, ...]], _Questions]:
        """Return what covers the request of sources that say far more than there is room for."""
        brief, lead = self._brief, self._lead(kept)
        asked = [place for place in kept if brief.faqs and self._is_answer(place)]
        # The beginnings of other pages lead to what is not there, apart from what one says of the
        # other of two things that are compared.
        places = [place for place in kept if place[0].heading and place not in asked]
        first = [lead, *self._of_other_side(lead, kept)] if lead else []
        compared = frozenset[str]().union(*self._sides.stems) if self._sides else frozenset[str]()
        taken = len(first[1:])
        coverage = Coverage(self._words, brief, self._titles, compared, taken)
        room = self._room - _size(chain.from_iterable(first))
        least = brief.min_words - _size(chain.from_iterable(first))
        answering = _ANSWER_ROOM * len(asked[: brief.faqs])
        chosen = coverage.chosen([*places, *groups], room - answering, least - answering)
        answers = coverage.answers(asked, chosen, brief.faqs)
        answering = sum(_size(each) + _HEADING_ROOM for each in answers)
        chosen = coverage.chosen([*places, *groups], room - answering, least - answering)
        questions = {place[0].heading: place for place in answers}
        return self._ordered([*first, *chosen]), questions

    def _of_other_side(
        self, lead: tuple[Extract, ...], kept: Iterable[tuple[Extract, ...]]
    ) -> list[tuple[Extract, ...]]:
        """Return how the page begins that is about the other one of two compared things."""
        side = self._side(lead[0])
        begins = [
            place
            for place in kept
            if not place[0].heading
            and side is not None
            and self._side(place[0]) == 1 - side
            and _size(place) <= _LEAD_WORDS
        ]
        return begins[:1]

    @cached_property
    def is_crowded(self) -> bool:
        """Whether pages with headings say more than the post has room for."""
        is_headed = any(note.heading for note in self._words.all) and not self._brief.verified
        return is_headed and _size(self._words.all) > self._room

    # What pages have under their headings.

    def _places(self) -> list[tuple[Extract, ...]]:
        """Return what the pages have under each heading, and what pages with headings have before
        the first one. A verified post may not copy it."""
        notes = () if self._brief.verified else self._words.all
        headed = {note.source_index for note in notes if note.heading}
        kept = [note for note in notes if note.source_index in headed]
        places = [
            own
            for _, run in groupby(kept, key=lambda note: (note.source_index, note.heading))
            if len(own := tuple(run)) <= _UNDER_HEADING or any(note.marker for note in own)
        ]
        # A paragraph without its beginning may speak of something else, such as another drug.
        lines = [tuple(own) for _, own in groupby(chain.from_iterable(places), key=_line)]
        cut = [own for own in lines if not own[0].opens and not own[0].marker]
        self._unopened = set(chain.from_iterable(cut))
        places = [tuple(each for each in own if each not in self._unopened) for own in places]
        return [own for place in places if (own := _without_bare_leads(place))]

    def _lead(self, places: Iterable[tuple[Extract, ...]]) -> tuple[Extract, ...]:
        """Return the paragraphs with which the page begins that says most of the request; nothing
        if no page begins with one."""
        best: tuple[Extract, ...] = ()
        for place in places:
            paragraphs: tuple[Extract, ...] = ()
            for _, own in groupby(place, key=lambda note: note.line):
                more = (*paragraphs, *own)
                is_long = paragraphs and _size(more) > _LEAD_WORDS
                if is_long or any(note.marker or note.heading for note in more):
                    break
                paragraphs = more
            if paragraphs and (not best or self._opening(paragraphs) > self._opening(best)):
                best = paragraphs
        return best

    def _opening(self, notes: Sequence[Extract]) -> float:
        """Return how well the beginning of a page begins a post."""
        found = [self._words.relevance(note) for note in notes]
        is_first = self._words.at[notes[0]] == 0
        return max(found) + sum(found) / len(found) + 0.5 * is_first - (not notes[0].opens)

    def _page_sections(self, places: Sequence[tuple[Extract, ...]]) -> list[Group]:
        """Return a section for each place. What stands before the first heading of a page has the
        title of the page, or goes with what follows."""
        found: list[Group] = []
        before: tuple[Extract, ...] = ()
        for place in places:
            notes = (*before, *place)
            heading = self.names.page_heading(place) if place[0].heading else ""
            heading = heading or self._title(place[0].source_index)
            is_last = place == places[-1] or _is_other_page(place, places)
            if not heading and not is_last:
                before = notes
                continue
            before = ()
            taken = [each for each in found if fold(each.heading) == fold(heading)]
            if taken:
                same = (*taken[0].notes, *notes)
                found[found.index(taken[0])] = self._page_section(same, taken[0].heading)
            else:
                found.append(self._page_section(notes, heading))
        return found

    def _page_section(self, notes: tuple[Extract, ...], heading: str) -> Group:
        form = form_of(notes)
        if form is Form.PROSE and self._steps(notes):
            form = Form.STEPS
            self._stepped.update(notes)
        return Group(notes, form, heading, is_page=True)

    def _in_order(self, groups: Sequence[Group]) -> list[Group]:
        """Return the sections in the order in which a reader needs them: what something is and
        which to choose, what to have ready before the first steps, and mistakes behind them, the
        others as pages have them, when to ask for help, and questions."""
        rules = self._words.rules
        if rules is None:
            return list(groups)
        first = [group for group in groups if self._comes_first(group, is_last=group == groups[-1])]
        asked = [group for group in groups if group.is_page and group.heading.endswith("?")]
        # Of much more, the chosen questions are sections like others.
        asked = [] if self.is_crowded else asked
        rest = [group for group in groups if group not in first and group not in asked]
        late = [group for group in rest if rules.help.search(group.heading)]
        rest = [group for group in rest if group not in late]
        steps = next((at for at, group in enumerate(rest) if group.form is Form.STEPS), None)
        if steps is not None:
            ready = [group for group in rest[steps:] if rules.preparing.search(group.heading)]
            others = [group for group in rest[steps:] if group not in ready]
            early = [group for group in rest[:steps] if rules.mistakes.search(group.heading)]
            before = [group for group in rest[:steps] if group not in early]
            rest = [*before, *ready, *others, *early]
        return [*first, *rest, *late, *self._asked_together(asked)]

    def _comes_first(self, group: Group, *, is_last: bool) -> bool:
        """Whether a section says what the subject is (“What a passkey is”), or which to choose; a
        comparison may end with that. Of far more than fits, what has the primary keyword as its
        heading comes first."""
        rules, language = self._words.rules, self._words.language
        if self.is_crowded and self._words.uses(
            group.notes[0].heading, self._brief.primary_keyword
        ):
            return True
        if rules is None or group.form is Form.STEPS or group.heading.endswith("?"):
            return False
        told = stems(group.heading, language) - self._words.small
        is_definition = told == self._words.primary - self._words.small
        is_choice = bool(rules.deciding.search(group.heading)) and not (is_last and self._sides)
        is_compared = group.form is Form.TABLE and bool(rules.comparing.search(group.heading))
        return (group.form is Form.PROSE and is_definition) or is_choice or is_compared

    def _asked_together(self, groups: list[Group]) -> list[Group]:
        """Return several sections whose headings are questions as one."""
        rules = self._words.rules
        if len(groups) < 2 or rules is None:
            return groups
        notes = tuple(chain.from_iterable(group.notes for group in groups))
        heading = rules.headings.asked.format(topic=capitalised(self._brief.primary_keyword))
        return [Group(notes, heading=heading, is_page=True)]

    # Which sentences stand together.

    def _divided(self, kept: Iterable[tuple[Extract, ...]]) -> list[tuple[Extract, ...]]:
        """Return the other notes in their order as groups of neighbours: steps, sentences under one
        heading, and sentences that speak of the same."""
        places: list[list[Extract]] = []
        gone = set(chain.from_iterable(kept)) | self._unopened
        for note in self._words.all:
            if note in gone or note.marker == "|":
                continue
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
        self._single = {group[0] for group in groups if len(group) == 1}
        return groups

    def _chosen(
        self, kept: list[tuple[Extract, ...]], groups: list[tuple[Extract, ...]]
    ) -> list[tuple[Extract, ...]]:
        """Return the groups for which there is room, those first that say most of the request; and
        nothing that says almost the same as another page, with another figure maybe. Of what says
        as much, the easier comes first.

        Args:
            kept: those to be kept whole.
        """

        def worth(group: Sequence[Extract]) -> float:
            found = [self._words.relevance(note) for note in group]
            is_telling = self._is_steps(group) or any(note.marker in {"1", "|"} for note in group)
            hard = sum(map(self._words.is_hard, group)) / len(group)
            return max(found) + sum(found) / len(found) + 0.2 * is_telling - _HARD * hard

        chosen: list[tuple[Extract, ...]] = []
        left = self._room
        is_scarce = _size(self._words.all) <= self._brief.min_words
        for group in sorted(kept + groups, key=worth, reverse=True):
            if not is_scarce:
                new = tuple(note for note in group if not self._is_said(note, chosen))
                # Without a step, the others are wrong.
                is_whole = group in kept or any(note.marker == "1" for note in group)
                group = group if new and is_whole else new
            size = _size(group) + _HEADING_ROOM * (group in kept)
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
        heading, rules = notes[0].heading, self._words.rules
        # Several tips are no steps.
        are_tips = heading and not (rules and rules.steps.search(heading))
        orders = [
            at
            for at, note in enumerate(notes)
            if note.marker == "1" or (not are_tips and self._is_step(note))
        ]
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
        return note.marker == "1" or bool(step_of(note.text, self._words.language))

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
        rest = _without(groups, before)
        rest[rest.index(steps)] = (*before, *steps)
        return rest

    # Sections.

    def _sections(
        self, groups: Sequence[tuple[Extract, ...]], brief: Brief, count: int
    ) -> list[Group]:
        """Return the sections: the groups that tell their heading, and of each page the others
        together, in its order, each group a paragraph. A heading for each would be invented.

        Args:
            count: the number of sections that the post has already.
        """
        least, most = brief.sections[0] - count, brief.max_sections - count
        wanted = self._keyword_headings(groups)
        headed: dict[str, Group] = {}
        rest: dict[int, list[tuple[Extract, ...]]] = {}
        for group in self._ordered(groups):
            is_headed = len(group) >= _LEAST or bool(group[0].heading)
            heading = wanted.get(group) or self._heading(group) if is_headed else ""
            if not heading:
                rest.setdefault(group[0].source_index, []).append(group)
                continue
            own = self._made(group, heading)
            same = headed.get(fold(heading))
            headed[fold(heading)] = joined(same, own) if same else own
        found = list(headed.values())
        left = _size(chain.from_iterable(groups)) - brief.min_words
        for index, parts in rest.items():
            page = self._of_page(index, parts)
            self._add(found, page, is_spare=left >= _size(page.notes))
        while found and len(found) < least:
            longest = max(found, key=lambda group: len(group.notes) * (group.form is Form.PROSE))
            if len(longest.notes) < 2 * _LEAST or longest.form is not Form.PROSE:
                break
            at = found.index(longest)
            found[at : at + 1] = self._halves(longest)
        while len(found) > max(1, most):
            last = found.pop()
            found[-1] = joined(found[-1], last)
        return sorted(found, key=self._rank)

    def _of_page(self, index: int, parts: Sequence[tuple[Extract, ...]]) -> Group:
        """Return the groups of a page as one section."""
        paragraphs: list[tuple[Extract, ...]] = []
        for part in parts:
            short = paragraphs and min(len(part), len(paragraphs[-1])) < _LEAST
            if short and len(part) + len(paragraphs[-1]) <= _PARAGRAPH_MOST:
                paragraphs[-1] += part
            else:
                paragraphs.append(part)
        notes = tuple(chain.from_iterable(paragraphs))
        begins = frozenset(part[0] for part in paragraphs[1:])
        return Group(notes, heading=self._title(index), is_own=False, begins=begins)

    def _title(self, index: int) -> str:
        """Return the title of a page as a heading; "" if it is a single word, or too long, or
        promises steps."""
        title, rules = self._titles.get(index, ""), self._words.rules
        if not (1 < word_count(title) <= _TITLE_WORDS and self.names.may_be_used(title)):
            return ""
        if rules and rules.how_to.search(title):
            told = stems(title, self._words.language)
            named = [each for each in self._brief.keywords[1:] if self._words.all_of(each) <= told]
            return capitalised(named[0]) if named else ""
        return title

    def _keyword_headings(
        self, groups: Sequence[tuple[Extract, ...]]
    ) -> dict[tuple[Extract, ...], str]:
        """Return further keywords that no sentence uses as headings of the groups that are about
        them."""
        found: dict[tuple[Extract, ...], str] = {}
        rules = self._words.rules
        free = [group for group in groups if len(group) >= _LEAST and not self._is_steps(group)]
        for keyword in self._brief.keywords[1:]:
            is_used = any(self._words.uses(note.text, keyword) for note in self._words.all)
            if not free or is_used or (rules and rules.how_to.search(keyword)):
                continue
            best = max(free, key=lambda group: self.names.aboutness(keyword, group))
            if self.names.aboutness(keyword, best) >= _ABOUT_KEYWORD:
                found[best] = capitalised(keyword)
                free.remove(best)
        return found

    def _add(self, found: list[Group], group: Group, *, is_spare: bool) -> None:
        """Add what a page has left: to a section whose heading says the same, or as a section. A
        single sentence goes to the section that it fits best, of its page if there is one, or is
        left out if it is spare."""
        index, language = group.notes[0].source_index, self._words.language
        own = [
            each for each in found if each.form is Form.PROSE and not self._words.kind(each.notes)
        ]
        same = [each for each in own if each.notes[0].source_index == index]
        alike = [
            each
            for each in same
            if not self._sides and likeness(each.heading, group.heading, language) >= _ALIKE
        ]
        is_single = len(group.notes) < _LEAST
        near = alike or (is_single and (same or (not is_spare and own)))
        if near:
            best = max(near, key=lambda each: self._words.fit(each.notes, group.notes))
            found[found.index(best)] = joined(best, group)
        elif not (is_single and is_spare):
            found.append(group)

    def in_paragraphs(self, group: Group) -> Group:
        """Return a section with its paragraphs and points.

        A paragraph is of one page, and of more than one sentence if it can be. A sentence does not
        follow another one if it belongs more to the one before it on its page: it would seem to
        speak of the other.
        """
        if group.form is Form.LIST:
            return group
        words, begins = self._words, set[Extract]()
        size = 1
        for at, (one, other) in enumerate(pairwise(group.notes), 1):
            own = words.all[words.at[other] - 1]
            is_apart = one.source_index != other.source_index or (
                own != one and 0 < words.likeness(own, other) >= words.likeness(one, other)
            )
            rest = len(
                list(takewhile(lambda note: note not in group.begins, group.notes[at + 1 :]))
            )
            is_new = other in group.begins and size >= _LEAST and rest + 1 >= _LEAST
            if is_apart or is_new:
                begins.add(other)
                size = 0
            size += 1
        points: set[Extract] = set()
        if group.form is Form.PROSE:
            for is_single, run in groupby(group.notes, self._single.__contains__):
                found = list(run)
                points.update(found if is_single and len(found) >= _POINTS else [])
        return replace(group, begins=frozenset(begins), points=frozenset(points))

    def _halves(self, group: Group) -> list[Group]:
        """Return a section as two, divided between two paragraphs if it has some."""
        half = len(group.notes) / 2
        begins = [at for at, note in enumerate(group.notes) if note in group.begins]
        fair = [at for at in begins if _LEAST <= at <= len(group.notes) - _LEAST]
        at = min(fair or [round(half)], key=lambda at: abs(at - half))
        return [
            replace(group, notes=notes, heading="", is_own=False)
            for notes in (group.notes[:at], group.notes[at:])
        ]

    # What comes first.

    def _introduction(self, groups: Sequence[Sequence[Extract]]) -> tuple[Extract, ...]:
        """Return the passage that answers the request most directly: a sentence that is no step,
        and the one after it, or another one about the same."""
        firsts = {note.source_index: note for note in reversed(self._words.all)}.values()

        def score(group: Sequence[Extract], at: int) -> float:
            note, follows = group[at], group[at + 1 : at + 2]
            found = self._opens(note) + 0.5 * (note in firsts)
            found += 0.7 * self._words.answers(note) + 0.6 * any(map(self._words.answers, follows))
            found += 0.15 * (at == 0) - 0.15 * (0 < at < len(group) - 2)
            found -= 0.5 * bool(note.heading and len(group) == _LEAST)
            return found - 1.0 * self._is_steps(group)

        # Without an item, a list of a page is not whole.
        groups = [group for group in groups if not (group[0].heading and group[0].marker)]
        places = [
            (group, at)
            for group in groups
            for at, note in enumerate(group)
            if not (note.heading and note.marker)
        ]
        if not places:
            return ()
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

    def _ordered(self, groups: Iterable[tuple[Extract, ...]]) -> list[tuple[Extract, ...]]:
        """Return the groups in the order of their pages."""
        return sorted(groups, key=lambda group: min(self._words.at[note] for note in group))

    def _rank(self, group: Group) -> tuple[int, int]:
        """Return the place of a section: steps come first, then what to avoid, then the others as
        their pages have them, and when to ask for help."""
        ranks = (
            {"cautions": 1, "": 2, "help": 3}
            if self._stepped
            else {"": 1, "cautions": 2, "help": 3}
        )
        at = min(self._words.at[note] for note in group.notes)
        if group.form is Form.STEPS:
            return 0, at
        is_of_kind = group.is_own and not any(note.heading for note in group.notes)
        return ranks[self._words.kind(group.notes)] if is_of_kind else ranks[""], at

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
                sum(bool(side & found) for found in self._words.stems.values()) >= _OF_A_SIDE
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
                    alike = self._words.likeness(earlier, note)
                    goes_on = alike >= _GOES_ON / 2 or self._goes_on(earlier, note)
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
            if not is_asked or len(found) >= _MOST_QUESTIONS or not self._brief.faqs:
                continue
            own = [each for each in groups if _is_one_place(each[0], group[0])]
            total = _size(chain.from_iterable(own))
            is_prose = not any(note.marker for note in group) and not self._is_steps(group)
            if len(own) == 1 and total <= _ANSWER_WORDS and is_prose:
                found[heading] = group
        return found

    def _is_answer(self, place: Sequence[Extract]) -> bool:
        """Whether a page has a question above a short answer."""
        heading = place[0].heading
        is_prose = not any(note.marker for note in place) and not self._is_steps(place)
        is_asked = heading.endswith("?") and self.names.may_be_used(heading)
        is_whole = word_count(heading) >= _QUESTION_WORDS
        return is_asked and is_whole and is_prose and _size(place) <= _ANSWER_WORDS

    def _asked(
        self, groups: list[tuple[Extract, ...]], most: int
    ) -> tuple[list[tuple[Extract, ...]], dict[str, tuple[Extract, ...]]]:
        """Return the groups without the sentences that certainly answer a question, and these by
        their questions."""
        found: dict[str, tuple[Extract, ...]] = {}
        candidates = sorted(
            (
                (
                    len(group) > 1,
                    len(group) == _LEAST + 1,
                    self._words.relevance(note),
                    -at,
                    group,
                    note,
                )
                for group in groups
                if not self._is_steps(group) and len(group) != _LEAST
                for at, note in enumerate(group)
                if (at or len(group) == 1)
                and not (at + 1 < len(group) and self._words.refers(group[at + 1]))
            ),
            key=lambda each: each[:4],
        )
        for *_, group, note in candidates:
            taken = sum(each in group for answer in found.values() for each in answer)
            if len(found) >= most:
                break
            question = "" if taken else self.names.question(note)
            # A reader asks about the subject: “What if it is not?” is nobody's question.
            about = stems(question, self._words.language) & self._words.primary - self._words.small
            if about and question not in found:
                found[question] = (note,)
        notes = tuple(chain.from_iterable(found.values()))
        ordered = dict(sorted(found.items(), key=lambda each: self._words.at[each[1][0]]))
        return _without(groups, notes), ordered

    # Headings.

    def _made(self, notes: tuple[Extract, ...], heading: str) -> Group:
        form = Form.PROSE
        if self._is_steps(notes):
            form = Form.STEPS
        elif all(note.marker for note in notes):
            form = Form.LIST
        return Group(notes, form, heading)

    def _heading(self, notes: Sequence[Extract]) -> str:
        """Return the heading that a group tells; "" if it tells none."""
        own = self.names.page_heading(notes)
        if own:
            return own
        rules, brief = self._words.rules, self._brief
        if rules is None:
            return ""
        if self._is_steps(notes):
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
        kind = self._words.kind(notes)
        return str(getattr(rules.headings, kind)) if kind else ""


def joined(one: Group, other: Group) -> Group:
    """Return two sections as one, the second as further paragraphs of the first."""
    begins = one.begins | other.begins | {other.notes[0]}
    return replace(one, notes=(*one.notes, *other.notes), begins=begins)


def _without_bare_leads(place: tuple[Extract, ...]) -> tuple[Extract, ...]:
    """Return a place without sentences that lead to a list which is not there."""
    return tuple(
        note
        for note, behind in zip_longest(place, place[1:])
        if not note.text.endswith(":") or note.marker or (behind and behind.marker in {"-", "1"})
    )


def _is_other_page(place: Sequence[Extract], places: Sequence[Sequence[Extract]]) -> bool:
    """Whether the place after one is of another page."""
    after = places[[*places].index(place) + 1]
    return after[0].source_index != place[0].source_index


def _line(note: Extract) -> tuple[int, int]:
    return note.source_index, note.line


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
