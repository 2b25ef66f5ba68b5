"""Workers as processes that are fed by Redis (``app.adapters.rq_worker``).

The process that was started loads the application, opens nothing, forks the workers and replaces
those that end.
"""

import gc
import logging
import multiprocessing
import time
from collections.abc import Callable, Sequence
from functools import partial
from multiprocessing.connection import wait
from multiprocessing.process import BaseProcess
from threading import Lock, Thread

from app import container, logs, runtime
from app.adapters.rq_queue import DELIVERIES, QUEUES
from app.adapters.rq_worker import Pool, serve
from app.heartbeat import STALE_SECONDS, Heartbeat
from app.ports import WorkKind
from app.settings import GRACE_SECONDS, Settings

log = logging.getLogger(__name__)

_services: container.Services | None = None
# Called in a worker process with the seconds for which it may be silent.
_allow: Callable[[float], None] | None = None


def perform(kind: str, work_id: str) -> None:
    """Do one piece of work. Work in Redis names this function, so it must stay here."""
    services = _services or container.build(Settings.load())
    if _allow is not None:
        _allow(runtime.longest_seconds(services.settings, WorkKind(kind)))
    try:
        runtime.perform(services.context, WorkKind(kind), work_id)
    except Exception:  # RQ would store it in Redis; the work is retried in any case
        log.exception("%s %s met an error; it will be retried", kind, work_id)


class WorkersBesideWeb:
    """Workers in a process beside the web server's, with which they end."""

    def __init__(self) -> None:
        self._processes: list[BaseProcess] = []
        self._lock, self._is_over = Lock(), False

    def start(self, settings: Settings, crashed: BaseProcess | None = None) -> None:
        """Start workers with these settings, and ask earlier ones to stop; those that crashed are
        only replaced if there are no later ones."""
        process = multiprocessing.get_context("spawn").Process(target=_beside_web, args=(settings,))
        with self._lock:
            if self._is_over or crashed not in (None, *self._processes[-1:]):
                return
            if crashed is not None:
                log.warning("the process of the workers ended; another takes its place")
            process.start()
            self._ask_to_stop()
            self._processes = [*filter(BaseProcess.is_alive, self._processes), process]
        Thread(target=self._follow, args=(process, settings), name="workers", daemon=True).start()

    def stop(self) -> None:
        """Ask them to end after their current work."""
        with self._lock:
            self._is_over = True
            self._ask_to_stop()

    def join(self, timeout_seconds: float) -> bool:
        """Wait for them to end; return False if some are still running."""
        until = time.monotonic() + timeout_seconds
        for process in self._processes:
            process.join(max(0.0, until - time.monotonic()))
        return not any(process.is_alive() for process in self._processes)

    def _follow(self, process: BaseProcess, settings: Settings) -> None:
        wait([process.sentinel])
        time.sleep(1.0)  # it may have ended at its start
        self.start(settings, process)

    def _ask_to_stop(self) -> None:
        # Those before it have been asked: a second time would cancel their work.
        for process in self._processes[-1:]:
            process.terminate()


def _beside_web(settings: Settings) -> None:
    logs.set_up(settings.log_level, settings.log_format, settings.secrets)
    runtime.end_with_parent()
    run_workers(settings)


def run_workers(
    settings: Settings,
    *,
    serves_metrics: bool = False,
    ready: Callable[[Settings], None] = lambda _: None,
) -> None:
    """Run worker processes, plus one for webhooks alone, so that no webhook waits for a post.

    ``serves_metrics`` has that one serve the metrics as well, if they have an address: no thread
    may run where others are forked. ``ready`` is called once they have started.

    After SIGTERM or SIGINT no new work starts. Work unfinished after the drain time is handed back
    for another worker to take.
    """
    global _services
    assert settings.redis_url is not None  # noqa: S101 - without it, workers are threads
    _services = container.build(settings)
    # Keeps the garbage collector from writing to memory that they share.
    gc.freeze()
    url = settings.redis_url.get_secret_value()
    tasks = [partial(_work, _services, url, QUEUES)] * settings.workers
    serves = serves_metrics and settings.metrics_address is not None
    tasks.append(partial(_work, _services, url, (DELIVERIES,), serves_metrics=serves))
    heart = Heartbeat(settings.heartbeat_file, len(tasks))
    pool = Pool(
        url,
        [partial(task, partial(heart.allow, number)) for number, task in enumerate(tasks)],
        settings.drain_seconds,
        GRACE_SECONDS,
        partial(ready, settings),
        heart.beat,
    )
    pool.start(logging_level="WARNING")


def _work(
    services: container.Services,
    redis_url: str,
    queues: Sequence[str],
    allow: Callable[[float], None],
    *,
    serves_metrics: bool = False,
) -> None:
    global _allow
    _allow = allow
    runtime.end_with_parent()
    if serves_metrics:
        runtime.serve_metrics(services)
    running = services.context.options.running
    serve(redis_url, queues, running.cancel_all, partial(allow, STALE_SECONDS))
