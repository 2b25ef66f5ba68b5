"""One process that takes work from Redis by RQ and forks for each piece of it.

`rq.Worker` and not `SimpleWorker`, so that a crash, or the memory that a generation took, ends with
the fork; not `SpawnWorker`, which loads all code anew for every piece of work.
"""

import ctypes
import os
import signal
import sys
from collections.abc import Sequence
from contextlib import suppress
from datetime import timedelta
from threading import Event
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

# How often a worker says that its fork lives, and for how long it is believed.
_HEARTBEAT_SECONDS = 5
_BELIEVED = timedelta(seconds=15)
# RQ asks Redis for work in calls of half this length; a connection that died is noticed by it.
_WORKER_TTL_SECONDS = 30
_LOOK_SECONDS = 0.5
_PR_SET_PDEATHSIG = 1
_libc = ctypes.CDLL(None) if sys.platform == "linux" else None


class ForkingWorker(Worker):
    """RQ's, without what would keep it from going on when Redis is away for a while."""

    max_connection_wait_time = 5.0

    def execute_job(self, job: Job, queue: Queue) -> None:
        if job.func_name != PERFORM:
            # Whoever can write to Redis shall not be able to have any code run here.
            self.log.error("a task that is not ours was thrown away")
            job.delete()
            return
        super().execute_job(job, queue)

    def main_work_horse(self, job: Job, queue: Queue) -> None:
        end_with_parent(os.getppid())
        super().main_work_horse(job, queue)

    def get_heartbeat_ttl(self, job: Job) -> int:
        return int(_BELIEVED.total_seconds())

    # While its fork works a worker may tell nobody: the work's lease is in the database.

    def heartbeat(self, *arguments: Any, **named: Any) -> None:
        with suppress(RedisError):
            super().heartbeat(*arguments, **named)

    def maintain_heartbeats(self, job: Job) -> None:
        with suppress(RedisError):
            super().maintain_heartbeats(job)

    def set_current_job_working_time(self, *arguments: Any, **named: Any) -> None:
        with suppress(RedisError):
            super().set_current_job_working_time(*arguments, **named)

    def subscribe(self) -> None:
        """RQ's remote commands are not used, and a thread would be there at each fork."""


def serve(redis_url: str, queues: Sequence[str], parent: int) -> None:
    """Work for these queues, the first ones first, until SIGTERM; also returns when RQ gives up
    because of Redis. ``parent`` is the process without which this one ends."""
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, signal.SIG_DFL)
    end_with_parent(parent)
    _wait_for(redis_url)
    connection = Redis.from_url(
        redis_url, socket_connect_timeout=5, socket_keepalive=True, retry=Retry(NoBackoff(), 0)
    )
    with suppress(RedisError):
        ForkingWorker(
            list(queues),
            connection=connection,
            serializer=JSONSerializer,
            worker_ttl=_WORKER_TTL_SECONDS,
            job_monitoring_interval=_HEARTBEAT_SECONDS,
        ).work(logging_level="WARNING")


def end_with_parent(parent: int) -> None:
    """End this process when its parent dies, however it dies. Linux alone can do that."""
    if _libc is not None:
        _libc.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:
        os._exit(1)


def _wait_for(redis_url: str) -> None:
    client, outage = quick(redis_url), Outage("workers wait for it")
    while True:
        try:
            client.ping()
        except RedisError as error:
            outage.report(error)
            Event().wait(_LOOK_SECONDS)
        else:
            client.close()
            return
