"""What the web server loads: the application alone, or with workers and scheduler beside it."""

import asyncio
import multiprocessing
import os
import signal
from collections.abc import Callable
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


def web() -> Front:
    """Return the web application alone, as ASGI."""
    return _front(lambda services: (lambda: None, lambda _: True))


def everything() -> Front:
    """Return the web application with the scheduler and, without Redis, the workers as threads of
    its process."""
    import scheduler

    # Whether this process has been asked to end; and whether `run` has decided on a restart.
    stopped, decided = Event(), Event()

    def start(services: Services) -> _Beside:
        settings = services.settings
        heart = Heartbeat(None)  # the web server has its own health check
        queue = start_workers(services, heart) if settings.redis_url is None else None
        ticking = scheduler.start_in_background(services)

        def begin_nothing() -> None:
            ticking.shutdown(wait=False)
            if queue is not None:
                queue.stop()
            stopped.set()
            decided.set()

        services.restart = restart
        return begin_nothing, (lambda _: True) if queue is None else queue.join

    def restart() -> bool:
        decided.clear()
        _signal_parent(signal.SIGHUP)
        if not stopped.is_set():
            decided.wait(_RESTART_SECONDS)
        if stopped.is_set():
            # Until then, it takes connections beside the new one, and would reset the last ones.
            wait_until_closed()
        return stopped.is_set()

    def begun() -> None:
        asyncio.get_running_loop().add_signal_handler(signal.SIGUSR1, decided.set)
        _signal_parent(signal.SIGUSR1)

    return _front(start, begun)


def _signal_parent(number: int) -> None:
    """Tell `run` something: see ``app.commands.restarting``."""
    parent = multiprocessing.parent_process()
    if parent is not None and parent.pid is not None:
        os.kill(parent.pid, number)


# How to stop what runs beside the application, and how to wait for it.
_Beside = tuple[Callable[[], None], Callable[[float], bool]]


def _front(start: Callable[[Services], _Beside], begun: Callable[[], None] = lambda: None) -> Front:
    """Return the application as ASGI; it ends together with what ``start`` started. ``begun`` is
    called when it listens."""
    settings = Settings.load()
    logs.set_up(settings.log_level, settings.log_format, settings.secrets)
    end_with_parent()
    app = create_app(settings)
    services: Services = app.extensions["copydesk"]
    # Beside the rest, so that its log says from the first minute what is wrong with the model.
    Thread(target=services.health, name="health", daemon=True).start()
    begin_nothing, join = start(services)

    def cancel() -> None:
        admission.stopping.set()
        services.context.options.running.cancel_all()

    def begin() -> None:
        drain.begin_at_sigterm()
        close_unread_connections()
        when_it_listens(begun)

    def enter(call: Call, authorization: str) -> None:
        call.enter(authenticate(services.context, authorization).account_id)

    drain = Drain(settings.drain_seconds, begin_nothing, cancel)
    admission = Admission(
        settings.generate_places, settings.calls_per_account, settings.generation_timeout_seconds
    )
    return Front(app, admission, enter, begin, partial(drain.wait, join))
