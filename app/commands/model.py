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
    if settings.has_endpoint or settings.local_model_url is not None:
        yield settings
        return
    from pydantic import SecretStr

    from app.adapters import local_model
    from app.container import NO_MODEL

    path = local_model.find(settings.model_cache.expanduser())
    if path is None:
        if required:
            fail(NO_MODEL)
        yield settings  # the service logs that it has no model
        return
    click.echo("loading the local model ...", err=True)
    with local_model.local_model(path) as local:
        key = SecretStr(local.api_key)
        yield settings.model_copy(
            update={"local_model_url": local.base_url, "local_model_key": key}
        )
