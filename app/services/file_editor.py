"""The editor of a file: a model that reads it as it reads a post."""

import logging
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import date

from app.core.errors import ModelUnavailable
from app.deadline import Deadline
from app.ports import Model
from app.rules.finding import Finding, Severity
from app.rules.markdown_file import FileFinding, Report
from app.rules.words import shortened, word_count
from app.writing.brief import Brief
from app.writing.calls import Calls
from app.writing.completion import Completion
from app.writing.edits import EditorAnswer, UnreadableAnswer, find_once, parse_edits
from app.writing.prompts import edit_prompt, read_prompt
from app.writing.reader import parse_reading

log = logging.getLogger(__name__)

_SUBJECT_CHARS, _QUOTED_CHARS = 100, 200
_TRIES = 2
_UNREADABLE = "No answer of the editor could be read. Run the command again, or name another model."


def brief_of(text: str, language: str, about: Sequence[str], today: date) -> Brief:
    """Return what a text is taken to be about: its keywords or its title, or its first line."""
    first = next((line.strip("# ") for line in text.splitlines() if line.strip("# ")), "")
    words = word_count(text)
    return Brief(
        keywords=tuple(about) or (first[:_SUBJECT_CHARS] or "the text",),
        language=language,
        min_words=words // 2,
        max_words=words * 5 // 4,
        today=today,
    )


def review_file(
    model: Model, text: str, brief: Brief, report: Report, deadline: Deadline
) -> tuple[Report, Sequence[Completion]]:
    """Let a model edit and mark a text, in one call each. Return the report of the rules with its
    findings and its mark as the score, and the answers of the model, for their cost.

    An edit is a finding if its passage stands in the text exactly once.

    Raises:
        ModelUnavailable: the model cannot be reached, or no answer of it can be read.
        ProhibitedInput: it declined.
        GenerationTimeout: it did not answer in time.
    """
    told = tuple(entry.finding.reason for entry in report.findings)
    calls = Calls(deadline)
    for number in range(1, _TRIES + 1):
        try:
            edited = calls.ask(model, edit_prompt(brief, (), [text], told, number))
            answer = parse_edits(edited)
            read = calls.ask(model, read_prompt(brief, (), text, (), number))
            reading = parse_reading(read, (), ())
        except UnreadableAnswer as unreadable:
            log.warning("an answer cannot be read: %s", unreadable)
            continue
        found = [*report.findings, *_edits(text, answer)]
        found += [_at_the_top("editor", Severity.BLOCKER, each) for each in answer.blocking]
        found += [_at_the_top("reader", Severity.WARNING, each) for each in reading.notes]
        found.sort(key=lambda entry: (entry.line, entry.column))
        score = round(10 * reading.mark)
        return replace(report, findings=tuple(found), score=score, editor=score), calls.completions
    raise ModelUnavailable(operator=_UNREADABLE)


def _edits(text: str, answer: EditorAnswer) -> Iterator[FileFinding]:
    for edit in answer.edits:
        if (place := find_once(text, edit.find)) is None:
            continue
        remedy = f"Write: {edit.replace}" if edit.replace else "Leave it out."
        reason = f"{edit.why}. {remedy}" if edit.why else remedy
        start = place[0]
        line, column = text.count("\n", 0, start) + 1, start - text.rfind("\n", 0, start)
        finding = Finding("editor", Severity.WARNING, "post", reason)
        yield FileFinding(line, column, finding, shortened(edit.find, _QUOTED_CHARS))


def _at_the_top(rule: str, severity: Severity, reason: str) -> FileFinding:
    return FileFinding(1, 1, Finding(rule, severity, "post", reason), "")
