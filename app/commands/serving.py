"""run, web, worker, scheduler and migrate."""

import multiprocessing
import os
import signal
import socket
import threading
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager

import click

from app.commands.model_process import model_endpoint
from app.commands.output import fail, migrated_app, settings_or_exit
from app.settings import Settings

# A request that waits for a model holds a thread for as long as the model takes.
_BLOCKING_THREADS = 64
# The web server logs to stdout by itself, which is for what the command says.
_STDERR = {
    "class": "logging.StreamHandler",
    "formatter": "generic",
    "stream": "ext://sys.stderr",
}

_host = click.option("--host", default="127.0.0.1", show_default=True)
_port = click.option("--port", default=8000, show_default=True, type=click.IntRange(1, 65535))


@click.command()
@_host
@_port
def run(host: str, port: int) -> None:
    """The whole service by one command: web, workers and scheduler together."""
    with model_endpoint(settings_or_exit()) as settings:
        migrated_app(settings)
        with _redis_workers(settings):
            _serve("app.entry:everything", host, port, processes=1, settings=settings)


@click.command()
@_host
@_port
@click.option("--processes", default=1, show_default=True, type=click.IntRange(1, 64))
def web(host: str, port: int, processes: int) -> None:
    """Only the web application."""
    with model_endpoint(settings_or_exit()) as settings:
        migrated_app(settings)
        _serve("app.entry:web", host, port, processes=processes, settings=settings)


@click.command()
def worker() -> None:
    """Only workers: they generate what is queued and deliver webhooks."""
    from app.entry import set_up_logging, start_workers

    with model_endpoint(settings_or_exit()) as settings:
        set_up_logging(settings)
        app = migrated_app(settings)
        if settings.redis_url is not None:
            from app.worker import run_workers

            click.echo(f"{settings.workers} workers are waiting for work")
            run_workers(settings, settings.workers)
            return
        stop = _stop_event()
        queue = start_workers(app)
        click.echo(f"{settings.workers} workers are waiting for work")
        stop.wait()
        queue.stop(timeout_seconds=1.0)


@click.command()
def scheduler() -> None:
    """Only the scheduler: it queues the rules that are due."""
    from app.entry import set_up_logging
    from scheduler import start_in_background

    settings = settings_or_exit()
    set_up_logging(settings)
    stop = _stop_event()
    ticking = start_in_background(migrated_app(settings))
    click.echo("the scheduler is ticking")
    stop.wait()
    ticking.shutdown(wait=False)


@click.command()
def migrate() -> None:
    """Bring the database up to this version's tables."""
    migrated_app(settings_or_exit())
    click.echo("the database is up to date")


@contextmanager
def _redis_workers(settings: Settings) -> Iterator[None]:
    """Workers beside the block, where Redis feeds them: without it they are threads."""
    if settings.redis_url is None:
        yield
        return
    from app.entry import redis_workers

    workers = multiprocessing.get_context("spawn").Process(target=redis_workers, args=(settings,))
    workers.start()
    try:
        yield
    finally:
        workers.terminate()
        workers.join()


def _stop_event() -> threading.Event:
    """Set when the process is asked to end."""
    stop = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: stop.set())
    return stop


def _serve(target: str, host: str, port: int, *, processes: int, settings: Settings) -> None:
    from granian import Granian
    from granian.constants import Interfaces
    from granian.log import LogLevels

    if settings.local_model_url is not None and settings.local_model_key is not None:
        # The web server's own processes read their settings from the environment.
        os.environ["COPYDESK_LOCAL_MODEL_URL"] = settings.local_model_url
        os.environ["COPYDESK_LOCAL_MODEL_KEY"] = settings.local_model_key.get_secret_value()
    if not _port_is_free(host, port):
        fail(f"Port {port} on {host} is in use. Choose another with --port.")
    # By default the server's processes are forks, and a fork inherits whatever lock another
    # thread (the local model's, or the one that says where we listen) holds at that moment.
    multiprocessing.set_start_method("spawn", force=True)
    server = Granian(
        target,
        address=host,
        port=port,
        interface=Interfaces.WSGI,
        factory=True,
        workers=processes,
        blocking_threads=_BLOCKING_THREADS,
        log_enabled=True,
        log_level=LogLevels.error,
        log_dictconfig={"handlers": {"console": _STDERR, "access": _STDERR}},
        respawn_failed_workers=True,
        workers_kill_timeout=5,
    )
    _announce(f"http://{f'[{host}]' if ':' in host else host}:{port}")
    server.serve()


def _announce(address: str) -> None:
    """Say where the service listens, once it answers."""

    def wait() -> None:
        pause = threading.Event()
        for _ in range(600):
            if _answers(f"{address}/healthz"):
                click.echo(f"listening on {address}")
                return
            pause.wait(0.1)

    threading.Thread(target=wait, daemon=True).start()


def _answers(url: str) -> bool:
    try:
        with urllib.request.urlopen(url, timeout=1):  # noqa: S310 - our own address
            return True
    except (urllib.error.URLError, OSError):
        return False


def _port_is_free(host: str, port: int) -> bool:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(family, socket.SOCK_STREAM) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
        except OSError:
            return False
    return True
