"""Clocks that jump: a small library between a process and the time of its machine.

libfaketime is not used: with it, the sleeps of Python 3.11 fail, or monotonic time jumps as well.
"""

import subprocess
from collections.abc import Mapping
from pathlib import Path

from tests.support.sites.programs import program

SOURCE = Path(__file__).with_name("false_clock.c")


def build_library(folder: Path) -> Path:
    """Return the library, compiled into a folder.

    Raises:
        NotInstalled: there is no compiler.
    """
    library = folder / "false_clock.so"
    command = [program("cc"), "-shared", "-fPIC", "-O2", "-o", str(library), str(SOURCE)]
    subprocess.run(command, check=True)
    return library


class FalseClock:
    """The clock of the processes that are started with ``settings``. It is right until it jumps.

    Only the time of day jumps: time-outs and pauses are measured by another clock, as in a machine
    whose time somebody sets.
    """

    def __init__(self, file: Path, library: Path) -> None:
        self._file = file
        self._file.write_bytes(bytes(8))
        self.settings: Mapping[str, str] = {"LD_PRELOAD": str(library), "FALSE_CLOCK": str(file)}

    def jump(self, seconds: int) -> None:
        """Be this number of seconds fast from now on, or slow if it is negative."""
        with self._file.open("r+b", buffering=0) as file:
            file.write(seconds.to_bytes(8, "little", signed=True))
