"""Write docs/reference.md, from the OpenAPI document, docs/commands.md, from the commands, and
docs/settings.md and docker/.env.example, from the settings.

    python tools/pages.py
"""

import re
import textwrap
from collections.abc import Iterator
from pathlib import Path
from typing import Any, get_args

import click
from pydantic import SecretStr
from pydantic.fields import FieldInfo

from app.cli import main as copydesk_server
from app.core.billing.costs import Micros
from app.settings import INTERNAL, Settings, variable
from app.settings.shown import default_of, meanings, summary
from tools.api.reference import reference

BASE_URL = "http://127.0.0.1:8000"
DOCS = Path(__file__).parents[1] / "docs"
_DEFAULT = re.compile(r" Default: (.*)\.$")
_GENERATED = "This page is generated from the code by `make openapi`."
_KINDS = {
    int: "whole number",
    float: "number",
    bool: "on or off",
    Path: "folder",
    Micros: "US dollars",
}


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
        assert command is not None
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
    parts = [
        "# Settings",
        _GENERATED,
        "Settings are in `copydesk.toml` in the data folder, which is `var` unless"
        " `COPYDESK_DATA_DIR` names another. `copydesk-server init` and the console write the"
        " file, and you can edit it. An environment variable overrides the value in the file.",
        '```toml\nopenai_base_url = "https://llm.example.com/v1"\nopenai_api_key = "…"\n'
        'workers = 4\nwebhook_allow_private = false\nsource_feeds = ["https://example.com/feed"]'
        "\n```",
        "Every command reads the settings when it starts. An empty value or variable counts as not"
        " set. An invalid value, an unknown name in the file or an unknown `COPYDESK_` variable"
        " stops the start with an error; `copydesk-server doctor` names it. `copydesk-server"
        " settings` shows each value and where it comes from, without secrets.",
        "If the file contains a secret setting, the start stops if every user of the machine can"
        " read it. A secret setting can also come from a file of its own: the variable `NAME_FILE`"
        " names the file that contains the value of `NAME`, for example"
        " `OPENAI_API_KEY_FILE=/run/secrets/openai_api_key`. The start stops if that file is"
        " missing or empty, if every user of the machine can read it, or if `NAME` is set as well.",
    ]
    secrets = Settings.secret_names()
    for name, field in Settings.model_fields.items():
        if name in INTERNAL:
            continue
        text = meanings()[name]
        found = _DEFAULT.search(text)
        value = _kind(field) + (f". In the file: `{name}`" if name in Settings.in_file() else "")
        parts += [
            f"## {variable(name)}",
            text[: found.start()] if found else text,
            f"Value: {value}. Default: {_default(name)}."
            + (
                f" `{variable(name)}_FILE` names a file with it."
                if variable(name) in secrets
                else ""
            ),
        ]
    return "\n\n".join(parts) + "\n"


def _default(name: str) -> str:
    """Return the default of a setting: as its description says, otherwise its value."""
    if found := _DEFAULT.search(meanings()[name]):
        return found[1]
    default = default_of(name)
    is_text = isinstance(Settings.model_fields[name].default, str | Path)
    return f"`{default}`" if is_text else default or "none"


_ENV_EXAMPLE = """\
# The settings of the containers. setup.sh copies this to .env, which only its owner can read.
# Generated by `make openapi`; docs/settings.md says more. Remove a # to set one.
# The secrets that setup.sh creates are in secrets/; further ones, such as COPYDESK_BRAVE_API_KEY,
# can be added here.

# Of compose.yaml: the tag of the images, the host name for the profile tls, and the days for which
# backups are kept.
#IMAGE_TAG=
#SITE_ADDRESS=
#KEEP_DAYS=14
"""
# Set by compose.yaml.
_NOT_IN_ENV = {"backup_dir", "data_dir", "heartbeat_file"}


def env_example() -> str:
    """Return the file of settings for containers: every setting that is not secret."""
    parts = [_ENV_EXAMPLE]
    for name in Settings.model_fields:
        if name in INTERNAL | _NOT_IN_ENV or variable(name) in Settings.secret_names():
            continue
        note = textwrap.fill(
            f"{summary(name)} Default: {_default(name)}.".replace("`", ""),
            width=100,
            initial_indent="# ",
            subsequent_indent="# ",
        )
        parts.append(f"{note}\n#{variable(name)}=\n")
    return "\n".join(parts)


def _kind(field: FieldInfo) -> str:
    """Return what values a setting takes, with its bounds."""
    choices = [each for each in get_args(field.annotation) if isinstance(each, str)]
    if choices:
        return ", ".join(f"`{choice}`" for choice in choices)
    kinds = [each for each in get_args(field.annotation) if each is not type(None)]
    kind: Any = kinds[0] if kinds else field.annotation
    kind = getattr(kind, "__origin__", kind)  # without its validators
    words = "secret text" if kind is SecretStr else _KINDS.get(kind, "text")
    bounds = {type(each).__name__: each for each in field.metadata}
    limits = [
        f"{word} {getattr(bounds[name], name.lower()):,}"
        for name, word in (("Gt", "more than"), ("Ge", "at least"), ("Le", "at most"))
        if name in bounds
    ]
    return f"{words}, {', '.join(limits)}" if limits else words


if __name__ == "__main__":
    (DOCS / "reference.md").write_text(reference(BASE_URL), "utf-8")
    (DOCS / "commands.md").write_text(commands(), "utf-8")
    (DOCS / "settings.md").write_text(settings(), "utf-8")
    (DOCS.parent / "docker" / ".env.example").write_text(env_example(), "utf-8")
