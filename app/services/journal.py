"""The journal of a post: what it is written from, and the answer of each stage.

A stage is a call to a model: the first draft, the second edit. Its answer is stored in a
transaction of its own as soon as the call returns, under the lease of the work. If the worker dies,
the next one gets the stored answers and goes on behind the last: a killed worker loses at most the
calls that were running.
"""

import logging
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from threading import Lock
from typing import Any

from sqlalchemy.orm import Session

from app.deadline import Deadline
from app.ports import Clock, Model
from app.services.assignment import Assignment, Inputs
from app.services.costs import Meter, Settle
from app.services.leases import LEASE, TakenOver, retry_on_disconnect
from app.store import journal as store
from app.store.database import reading, writing
from app.writing.completion import Completion, Prompt

log = logging.getLogger(__name__)

# Far more than three attempts need.
_MAX_CHARS = 2_000_000


@dataclass(frozen=True)
class Owner:
    """The work that a journal belongs to.

    Args:
        request_id: another id by which operators look the journal up; "" if there is none yet.
        extend: extends the lease of the work; returns False if another worker has taken it over.
    """

    work_id: str
    request_id: str
    extend: Callable[[Session, datetime], bool]


class Journal:
    """The journal of a work that this worker holds. ``meter`` counts what its calls cost.

    Thread-safe: drafts are written beside each other.
    """

    def __init__(self, owner: Owner, clock: Clock, meter: Meter | None = None) -> None:
        self.meter = meter
        self._owner = owner
        self._clock = clock
        self._answers: dict[str, Completion] = {}
        self._chars = 0
        self._lock = Lock()

    def resume(self, assignment: Assignment) -> Inputs | None:
        """Return the inputs that an earlier worker stored for this assignment; None if the work
        starts from the beginning.

        Raises:
            TakenOver: another worker holds the work.
        """
        owner = self._owner
        with reading() as session:
            stored = store.find(session, owner.work_id)
            if stored is None or stored.ended:
                return None
            stages = store.stages(session, owner.work_id)
        inputs = Inputs.from_json(stored.inputs)
        if inputs is None or not inputs.assignment.asks_as(assignment):
            return None
        # Its retention begins again: it is not deleted while it is in use.
        now = self._clock.now()
        self._write(lambda session: store.change(
            session, owner.work_id, created_at=now, request_id=owner.request_id
        ))  # fmt: skip
        self._answers = {stage: Completion(**answer) for stage, answer in stages.items()}
        self._chars = sum(len(answer.text) for answer in self._answers.values())
        log.info("writing resumes behind %d answers of the journal", len(stages))
        return inputs

    def begin(self, inputs: Inputs) -> None:
        """Store what the post is written from.

        Raises:
            TakenOver: another worker holds the work.
        """
        owner, stored, now = self._owner, inputs.to_json(), self._clock.now()
        self._write(lambda session: store.create(
            session, owner.work_id, inputs=stored, created_at=now, request_id=owner.request_id
        ))  # fmt: skip

    def recorded(self, model: Model, attempt: int) -> Model:
        """Return the model with its answers from, and into, this journal.

        Args:
            attempt: tells apart the posts that are written until one repeats no other.
        """
        return _Recorded(self, model, attempt)

    def answer(self, stage: str, prompt: Prompt, model: Model, deadline: Deadline) -> Completion:
        """Return the stored answer of a stage, or ask the model and store the answer with what it
        cost.

        Raises:
            TakenOver: another worker holds the work; the answer is not stored.
            SpendCapReached: a cap is reached; the model was not asked.
            ModelUnavailable, GenerationTimeout, GenerationCancelled
        """
        stored = self._answers.get(stage)
        if stored is not None:
            return stored
        if self.meter is None:
            completion = model.complete(prompt, deadline)
            self._store(stage, completion)
        else:
            completion, settle = self.meter.ask(model, prompt, deadline)
            if not self._store(stage, completion, settle):
                self.meter.settle(settle)
        return completion

    def close(self, session: Session, request_id: str | None = None) -> None:
        """Note in the transaction that ends the work that it ended; nothing resumes it then.

        Args:
            request_id: the id of what is stored, if the journal is looked up by it.
        """
        columns: dict[str, Any] = {"ended": True}
        if request_id is not None:
            columns["request_id"] = request_id
            if self.meter is not None:
                self.meter.name_post(session, request_id)
        store.change(session, self._owner.work_id, **columns)

    def _store(self, stage: str, completion: Completion, settle: Settle | None = None) -> bool:
        """Store an answer, and settle its call in the same transaction; return False if the journal
        is full."""
        with self._lock:
            self._chars += len(completion.text)
            if self._chars > _MAX_CHARS:
                log.warning("the journal is full: later answers are not stored")
                return False
        work_id, answer = self._owner.work_id, vars(completion)

        def add(session: Session) -> None:
            store.add_stage(session, work_id, stage, answer)
            if settle is not None:
                settle(session)

        self._write(add)
        return True

    @retry_on_disconnect
    def _write(self, write: Callable[[Session], None]) -> None:
        with writing() as session:
            if not self._owner.extend(session, self._clock.now() + LEASE):
                raise TakenOver
            write(session)


class _Recorded(Model):
    """A model whose answers come from a journal, or go into it."""

    def __init__(self, journal: Journal, model: Model, attempt: int) -> None:
        self._journal = journal
        self._model = model
        self._attempt = attempt
        self.name = model.name
        self.concurrency = model.concurrency

    def complete(self, prompt: Prompt, deadline: Deadline) -> Completion:
        stage = f"{self._attempt} {prompt.purpose} {prompt.number}"
        return self._journal.answer(stage, prompt, self._model, deadline)

    def ping(self) -> None:
        self._model.ping()
