"""copydesk-server check: the desk on any Markdown file, as a linter."""

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import click

from app.commands.output import as_json

if TYPE_CHECKING:
    from app.core.quality.file_check import FileReport

_CANNOT_CHECK = 2


@click.command()
@click.argument("file")
@click.option(
    "--keyword", "keywords", multiple=True, help="Has to be used; the first in the title."
)
@click.option("--language", default="en", show_default=True, help="Of the text, as en or pt-BR.")
@as_json
def check(file: str, keywords: Sequence[str], language: str, as_json: bool) -> None:
    """Run the copy desk on a Markdown FILE, or on standard input with -.

    Prints one finding a line: FILE:LINE:COLUMN: severity check: reason. The exit code is 0 without
    blockers, 1 with some, 2 where nothing could be checked.
    """
    # Imported here: no other command waits for the desk.
    from app.core.quality.file_check import check_file

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
    sys.exit(0 if report.passes else 1)


def _language(tag: str) -> str:
    from pydantic import TypeAdapter, ValidationError

    from app.core.locales import Language

    try:
        return str(TypeAdapter(Language).validate_python(tag))
    except (ValidationError, KeyError):
        reason = f"“{tag}” is not a BCP 47 language code, such as en, de or pt-BR"
        raise click.BadParameter(reason, param_hint="--language") from None


def _read(file: str) -> str:
    try:
        data = sys.stdin.buffer.read() if file == "-" else Path(file).read_bytes()
    except OSError as error:
        _refuse(file, f"cannot be read: {error.strerror}")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        _refuse(file, f"is not UTF-8: byte {error.start} (line {line}). Save it as UTF-8.")


def _refuse(file: str, why: str) -> NoReturn:
    click.echo(f"copydesk-server: {file} {why}", err=True)
    sys.exit(_CANNOT_CHECK)


def _to_json(name: str, report: "FileReport") -> dict[str, Any]:
    return {
        "file": name,
        "passes": report.passes,
        "score": report.score,
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
