"""Write a post whose sections are groups of notes, for a model that invents what it is not given:
it writes headings, a title and questions, and puts notes into other words for verified posts."""

import math
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from itertools import chain, pairwise

from app.core.checks import check_post, passages, post_words
from app.core.languages import Composing, get_section
from app.core.planning.brief import Brief
from app.core.sources.prompt_injection import may_address_a_model
from app.core.text import find_phrase, fold, sentences, stems, word_count
from app.core.verification import Extract, Grounding, marked
from app.core.writing import search_result
from app.core.writing.answer import accept, read_answer
from app.core.writing.completion import Completion, Prompt
from app.core.writing.composition import Composer, Group, joined
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
    share_of,
    told,
    vocabulary,
)
from app.core.writing.forms import as_page, as_steps
from app.core.writing.names import Names
from app.core.writing.notes import impersonal
from app.core.writing.paraphrase import (
    description_prompt,
    heading_prompt,
    text_prompt,
)
from app.core.writing.parsing import UnreadableAnswer
from app.core.writing.plan import Form, Plan, read_plan
from app.core.writing.profile import Profile
from app.core.writing.style import easier, varied

# The share of the highest number of words that the notes have; and those of pages with headings,
# whose sections stay whole: from others, more notes are a heap.
_NOTES_SHARE, _PAGES_SHARE, _MOST_NOTES = 0.6, 0.94, 200
# How often a line is asked for, and a text: warmer ones say less and less what their notes say.
_TRIES, _TEXTS = 2, 2
# How much warmer each further try is; a model repeats itself at one temperature.
_WARMER = 0.15
# A text is asked for again if it leaves out more than this share of its notes.
_LEFT_OUT = 0.4
# The least share of a line's words that are of what it is about.
_ABOUT = 0.7
# A section with this share of a keyword's words is about the keyword.
_ABOUT_KEYWORD = 0.4
_ITEM = re.compile(r"^\s*(?:\d{1,3}[.)]|[-*+])\s+", re.MULTILINE)
_MARKS = re.compile(r'[*#"“”„]')
# How many pages the end of a post names.
_MOST_PAGES = 4
_STEP = re.compile(r"^\d+\. ", re.MULTILINE)


@dataclass
class Paraphrase:
    """The writing of one post from notes.

    Args:
        ask: asks the model; its errors pass through.
        seed: returns the seed of a call by a name and a number.
        brief: changed by ``plan``: it asks for a section for each group of notes.
        is_read: whether a model reads the post that comes out, such as an editor.
        notes: those of each section and of the questions; set by ``plan``.
    """

    ask: Callable[[Prompt], Completion]
    seed: Callable[[str, int], int]
    profile: Profile
    brief: Brief
    grounding: Grounding
    is_read: bool = True
    notes: dict[Part, tuple[Extract, ...]] = field(default_factory=dict)
    _found: Sequence[Extract] = ()
    _groups: Sequence[Group] = ()
    _answers: Sequence[tuple[Extract, ...]] = ()
    # The notes of introduction, conclusion and answers.
    _others: Sequence[tuple[Extract, ...]] = ()
    _composer: Composer | None = None

    def plan(self, about: str) -> Plan | None:
        """Return a plan whose sections are groups of notes; None if there are too few notes.

        Raises:
            UnreadableAnswer: the model named no heading.
        """
        brief = self.brief
        found: Sequence[Extract] = (
            self.grounding.notes(about, _MOST_NOTES)
            if brief.verified
            else self.grounding.quotations(about, _MOST_NOTES, is_read=self.is_read)
        )
        found = found if brief.verified else impersonal(found, brief.language)
        titles = {
            index: self.grounding.title(index, is_read=self.is_read)
            for index in {note.source_index for note in found}
        }
        is_headed = any(note.heading for note in found)
        share = _PAGES_SHARE if is_headed and not brief.verified else _NOTES_SHARE
        composer = Composer(found, brief, round(share * brief.max_words), titles)
        made = composer.compose()
        if made is None:
            return None
        self._found, self._composer, self._groups = found, composer, made.groups
        # A question that a model makes of a sentence is nobody's question.
        questions = made.questions if brief.faqs else {}
        self._others = (made.introduction, *questions.values())
        self._groups = self._headed(composer.names)
        count = len(self._groups)
        # A tip that no note gives would be invented.
        self.brief = replace(brief, sections=(count, count), callout=False, faqs=len(questions))
        self._answers = tuple(questions.values())
        self.notes = {
            section_part(number): group.notes for number, group in enumerate(self._groups, 1)
        }
        asked = tuple(chain.from_iterable(self._answers))
        self.notes |= {INTRODUCTION: made.introduction, FAQS: asked}
        content = {
            "purpose": brief.topic or brief.primary_keyword,
            "sections": [
                {"heading": group.heading, "purpose": _joined(group.notes), "form": group.form}
                for group in self._groups
            ],
            "questions": list(questions),
            "title": _capitalised(brief.primary_keyword),
        }
        return read_plan(content, self.brief)

    def draft(self, plan: Plan) -> Draft:
        """Return the post. The introduction has notes of its own: asked to sum a text up, a small
        model adds to it, and reverses it. So the description is sentences as well, and the end
        names the sources."""
        draft = Draft(plan)
        for part in [TITLE, *self.notes, CONCLUSION]:
            if self.notes.get(part, True):
                draft = self.written(draft, part)
        return self._with_keywords(self._long_enough(self._described(draft)))

    def _long_enough(self, draft: Draft) -> Draft:
        """Return the draft with the primary keyword before as many headings as it is short of
        words: there may be no other notes."""
        keyword = self.brief.primary_keyword
        for at, section in enumerate(draft.plan.sections):
            if post_words(assemble(draft, self.brief)) >= self.brief.min_words:
                break
            if not self._uses(section.heading, keyword):
                longer = replace(section, heading=f"{self._label(keyword)} {section.heading}")
                sections = (*draft.plan.sections[:at], longer, *draft.plan.sections[at + 1 :])
                draft = replace(draft, plan=replace(draft.plan, sections=sections))
        return draft

    def written(self, draft: Draft, part: Part, again: int = 0) -> Draft:
        """Return the draft with the best of a few texts of a part: the one with fewest faults.

        Args:
            again: how often the part was written before.
        """
        if part == FAQS:
            return self._answered(draft)
        if part == TITLE:
            return self._titled(draft)
        if part == CONCLUSION:
            return draft.with_text(CONCLUSION, self._sources())
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
                text, left_out = self.retold(
                    notes, texts, self._form(draft, part), self._group(part)
                )
            text = easier(text, self.brief.language) if is_copied else text
            candidate = accept(draft, part, text)
            faults = self._count_faults(candidate, part)
            if (faults, left_out) < fewest:
                best, fewest = candidate, (faults, left_out)
            if not faults and left_out <= _LEFT_OUT * len(self.notes.get(part, ())):
                break
        if part == INTRODUCTION and best.has(part) and not self._is_told(best):
            is_titled = draft.plan.title == self._in_short
            label = self._label(self.brief.primary_keyword if is_titled else self._in_short)
            return best.with_text(part, f"**{label}** {self._without_lead(best.text(part))}")
        return best

    def _is_told(self, draft: Draft) -> bool:
        """Whether the introduction uses the primary keyword; or its words, if the sections use it:
        that is less clumsy than a label."""
        notes = " \n ".join(_joined(group.notes) for group in self._groups)
        headings = " \n ".join(section.heading for section in draft.plan.sections)
        is_used = self._uses(f"{headings} \n {notes}", self.brief.primary_keyword)
        text = draft.text(INTRODUCTION)
        is_told = self._result.has_keyword(text) if is_used else False
        return is_told or self._uses(text, self.brief.primary_keyword)

    def _without_lead(self, text: str) -> str:
        """Return a text without a label that says what its new one says, such as “In short:”."""
        label = self._rules.short_labels.match(text) if self._rules else None
        return _capitalised(text[label.end() :]) if label else text

    @property
    def _rules(self) -> Composing | None:
        return get_section(self.brief.language, Composing)

    def _group(self, part: Part) -> Group | None:
        return self._groups[part.section - 1] if part.kind is PartKind.SECTION else None

    def _sources(self) -> str:
        """Return the sentence that names the pages of the notes."""
        told = {note.source_index for notes in self.notes.values() for note in notes}
        pages: list[str] = []
        for index in sorted(told):
            title = _MARKS.sub("", self._page_title(index)).strip()
            # The longest part of an address says most, and is no link.
            site = max(self.grounding.sources[index].site.split("."), key=len)
            pages.append(f"*{title}*" if title else site)
        pages = list(dict.fromkeys(pages))
        rules = self._rules
        *others, last = pages[:_MOST_PAGES]
        if rules is None:
            return ", ".join([*others, last])
        if others:
            last = rules.headings.pair.format(one=", ".join(others), other=last)
        return rules.sources.format(pages=last)

    def _described(self, draft: Draft) -> Draft:
        """Return the draft with the best description; without one that fits, it is left to be made
        of the introduction."""
        text = draft.text(INTRODUCTION)
        sentences = self._sentences(text, [text])
        for label in (self.brief.primary_keyword, self._in_short):
            sentences[:1] = [line.removeprefix(f"{self._label(label)} ") for line in sentences[:1]]
        for line in self._result.descriptions(
            draft.plan.title, sentences, self._parts(draft), len(draft.faqs)
        ):
            described = draft.with_text(DESCRIPTION, line)
            if not self._count_faults(described, DESCRIPTION):
                return described
        return draft

    def _parts(self, draft: Draft) -> list[search_result.Part]:
        """Return the sections under headings that tell what they are about."""
        parts = []
        for number, group in enumerate(self._groups, 1):
            text = draft.text(section_part(number))
            steps = len(_STEP.findall(text)) if group.form is Form.STEPS else 0
            parts.append(search_result.Part(group.heading, steps, group.form is Form.TABLE))
        return parts

    @cached_property
    def _result(self) -> search_result.SearchResult:
        assert self._composer is not None  # noqa: S101 - set by the plan
        composer = self._composer
        return search_result.SearchResult(self.brief, composer.names, is_choice=composer.is_crowded)

    @property
    def _in_short(self) -> str:
        return self._result.in_short

    def _titled(self, draft: Draft) -> Draft:
        """Return the draft with the best title that is no heading and has no fault."""
        brief = self.brief
        headings = [section.heading for section in draft.plan.sections]
        taken = {fold(line) for line in [*headings, *brief.earlier_titles]}

        def is_free(line: str) -> bool:
            titled = accept(draft, TITLE, line)
            return fold(line) not in taken and not self._count_faults(titled, TITLE)

        pages = self._page_titles()
        text = " ".join([self._all_notes, *headings, *brief.keywords, *pages])
        parts = self._parts(draft)
        titles = self._result.titles(parts, pages, text)
        best = next(filter(is_free, titles), titles[-1])
        return accept(draft, TITLE, best)

    def _page_title(self, index: int) -> str:
        return self.grounding.title(index, is_read=self.is_read)

    def _page_titles(self) -> list[str]:
        """Return the titles of pages that are kept whole, those first that say most of the
        request."""
        brief = self.brief
        kept = {
            note.source_index for group in self._groups if group.is_page for note in group.notes
        }
        titles = [title for index in sorted(kept) if (title := self._page_title(index))]
        asked = " ".join([brief.topic or "", *brief.keywords])
        return sorted(titles, key=lambda title: -share_of(asked, title, brief.language))

    def _headed(self, names: Names) -> tuple[Group, ...]:
        """Return the sections, each with a heading that no other has: its own, a further keyword
        that no note uses, or the model's."""
        found = self._without_repeated_titles(self._with_keyword_headings(names))
        for group in [each for each in found if not each.heading]:
            at = found.index(group)
            found[at : at + 1] = self._divided(group, len(found), names)
        for group in [each for each in found if not each.heading]:
            self._join(found, group)
        general = names.general(self.brief.primary_keyword)
        seen: set[str] = set()
        for at, group in enumerate(found):
            spares = (group.heading, general, *self._spare_headings(group, found))
            heading = next((each for each in spares if each and fold(each) not in seen), "")
            if not heading:
                raise UnreadableAnswer("it has no heading")
            seen.add(fold(heading))
            found[at] = replace(group, heading=heading)
        headings = varied([group.heading for group in found], self.brief.language)
        return tuple(
            replace(group, heading=heading) for group, heading in zip(found, headings, strict=True)
        )

    def _without_repeated_titles(self, groups: Sequence[Group]) -> list[Group]:
        """Return the sections; one under the title of its page, if that says no more than the
        primary keyword, is joined with what another page has left."""
        keyword, language = self.brief.primary_keyword, self.brief.language
        found = list(groups)
        for group in groups:
            others = [each for each in found if each.heading and not each.is_own and each != group]
            is_short = word_count(group.heading) <= word_count(keyword) + 1
            is_spare = is_short and not group.is_own and is_alike(group.heading, keyword, language)
            if is_spare and others and len(found) > self.brief.sections[0]:
                found[found.index(others[0])] = joined(others[0], group)
                found.remove(group)
        return found

    def _join(self, found: list[Group], group: Group) -> None:
        """Join a section that nobody found a heading for with the one before it on its page, or
        with any before it, unless the post would be too short without a heading of its own."""
        told = chain(
            (each.heading for each in found),
            (note.text for each in found for note in each.notes),
            (note.text for notes in self._others for note in notes),
        )
        is_short = sum(map(word_count, told)) < self.brief.min_words
        rules = self._rules
        no = {rules.headings.cautions, rules.headings.help} if rules else set()
        prose = [
            each for each in found if each.heading and each.form is Form.PROSE
            and each.heading not in no
        ]  # fmt: skip
        page = group.notes[0].source_index
        near = [each for each in prose if each.notes[0].source_index == page] or prose
        if near and not is_short and len(found) > self.brief.sections[0]:
            at = found.index(group)
            before = [each for each in near if found.index(each) < at]
            target = (before or near)[-1 if before else 0]
            found[found.index(target)] = joined(target, group)
            found.remove(group)

    def _divided(self, group: Group, count: int, names: Names) -> list[Group]:
        """Return a section without a heading as one for each paragraph that the model finds a
        heading for, and the other paragraphs as one."""
        if not is_fluent(self.brief.language):
            return [group]
        begins = [0, *(at for at, note in enumerate(group.notes) if note in group.begins)]
        parts = [group.notes[at:end] for at, end in pairwise([*begins, len(group.notes)])]
        room = self.brief.max_sections - count
        found: list[Group] = []
        rest: list[Extract] = []
        for part in parts if len(parts) <= room + 1 else [group.notes]:
            heading = self._heading(part, [each.heading for each in (*self._groups, *found)], names)
            if heading:
                found.append(replace(group, notes=part, heading=heading, begins=frozenset()))
            else:
                rest += part
        left = [replace(group, notes=tuple(rest), begins=group.begins - {rest[0]})] if rest else []
        return found + left

    def _heading(self, notes: Sequence[Extract], taken: Sequence[str], names: Names) -> str:
        """Return the model's heading for some notes, if it is of their words and about most of
        them, and says something else than the headings taken; "" without any."""
        language, about = self.brief.language, _joined(notes)

        def is_good(line: str) -> bool:
            is_other = not any(is_alike(line, each, language) for each in taken if each)
            is_own = share_of(line, about, language) == 1 and names.covers(line, notes)
            return " " in line and is_other and is_own and names.may_be_used(line)

        if not (given := _given(notes)):
            return ""
        prompt = partial(heading_prompt, notes=given)
        number = self._found.index(notes[0])
        line = self._line("heading", number, prompt, about, is_good)
        return names.in_sentence_case(line) if line else ""

    def _spare_headings(self, group: Group, others: Sequence[Group]) -> Iterator[str]:
        """Yield headings for a section that has none in a language without rules for headings."""
        taken = [each.heading for each in others]
        phrase = common_phrase([note.text for note in group.notes], taken, self.brief.language)
        if phrase:
            # A single word says little.
            label = "" if " " in phrase else f"{self._label(self.brief.primary_keyword)} "
            yield f"{label}{phrase}"

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
            prompt = description_prompt(brief, profile, draft, seed=seed)
        return read_answer(self.ask(prompt).text, (part,)).get(part, "")

    def retold(
        self, notes: Sequence[Extract], texts: Sequence[str], form: Form, group: Group | None = None
    ) -> tuple[str, int]:
        """Return the notes, each in the words of the first text that says it and no more, and how
        many no text says. Those stand word for word, or are left out of a verified post, which may
        copy nothing.

        Args:
            group: the section that the notes are of, for its form and its paragraphs.
        """
        language = self.brief.language
        is_marked = any(note.marker for note in notes)
        if group is not None and group.is_page and (is_marked or form is not Form.STEPS):
            return as_page(notes), 0
        given = [note.text for note in notes]
        found = [told(given, self._sentences(text, given), self._known, language) for text in texts]
        begins = group.begins if group else frozenset()
        points = group.points if group else frozenset()
        blocks: list[list[str]] = [[]]
        left_out, before = 0, notes[0]
        for at, note in enumerate(notes):
            # What one page says of its subject does not go on from what another says of its own.
            is_apart = note.source_index != before.source_index or note in begins
            if (note in points) != (before in points) or (is_apart and note not in points):
                blocks.append([])
            before = note
            line = next((each[at] for each in found if at in each), "")
            left_out += not line
            if line or not self.brief.verified:
                blocks[-1].append(f"- {line or note.text}" if note in points else line or note.text)
        if form is Form.STEPS:
            return as_steps(list(chain.from_iterable(blocks)), language), left_out
        if form is Form.LIST:
            return "\n".join(f"- {line}" for line in chain.from_iterable(blocks)), left_out
        written = [("\n" if lines[0][:2] == "- " else " ").join(lines) for lines in blocks if lines]
        return "\n\n".join(written), left_out

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
        for number, (question, notes) in enumerate(
            zip(draft.plan.questions, self._answers, strict=True), 1
        ):
            answer = self._composer.names.answer(question, notes) if self._composer else ""
            if self.brief.verified:
                seed = self.seed(FAQS.marker, number)
                prompt = text_prompt(self.brief, self.profile, _given(notes), seed=seed)
                answer = self.retold(notes, [self.ask(prompt).text], Form.PROSE)[0] or answer
            else:
                answer = easier(answer, self.brief.language)
            answers.append(f"### {question}\n\n{answer}")
        return accept(draft, FAQS, "\n\n".join(answers))

    def _uses(self, text: str, keyword: str) -> bool:
        brief = self.brief
        return bool(find_phrase(text, keyword, brief.language, exact=brief.exact_keywords))

    def _with_keyword_headings(self, names: Names) -> list[Group]:
        """Return the sections, with each further keyword that no note uses in the heading of the
        section that it fits best: as the whole heading if that says nothing else."""
        brief, found = self.brief, list(self._groups)
        # The end of the post names its pages.
        given = " \n ".join([self._all_notes, *self._page_titles()])
        headings = " \n ".join(group.heading for group in found)
        missing = [
            each for each in brief.keywords[1:] if not self._uses(f"{given}\n{headings}", each)
        ]
        free = list(range(len(found)))

        def is_free(at: int, keyword: str) -> bool:
            """Whether a section may have the keyword as its heading."""
            heading, language = found[at].heading, brief.language
            own = stems(keyword, language) - stems(brief.primary_keyword, language)
            says_little = is_alike(heading, brief.primary_keyword, language)
            is_near = bool(own & stems(heading, language))
            return not heading or (not found[at].is_own and (says_little or is_near))

        def fit(at: int, keyword: str) -> float:
            text = f"{found[at].heading} {_joined(found[at].notes)}"
            share = share_of(keyword, text, brief.language)
            about = names.aboutness(keyword, found[at].notes)
            if self._composer and self._composer.is_crowded and not is_free(at, keyword):
                # “Prevent frozen pipes: how to thaw frozen pipes” would be two subjects.
                about -= self._uses(found[at].heading, brief.primary_keyword)
                about += share_of(keyword, found[at].heading, brief.language) / 2
            return 2 * (about >= _ABOUT_KEYWORD) + is_free(at, keyword) + about + share

        for keyword in missing[: len(free)]:
            at = max(free, key=lambda at: fit(at, keyword))
            free.remove(at)
            heading = _capitalised(keyword)
            if not is_free(at, keyword):
                # The primary keyword stands before a heading of one word.
                own = found[at].heading.removeprefix(f"{self._label(brief.primary_keyword)} ")
                heading = f"{self._label(keyword)} {names.inside(own)}"
            found[at] = replace(found[at], heading=heading, is_own=True)
        return found

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
        return self._result.label(keyword)

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


def _given(notes: Sequence[Extract]) -> str:
    """Return notes as a block for a prompt, without those that are only copied."""
    return marked((note for note in notes if not may_address_a_model(note.text)), numbered=False)


def _joined(notes: Sequence[Extract]) -> str:
    return " ".join(note.text for note in notes)


def _capitalised(text: str) -> str:
    return f"{text[0].upper()}{text[1:]}"
