"""The two worlds in which the service has to keep its interface."""

from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tests.running.process_group import ProcessGroup
    from tests.running.service import CopydeskService

# What starts a world is imported as it starts: every run of any test asks for their names.

# Webhooks of tests go to loopback.
SETTINGS = {"COPYDESK_WEBHOOK_ALLOW_PRIVATE": "1"}


def one_process(group: "ProcessGroup", model_url: str, **settings: str) -> "CopydeskService":
    """SQLite, with web, workers and scheduler as threads of one process."""
    from tests.running.service import CopydeskService

    return CopydeskService(group, model_url, **SETTINGS, **settings)


def many_processes(group: "ProcessGroup", model_url: str, **settings: str) -> "CopydeskService":
    """PostgreSQL and Redis, with one web process, two workers and one scheduler."""
    from tests.running.postgres import PostgresServer
    from tests.running.redis_server import RedisServer
    from tests.running.service import ManyProcesses

    database_url = PostgresServer(group).create_database()
    redis_url = RedisServer(group).url
    return ManyProcesses(
        group, model_url, database_url=database_url, redis_url=redis_url, **SETTINGS, **settings
    )


WORLDS: dict[str, Callable[..., "CopydeskService"]] = {
    "one-process": one_process,
    "many-processes": many_processes,
}
