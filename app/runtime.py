"""What runs beside the web application: workers, and the orderly end of a process."""

import asyncio
import ctypes
import logging
import multiprocessing
import os
import signal
import socket
import struct
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from threading import Event, Thread, Timer

from app.adapters.thread_queue import ThreadQueue
from app.container import Services
from app.heartbeat import Heartbeat
from app.ports import WorkKind
from app.services import jobs, runs, webhooks
from app.services.context import Context
from app.services.state import GaugeReader
from app.settings import GRACE_SECONDS

log = logging.getLogger(__name__)

# A slow receiver must not delay deliveries to others.
_DELIVERY_THREADS = 4
# What a piece of work may take beyond the time-out of a post; and a delivery, with its database.
_MORE_SECONDS, _DELIVERY_SECONDS = 120.0, 180.0
# The server closes connections on which no request has arrived. Those it has just accepted get this
# time to send one.
HEAD_SECONDS = 1.0
_SO_ATTACH_FILTER = 26
# Parameters of glibc's mallopt().
_M_TRIM_THRESHOLD, _M_ARENA_MAX = -1, -8
# A BPF program in the kernel's encoding (code, jump if true, jump if false, operand). It loads the
# flags of the TCP header, and drops the packet if SYN is set.
_DROP_SYN = [
    code | true << 16 | false << 24 | operand << 32
    for code, true, false, operand in (
        (0x30, 0, 0, 13), (0x45, 0, 1, 0x02), (0x06, 0, 0, 0), (0x06, 0, 0, 0xFFFFFFFF),
    )
]  # fmt: skip


def return_freed_memory() -> None:
    """Have glibc return freed memory to the system.

    By default it keeps up to 64 MB after large blocks were freed, and lets each thread have a heap.
    """
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None) if sys.platform == "linux" else None
    if mallopt is not None:
        mallopt(_M_TRIM_THRESHOLD, 128 * 1024)
        mallopt(_M_ARENA_MAX, 2)


def end_with_parent() -> None:
    """End this process when its parent is killed; otherwise it would keep the port."""

    def wait() -> None:
        parent = multiprocessing.parent_process()
        if parent is not None:
            parent.join()
            os.kill(os.getpid(), signal.SIGKILL)

    Thread(target=wait, name="parent", daemon=True).start()


def perform(context: Context, kind: WorkKind, work_id: str | None = None) -> bool:
    """Perform that piece of work, or the next of its kind. Return False if it is not available."""
    if kind is WorkKind.DELIVERY:
        return webhooks.deliver_next(context, work_id)
    if kind is WorkKind.JOB:
        return jobs.run_next(context, work_id)
    return runs.run_next(context, work_id)


def serve_metrics(services: Services) -> Thread:
    """Serve the metrics of this command from a thread of this process; return it.

    Raises:
        OSError: the address cannot be used.
    """
    # Loaded only where metrics are served.
    from app.adapters.prometheus_metrics import serve

    settings = services.settings
    address, folder = settings.metrics_host_and_port, settings.metrics_folder
    assert address is not None and folder is not None  # noqa: S101, PT018 - the caller's
    return serve(address, folder, GaugeReader(services.context).read)


def start_workers(services: Services, heart: Heartbeat) -> ThreadQueue:
    """Perform queued work in threads of this process until ``stop``."""
    post_seconds = services.settings.generation_timeout_seconds + _MORE_SECONDS
    context = services.context
    queue = context.queue
    assert isinstance(queue, ThreadQueue)  # noqa: S101 - with Redis, workers are processes

    def generate() -> bool:
        # One of each in turn, so that neither keeps the other waiting.
        found = False
        for kind in (WorkKind.JOB, WorkKind.RUN):
            with heart.watching(post_seconds):
                found = perform(context, kind) or found
        return found

    def deliver() -> bool:
        with heart.watching(_DELIVERY_SECONDS):
            return perform(context, WorkKind.DELIVERY)

    queue.start(generate, services.settings.workers, WorkKind.JOB, WorkKind.RUN)
    queue.start(deliver, _DELIVERY_THREADS, WorkKind.DELIVERY)
    return queue


def _drop_new_connections() -> None:
    """Have the kernel drop requests for new connections to the sockets this process listens on.

    Connections that it has accepted stay open. Only Linux can do this; elsewhere nothing happens.
    """
    instructions = (ctypes.c_uint64 * len(_DROP_SYN))(*_DROP_SYN)
    program = struct.pack("HP", len(_DROP_SYN), ctypes.addressof(instructions))
    with suppress(OSError):
        for entry in Path("/proc/self/fd").iterdir():
            if not entry.readlink().name.startswith("socket:"):
                continue
            with socket.socket(fileno=os.dup(int(entry.name))) as found:
                if found.getsockopt(socket.SOL_SOCKET, socket.SO_ACCEPTCONN):
                    found.setsockopt(socket.SOL_SOCKET, _SO_ATTACH_FILTER, program)


class Drain:
    """The orderly end of a process: it starts nothing new and finishes what is running.

    Work that is unfinished after the drain time is cancelled: a call is answered with 503, a job or
    a run is handed back for another process.

    Args:
        seconds: the drain time.
        begin_nothing: called immediately.
        cancel: called after the drain time, if the process is still running.
    """

    def __init__(
        self, seconds: float, begin_nothing: Callable[[], None], cancel: Callable[[], None]
    ) -> None:
        self._seconds = seconds
        self._begin_nothing = begin_nothing
        self._cancel = cancel
        self._begun = Event()
        self._cancelled = Event()

    def begin(self) -> None:
        """Begin to drain; a second call does nothing."""
        if self._begun.is_set():
            return
        self._begun.set()
        log.info(
            "stopping: work in progress has up to %g s to finish; a second Ctrl-C ends it at once,"
            " and the next start goes on with it",
            self._seconds,
        )
        self._begin_nothing()
        timer = Timer(self._seconds, self._cancel_now)
        timer.daemon = True
        timer.start()

    def begin_at_sigterm(self) -> None:
        """Begin when the web server's worker gets SIGTERM; called in its event loop.

        The server handles SIGTERM and SIGINT alike, and asyncio keeps one handler for each. So this
        handler replaces the server's for SIGTERM, and calls it by raising SIGINT.
        """

        loop = asyncio.get_running_loop()

        def handle() -> None:
            self.begin()
            _drop_new_connections()
            loop.call_later(HEAD_SECONDS, signal.raise_signal, signal.SIGINT)

        loop.add_signal_handler(signal.SIGTERM, handle)

    def wait(self, join: Callable[[float], bool]) -> None:
        """Wait until ``join``, given the seconds it may take, returns that everything has ended."""
        self.begin()
        while not self._cancelled.is_set():
            if join(0.2):
                return
        join(GRACE_SECONDS)

    def _cancel_now(self) -> None:
        log.warning("stopping: handing back unfinished work")
        self._cancel()
        self._cancelled.set()
