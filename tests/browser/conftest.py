"""Chromium for the tests of this folder."""

import pytest

from tests.support.sites.programs import program_or_skip


@pytest.fixture(scope="session", autouse=True)
def chromium() -> str:
    """The path of Chromium; without one the tests are skipped, but never in CI."""
    return program_or_skip("chromium")
