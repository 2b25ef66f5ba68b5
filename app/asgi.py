"""What the web server loads, as ASGI: the application alone, or with workers and scheduler."""

import asyncio
import gc
import multiprocessing
import os
import signal
from functools import partial
from threading import Event, Thread

from app import create_app, logs
from app.api.admission import Admission, Call
from app.api.front import Front
from app.container import Services
from app.heartbeat import Heartbeat
from app.runtime import (
    Drain,
    close_unread_connections,
    end_with_parent,
    start_workers,
    wait_until_closed,
    when_it_listens,
)
from app.services.accounts import authenticate
from app.settings import Settings

# The new process may load a local model first.
_RESTART_SECONDS = 300.0


class _Web:
    """The web application alone, as ASGI. It drains when the web server gets SIGTERM."""

    def __init__(self) -> None:
        settings = Settings.load()
        logs.set_up(settings.log_level, settings.log_format, settings.secrets)
        end_with_parent()
        app = create_app(settings)
        self.services: Services = app.extensions["copydesk"]
        # Beside the rest, so that its log says from the first minute what is wrong with the model.
        Thread(target=self.services.health, name="health", daemon=True).start()
        self._admission = Admission(
            settings.generate_places,
            settings.calls_per_account,
            settings.generation_timeout_seconds,
        )
        self._drain = Drain(settings.drain_seconds, self.begin_nothing, self._cancel)
        at_end = partial(self._drain.wait, self.join)
        self.front = Front(app, self._admission, self._enter, self._at_start, at_end)

    def on_listening(self) -> None:
        """Act on the server's listening; called in its event loop."""

    def begin_nothing(self) -> None:
        """Begin no new work, because the process ends."""

    def join(self, _seconds: float) -> bool:
        """Wait for the running work; return whether it ended in time."""
        return True

    def _at_start(self) -> None:
        # Looking through what is loaded for garbage would stop all calls for a tenth of a second.
        gc.freeze()
        self._drain.begin_at_sigterm()
        close_unread_connections()
        when_it_listens(self.on_listening)

    def _enter(self, call: Call, authorization: str) -> None:
        call.enter(authenticate(self.services.context, authorization).account_id)

    def _cancel(self) -> None:
        self._admission.stopping.set()
        self.services.context.options.running.cancel_all()


class _Everything(_Web):
    """The web application with the scheduler and, without Redis, the workers as threads of its
    process. `run` can replace the process by one with other settings."""

    def __init__(self) -> None:
        import scheduler

        super().__init__()
        # Whether this process has been asked to end; and whether `run` has decided on a restart.
        self._stopped, self._decided = Event(), Event()
        heart = Heartbeat(None)  # the web server has its own health check
        has_redis = self.services.settings.redis_url is not None
        self._queue = None if has_redis else start_workers(self.services, heart)
        self._ticking = scheduler.start_in_background(self.services)
        self.services.restart = self._restart

    def on_listening(self) -> None:
        asyncio.get_running_loop().add_signal_handler(signal.SIGUSR1, self._decided.set)
        _signal_parent(signal.SIGUSR1)

    def begin_nothing(self) -> None:
        self._ticking.shutdown(wait=False)
        if self._queue is not None:
            self._queue.stop()
        self._stopped.set()
        self._decided.set()

    def join(self, seconds: float) -> bool:
        return self._queue is None or self._queue.join(seconds)

    def _restart(self) -> bool:
        self._decided.clear()
        _signal_parent(signal.SIGHUP)
        if not self._stopped.is_set():
            self._decided.wait(_RESTART_SECONDS)
        if self._stopped.is_set():
            # Until then, it takes connections beside the new one, and would reset the last ones.
            wait_until_closed()
        return self._stopped.is_set()


def _signal_parent(number: int) -> None:
    """Tell `run` something: see ``app.commands.restarting``."""
    parent = multiprocessing.parent_process()
    if parent is not None and parent.pid is not None:
        os.kill(parent.pid, number)


def web() -> Front:
    """Return the web application alone."""
    return _Web().front


def everything() -> Front:
    """Return the web application with scheduler and workers."""
    return _Everything().front
