"""Ends a process group and removes a folder once standard input closes; see process_group.py.

Run as a script, it leads the group and so keeps its number from being reused. A child of it stands
outside the group and waits for the end of standard input, which comes when the test process closes
it or dies, by SIGKILL too. It uses the standard library alone and says "ready" when it watches.
"""

import contextlib
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

DEADLINE_SECONDS = 10.0


def main() -> None:
    folder = sys.argv[1]
    group = os.getpid()
    if os.fork() != 0:
        # Only the watcher may hold the pipes: their closing is how each side knows of the other.
        os.closerange(0, 3)
        while True:
            signal.pause()

    os.setpgid(0, 0)
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    os.write(1, b"ready\n")
    while os.read(0, 4096):
        pass
    deadline = time.monotonic() + DEADLINE_SECONDS
    # The kill is not done when it has been sent: a dying process can still write into the folder.
    while _running(group) and time.monotonic() < deadline:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(group, signal.SIGKILL)
        time.sleep(0.01)
    for line in Path("/proc/self/mounts").read_text().splitlines():
        if line.split()[1].startswith(f"{folder}/"):
            subprocess.run(["umount", "--lazy", line.split()[1]], check=False)
    shutil.rmtree(folder, ignore_errors=True)


def _running(group: int) -> bool:
    """Whether a member of the group still runs; the dead that wait to be reaped do not."""
    for path in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            # pid (command) state parent group …; the command can hold anything, brackets too.
            state, _, number = path.read_text(encoding="latin-1").rpartition(")")[2].split()[:3]
            if int(number) == group and state not in "ZX":
                return True
    return False


if __name__ == "__main__":
    main()
