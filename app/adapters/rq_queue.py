"""The queue in Redis, by RQ. It carries kinds and ids alone: the work is in the database."""

import time
from collections import defaultdict

from redis.exceptions import RedisError
from rq import Queue
from rq.queue import EnqueueData
from rq.serializers import JSONSerializer

from app.adapters.redis_connection import Outage, quick
from app.ports import QueueUnavailable, TaskQueue, Work, WorkKind

# Both are stored in Redis: a rename would leave behind what was queued before it.
PERFORM = "app.worker.perform"
DELIVERIES, GENERATION = "copydesk-delivery", "copydesk-work"
# Workers look into the first one first: a webhook takes a moment, a post some minutes.
QUEUES = (DELIVERIES, GENERATION)

# Beyond the longest generation that can be set: ends a process that hangs, and nothing else.
_TIMEOUT_SECONDS = 3 * 3600
_FAILURE_SECONDS = 60
# What was lost on its way to a worker is forgotten; it is found to be missing long before.
_FORGET_SECONDS = 24 * 3600


class RqQueue(TaskQueue):
    """Work for the processes of ``app.worker``."""

    def __init__(self, redis_url: str) -> None:
        self._redis = quick(redis_url)
        self._queues = {
            name: Queue(name, connection=self._redis, serializer=JSONSerializer) for name in QUEUES
        }
        self._outage = Outage("work waits in the database until the scheduler finds Redis again")

    def enqueue(self, *work: Work) -> None:
        tasks: dict[str, list[EnqueueData]] = defaultdict(list)
        for piece in work:
            name = DELIVERIES if piece.kind is WorkKind.DELIVERY else GENERATION
            tasks[name].append(_task(piece))
        if not tasks:
            return
        try:
            with self._redis.pipeline() as pipeline:
                for name, data in tasks.items():
                    self._queues[name].enqueue_many(data, pipeline=pipeline)
                pipeline.execute()
        except RedisError as error:
            self._outage.report(error)

    def missing(self, *work: Work) -> list[Work]:
        if not work:
            return []
        held = self._held()
        return [piece for piece in work if _task_id(piece) not in held]

    def ping(self) -> None:
        try:
            self._redis.ping()
        except RedisError as error:
            raise _unavailable(error) from None

    def _held(self) -> set[str]:
        """What waits, and what a worker that lives is doing."""
        try:
            with self._redis.pipeline() as pipeline:
                for queue in self._queues.values():
                    pipeline.lrange(queue.key, 0, -1)
                    # Entries are `id:execution`, each with the time until which it is believed.
                    pipeline.zrangebyscore(queue.started_job_registry.key, time.time(), "+inf")
                answers: list[list[bytes]] = pipeline.execute()
        except RedisError as error:
            raise _unavailable(error) from None
        return {entry.decode().partition(":")[0] for answer in answers for entry in answer}


def _task_id(work: Work) -> str:
    """Another attempt is another task: an earlier one that died does not stand for it."""
    return f"{work.kind}-{work.id}-{work.attempt}"


def _task(work: Work) -> EnqueueData:
    return Queue.prepare_data(
        PERFORM,
        args=(str(work.kind), work.id),
        job_id=_task_id(work),
        timeout=_TIMEOUT_SECONDS,
        ttl=_FORGET_SECONDS,
        result_ttl=0,
        failure_ttl=_FAILURE_SECONDS,
        description=f"{work.kind} {work.id}",
    )


def _unavailable(error: RedisError) -> QueueUnavailable:
    # Only its kind: an error of Redis can repeat what it was sent, a password too.
    return QueueUnavailable(f"Redis does not answer ({type(error).__name__}).")
