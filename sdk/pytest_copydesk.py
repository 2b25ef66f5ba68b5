"""The pytest plug-in of the package copydesk: fixtures, and nothing else.

It is no module of the package, so that pytest does not import the package, which takes 0.2 s, in
projects whose tests do not use it.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from copydesk.testing import FakeService


@pytest.fixture
def copydesk_service() -> "FakeService":
    """A fake Copydesk service, new for each test."""
    from copydesk.testing import FakeService

    return FakeService()


@pytest.fixture
def copydesk_url(copydesk_service: "FakeService") -> Iterator[str]:
    """The URL of ``copydesk_service`` as a server on loopback, for code in other processes."""
    from copydesk.testing import serve

    with serve(copydesk_service) as url:
        yield url
