"""The queue in Redis, by RQ. It holds only kinds and ids: the work is in the database."""

from collections import defaultdict

from redis.exceptions import RedisError
from rq import Queue
from rq.queue import EnqueueData
from rq.serializers import JSONSerializer

from app.adapters.redis_connection import Outage, quick
from app.ports import QueueUnavailable, TaskQueue, Work, WorkKind

# Stored in Redis: after a rename, work that was queued before it is not found.
PERFORM = "app.worker.perform"
DELIVERIES, URGENT, GENERATION = "copydesk-delivery", "copydesk-urgent", "copydesk-work"
# In the order of their priority: a webhook takes a moment, a post some minutes.
QUEUES = (DELIVERIES, URGENT, GENERATION)

# Longer than any generation_timeout_seconds, so that it only ends a process that hangs.
_TIMEOUT_SECONDS = 3 * 3600
_FAILURE_SECONDS = 60
# When Redis drops a task that no worker took; the sweep finds it to be missing long before.
_FORGET_SECONDS = 24 * 3600


class RqQueue(TaskQueue):
    """Queues work for the processes of ``app.worker``."""

    def __init__(self, redis_url: str) -> None:
        self._redis = quick(redis_url)
        self._queues = {
            name: Queue(name, connection=self._redis, serializer=JSONSerializer) for name in QUEUES
        }
        self._outage = Outage("work waits in the database until the scheduler finds Redis again")

    def enqueue(self, *work: Work) -> None:
        tasks: dict[str, list[EnqueueData]] = defaultdict(list)
        for piece in work:
            tasks[_queue_of(piece)].append(_task(piece))
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
        try:
            with self._redis.pipeline() as pipeline:
                for queue in self._queues.values():
                    pipeline.lrange(queue.key, 0, -1)
                answers: list[list[bytes]] = pipeline.execute()
        except RedisError as error:
            raise _unavailable(error) from None
        held = {entry.decode() for answer in answers for entry in answer}
        return [piece for piece in work if _task_id(piece) not in held]

    def ping(self) -> None:
        try:
            self._redis.ping()
        except RedisError as error:
            raise _unavailable(error) from None


def _queue_of(work: Work) -> str:
    if work.kind is WorkKind.DELIVERY:
        return DELIVERIES
    return URGENT if work.urgent else GENERATION


def _task_id(work: Work) -> str:
    """Return the task's id; another attempt is another task, whatever became of the first."""
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
    # Only the type: Redis errors can repeat the input, including passwords.
    return QueueUnavailable(
        f"Redis does not answer ({type(error).__name__}). Check COPYDESK_REDIS_URL, and start"
        " Redis."
    )
