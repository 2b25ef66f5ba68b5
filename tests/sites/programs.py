"""Programs that have to be on the machine; .ci/packages installs all of them."""

import os
import shutil

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
