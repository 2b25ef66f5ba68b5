"""How much of the tests runs. What takes long, such as series of kills that wait for leases to
lapse, runs in CI and by ``make test TESTS=all``; what takes an hour on real sites, by
``make test-sites TESTS=all`` alone."""

import os

import pytest

ALL = os.environ.get("TESTS") == "all"
EVERYTHING = ALL or "CI" in os.environ
LONG = pytest.mark.skipif(not EVERYTHING, reason="takes long; CI and TESTS=all run it")
