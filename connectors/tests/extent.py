"""How much of the tests runs. Long tests run in CI and with TESTS=all; with the latter, series of
random items and runs are ten times as long."""

import os

import pytest

ALL = os.environ.get("TESTS") == "all"
LONG = pytest.mark.skipif(
    not ALL and "CI" not in os.environ, reason="takes long; CI and TESTS=all run it"
)
