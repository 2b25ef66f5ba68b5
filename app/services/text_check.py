"""The rules on a text: POST /v1/check, without a model; and `check --editor`, with one."""

from collections.abc import Mapping
from dataclasses import replace
from datetime import date
from typing import Any

from app.core.errors import ModelUnavailable
from app.core.schemas.check import CheckRequest
from app.deadline import Deadline
from app.ports import Model
from app.rules.finding import Finding, Severity
from app.rules.markdown_file import FileFinding, Report, check_markdown
from app.rules.words import shortened
from app.services import usage
from app.services.context import Context
from app.store.accounts import Caller
from app.store.database import writing
from app.writing.brief import Brief
from app.writing.calls import Calls
from app.writing.edits import UnreadableAnswer, find_once, parse_edits
from app.writing.prompts import edit_prompt

MAX_FINDINGS = 500
_SUBJECT_CHARS, _QUOTED_CHARS = 100, 200


def check_text(context: Context, caller: Caller, request: CheckRequest) -> Mapping[str, Any]:
    """Return the JSON object of the answer. It counts as a request, and bills no words.

    Raises:
        RateLimited, QuotaExceeded: nothing was checked.
    """
    usage.admit(context, caller)
    with writing() as session:
        usage.count_request(session, caller, context.clock.now())
    return check_markdown(request).to_wire(MAX_FINDINGS)


def with_edits(
    report: Report, request: CheckRequest, model: Model, deadline: Deadline, today: date
) -> Report:
    """Return the report with a finding for each edit that a model would make: one call, which
    nothing counts. An edit is a finding if its passage stands in the text exactly once.

    Raises:
        ModelUnavailable: the model cannot be reached, or its answer cannot be read.
        ProhibitedInput: it declined.
        GenerationTimeout: it did not answer in time.
    """
    text, words = request.text, report.words
    first = next(filter(None, (line.strip("# ") for line in text.splitlines())), "the text")
    about = request.keywords or (request.title or first[:_SUBJECT_CHARS],)
    brief = Brief(about, report.language, words // 2, words * 5 // 4, today)
    told = [entry.finding.reason for entry in report.findings]
    try:
        answer = parse_edits(Calls(deadline).ask(model, edit_prompt(brief, (), [text], told, 1)))
    except UnreadableAnswer as unreadable:
        raise ModelUnavailable(
            operator=f"The editor's answer is of no use: {unreadable}."
        ) from None
    blocking = (Finding("editor", Severity.BLOCKER, "post", reason) for reason in answer.blocking)
    found = [*report.findings, *(FileFinding(1, 1, each) for each in blocking)]
    for edit in answer.edits:
        if (place := find_once(text, edit.find)) is None:
            continue
        remedy = f"Write: {edit.replace}" if edit.replace else "Leave it out."
        reason = f"{edit.why}. {remedy}" if edit.why else remedy
        line, column = text.count("\n", 0, place[0]) + 1, place[0] - text.rfind("\n", 0, place[0])
        finding = Finding("editor", Severity.WARNING, "post", reason)
        found.append(FileFinding(line, column, finding, shortened(edit.find, _QUOTED_CHARS)))
    found.sort(key=lambda entry: (entry.line, entry.column))
    return replace(report, findings=tuple(found))
