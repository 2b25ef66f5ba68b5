"""check: check a Markdown file, like a linter."""

import json
import sys
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import BinaryIO

import click

from app.commands.output import as_json, fail, refused_values
from app.core.errors import ServiceError
from app.core.schemas.check import CheckRequest
from app.core.schemas.json_body import MAX_BODY_BYTES
from app.core.schemas.request import parse
from app.core.schemas.times import counted
from app.deadline import Deadline
from app.rules.markdown_file import Report, check_markdown
from app.settings import Settings

_NO_EDITOR = (
    "There is no editor: set OPENAI_API_KEY or OPENAI_BASE_URL to an endpoint with a large model,"
    " and do not set COPYDESK_EDITOR_MODEL to off. The local model finds no real faults."
)


@click.command()
@click.argument("file", type=click.File("rb"))
@click.option(
    "--keyword",
    "keywords",
    multiple=True,
    help="A keyword the text must use; repeatable.",
)
@click.option(
    "--language", help="Language of the text, such as de or pt-BR; recognized if you omit it."
)
@click.option("--title", default="", help="Title of the text, if FILE does not contain it.")
@click.option(
    "--editor",
    "edited",
    is_flag=True,
    help="Have a model edit the text as well: that of COPYDESK_EDITOR_MODEL, by default the one"
    " that writes. It costs a call, which no cap or report counts.",
)
@as_json
def check(
    file: BinaryIO,
    keywords: Sequence[str],
    language: str | None,
    title: str,
    edited: bool,
    as_json: bool,
) -> None:
    """Check a Markdown file against the rules for posts. If FILE is -, read standard input.

    Prints one finding per line: FILE:LINE:COLUMN: SEVERITY RULE: what is wrong and what to do.
    Blockers come first. The number of findings and the score follow on stderr. With --editor, each
    edit that a model would make is a finding; the score stays that of the rules.

    \b
    Exit codes:
      0  no blockers; there may be warnings
      1  at least one blocker, or no text
      2  the file could not be checked: it cannot be read or has more than
         64 KiB, an option is wrong, or the editor did not answer
    """
    name, members = file.name, {"language": language, "title": title, "keywords": list(keywords)}
    with refused_values():
        request = parse(CheckRequest, {"text": _read(file), **members})
    report = check_markdown(request)
    if edited:
        report = _edited(report, request, name)
    if as_json:
        click.echo(json.dumps({"file": name, **report.to_wire()}, ensure_ascii=False))
    else:
        for entry in sorted(report.findings, key=lambda entry: not entry.finding.blocks):
            reason = " ".join(entry.finding.reason.split())
            said = f"{entry.finding.severity} {entry.finding.rule}: {reason}"
            click.echo(f"{name}:{entry.line}:{entry.column}: {said}")
        # stdout has nothing but findings, as that of any linter.
        click.echo(f"{name}: {_summary(report)}", err=True)
    sys.exit(0 if report.passes else 1)


def _edited(report: Report, request: CheckRequest, name: str) -> Report:
    # Imported here, because most checks need no model.
    from app.container import pick_models
    from app.services.text_check import with_edits

    settings = Settings.load()
    _, model = pick_models(settings)
    if model is None:
        fail(_NO_EDITOR, code=2)
    deadline = Deadline(settings.generation_timeout_seconds)
    try:
        return with_edits(report, request, model, deadline, datetime.now(UTC).date())
    except ServiceError as error:
        fail(f"{name} was not edited: {error.operator}", code=2)


def _summary(report: Report) -> str:
    if not report.words:
        return "There is no text to check, so it has no score."
    blockers = sum(entry.finding.blocks for entry in report.findings)
    warnings = counted(len(report.findings) - blockers, "warning")
    return f"{counted(blockers, 'blocker')}, {warnings}; score {report.score}"


def _read(file: BinaryIO) -> str:
    try:
        data = file.read(MAX_BODY_BYTES + 1)
    except OSError as error:
        fail(f"{file.name} cannot be read: {error.strerror}", code=2)
    if len(data) > MAX_BODY_BYTES:
        problem = "has more than 64 KiB, some 10,000 words. Check its parts one by one."
        fail(f"{file.name} {problem}", code=2)
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        problem = f"is not UTF-8: byte {error.start} (line {line}). Save it as UTF-8."
        fail(f"{file.name} {problem}", code=2)
