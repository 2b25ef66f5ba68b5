"""model pull, and the model that other commands work with."""

from collections.abc import Iterator
from contextlib import contextmanager

import click

from app.commands.output import fail
from app.settings import Settings


@click.group()
def model() -> None:
    """Manage the local model, which is used if no endpoint is configured."""


@model.command("pull")
def model_pull() -> None:
    """Download the weights (1.1 GB) into the cache, or continue a download."""
    from rich.console import Console

    from app.adapters import local_model, weights

    settings = Settings.load()
    local_model.check_runtime()
    path = weights.pull(settings.model_cache.expanduser(), console=Console(stderr=True))
    click.echo(f"the local model is ready: {path}")


@contextmanager
def model_endpoint(settings: Settings, *, required: bool = True) -> Iterator[Settings]:
    """Yield settings with a model endpoint: the configured one, or a local model that runs as long
    as the block.

    If there is neither, end the command, or yield the settings as they are.
    """
    from app.container import NO_MODEL, find_local_model, with_local_model

    if find_local_model(settings):
        click.echo("loading the local model ...", err=True)
    with with_local_model(settings) as chosen:
        if required and not chosen.has_endpoint and not chosen.is_local:
            fail(NO_MODEL)
        yield chosen  # without a model, the service logs that it has none
