"""The service as an operator runs it, and the ways to kill its parts."""

from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from random import Random
from threading import Event

from tests.support.crashes.programs import Program
from tests.support.postgres import PostgresServer
from tests.support.process_group import ProcessGroup
from tests.support.redis_server import RedisServer
from tests.support.service import MODEL_KEY
from tests.support.startup import free_port

# How long a part stays away at most, in seconds.
ABSENCE_SECONDS = 3.0
# Beyond the lease: what comes back finds that its work is another's.
FREEZE_SECONDS = 35.0


@dataclass
class Deployment:
    """A service that runs as soon as it is made. ``kinds`` are the ways to die: each kills a part
    and brings it back.

    ``patient`` are those that no caller of the API may notice but by waiting, ``silent`` those
    that may cut a caller off, and the others may be answered with 503 for as long as they last.
    """

    url: str
    database_url: str
    settings: Mapping[str, str]
    programs: list[Program]
    kinds: Mapping[str, Callable[[Random], None]]
    patient: frozenset[str] = frozenset()
    silent: frozenset[str] = frozenset()

    def __post_init__(self) -> None:
        with ThreadPoolExecutor() as pool:
            for started in [pool.submit(program.start) for program in self.programs]:
                started.result()


def one_process(group: ProcessGroup, name: str, model_url: str) -> Deployment:
    """SQLite, with web, workers and scheduler as threads of one process."""
    settings, port = _settings(group, name, model_url)
    database = group.folder / name / "copydesk.db"
    service = Program(group, f"{name}-service", f"run --port {port}", settings, "listening on")
    return Deployment(
        settings["COPYDESK_PUBLIC_URL"],
        f"sqlite:///{database}",
        settings,
        [service],
        {
            "service": lambda random: _kill(service, random),
            "service-freeze": lambda _: service.freeze(FREEZE_SECONDS),
        },
        silent=frozenset({"service", "service-freeze"}),
    )


def many_processes(group: ProcessGroup, name: str, model_url: str) -> Deployment:
    """PostgreSQL and Redis, with a web server, two worker programs and a scheduler."""
    postgres = PostgresServer(group, f"{name}-postgres")
    redis = RedisServer(group, f"{name}-redis")
    settings, port = _settings(group, name, model_url)
    settings |= {
        "COPYDESK_DATABASE_URL": postgres.create_database(),
        "COPYDESK_REDIS_URL": redis.url,
    }
    web = Program(group, f"{name}-web", f"web --port {port}", settings, "listening on")
    workers = [
        Program(group, f"{name}-worker-{number}", "worker", settings, "waiting for work")
        for number in (1, 2)
    ]
    scheduler = Program(group, f"{name}-scheduler", "scheduler", settings, "ticking")

    def restart_postgres(random: Random) -> None:
        postgres.stop()
        _stay_away(random)
        postgres.start()

    def kill_postgres(random: Random) -> None:
        postgres.kill()
        _stay_away(random)
        postgres.start()

    def kill_redis(random: Random) -> None:
        redis.kill()
        _stay_away(random)
        redis.start()

    return Deployment(
        settings["COPYDESK_PUBLIC_URL"],
        settings["COPYDESK_DATABASE_URL"],
        settings,
        [web, *workers, scheduler],
        {
            "worker": lambda random: _kill(random.choice(workers), random),
            "worker-freeze": lambda random: random.choice(workers).freeze(FREEZE_SECONDS),
            "web": lambda random: _kill(web, random),
            "scheduler": lambda random: _kill(scheduler, random),
            "redis": kill_redis,
            "flushall": lambda random: redis.flush(),
            "postgres-kill": kill_postgres,
            "postgres-restart": restart_postgres,
        },
        patient=frozenset({"worker", "worker-freeze", "scheduler", "redis", "flushall"}),
        silent=frozenset({"web"}),
    )


def _settings(group: ProcessGroup, name: str, model_url: str) -> tuple[dict[str, str], int]:
    folder = group.folder / name
    folder.mkdir()
    port = free_port()
    return {
        "COPYDESK_DATA_DIR": str(folder),
        "COPYDESK_PUBLIC_URL": f"http://127.0.0.1:{port}",
        "COPYDESK_MODEL": "scripted",
        "COPYDESK_WEBHOOK_ALLOW_PRIVATE": "1",
        "COPYDESK_WORKERS": "3",
        "OPENAI_BASE_URL": model_url,
        "OPENAI_API_KEY": MODEL_KEY,
    }, port


def _kill(program: Program, random: Random) -> None:
    """All of a program's processes at once, or one that the program replaces."""
    if random.random() < 0.5 and program.kill_one_process(random):
        return
    program.kill()
    _stay_away(random)
    program.start()


def _stay_away(random: Random) -> None:
    Event().wait(random.uniform(0, ABSENCE_SECONDS))
