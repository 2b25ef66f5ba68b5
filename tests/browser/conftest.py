"""Chromium for the tests of this folder."""

import os

import pytest

from tests.support.sites.programs import NotInstalled, program


@pytest.fixture(scope="session", autouse=True)
def chromium() -> str:
    """The path of Chromium; without one the tests are skipped, but never in CI."""
    try:
        return program("chromium")
    except NotInstalled as error:
        if os.environ.get("CI") == "true":
            raise
        pytest.skip(str(error))
