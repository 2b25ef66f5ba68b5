"""The journal of a post: what it is written from, and each answer of the model, in order.

An answer is stored in a transaction of its own as soon as the call returns, under the lease of the
work. If the worker dies, the next one builds the same prompts and gets the stored answers, until
the journal ends; only then does it call the model. So a killed worker loses at most the call that
was running. If a prompt has changed since (another version), the rest of the journal is discarded.
"""

import json
import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256
from typing import Any

from sqlalchemy.orm import Session

from app.core.writing.completion import Completion, Prompt
from app.deadline import Deadline
from app.ports import Clock, Model
from app.services.assignment import Assignment, Inputs
from app.services.costs import Meter, Settle
from app.services.leases import LEASE, TakenOver, retry_on_disconnect
from app.store import journal as store
from app.store import models
from app.store.database import reading, writing

log = logging.getLogger(__name__)

# Several times what three attempts at the longest post need.
_MAX_CALLS = 500
_MAX_CHARS = 2_000_000
# The members of a prompt that the model gets.
_SENT = (
    "system", "user", "schema", "schema_name", "stop", "max_tokens", "temperature", "seed",
    "yes_or_no", "continuation", "compared",
)  # fmt: skip


@dataclass(frozen=True)
class Owner:
    """The work that a journal belongs to.

    Args:
        request_id: another id by which operators look the journal up; "" if there is none yet.
        output: what the work makes of its post (``app.services.results``).
        extend: extends the lease of the work; returns False if another worker has taken it over.
    """

    work_id: str
    request_id: str
    output: Mapping[str, Any]
    extend: Callable[[Session, datetime], bool]


class Answers:
    """Stored answers, returned in order as long as the prompts are those that were sent."""

    def __init__(self, calls: Sequence[models.JournalCall] = ()) -> None:
        self.calls = list(calls)
        self.used = 0

    @property
    def left(self) -> int:
        """Return how many answers were not used yet."""
        return len(self.calls) - self.used

    def next(self, prompt: Prompt) -> Completion | None:
        """Return the answer to a prompt; None if the next stored prompt is another one, or if no
        answers are left."""
        if not self.left or self.calls[self.used].prompt != digest_of(prompt):
            return None
        answer = self.calls[self.used].answer
        self.used += 1
        return Completion(**answer)


class Journal:
    """The journal of a work that this worker holds. ``meter`` counts what its calls cost."""

    def __init__(self, owner: Owner, clock: Clock, meter: Meter | None = None) -> None:
        self.meter = meter
        self._owner = owner
        self._clock = clock
        self._answers = Answers()
        self._recorded = self._chars = 0

    @property
    def output(self) -> Mapping[str, Any]:
        """What the work makes of its post."""
        return self._owner.output

    def resume(self, assignment: Assignment) -> Inputs | None:
        """Return the inputs that an earlier worker stored for this assignment; None if the work
        starts from the beginning.

        Raises:
            TakenOver: another worker holds the work.
        """
        owner = self._owner
        with reading() as session:
            stored = store.find(session, owner.work_id)
            if stored is None or stored.result_digest is not None:
                return None
            calls = store.calls(session, owner.work_id)
        inputs = Inputs.from_json(stored.inputs)
        if inputs is None or not inputs.assignment.asks_as(assignment):
            return None
        # Its retention begins again: it is not deleted while it is in use.
        now = self._clock.now()
        columns = {"request_id": owner.request_id, "output": dict(owner.output)}
        self._write(lambda session: store.change(
            session, owner.work_id, created_at=now, **columns
        ))  # fmt: skip
        self._answers = Answers(calls)
        self._recorded = len(calls)
        self._chars = sum(len(call.answer["text"]) for call in calls)
        log.info("writing resumes behind call %d of the journal", len(calls))
        return inputs

    def begin(self, inputs: Inputs) -> None:
        """Store what the post is written from.

        Raises:
            TakenOver: another worker holds the work.
        """
        owner, stored, now = self._owner, inputs.to_json(), self._clock.now()
        columns = {"request_id": owner.request_id, "output": dict(owner.output)}
        self._write(lambda session: store.create(
            session, owner.work_id, inputs=stored, created_at=now, **columns
        ))  # fmt: skip

    def recorded(self, model: Model) -> Model:
        """Return the model with its answers from, and into, this journal."""
        return _Recorded(self, model)

    def recalled(
        self, prompt: Prompt, look_up: Callable[[], Completion | None]
    ) -> Completion | None:
        """Return the stored answer to a look-up, or look up and store what is found.

        A look-up that found nothing is not stored. While stored answers are left, it still finds
        nothing: the prompts must not change because other posts have appeared since.

        Raises:
            TakenOver: another worker holds the work; the answer is not stored.
        """
        stored = self._answers.next(prompt)
        if stored is not None or self._answers.left:
            return stored
        found = look_up()
        if found is not None:
            self._store(prompt, found)
        return found

    def answer(self, prompt: Prompt, model: Model, deadline: Deadline) -> Completion:
        """Return the stored answer to a prompt, or ask the model and store the answer with what it
        cost.

        Raises:
            TakenOver: another worker holds the work; the answer is not stored.
            SpendCapReached: a cap is reached; the model was not asked.
            ModelUnavailable, GenerationTimeout, GenerationCancelled
        """
        stored = self._answers.next(prompt)
        if stored is not None:
            return stored
        if self._answers.left:
            log.info("the prompt of call %d has changed: later calls are made again",
                     self._answers.used + 1)  # fmt: skip
            self._recorded = self._answers.used
            self._answers = Answers(self._answers.calls[: self._answers.used])
            self._answers.used = self._recorded
        if self.meter is None:
            completion = model.complete(prompt, deadline)
            self._store(prompt, completion)
        else:
            completion, settle = self.meter.ask(model, prompt, deadline)
            if not self._store(prompt, completion, settle):
                self.meter.settle(settle)
        return completion

    def close(self, session: Session, result: str | None, request_id: str | None = None) -> None:
        """Note in the transaction that ends the work how it ended; nothing resumes it then.

        Args:
            result: the JSON of what is stored; None if the work failed.
            request_id: the id of what is stored, if the journal is looked up by it.
        """
        columns = {"result_digest": digest(result) if result is not None else ""}
        if request_id is not None:
            columns["request_id"] = request_id
            if self.meter is not None:
                self.meter.name_post(session, request_id)
        store.change(session, self._owner.work_id, **columns)

    def _store(self, prompt: Prompt, completion: Completion, settle: Settle | None = None) -> bool:
        """Store an answer, and settle its call in the same transaction; return False if the journal
        is full."""
        self._chars += len(completion.text)
        number = self._recorded + 1
        if number > _MAX_CALLS or self._chars > _MAX_CHARS:
            if number <= _MAX_CALLS:
                log.warning("the journal is full: later calls are not stored")
            # A journal without this call must not have later ones.
            self._recorded = _MAX_CALLS
            return False
        work_id = self._owner.work_id
        answer = vars(completion)
        columns = {"purpose": prompt.purpose, "prompt": digest_of(prompt), "answer": answer}

        def add(session: Session) -> None:
            store.delete_calls(session, work_id, since=number)
            store.add_call(session, work_id, number, **columns)
            if settle is not None:
                settle(session)

        self._write(add)
        self._recorded = number
        return True

    @retry_on_disconnect
    def _write(self, write: Callable[[Session], None]) -> None:
        with writing() as session:
            if not self._owner.extend(session, self._clock.now() + LEASE):
                raise TakenOver
            write(session)


class _Recorded(Model):
    """A model whose answers come from a journal, or go into it."""

    def __init__(self, journal: Journal, model: Model) -> None:
        self._journal = journal
        self._model = model
        self.name = model.name
        self.concurrency = model.concurrency

    def complete(self, prompt: Prompt, deadline: Deadline) -> Completion:
        return self._journal.answer(prompt, self._model, deadline)

    def ping(self) -> None:
        self._model.ping()


def digest_of(prompt: Prompt) -> str:
    """Return the digest of what the model gets."""
    sent = {name: getattr(prompt, name) for name in _SENT}
    return digest(json.dumps(sent, sort_keys=True))


def digest(text: str) -> str:
    """Return the SHA-256 of a text, in hexadecimal digits."""
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
