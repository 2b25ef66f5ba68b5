"""A small JSON object that the processes of one machine change in turn."""

import fcntl
import json
import logging
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import gettempdir
from threading import Lock
from typing import IO, Any

log = logging.getLogger(__name__)


class SharedState:
    """The object, in a file, or in memory if ``path`` is None or its folder cannot be used.

    The lock on the file ends with the process that holds it, so a killed process blocks nobody. A
    file that cannot be read is an empty object.
    """

    def __init__(self, path: Path | None = None) -> None:
        self._path = path
        self._memory: dict[str, Any] = {}
        self._lock = Lock()

    @contextmanager
    def changing(self) -> Iterator[dict[str, Any]]:
        """Yield the object; the others wait until the block ends, and then see its changes."""
        with self._lock:
            file = self._open()
            if file is None:
                yield self._memory
                return
            with file:
                fcntl.flock(file, fcntl.LOCK_EX)
                before = file.read()
                values = _object(before)
                try:
                    yield values
                finally:
                    after = json.dumps(values)
                    if after != before:
                        file.seek(0)
                        file.write(after)
                        file.truncate()

    def _open(self) -> IO[str] | None:
        if self._path is None:
            return None
        try:
            return os.fdopen(os.open(self._path, os.O_RDWR | os.O_CREAT, 0o600), "r+")
        except OSError as error:
            log.warning("%s cannot be used (%s)", self._path, error.strerror)
            self._path = None
            return None


def folder(preferred: Path) -> Path | None:
    """Return a private folder for the files: the preferred one, or one of this user in the folder
    for temporary files, such as in a container whose other folders are read-only. None if neither
    can be used. Creates no other folder."""
    for each in (preferred, Path(gettempdir()) / f"copydesk-{os.getuid()}"):
        try:
            each.mkdir(mode=0o700, exist_ok=True)
            if each.stat().st_uid == os.getuid() and os.access(each, os.W_OK):
                return each
        except OSError:
            continue
    return None


def _object(text: str) -> dict[str, Any]:
    try:
        values = json.loads(text or "{}")
    except ValueError:
        return {}
    return values if isinstance(values, dict) else {}
