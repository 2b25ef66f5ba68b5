"""The service as a large installation runs it, with sites that publish from it.

Two web servers behind a balancer, three workers, two schedulers, PostgreSQL, Redis, and four
connectors with a real WordPress and a real Ghost. The database and the connectors' ledgers are on a
small disk of their own, each process has a clock that can jump, and the connections to the web
servers, the model and the sites can be cut.
"""

import contextlib
import select
import socket
import struct
import subprocess
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from functools import cached_property
from itertools import count
from pathlib import Path
from threading import Lock, Thread

from sqlalchemy import Engine, NullPool, create_engine

from app.ports import Clock
from app.services import accounts
from app.services.context import Context
from app.store import database
from tests.support.contexts import context_at
from tests.support.crashes.programs import Program
from tests.support.disk import Disk
from tests.support.feeds import RunningFeed, new_feed
from tests.support.postgres import PostgresServer
from tests.support.process_group import ProcessGroup
from tests.support.redis_server import RedisServer
from tests.support.service import MODEL_KEY, ScriptedModel
from tests.support.sites.live_site import LiveSite, write_config
from tests.support.sites.live_sites import live_site
from tests.support.sites.programs import program
from tests.support.startup import free_port

_LINGER = struct.pack("ii", 1, 0)  # a close is a reset


class Wire:
    """A proxy to these ports of loopback, in turn; it skips one that refuses the connection. A
    client is cut off if none accepts. It ends with this process."""

    def __init__(self, *ports: int) -> None:
        self._ports = ports
        self._turn = count()
        self._lock = Lock()
        self._open: set[socket.socket] = set()
        self._listener = socket.create_server(("127.0.0.1", 0), backlog=128)
        self.port: int = self._listener.getsockname()[1]
        self.url = f"http://127.0.0.1:{self.port}"
        Thread(target=self._listen, name=f"wire-{self.port}", daemon=True).start()

    def cut(self) -> int:
        """Reset all connections; return how many there were."""
        with self._lock:
            ends = list(self._open)
        for end in ends:
            with contextlib.suppress(OSError):
                end.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _LINGER)
                end.shutdown(socket.SHUT_RDWR)
        return len(ends) // 2

    def _listen(self) -> None:
        while True:
            client, _ = self._listener.accept()
            Thread(target=self._serve, args=(client,), daemon=True).start()

    def _serve(self, client: socket.socket) -> None:
        with client:
            server = self._connect()
            if server is None:
                return
            with server:
                self._pump(client, server)

    def _connect(self) -> socket.socket | None:
        first = next(self._turn)
        for number in range(len(self._ports)):
            port = self._ports[(first + number) % len(self._ports)]
            with contextlib.suppress(OSError):
                return socket.create_connection(("127.0.0.1", port), timeout=5)
        return None

    def _pump(self, client: socket.socket, server: socket.socket) -> None:
        other = {client: server, server: client}
        server.settimeout(None)
        with self._lock:
            self._open |= other.keys()
        try:
            while True:
                for end in select.select([client, server], [], [])[0]:
                    data = end.recv(65_536)
                    if not data:
                        return
                    other[end].sendall(data)
        except OSError:
            pass
        finally:
            with self._lock:
                self._open -= other.keys()


def port_of(url: str) -> int:
    """Return the port of an address on loopback."""
    return int(url.removeprefix("http://").partition("/")[0].rpartition(":")[2])


SOURCE = Path(__file__).with_name("false_clock.c")


def build_library(folder: Path) -> Path:
    """Return the library, compiled into a folder.

    Raises:
        NotInstalled: there is no compiler.
    """
    library = folder / "false_clock.so"
    command = [program("cc"), "-shared", "-fPIC", "-O2", "-o", str(library), str(SOURCE)]
    subprocess.run(command, check=True)
    return library


class FalseClock:
    """The clock of the processes that are started with ``settings``: a small library between them
    and the time of their machine. It is right until it jumps. With libfaketime, the sleeps of
    Python 3.11 fail, or monotonic time jumps as well.

    Only the time of day jumps: time-outs and pauses are measured by another clock, as in a machine
    whose time somebody sets.
    """

    def __init__(self, file: Path, library: Path) -> None:
        self._file = file
        self._file.write_bytes(bytes(8))
        self.settings: Mapping[str, str] = {"LD_PRELOAD": str(library), "FALSE_CLOCK": str(file)}

    def jump(self, seconds: int) -> None:
        """Be this number of seconds fast from now on, or slow if it is negative."""
        with self._file.open("r+b", buffering=0) as file:
            file.write(seconds.to_bytes(8, "little", signed=True))


WEBS, WORKERS, SCHEDULERS, CONNECTORS = 2, 3, 2, 4
DISK_MEGABYTES = 900
SITES = ("wordpress-bookworm", "ghost")


class Production:
    """The set-up, running. A context."""

    def __enter__(self) -> "Production":
        with ExitStack() as stack:
            self._start(stack)
            self._stack = stack.pop_all()
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    def _start(self, stack: ExitStack) -> None:
        self.sites: list[LiveSite] = [stack.enter_context(live_site(name)) for name in SITES]
        group = self.group = ProcessGroup()
        self.disk = Disk(group.folder / "disk", DISK_MEGABYTES)
        stack.callback(group.close)
        group.folder.chmod(0o711)
        self.model = ScriptedModel(group)
        self.postgres = PostgresServer(group, "disk/postgres")
        self.redis = RedisServer(group)
        ports = [free_port() for _ in range(WEBS)]
        self.wires = {
            "web": Wire(*ports),
            "model": Wire(port_of(self.model.url)),
            **{f"site-{number}": Wire(port_of(s.url)) for number, s in enumerate(self.sites)},
        }
        self.url = self.wires["web"].url
        self.database_url = self.postgres.create_database()
        self._settings = {
            "COPYDESK_DATA_DIR": str(self.disk.folder),
            "COPYDESK_DATABASE_URL": self.database_url,
            "COPYDESK_REDIS_URL": self.redis.url,
            "COPYDESK_PUBLIC_URL": self.url,
            "COPYDESK_MODEL": "scripted",
            "COPYDESK_MODEL_PRICES": "scripted=1/1",
            "COPYDESK_MODEL_REST_SECONDS": "5",
            "COPYDESK_WEBHOOK_ALLOW_PRIVATE": "1",
            "COPYDESK_WORKERS": "1",
            "COPYDESK_TICK_SECONDS": "2",
            "OPENAI_BASE_URL": f"{self.wires['model'].url}/v1",
            "OPENAI_API_KEY": MODEL_KEY,
        }
        database.bind(self.database_url)
        database.migrate()
        accounts.update_plan(
            "scale",
            {
                "requests_per_minute": 100_000,
                "requests_per_day": 1_000_000,
                "monthly_words": 1_000_000_000,
            },
        )
        self.clocks: dict[str, FalseClock] = {}
        self._library = build_library(group.folder)
        self.webs = [
            self._program(f"web-{n}", f"web --port {port}", "listening on")
            for n, port in enumerate(ports)
        ]
        self.workers = [
            self._program(f"worker-{n}", "worker", "waiting for work") for n in range(WORKERS)
        ]
        self.schedulers = [
            self._program(f"scheduler-{n}", "scheduler", "ticking") for n in range(SCHEDULERS)
        ]
        self._begin([*self.webs, *self.workers, *self.schedulers])
        self.feeds = [
            new_feed(self, monthly_words=1_000_000_000)  # type: ignore[arg-type]
            for _ in range(CONNECTORS)
        ]
        self.connectors = [self._connector(n, feed) for n, feed in enumerate(self.feeds)]
        self._begin(self.connectors)

    @property
    def programs(self) -> list[Program]:
        """All that a supervisor starts again."""
        return [*self.webs, *self.workers, *self.schedulers, *self.connectors]

    @contextlib.contextmanager
    def database(self) -> Iterator[Context]:
        """In the block, this process works on the service's database, as it does anyway."""
        yield context_at(Clock())

    @cached_property
    def engine(self) -> Engine:
        """The service's database."""
        return create_engine(self.database_url, poolclass=NullPool, hide_parameters=True)

    def _connector(self, number: int, feed: RunningFeed) -> Program:
        folder, place = self.disk.folder / f"connector-{number}", number % len(self.sites)
        site, wire = self.sites[place], self.wires[f"site-{place}"]
        lines = 'url_env = "COPYDESK_FEED_URL"\npoll_minutes = 1'
        file = write_config(folder, site, wire.url, lines)
        command = f"run --config {file}"
        more = {"COPYDESK_FEED_URL": f"{feed.url}/latest"}
        module = "copydesk_connectors"
        return self._program(f"connector-{number}", command, "next pass in", module, more)

    def _program(
        self,
        name: str,
        command: str,
        says: str,
        module: str = "app.cli",
        settings: Mapping[str, str] | None = None,
    ) -> Program:
        environment = self._settings if settings is None else settings
        clock = self.clocks[name] = FalseClock(self.group.folder / f"{name}.clock", self._library)
        environment = {**environment, **clock.settings}
        return Program(self.group, name, command, environment, says, module)

    @staticmethod
    def _begin(programs: list[Program]) -> None:
        with ThreadPoolExecutor() as pool:
            for started in [pool.submit(program.start) for program in programs]:
                started.result()
