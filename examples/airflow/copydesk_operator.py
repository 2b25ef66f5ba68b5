"""An Airflow operator that writes a post and holds no worker while the post is written.

It needs Airflow 3 with a triggerer. Put this file into the `plugins` folder, and set
COPYDESK_API_KEY and COPYDESK_BASE_URL for the workers and the triggerer.
"""

import hashlib
from collections.abc import AsyncIterator
from datetime import timedelta
from typing import Any

from airflow.exceptions import AirflowFailException
from airflow.sdk import BaseOperator
from airflow.triggers.base import BaseTrigger, TriggerEvent

from copydesk import AsyncCopydesk, Copydesk, CopydeskError, GenerateRequest


class PostWritten(BaseTrigger):
    """Waits in the triggerer until the service has written the post of a key.

    Airflow may run a trigger again, for example on another machine. The key makes sure that the
    post is written and billed once.
    """

    def __init__(self, key: str, request: GenerateRequest, seconds: float) -> None:
        super().__init__()
        self.key = key
        self.request = request
        self.seconds = seconds

    def serialize(self) -> tuple[str, dict[str, Any]]:
        """Return how Airflow makes this trigger again."""
        given = {"key": self.key, "request": self.request, "seconds": self.seconds}
        return f"{type(self).__module__}.{type(self).__name__}", given

    async def run(self) -> AsyncIterator[TriggerEvent]:
        """Yield one event: an empty one, or the error."""
        failure: dict[str, Any] = {}
        try:
            async with AsyncCopydesk(timeout=self.seconds) as client:
                await client.generate(idempotency_key=self.key, **self.request)
        except CopydeskError as error:
            failure = {"error": str(error), "transient": error.transient}
        yield TriggerEvent(failure)


class WritePost(BaseOperator):
    """Write a post, and return its title and its text as Markdown.

    ``request`` takes the arguments of ``Copydesk.generate``, and may contain templates.
    ``seconds`` is the time for one attempt of this task. Attempts of one run of the DAG share an
    idempotency key, so a retry continues the post instead of writing another. Errors that a retry
    cannot fix, such as a used-up quota, fail the task without a retry.
    """

    template_fields = ("request",)

    def __init__(self, *, request: GenerateRequest, seconds: float = 1800.0, **options: Any):
        super().__init__(**options)
        self.request = request
        self.seconds = seconds

    def execute(self, context: Any) -> None:
        """Hand the waiting to the triggerer."""
        self.defer(
            trigger=PostWritten(self._key(context), self.request, self.seconds),
            method_name="finish",
            timeout=timedelta(seconds=self.seconds + 60),
        )

    def finish(self, context: Any, event: dict[str, Any]) -> dict[str, Any]:
        """Return the post. The service has it: the same key returns the same post."""
        if "error" in event:
            if event["transient"]:
                raise RuntimeError(event["error"])
            raise AirflowFailException(event["error"])
        with Copydesk() as client:
            made = client.generate(idempotency_key=self._key(context), **self.request)
        return {"title": made.post.title, "markdown": made.rendered.markdown}

    @staticmethod
    def _key(context: Any) -> str:
        task = context["ti"]
        names = (task.dag_id, task.run_id, task.task_id, str(task.map_index))
        return "airflow-" + hashlib.sha256("\n".join(names).encode()).hexdigest()[:40]
