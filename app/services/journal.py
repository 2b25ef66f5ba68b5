"""The journal of a post: what it is written from, and the answer of each stage.

A stage is a call to a model: the first draft, the second edit. Its answer is stored in a
transaction of its own as soon as the call returns, under the lease of the work. If the worker dies,
the next one gets the stored answers and goes on behind the last: a killed worker loses at most the
calls that were running.
"""

import logging
from collections.abc import Mapping
from dataclasses import fields
from typing import Any

from sqlalchemy.orm import Session

from app.core.errors import GenerationTimeout, ModelUnavailable
from app.deadline import Deadline
from app.ports import Model
from app.services.assignment import Assignment, Inputs
from app.services.context import Context
from app.services.costs import Meter, Owner
from app.store import costs as cost_store
from app.store import journal as store
from app.store import models
from app.store.database import reading
from app.store.state import forget_faults, note_fault
from app.writing.completion import Completion, Prompt

log = logging.getLogger(__name__)


class Journal:
    """The journal of a work that this worker holds. It also counts what the calls cost.

    Thread-safe: drafts are written beside each other.
    """

    def __init__(self, context: Context, owner: Owner) -> None:
        self._meter = Meter(context, owner)
        self._clock = context.clock
        self._model_hash = context.model_hash
        self._owner = owner
        self._answers: Mapping[str, Completion] = {}

    def resume(self, assignment: Assignment) -> Inputs | None:
        """Return the inputs that an earlier worker stored for this assignment; None if the work
        starts from the beginning.

        Raises:
            TakenOver: another worker holds the work.
        """
        work_id = self._owner.work_id
        with reading() as session:
            stored = session.get(models.Journal, work_id)
            stages = store.stages(session, work_id) if stored else {}
        if stored is None or stored.ended:
            return None
        inputs = Inputs.from_json(stored.inputs)
        if inputs is None or not inputs.assignment.asks_as(assignment):
            return None
        # Its retention begins again: it is not deleted while it is in use.
        now = self._clock.now()
        self._owner.write(self._clock, lambda opened: store.change(opened, work_id, created_at=now))
        self._answers = {stage: _completion(answer) for stage, answer in stages.items()}
        log.info("writing resumes behind %d answers of the journal", len(stages))
        return inputs

    def begin(self, inputs: Inputs) -> None:
        """Store what the post is written from.

        Raises:
            TakenOver: another worker holds the work.
        """
        columns: dict[str, Any] = {"inputs": inputs.to_json(), "created_at": self._clock.now()}
        work_id = self._owner.work_id
        self._owner.write(self._clock, lambda opened: store.create(opened, work_id, **columns))

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
        work_id = self._owner.work_id
        try:
            completion, settle = self._meter.ask(
                model, prompt, deadline, lambda session: store.change(session, work_id, stage=stage)
            )
        except (ModelUnavailable, GenerationTimeout):
            self._note_fault(model)
            raise
        answer = vars(completion)
        self._owner.write(
            self._clock,
            lambda session: store.add_stage(session, work_id, stage, answer),
            settle,
            forget_faults,
        )
        return completion

    def _note_fault(self, model: Model) -> None:
        """Store why a call failed, for the pages of processes that make none."""
        if (state := model.state()) is not None and (reason := state.reason):
            self._owner.write(
                self._clock, lambda session: note_fault(session, self._model_hash, reason)
            )

    def close(self, session: Session, item_id: str | None = None) -> None:
        """Note in the transaction that ends the work that it ended; nothing resumes it then.

        Args:
            item_id: the item that was made, by which operators look its costs up from now on.
        """
        if item_id is not None:
            cost_store.name_post(session, self._owner.work_id, item_id)
        store.change(session, self._owner.work_id, ended=True)


def _completion(stored: Mapping[str, Any]) -> Completion:
    """Return a stored answer, which an earlier version may have stored with more members."""
    return Completion(**{each.name: stored[each.name] for each in fields(Completion)})


class _Recorded(Model):
    """A model whose answers come from a journal, or go into it."""

    def __init__(self, journal: Journal, model: Model, attempt: int) -> None:
        self._journal = journal
        self._model = model
        self._attempt = attempt
        self.name = model.name

    def complete(self, prompt: Prompt, deadline: Deadline) -> Completion:
        stage = f"{self._attempt} {prompt.purpose} {prompt.number}"
        return self._journal.answer(stage, prompt, self._model, deadline)

    def ping(self) -> None:
        self._model.ping()
