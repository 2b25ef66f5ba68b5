"""Files that appear whole, errors that the owner can fix, and the owner's command."""

import errno
import os
import secrets
import signal
import stat
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from copydesk_connectors.target.errors import Misconfigured, Unavailable
from copydesk_connectors.target.post import Post

# Errors that pass after a while or once there is disk space; the owner has to fix all others.
_PASSING = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EIO, errno.EBUSY, errno.ESTALE})
_NO_HARD_LINKS = frozenset({errno.EPERM, errno.EOPNOTSUPP, errno.ENOSYS})
_TIMEOUT_S = 120.0
_SHOWN_LINES = 3
# Without it, git would wait for somebody at a terminal.
_NO_QUESTIONS = {"GIT_TERMINAL_PROMPT": "0", "SSH_ASKPASS_REQUIRE": "never"}


def file_status(entry: os.DirEntry[str]) -> os.stat_result | None:
    """Return the status of a regular file; None for a folder, a pipe or a link to nothing."""
    try:
        status = entry.stat()
    except FileNotFoundError:
        return None
    except OSError as error:
        if error.errno == errno.ELOOP:  # a link to itself
            return None
        raise
    return status if stat.S_ISREG(status.st_mode) else None


def create_whole(path: Path, text: str | bytes) -> None:
    """Create a file that appears with all of its content or not at all.

    Raises:
        FileExistsError: the name is taken.
    """
    if path.exists():
        raise FileExistsError(errno.EEXIST, "exists", str(path))
    with _staged(path.parent, text) as staged:
        try:
            os.link(staged, path)  # unlike a rename, it fails where the name is taken
        except OSError as error:
            if error.errno not in _NO_HARD_LINKS:
                raise
            os.replace(staged, path)  # noqa: PTH105 - some network and FAT volumes have no links


@contextmanager
def _staged(folder: Path, text: str | bytes) -> Iterator[Path]:
    # Each write has its own name, because two instances may write the same post at once.
    staged = folder / f".copydesk-{secrets.token_hex(8)}.tmp"
    try:
        with staged.open("xb") as file:
            file.write(text.encode() if isinstance(text, str) else text)
            file.flush()
            os.fsync(file.fileno())
        yield staged
    finally:
        staged.unlink(missing_ok=True)


def sync_folder(path: Path) -> None:
    """Wait until the folder's names are on disk, if the system can."""
    if not hasattr(os, "O_DIRECTORY"):
        return
    handle = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def read_text(path: Path) -> str:
    """Return a file's text. Bytes that are not UTF-8 are replaced: anybody may have written it."""
    return path.read_text(encoding="utf-8", errors="replace")


@contextmanager
def os_errors(folder: Path) -> Iterator[None]:
    """Turn OSError into Unavailable if it passes, or Misconfigured if the owner has to fix it."""
    try:
        yield
    except OSError as error:
        reason = error.strerror or type(error).__name__
        if error.errno in _PASSING:
            raise Unavailable(f"{folder}: {reason}") from error
        raise Misconfigured(
            f"{folder} cannot be used: {reason}",
            "give the user that runs copydesk-connect the right to read and write there",
        ) from error


def run_command(command: str, folder: Path, post: Post) -> None:
    """Run the command in a folder, if there is one.

    Raises:
        Unavailable: it failed or took too long.
    """
    if not command:
        return
    process = subprocess.Popen(  # noqa: S602 - the owner's own command
        command,
        shell=True,
        cwd=folder,
        env={**os.environ, **_NO_QUESTIONS, "COPYDESK_TITLE": post.title},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        start_new_session=True,
    )
    with process:
        try:
            said, _ = process.communicate(timeout=_TIMEOUT_S)
        except subprocess.TimeoutExpired:
            # What it started keeps the pipe open as well.
            os.killpg(process.pid, signal.SIGKILL)
            process.communicate()
            raise Unavailable(f"command did not end within {_TIMEOUT_S:.0f} s") from None
    if process.returncode != 0:
        lines = [line.strip() for line in said.splitlines() if line.strip()]
        shown = " / ".join(lines[:_SHOWN_LINES])
        raise Unavailable(f"command ended with {process.returncode}: {shown}")
