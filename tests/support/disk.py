"""A small disk that can be filled, or be made read-only."""

import errno
import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


class Disk:
    """A file system in memory of a fixed size, if this user may mount one; else a plain folder
    that cannot be filled. In the folder of a process group, it ends with that."""

    def __init__(self, folder: Path, megabytes: int) -> None:
        self.folder = folder
        folder.mkdir()
        command = ["mount", "-t", "tmpfs", "-o", f"size={megabytes}m", "copydesk-test", str(folder)]
        self.can_fill = os.geteuid() == 0 and not subprocess.run(command, check=False).returncode
        folder.chmod(0o755)

    @contextmanager
    def filled(self, spare: int = 0) -> Iterator[None]:
        """In the block, no more than ``spare`` bytes are free."""
        ballast = self.folder / "ballast"
        with ballast.open("wb", buffering=0) as file:
            for size in (1 << 20, 4096, 1):
                try:
                    while file.write(b"\0" * size) == size:
                        pass
                except OSError as error:
                    if error.errno != errno.ENOSPC:
                        raise
            file.truncate(max(0, file.tell() - spare))
        try:
            yield
        finally:
            ballast.unlink()

    @contextmanager
    def read_only(self) -> Iterator[None]:
        """In the block, nothing can be written; no file may be open for writing when it begins."""
        self._mount("ro")
        try:
            yield
        finally:
            self._mount("rw")

    def _mount(self, mode: str) -> None:
        subprocess.run(["mount", "-o", f"remount,{mode}", str(self.folder)], check=True)
