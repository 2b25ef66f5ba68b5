"""A folder of files, one a post, in which nothing is ever half written or overwritten."""

import errno
import os
import re
import secrets
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from itertools import count
from pathlib import Path

from copydesk_connectors.errors import Misconfigured, Unavailable
from copydesk_connectors.post import Post
from copydesk_connectors.publisher import Finding, Level
from copydesk_connectors.targets.seen_files import UNKNOWN, Facts, SeenFiles, Stamp

# Errors that pass by themselves or with a little room; all others need the owner's hand.
_PASSING = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EIO, errno.EBUSY, errno.ESTALE})
_NO_HARD_LINKS = frozenset({errno.EPERM, errno.EOPNOTSUPP, errno.ENOSYS})
_STAGED = re.compile(r"\.copydesk-[0-9a-z]+\.tmp")
_ABANDONED_AFTER_S = 3600.0  # no write takes that long: its process died


class Folder:
    """The files of one static site.

    A file is written under a hidden name and then gets its real one in a single step that never
    replaces anything. ``read`` gives what a file's text says of itself, None for files that are
    not ours; ``cache`` is a file that keeps this for later runs. ``reserved`` names no post may
    have. ``deep`` looks into subfolders as well.
    """

    def __init__(
        self,
        path: Path,
        suffix: str,
        read: Callable[[str], Facts | None],
        *,
        reserved: Callable[[str], bool],
        deep: bool,
        cache: Path | None = None,
    ) -> None:
        self.path = path
        self._suffix = suffix
        self._read = read
        self._is_reserved = reserved
        self._deep = deep
        self._seen = SeenFiles(cache)
        self._staged: set[Path] = set()

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
            names = [name for name, facts in self.ours() if facts.id == post.id]
            return self.path / min(names) if names else None

    def ours(self) -> Iterator[tuple[str, Facts]]:
        """The name within the folder, and the facts, of every file that carries an id.

        Files that did not change are not read again.
        """
        for name, stamp in self._listed(str(self.path), ""):
            known = self._seen.known(name, stamp)
            if known is UNKNOWN:
                try:
                    known = self._seen.learn(name, stamp, self._read_file(self.path / name))
                except (FileNotFoundError, IsADirectoryError):  # removed; a folder named so
                    continue
            if isinstance(known, Facts):
                yield name, known

    def facts_of(self, path: Path, read: Callable[[str], Facts]) -> Facts | None:
        """What a file beside the posts says by ``read``; None where it is not there."""
        try:
            status = path.stat()
            name, stamp = f"/{path.name}", (status.st_mtime_ns, status.st_size)
            known = self._seen.known(name, stamp)
            return known if isinstance(known, Facts) else self._learn(name, stamp, read, path)
        except FileNotFoundError:
            return None

    def _learn(self, name: str, stamp: Stamp, read: Callable[[str], Facts], path: Path) -> Facts:
        facts = read(read_text(path))
        self._seen.learn(name, stamp, facts)
        return facts

    def remember(self) -> None:
        """Keep what was read for later runs."""
        self._seen.save()

    def _read_file(self, path: Path) -> Facts | None:
        return self._read(read_text(path))

    def place(self, post: Post, name: Callable[[str], str], render: Callable[[str], str]) -> Path:
        """Put the post's file into the folder unless it is there, and say where it is.

        ``name`` gives the file's name without suffix and ``render`` its text, both for a slug:
        the post's own, or slug-2, slug-3 … where another post or file has that name.
        """
        with os_errors(self.path):
            self.path.mkdir(exist_ok=True)
            found = self.find(post)
            self._sweep()
            if found is None:
                found = self._place_new(post, name, render)
                sync_folder(self.path)
            self._seen.save()
        return found

    def _listed(self, folder: str, prefix: str) -> Iterator[tuple[str, Stamp]]:
        # One pass by the system's own listing: a site may have tens of thousands of files.
        try:
            entries = os.scandir(folder)
        except FileNotFoundError:
            return
        with entries:
            for entry in entries:
                name = entry.name
                if name.endswith(self._suffix) and not name.startswith("."):
                    with suppress(FileNotFoundError):
                        status = entry.stat()
                        yield prefix + name, (status.st_mtime_ns, status.st_size)
                elif name.startswith("."):
                    if _STAGED.fullmatch(name):
                        self._staged.add(Path(entry))
                elif self._deep and entry.is_dir(follow_symlinks=False):
                    yield from self._listed(entry.path, f"{prefix}{name}/")

    def _place_new(
        self, post: Post, name: Callable[[str], str], render: Callable[[str], str]
    ) -> Path:
        for number in count(1):
            slug = post.slug if number == 1 else f"{post.slug}-{number}"
            final = self.path / f"{name(slug)}{self._suffix}"
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


def create_whole(path: Path, text: str | bytes) -> None:
    """Make a file that appears with all of its content or not at all.

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
    """Put ``text`` in place of a file of ours, so that readers see the old or the new one."""
    with _staged(path.parent, text) as staged:
        os.replace(staged, path)  # noqa: PTH105
    sync_folder(path.parent)


@contextmanager
def _staged(folder: Path, text: str | bytes) -> Iterator[Path]:
    # A name of its own for each write, because two instances may write the same post at once.
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
