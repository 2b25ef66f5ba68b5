"""WordPress as Debian packages it, unpacked into a cache folder without root.

The packages come through apt-get with lists and settings of its own, from the Debian mirror that
this machine already uses, so that a suite other than the machine's is one more line and nothing of
the system changes.
"""

import fcntl
import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.support.sites.programs import program

# WordPress links into the other packages; its theme is the one that its release ships with.
PACKAGES = (
    "wordpress",
    "php-getid3",
    "libphp-phpmailer",
    "libjs-underscore",
    "libjs-lodash",
    "libjs-jquery-ui",
    "libjs-cropper",
)
THEMES = {"bookworm": "twentytwentythree", "trixie": "twentytwentyfive"}
FETCH_SECONDS = 300.0
KEYRING = Path("/usr/share/keyrings/debian-archive-keyring.gpg")
APT_CONFIG = """\
Dir::State::lists "{folder}/lists";
Dir::Cache "{folder}/cache";
Dir::Etc::sourcelist "{folder}/sources.list";
Dir::Etc::sourceparts "{folder}/sources.list.d";
APT::Sandbox::User "";
Acquire::Retries "3";
"""


class WordPressUnavailable(Exception):
    """WordPress could not be fetched or started; the message says why."""


def cache_folder() -> Path:
    """Where the test suite keeps what is slow to fetch (XDG_CACHE_HOME, else ~/.cache)."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "copydesk-tests"


def wordpress_tree(suite: str) -> Path:
    """The unpacked WordPress of a Debian suite, fetched when the cache does not hold it.

    All sites share the tree: copy it, never write to it. Safe to call from several processes.

    Raises:
        ValueError: the suite is not one of THEMES.
        NotInstalled: this is no Debian system.
        WordPressUnavailable: it could not be fetched or unpacked.
    """
    if suite not in THEMES:
        raise ValueError(f"suite {suite!r} is unknown; known are {', '.join(sorted(THEMES))}")
    tree = cache_folder() / f"wordpress-{suite}"
    with _lock(cache_folder() / f"wordpress-{suite}.lock"):
        if not tree.exists():
            # Left behind by a run that was killed while it was fetching.
            partial = cache_folder() / f"wordpress-{suite}.partial"
            shutil.rmtree(partial, ignore_errors=True)
            partial.mkdir()
            _unpack(_download(suite, partial), partial / "unpacked")
            _assemble(partial / "unpacked", THEMES[suite], partial / "tree")
            (partial / "tree").rename(tree)
            shutil.rmtree(partial)
    return tree


@contextmanager
def _lock(path: Path) -> Iterator[None]:
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def _download(suite: str, folder: Path) -> list[Path]:
    apt = folder / "apt"
    for name in ("lists/partial", "cache/archives/partial", "sources.list.d", "packages"):
        (apt / name).mkdir(parents=True)
    (apt / "apt.conf").write_text(APT_CONFIG.format(folder=apt))
    (apt / "sources.list").write_text(f"deb [signed-by={KEYRING}] {_mirror()} {suite} main\n")
    env = {"APT_CONFIG": str(apt / "apt.conf")}
    theme = f"wordpress-theme-{THEMES[suite]}"
    _run(["apt-get", "-q", "update"], env=env)
    _run(["apt-get", "-q", "download", *PACKAGES, theme], cwd=apt / "packages", env=env)
    return sorted((apt / "packages").glob("*.deb"))


def _mirror() -> str:
    query = ["apt-get", "indextargets", "--format", "$(REPO_URI)"]
    for line in _run([*query, "Created-By: Packages"]).splitlines():
        # Debian's security archive and the archives of others have other names.
        if line.rstrip("/").endswith("/debian"):
            return line.strip()
    raise WordPressUnavailable(
        "apt-get knows no Debian mirror, so that WordPress cannot be fetched; "
        "add one to /etc/apt/sources.list.d and run apt-get update"
    )


def _unpack(packages: list[Path], folder: Path) -> None:
    for package in packages:
        _run(["dpkg-deb", "-x", str(package), str(folder)])


def _assemble(unpacked: Path, theme: str, tree: Path) -> None:
    """Copy the files behind the links; leave out the configuration for Debian's own web server."""
    source = unpacked / "usr/share/wordpress"
    shutil.copytree(
        source,
        tree,
        ignore=lambda folder, names: (
            {".htaccess", "wp-config.php"} if folder == str(source) else ()
        ),
    )
    for needed in ("wp-load.php", f"wp-content/themes/{theme}/style.css"):
        if not (tree / needed).is_file():
            raise WordPressUnavailable(f"the packages of WordPress hold no {needed}")


def _run(command: list[str], cwd: Path | None = None, env: dict[str, str] | None = None) -> str:
    done = subprocess.run(
        [program(command[0]), *command[1:]],
        cwd=cwd,
        env={**os.environ, "LC_ALL": "C", **(env or {})},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=FETCH_SECONDS,
    )
    if done.returncode != 0:
        raise WordPressUnavailable(
            f"{' '.join(command[:3])} ended with {done.returncode}: {done.stderr.strip()[-1000:]}"
        )
    return done.stdout
