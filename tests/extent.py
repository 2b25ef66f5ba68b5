"""How much of the tests runs. What takes long, such as series of kills that wait for leases to
lapse, runs in CI and by ``make test TESTS=all``."""

import os

import pytest

EVERYTHING = "CI" in os.environ or os.environ.get("TESTS") == "all"
LONG = pytest.mark.skipif(not EVERYTHING, reason="takes long; CI and TESTS=all run it")
