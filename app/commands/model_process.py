"""The model that a command works with: a configured endpoint, or a local model of its own."""

from collections.abc import Iterator
from contextlib import contextmanager

import click
from pydantic import SecretStr

from app.commands.output import fail
from app.settings import Settings


@contextmanager
def model_endpoint(settings: Settings) -> Iterator[Settings]:
    """Settings that name a model that answers; a local one lives as long as the block.

    Ends the command with a sentence where there is neither endpoint nor weights.
    """
    if settings.has_endpoint or settings.local_model_url is not None:
        yield settings
        return
    from app.adapters import weights
    from app.adapters.local_model import LocalModel
    from app.core.errors import ModelUnavailable
    from app.wiring import NO_MODEL

    path = weights.find(settings.model_cache.expanduser())
    if path is None:
        fail(NO_MODEL)
    click.echo("loading the local model ...", err=True)
    try:
        local = LocalModel.start(path)
    except ModelUnavailable as error:
        fail(error.message)
    with local:
        yield settings.model_copy(
            update={
                "local_model_url": local.base_url,
                "local_model_key": SecretStr(local.api_key),
            }
        )
