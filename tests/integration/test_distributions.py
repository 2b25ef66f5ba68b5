"""What `make dist` builds: the same each time, complete, and of use in bare environments."""

import email
import hashlib
import os
import subprocess
import sys
import tarfile
import time
import zipfile
from collections.abc import Callable
from email.message import Message
from pathlib import Path

import pytest

from app import __version__
from tests.support.crashes.programs import web_server
from tests.support.integration import SQLITE, Feed
from tests.support.process_group import ProcessGroup

ROOT = Path(__file__).parents[2]
PYTHONS = ("3.11", "3.12", "3.13", "3.14")
COMMANDS = {
    "copydesk": "copydesk",
    "copydesk_connectors": "copydesk-connect",
    "copydesk_server": "copydesk-server",
}
SECONDS = 600
A_MINUTE_S = 60.0


def interpreter(version: str) -> Path | None:
    """Return an interpreter of that version on this machine, or None."""
    root = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
    found = [path for path in root.glob(f"{version}.*/bin/python") if path.is_file()]
    own = f"{sys.version_info.major}.{sys.version_info.minor}" == version
    return found[0] if found else Path(sys.executable) if own else None


def run(*command: str | Path, cwd: Path, **environment: str) -> str:
    clean = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    done = subprocess.run(
        list(map(str, command)),
        cwd=cwd,
        env=clean | environment,
        capture_output=True,
        text=True,
        timeout=SECONDS,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def bare(folder: Path, python: Path, *requirements: str | Path) -> Path:
    """Return the folder of commands of a new environment with these packages."""
    run(python, "-m", "venv", "--without-pip", folder, cwd=folder.parent)
    commands = folder / "bin"
    # Most of what is installed is not imported, so that compiling it would take longer.
    install = ("install", "--quiet", "--no-compile", "--disable-pip-version-check")
    pip(commands, *install, *requirements)
    return commands


def pip(commands: Path, *words: str | Path) -> None:
    """Do something in an environment with the pip of this one, as it needs none of its own."""
    run(sys.executable, "-m", "pip", "--python", commands / "python", *words, cwd=commands)


def make_dist(folder: Path) -> Path:
    """Return the folder, with all files of a release in it."""
    run("make", "--old-file=.venv/.ready", "dist", f"DIST={folder}", cwd=ROOT)
    return folder


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder with all files of a release."""
    return make_dist(tmp_path_factory.mktemp("dist"))


@pytest.mark.long
def test_the_same_commit_gives_the_same_bytes(built: Path, tmp_path: Path) -> None:
    """the same commit gives the same bytes, and SHA256SUMS lists every file"""
    sums = (built / "SHA256SUMS").read_text()
    listed = [line.split() for line in sums.splitlines()]
    for digest, name in listed:
        assert hashlib.sha256((built / name).read_bytes()).hexdigest() == digest
    others = {path.name for path in built.iterdir()} - {name for _, name in listed}
    assert others == {"SHA256SUMS"}
    assert {"copydesk.zip", "copydesk-docs.tar.gz"} < {name for _, name in listed}
    assert (make_dist(tmp_path) / "SHA256SUMS").read_text() == sums


def _metadata(archive: Path) -> tuple[set[str], Message]:
    """Return the names of the licence files, and the metadata."""
    if archive.suffix == ".whl":
        with zipfile.ZipFile(archive) as wheel:
            names = wheel.namelist()
            meta = next(name for name in names if name.endswith(".dist-info/METADATA"))
            text = wheel.read(meta).decode()
            folder = meta.replace("METADATA", "licenses/")
    else:
        with tarfile.open(archive) as sdist:
            names = sdist.getnames()
            folder = f"{names[0].partition('/')[0]}/"
            file = sdist.extractfile(f"{folder}PKG-INFO")
            assert file is not None
            text = file.read().decode()
        assert f"{folder}CHANGELOG.md" in names
    texts = {name.removeprefix(folder) for name in names if name.startswith(folder)}
    return {name for name in texts if name.startswith("LICENSE")}, email.message_from_string(text)


@pytest.mark.long
def test_each_distribution_has_its_licences_and_says_who_made_it(built: Path) -> None:
    """licence texts in all wheels and sdists, authors, one version"""
    archives = [*built.glob("*.whl"), *built.glob(f"*-{__version__}.tar.gz")]
    assert len(archives) == 2 * len(COMMANDS)
    for archive in archives:
        licences, metadata = _metadata(archive)
        assert licences == set(metadata.get_all("License-File", [])) == {"LICENSE"}
        assert metadata["Version"] == __version__
        assert metadata["Author"] == "The Copydesk authors"
        assert metadata["License-Expression"] == "Apache-2.0"


@pytest.mark.long
def test_no_wheel_installs_a_common_name(built: Path) -> None:
    """The server's packages do not install top-level names like `app` for others"""
    installed = set()
    for wheel in built.glob("*.whl"):
        # Package indexes refuse the classifier: this wheel is for an environment of its own.
        if "Private :: Do Not Upload" in _metadata(wheel)[1].get_all("Classifier", []):
            continue
        with zipfile.ZipFile(wheel) as files:
            installed |= {name.partition("/")[0] for name in files.namelist()}
    packages = {name for name in installed if not name.endswith(".dist-info")}
    assert packages == {
        "copydesk",
        "copydesk_connectors",
        "pytest_copydesk_connectors.py",
    }


# What only an extra or a test brings.
OPTIONAL = {"defusedxml", "jsonschema", "hypothesis", "pytest"}
OPTIONAL |= {"responses", "wordpress_xmlrpc"}
IMPORT_ALL = f"""
import importlib, pkgutil, sys
package = importlib.import_module(sys.argv[1])
for found in pkgutil.walk_packages(package.__path__, package.__name__ + "."):
    try:
        found.name.endswith("__main__") or importlib.import_module(found.name)
    except ModuleNotFoundError as missing:
        assert missing.name.partition(".")[0] in {OPTIONAL}, missing
"""


@pytest.mark.long
@pytest.mark.parametrize("version", PYTHONS)
def test_each_wheel_works_in_a_bare_environment(built: Path, tmp_path: Path, version: str) -> None:
    """installed and smoke-tested on 3.11–3.13 in bare venvs"""
    python = interpreter(version)
    if python is None:
        pytest.skip(f"there is no Python {version} on this machine")
    find: Callable[[str], Path] = lambda name: next(built.glob(f"{name}-*.whl"))  # noqa: E731
    sdk = find("copydesk")
    wheels = {
        "copydesk": [f"{sdk}[mcp]"],
        "copydesk_connectors": [sdk, find("copydesk_connectors")],
        "copydesk_server": [find("copydesk_server")],
    }
    for name, command in COMMANDS.items():
        commands = bare(tmp_path / name, python, *wheels[name])
        said = run(commands / command, "--version", cwd=tmp_path)
        assert said == f"{command} {__version__}\n"
        run(commands / command, "--help", cwd=tmp_path)
        if name != "copydesk_server":  # Its migrations cannot be imported.
            run(commands / "python", "-W", "error", "-c", IMPORT_ALL, name, cwd=tmp_path)
        pip(commands, "check")
    run(tmp_path / "copydesk/bin/copydesk", "mcp", "--help", cwd=tmp_path)


@pytest.mark.long
@SQLITE
def test_from_nothing_to_posts_on_a_site_within_a_minute(
    built: Path, feed: Feed, group: ProcessGroup, tmp_path: Path
) -> None:
    """a configuration, `check` and `once` against the demo service in under a minute"""
    wheels = [*built.glob("copydesk-*.whl"), *built.glob("copydesk_connectors-*.whl")]
    commands = bare(tmp_path / "connectors", Path(sys.executable), *wheels)
    feed.add_items("Coffee", 12)
    folder = tmp_path / "my-blog"
    folder.mkdir()
    with web_server(group, feed.url) as (port, _):
        url = f"http://127.0.0.1:{port}/v1/content-tokens/{feed.token}/latest"
        began = time.monotonic()
        said = []
        (folder / "copydesk.toml").write_text(
            '[feed]\nurl_env = "COPYDESK_FEED_URL"\n[[target]]\ntype = "markdown"\npath = "posts"\n'
        )
        for words in (("check",), ("once",)):
            config = ("--config", folder / "copydesk.toml")
            command = (commands / "copydesk-connect", *words, *config)
            said.append(run(*command, cwd=tmp_path, COPYDESK_FEED_URL=url))
            assert feed.states() == ["used" if words == ("once",) else "pending"] * 12
        assert time.monotonic() - began < A_MINUTE_S
    assert said[-1] == "12 published and confirmed\n"
    assert [count for *_, count in feed.rows()] == [1] * 12
    posts = list((folder / "posts").glob("*.md"))
    assert len(posts) == 12
    assert all("Article" in post.read_text() for post in posts)
    assert feed.token not in "".join([*said, (folder / "copydesk.toml").read_text()])
