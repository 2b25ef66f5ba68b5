"""Runs a command as a process of its own, without its start: forked from one that has it loaded.

    python forking.py MODULE:FUNCTION [MODULE …] < commands

MODULE:FUNCTION is the command's entry point; further modules are loaded before the first fork. A
line of input is a JSON object: ``argv``, ``cwd``, ``env``, and the files ``out`` and ``err``. The
answer is a line with the exit status, negative for a signal.
"""

import atexit
import json
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

LONGEST_S = 60


def run(
    entry: str, *arguments: str, env: Mapping[str, str], cwd: Path | None = None
) -> "subprocess.CompletedProcess[str]":
    """One command to its end, without a terminal. ``entry`` is its name, its entry point and what
    to load before, each after a space."""
    name, *loaded = entry.split()
    forks = _forks(*loaded)
    assert forks.stdin is not None
    assert forks.stdout is not None
    with tempfile.TemporaryDirectory() as folder:
        out, err = Path(folder, "out"), Path(folder, "err")
        wanted = {
            "argv": [name, *arguments],
            "cwd": str(cwd or Path.cwd()),
            "env": dict(env),
            "out": str(out),
            "err": str(err),
        }
        forks.stdin.write(json.dumps(wanted) + "\n")
        forks.stdin.flush()
        ended = int(forks.stdout.readline())
        return subprocess.CompletedProcess(
            [name, *arguments], ended, out.read_text("utf-8"), err.read_text("utf-8")
        )


@cache
def _forks(*loaded: str) -> "subprocess.Popen[str]":
    process = subprocess.Popen(
        [sys.executable, __file__, *loaded],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )

    def end() -> None:
        process.communicate()

    atexit.register(end)
    return process


def _become(wanted: Mapping[str, Any], module: str, function: str) -> int:
    """In the fork: be the command; its exit status."""
    signal.alarm(LONGEST_S)
    os.environ.clear()
    os.environ.update(wanted["env"])
    os.chdir(wanted["cwd"])
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    for number, name in ((1, "out"), (2, "err")):
        os.dup2(os.open(wanted[name], os.O_WRONLY | os.O_CREAT), number)
    sys.argv = wanted["argv"]
    try:
        status = getattr(import_module(module), function)()
    except SystemExit as end:
        status = end.code
    except Exception:  # noqa: BLE001 - what the interpreter would do at its end
        sys.excepthook(*sys.exc_info())  # type: ignore[arg-type]
        status = 1
    sys.stdout.flush()
    sys.stderr.flush()
    return int(status or 0)


def main() -> None:
    """The commands."""
    module, _, function = sys.argv[1].partition(":")
    for name in (module, *sys.argv[2:]):
        import_module(name)
    for line in sys.stdin:
        wanted = json.loads(line)
        pid = os.fork()
        if pid == 0:
            os._exit(_become(wanted, module, function))
        print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), flush=True)


if __name__ == "__main__":
    main()
