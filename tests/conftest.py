"""What holds for all tests."""

import os

import pytest


def pytest_xdist_auto_num_workers(config: pytest.Config) -> int:
    """Two processes for each processor: half of the time a test waits for what it started."""
    return 2 * (os.cpu_count() or 1)
