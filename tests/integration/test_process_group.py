"""Nothing outlives the test run: neither an orderly end nor a SIGKILL leaves a process behind."""

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.startup import is_running, wait_until

# A parent whose child would live on after the parent alone is killed, as php -S and its workers do.
FAMILY = "sh -c 'sleep 600 & echo $! > child; wait'"
OWNER = """
import signal
import sys
# A shell lets what it starts in the background ignore this one.
signal.signal(signal.SIGINT, signal.default_int_handler)
from tests.support.process_group import ProcessGroup
group = ProcessGroup()
group.spawn(["sh", "-c", sys.argv[1]], log=group.folder / "log", cwd=group.folder)
print(group.id, group.folder, flush=True)
sys.stdin.read()
"""


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
def test_a_killed_test_run_leaves_nothing(number: signal.Signals) -> None:
    owner = subprocess.Popen(
        [sys.executable, "-c", OWNER, FAMILY],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        cwd=Path(__file__).parents[2],
    )
    with owner:
        assert owner.stdout is not None
        group, folder = owner.stdout.readline().split()
        pid_file = Path(folder, "child")
        wait_until(lambda: pid_file.exists() and pid_file.read_text().endswith("\n"))
        child = int(pid_file.read_text())
        assert is_running(child)
        assert is_running(int(group))
        owner.send_signal(number)
        owner.wait(60)
        wait_until(lambda: not is_running(child), what="the child ends")
        wait_until(lambda: not is_running(int(group)), what="the group's leader ends")
        wait_until(lambda: not Path(folder).exists(), what="the folder is removed")
