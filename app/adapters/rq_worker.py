"""A process that takes work from Redis by RQ and forks for each piece of it.

It uses `rq.Worker` rather than `SimpleWorker`, so that crashes and memory use end with the fork,
and rather than `SpawnWorker`, which reloads all code for every piece of work.
"""

import ctypes
import os
import signal
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any

from redis import Redis
from redis.backoff import NoBackoff
from redis.exceptions import RedisError
from redis.retry import Retry
from rq import Queue, Worker
from rq.job import Job
from rq.serializers import JSONSerializer

from app.adapters.redis_connection import Outage, quick
from app.adapters.rq_queue import PERFORM

# How often a worker reports that its fork is alive, and how long a report is valid.
_HEARTBEAT_SECONDS = 5
_HEARTBEAT_TTL_SECONDS = 15
# RQ waits for work in calls of half this length, and so notices a dead connection.
_WORKER_TTL_SECONDS = 30
_LOOK_SECONDS = 0.5
_PR_SET_PDEATHSIG = 1
_libc = ctypes.CDLL(None) if sys.platform == "linux" else None


class ForkingWorker(Worker):
    """RQ's worker, changed to keep running while Redis is unavailable."""

    max_connection_wait_time = 5.0
    hand_back: Callable[[], None]
    """Called in the fork to cancel its work."""
    beat: Callable[[], None]
    """Called every few seconds, idle or at work."""

    def execute_job(self, job: Job, queue: Queue) -> None:
        if job.func_name != PERFORM:
            # Write access to Redis must not be enough to run arbitrary code here.
            self.log.error("an unknown task was discarded")
            job.delete()
            return
        super().execute_job(job, queue)

    def main_work_horse(self, job: Job, queue: Queue) -> None:
        end_with_parent(os.getppid())
        super().main_work_horse(job, queue)

    def setup_work_horse_signals(self) -> None:
        super().setup_work_horse_signals()  # type: ignore[no-untyped-call]
        hand_back = self.hand_back
        signal.signal(signal.SIGTERM, lambda *_: hand_back())

    def request_force_stop(self, signum: int, frame: Any) -> None:
        """Have the fork hand its work back; RQ's own would kill it."""
        if self.horse_pid:
            self.kill_horse(signal.SIGTERM)

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

    def set_current_job_working_time(self, *arguments: Any, **named: Any) -> None:
        with suppress(RedisError):
            super().set_current_job_working_time(*arguments, **named)

    def subscribe(self) -> None:
        """Do nothing: RQ's remote commands are not used, and their thread would be forked."""


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
        hand_back: called in the working fork at a second SIGTERM.
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
        worker = ForkingWorker(
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
