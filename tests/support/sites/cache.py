"""What is slow to fetch, made once for all tests of a machine."""

import fcntl
import os
import shutil
from collections.abc import Callable
from pathlib import Path

from tests.support.sites.programs import printed


def cache_folder() -> Path:
    """Return where the test suite keeps what is slow to fetch (XDG_CACHE_HOME, else ~/.cache)."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "copydesk-tests"


def made_once(name: str, make: Callable[[Path], Path]) -> Path:
    """Return the folder ``name`` of the cache, made if it is not there.

    ``make`` is called with an empty folder; it returns that folder, or the part of it to keep. All
    tests share the folder: copy it, never write to it. Safe to call from several processes.
    """
    folder = cache_folder() / name
    folder.parent.mkdir(parents=True, exist_ok=True)
    with folder.with_name(f"{folder.name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not folder.exists():
            # Left behind by a run that was killed while it was fetching.
            partial = folder.with_name(f"{folder.name}.partial")
            shutil.rmtree(partial, ignore_errors=True)
            partial.mkdir()
            make(partial).rename(folder)
            shutil.rmtree(partial, ignore_errors=True)
    return folder


def npm_package(package: str, folder: Path) -> Path:
    """Unpack a package of npm into a folder, and return its own folder; nothing of it is run.

    Raises:
        NotInstalled: npm is missing, or cannot fetch it.
    """
    printed(["npm", "pack", package], cwd=folder)
    (archive,) = folder.glob("*.tgz")
    shutil.unpack_archive(archive, folder)
    return folder / "package"


def npm_install(*packages: str, folder: Path) -> Path:
    """Install packages of npm into a folder, and return it.

    Raises:
        NotInstalled: npm is missing, or cannot install them.
    """
    (folder / "package.json").write_text('{"private": true}')
    printed(["npm", "install", "--no-audit", "--no-fund", *packages], cwd=folder)
    return folder
