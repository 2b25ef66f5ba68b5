"""What runs beside the web application: workers, and the orderly end of a process."""

import asyncio
import logging
import multiprocessing
import os
import signal
import socket
import struct
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from fcntl import ioctl
from functools import partial
from pathlib import Path
from termios import TIOCOUTQ
from threading import Event, Thread, Timer

from app.adapters.thread_queue import ThreadQueue
from app.container import Services
from app.heartbeat import Heartbeat
from app.ports import WorkKind
from app.services import jobs, runs, state, webhooks
from app.services.context import Context
from app.settings import GRACE_SECONDS, Settings

log = logging.getLogger(__name__)

# A slow receiver must not delay deliveries to others.
_DELIVERY_THREADS = 4
# What a piece of work may take beyond the time-out of a post; and a delivery, with its database.
_MORE_SECONDS, _DELIVERY_SECONDS = 120.0, 180.0
# How long the web server still accepts connections after SIGTERM. When it stops, it closes those on
# which no request has arrived.
HEAD_SECONDS = 1.0
# How long a client may take for what waits for it, or for so much of it, and how often the server
# looks. What the client's system keeps grows a little without it.
_UNREAD_SECONDS, _LEAST_BYTES, _LOOK_SECONDS = 30.0, 32_768, 5.0
# The bytes that a client has acknowledged, in Linux's tcp_info.
_ACKNOWLEDGED = struct.Struct("120xQ")
_RESET_AT_CLOSE = struct.pack("ii", 1, 0)


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


def longest_seconds(settings: Settings, kind: WorkKind) -> float:
    """Return how long a piece of work of that kind may take before it counts as hanging."""
    if kind is WorkKind.DELIVERY:
        return _DELIVERY_SECONDS
    return settings.generation_timeout_seconds + _MORE_SECONDS


def serve_metrics(services: Services) -> None:
    """Serve the metrics of this command from a thread of this process.

    Raises:
        OSError: the address cannot be used.
    """
    # Loaded only where metrics are served.
    from app.metrics import serve

    address = services.settings.metrics_host_and_port
    assert address is not None  # noqa: S101 - the caller's
    serve(address, lambda: state.gauges(services.context))


def start_workers(services: Services, heart: Heartbeat) -> ThreadQueue:
    """Perform queued work in threads of this process until ``stop``."""
    queue, longest = services.context.queue, partial(longest_seconds, services.settings)
    assert isinstance(queue, ThreadQueue)  # noqa: S101 - with Redis, workers are processes

    def generate() -> bool:
        # One of each in turn, so that neither keeps the other waiting.
        found = False
        for kind in (WorkKind.JOB, WorkKind.RUN):
            with heart.watching(longest(kind)):
                found = perform(services.context, kind) or found
        return found

    def deliver() -> bool:
        with heart.watching(longest(WorkKind.DELIVERY)):
            return perform(services.context, WorkKind.DELIVERY)

    queue.start(generate, services.settings.workers, WorkKind.JOB, WorkKind.RUN)
    queue.start(deliver, _DELIVERY_THREADS, WorkKind.DELIVERY)
    return queue


def close_unread_connections() -> None:
    """Close connections whose client reads nothing of a response, in a thread of its own.

    The server waits for such a client without a limit, and so does the kernel: its own limit counts
    from the last answer to a probe, if the client has room for a part of what is next. Elsewhere
    than on Linux nothing happens.
    """
    if sys.platform == "linux":
        Thread(target=_close_unread, name="unread", daemon=True).start()


def _close_unread() -> None:
    awaited: dict[int, tuple[int, float]] = {}
    while True:
        time.sleep(_LOOK_SECONDS)
        awaited = look_for_unread(awaited, time.monotonic())


def look_for_unread(
    awaited: Mapping[int, tuple[int, float]], now: float
) -> dict[int, tuple[int, float]]:
    """Close the connections whose client is late; return, by the number of its socket, how many
    bytes each of the others has to acknowledge in all, and until when.

    Args:
        awaited: what the look before returned.
    """
    ports = {each.getsockname()[1] for each in _listeners()}
    found = {}
    for each in _sockets():
        with suppress(OSError):  # it is not of TCP, it listens, or its client has gone
            waiting = int.from_bytes(ioctl(each, TIOCOUTQ, bytes(4)), sys.byteorder)
            if not waiting or each.getsockname()[1] not in ports:
                continue
            info = each.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, _ACKNOWLEDGED.size)
            (acknowledged,) = _ACKNOWLEDGED.unpack(info)
            number = os.fstat(each.fileno()).st_ino
            goal, until = awaited.get(number, (0, 0.0))
            if acknowledged >= goal:
                goal, until = acknowledged + min(waiting, _LEAST_BYTES), now + _UNREAD_SECONDS
            found[number] = goal, until
            if now >= until:
                each.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _RESET_AT_CLOSE)
                each.shutdown(socket.SHUT_RDWR)
    return found


def _listeners() -> Iterator[socket.socket]:
    """Yield the sockets on which this process listens; none elsewhere than on Linux."""
    for each in _sockets():
        if each.getsockopt(socket.SOL_SOCKET, socket.SO_ACCEPTCONN):
            yield each


def _sockets() -> Iterator[socket.socket]:
    """Yield the sockets of this process to the network; none elsewhere than on Linux."""
    if sys.platform != "linux":
        return
    for entry in Path("/proc/self/fd").iterdir():
        with suppress(OSError):  # closed meanwhile, as the descriptor of the listing is
            if not entry.readlink().name.startswith("socket:"):
                continue
            with socket.socket(fileno=os.dup(int(entry.name))) as each:
                if each.family in (socket.AF_INET, socket.AF_INET6):
                    yield each


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
