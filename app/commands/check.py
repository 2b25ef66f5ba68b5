"""check: check a Markdown file, like a linter."""

import json
import sys
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any, BinaryIO, Final

import click
from pydantic import TypeAdapter, ValidationError

from app.commands.output import as_json, fail
from app.core.errors import ServiceError
from app.core.schemas.json_body import MAX_BODY_BYTES
from app.core.schemas.locales import Language
from app.deadline import Deadline
from app.rules.identify import foreign_language
from app.rules.markdown_file import Report, check_markdown
from app.services.file_editor import brief_of, review_file
from app.settings import Settings
from app.writing.brief import Brief
from app.writing.completion import Completion

_CANNOT_CHECK: Final = 2
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
    help="Have a model edit and mark the text as well: that of COPYDESK_EDITOR_MODEL, by default"
    " the one that writes. It costs two calls, which no cap or report counts.",
)
@as_json
def check(file: BinaryIO, keywords: Sequence[str], as_json: bool, **options: Any) -> None:
    """Check a Markdown file against the rules for posts. If FILE is -, read standard input.

    Prints one finding per line: FILE:LINE:COLUMN: SEVERITY RULE: what is wrong and what to do.
    Blockers come first. The number of findings and the score follow on stderr. With --editor, each
    edit that a model would make is a finding.

    \b
    Exit codes:
      0  no blockers; there may be warnings
      1  at least one blocker, or no text
      2  the file could not be checked: it cannot be read or has more than
         64 KiB, an option is wrong, or the editor did not answer
    """
    for keyword in keywords:
        if not any(character.isalnum() for character in keyword):
            raise click.BadParameter(f"“{keyword}” has no letter or digit", param_hint="--keyword")
    title, given = options["title"], options["language"]
    text, name = _read(file), file.name
    language = _language(given) if given else foreign_language(text, "en") or "en"
    report = check_markdown(text, language, keywords, title)
    calls: Sequence[Completion] = ()
    if options["edited"]:
        about = tuple(keywords) or ((title,) if title else ())
        report, calls = _review(
            name, text, brief_of(text, language, about, datetime.now(UTC).date()), report
        )
    if as_json:
        click.echo(json.dumps({"file": name, **report.to_wire()}, ensure_ascii=False))
    else:
        for entry in sorted(report.findings, key=lambda entry: not entry.finding.blocks):
            reason = " ".join(entry.finding.reason.split())
            said = f"{entry.finding.severity} {entry.finding.rule}: {reason}"
            click.echo(f"{name}:{entry.line}:{entry.column}: {said}")
        # stdout has nothing but findings, as that of any linter.
        click.echo(f"{name}: {_summary(report)}", err=True)
    if calls:
        click.echo(f"{name}: {_cost(report, calls)}", err=True)
    sys.exit(0 if report.passes else 1)


def _review(
    name: str, text: str, brief: Brief, report: Report
) -> tuple[Report, Sequence[Completion]]:
    """Return the report with what the configured editor says, and its answers, or end the
    command."""
    # Imported here, because most checks need no model.
    from app.container import pick_models

    settings = Settings.load()
    _, model = pick_models(settings)
    if model is None:
        fail(_NO_EDITOR, code=_CANNOT_CHECK)
    deadline = Deadline(settings.generation_timeout_seconds)
    try:
        return review_file(model, text, brief, report, deadline)
    except ServiceError as error:
        fail(f"{name} was not read: {error.operator}", code=_CANNOT_CHECK)


def _cost(report: Report, calls: Sequence[Completion]) -> str:
    tokens = sum(each.prompt_tokens for each in calls)
    written = sum(each.completion_tokens for each in calls)
    return (
        f"mark {(report.score or 0) / 10:g} of 10; {len(calls)} calls to the editor:"
        f" {tokens:,} tokens of input, {written:,} of output"
    )


def _summary(report: Report) -> str:
    if not report.words:
        return "There is no text to check, so it has no score."
    blockers = sum(entry.finding.blocks for entry in report.findings)
    counts = ((blockers, "blocker"), (len(report.findings) - blockers, "warning"))
    numbers = ", ".join(f"{count} {what}{'' if count == 1 else 's'}" for count, what in counts)
    return f"{numbers}; score {report.score}"


def _language(tag: str) -> str:
    try:
        return str(TypeAdapter(Language).validate_python(tag))
    except (ValidationError, KeyError):
        reason = f"“{tag}” is not a BCP 47 language code, such as en, de or pt-BR"
        raise click.BadParameter(reason, param_hint="--language") from None


def _read(file: BinaryIO) -> str:
    try:
        data = file.read(MAX_BODY_BYTES + 1)
    except OSError as error:
        fail(f"{file.name} cannot be read: {error.strerror}", code=_CANNOT_CHECK)
    if len(data) > MAX_BODY_BYTES:
        kibibytes = MAX_BODY_BYTES // 1024
        fail(
            f"{file.name} has more than {kibibytes} KiB, some 10,000 words. Check its parts one by"
            " one.",
            code=_CANNOT_CHECK,
        )
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        fail(
            f"{file.name} is not UTF-8: byte {error.start} (line {line}). Save it as UTF-8.",
            code=_CANNOT_CHECK,
        )
