"""check: check a Markdown file, like a linter."""

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from app.commands.output import as_json, fail

if TYPE_CHECKING:
    from app.core.checks import FileReport

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
    "--language", default="en", show_default=True, help="Language of the text, such as en or pt-BR."
)
@as_json
def check(file: str, keywords: Sequence[str], language: str, as_json: bool) -> None:
    """Check a Markdown file. If FILE is -, read standard input.

    Prints one finding per line: FILE:LINE:COLUMN: SEVERITY CHECK: what is wrong and what to do.
    Exit codes: 0 no blockers, 1 at least one blocker, 2 the file could not be checked.
    """
    # Imported here, so that other commands start without the checks.
    from app.core.checks import check_file

    language = _language(language)
    for keyword in keywords:
        if not any(character.isalnum() for character in keyword):
            raise click.BadParameter(f"“{keyword}” has no letter or digit", param_hint="--keyword")
    report = check_file(_read(file), language, keywords)
    name = "<stdin>" if file == "-" else file
    if as_json:
        click.echo(json.dumps(_to_json(name, report), ensure_ascii=False))
    else:
        for entry in report.findings:
            found = entry.finding
            click.echo(
                f"{name}:{entry.line}:{entry.column}: {found.severity} {found.check}:"
                f" {' '.join(found.reason.split())}"
            )
        # stdout has nothing but findings, as that of any linter.
        click.echo(f"{name}: score {report.score}", err=True)
    sys.exit(0 if report.passes else 1)


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


def _to_json(name: str, report: "FileReport") -> dict[str, Any]:
    return {
        "file": name,
        "passes": report.passes,
        "score": report.score.total,
        "scoreParts": report.score.parts,
        "words": report.words,
        "qualityVersion": report.quality_version,
        "findings": [
            {
                "line": entry.line,
                "column": entry.column,
                "severity": entry.finding.severity,
                "check": entry.finding.check,
                "reason": entry.finding.reason,
            }
            for entry in report.findings
        ],
        "skipped": list(report.skipped),
    }
