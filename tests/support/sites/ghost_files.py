"""Ghost as its makers publish it on npm, installed into a cache folder without root.

Ghost, the Node that it wants and pnpm, which reads its lock file, all come through npm. Of its
native modules only better-sqlite3 is built: the others have a way without, and the scripts of a
thousand packages need not run for it.
"""

import os
import platform
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from tests.support.sites.cache import made_once
from tests.support.sites.programs import NotInstalled, program

GHOST = "6.65.0"
NODE = "22.23.3"
PNPM = "12.4.2"
FETCH_SECONDS = 900.0
MACHINES = {"x86_64": "x64", "aarch64": "arm64"}


class GhostUnavailable(Exception):
    """Ghost could not be fetched, built or started; the message says why."""


@dataclass(frozen=True)
class GhostFiles:
    """An installed Ghost (``tree``) and the program that runs it."""

    tree: Path
    node: Path


def ghost_files() -> GhostFiles:
    """The installed Ghost, fetched and built when the cache does not hold it.

    All sites share the files and never write to them. Safe to call from several processes.

    Raises:
        NotInstalled: npm or a compiler is missing, or this is no Linux that Node is built for.
        GhostUnavailable: it could not be fetched or built.
    """
    folder = made_once(f"ghost-{GHOST}", _install)
    return GhostFiles(folder / "package", _node_folder(folder) / "bin" / "node")


def _machine() -> str:
    if platform.system() != "Linux" or platform.machine() not in MACHINES:
        raise NotInstalled(
            f"Ghost's tests know no Node for {platform.system()} on {platform.machine()}"
        )
    return MACHINES[platform.machine()]


def _node_folder(folder: Path) -> Path:
    return folder / "tools" / "node_modules" / f"node-linux-{_machine()}"


def _install(folder: Path) -> Path:
    machine, npm = _machine(), program("npm")
    for compiler in ("g++", "make", "python3"):
        program(compiler)
    tools = folder / "tools"
    tools.mkdir()
    quiet = ["--no-audit", "--no-fund", "--ignore-scripts"]
    wanted = [f"node-linux-{machine}@{NODE}", f"pnpm@{PNPM}"]
    _run([npm, "install", "--prefix", str(tools), *quiet, *wanted], folder)
    _run([npm, "pack", "--ignore-scripts", f"ghost@{GHOST}"], folder)
    (archive,) = folder.glob("ghost-*.tgz")
    _run([program("tar"), "-xzf", str(archive)], folder)
    archive.unlink()

    tree, node = folder / "package", _node_folder(folder)
    env = {
        "PATH": f"{node / 'bin'}:{os.environ.get('PATH', os.defpath)}",
        "npm_config_nodedir": str(node),
        "CI": "true",
    }
    pnpm = tools / "node_modules" / "pnpm"
    node_program = str(node / "bin" / "node")
    arguments = ["install", "--prod", "--frozen-lockfile", "--ignore-scripts"]
    _run([node_program, str(pnpm / "bin" / "pnpm.mjs"), *arguments], tree, env)
    built = [*tree.glob("node_modules/.pnpm/better-sqlite3@*/node_modules/better-sqlite3")]
    if len(built) != 1:
        raise GhostUnavailable(f"Ghost brought {len(built)} versions of better-sqlite3")
    gyp = pnpm / "dist" / "node_modules" / "node-gyp" / "bin" / "node-gyp.js"
    _run([node_program, str(gyp), "rebuild", "--release"], built[0], env)
    return folder


def _run(command: list[str], cwd: Path, env: Mapping[str, str] | None = None) -> None:
    done = subprocess.run(
        command,
        cwd=cwd,
        env={**os.environ, "LC_ALL": "C", **(env or {})},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=FETCH_SECONDS,
    )
    if done.returncode != 0:
        said = (done.stdout + done.stderr).strip()[-1500:]
        shown = " ".join(Path(part).name for part in command[:4])
        raise GhostUnavailable(f"{shown} ended with {done.returncode}: {said}")
