"""The editor of a file: a model that reads it as it reads a post."""

import logging
from dataclasses import dataclass, replace
from datetime import date

from app.core.errors import ModelUnavailable
from app.deadline import Deadline
from app.ports import Model
from app.rules.finding import Finding, Severity
from app.rules.markdown_file import FileFinding, Report
from app.rules.words import shortened, word_count
from app.writing.brief import Brief
from app.writing.completion import Completion, Prompt
from app.writing.edits import Edit, EditorAnswer, UnreadableAnswer, find_once, parse_edits
from app.writing.prompts import edit_prompt, read_prompt
from app.writing.reader import Reading, parse_reading
from app.writing.refusals import is_refusal

log = logging.getLogger(__name__)

_SUBJECT_CHARS, _QUOTED_CHARS = 100, 200
_TRIES = 2
_UNREADABLE = "No answer of the editor could be read. Run the command again, or name another model."


@dataclass(frozen=True)
class Text:
    """A text to review.

    Args:
        about: its keywords, or its title; its first line if empty.
        findings: what the rules found.
    """

    markdown: str
    language: str
    about: tuple[str, ...] = ()
    findings: tuple[str, ...] = ()


@dataclass(frozen=True)
class FileReview:
    """What an editor and a reader say of a file.

    Args:
        edits: those whose passage stands in the file exactly once.
        calls: the answers, for their cost.
    """

    mark: float
    notes: tuple[str, ...]
    edits: tuple[Edit, ...]
    blocking: tuple[str, ...]
    calls: tuple[Completion, ...]


def with_review(report: Report, text: str, review: FileReview) -> Report:
    """Return the report of a text with what an editor and a reader say, and their score."""

    def at(
        place: int, rule: str, severity: Severity, reason: str, quotation: str = ""
    ) -> FileFinding:
        line, column = text.count("\n", 0, place) + 1, place - text.rfind("\n", 0, place)
        return FileFinding(line, column, Finding(rule, severity, "post", reason), quotation)

    found = [*report.findings]
    for edit in review.edits:
        place = find_once(text, edit.find)
        told = f"Write: {edit.replace}" if edit.replace else "Leave it out."
        reason = f"{edit.why}. {told}" if edit.why else told
        found.append(
            at(
                place[0] if place else 0,
                "editor",
                Severity.WARNING,
                reason,
                shortened(edit.find, _QUOTED_CHARS),
            )
        )
    found += [at(0, "editor", Severity.BLOCKER, each) for each in review.blocking]
    found += [at(0, "reader", Severity.WARNING, each) for each in review.notes]
    found.sort(key=lambda entry: (entry.line, entry.column))
    total = round(10 * review.mark)
    return replace(report, findings=tuple(found), score=total, editor=total)


def review_file(model: Model, file: Text, today: date, deadline: Deadline) -> FileReview:
    """Let a model edit and mark a text, in one call each.

    Raises:
        ModelUnavailable: the model cannot be reached, or no answer of it can be read.
        GenerationTimeout: it did not answer in time.
    """
    text, words = file.markdown, word_count(file.markdown)
    first = next((line.strip("# ") for line in text.splitlines() if line.strip("# ")), "")
    brief = Brief(
        keywords=file.about or (first[:_SUBJECT_CHARS] or "the text",),
        language=file.language,
        min_words=words // 2,
        max_words=words * 5 // 4,
        today=today,
    )
    calls: list[Completion] = []

    def ask(prompt: Prompt) -> str:
        answer = model.complete(prompt, deadline)
        calls.append(answer)
        if answer.refusal is not None or is_refusal(answer.text):
            raise UnreadableAnswer("the model declined")
        return answer.text

    for number in range(1, _TRIES + 1):
        try:
            answer: EditorAnswer = parse_edits(
                ask(edit_prompt(brief, (), [text], file.findings, number))
            )
            reading: Reading = parse_reading(ask(read_prompt(brief, (), text, (), number)), (), ())
        except UnreadableAnswer as unreadable:
            log.warning("an answer cannot be read: %s", unreadable)
            continue
        edits = tuple(edit for edit in answer.edits if find_once(text, edit.find) is not None)
        return FileReview(reading.mark, reading.notes, edits, answer.blocking, tuple(calls))
    raise ModelUnavailable(operator=_UNREADABLE)
