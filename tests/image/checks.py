"""What must be true of the images; each check prints a line, or raises with what is not."""

import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import IO

from builder import Image
from chamber import Chamber, Mount

_STATE = "/var/lib/copydesk"
_COMPILERS = ("cc", "gcc", "g++", "c99", "clang", "ld", "as", "make", "rustc", "go")
# Where Debian leaves a folder open to everybody; all of it is empty and outside the code.
_OPEN = {"/tmp", "/var/tmp", "/run/lock", "/dev/shm", "/dev/mqueue"}
SECRET = "a-password-that-is-shown-nowhere"


def contents(name: str, image: Image, base: Image, unwanted: Sequence[str]) -> None:
    """The finished root file system: its size, and what must not be left in it."""
    paths = [str(path.relative_to(image.root)) for path in image.root.rglob("*")]
    compilers = [p for p in paths if p.endswith(tuple(f"bin/{tool}" for tool in _COMPILERS))]
    assert not compilers, f"{name}: compilers are left: {compilers}"
    caches = [p for p in paths if ".cache/" in p or p.startswith(("src", "wheels", "opt/build"))]
    assert not caches, f"{name}: what only building needs is left: {caches[:5]}"
    packages = {p.name for p in image.root.glob("opt/copydesk/lib/python*/site-packages/*")}
    assert {"certifi", "click"} & packages, f"{name}: no packages were found"
    left = packages & {"pip", "setuptools", "hatchling", *unwanted}
    assert not left, f"{name}: not wanted in it: {left}"
    grown = _megabytes(image.root) - _megabytes(base.root)
    say(f"{name}: {grown:.0f} MB above its base image; no compiler, no cache, no source")


def code_is_safe(name: str, image: Image) -> None:
    """The user that the image names can write nothing but its own folder."""
    chamber = _chamber(image, ())
    find = ["find", "/", "-xdev", "-writable", "!", "-type", "l", "-prune", "-print"]
    with tempfile.TemporaryFile() as output:
        chamber.run(find, output)
        output.seek(0)
        text = output.read().decode()
    written = {line for line in text.splitlines() if line.startswith("/")} - _OPEN - {_STATE}
    written = {path for path in written if not path.startswith("/proc")}
    assert not written, f"{name}: its user can write {sorted(written)[:5]}"
    assert image.user.split(":")[0] not in {"", "0"}, f"{name} runs as root"
    say(f"{name}: user {image.user} can write nothing but {_STATE} and the folders for all")


def ends(
    name: str,
    image: Image,
    folder: Path,
    arguments: Sequence[str],
    *,
    code: int,
    said: str,
    env: Mapping[str, str],
    mounts: Sequence[Mount] = (),
) -> None:
    """Run a command and check its exit code and a text of its output."""
    with (folder / f"{name}.log").open("w+b") as log:
        chamber = replace(
            _chamber(image, (_state(folder / "state", image), *mounts)), read_only=True
        )
        chamber = replace(chamber, env={**chamber.env, **env})
        answer = chamber.run([*image.entrypoint, *arguments], log)
        text = _text(log)
    assert answer == code, f"{name}: ended with {answer} in place of {code}: {text}"
    assert said in text, f"{name}: {said!r} is not in what it said: {text}"
    assert SECRET not in text, f"{name}: shows a secret"
    say(f"{name}: ends with {code}, saying “{_line(text, said)}”")


def say(line: str) -> None:
    print(f"ok  {line}", flush=True)


def _chamber(image: Image, mounts: Sequence[Mount]) -> Chamber:
    env = {"HOME": _STATE} | image.env
    return Chamber(image.root, env, image.workdir, image.user, mounts)


def _state(folder: Path, image: Image) -> Mount:
    """A new volume: it has the owner that the image's folder has."""
    folder.mkdir(exist_ok=True)
    uid, _, gid = image.user.partition(":")
    subprocess.run(["chown", f"{uid}:{gid}", str(folder)], check=True)
    return Mount(_STATE, folder)


def _text(log: IO[bytes]) -> str:
    return Path(log.name).read_text(errors="replace")


def _line(text: str, said: str) -> str:
    return next(line for line in text.splitlines() if said in line).strip()


def _megabytes(root: Path) -> float:
    listed = subprocess.run(["du", "-sxm", str(root)], capture_output=True, text=True, check=True)
    return float(listed.stdout.split()[0])
