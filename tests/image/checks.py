"""What must be true of the images; each check prints a line, or raises with what is not."""

import json
import signal
import subprocess
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import IO

from builder import Image
from chamber import Chamber, Mount, Running

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


def web(image: Image, folder: Path) -> None:
    """Start the server image with its default command, on SQLite, without any network."""
    env = {"OPENAI_BASE_URL": "https://model.invalid/v1", "OPENAI_API_KEY": SECRET}
    with (folder / "web.log").open("w+b") as log:
        running = _start(image, env, folder / "state", [*image.entrypoint, *image.command], log)
        try:
            took = _until(lambda: running.run(image.healthcheck).returncode == 0, running, log)
            say(f"server: started read-only, its health check succeeds after {took:.1f} s")
            _has_no_powers(running, image.user)
            _ready(running)
            assert running.run(["touch", "/opt/copydesk/x"]).returncode != 0
            code, took = running.stop(signal.Signals[image.stop_signal], within=10)
            say(f"server: {image.stop_signal} to process 1 ends it in {took:.1f} s (code {code})")
            assert code == 0, _text(log)
        except subprocess.TimeoutExpired:
            raise AssertionError(f"still runs 10 s after {image.stop_signal}") from None
        finally:
            running.end()
        assert SECRET not in _text(log)


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


def _start(
    image: Image, env: Mapping[str, str], state: Path, command: Sequence[str], log: IO[bytes]
) -> Running:
    chamber = _chamber(image, (_state(state, image), Mount("/tmp")))
    chamber = replace(chamber, env={**chamber.env, **env}, read_only=True)
    return chamber.start(command, log)


def _until(
    done: Callable[[], bool], running: Running, log: IO[bytes], seconds: float = 180
) -> float:
    began = time.monotonic()
    while time.monotonic() - began < seconds:
        if running.process.poll() is not None:
            break
        if done():
            return time.monotonic() - began
        time.sleep(0.1)
    raise AssertionError(f"not begun after {seconds} s: {_text(log)}")


def _has_no_powers(running: Running, user: str) -> None:
    listed = running.run(["sh", "-c", "cat /proc/[0-9]*/status"]).stdout
    lines = [line.split() for line in listed.splitlines()]
    users = {number for line in lines if line[0] in {"Uid:", "Gid:"} for number in line[1:]}
    powers = {line[1] for line in lines if line[0] in {"CapEff:", "CapBnd:", "CapPrm:"}}
    assert users == set(user.split(":")), f"runs as {users}"
    assert {int(power, 16) for power in powers} == {0}, f"has capabilities {powers}"
    say(f"server: every process runs as {user} without any capability")


def _ready(running: Running) -> None:
    ask = (
        "import http.client as h; c = h.HTTPConnection('127.0.0.1', 8000, timeout=60);"
        "c.request('GET', '/readyz'); a = c.getresponse(); print(a.status, a.read().decode())"
    )
    status, _, body = running.run(["python3", "-I", "-c", ask]).stdout.partition(" ")
    answer = json.loads(body)
    assert status == "503", body
    assert answer["database"] == "ok", body
    assert answer["model"] != "ok", body
    say("server: alive on /healthz, yet /readyz is 503 as the model is out of reach")


def _text(log: IO[bytes]) -> str:
    return Path(log.name).read_text(errors="replace")


def _line(text: str, said: str) -> str:
    return next(line for line in text.splitlines() if said in line).strip()


def _megabytes(root: Path) -> float:
    listed = subprocess.run(["du", "-sxm", str(root)], capture_output=True, text=True, check=True)
    return float(listed.stdout.split()[0])
