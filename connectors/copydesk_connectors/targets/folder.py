"""A folder of files, one a post, in which nothing is ever half written or overwritten."""

import errno
import os
import secrets
import tempfile
import time
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path

from copydesk_connectors.errors import Misconfigured, Unavailable
from copydesk_connectors.post import Post
from copydesk_connectors.publisher import Finding, Level

# Errors that pass by themselves or with a little room; all others need the owner's hand.
_PASSING = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EIO, errno.EBUSY, errno.ESTALE})
_NO_HARD_LINKS = frozenset({errno.EPERM, errno.EOPNOTSUPP, errno.ENOSYS})
_STAGED = ".copydesk-{}.tmp"
_ABANDONED_AFTER_S = 3600.0  # no write takes that long: its process died


class Folder:
    """The files of one static site.

    A file is written under a hidden name and then gets its real one in a single step that never
    replaces anything. ``read_id`` gives the id that a file's text carries, None for files that
    are not ours. ``reserved`` names no post may have. ``deep`` looks into subfolders as well.
    """

    def __init__(
        self,
        path: Path,
        suffix: str,
        read_id: Callable[[str], str | None],
        *,
        reserved: Collection[str],
        deep: bool,
    ) -> None:
        self.path = path
        self._suffix = suffix
        self._read_id = read_id
        self._reserved = frozenset(reserved)
        self._pattern = f"**/*{suffix}" if deep else f"*{suffix}"
        self._seen: dict[Path, tuple[tuple[int, int], str | None]] = {}

    def ready(self) -> None:
        """Return when files can be written, or the folder can be made in the one above it."""
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

    def check(self, subject: str) -> Finding:
        """Whether files can be written."""
        try:
            self.ready()
        except Misconfigured as error:
            return Finding(Level.PROBLEM, subject, str(error.args[0]), error.fix)
        except Unavailable as error:
            return Finding(Level.PROBLEM, subject, str(error), "make room, or mend the disk")
        outlook = "can be written" if self.path.exists() else "does not exist yet and will be made"
        return Finding(Level.OK, subject, f"the folder {self.path} {outlook}")

    def find(self, post: Post) -> Path | None:
        """The file that carries the post's id, under whatever name; the first by name."""
        with os_errors(self.path):
            return next((path for path, found in self.ours() if found == post.id), None)

    def ours(self) -> Iterator[tuple[Path, str]]:
        """Every file that carries an id, by name. Files that did not change are not read again."""
        for path in sorted(self.path.glob(self._pattern)):
            try:
                status = path.stat()
                stamp = (status.st_mtime_ns, status.st_size)
                if path not in self._seen or self._seen[path][0] != stamp:
                    self._seen[path] = (stamp, self._read_id(read_text(path)))
            except (FileNotFoundError, IsADirectoryError):  # removed meanwhile; a folder named so
                continue
            if (found := self._seen[path][1]) is not None:
                yield path, found

    def place(self, post: Post, name: Callable[[str], str], render: Callable[[str], str]) -> Path:
        """Put the post's file into the folder unless it is there, and say where it is.

        ``name`` gives the file's name without suffix and ``render`` its text, both for a slug:
        the post's own, or slug-2, slug-3 … where another post or file has that name.
        """
        with os_errors(self.path):
            self.path.mkdir(exist_ok=True)
            self._sweep()
            found = self.find(post)
            if found is None:
                found = self._place_new(post, name, render)
                sync_folder(self.path)
        return found

    def _place_new(
        self, post: Post, name: Callable[[str], str], render: Callable[[str], str]
    ) -> Path:
        for number in count(1):
            slug = post.slug if number == 1 else f"{post.slug}-{number}"
            final = self.path / f"{name(slug)}{self._suffix}"
            if final.name in self._reserved:
                continue
            try:
                create_whole(final, render(slug))
            except FileExistsError:
                # Another instance may have placed this very post since we looked.
                if not final.is_file() or self._read_id(read_text(final)) != post.id:
                    continue
            return final
        raise AssertionError("count() does not end")

    def _sweep(self) -> None:
        oldest = time.time() - _ABANDONED_AFTER_S
        for path in self.path.glob(_STAGED.format("*")):
            if path.stat().st_mtime < oldest:
                path.unlink(missing_ok=True)


def create_whole(path: Path, text: str) -> None:
    """Make a file that appears with all of its text or not at all.

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


def replace_whole(path: Path, text: str) -> None:
    """Put ``text`` in place of a file of ours, so that readers see the old or the new one."""
    with _staged(path.parent, text) as staged:
        os.replace(staged, path)  # noqa: PTH105
    sync_folder(path.parent)


@contextmanager
def _staged(folder: Path, text: str) -> Iterator[Path]:
    # A name of its own for each write, because two instances may write the same post at once.
    staged = folder / _STAGED.format(secrets.token_hex(8))
    try:
        with staged.open("x", encoding="utf-8", newline="\n") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        yield staged
    finally:
        staged.unlink(missing_ok=True)


def sync_folder(path: Path) -> None:
    """Wait until the disk has the folder's names; where the system cannot, do nothing."""
    if not hasattr(os, "O_DIRECTORY"):
        return
    handle = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def read_text(path: Path) -> str:
    """A file's text; bytes that are no UTF-8 are replaced, since the file may be anybody's."""
    return path.read_text(encoding="utf-8", errors="replace")


@contextmanager
def os_errors(folder: Path) -> Iterator[None]:
    """Sort the system's errors into those that pass and those that the owner has to mend."""
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
