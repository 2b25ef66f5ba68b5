"""check: check a Markdown file, like a linter."""

import json
import sys
from collections.abc import Sequence
from typing import BinaryIO

import click

from app.commands.output import as_json, fail, refused_values
from app.core.schemas.bodies import parse
from app.core.schemas.check import CheckRequest
from app.core.schemas.json_body import MAX_BODY_BYTES
from app.core.schemas.times import counted
from app.rules.markdown_file import Report, check_markdown


@click.command()
@click.argument("file", type=click.File("rb"))
@click.option(
    "--keyword", "keywords", multiple=True, help="A keyword the text must use; repeatable."
)
@click.option(
    "--language", help="Language of the text, such as de or pt-BR; recognized if you omit it."
)
@click.option("--title", default="", help="Title of the text, if FILE does not contain it.")
@as_json
def check(
    file: BinaryIO, keywords: Sequence[str], language: str | None, title: str, as_json: bool
) -> None:
    """Check a Markdown file against the rules for posts. If FILE is -, read standard input.

    Prints one finding per line: FILE:LINE:COLUMN: SEVERITY RULE: what is wrong and what to do.
    Blockers come first. The number of findings and the score follow on stderr.

    \b
    Exit codes:
      0  no blockers; there may be warnings
      1  at least one blocker, or no text
      2  the file could not be checked: it cannot be read or has more than
         64 KiB, or an option is wrong
    """
    name, members = file.name, {"language": language, "title": title, "keywords": list(keywords)}
    with refused_values():
        report = check_markdown(parse(CheckRequest, {"text": _read(file), **members}))
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
