"""Write a post whose sections are groups of notes in other words, for a model that invents what it
is not given."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial

from app.core.checks import check_post, passages
from app.core.languages import get_language
from app.core.planning.brief import Brief
from app.core.text import find_phrase, fold, sentences, stems, word_count
from app.core.verification import Extract, Grounding, in_groups, marked
from app.core.writing.answer import accept, read_answer
from app.core.writing.completion import Completion, Prompt
from app.core.writing.draft import (
    CONCLUSION,
    FAQS,
    INTRODUCTION,
    TITLE,
    Draft,
    Part,
    PartKind,
    assemble,
    section_part,
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
_NOTES_SHARE, _MOST_NOTES = 0.55, 200
_INTRODUCTION_NOTES, _CONCLUSION_NOTES = 2, 2
_HEADING_WORDS = 6
_TRIES = 3
# How much warmer each further try is; a model repeats itself at one temperature.
_WARMER = 0.15
# The share of a text's words that are those of its notes; the rest of a good paraphrase are others.
_FAITHFUL = 0.5
# The same of a heading or a question.
_ABOUT = 0.4


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
        first, rest = found[:_INTRODUCTION_NOTES], found[_INTRODUCTION_NOTES:]
        rest, asked = rest[: len(rest) - faqs], rest[len(rest) - faqs :]
        own, last = rest[:-_CONCLUSION_NOTES], rest[-_CONCLUSION_NOTES:]
        groups = in_groups(own, count)
        # A tip that no note gives would be invented.
        self.brief = replace(brief, sections=(count, count), callout=False)
        self.notes = {section_part(number): group for number, group in enumerate(groups, 1)}
        self.notes |= {INTRODUCTION: first, CONCLUSION: last, FAQS: asked}
        headings: list[str] = []
        for number, group in enumerate(groups, 1):
            headings.append(self._heading(number, group, headings))
        content = {
            "purpose": brief.topic or brief.primary_keyword,
            "sections": [
                {
                    "heading": heading,
                    "purpose": _joined(group),
                    "form": Form.STEPS if self.grounding.are_orders(group) else Form.PROSE,
                }
                for heading, group in zip(headings, groups, strict=True)
            ],
            "questions": [self._question(number, note) for number, note in enumerate(asked, 1)],
            "title": _capitalised(brief.primary_keyword),
        }
        return read_plan(content, self.brief)

    def draft(self, plan: Plan) -> Draft:
        """Return the post. Introduction and conclusion have notes of their own: asked to sum a text
        up, a small model adds to it, and reverses it. The description is left to be made of the
        introduction."""
        draft = Draft(plan)
        for part in [*self.notes, TITLE]:
            if self.notes.get(part, True):
                draft = self.written(draft, part)
        return draft

    def written(self, draft: Draft, part: Part, again: int = 0) -> Draft:
        """Return the draft with the best of a few texts of a part: the one with fewest faults.

        Args:
            again: how often the part was written before.
        """
        best, fewest = draft, math.inf
        for number in range(_TRIES):
            seed = self.seed(part.marker, 100 * part.section + 10 * again + number)
            candidate = self._text(draft, part, self._warmer(number), seed)
            count = self._count_faults(candidate, part)
            if count < fewest:
                best, fewest = candidate, count
            if not count:
                break
        if part == TITLE and _is_heading(best.plan.title, best.plan):
            heading = best.plan.sections[-1].heading
            return accept(best, part, f"{_capitalised(self.brief.primary_keyword)} – {heading}")
        return self._with_keywords(best, part)

    def _heading(self, number: int, notes: Sequence[Extract], headings: Sequence[str]) -> str:
        """Return a heading that is not among these."""
        taken = {fold(heading) for heading in headings}
        prompt = partial(heading_prompt, notes=_given(notes))

        def is_new(line: str) -> bool:
            return fold(line) not in taken

        line = self._line("heading", number, prompt, _joined(notes), is_new)
        return line if is_new(line) else " ".join(notes[0].text.split()[:_HEADING_WORDS])

    def _question(self, number: int, note: Extract) -> str:
        prompt = partial(question_prompt, note=_given([note]))
        line = self._line("question", number, prompt, note.text, lambda line: line.endswith("?"))
        return line if line.endswith("?") else f"{line.rstrip('.:! ')}?"

    def _line(
        self,
        name: str,
        number: int,
        prompt: Callable[..., Prompt],
        about: str,
        is_good: Callable[[str], bool],
    ) -> str:
        """Return the line that a prompt asks for: the first good one about that text, or the last.

        Raises:
            UnreadableAnswer: no answer has a word.
        """
        line = ""
        for again in range(_TRIES):
            seed = self.seed(name, 10 * number + again)
            answer = self.ask(prompt(self.brief, self._warmer(again), seed=seed))
            found = answer.text.strip().strip('#*"“”„ ')
            line = found if fold(found) else line
            if is_good(found) and self._share(found, about) >= _ABOUT and '"' not in found:
                return found
        if not line:
            raise UnreadableAnswer(f"it has no {name}")
        return line

    def _warmer(self, times: int) -> Profile:
        return replace(self.profile, temperature=self.profile.temperature + times * _WARMER)

    def _text(self, draft: Draft, part: Part, profile: Profile, seed: int) -> Draft:
        """Return the draft with a text of a part, as the model writes it."""
        brief = self.brief
        if part == FAQS:
            told = []
            for question, note in zip(draft.plan.questions, self.notes[FAQS], strict=True):
                # The paraphrase of a single sentence often says something else.
                answer = note.text
                if brief.verified:
                    prompt = text_prompt(brief, profile, _given([note]), Form.PROSE, seed=seed)
                    answer = self._without_additions(self.ask(prompt).text, note.text)
                told.append(f"### {question}\n\n{answer}")
            return accept(draft, part, "\n\n".join(told))
        if part in self.notes:
            is_section = part.kind is PartKind.SECTION
            form = draft.plan.sections[part.section - 1].form if is_section else Form.PROSE
            prompt = text_prompt(brief, profile, _given(self.notes[part]), form, seed=seed)
        else:
            prompt = frame_prompt(brief, profile, draft, part, seed=seed)
        text = read_answer(self.ask(prompt).text, (part,)).get(part, "")
        if part in self.notes and form is Form.PROSE:
            text = self._without_additions(text, _joined(self.notes[part]))
        return accept(draft, part, text)

    def _without_additions(self, text: str, given: str) -> str:
        """Return the sentences of a text whose words are mostly those of its notes, as one
        paragraph; the text itself if there are none."""
        kept = []
        for sentence in sentences(" ".join(text.split()), self.brief.language):
            told = sentence.text
            lead, colon, rest = told.partition(": ")
            if colon and self._share(lead, given) < _FAITHFUL:
                told = rest
            if self._share(told, given) >= _FAITHFUL:
                kept.append(told)
        return " ".join(kept) or text

    def _share(self, text: str, given: str) -> float:
        """Return the share of a text's words that another text has as well."""
        said = stems(text, self.brief.language)
        return len(said & stems(given, self.brief.language)) / len(said) if said else 0.0

    def _uses(self, text: str, keyword: str) -> bool:
        brief = self.brief
        return bool(find_phrase(text, keyword, brief.language, exact=brief.exact_keywords))

    def _with_keywords(self, draft: Draft, part: Part) -> Draft:
        """Return the draft with each keyword of a part that its text does not use before its first
        sentence, as a run-in heading."""
        wanted: Sequence[str] = ()
        if part == INTRODUCTION:
            wanted = self.brief.keywords[:1]
        elif part.kind is PartKind.SECTION:
            own = draft.plan.sections[part.section - 1].keywords
            wanted = [keyword for keyword in own if keyword != self.brief.primary_keyword]
        text = draft.text(part)
        spoken = get_language(self.brief.language)
        for keyword in wanted:
            if text and not self._uses(text, keyword):
                text = f"{_capitalised(keyword)}{spoken.colon if spoken else ':'} {text}"
        return draft.with_text(part, text) if wanted and text else draft

    def _count_faults(self, draft: Draft, part: Part) -> float:
        """Return how many faults a text of a part has: findings that would have to be repaired,
        and words that are not those of its notes."""
        if not draft.has(part) and part != TITLE:
            return math.inf
        post, text = assemble(draft, self.brief), draft.text(part)
        findings = [
            *check_post(post, self.brief).findings,
            *self.grounding.findings(list(passages(post)), required=self.brief.verified),
        ]
        faults = [
            finding
            for finding in findings
            if draft.part_at(finding.section) == part and (finding.blocks or finding.removable)
        ]
        given = _joined(self.notes.get(part, ()))
        is_faithful = not given or self._share(text, given) >= _FAITHFUL
        is_taken = part == TITLE and _is_heading(text, draft.plan)
        return len(faults) + (not is_faithful) + is_taken


def _sections(notes: int) -> int:
    return round((notes - _INTRODUCTION_NOTES - _CONCLUSION_NOTES) / _NOTES_A_SECTION)


def _is_heading(title: str, plan: Plan) -> bool:
    return fold(title) in {fold(section.heading) for section in plan.sections}


def _given(notes: Sequence[Extract]) -> str:
    return marked(notes, numbered=False)


def _joined(notes: Sequence[Extract]) -> str:
    return " ".join(note.text for note in notes)


def _capitalised(text: str) -> str:
    return f"{text[0].upper()}{text[1:]}"
