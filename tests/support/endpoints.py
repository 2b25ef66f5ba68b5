"""Models at endpoints of a test, and errors with a text for the operator and a shorter one for the
caller."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from inspect import signature
from typing import Any

import pytest

from app.adapters.openai_client import Connection
from app.adapters.openai_model import OpenAIModel
from app.core.errors import ServiceError


@contextmanager
def operator_told(
    kind: type[ServiceError], pattern: str
) -> Iterator[pytest.ExceptionInfo[ServiceError]]:
    """Expect an error whose operator's text fits the pattern, and whose message names no address
    and no setting."""
    with pytest.raises(kind) as caught:
        yield caught
    assert re.search(pattern, caught.value.operator), caught.value.operator
    assert not re.search(r"://|127\.0\.0\.1|[A-Z]+_[A-Z]+", caught.value.message)


_OF_CONNECTION = signature(Connection).parameters.keys()


def model_at(
    base_url: str | None, api_key: str = "", name: str = "m", **options: Any
) -> OpenAIModel:
    """Return a model; the options are those of ``Connection`` and of ``OpenAIModel``."""
    given = {"timeout_seconds": 10} | options
    own = {key: given.pop(key) for key in set(given) - _OF_CONNECTION}
    return OpenAIModel(Connection(base_url, api_key, **given), name, **own)
