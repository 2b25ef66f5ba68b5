"""health."""

import click

from app.commands.output import fail
from app.heartbeat import trouble
from app.settings import Settings


@click.command()
def health() -> None:
    """Exit with 1 if the worker or scheduler that runs here makes no progress.

    It needs COPYDESK_HEARTBEAT_FILE, with the same value as the worker or scheduler. A web server
    answers /healthz instead.
    """
    file = Settings.load().heartbeat_file
    if file is None:
        fail("COPYDESK_HEARTBEAT_FILE is not set.", code=2)
    if found := trouble(file):
        fail(found)
    click.echo("ok")
