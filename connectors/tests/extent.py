"""How much of the tests runs. With TESTS=all, series of random items and runs are longer."""

import os
import time
from collections.abc import Iterator
from itertools import count

import pytest

ALL = os.environ.get("TESTS") == "all"
# The short form of a series of kills, and the whole of it.
STRIDES = pytest.mark.parametrize("stride", [9, pytest.param(1, marks=pytest.mark.long)])


def points(stride: int) -> Iterator[int]:
    """The numbers of the points at which to kill: every nth, from another one each day."""
    return count(1 + int(time.time()) // 86400 % stride, stride)
