"""model pull: fetch the local model's weights."""

import click
from rich.console import Console

from app.commands.output import fail, settings_or_exit


@click.group()
def model() -> None:
    """The local model, for use without an endpoint."""


@model.command("pull")
def model_pull() -> None:
    """Fetch the weights (1.1 GB) into the cache; goes on where it was interrupted."""
    from app.adapters import local_model, weights
    from app.core.errors import ModelUnavailable

    settings = settings_or_exit()
    try:
        local_model.check_runtime()
    except ModelUnavailable as error:
        fail(error.message)
    try:
        path = weights.pull(settings.model_cache.expanduser(), console=Console(stderr=True))
    except weights.WeightsUnavailable as error:
        fail(str(error))
    click.echo(f"the local model is ready: {path}")
