"""Background processes and their folder, removed when the test ends, even if it is killed.

A ``finally`` does not run when pytest is killed, and a killed ``php -S`` leaves its workers on the
port. So the processes share one process group, and a guard (process_guard.py) kills that group and
removes the folder as soon as its pipe to the test process closes. The orderly end takes the same
way: closing the pipe. Nothing is ever looked for by name.
"""

import contextlib
import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Self

GUARD = Path(__file__).with_name("process_guard.py")
END_SECONDS = 30.0


class ProcessGroup:
    """A context manager with a fresh ``folder`` and a way to ``spawn`` processes.

    Processes that move to a process group of their own are outside of its reach.
    """

    def __init__(self) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="copydesk-test-"))
        self._processes: list[subprocess.Popen[bytes]] = []
        self._guard = subprocess.Popen(
            [sys.executable, "-I", str(GUARD), str(self.folder)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            process_group=0,
        )
        assert self._guard.stdout is not None
        if self._guard.stdout.readline() != b"ready\n":
            raise RuntimeError(f"the process guard did not start: {GUARD}")

    @property
    def id(self) -> int:
        """The process group's number, which every spawned process carries."""
        return self._guard.pid

    def spawn(
        self,
        command: Sequence[str],
        *,
        log: Path,
        env: Mapping[str, str] | None = None,
        cwd: Path | None = None,
    ) -> "subprocess.Popen[bytes]":
        """Start a process in the group; its output is appended to ``log``.

        ``env`` is added to this process's environment.
        """
        with log.open("ab") as output:
            process = subprocess.Popen(
                list(command),
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                env={**os.environ, **(env or {})},
                cwd=cwd,
                process_group=self._guard.pid,
            )
        self._processes.append(process)
        return process

    def close(self) -> None:
        """End every process of the group and remove the folder. Can be called again.

        Raises:
            subprocess.TimeoutExpired: a process does not end, not even by SIGKILL.
        """
        if self._guard.stdin is None or self._guard.stdin.closed:
            return
        self._guard.stdin.close()
        # The guard waits until the group is empty, and a process that nobody waited for is in it.
        for process in (self._guard, *self._processes):
            process.wait(END_SECONDS)
        assert self._guard.stdout is not None
        self._guard.stdout.read()
        self._guard.stdout.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def descendants(pid: int) -> list[int]:
    """The processes below this one; those that only keep count of semaphores aside."""
    parents: dict[int, int] = {}
    for folder in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            # pid (command) state parent …; the command can hold anything, brackets too.
            fields = (folder / "stat").read_text(encoding="latin-1").rpartition(")")[2].split()
            if b"resource_tracker" not in (folder / "cmdline").read_bytes():
                parents[int(folder.name)] = int(fields[1])
    below = [pid]
    for parent in below:
        below += [child for child, above in parents.items() if above == parent]
    return below[1:]
