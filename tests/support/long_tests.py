"""Marks for slow tests. They run in CI and with ``make test TESTS=all``; tests that take an hour on
real sites run only with ``make test-sites TESTS=all``."""

import os

import pytest

ALL = os.environ.get("TESTS") == "all"
EVERYTHING = ALL or "CI" in os.environ
LONG = pytest.mark.skipif(not EVERYTHING, reason="takes long; CI and TESTS=all run it")
