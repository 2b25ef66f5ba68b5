"""init and settings."""

import sys
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

import click

from app.commands.output import as_json, is_terminal, show
from app.settings import (
    DEFAULT_PUBLIC_URL,
    DEFAULT_REMOTE_MODEL,
    Settings,
    SettingsError,
    variable,
)
from app.settings.file import change_file, with_file
from app.settings.shown import shown


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
    with_file(before, f"{path}: ")
    changes = _ask(before) if is_terminal() and not given else dict(map(_assigned, given))
    change_file(changes)
    for name, (_, origin) in Settings.load().given.items():
        if name in changes and origin == "environment":
            click.echo(f"note: {variable(name)} is set and overrides {name}", err=True)
    click.echo(f"The settings are in {path}. Start the service with `copydesk-server run`.")


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
                with_file({**before, **changes, **new})
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
    values = {each.name: each.value for each in shown(with_file(before))}
    ask(
        "database_url",
        "Database: sqlite, or postgresql://user:password@host/name",
        values["database_url"] if before.get("database_url") else "sqlite",
        {"sqlite": {"database_url": ""}},
    )
    return changes
