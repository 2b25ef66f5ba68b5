"""What the web server loads, as ASGI: the application alone, or with workers and scheduler."""

import gc
import logging
from collections.abc import Callable
from contextlib import ExitStack
from threading import Thread

from app import create_app, logs
from app.api.admission import Admission, Call
from app.api.front import Front
from app.container import Services, with_local_model
from app.heartbeat import Heartbeat
from app.runtime import (
    Drain,
    close_unread_connections,
    end_with_parent,
    serve_metrics,
    start_workers,
)
from app.services.accounts import authenticate
from app.settings import Settings

log = logging.getLogger(__name__)


class _Web:
    """The web application alone, as ASGI. It drains when the web server gets SIGTERM."""

    def __init__(self) -> None:
        self._local_models = ExitStack()
        # One that only an earlier process of this server knew is started again.
        settings = self._local_models.enter_context(with_local_model(Settings.load()))
        logs.set_up(settings.log_level, settings.log_format, settings.secrets)
        end_with_parent()
        app = create_app(settings)
        self.services: Services = app.extensions["copydesk"]
        self._ask_ports()
        self._admission = Admission(
            settings.generate_places,
            settings.calls_per_account,
            settings.generation_timeout_seconds,
        )
        self._drain = Drain(settings.drain_seconds, self.begin_nothing, self._cancel)
        self.front = Front(app, self._admission, self._enter, self._at_start, self._at_end)

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

    def _at_end(self) -> None:
        self._drain.wait(self.join)
        self._local_models.close()

    def _ask_ports(self) -> None:
        # Beside the rest, so that its log says from the first minute what is wrong with the model.
        Thread(target=self.services.health, name="health", daemon=True).start()

    def _enter(self, call: Call, authorization: str) -> None:
        call.enter(authenticate(self.services.context, authorization).account_id)

    def _cancel(self) -> None:
        self._admission.stopping.set()
        self.services.context.options.running.cancel_all()


class _Everything(_Web):
    """The web application with scheduler and workers. Without Redis, the workers are threads of its
    process. Its settings can be changed while it runs."""

    def __init__(self) -> None:
        import scheduler

        super().__init__()
        self._renew_workers: Callable[[Settings], None] | None = None
        if self.services.settings.redis_url is None:
            # The web server has its own health check.
            threads = start_workers(self.services, Heartbeat(None))
            self._stop, self._join = threads.stop, threads.join
        else:
            # Loaded only where it is used.
            from app.worker import WorkersBesideWeb

            beside = WorkersBesideWeb()
            beside.start(self.services.settings)
            self._stop, self._join, self._renew_workers = beside.stop, beside.join, beside.start
        if self.services.settings.metrics_address is not None:
            # In the process whose settings can be changed: one of them is the cap.
            serve_metrics(self.services)
        self._ticking = scheduler.start_in_background(self.services)
        self.services.change = self._change

    def begin_nothing(self) -> None:
        self._ticking.shutdown(wait=False)
        self._stop()

    def join(self, seconds: float) -> bool:
        return self._join(seconds)

    def _change(self, settings: Settings) -> None:
        chosen = self._local_models.enter_context(with_local_model(settings))
        logs.hide(chosen.secrets)
        if self._renew_workers is not None:
            self._renew_workers(chosen)
        self.services.use(chosen)
        log.info("the settings changed: what has begun ends with the earlier ones")
        self._ask_ports()


def web() -> Front:
    """Return the web application alone."""
    return _Web().front


def everything() -> Front:
    """Return the web application with scheduler and workers."""
    return _Everything().front
