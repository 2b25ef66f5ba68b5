"""Write docs/commands.md, from the commands, and docs/settings.md, from the settings.

    python tools/operator_pages.py

Names, types, bounds and defaults come from the code. What a setting means comes from the table in
docs/operations.md.
"""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, get_args

import click
from pydantic import SecretStr
from pydantic.fields import FieldInfo

from app.cli import main as copydesk_server
from app.settings import Settings

DOCS = Path(__file__).parents[1] / "docs"
_ROW = re.compile(r"^\| (`(?:COPYDESK|OPENAI)_[^|]*) \| ([^|]*) \| (.*) \|$", re.MULTILINE)
_NAME = re.compile(r"`([A-Z_]+)`")
_GENERATED = "This page is generated from the code by `make openapi`."
_KINDS = {int: "whole number", float: "number", bool: "on or off", Path: "folder"}


def commands() -> str:
    """Return the reference of copydesk-server as Markdown."""
    context = click.Context(copydesk_server, info_name="copydesk-server")
    parts = [
        "# Commands",
        _GENERATED,
        _paragraphs(copydesk_server.help or ""),
        "ACCOUNT, FEED and RULE are ids, or names if no other one has the same name. `--json`"
        " prints one JSON value. On a terminal, a command that cannot be undone asks first, unless"
        " you pass `--yes`.",
        "To complete commands in bash, run"
        ' `eval "$(_COPYDESK_SERVER_COMPLETE=bash_source copydesk-server)"`; `zsh_source` and'
        " `fish_source` are for zsh and fish.",
    ]
    for name in copydesk_server.list_commands(context):
        command = copydesk_server.get_command(context, name)
        assert command is not None  # noqa: S101 - it is listed
        parts += [f"## {name}", *_command(command, context)]
    return "\n\n".join(part.strip() for part in parts if part) + "\n"


def _command(command: click.Command, parent: click.Context) -> Iterator[str]:
    context = click.Context(command, info_name=command.name, parent=parent)
    yield _paragraphs(command.help or "")
    if isinstance(command, click.Group):
        for name, each in sorted(command.commands.items()):
            yield f"### {command.name} {name}"
            yield from _command(each, context)
        return
    usage = " ".join([context.command_path, *command.collect_usage_pieces(context)])
    yield f"```\n{usage}\n```"
    options = [
        record
        for each in command.params
        if isinstance(each, click.Option) and (record := each.get_help_record(context))
    ]
    if options:
        rows = "\n".join(f"| `{_cell(name)}` | {_cell(text)} |" for name, text in options)
        yield f"| option | meaning |\n|---|---|\n{rows}"


def _paragraphs(text: str) -> str:
    return "\n\n".join(" ".join(part.split()) for part in text.split("\n\n"))


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")


def settings() -> str:
    """Return the reference of the settings as Markdown."""
    meanings = _meanings()
    parts = [
        "# Settings",
        _GENERATED,
        "Settings are environment variables. An empty variable counts as not set. An invalid value"
        " or an unknown `COPYDESK_` variable stops the start with an error; `copydesk-server"
        " doctor` names it. [Operations](operations.md#settings) groups them by purpose.",
    ]
    for field in sorted(Settings.model_fields.values(), key=lambda field: str(field.alias)):
        name = str(field.alias)
        default, meaning = meanings[name]
        parts += [
            f"## {name}",
            meaning,
            f"Value: {_kind(field)}. Default: {default}.",
        ]
    return "\n\n".join(parts) + "\n"


def _meanings() -> dict[str, tuple[str, str]]:
    """Return the default and the meaning of each setting, as docs/operations.md has them."""
    rows = _ROW.findall((DOCS / "operations.md").read_text("utf-8"))
    return {
        name: (default, meaning.replace("](#", "](operations.md#"))
        for names, default, meaning in rows
        for name in _NAME.findall(names)
    }


def _kind(field: FieldInfo) -> str:
    """Return what values a setting takes, with its bounds."""
    choices = [each for each in get_args(field.annotation) if isinstance(each, str)]
    if choices:
        return ", ".join(f"`{choice}`" for choice in choices)
    kinds = [each for each in get_args(field.annotation) if each is not type(None)]
    kind: Any = kinds[0] if kinds else field.annotation
    words = "secret text" if kind is SecretStr else _KINDS.get(kind, "text")
    bounds = {type(each).__name__: each for each in field.metadata}
    limits = [
        f"{word} {getattr(bounds[name], name.lower()):,}"
        for name, word in (("Gt", "more than"), ("Ge", "at least"), ("Le", "at most"))
        if name in bounds
    ]
    return f"{words}, {', '.join(limits)}" if limits else words


if __name__ == "__main__":
    (DOCS / "commands.md").write_text(commands(), "utf-8")
    (DOCS / "settings.md").write_text(settings(), "utf-8")
