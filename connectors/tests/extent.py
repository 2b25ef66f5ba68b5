"""How much of the tests runs. Long series of kills and faults run in CI and with TESTS=all."""

import os

import pytest

ALL = os.environ.get("TESTS") == "all"
EVERYTHING = "CI" in os.environ or ALL
LONG = pytest.mark.skipif(not EVERYTHING, reason="takes long; CI and TESTS=all run it")
