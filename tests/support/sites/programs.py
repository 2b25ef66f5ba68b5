"""Programs that have to be on the machine; .ci/packages installs all of them."""

import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from typing import TypeVar

import pytest

# Debian keeps servers where a plain user's PATH does not reach.
SEARCH_PATH = os.environ.get("PATH", os.defpath) + ":/usr/sbin"


class NotInstalled(Exception):
    """A program is missing; the message says which and what installs it."""


def program(name: str) -> str:
    """The path of an installed program.

    Raises:
        NotInstalled: it is not there.
    """
    path = shutil.which(name, path=SEARCH_PATH)
    if path is None:
        raise NotInstalled(f"{name} is not installed: run .ci/packages as root (Debian 12)")
    return path


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
