"""The two deployments of the service in which the acceptance tests run."""

from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tests.support.process_group import ProcessGroup
    from tests.support.service import CopydeskService

# Imported when a deployment starts, because every test run reads their names.

# Webhooks of tests go to loopback.
SETTINGS = {"COPYDESK_WEBHOOK_ALLOW_PRIVATE": "1"}


def one_process(group: "ProcessGroup", model_url: str, **settings: str) -> "CopydeskService":
    """SQLite, with web, workers and scheduler as threads of one process."""
    from tests.support.service import CopydeskService

    return CopydeskService(group, model_url, **SETTINGS, **settings)


def many_processes(group: "ProcessGroup", model_url: str, **settings: str) -> "CopydeskService":
    """PostgreSQL and Redis, with one web process, two workers and one scheduler."""
    from tests.support.postgres import PostgresServer
    from tests.support.redis_server import RedisServer
    from tests.support.service import ManyProcesses

    database_url = PostgresServer(group).create_database()
    redis_url = RedisServer(group).url
    return ManyProcesses(
        group, model_url, database_url=database_url, redis_url=redis_url, **SETTINGS, **settings
    )


DEPLOYMENTS: dict[str, Callable[..., "CopydeskService"]] = {
    "one-process": one_process,
    "many-processes": many_processes,
}
