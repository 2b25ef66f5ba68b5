"""The pytest plug-in of the package copydesk-connectors: a fixture, and nothing else.

It is no module of the package, so that pytest does not import the package in projects whose tests
do not use it.
"""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from copydesk_connectors.suite import FaultProxy


@pytest.fixture
def copydesk_fault_proxy() -> "Iterator[Callable[[str], FaultProxy]]":
    """Puts a ``FaultProxy`` in front of a server at http://host:port, until the test ends."""
    from copydesk_connectors.suite import FaultProxy

    with ExitStack() as proxies:
        yield lambda upstream: proxies.enter_context(FaultProxy(upstream))
