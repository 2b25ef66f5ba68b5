"""Debian packages of any suite, unpacked into a cache folder without root.

They come through apt-get with lists and settings of its own, from the Debian mirror that this
machine already uses, so that a suite other than the machine's is one more line and nothing of the
system changes.
"""

import shutil
from collections.abc import Callable, Sequence
from pathlib import Path

from tests.support.sites.cache import made_once
from tests.support.sites.programs import NotInstalled, printed

KEYRING = Path("/usr/share/keyrings/debian-archive-keyring.gpg")
# How the names of packages with libraries begin. What else is depended on sets a system up.
LIBRARIES = ("lib", "php", "zlib")
APT_CONFIG = """\
Dir::State::lists "{folder}/lists";
Dir::State::status "{folder}/status";
Dir::Cache "{folder}/cache";
Dir::Etc::sourcelist "{folder}/sources.list";
Dir::Etc::sourceparts "{folder}/sources.list.d";
APT::Install-Recommends "false";
APT::Sandbox::User "";
Acquire::Retries "3";
"""


def unpacked(
    name: str, suite: str, packages: Sequence[str], assemble: Callable[[Path, Path], object]
) -> Path:
    """Return the folder ``name`` of the cache, made from Debian packages if it is not there.

    ``assemble`` is called with the unpacked packages and the folder to make. All tests share the
    folder: copy it, never write to it. Safe to call from several processes.

    Raises:
        NotInstalled: this is no Debian system, or the packages cannot be fetched.
    """
    return _cached(name, suite, packages, assemble, with_dependencies=False)


def unpacked_root(name: str, suite: str, packages: Sequence[str]) -> Path:
    """Return the same with the libraries that the packages depend on, the C library included.

    Raises:
        NotInstalled: this is no Debian system, or the packages cannot be fetched.
    """
    return _cached(name, suite, packages, shutil.move, with_dependencies=True)


def _cached(
    name: str,
    suite: str,
    packages: Sequence[str],
    assemble: Callable[[Path, Path], object],
    with_dependencies: bool,
) -> Path:
    def make(partial: Path) -> Path:
        for package in _download(suite, packages, partial / "apt", with_dependencies):
            printed(["dpkg-deb", "-x", str(package), str(partial / "unpacked")])
        assemble(partial / "unpacked", partial / "made")
        return partial / "made"

    return made_once(name, make)


def _download(
    suite: str, packages: Sequence[str], apt: Path, with_dependencies: bool
) -> list[Path]:
    for name in ("lists/partial", "cache/archives/partial", "sources.list.d", "packages"):
        (apt / name).mkdir(parents=True)
    (apt / "apt.conf").write_text(APT_CONFIG.format(folder=apt))
    # Nothing counts as installed, so that apt-get fetches every dependency.
    (apt / "status").touch()
    (apt / "sources.list").write_text(f"deb [signed-by={KEYRING}] {_mirror()} {suite} main\n")
    env = {"APT_CONFIG": str(apt / "apt.conf")}
    printed(["apt-get", "-q", "update"], env=env)
    if with_dependencies:
        printed(["apt-get", "-q", "-y", "--download-only", "install", *packages], env=env)
        names = (*packages, *LIBRARIES)
        archives = sorted((apt / "cache" / "archives").glob("*.deb"))
        return [archive for archive in archives if archive.name.startswith(names)]
    printed(["apt-get", "-q", "download", *packages], cwd=apt / "packages", env=env)
    return sorted((apt / "packages").glob("*.deb"))


def _mirror() -> str:
    query = ["apt-get", "indextargets", "--format", "$(REPO_URI)"]
    for line in printed([*query, "Created-By: Packages"]).splitlines():
        # Debian's security archive and the archives of others have other names.
        if line.rstrip("/").endswith("/debian"):
            return line.strip()
    raise NotInstalled(
        "apt-get knows no Debian mirror, so that packages cannot be fetched; "
        "add one to /etc/apt/sources.list.d and run apt-get update"
    )
