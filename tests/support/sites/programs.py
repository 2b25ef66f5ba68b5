"""Programs that have to be on the machine; .ci/packages installs all of them."""

import os
import shutil
import subprocess
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
from pathlib import Path
from typing import TypeVar

import pytest

# Debian keeps servers where a plain user's PATH does not reach.
SEARCH_PATH = os.environ.get("PATH", os.defpath) + ":/usr/sbin"
# As long as it may take to fetch or to build something.
RUN_SECONDS = 900.0


class NotInstalled(Exception):
    """A program is missing; the message says which and what installs it."""


class Unavailable(Exception):
    """A site could not be fetched, built or started by what is installed; the message says why."""


def program(name: str) -> str:
    """The path of an installed program.

    Raises:
        NotInstalled: it is not there.
    """
    path = shutil.which(name, path=SEARCH_PATH)
    if path is None:
        raise NotInstalled(f"{name} is not installed: run .ci/packages as root (Debian 12)")
    return path


def printed(
    command: Sequence[str],
    failure: type[Exception] = NotInstalled,
    *,
    cwd: Path | None = None,
    env: Mapping[str, str] | None = None,
) -> str:
    """Run a program to its end; what it printed.

    Raises:
        NotInstalled: it is not there.
        failure: it ended with an error; holds what it said.
    """
    done = subprocess.run(
        [program(command[0]), *command[1:]],
        cwd=cwd,
        env={**os.environ, "LC_ALL": "C", **(env or {})},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=RUN_SECONDS,
    )
    if done.returncode != 0:
        shown = " ".join(Path(part).name for part in command[:4])
        said = (done.stdout + done.stderr).strip()[-1500:]
        raise failure(f"{shown} ended with {done.returncode}: {said}")
    return done.stdout


S = TypeVar("S")


@contextmanager
def start_or_skip(start: Callable[[], AbstractContextManager[S]]) -> Iterator[S]:
    """Start a site, or skip the test if a program is missing. In CI, fail instead of skipping."""
    with ExitStack() as stack:
        try:
            site = stack.enter_context(start())
        except NotInstalled as error:
            if os.environ.get("CI") == "true":
                raise
            pytest.skip(str(error))
        yield site
