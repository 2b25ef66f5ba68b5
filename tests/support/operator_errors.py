"""Errors with a text for the operator and a shorter one for the caller."""

import re
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

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
