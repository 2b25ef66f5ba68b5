"""A process that takes work from Redis by RQ and does one piece after another.

It uses `rq.SimpleWorker` rather than `rq.Worker`: a fork for each piece of work would open its own
connections, and prepare again every statement and prompt that it needs.
"""

import ctypes
import os
import signal
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from threading import Event, Thread
from typing import Any

from redis import Redis
from redis.backoff import NoBackoff
from redis.exceptions import RedisError
from redis.retry import Retry
from rq import Queue, SimpleWorker
from rq.job import Job
from rq.serializers import JSONSerializer

from app.adapters.redis_connection import Outage, quick
from app.adapters.rq_queue import PERFORM

# How often a worker reports that it is working, and how long a report is valid.
_HEARTBEAT_SECONDS = 5
_HEARTBEAT_TTL_SECONDS = 15
# RQ waits for work in calls of half this length, and so notices a dead connection.
_WORKER_TTL_SECONDS = 30
_LOOK_SECONDS = 0.5
_PR_SET_PDEATHSIG = 1
_libc = ctypes.CDLL(None) if sys.platform == "linux" else None


class QueueWorker(SimpleWorker):
    """RQ's worker without forks, which reports that it is alive while it works, and keeps running
    while Redis is unavailable."""

    max_connection_wait_time = 5.0
    hand_back: Callable[[], None]
    """Called to cancel the current work."""
    beat: Callable[[], None]
    """Called every few seconds, idle or at work."""

    def execute_job(self, job: Job, queue: Queue) -> None:
        if job.func_name != PERFORM:
            # Write access to Redis must not be enough to run arbitrary code here.
            self.log.error("an unknown task was discarded")
            job.delete()
            return
        super().execute_job(job, queue)

    def perform_job(self, job: Job, queue: Queue) -> bool:
        self._heartbeats = _Heartbeats(partial(self.maintain_heartbeats, job))
        return super().perform_job(job, queue)

    def handle_execution_ended(self, *arguments: Any, **named: Any) -> None:
        # A heartbeat that comes after RQ has deleted its keys would create them again.
        self._heartbeats.stop()
        super().handle_execution_ended(*arguments, **named)

    def request_force_stop(self, signum: int, frame: Any) -> None:
        """Have the work handed back; RQ's own would end the process."""
        self.hand_back()

    def set_shutdown_requested_date(self) -> None:
        """Do nothing: this is called in a signal handler, whose errors would end the work."""

    def get_heartbeat_ttl(self, job: Job) -> int:
        return _HEARTBEAT_TTL_SECONDS

    # Heartbeat failures are ignored: the lease in the database tracks liveness.

    def heartbeat(self, *arguments: Any, **named: Any) -> None:
        self.beat()
        with suppress(RedisError):
            super().heartbeat(*arguments, **named)

    def maintain_heartbeats(self, job: Job) -> None:
        self.beat()
        with suppress(RedisError):
            super().maintain_heartbeats(job)

    def subscribe(self) -> None:
        """Do nothing: RQ's remote commands are not used."""


class _Heartbeats:
    """A thread that calls ``report`` every few seconds until ``stop``."""

    def __init__(self, report: Callable[[], None]) -> None:
        self._report = report
        self._done = Event()
        self._thread = Thread(target=self._run, name="rq-heartbeat", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """End the thread; when this returns, it has made its last report."""
        self._done.set()
        self._thread.join()

    def _run(self) -> None:
        while not self._done.wait(_HEARTBEAT_SECONDS):
            self._report()


def serve(
    redis_url: str,
    queues: Sequence[str],
    parent: int,
    hand_back: Callable[[], None],
    beat: Callable[[], None],
) -> None:
    """Work for these queues, in the order of their priority, until SIGTERM.

    Also returns when RQ gives up because of Redis.

    Args:
        parent: the process that this one ends with.
        hand_back: called at a second SIGTERM while it works.
        beat: called every few seconds, also while Redis is unavailable.
    """
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, signal.SIG_DFL)
    end_with_parent(parent)
    _wait_for(redis_url, beat)
    connection = Redis.from_url(
        redis_url, socket_connect_timeout=5, socket_keepalive=True, retry=Retry(NoBackoff(), 0)
    )
    with suppress(RedisError):
        worker = QueueWorker(
            list(queues),
            connection=connection,
            serializer=JSONSerializer,
            worker_ttl=_WORKER_TTL_SECONDS,
            job_monitoring_interval=_HEARTBEAT_SECONDS,
        )
        worker.hand_back, worker.beat = hand_back, beat
        worker.work(logging_level="WARNING")


def end_with_parent(parent: int) -> None:
    """End this process when its parent dies in any way. Works only on Linux."""
    if _libc is not None:
        _libc.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:
        os._exit(1)


def _wait_for(redis_url: str, beat: Callable[[], None]) -> None:
    client, outage = quick(redis_url), Outage("workers wait for it")
    while True:
        beat()
        try:
            client.ping()
        except RedisError as error:
            outage.report(error)
            time.sleep(_LOOK_SECONDS)
        else:
            client.close()
            return
