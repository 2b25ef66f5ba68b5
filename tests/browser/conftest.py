"""Chromium for the tests of this folder."""

from collections.abc import Iterator

import pytest

from tests.support.chromium import Browser
from tests.support.sites.programs import start_or_skip


@pytest.fixture(scope="session")
def chromium() -> Iterator[Browser]:
    """A running Chromium; without one the tests are skipped, but never in CI."""
    with start_or_skip(Browser) as browser:
        yield browser


@pytest.fixture
def browser(chromium: Browser) -> Browser:
    """The same, without cookies; its console has complained of nothing."""
    chromium.complaints.clear()
    chromium.clear_cookies()
    chromium.resize(1280)
    return chromium
