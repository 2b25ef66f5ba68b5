"""run, web, worker, scheduler and migrate."""

import os
import resource
import signal
import socket
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from math import ceil
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import click

from app import logs
from app.commands.model import model_endpoint
from app.commands.opening import open_database
from app.commands.output import fail
from app.heartbeat import BEAT_SECONDS, Heartbeat
from app.settings import GRACE_SECONDS, Settings
from app.settings.service_address import opened, record, url_of

if TYPE_CHECKING:
    from app.container import Services

# What only the processes that it starts need is imported where it is used: the process of `run`
# stays small, and the service answers sooner. What counts is imported after `_started`.

# The maximum number of open connections, including idle ones. Some descriptors are kept for files,
# the database and the model.
_CONNECTIONS, _KEPT_DESCRIPTORS = 8192, 256
_HEAD_MILLISECONDS = 10_000
# By default the web server logs to stdout, which is reserved for the command's own output.
_STDERR = {"class": "logging.StreamHandler", "formatter": "generic", "stream": "ext://sys.stderr"}

_host = click.option(
    "--host", default="127.0.0.1", show_default=True, help="The address to listen on."
)
_port = click.option(
    "--port",
    default=8000,
    show_default=True,
    type=click.IntRange(1, 65535),
    help="The port to listen on.",
)


@click.command()
@_host
@_port
def run(host: str, port: int) -> None:
    """Run the whole service: web application, workers and scheduler.

    Ctrl-C ends it as soon as the work in progress is done, a second one at once.
    """
    # Without a model it starts as well: the console shows how to connect one.
    with model_endpoint(Settings.load(), required=False) as chosen, _started(chosen) as settings:
        from app.services.operators import list_operators, new_setup_code

        hint = ""
        if not list_operators():
            hint = "there is no operator yet: run `copydesk-server operator create NAME`"
            # Only for eyes: what is no terminal may be a log.
            if sys.stdout.isatty():
                code = new_setup_code()
                os.environ["COPYDESK_SETUP_CODE"] = code  # noqa: TID251 - for its process
                hint = f"to begin, open that address and enter the code {code}"
        server = _server("app.asgi:everything", (host, port), settings)
        _serve(server, (host, port), settings, hint)


@click.command()
@_host
@_port
@click.option(
    "--processes",
    default=1,
    show_default=True,
    type=click.IntRange(1, 64),
    help="The number of web server processes.",
)
def web(host: str, port: int, processes: int) -> None:
    """Run only the web application."""
    with model_endpoint(Settings.load()) as chosen, _started(chosen) as settings:
        _serve_metrics(settings)
        server = _server("app.asgi:web", (host, port), settings, processes=processes)
        _serve(server, (host, port), settings)


@click.command()
def worker() -> None:
    """Run only workers, which generate posts and deliver webhooks."""
    with model_endpoint(Settings.load()) as chosen, _started(chosen) as settings:
        from app.container import build
        from app.runtime import Drain, start_workers

        if settings.redis_url is not None:
            from app.worker import run_workers

            run_workers(settings, serves_metrics=True, ready=_say_waiting)
            return
        stop = _stop_event()
        services = build(settings)
        heart = Heartbeat(settings.heartbeat_file)
        _serve_metrics(settings, services)
        queue = start_workers(services, heart)
        _say_waiting(settings)
        heart.beat()
        while not stop.wait(BEAT_SECONDS):
            heart.beat()
        running = services.context.options.running
        Drain(settings.drain_seconds, queue.stop, running.cancel_all).wait(queue.join)


@click.command()
def scheduler() -> None:
    """Run only the scheduler, which queues due rules."""
    with _started(Settings.load()) as settings:
        from app.container import build
        from scheduler import start_in_background

        stop = _stop_event()
        services = build(settings, writes=False)
        _serve_metrics(settings, services)
        ticking = start_in_background(services)
        click.echo("the scheduler is ticking")
        stop.wait()
        ticking.shutdown(wait=False)


@click.command()
@click.option(
    "--check",
    is_flag=True,
    help="Change nothing. Exit with 1 if the database is not that of this version.",
)
def migrate(check: bool) -> None:
    """Create or upgrade the database for this version.

    A database of a version that this one does not know is left alone, and the command exits with 1.
    """
    open_database(Settings.load(), create=not check)
    click.echo("the database is up to date")


def _say_waiting(settings: Settings) -> None:
    click.echo(f"{settings.workers} workers are waiting for work")


@contextmanager
def _started(settings: Settings) -> Iterator[Settings]:
    """Set up logging and migrate the database. End the command if that fails. Yield the settings.

    If the metrics of this command are served, its processes count into a folder until the end of
    the block."""
    logs.set_up(settings.log_level, settings.log_format, settings.secrets)
    address = settings.metrics_host_and_port
    if address is None:
        open_database(settings, create=True)
        yield settings
        return
    if not _port_is_free(*address):
        fail(
            f"COPYDESK_METRICS_ADDRESS: {settings.metrics_address} cannot be used. Each command"
            " needs a free address of its own."
        )
    open_database(settings, create=True)
    with TemporaryDirectory(prefix="copydesk-metrics-") as folder:
        # Before this process loads prometheus_client, which reads it; and for those that it starts.
        os.environ["PROMETHEUS_MULTIPROC_DIR"] = folder  # noqa: TID251 - as said
        yield settings


def _serve_metrics(settings: Settings, services: "Services | None" = None) -> None:
    """Serve the metrics of this command, if there are any, from a thread of this process."""
    if settings.metrics_address is None:
        return
    from app.container import build
    from app.runtime import serve_metrics

    serve_metrics(services or build(settings, writes=False))


def _stop_event() -> threading.Event:
    """Return an event that is set when the process is asked to end. A second Ctrl-C ends it at
    once."""
    stop = threading.Event()

    def ask(*_: object) -> None:
        stop.set()
        signal.signal(signal.SIGINT, signal.SIG_DFL)

    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, ask)
    return stop


def _server(
    target: str,
    address: tuple[str, int],
    settings: Settings,
    *,
    processes: int = 1,
) -> Any:
    """Return a web server that ends at SIGTERM or SIGINT, when the work in progress ends or another
    SIGINT comes."""
    import multiprocessing

    from granian import Granian
    from granian.constants import HTTPModes, Interfaces
    from granian.http import HTTP1Settings
    from granian.log import LogLevels

    host, port = address
    if not _port_is_free(host, port):
        fail(
            f"Port {port} on {host} is in use. "
            f" Choose another, such as `copydesk-server run --port {port + 1}`."
        )
    # By default the server forks. A fork inherits locks that other threads (the local model's, or
    # that of `_announce`) hold at that moment.
    multiprocessing.set_start_method("spawn", force=True)
    # glibc would give every few threads a heap of their own, and keep what they free.
    os.environ.setdefault("MALLOC_ARENA_MAX", "2")  # noqa: TID251 - no setting of the service
    server: Any = Granian(
        target,
        address=host,
        port=port,
        interface=Interfaces.ASGI,
        factory=True,
        workers=processes,
        backpressure=_connections(),
        # While the server looks whether a client speaks HTTP/2, it has no time limit.
        http=HTTPModes.http1,
        http1_settings=HTTP1Settings(header_read_timeout=_HEAD_MILLISECONDS),
        log_enabled=True,
        log_level=LogLevels.error,
        log_dictconfig={
            "formatters": {"generic": {"()": logs.formatter, "log_format": settings.log_format}},
            "handlers": {"console": _STDERR, "access": _STDERR},
        },
        respawn_failed_workers=True,
        # A safety net: unfinished work is cancelled after the drain time, so workers end earlier.
        workers_kill_timeout=ceil(settings.drain_seconds + GRACE_SECONDS),
    )
    interrupt = server.signal_handler_interrupt

    def stop_all(number: int, frame: object) -> None:
        if server.interrupt_signal and number == signal.SIGINT:
            # Journals keep what is paid for; the next start goes on from there.
            for process in multiprocessing.active_children():
                process.kill()
            return
        interrupt(number, frame)

    server.signal_handler_interrupt = stop_all
    return server


def _serve(server: Any, address: tuple[str, int], settings: Settings, hint: str = "") -> None:
    """Serve until the end. ``hint`` is said once the service responds."""
    url = url_of(*address)
    record(settings, url)
    _announce(url, hint)
    server.serve()


def _connections() -> int:
    """Return how many connections the server accepts at once, after raising the process's limit of
    descriptors if possible."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = _CONNECTIONS + _KEPT_DESCRIPTORS
    if soft < wanted:
        soft = min(wanted, hard) if hard != resource.RLIM_INFINITY else wanted
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    return max(128, min(_CONNECTIONS, soft - _KEPT_DESCRIPTORS))


def _announce(address: str, hint: str) -> None:
    """Print where the service listens, as soon as it responds, and a hint."""

    def wait() -> None:
        # A busy machine may take minutes; the thread ends with the process.
        while True:
            with suppress(OSError), opened(address, "/healthz", 1):
                click.echo(f"listening on {address}")
                if hint:
                    click.echo(hint)
                return
            time.sleep(0.1)

    threading.Thread(target=wait, daemon=True).start()


def _port_is_free(host: str, port: int) -> bool:
    with socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
        except OSError:
            return False
    return True
