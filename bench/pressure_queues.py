"""The queues that bench/pressure.py compares: how each is installed, given a job, and worked on.

    python bench/pressure_queues.py NAME URL

works on the jobs of a queue until it is killed. A job is a name; working on it writes the name into
the table ``done`` of the queue's database, over a connection that is opened again if it is lost.
"""

import asyncio
import sys
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import replace
from threading import Lock, Thread
from typing import Any, ClassVar
from uuid import uuid4

import psycopg
from sqlalchemy.exc import SQLAlchemyError

CONCURRENCY = 2
# As long as a lease of Copydesk, and as pgqueuer's own default.
STALLED_SECONDS = 30
_DONE = (
    "CREATE TABLE done (attempt uuid PRIMARY KEY, job text NOT NULL,"
    " at timestamptz NOT NULL DEFAULT clock_timestamp())"
)


def dsn(url: str) -> str:
    """The address without SQLAlchemy's part."""
    return url.replace("postgresql+psycopg:", "postgresql:")


class Effects:
    """What working on a job does: one row for each time."""

    def __init__(self, url: str) -> None:
        self._url = dsn(url)
        self._connection: psycopg.Connection | None = None
        self._lock = Lock()

    def add(self, job: str) -> None:
        """Write the row, however long the database refuses it."""
        with self._lock:
            self._add(job)

    def _add(self, job: str) -> None:
        attempt = uuid4()
        while True:
            try:
                if self._connection is None or self._connection.closed:
                    self._connection = psycopg.connect(self._url, autocommit=True)
                self._connection.execute(
                    "INSERT INTO done (attempt, job) VALUES (%s, %s) ON CONFLICT DO NOTHING",
                    (attempt, job),
                )
            except psycopg.Error:
                self._connection = None
                time.sleep(0.2)
            else:
                return


class JobQueue(ABC):
    """A queue in a database of its own."""

    name: ClassVar[str]
    table: ClassVar[str]
    """The table that its workers look for work in."""
    id_column: ClassVar[tuple[str, str]]
    """Its key, and an expression for other keys, by ``n``."""
    other_row: ClassVar[str]
    """What differs in another row: members and expressions, by ``n``."""
    ended: ClassVar[str]
    """Counts the jobs that ended by the queue's own account."""

    def __init__(self, url: str) -> None:
        self.url = url

    def install(self) -> None:
        """Create the tables."""
        with psycopg.connect(dsn(self.url), autocommit=True) as connection:
            connection.execute(_DONE)

    @abstractmethod
    def producer(self) -> Callable[[str], None]:
        """Return what adds a job of a name; an error means that it may not be there."""

    def kept(self, created: int) -> str:
        """What its own books say beside the number of jobs."""
        return ""

    @abstractmethod
    def work(self) -> None:
        """Work on jobs until an error or for ever."""


class CopydeskQueue(JobQueue):
    """The jobs of Copydesk by its services, with a pipeline that writes its post at once."""

    name, table = "copydesk", "jobs"
    id_column = ("id", "'job_x' || n")
    other_row = "'id', 'job_x' || n"
    ended = "SELECT count(*) FROM jobs WHERE status = 'succeeded'"

    def install(self) -> None:
        from app.store import database

        database.bind(self.url).migrate()
        database.bound().dispose()
        super().install()

    def producer(self) -> Callable[[str], None]:
        from app.adapters.system_clock import SystemClock
        from app.core.schemas.job import parse_job_request
        from app.services import accounts, jobs
        from app.services.idempotency import Key
        from app.store import database
        from tests.support.contexts import context_at

        database.bind(self.url)
        context = context_at(SystemClock())
        limits = {"requests_per_minute": 10**6, "requests_per_day": 10**7, "monthly_words": 10**9}
        accounts.update_plan("scale", limits)
        account = accounts.create_account(context, "A customer", "scale")
        secret = accounts.create_key(context, account).secret
        caller = accounts.authenticate(context, f"Bearer {secret}")

        def create(name: str) -> None:
            asked = {"keywords": ["cold brew"], "topic": name, "constraints": {"maxWords": 300}}
            body = {"generateRequest": asked, "format": {"responseTypes": ["markdown"]}}
            request = parse_job_request(body, allow_private=False)
            command = jobs.JobCommand(caller, request, "req_1", Key(account, "jobs", name, name))
            jobs.create(context, command)

        return create

    def kept(self, created: int) -> str:
        with psycopg.connect(dsn(self.url)) as connection:
            billed = connection.execute(
                "SELECT sum(posts), sum(reserved_words) FROM usage_months"
            ).fetchone()
        return f"billed posts and words still reserved: {billed}"

    def work(self) -> None:
        from app.adapters.system_clock import SystemClock
        from app.adapters.thread_queue import ThreadQueue
        from app.ports import WorkKind
        from app.services import jobs, post_writer
        from app.store import database
        from tests.support.contexts import context_at
        from tests.support.scripted_worker import WRITTEN, distinct_post

        effects = Effects(self.url)

        def write_post(_model: object, brief: Any, **_: object) -> Any:
            effects.add(brief.topic)
            number = int.from_bytes(brief.topic.encode()[-12:], "big")
            return replace(WRITTEN, post=distinct_post(number))

        post_writer.write_post = write_post
        database.bind(self.url)
        queue = ThreadQueue()
        context = context_at(SystemClock(), queue)
        queue.start(lambda: jobs.run_next(context), CONCURRENCY, WorkKind.JOB)
        while not queue.join(3600):
            pass


class Procrastinate(JobQueue):
    """procrastinate, with the periodic task of its documentation that retries stalled jobs."""

    name, table = "procrastinate", "procrastinate_jobs"
    id_column = ("id", "1000000000 + n")
    other_row = "'id', 1000000000 + n, 'queueing_lock', NULL"
    ended = "SELECT count(*) FROM procrastinate_jobs WHERE status = 'succeeded'"

    def _app(self, connector: Any) -> Any:
        import procrastinate

        effects = Effects(self.url)
        app = procrastinate.App(connector=connector)

        @app.task(name="work", retry=procrastinate.RetryStrategy(max_attempts=100, wait=1))
        def work(job: str) -> None:
            effects.add(job)

        @app.periodic(cron="* * * * *")
        @app.task(name="stalled", queueing_lock="stalled", pass_context=True)
        async def stalled(context: Any, timestamp: int) -> None:
            for job in await app.job_manager.get_stalled_jobs(
                seconds_since_heartbeat=STALLED_SECONDS
            ):
                if job.task_name == "work":
                    await app.job_manager.retry_job(job)

        return app

    def install(self) -> None:
        import procrastinate

        super().install()
        app = self._app(procrastinate.SyncPsycopgConnector(conninfo=dsn(self.url)))
        with app.open():
            app.schema_manager.apply_schema()

    def producer(self) -> Callable[[str], None]:
        import procrastinate

        app = self._app(procrastinate.SyncPsycopgConnector(conninfo=dsn(self.url)))
        app.open()

        def create(name: str) -> None:
            with suppress(procrastinate.exceptions.AlreadyEnqueued):
                app.configure_task("work", queueing_lock=name).defer(job=name)

        return create

    def work(self) -> None:
        import procrastinate

        app = self._app(procrastinate.PsycopgConnector(conninfo=dsn(self.url)))

        async def run() -> None:
            async with app.open_async():
                await app.run_worker_async(concurrency=CONCURRENCY, fetch_job_polling_interval=1.0)

        asyncio.run(run())


class Pgqueuer(JobQueue):
    """pgqueuer, whose workers take over jobs that have no heartbeat."""

    name, table = "pgqueuer", "pgqueuer"
    id_column = ("id", "1000000000 + n")
    other_row = "'id', 1000000000 + n, 'dedupe_key', NULL"
    ended = "SELECT count(*) FROM pgqueuer_log WHERE status = 'successful'"

    def install(self) -> None:
        from pgqueuer.queries import Queries

        super().install()

        async def run() -> None:
            connection = await self._connect()
            await Queries.from_psycopg_connection(connection).install()
            await connection.close()

        asyncio.run(run())

    async def _connect(self) -> Any:
        return await psycopg.AsyncConnection.connect(dsn(self.url), autocommit=True)

    def producer(self) -> Callable[[str], None]:
        from pgqueuer.errors import DuplicateJobError
        from pgqueuer.queries import Queries

        loop = asyncio.new_event_loop()
        Thread(target=loop.run_forever, daemon=True).start()
        held: dict[str, Any] = {}

        async def enqueue(name: str) -> None:
            if "connection" not in held or held["connection"].closed:
                held["connection"] = await self._connect()
            queries = Queries.from_psycopg_connection(held["connection"])
            try:
                await queries.enqueue("work", name.encode(), dedupe_key=name)
            except DuplicateJobError:
                pass
            except psycopg.Error:
                held.pop("connection")
                raise

        return lambda name: asyncio.run_coroutine_threadsafe(enqueue(name), loop).result()

    def work(self) -> None:
        from datetime import timedelta

        from pgqueuer.qm import QueueManager
        from pgqueuer.queries import Queries

        effects = Effects(self.url)

        async def run() -> None:
            manager = QueueManager(Queries.from_psycopg_connection(await self._connect()))

            @manager.entrypoint("work", concurrency_limit=CONCURRENCY)
            async def work(job: Any) -> None:
                await asyncio.to_thread(effects.add, job.payload.decode())

            await manager.run(
                dequeue_timeout=timedelta(seconds=1),
                batch_size=CONCURRENCY,
                shutdown_on_listener_failure=True,
                heartbeat_timeout=timedelta(seconds=STALLED_SECONDS),
            )

        asyncio.run(run())


QUEUES: Mapping[str, type[JobQueue]] = {
    each.name: each for each in (CopydeskQueue, Procrastinate, Pgqueuer)
}
PRODUCER_ERRORS = (psycopg.Error, SQLAlchemyError, OSError)


def main() -> None:
    name, url = sys.argv[1:]
    QUEUES[name](url).work()


if __name__ == "__main__":
    main()
