"""Processes that take work from Redis by RQ and do one piece after another.

They use `rq.SimpleWorker` rather than `rq.Worker`: a fork for each piece of work would open its own
connections, and prepare again every statement and prompt that it needs. Neither RQ's scheduler nor
its remote commands are used.
"""

import logging
import signal
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from multiprocessing.process import BaseProcess
from typing import Any

from redis import Redis
from redis.backoff import NoBackoff
from redis.exceptions import RedisError
from redis.retry import Retry
from rq import Queue, SimpleWorker
from rq.exceptions import InvalidJobOperation, StopRequested
from rq.job import Job
from rq.serializers import JSONSerializer
from rq.worker_pool import ForkProcess, WorkerData, WorkerPool

from app.adapters.redis_connection import Outage, quick
from app.adapters.rq_queue import PERFORM

log = logging.getLogger(__name__)

# RQ waits for work in calls of half this length, and so notices a dead connection.
_WORKER_TTL_SECONDS = 30
_LOOK_SECONDS = 0.5
# No terminal sends it: Ctrl-C reaches every process.
_HAND_BACK = signal.SIGUSR1


class Pool(WorkerPool):
    """RQ's pool of processes, with a task of its own for each process.

    RQ's pool gives all its processes the same queues and waits without limit for running work.

    Args:
        tasks: what the processes do; each is called in a fork, and again if it ends.
        drain_seconds: how long running work may go on after SIGTERM or SIGINT. The work that is
            left is handed back, in ``grace_seconds`` at most.
        started: called once the processes run and signals are handled.
        beat: called about every second until a signal.
    """

    def __init__(
        self,
        redis_url: str,
        tasks: Sequence[Callable[[], None]],
        drain_seconds: float,
        grace_seconds: float,
        started: Callable[[], None],
        beat: Callable[[], None],
    ) -> None:
        # The processes connect on their own: RQ asks for a connection, and leaves it closed.
        super().__init__([], Redis.from_url(redis_url), num_workers=len(tasks))
        self._tasks = {str(number): task for number, task in enumerate(tasks)}
        self._drain_seconds = drain_seconds
        self._kill_seconds = drain_seconds + grace_seconds
        self._started, self._beat = started, beat
        self._asked_at = 0.0

    def get_worker_process(self, *_: Any, **__: Any) -> BaseProcess:
        taken = {data.process.name for data in self.worker_dict.values()}
        name = next(name for name in self._tasks if name not in taken)
        return ForkProcess(target=_run, args=(self._tasks[name],), name=name)

    def start_workers(self, *arguments: Any, **named: Any) -> None:
        # Before the first process: a pool that a signal ends without it waits for them for ever.
        super()._install_signal_handlers()  # type: ignore[no-untyped-call]
        super().start_workers(*arguments, **named)

    def _install_signal_handlers(self) -> None:
        """Do what RQ does once the processes run."""
        self._started()

    def check_workers(self, respawn: bool = True) -> None:
        self._beat()
        super().check_workers(respawn)

    def handle_dead_worker(self, worker_data: WorkerData) -> None:
        super().handle_dead_worker(worker_data)
        if self.status != self.Status.STOPPED:
            log.warning("worker process %s ended; another takes its place", worker_data.pid)

    def request_stop(self, signum: Any = None, frame: Any = None) -> None:
        if self._asked_at and signum == signal.SIGINT:  # a second Ctrl-C
            self._drain_seconds = 0.0
        self._asked_at = self._asked_at or time.monotonic()
        super().request_stop(signum, frame)  # type: ignore[no-untyped-call]

    def all_workers_have_stopped(self) -> bool:
        """Called every second: a process misses a signal that comes before it has its handlers, or
        whose error a library takes for one of its own."""
        seconds, number = time.monotonic() - self._asked_at, signal.SIGTERM
        if seconds > self._drain_seconds:
            number = signal.SIGKILL if seconds > self._kill_seconds else _HAND_BACK
        for data in self.worker_dict.values():
            self.stop_worker(data, number)
        return super().all_workers_have_stopped()


def _run(task: Callable[[], None]) -> None:
    """Run the task in a fork, which inherits what the pool does at a signal."""
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, signal.SIG_DFL)
    task()


class QueueWorker(SimpleWorker):
    """RQ's worker without forks, which keeps running while Redis is unavailable."""

    max_connection_wait_time = 5.0
    hand_back: Callable[[], None]
    """Called to cancel the current work."""
    beat: Callable[[], None]
    """Called every few seconds while idle, and when work begins."""

    def execute_job(self, job: Job, queue: Queue) -> None:
        if job.func_name != PERFORM:
            # Write access to Redis must not be enough to run arbitrary code here.
            self.log.error("an unknown task was discarded")
            job.delete()
            return
        super().execute_job(job, queue)

    def handle_job_success(self, *arguments: Any, **named: Any) -> None:
        # A task that was queued again in the moment of its beginning is done, and deleted, by now.
        with suppress(InvalidJobOperation):
            super().handle_job_success(*arguments, **named)

    def _install_signal_handlers(self) -> None:
        super()._install_signal_handlers()  # type: ignore[no-untyped-call]
        signal.signal(_HAND_BACK, lambda *_: self.hand_back())

    def request_stop(self, signum: int, frame: Any) -> None:
        """Stop after the current work, at each signal; RQ's own ends the process at the second."""
        self._shutdown()  # type: ignore[no-untyped-call]

    def teardown(self) -> None:
        """Let the next signal end the process: all is done, and Redis may hang."""
        for number in (signal.SIGTERM, signal.SIGINT, _HAND_BACK):
            signal.signal(number, signal.SIG_DFL)
        super().teardown()  # type: ignore[no-untyped-call]

    def set_shutdown_requested_date(self) -> None:
        """Do nothing: this is called in a signal handler, whose errors would end the work."""

    def heartbeat(self, *arguments: Any, **named: Any) -> None:
        """Report to Redis, for RQ's own commands. The lease in the database tracks liveness."""
        self.beat()
        with suppress(RedisError):
            super().heartbeat(*arguments, **named)

    def subscribe(self) -> None:
        """Do nothing: RQ's remote commands are not used."""


def serve(
    redis_url: str, queues: Sequence[str], hand_back: Callable[[], None], beat: Callable[[], None]
) -> None:
    """Work for these queues, in the order of their priority, until SIGTERM.

    Also returns when RQ gives up because of Redis.

    Args:
        hand_back: called at SIGUSR1.
        beat: called every few seconds while idle, also while Redis is unavailable, and when work
            begins.
    """
    _wait_for(redis_url, beat)
    connection = Redis.from_url(
        redis_url, socket_connect_timeout=5, socket_keepalive=True, retry=Retry(NoBackoff(), 0)
    )
    with suppress(RedisError, StopRequested):
        worker = QueueWorker(
            list(queues),
            connection=connection,
            serializer=JSONSerializer,
            worker_ttl=_WORKER_TTL_SECONDS,
        )
        worker.hand_back, worker.beat = hand_back, beat
        worker.work(logging_level="WARNING")


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
