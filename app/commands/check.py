"""check: check a Markdown file, like a linter."""

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from app.commands.output import as_json, fail

if TYPE_CHECKING:
    from app.core.checks import FileFinding, FileReport

_CANNOT_CHECK = 2


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
@as_json
def check(
    file: str, keywords: Sequence[str], language: str | None, title: str, as_json: bool
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
         wrong, or the text is not in English and --language is missing
    """
    # Imported here, so that other commands start without the checks.
    from app.core.checks import check_file

    expected = _language(language or "en")
    for keyword in keywords:
        if not any(character.isalnum() for character in keyword):
            raise click.BadParameter(f"“{keyword}” has no letter or digit", param_hint="--keyword")
    text, name = _read(file), "<stdin>" if file == "-" else file
    if language is None:
        _expect_language(text, expected, name)
    report = check_file(text, expected, keywords, title)
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
    sys.exit(0 if report.passes else 1)


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
