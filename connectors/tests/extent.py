"""How much of the tests runs. With TESTS=all, series of random items and runs are longer."""

import os
import time

import pytest

ALL = os.environ.get("TESTS") == "all"
_NTH, _PARTS = 19, 6
# The first point at which to kill, and the step to the next one. The short form of a series has
# every nth point, from another one each day; the whole of it is in parts for several processes.
POINTS = pytest.mark.parametrize(
    "points",
    [
        pytest.param((1 + int(time.time()) // 86400 % _NTH, _NTH), id="some"),
        *(
            pytest.param((first, _PARTS), id=f"part {first}", marks=pytest.mark.long)
            for first in range(1, _PARTS + 1)
        ),
    ],
)
