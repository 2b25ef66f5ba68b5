"""A command inside a root file system, in namespaces of its own that end with it."""

import os
import shlex
import signal
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO

_LOOPBACK_UP = (
    "import fcntl, socket, struct;"
    "fcntl.ioctl(socket.socket(), 0x8914, struct.pack('16sh14x', b'lo', 1))"  # SIOCSIFFLAGS, IFF_UP
)
# As a container engine starts a process for `cap_drop: [ALL]` and `no-new-privileges`.
_NO_POWERS = ("--clear-groups", "--no-new-privs", "--inh-caps=-all", "--bounding-set=-all")


@dataclass(frozen=True)
class Mount:
    """``source`` None is a tmpfs. The target is created for as long as it is needed."""

    target: str
    source: Path | None = None
    read_only: bool = False


@dataclass(frozen=True)
class Chamber:
    """How a command runs in ``root``.

    It has a loopback of its own and nothing else, unless it is lent the host's ``network`` or
    shares that of the process ``neighbour``.
    """

    root: Path
    env: Mapping[str, str]
    workdir: str = "/"
    user: str = "0:0"
    mounts: Sequence[Mount] = ()
    network: bool = False
    neighbour: int | None = None
    read_only: bool = False

    def start(self, command: Sequence[str], output: IO[bytes] | int | None = None) -> "Running":
        """Begin the command as process 1 of its namespace."""
        made = [place for mount in self.mounts if (place := self._make_place(mount))]
        argv = [] if self.neighbour is None else ["nsenter", f"--net=/proc/{self.neighbour}/ns/net"]
        argv += ["unshare", "--mount", "--pid", "--fork", "--kill-child", "--propagation=private"]
        argv += ["--net"] if self._alone else []
        argv += ["sh", "-ec", self._script(), "sh", *self.inside(command)]
        process = subprocess.Popen(argv, stdout=output, stderr=output, stdin=subprocess.DEVNULL)
        return Running(self, process, made)

    def run(self, command: Sequence[str], output: IO[bytes] | int | None = None) -> int:
        """The command's exit code."""
        running = self.start(command, output)
        try:
            return running.process.wait()
        finally:
            running.end()

    def inside(self, command: Sequence[str]) -> list[str]:
        """The command with this environment, folder and user."""
        uid, _, gid = self.user.partition(":")
        drop = [] if uid == "0" else ["setpriv", "--reuid", uid, "--regid", gid, *_NO_POWERS, "--"]
        variables = [f"{name}={value}" for name, value in self.env.items()]
        return ["/usr/bin/env", "-i", "-C", self.workdir, *variables, *drop, *command]

    @property
    def _alone(self) -> bool:
        return not self.network and self.neighbour is None

    def _script(self) -> str:
        root = shlex.quote(str(self.root))
        lines = [f"mount --bind {root} {root}"]
        if self.read_only:
            lines.append(f"mount -o remount,bind,ro {root}")
        lines += [f"mount -t proc proc {root}/proc", f"mount --rbind /dev {root}/dev"]
        for mount in self.mounts:
            target = shlex.quote(f"{self.root}{mount.target}")
            if mount.source is None:
                lines.append(f"mount -t tmpfs -o mode=1777 tmpfs {target}")
                continue
            lines.append(f"mount --bind {shlex.quote(str(mount.source))} {target}")
            if mount.read_only:
                lines.append(f"mount -o remount,bind,ro {target}")
        if self._alone:
            lines.append(f"{shlex.quote(sys.executable)} -c {shlex.quote(_LOOPBACK_UP)}")
        lines.append(f'exec chroot {root} "$@"')
        return "\n".join(lines)

    def _make_place(self, mount: Mount) -> Path | None:
        """Where the mount goes; the topmost path that had to be created, if any."""
        place = Path(f"{self.root}{mount.target}")
        if place.exists():
            return None
        top = place
        while not top.parent.exists():
            top = top.parent
        if mount.source is None or mount.source.is_dir():
            place.mkdir(parents=True)
        else:
            place.parent.mkdir(parents=True, exist_ok=True)
            place.touch()
        return top


@dataclass
class Running:
    """A command that was started. ``end`` must be called."""

    chamber: Chamber
    process: subprocess.Popen[bytes]
    made: list[Path] = field(default_factory=list)

    @property
    def first(self) -> int:
        """Process 1 of the namespace, by its id out here; ends the program where it has ended."""
        children = Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children")
        until = time.monotonic() + 10
        while time.monotonic() < until and self.process.poll() is None:
            if found := children.read_text().split():
                return int(found[0])
            time.sleep(0.01)
        raise ProcessLookupError("the command has ended")

    def run(self, command: Sequence[str]) -> subprocess.CompletedProcess[str]:
        """A second command beside the first, as `docker exec` does it."""
        enter = ["nsenter", "--target", str(self.first), "--mount", "--pid", "--net", "--root"]
        return subprocess.run(
            [*enter, *self.chamber.inside(command)], capture_output=True, text=True, check=False
        )

    def stop(self, number: signal.Signals, within: float) -> tuple[int, float]:
        """Send the signal to process 1: its exit code and how long it took, in seconds.

        Raises:
            subprocess.TimeoutExpired: it still runs after ``within`` seconds.
        """
        began = time.monotonic()
        os.kill(self.first, number)
        return self.process.wait(within), time.monotonic() - began

    def end(self) -> None:
        """Kill what still runs and remove the mount points that were made."""
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        for place in reversed(self.made):
            _remove_empty(place)
        self.made = []


def _remove_empty(place: Path) -> None:
    if place.is_dir():
        for inner in place.iterdir():
            _remove_empty(inner)
        place.rmdir()
    elif place.stat().st_size == 0:
        place.unlink()
