"""Write a post whose sections are groups of notes, for a model that invents what it is not given:
it writes headings, a title and questions, and puts notes into other words for verified posts."""

import math
import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from itertools import pairwise, takewhile
from statistics import mean

from app.core.checks import DESCRIPTION_CHARS, TITLE_CHARS, check_post, passages, width
from app.core.languages import get_language
from app.core.planning.brief import Brief
from app.core.text import find_phrase, fold, sentences, stems, word_count
from app.core.verification import Extract, Grounding, in_groups, is_order, marked
from app.core.writing.answer import accept, read_answer
from app.core.writing.completion import Completion, Prompt
from app.core.writing.draft import (
    CONCLUSION,
    DESCRIPTION,
    FAQS,
    INTRODUCTION,
    TITLE,
    Draft,
    Part,
    PartKind,
    assemble,
    section_part,
)
from app.core.writing.faithful import (
    common_phrase,
    is_alike,
    is_fluent,
    likeness,
    share_of,
    strays,
    told,
    vocabulary,
)
from app.core.writing.paraphrase import (
    frame_prompt,
    heading_prompt,
    question_prompt,
    text_prompt,
)
from app.core.writing.parsing import UnreadableAnswer
from app.core.writing.plan import Form, Plan, read_plan
from app.core.writing.profile import Profile

_NOTES_A_SECTION = 5
# The share of the highest number of words that the notes have: headings need the rest.
_NOTES_SHARE, _MOST_NOTES = 0.6, 200
_INTRODUCTION_NOTES, _CONCLUSION_NOTES = 2, 2
# How often a line is asked for, and a text: warmer ones say less and less what their notes say.
_TRIES, _TEXTS = 3, 2
# How much warmer each further try is; a model repeats itself at one temperature.
_WARMER = 0.15
# A text is asked for again if it leaves out more than this share of its notes.
_LEFT_OUT = 0.4
# The least share of the words of a heading, a question or a title that their text has.
_ABOUT = 0.7
_TITLED = 0.8
# A heading with this share of a keyword's words says what the keyword says.
_SAID = 0.5
_QUESTION_WORDS = 16
# A question with more of its answer's words leaves nothing to answer.
_ASKED_SHARE = 0.7
# For how many notes a question is looked for, for each that is wanted.
_ASKED = 2
# Neighbours that share this much of their words, on average, do not go on from each other.
_LIST_NOTES, _LOOSE = 4, 0.03
_ITEM = re.compile(r"^\s*(?:\d{1,3}[.)]|[-*+])\s+", re.MULTILINE)
_MARKS = re.compile(r'[*#"“”„]')
_NAME = re.compile(r"(?<=\s)[^\W\d_a-z][\w-]+")
_CLAUSE_END = re.compile(r"\s?[,;:(–—]")
_DIGIT = re.compile(r"\d")


@dataclass
class Paraphrase:
    """The writing of one post from notes.

    Args:
        ask: asks the model; its errors pass through.
        seed: returns the seed of a call by a name and a number.
        brief: changed by ``plan``: it asks for a section for each group of notes.
        notes: those of each section and of the questions; set by ``plan``.
    """

    ask: Callable[[Prompt], Completion]
    seed: Callable[[str, int], int]
    profile: Profile
    brief: Brief
    grounding: Grounding
    notes: dict[Part, tuple[Extract, ...]] = field(default_factory=dict)
    _found: Sequence[Extract] = ()

    def plan(self, about: str) -> Plan | None:
        """Return a plan whose sections are groups of notes; None if there are too few notes.

        Raises:
            UnreadableAnswer: the model named no heading, or no question.
        """
        brief, faqs = self.brief, self.brief.faqs
        room = _NOTES_SHARE * brief.max_words
        found = self.grounding.notes(about, _MOST_NOTES)
        if found:
            each = sum(word_count(note.text) for note in found) / len(found)
            found = self.grounding.notes(about, min(_MOST_NOTES, round(room / each)))
        count = min(brief.max_sections, _sections(len(found) - faqs))
        if count < brief.sections[0]:
            return None
        self._found = found
        first, rest = self._introduced(found)
        rest, questions = self._questions(rest, faqs)
        own, last = self._concluded(rest)
        groups = in_groups(own, count)
        # A tip that no note gives would be invented.
        self.brief = replace(brief, sections=(count, count), callout=False, faqs=len(questions))
        asked = tuple(questions.values())
        self.notes = {section_part(number): group for number, group in enumerate(groups, 1)}
        self.notes |= {INTRODUCTION: first, CONCLUSION: last, FAQS: asked}
        headings: list[str] = []
        for number, group in enumerate(groups, 1):
            headings.append(self._heading(number, group, headings))
        content = {
            "purpose": brief.topic or brief.primary_keyword,
            "sections": [
                {"heading": heading, "purpose": _joined(group), "form": form}
                for heading, group, form in zip(headings, groups, self._forms(groups), strict=True)
            ],
            "questions": list(questions),
            "title": _capitalised(brief.primary_keyword),
        }
        return self._headed(read_plan(content, self.brief))

    def draft(self, plan: Plan) -> Draft:
        """Return the post. Introduction and conclusion have notes of their own: asked to sum a text
        up, a small model adds to it, and reverses it. So the description is sentences as well."""
        draft = Draft(plan)
        for part in [*self.notes, TITLE]:
            if self.notes.get(part, True):
                draft = self.written(draft, part)
        return self._with_keywords(self._described(draft))

    def written(self, draft: Draft, part: Part, again: int = 0) -> Draft:
        """Return the draft with the best of a few texts of a part: the one with fewest faults.

        Args:
            again: how often the part was written before.
        """
        if part == FAQS:
            return self._answered(draft)
        if part == TITLE:
            return self._titled(draft, again)
        best, fewest = draft, (math.inf, math.inf)
        texts: list[str] = []
        # Every rewording of a small model says something wrong at times, and only a verified post
        # is refused for what it copies.
        is_copied = part in self.notes and not self.brief.verified
        for number in range(1 if is_copied else _TEXTS):
            seed = self.seed(part.marker, 100 * part.section + 10 * again + number)
            if not is_copied:
                texts.append(self._asked(draft, part, self._warmer(number), seed))
            text, left_out = "".join(texts[-1:]), 0
            if notes := self.notes.get(part):
                text, left_out = self.retold(notes, texts, self._form(draft, part))
            candidate = accept(draft, part, text)
            faults = self._count_faults(candidate, part)
            if (faults, left_out) < fewest:
                best, fewest = candidate, (faults, left_out)
            if not faults and left_out <= _LEFT_OUT * len(self.notes.get(part, ())):
                break
        keyword = self.brief.primary_keyword
        if part == INTRODUCTION and best.has(part) and not self._uses(best.text(part), keyword):
            return self._run_in(best, part, keyword)
        return best

    def _described(self, draft: Draft) -> Draft:
        """Return the draft with a description: how the post begins, with the first sentence after
        it that makes it long enough, or another sentence. If none fits, it is left to be made of
        the introduction."""
        parts = sorted(self.notes, key=lambda part: part != INTRODUCTION)
        texts = "\n".join(draft.text(part) for part in parts if part != FAQS)
        lines = self._sentences(texts, [texts])
        named = [self._about_keyword(line) for line in lines]
        least, most = DESCRIPTION_CHARS
        longer = (f"{named[0]} {line}" for line in lines[1:])
        for text in (*named[:1], *longer, *named[1:]):
            if least <= width(text) <= most:
                return draft.with_text(DESCRIPTION, text)
        return draft

    def _about_keyword(self, text: str) -> str:
        """Return a text that uses the primary keyword."""
        keyword = self.brief.primary_keyword
        return text if self._uses(text, keyword) else f"{self._label(keyword)} {text}"

    def _titled(self, draft: Draft, again: int) -> Draft:
        """Return the draft with a title that says something else than its headings: the topic in
        the client's words, or its first clauses, as many as fit, or what the model makes of the
        text."""
        brief, language = self.brief, self.brief.language
        headings = [section.heading for section in draft.plan.sections]
        taken = {fold(line) for line in [*headings, *brief.earlier_titles]}

        def is_free(line: str) -> bool:
            titled = accept(draft, TITLE, line)
            return fold(line) not in taken and not self._count_faults(titled, TITLE)

        def is_good(line: str) -> bool:
            return (
                share_of(line, about, language) >= _TITLED
                and is_free(line)
                and not any(is_alike(line, each, language) for each in headings)
            )

        def prompt(brief: Brief, profile: Profile, *, seed: int) -> Prompt:
            return frame_prompt(brief, profile, draft, TITLE, seed=seed)

        keyword, about = brief.primary_keyword, f"{self._all_notes} {' '.join(brief.keywords)}"
        named = [f"{_capitalised(keyword)} – {heading}" for heading in reversed(headings)]
        topic = brief.topic or ""
        for end in [len(topic), *_clause_ends(topic)] if topic else []:
            line = f"{self._label(keyword)} {topic[:end]}"
            if width(line) <= TITLE_CHARS[1] and is_free(line):
                return accept(draft, TITLE, line)
        if is_fluent(language) and (found := self._line("title", again, prompt, about, is_good)):
            return accept(draft, TITLE, found)
        return accept(draft, TITLE, next(filter(is_free, named), keyword))

    def _forms(self, groups: Sequence[Sequence[Extract]]) -> list[Form]:
        """Return the form of each group: steps if it is orders; and a list for the one whose
        sentences have least to do with each other, unless it is the only group."""
        are_orders = map(self.grounding.are_orders, groups)
        forms = [Form.STEPS if orders else Form.PROSE for orders in are_orders]
        links = {
            at: mean(
                likeness(one.text, other.text, self.brief.language)
                for one, other in pairwise(group)
            )
            for at, group in enumerate(groups)
            if forms[at] is Form.PROSE and len(group) >= _LIST_NOTES
        }
        if links and len(groups) > 1:
            loosest = min(links, key=lambda at: links[at])
            if links[loosest] <= _LOOSE:
                forms[loosest] = Form.LIST
        return forms

    def _introduced(
        self, notes: Sequence[Extract]
    ) -> tuple[tuple[Extract, ...], tuple[Extract, ...]]:
        """Return the notes to begin with, and the others: the first that are no steps, which stay
        together, before them one that uses the primary keyword, if a note does."""
        keyword, language = self.brief.primary_keyword, self.brief.language
        orders = [is_order(note.text, language) for note in notes]
        steps = [
            order and (before or after)
            for before, order, after in zip(
                [False, *orders[:-1]], orders, [*orders[1:], False], strict=True
            )
        ]
        begins = sorted(range(len(notes)), key=lambda at: (steps[at], at))
        named = (at for at in begins if self._uses(notes[at].text, keyword) and not orders[at])
        first = next(named, begins[0])
        begins = [first, *(at for at in begins if at != first)][:_INTRODUCTION_NOTES]
        others = tuple(note for at, note in enumerate(notes) if at not in begins)
        return tuple(notes[at] for at in begins), others

    def _concluded(
        self, notes: Sequence[Extract]
    ) -> tuple[tuple[Extract, ...], tuple[Extract, ...]]:
        """Return the notes but those to end with, and these: near the end, without a figure or a
        name that a conclusion would bring up, and advice rather than another fact."""
        near = range(len(notes) - max(_CONCLUSION_NOTES, len(notes) // 3), len(notes))
        advice = {at for at in near if is_order(notes[at].text, self.brief.language)}
        if len(advice) > _CONCLUSION_NOTES:
            advice = set()  # They are steps.
        ends = sorted(
            near, key=lambda at: (self._brings_up(notes[at].text), at not in advice, -at)
        )[:_CONCLUSION_NOTES]
        own = tuple(note for at, note in enumerate(notes) if at not in ends)
        return own, tuple(notes[at] for at in sorted(ends))

    def _brings_up(self, note: str) -> bool:
        """Whether a note has a figure, or a name that no other note has."""
        spoken, language = get_language(self.brief.language), self.brief.language
        names = [] if spoken is None or spoken.capitalises_nouns else _NAME.findall(note)
        others = (self._known[stem] for name in names for stem in stems(name, language))
        return bool(_DIGIT.search(note)) or any(count < 2 for count in others)

    def _heading(self, number: int, notes: Sequence[Extract], headings: Sequence[str]) -> str:
        """Return a heading that says something else than these."""
        language = self.brief.language

        def is_new(line: str) -> bool:
            least = 0 if is_fluent(language) else 1
            return share_of(line, about, language) >= least and not any(
                is_alike(line, heading, language) for heading in headings
            )

        about = " ".join([_joined(notes), *self.brief.keywords])
        prompt = partial(heading_prompt, notes=_given(notes))
        line = self._line("heading", number, prompt, _joined(notes), is_new)
        if line is None:
            texts = [note.text for note in notes]
            line = common_phrase(texts, headings, language)
        if line is None:
            raise UnreadableAnswer("it has no heading")
        # A single word says little.
        return line if " " in line else f"{self._label(self.brief.primary_keyword)} {line}"

    def _questions(
        self, notes: tuple[Extract, ...], most: int
    ) -> tuple[tuple[Extract, ...], dict[str, Extract]]:
        """Return the notes but those asked for, and these by their questions: of the last notes
        those for which there is a good question, or the last one.

        Raises:
            UnreadableAnswer: the model asked nothing.
        """
        found: dict[str, Extract] = {}
        other: dict[str, Extract] = {}
        for number, note in enumerate(reversed(notes[-_ASKED * most :] if most else ()), 1):
            line, is_good = self._question(number, note)
            (found if is_good else other).setdefault(line, note)
            if len(found) == most:
                break
        if most and not found:
            found = dict([next(iter(other.items()))])
        asked = list(found.values())
        return (
            tuple(note for note in notes if note not in asked),
            dict(sorted(found.items(), key=lambda item: notes.index(item[1]))),
        )

    def _question(self, number: int, note: Extract) -> tuple[str, bool]:
        """Return the question that a note answers, and whether it is a good one."""
        language, asked = self.brief.language, []
        least = _ABOUT if is_fluent(language) else 1

        def is_good(line: str) -> bool:
            asked.append(line)
            # A figure in a question is one that its answer gives, or another.
            is_short = word_count(line) <= _QUESTION_WORDS and not _DIGIT.search(line)
            is_own = share_of(line, note.text, language) >= least and not strays(
                line, note.text, self._known, language
            )
            is_open = share_of(note.text, line, language) <= _ASKED_SHARE
            return line.endswith("?") and is_short and is_own and is_open

        prompt = partial(question_prompt, note=_given([note]))
        line = self._line("question", number, prompt, note.text, is_good)
        if line is None and not asked:
            raise UnreadableAnswer("it has no question")
        spare = next((each for each in asked if each.endswith("?")), "")
        return line or spare or f"{asked[0].rstrip('.:!')}?", line is not None

    def _line(
        self,
        name: str,
        number: int,
        prompt: Callable[..., Prompt],
        about: str,
        is_good: Callable[[str], bool],
    ) -> str | None:
        """Return the line that a prompt is answered with: the first about that text that is good,
        or else the good one that is most about it; None without any."""
        given = " ".join([about, *self.brief.keywords])
        best, most = None, 0.0
        for again in range(_TRIES):
            seed = self.seed(name, 10 * number + again)
            answer = self.ask(prompt(self.brief, self._warmer(again), seed=seed))
            line = _MARKS.sub("", answer.text)
            line = _without_label(line, given, self.brief.language)
            share = share_of(line, given, self.brief.language)
            if fold(line) and is_good(line) and share > most:
                best, most = line, share
            if most >= _ABOUT:
                break
        return best

    def _warmer(self, times: int) -> Profile:
        return replace(self.profile, temperature=self.profile.temperature + times * _WARMER)

    def _form(self, draft: Draft, part: Part) -> Form:
        is_section = part.kind is PartKind.SECTION
        return draft.plan.sections[part.section - 1].form if is_section else Form.PROSE

    def _asked(self, draft: Draft, part: Part, profile: Profile, seed: int) -> str:
        """Return a text of a part as the model writes it."""
        brief = self.brief
        if part in self.notes:
            form, notes = self._form(draft, part), _given(self.notes[part])
            steps = form is Form.STEPS
            prompt = text_prompt(brief, profile, notes, steps=steps, seed=seed)
        else:
            prompt = frame_prompt(brief, profile, draft, part, seed=seed)
        return read_answer(self.ask(prompt).text, (part,)).get(part, "")

    def retold(self, notes: Sequence[Extract], texts: Sequence[str], form: Form) -> tuple[str, int]:
        """Return the notes, each in the words of the first text that says it and no more, and how
        many no text says. Those stand word for word, or are left out of a verified post, which may
        copy nothing."""
        language = self.brief.language
        given = [note.text for note in notes]
        found = [told(given, self._sentences(text, given), self._known, language) for text in texts]
        said: list[str] = []
        by_source: dict[int, list[str]] = {}
        left_out = 0
        for at, note in enumerate(notes):
            line = next((each[at] for each in found if at in each), "")
            left_out += not line
            if line or not self.brief.verified:
                said.append(line or note.text)
                by_source.setdefault(note.source_index, []).append(said[-1])
        if form is Form.STEPS:
            return as_steps(said, language), left_out
        if form is Form.LIST:
            return "\n".join(f"- {line}" for line in said), left_out
        # What one page says of its subject does not go on from what another says of its own.
        return "\n\n".join(map(" ".join, by_source.values())), left_out

    @property
    def _all_notes(self) -> str:
        return _joined(self._found)

    @cached_property
    def _known(self) -> Counter[str]:
        """The vocabulary of the notes."""
        return vocabulary([note.text for note in self._found], self.brief.language)

    def _sentences(self, text: str, notes: Sequence[str]) -> list[str]:
        """Return the sentences of a text without list markers, marks, and labels that no note
        has."""
        language, given = self.brief.language, " ".join(notes)
        return [
            _without_label(sentence.text, given, language)
            for sentence in sentences(_ITEM.sub("", text).replace("*", ""), language)
        ]

    def _answered(self, draft: Draft) -> Draft:
        """Return the draft with the questions and their answers: the paraphrase of a single
        sentence often says something else."""
        answers = []
        for number, (question, note) in enumerate(
            zip(draft.plan.questions, self.notes[FAQS], strict=True), 1
        ):
            answer = note.text
            if self.brief.verified:
                seed = self.seed(FAQS.marker, number)
                prompt = text_prompt(self.brief, self.profile, _given([note]), seed=seed)
                answer = self.retold([note], [self.ask(prompt).text], Form.PROSE)[0] or answer
            answers.append(f"### {question}\n\n{answer}")
        return accept(draft, FAQS, "\n\n".join(answers))

    def _uses(self, text: str, keyword: str) -> bool:
        brief = self.brief
        return bool(find_phrase(text, keyword, brief.language, exact=brief.exact_keywords))

    def _headed(self, plan: Plan) -> Plan:
        """Return the plan with each keyword that no note uses in the heading of its section; and
        the primary keyword in a heading."""
        primary, given = self.brief.primary_keyword, self._all_notes
        headings = " \n ".join(section.heading for section in plan.sections)
        others = self.brief.keywords[1:]
        missing = [each for each in others if not self._uses(f"{given}\n{headings}", each)]
        if not self._uses(headings, primary):
            missing.append(primary)
        sections, free = list(plan.sections), list(range(len(plan.sections)))

        def fits(at: int, keyword: str) -> float:
            about = f"{sections[at].heading} {sections[at].purpose}"
            return share_of(keyword, about, self.brief.language)

        for keyword in missing[: len(free)]:
            at = free[0] if keyword == primary else max(free, key=lambda at: fits(at, keyword))
            free.remove(at)
            heading = self._with(keyword, sections[at].heading)
            sections[at] = replace(sections[at], heading=heading)
        return replace(plan, sections=tuple(sections))

    def _with(self, keyword: str, heading: str) -> str:
        """Return a heading with a keyword before it; if it says most of the keyword anyhow, the
        keyword alone, or the heading, because a title has the primary keyword."""
        if share_of(keyword, heading, self.brief.language) < _SAID:
            return f"{self._label(keyword)} {heading.rpartition(': ')[2]}"
        return heading if keyword == self.brief.primary_keyword else _capitalised(keyword)

    def _with_keywords(self, draft: Draft) -> Draft:
        """Return the draft with each keyword that it does not use before the text of its
        section."""
        covered = assemble(draft, self.brief).coverage_notes.keyword_coverage
        missing = [each.keyword for each in covered if not each.covered]
        for number, section in enumerate(draft.plan.sections, 1):
            part = section_part(number)
            for keyword in section.keywords:
                if keyword in missing and draft.has(part):
                    draft = self._run_in(draft, part, keyword)
        return draft

    def _run_in(self, draft: Draft, part: Part, keyword: str) -> Draft:
        """Return the draft with a keyword as the run-in heading of a part."""
        return draft.with_text(part, f"**{self._label(keyword)}** {draft.text(part)}")

    def _label(self, keyword: str) -> str:
        spoken = get_language(self.brief.language)
        return f"{_capitalised(keyword)}{spoken.colon if spoken else ':'}"

    def _count_faults(self, draft: Draft, part: Part) -> int:
        """Return how many findings on a part would have to be repaired."""
        post = assemble(draft, self.brief)
        findings = [
            *check_post(post, self.brief).findings,
            *self.grounding.findings(list(passages(post)), required=self.brief.verified),
        ]
        return sum(
            draft.part_at(finding.section) == part and (finding.blocks or finding.removable)
            for finding in findings
        )


def _without_label(text: str, given: str, language: str) -> str:
    """Return a text without a label that is not about what is given, such as “Question:”."""
    lead, colon, rest = text.strip().partition(": ")
    return rest if colon and share_of(lead, given, language) < _ABOUT else text.strip()


def as_steps(lines: Sequence[str], language: str) -> str:
    """Return lines as a numbered list; those before and after it that tell nobody to do something
    are paragraphs."""
    lead = list(takewhile(lambda line: not is_order(line, language), lines))
    rest = lines[len(lead) :]
    end = list(takewhile(lambda line: not is_order(line, language), reversed(rest)))[::-1]
    steps = rest[: len(rest) - len(end)]
    listed = "\n".join(f"{number}. {line}" for number, line in enumerate(steps, 1))
    return "\n\n".join(filter(None, [" ".join(lead), listed, " ".join(end)]))


def _clause_ends(text: str) -> list[int]:
    """Return where the clauses of a text end before its last one, the last of these first."""
    return [match.start() for match in _CLAUSE_END.finditer(text)][::-1]


def _sections(notes: int) -> int:
    return round((notes - _INTRODUCTION_NOTES - _CONCLUSION_NOTES) / _NOTES_A_SECTION)


def _given(notes: Sequence[Extract]) -> str:
    return marked(notes, numbered=False)


def _joined(notes: Sequence[Extract]) -> str:
    return " ".join(note.text for note in notes)


def _capitalised(text: str) -> str:
    return f"{text[0].upper()}{text[1:]}"
