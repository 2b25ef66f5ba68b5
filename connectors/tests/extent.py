"""How much of the tests runs. Long series of kills and faults run in CI and with TESTS=all."""

import os

import pytest

EVERYTHING = "CI" in os.environ or os.environ.get("TESTS") == "all"
LONG = pytest.mark.skipif(not EVERYTHING, reason="takes long; CI and TESTS=all run it")
