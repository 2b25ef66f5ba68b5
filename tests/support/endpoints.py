"""Models at endpoints of a test."""

from dataclasses import fields
from typing import Any

from app.adapters.openai_client import Connection, Endpoint
from app.adapters.openai_model import OpenAIModel

_OF_ENDPOINT = {each.name for each in fields(Endpoint)}


def model_at(
    base_url: str | None, api_key: str = "", name: str = "m", **options: Any
) -> OpenAIModel:
    """Return a model; the options are those of ``Endpoint`` and of ``OpenAIModel``."""
    given = {"timeout_seconds": 10} | options
    own = {key: given.pop(key) for key in set(given) - _OF_ENDPOINT}
    return OpenAIModel(Connection(Endpoint(base_url, api_key, **given)), name, **own)
