"""How `run` starts its processes again with other settings, while they serve."""

import logging
import multiprocessing
import os
import signal
import time
from collections.abc import Callable
from multiprocessing.process import BaseProcess
from threading import Event
from typing import Any

from app.core.errors import OperatorError, ServiceError
from app.settings import Settings

log = logging.getLogger(__name__)

# A busy machine may take long.
_START_SECONDS = 120.0


class RedisWorkers:
    """With Redis, workers beside the web server, in a process; without, nothing: they are threads
    of the web server's process. At the end of this process, they are waited for."""

    def __init__(self) -> None:
        self._processes: list[BaseProcess] = []

    def start(self, settings: Settings) -> None:
        """Start workers with these settings, and ask earlier ones to stop."""
        self.stop()
        if settings.redis_url is None:
            return
        from app.worker import run_workers_beside_web

        spawn = multiprocessing.get_context("spawn")
        process = spawn.Process(target=run_workers_beside_web, args=(settings,))
        process.start()
        self._processes.append(process)

    def stop(self) -> None:
        """Ask the workers to stop."""
        for process in self._processes:
            process.terminate()


def tell_processes(settings: Settings) -> None:
    """Tell the web server's own processes, which read their settings from the environment, where
    the local model is."""
    if settings.local_model_url is not None and settings.local_model_key is not None:
        key = settings.local_model_key.get_secret_value()
        os.environ["COPYDESK_LOCAL_MODEL_URL"] = settings.local_model_url  # noqa: TID251 - for them
        os.environ["COPYDESK_LOCAL_MODEL_KEY"] = key  # noqa: TID251 - for them


def restart_at_hangup(
    server: Any, with_model: Callable[[], Settings], workers: RedisWorkers
) -> None:
    """Have SIGHUP start the web server's process again with the settings of now. The earlier one
    goes on until the new one says by SIGUSR1 that it is there; then it ends what it has begun. If
    the new one does not come, nothing changes, and the earlier one is told by SIGUSR1.

    Args:
        server: granian's, of one process; its own reload would not wait for the new process.
        with_model: starts the local model if the settings ask for it, and returns them.
    """
    ready = Event()
    signal.signal(signal.SIGUSR1, lambda *_: ready.set())

    def restart(spawn_target: Any, target_loader: Any) -> None:
        server.reload_signal = False
        server.main_loop_interrupt.clear()
        (old,) = server.wrks

        def refuse(why: object) -> None:
            log.error("the service goes on with its earlier settings: %s", why)
            os.kill(old.inner.pid, signal.SIGUSR1)

        try:
            settings = with_model()
        except (OperatorError, ServiceError) as error:
            refuse(error)
            return
        tell_processes(settings)
        # It was for the first operator.
        os.environ.pop("COPYDESK_SETUP_CODE", None)  # noqa: TID251 - used up
        ready.clear()
        new = server._spawn_worker(idx=0, target=spawn_target, callback_loader=target_loader)
        # Else the server would start it again if it ended.
        new.interrupt_by_parent = True
        new.start()
        server.wrks = [old, new]
        until = time.monotonic() + _START_SECONDS
        while not ready.wait(0.2) and not server.interrupt_signal:
            if not new.is_alive() or time.monotonic() > until:
                new.kill()
                server.wrks = [old]
                refuse("no new process came up")
                return
        if ready.is_set():
            new.interrupt_by_parent = False
            server.wrks = [new]
            workers.start(settings)
            log.info("the settings changed: a new process serves, and the earlier one stops")
            old.terminate()

    server._reload = restart
