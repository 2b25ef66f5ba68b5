"""init and settings."""

import json
import os
import re
import sys
import tomllib
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

import click

from app.commands.output import as_json, fail, is_terminal, show
from app.settings import (
    DEFAULT_PUBLIC_URL,
    DEFAULT_REMOTE_MODEL,
    Settings,
    SettingsError,
    variable,
)
from app.settings.shown import shown, summary, template


@click.command()
@as_json
def settings(as_json: bool) -> None:
    """Show each setting with its value and its origin: default, file or environment.

    Prints no secrets, and URLs without passwords and queries.
    """
    found = Settings.load()
    if not as_json:
        click.echo(f"The file is {found.file()}.", err=True)
    show([asdict(each) for each in shown(found)], as_json)


@click.command()
@click.option(
    "--set",
    "given",
    metavar="NAME=VALUE",
    multiple=True,
    help="Set a value and ask nothing; repeatable. NAME= removes a value; NAME=- reads it from"
    " standard input, so that other users do not see it.",
)
def init(given: tuple[str, ...]) -> None:
    """Write the settings file: copydesk.toml in the data folder, readable only by you.

    Asks for the model, the public address and the database on a terminal. Values that are in the
    file stay unless you answer something else.
    """
    path = Settings.file()
    before = Settings.read(path)
    _valid(before, f"{path}: ")
    changes = _ask(before) if is_terminal() and not given else dict(map(_assigned, given))
    valid = _valid(before | changes)
    text = path.read_text("utf-8") if path.exists() else template()
    expected = dict(before)
    for name, value in changes.items():
        expected.pop(name, None)
        line = f'#{name} = ""'
        if value:
            # An amount of money is another number inside.
            inside = value if name == "spend_cap" else getattr(valid, name)
            line = f"{name} = {_toml(inside if isinstance(inside, bool | int | float) else value)}"
            expected |= tomllib.loads(line)
        if value or name in before:
            text = _edited(text, name, line)
    if _parsed(text) != expected:
        fail(f"{path} has a form that this command cannot change. Change it in an editor.")
    new = path.with_suffix(".new")
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        new.unlink(missing_ok=True)
        handle = os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(text)
        new.replace(path)
    except OSError as error:
        fail(f"{path} cannot be written: {error.strerror}.")
    for name, (_, origin) in Settings.load().given.items():
        if name in changes and origin == "environment":
            click.echo(f"note: {variable(name)} is set and overrides {name}", err=True)
    click.echo(f"The settings are in {path}. Start the service with `copydesk-server run`.")


def _valid(values: Mapping[str, object], where: str = "") -> Settings:
    """Return the settings with these values in the file, even those that are overridden."""
    return Settings.from_env(None, values, where, file_first=True)


def _assigned(text: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not equals:
        raise click.UsageError(f"--set {name}: write NAME=VALUE, such as workers=4.")
    return name, sys.stdin.readline().rstrip("\r\n") if value == "-" else value


def _ask(before: Mapping[str, object]) -> dict[str, str]:
    """Return the settings that the answers change. Each answer is checked at its question."""
    changes: dict[str, str] = {}

    def ask(
        name: str,
        question: str,
        default: object,
        words: Mapping[str, dict[str, str]] | None = None,
        **how: Any,
    ) -> str:
        def checked(answer: str) -> str:
            said = str(answer).strip()
            new = {} if said == default else (words or {}).get(said, {name: said})
            try:
                _valid({**before, **changes, **new})
            except SettingsError as error:
                raise click.BadParameter(f"{error}.") from None
            changes.update(new)
            return said

        how |= {"show_default": bool(default), "value_proc": checked}
        return str(click.prompt(question, default, err=True, **how))

    has_key = bool(before.get("openai_api_key"))
    model = ask(
        "openai_base_url",
        "Model: the URL of an OpenAI-compatible endpoint, openai or local",
        before.get("openai_base_url") or ("openai" if has_key else "local"),
        {
            "openai": {"openai_base_url": ""},
            "local": {"openai_base_url": "", "openai_api_key": ""},
        },
    )
    if model != "local":
        needed = model == "openai" and not has_key
        hint = " (Enter keeps the present one)" if has_key else " (Enter for none)"
        question = f"Key of the endpoint, which is not shown{'' if needed else hint}"
        ask("openai_api_key", question, None if needed else "", hide_input=True)
        ask("model", "Name of the model", before.get("model") or DEFAULT_REMOTE_MODEL)
    address = before.get("public_url") or DEFAULT_PUBLIC_URL
    ask("public_url", "Address under which sites reach the service", address)
    values = {each.name: each.value for each in shown(_valid(before))}
    ask(
        "database_url",
        "Database: sqlite, or postgresql://user:password@host/name",
        values["database_url"] if before.get("database_url") else "sqlite",
        {"sqlite": {"database_url": ""}},
    )
    return changes


def _edited(text: str, name: str, line: str) -> str:
    """Return the text of a file with another line for a setting."""
    for begin in ("[ \t]*", "#[ \t]*"):
        edited, number = re.subn(
            rf"^{begin}{name}[ \t]*=.*$", lambda _: line, text, count=1, flags=re.MULTILINE
        )
        if number:
            return edited
    return f"{text.rstrip()}\n\n# {summary(name)}\n{line}\n"


def _parsed(text: str) -> dict[str, object] | None:
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        return None


def _toml(value: str | float) -> str:
    # JSON texts, numbers and booleans are valid TOML, except for one character.
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
