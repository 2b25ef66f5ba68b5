"""Other versions of PHP than the machine's: Debian's packages, with libraries, in the cache."""

import os
import shlex
from pathlib import Path

from tests.support.sites.debian_packages import unpacked_root

# The Debian suite that has the version.
SUITES = {"7.4": "bullseye", "8.2": "bookworm", "8.4": "trixie"}
PARTS = ("cli", "curl", "gd", "mbstring", "mysql", "sqlite3", "xml")
# Other extensions need these.
FIRST = ("mysqlnd", "pdo", "xml", "dom")


def php_program(version: str) -> str:
    """Return the path of PHP of a version of SUITES, with the extensions that WordPress uses.

    Raises:
        ValueError: the version is not one of SUITES.
        NotInstalled: this is no Debian system, or the packages cannot be fetched.
    """
    if version not in SUITES:
        raise ValueError(f"PHP {version!r} is unknown; known are {', '.join(sorted(SUITES))}")
    packages = [f"php{version}-{part}" for part in PARTS]
    root = unpacked_root(f"php-{version}", SUITES[version], packages)
    launcher = root / "php"
    if not launcher.exists():
        # Two tests that write it at once write the same; the rename shows it complete.
        partial = root / f"php.{os.getpid()}"
        partial.write_text(f'#!/bin/sh\nexec {shlex.join(_command(root, version))} "$@"\n')
        partial.chmod(0o755)
        partial.rename(launcher)
    return str(launcher)


def _command(root: Path, version: str) -> list[str]:
    """PHP by the loader and the C library of its own suite, without the machine's php.ini."""
    folders = [*root.glob("lib/*-linux-gnu*"), *root.glob("usr/lib/*-linux-gnu*")]
    loader = next(file for folder in folders for file in folder.glob("ld-linux*.so.*"))
    (extensions,) = {file.parent for file in root.glob("usr/lib/php/*/mysqli.so")}
    names = {file.stem for file in extensions.glob("*.so")} - {"opcache"}
    ordered = [*FIRST, *sorted(names - set(FIRST))]
    settings = [
        f"extension_dir={extensions}",
        "zend_extension=opcache",
        *(f"extension={name}" for name in ordered),
    ]
    return [
        str(loader),
        "--library-path",
        ":".join(map(str, folders)),
        str(root / f"usr/bin/php{version}"),
        "-n",
        *(part for setting in settings for part in ("-d", setting)),
    ]
