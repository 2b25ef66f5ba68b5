"""How much of the tests runs. Long series of kills and faults run in CI and with TESTS=all; those
that take minutes to show what a shorter one shows too run with TESTS=all alone."""

import os

import pytest

ALL = os.environ.get("TESTS") == "all"
EVERYTHING = "CI" in os.environ or ALL
LONG = pytest.mark.skipif(not EVERYTHING, reason="takes long; CI and TESTS=all run it")
LONGEST = pytest.mark.skipif(not ALL, reason="takes minutes; TESTS=all runs it")
