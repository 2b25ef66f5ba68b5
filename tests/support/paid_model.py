"""A model whose calls cost something: it notes each of them in a file, and may kill its process."""

import os
import signal
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from threading import Event, Lock
from typing import Any

from app.core.billing.costs import Price, estimated_tokens
from app.core.errors import ModelUnavailable
from app.deadline import Deadline
from app.ports import Clock, Model
from app.services.context import Context, WritingOptions
from app.writing.completion import Completion, Prompt
from tests.support.contexts import context_at
from tests.support.integration import CountingQueue
from tests.support.scripted_writer import scripted

# A draft, an edit, a reading and a polish: a worker can die between any two of them.
REQUEST = {"keywords": ["tea"], "constraints": {"maxWords": 450, "includeFAQs": True}}
_ANSWER_SECONDS = 0.02
_counting = Lock()


@dataclass
class PaidModel(Model):
    """Writes as the scripted model does.

    Args:
        ledger: gets a line for each call that is paid: the digest of its prompt and stage.
        unavailable_at: this call of the process fails before it is paid; 0 means none.
        dies_before, dies_after: the process kills itself before this call is paid, or after that.
        price: with one, a call takes a moment and costs all the tokens that its answer is expected
            to have, and the ledger gets its micro-dollars.
    """

    ledger: Path
    unavailable_at: int = 0
    dies_before: int = 0
    dies_after: int = 0
    price: Price | None = None
    name = "paid"
    calls = 0

    def complete(self, prompt: Prompt, deadline: Deadline) -> Completion:
        deadline.left()
        tokens, line = (100, 10), _digest(prompt)
        if self.price is not None:
            tokens = (estimated_tokens(prompt.system, prompt.user), prompt.expected_tokens)
            line = str(self.price.of(*tokens))
            # So that the calls of several workers overlap.
            Event().wait(_ANSWER_SECONDS)
        # Drafts are written beside each other.
        with _counting:
            self.calls += 1
            if self.calls == self.dies_before:
                os.kill(os.getpid(), signal.SIGKILL)
            if self.calls == self.unavailable_at:
                raise ModelUnavailable("The model does not answer.")
            with self.ledger.open("a", encoding="utf-8") as paid:
                paid.write(f"{line}\n")
            if self.calls == self.dies_after:
                os.kill(os.getpid(), signal.SIGKILL)
        answer = scripted(prompt)
        return Completion(answer.text, prompt_tokens=tokens[0], completion_tokens=tokens[1])

    def ping(self) -> None:
        """Always there."""

    @property
    def paid(self) -> list[str]:
        """The digests of all prompts that were paid, by any process."""
        return self.ledger.read_text("utf-8").split() if self.ledger.exists() else []


def options(model: Model, drafts: int = 1) -> WritingOptions:
    """Options with that model as the editor, too. With one draft, each call follows another."""
    return WritingOptions(120.0, drafts=drafts, editor=model)


def worker_context(model: Model, **parts: Any) -> Context:
    """Return the context of a worker with that model; ``parts`` replace other members."""
    return context_at(Clock(), CountingQueue(), model=model, options=options(model), **parts)


def _digest(prompt: Prompt) -> str:
    stage = f"{prompt.purpose} {prompt.number}\n{prompt.system}\n{prompt.user}"
    return sha256(stage.encode()).hexdigest()
