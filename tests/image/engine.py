"""Podman, asked; the variables that .ci/image sets give it a storage of its own."""

import subprocess
from typing import Any

Done = subprocess.CompletedProcess[str]


def run(*command: object, **options: Any) -> Done:
    """Run a program to its end; what it said is in the result."""
    words = [str(word) for word in command]
    return subprocess.run(words, capture_output=True, text=True, check=False, **options)


def podman(*words: object) -> str:
    """Run podman; what it printed.

    Raises:
        AssertionError: it failed; holds what it said.
    """
    done = run("podman", *words)
    assert done.returncode == 0, f"podman {words}: {done.stdout}{done.stderr}"
    return done.stdout.strip()


def say(line: str) -> None:
    print(f"ok  {line}", flush=True)
