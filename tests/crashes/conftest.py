"""What every test of crashes and restarts starts in."""

from collections.abc import Iterator

import pytest

from tests.support.process_group import ProcessGroup


@pytest.fixture
def group() -> Iterator[ProcessGroup]:
    with ProcessGroup() as running:
        yield running
