"""init and settings."""

import sys
from collections.abc import Mapping
from dataclasses import asdict

import click

from app.commands.output import as_json, is_terminal, show
from app.settings import Settings, SettingsError, variable
from app.settings.file import change_file, with_file
from app.settings.shown import shown

# In this order: nothing is written without a model, and the rest can stay as it is.
_ASKED = ("openai_base_url", "openai_api_key", "model", "public_url", "database_url")


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
    click.echo("Enter keeps what is in brackets; - removes it.", err=True)
    listed = {each.name: each for each in shown(with_file(before))}
    for each in map(listed.__getitem__, _ASKED):

        def checked(answer: str, name: str = each.name, present: str = each.value) -> None:
            said = answer.strip()
            new = {} if said == present else {name: said if said != "-" else ""}
            try:
                with_file({**before, **changes, **new})
            except SettingsError as error:
                raise click.BadParameter(f"{error}.") from None
            changes.update(new)

        question = f"{each.name}: {each.meaning}".replace("`", "")
        hide = each.name.endswith("_key")
        click.prompt(question, each.value, hide_input=hide, value_proc=checked, err=True)
    return changes
