"""The two worlds in which the service has to keep its interface."""

from collections.abc import Callable

from tests.running.postgres import PostgresServer
from tests.running.process_group import ProcessGroup
from tests.running.redis_server import RedisServer
from tests.running.service import CopydeskService, ManyProcesses

# Webhooks of tests go to loopback.
SETTINGS = {"COPYDESK_WEBHOOK_ALLOW_PRIVATE": "1"}


def one_process(group: ProcessGroup, model_url: str) -> CopydeskService:
    """SQLite, with web, workers and scheduler as threads of one process."""
    return CopydeskService(group, model_url, **SETTINGS)


def many_processes(group: ProcessGroup, model_url: str) -> CopydeskService:
    """PostgreSQL and Redis, with one web process, two workers and one scheduler."""
    database_url = PostgresServer(group).create_database()
    redis_url = RedisServer(group).url
    return ManyProcesses(
        group, model_url, database_url=database_url, redis_url=redis_url, **SETTINGS
    )


WORLDS: dict[str, Callable[[ProcessGroup, str], CopydeskService]] = {
    "one-process": one_process,
    "many-processes": many_processes,
}
