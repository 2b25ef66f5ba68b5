"""The journal of a post: what it is written from, and the answer of each stage.

A stage is a call to a model: the first draft, the second edit. Its answer is stored in a
transaction of its own as soon as the call returns, under the lease of the work. If the worker dies,
the next one gets the stored answers and goes on behind the last: a killed worker loses at most the
calls that were running.
"""

import json
import logging
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from datetime import date
from functools import cache, partial
from typing import Any

from pydantic import TypeAdapter, ValidationError
from sqlalchemy import bindparam, delete, select, update
from sqlalchemy.orm import Session

from app.core.errors import GenerationTimeout, ModelUnavailable
from app.core.schemas.request import GenerateRequest
from app.deadline import Deadline
from app.ports import Model
from app.services.costs import PaidWork, ask
from app.sources.source import Source
from app.store import models
from app.store.database import reading
from app.store.models import JournalCall
from app.store.rows import insert_if_absent
from app.store.state import forget_faults, note_fault
from app.writing.angles import Angle
from app.writing.brief import EarlierPost, Rewrite
from app.writing.completion import Completion, Prompt

log = logging.getLogger(__name__)

_journal = models.Journal.__table__
# Its parameters are the columns that change.
_CHANGE = update(_journal).where(_journal.c.work_id == bindparam("of_work"))


@dataclass(frozen=True)
class Assignment:
    """A request and what its post must differ from.

    Args:
        max_words: of the whole post.
        angles: one for each attempt; None means the request as it is.
        earlier: posts of its feed, which it must neither repeat nor contradict, newest first.
        current_event: the post needs fresh sources, whatever the request says.
        rewrite: the rejected post that it replaces, if a reviewer asked for that.
    """

    request: GenerateRequest
    max_words: int
    angles: tuple[Angle | None, ...]
    earlier: tuple[EarlierPost, ...] = ()
    current_event: bool = False
    rewrite: Rewrite | None = None

    def asks_as(self, other: "Assignment") -> bool:
        """Return whether both ask for the same post. Angles and earlier posts may differ: other
        posts may have appeared between two attempts."""
        return replace(self, angles=other.angles, earlier=other.earlier) == other


@dataclass(frozen=True)
class Inputs:
    """Everything that the prompts of a post depend on, except the model's answers.

    Args:
        seed: orders the drafts.
        is_local: a small model writes.
        edited: an editor edits the drafts and marks the post.
        drafts: how many are written.
        source_tokens: how many tokens of sources a prompt has at most.
        today: the day on which the sources were found; prompts name it.
        sources: the most relevant first.
    """

    assignment: Assignment
    seed: int
    is_local: bool
    edited: bool
    drafts: int
    source_tokens: int
    today: date
    sources: tuple[Source, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """Return the inputs as a JSON object."""
        stored: dict[str, Any] = _adapter().dump_python(self, mode="json", by_alias=True)
        return stored

    @classmethod
    def from_json(cls, stored: Mapping[str, Any]) -> "Inputs | None":
        """Return stored inputs; None if another version of Copydesk stored them in another form."""
        try:
            return _adapter().validate_json(json.dumps(stored))
        except ValidationError:
            return None


# Made when it is needed: commands import this module, and few of them read a journal.
@cache
def _adapter() -> TypeAdapter[Inputs]:
    return TypeAdapter(Inputs)


class Journal:
    """The journal of a work that this worker holds. It also counts what the calls cost.

    Thread-safe: drafts are written beside each other.
    """

    def __init__(self, work: PaidWork) -> None:
        self._clock = work.context.clock
        self._model_hash = work.context.model_hash
        self._work = work
        self._answers: Mapping[str, Completion] = {}

    def resume(self, assignment: Assignment) -> Inputs | None:
        """Return the inputs that an earlier worker stored for this assignment; None if the work
        starts from the beginning.

        Raises:
            TakenOver: another worker holds the work.
        """
        work_id = self._work.work_id
        with reading() as session:
            stored = session.get(models.Journal, work_id)
            answers = stages(session, work_id) if stored else {}
        if stored is None or stored.ended:
            return None
        inputs = Inputs.from_json(stored.inputs)
        if inputs is None or not inputs.assignment.asks_as(assignment):
            return None
        # Its retention begins again: it is not deleted while it is in use.
        now = self._clock.now()
        self._work.write(lambda opened: self._change(opened, created_at=now))
        self._answers = {stage: _completion(answer) for stage, answer in answers.items()}
        log.info("writing resumes behind %d answers of the journal", len(answers))
        return inputs

    def begin(self, inputs: Inputs) -> None:
        """Store what the post is written from, in place of an earlier journal of the work.

        Raises:
            TakenOver: another worker holds the work.
        """
        columns: dict[str, Any] = {"inputs": inputs.to_json(), "created_at": self._clock.now()}
        work_id = self._work.work_id

        def create(session: Session) -> None:
            session.execute(delete(_journal).where(_journal.c.work_id == work_id))
            insert_if_absent(session, models.Journal, work_id=work_id, ended=False, **columns)

        self._work.write(create)

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
        begin = partial(self._change, stage=stage)
        try:
            completion, settle = ask(self._work, model, prompt, deadline, begin)
        except (ModelUnavailable, GenerationTimeout):
            self._note_fault(model)
            raise
        row = {"work_id": self._work.work_id, "stage": stage, "answer": vars(completion)}
        self._work.write(
            lambda session: insert_if_absent(session, JournalCall, **row), settle, forget_faults
        )
        return completion

    def _note_fault(self, model: Model) -> None:
        """Store why a call failed, for the pages of processes that make none."""
        if (state := model.state()) is not None and (reason := state.reason):
            now = self._clock.now()
            self._work.write(lambda session: note_fault(session, self._model_hash, reason, now))

    def close(self, session: Session, item_id: str | None = None) -> None:
        """Note in the transaction that ends the work that it ended; nothing resumes it then.

        Args:
            item_id: the item that was made, by which operators look its costs up from now on.
        """
        if item_id is not None:
            mine = update(models.PostCost).where(models.PostCost.work_id == self._work.work_id)
            session.execute(mine.values(post_id=item_id))
        self._change(session, ended=True)

    def _change(self, session: Session, **columns: Any) -> None:
        session.connection().execute(_CHANGE, {"of_work": self._work.work_id, **columns})


def stages(session: Session, work_id: str) -> Mapping[str, Mapping[str, Any]]:
    """Return the answer of each stage of a journal."""
    query = select(JournalCall.stage, JournalCall.answer).where(JournalCall.work_id == work_id)
    return {row.stage: row.answer for row in session.execute(query)}


def _completion(stored: Mapping[str, Any]) -> Completion:
    """Return a stored answer, which an earlier version may have stored with more members."""
    return Completion(**{each.name: stored[each.name] for each in fields(Completion)})


class RecordedModel(Model):
    """A model whose answers come from a journal, or go into it with what they cost.

    Args:
        attempt: tells apart the posts that are written until one repeats no other.
    """

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
