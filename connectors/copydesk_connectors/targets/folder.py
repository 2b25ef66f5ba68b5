"""Targets that publish one file for each post into a folder.

No file is ever half written, and nobody else's file is overwritten.
"""

import errno
import os
import re
import secrets
import stat
import tempfile
import time
from abc import abstractmethod
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from itertools import count
from pathlib import Path
from typing import ClassVar, NamedTuple
from urllib.parse import quote

from copydesk_connectors.target.base import Copy, CopyState, Finding, Level, Target
from copydesk_connectors.target.errors import (
    ConnectorError,
    Misconfigured,
    Unavailable,
)
from copydesk_connectors.target.post import Post

# Errors that pass after a while or once there is disk space; the owner has to fix all others.
_PASSING = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EIO, errno.EBUSY, errno.ESTALE})
_NO_HARD_LINKS = frozenset({errno.EPERM, errno.EOPNOTSUPP, errno.ENOSYS})
_STAGED = re.compile(r"\.copydesk-[0-9a-z]+\.tmp")
_ABANDONED_AFTER_S = 3600.0  # no write takes that long: its process died


class Facts(NamedTuple):
    """What a post's file says: the post's id, and what an index shows."""

    id: str
    title: str = ""
    description: str = ""
    published: str = ""


class FolderTarget(Target):
    """A folder with one file for each post.

    A file is written under a hidden name and then gets its real one in a single step that never
    replaces anything.
    """

    suffix: ClassVar[str]
    """How the names of posts end."""
    deep: ClassVar[bool] = False
    """Whether posts may be in subfolders."""

    def __init__(self, name: str, path: Path) -> None:
        super().__init__(name)
        self.path = path
        # What this process has read, by the name within the folder, with the file's state then.
        self._seen: dict[str, tuple[tuple[int, int], Facts | None]] = {}
        self._staged: set[Path] = set()

    @abstractmethod
    def _read(self, text: str) -> Facts | None:
        """Return what a file says, or None for a file of somebody else."""

    @abstractmethod
    def _is_reserved(self, name: str) -> bool:
        """Return whether no post may have this file name."""

    @abstractmethod
    def _copy(self, post: Post, path: Path) -> Copy:
        """Return the file of a post as a copy."""

    def ready(self) -> None:
        """Return if files can be written."""
        self._need_writable()

    def check(self) -> Sequence[Finding]:
        """Return whether files can be written, and what ``inspect`` finds."""
        try:
            self._need_writable()
            is_there = self.path.exists()
            outlook = "can be written" if is_there else "does not exist yet and will be created"
            written = Finding(Level.OK, self.name, f"the folder {self.path.resolve()} {outlook}")
        except ConnectorError as error:
            fix = "free some space, or repair the disk"
            written = Finding.of_error(self.name, error, fix)
        return [written, *self.inspect()]

    def find(self, post: Post) -> Copy | None:
        """Return the post's file, whatever its name."""
        path = self._find_file(post)
        return None if path is None else self._copy(post, path)

    def draft(self, post: Post) -> Copy:
        """Do nothing: a file has no draft, it appears whole when it is published."""
        return Copy("", CopyState.DRAFT)

    def _need_writable(self) -> None:
        if self.path.exists() and not self.path.is_dir():
            raise Misconfigured(f"{self.path} is not a folder", "give the path of a folder")
        nearest = self.path if self.path.exists() else self.path.parent
        if not nearest.is_dir():
            raise Misconfigured(
                f"neither {self.path} nor the folder above it exists",
                f"make it (mkdir -p {self.path}) or correct the path",
            )
        with os_errors(nearest), tempfile.TemporaryFile(dir=nearest):
            pass

    def _find_file(self, post: Post) -> Path | None:
        """Return the file that has the post's id; the first by name if there are several."""
        with os_errors(self.path):
            names = [name for name, facts in self._ours() if facts.id == post.id]
            return self.path / min(names) if names else None

    def _ours(self) -> Iterator[tuple[str, Facts]]:
        """Yield the name within the folder, and the facts, of every file that has an id."""
        for name, stamp in self._listed(str(self.path), ""):
            known = self._seen.get(name)
            if known is None or known[0] != stamp:
                try:
                    known = self._seen[name] = (stamp, self._read_file(self.path / name))
                except FileNotFoundError:
                    continue
            if known[1]:
                yield name, known[1]

    def _listed(self, folder: str, prefix: str) -> Iterator[tuple[str, tuple[int, int]]]:
        # One pass by the system's own listing: a site may have tens of thousands of files.
        try:
            entries = os.scandir(folder)
        except FileNotFoundError:
            return
        with entries:
            for entry in entries:
                name = entry.name
                if name.endswith(self.suffix) and not name.startswith("."):
                    status = _file_status(entry)
                    if status is not None:
                        yield prefix + name, (status.st_mtime_ns, status.st_size)
                elif name.startswith("."):
                    if _STAGED.fullmatch(name):
                        self._staged.add(Path(entry))
                elif self.deep and entry.is_dir(follow_symlinks=False):
                    yield from self._listed(entry.path, f"{prefix}{name}/")

    def _read_file(self, path: Path) -> Facts | None:
        return self._read(read_text(path))

    def _place(self, post: Post, render: Callable[[str], str], *, prefix: str = "") -> Path:
        """Write the post's file unless it exists, and return its path.

        Args:
            render: returns the text for a slug: the post's own, or slug-2, slug-3 … if another
                post or file has that name.
            prefix: what the file's name has before the slug.
        """
        with os_errors(self.path):
            self.path.mkdir(exist_ok=True)
            found = self._find_file(post)
            self._sweep()
            if found is None:
                found = self._place_new(post, render, prefix)
                sync_folder(self.path)
        return found

    def _place_new(self, post: Post, render: Callable[[str], str], prefix: str) -> Path:
        for number in count(1):
            slug = post.slug if number == 1 else f"{post.slug}-{number}"
            final = self.path / f"{prefix}{slug}{self.suffix}"
            if self._is_reserved(final.name):
                continue
            try:
                create_whole(final, render(slug))
            except FileExistsError:
                # Another instance may have placed this very post since we looked.
                there = self._read_file(final) if final.is_file() else None
                if there is None or there.id != post.id:
                    continue
            return final
        raise AssertionError("count() does not end")

    def _sweep(self) -> None:
        while self._staged:
            staged = self._staged.pop()
            with suppress(FileNotFoundError):
                if staged.stat().st_mtime < time.time() - _ABANDONED_AFTER_S:
                    staged.unlink()


def _file_status(entry: os.DirEntry[str]) -> os.stat_result | None:
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


def replace_whole(path: Path, text: str | bytes) -> None:
    """Replace a file atomically, so that readers see either the old text or the new one."""
    with _staged(path.parent, text) as staged:
        os.replace(staged, path)  # noqa: PTH105
    sync_folder(path.parent)


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


def quoted(name: str) -> str:
    """Return a file's name for an address, also if its bytes are not UTF-8."""
    return quote(name, errors="surrogateescape")


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
