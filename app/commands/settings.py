"""init and settings."""

from dataclasses import asdict

import click

from app.commands.output import as_json, settings_or_exit, show


@click.command()
@as_json
def settings(as_json: bool) -> None:
    """Show each setting with its value and its origin: default, file or environment.

    Prints no secrets, and URLs without passwords and queries.
    """
    from app.settings.shown import shown

    found = settings_or_exit()
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
    from app.commands.settings_file import change

    change(given)
