"""check: check a Markdown file, like a linter."""

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from app.commands.output import as_json, fail, settings_or_exit

if TYPE_CHECKING:
    from app.core.checks import FileFinding, FileReport
    from app.core.writing.completion import Completion
    from app.services.file_editor import FileEditor

_CANNOT_CHECK = 2
_NO_EDITOR = (
    "There is no editor: set OPENAI_API_KEY or OPENAI_BASE_URL to an endpoint with a large model,"
    " and do not set COPYDESK_EDITOR_MODEL to off. The local model finds no real faults."
)


@click.command()
@click.argument("file")
@click.option(
    "--keyword",
    "keywords",
    multiple=True,
    help="A keyword the text must use; repeatable. The title should use the first one.",
)
@click.option(
    "--language", help="Language of the text, such as de or pt-BR; English if you omit it."
)
@click.option("--title", default="", help="Title of the text, if FILE does not contain it.")
@click.option(
    "--editor",
    "edited",
    is_flag=True,
    help="Have a model read the text as well: that of COPYDESK_EDITOR_MODEL, by default the one"
    " that writes. It finds much more than the checks, and costs one call, which no cap or report"
    " counts.",
)
@as_json
def check(
    file: str,
    keywords: Sequence[str],
    language: str | None,
    title: str,
    *,
    edited: bool,
    as_json: bool,
) -> None:
    """Check a Markdown file. If FILE is -, read standard input.

    Prints one finding per line: FILE:LINE:COLUMN: SEVERITY CHECK: what is wrong and what to do.
    Blockers come first, and findings of one check stand together. The number of findings and the
    score follow on stderr.

    \b
    Exit codes:
      0  no blockers; there may be warnings
      1  at least one blocker, or no text
      2  the file could not be checked: it cannot be read, an option is
         wrong, the text is not in English and --language is missing, or
         the editor did not answer
    """
    # Imported here, so that other commands start without the checks.
    from app.core.checks import check_file
    from app.core.errors import ServiceError

    expected = _language(language or "en")
    for keyword in keywords:
        if not any(character.isalnum() for character in keyword):
            raise click.BadParameter(f"“{keyword}” has no letter or digit", param_hint="--keyword")
    text, name = _read(file), "<stdin>" if file == "-" else file
    if language is None:
        _expect_language(text, expected, name)
    about = keywords or ([title] if title else [])
    editor = _editor(text, expected, about, name) if edited else None
    try:
        report = check_file(text, expected, keywords, title, editor)
    except ServiceError as error:
        fail(f"{name} was not read: {error.operator}", code=_CANNOT_CHECK)
    if as_json:
        click.echo(json.dumps({"file": name, **report.to_wire()}, ensure_ascii=False))
    else:
        for entry in _grouped(report.findings):
            found = entry.finding
            click.echo(
                f"{name}:{entry.line}:{entry.column}: {found.severity} {found.check}:"
                f" {' '.join(found.reason.split())}"
            )
        # stdout has nothing but findings, as that of any linter.
        click.echo(f"{name}: {_summary(report)}", err=True)
    if editor:
        click.echo(f"{name}: {_cost(editor.calls)}", err=True)
    sys.exit(0 if report.passes else 1)


def _editor(text: str, language: str, about: Sequence[str], name: str) -> "FileEditor":
    """Return the configured editor, or end the command."""
    from app.container import pick_editor, pick_model
    from app.deadline import Deadline
    from app.services.file_editor import MAX_CHARS, FileEditor

    settings = settings_or_exit()
    model = pick_editor(settings, lambda: pick_model(settings))
    if model is None:
        fail(_NO_EDITOR, code=_CANNOT_CHECK)
    if len(text) > MAX_CHARS:
        fail(
            f"{name} has {len(text):,} characters, and an editor reads at most {MAX_CHARS:,}."
            " Check its parts one by one, or leave out --editor.",
            code=_CANNOT_CHECK,
        )
    return FileEditor(model, Deadline(settings.generation_timeout_seconds), language, about)


def _cost(calls: "Sequence[Completion]") -> str:
    tokens = sum(each.prompt_tokens for each in calls)
    written = sum(each.completion_tokens for each in calls)
    times = "1 call" if len(calls) == 1 else f"{len(calls)} calls"
    return f"{times} to the editor: {tokens:,} tokens of input, {written:,} of output"


def _expect_language(text: str, expected: str, name: str) -> None:
    """End the command if the text is certainly in another language."""
    from app.core.checks import other_language

    found = other_language(text, expected)
    if found:
        from babel import Locale

        fail(
            f"{name}: This looks like {Locale.parse(found).english_name}:"
            f" run with --language {found}",
            code=_CANNOT_CHECK,
        )


def _grouped(findings: "Sequence[FileFinding]") -> "list[FileFinding]":
    """Return the blockers, then the warnings, those of each check together; the checks in the order
    of their first lines."""
    checks = list(dict.fromkeys(entry.finding.check for entry in findings))
    return sorted(
        findings,
        key=lambda entry: (not entry.finding.blocks, checks.index(entry.finding.check)),
    )


def _summary(report: "FileReport") -> str:
    if not report.words:
        return "There is no text to check, so it has no score."
    blockers = sum(entry.finding.blocks for entry in report.findings)
    counts = ((blockers, "blocker"), (len(report.findings) - blockers, "warning"))
    numbers = ", ".join(f"{count} {what}{'' if count == 1 else 's'}" for count, what in counts)
    return f"{numbers}; score {report.score}"


def _language(tag: str) -> str:
    from pydantic import TypeAdapter, ValidationError

    from app.core.schemas.locales import Language

    try:
        return str(TypeAdapter(Language).validate_python(tag))
    except (ValidationError, KeyError):
        reason = f"“{tag}” is not a BCP 47 language code, such as en, de or pt-BR"
        raise click.BadParameter(reason, param_hint="--language") from None


def _read(file: str) -> str:
    try:
        data = sys.stdin.buffer.read() if file == "-" else Path(file).read_bytes()
    except OSError as error:
        fail(f"{file} cannot be read: {error.strerror}", code=_CANNOT_CHECK)
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        fail(
            f"{file} is not UTF-8: byte {error.start} (line {line}). Save it as UTF-8.",
            code=_CANNOT_CHECK,
        )
