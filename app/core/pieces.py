"""The pieces of a manuscript: what each asks of the model, and what can be said of it by itself.

A piece is the unit that is written, checked and, where it fails, written again: the outline, one
paragraph, the FAQs, the callout, the meta description. Given the outline, pieces do not depend on
each other, so that they can be written at the same time.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from app.core import prompts
from app.core.backing import Backing
from app.core.brief import Brief
from app.core.completion import Prompt
from app.core.quality.closing import check_questions
from app.core.quality.desk import inspect_passage
from app.core.quality.finding import Finding, blocker
from app.core.quality.headings import check_headings
from app.core.quality.keywords import check_overuse, check_place
from app.core.quality.lengths import (
    DESCRIPTION_HARD_CHARS,
    check_description_length,
    check_title_length,
    width,
)
from app.core.quality.passage import Kind, Passage
from app.core.quality.repetition import check_repetition
from app.core.text import find_phrase, fold, primary_subtag, sentences, word_count

Content = Mapping[str, Any] | str


@dataclass(frozen=True)
class OutlineSection:
    heading: str
    points: tuple[str, ...]


@dataclass
class Manuscript:
    """What has been written so far: ``texts`` by paragraph, ``answers`` by any other piece."""

    brief: Brief
    title: str = ""
    sections: tuple[OutlineSection, ...] = ()
    texts: dict[str, str] = field(default_factory=dict)
    answers: dict[str, Mapping[str, Any]] = field(default_factory=dict)
    backing: Backing | None = None

    def accept(self, piece: "Piece", content: Content) -> None:
        """Take a piece over, in place of what it was before."""
        if isinstance(content, str):
            self.texts[piece.name] = content
        else:
            self.answers[piece.name] = content

    def plan(self) -> str:
        """The outline in words, as every later prompt begins with it."""
        named = f" with the title “{self.title}”" if self.title else ""
        lines = [f"A blog post{named} about “{self.brief.primary_keyword}” has these sections:"]
        lines += [f"{n}. {section.heading}" for n, section in enumerate(self.sections, 1)]
        return "\n".join(lines)

    def notes(self, about: str) -> str:
        """What its sources say about something, as it stands in a prompt; "" without sources."""
        return self.backing.notes(about) if self.backing else ""


@dataclass(frozen=True)
class Piece:
    """``about`` is what its sources are asked for; ``phrases`` it must use."""

    name: str
    task: str = ""
    sentences: int = 0
    phrases: tuple[str, ...] = ()
    heading: str = ""
    about: str = ""

    @property
    def is_paragraph(self) -> bool:
        return bool(self.task)

    def prompt(
        self, manuscript: Manuscript, wishes: Sequence[str], *, temperature: float, seed: int
    ) -> Prompt:
        brief = manuscript.brief
        subject = self.about or " ".join([*brief.keywords[1:], brief.topic or ""])
        notes = manuscript.notes(f"{brief.primary_keyword} {subject}")
        if self.name == "outline":
            return prompts.outline(brief, notes, wishes, temperature=temperature, seed=seed)
        plan = "\n\n".join(part for part in (manuscript.plan(), notes) if part)
        if self.is_paragraph:
            return prompts.paragraph(
                brief,
                plan,
                self.task,
                self.phrases,
                wishes,
                sentences=self.sentences,
                temperature=temperature,
                seed=seed,
            )
        return _PROMPTS[self.name](brief, plan, wishes, temperature=temperature, seed=seed)

    def edit(self, content: Content, brief: Brief) -> Content:
        """Mend what needs no writer, which is the description alone: one that lacks the primary
        keyword begins with it, one that is too long loses its last sentences."""
        if isinstance(content, str) or self.name != "description":
            return content
        text = _fitting(str(content["description"]), brief)
        keyword = brief.primary_keyword
        if text and not find_phrase(text, keyword, brief.language, exact=brief.exact_keywords):
            colon = "\N{NO-BREAK SPACE}:" if primary_subtag(brief.language) == "fr" else ":"
            begun = _fitting(f"{keyword[0].upper()}{keyword[1:]}{colon} {text}", brief)
            text = begun if width(begun) <= DESCRIPTION_HARD_CHARS[1] else text
        return {**content, "description": text}

    def check(self, content: Content, manuscript: Manuscript) -> list[Finding]:
        """Everything that can be said of the piece by itself."""
        findings = [
            *(
                self._check_paragraph(content, manuscript.brief)
                if isinstance(content, str)
                else _CHECKS[self.name](content, manuscript)
            )
        ]
        passages = list(self._passages(content))
        findings += check_repetition(passages, manuscript.brief.language)
        findings += check_questions(passages)
        if manuscript.backing:
            findings += manuscript.backing.findings(passages)
        return findings

    def _passages(self, content: Content) -> Iterator[Passage]:
        """What a piece says about the world. Of an outline that includes its points: a paragraph
        that is asked to explain what no source says will say it."""
        if isinstance(content, str):
            yield Passage(self.name, Kind.PROSE, content, self.heading)
        elif self.name == "outline":
            for section in content["sections"]:
                yield Passage(self.name, Kind.HEADING, section["heading"])
                for point in section["points"]:
                    yield Passage(self.name, Kind.PROSE, point, section["heading"])
        elif self.name == "faqs":
            for entry in content["faqs"]:
                yield Passage(self.name, Kind.QUESTION, entry["question"])
                yield Passage(self.name, Kind.ANSWER, entry["answer"], entry["question"])
        elif self.name == "callout":
            yield Passage(self.name, Kind.LABEL, content["label"])
            yield Passage(self.name, Kind.PROSE, content["text"])
        elif self.name == "title":
            yield Passage(self.name, Kind.TITLE, content["title"])
        else:
            yield Passage("meta.description", Kind.DESCRIPTION, content["description"])

    def _check_paragraph(self, text: str, brief: Brief) -> list[Finding]:
        passage = Passage(self.name, Kind.PROSE, text, self.heading)
        findings = inspect_passage(passage, brief.language)
        for phrase in self.phrases:
            if not find_phrase(text, phrase, brief.language, exact=brief.exact_keywords):
                findings.append(
                    blocker(
                        "keyword_missing",
                        self.name,
                        f'Put the words "{phrase}" into the first sentence.',
                    )
                )
        findings += check_overuse(self.name, text, brief.keywords, brief.language)
        wanted = least_sentences(self.sentences)
        if len(sentences(text, brief.language)) < wanted:
            findings.append(blocker("too_short", self.name, f"Write at least {wanted} sentences."))
        return findings


def _fitting(description: str, brief: Brief) -> str:
    parts = sentences(description, brief.language)
    while len(parts) > 1 and width(description) > DESCRIPTION_HARD_CHARS[1]:
        parts = parts[:-1]
        description = description[: parts[-1].span[1]]
    return description


def least_sentences(asked: int) -> int:
    """The fewest sentences that a paragraph may have of which so many were asked for."""
    return max(1, asked * 3 // 5)


def _check_outline(content: Mapping[str, Any], manuscript: Manuscript) -> Iterator[Finding]:
    brief = manuscript.brief
    headings = [str(section["heading"]) for section in content["sections"]]
    for heading in headings:
        yield from inspect_passage(Passage("outline", Kind.HEADING, heading), brief.language)
    yield from check_headings("", headings, ["outline"] * len(headings))


def _check_title(content: Mapping[str, Any], manuscript: Manuscript) -> Iterator[Finding]:
    brief = manuscript.brief
    title = str(content["title"])
    yield from inspect_passage(Passage("title", Kind.TITLE, title), brief.language)
    yield from check_title_length(title)
    yield from check_place("title", title, brief)
    if fold(title) in {fold(section.heading) for section in manuscript.sections}:
        yield blocker("heading", "title", "A section has this heading. Write another title.")
    if fold(title) in {fold(earlier) for earlier in brief.earlier_titles}:
        yield blocker("title_taken", "title", f"A post “{title}” exists. Write another title.")


def _check_faqs(content: Mapping[str, Any], manuscript: Manuscript) -> Iterator[Finding]:
    brief = manuscript.brief
    for entry in content["faqs"]:
        question, answer = entry["question"], entry["answer"]
        yield from inspect_passage(Passage("faqs", Kind.QUESTION, question), brief.language)
        yield from inspect_passage(Passage("faqs", Kind.ANSWER, answer, question), brief.language)
        if not question.rstrip().endswith(("?", "？", "؟", ";")):
            yield blocker("faq_shape", "faqs", f"“{question}” does not end with a question mark.")
        if word_count(answer) < 6:
            yield blocker("faq_shape", "faqs", f"The answer to “{question}” is too short.")


def _check_callout(content: Mapping[str, Any], manuscript: Manuscript) -> Iterator[Finding]:
    brief = manuscript.brief
    yield from inspect_passage(Passage("callout", Kind.LABEL, content["label"]), brief.language)
    yield from inspect_passage(Passage("callout", Kind.PROSE, content["text"]), brief.language)
    if len(content["label"]) > 40:
        yield blocker("callout_shape", "callout", "The label is longer than 40 characters.")


def _check_description(content: Mapping[str, Any], manuscript: Manuscript) -> Iterator[Finding]:
    brief = manuscript.brief
    text = str(content["description"])
    passage = Passage("meta.description", Kind.DESCRIPTION, text)
    yield from inspect_passage(passage, brief.language)
    yield from check_description_length(text)
    yield from check_place("meta.description", text, brief)


_PROMPTS = {
    "title": prompts.title,
    "faqs": prompts.faqs,
    "callout": prompts.callout,
    "description": prompts.description,
}
_CHECKS = {
    "outline": _check_outline,
    "title": _check_title,
    "faqs": _check_faqs,
    "callout": _check_callout,
    "description": _check_description,
}
