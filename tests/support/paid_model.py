"""A model whose calls cost something: it notes each of them in a file, and may kill its process."""

import os
import signal
from dataclasses import dataclass
from pathlib import Path

from app.core.errors import ModelUnavailable
from app.core.writing.completion import Completion, Prompt
from app.core.writing.profile import LARGE, Profile, Strategy
from app.deadline import Deadline
from app.ports import Model
from app.services.context import WritingOptions
from app.services.journal import digest_of
from tests.support.scripted_writer import scripted

# Several calls for a post: a worker can die between any two of them.
SECTIONS = Profile(Strategy.SECTIONS)
REQUEST = {"keywords": ["tea"], "constraints": {"maxWords": 450, "includeFAQs": True}}


@dataclass
class PaidModel(Model):
    """Writes as the scripted model does.

    Args:
        ledger: gets a line for each call that is paid: the digest of its prompt.
        unavailable_at: this call of the process fails before it is paid; 0 means none.
        dies_before, dies_after: the process kills itself before this call is paid, or after that.
    """

    ledger: Path
    unavailable_at: int = 0
    dies_before: int = 0
    dies_after: int = 0
    name = "paid"
    concurrency = 1
    calls = 0

    def complete(self, prompt: Prompt, deadline: Deadline) -> Completion:
        deadline.left()
        self.calls += 1
        if self.calls == self.dies_before:
            os.kill(os.getpid(), signal.SIGKILL)
        if self.calls == self.unavailable_at:
            raise ModelUnavailable("The model does not answer.")
        with self.ledger.open("a", encoding="utf-8") as paid:
            paid.write(f"{digest_of(prompt)}\n")
        if self.calls == self.dies_after:
            os.kill(os.getpid(), signal.SIGKILL)
        answer = scripted(prompt)
        return Completion(answer.text, prompt_tokens=100, completion_tokens=10)

    def ping(self) -> None:
        """Always there."""

    @property
    def paid(self) -> list[str]:
        """The digests of all prompts that were paid, by any process."""
        return self.ledger.read_text("utf-8").split() if self.ledger.exists() else []


def options(model: Model, profile: Profile = LARGE) -> WritingOptions:
    """Options with that model as the editor, too."""
    return WritingOptions(120.0, profile=lambda: profile, editor=lambda: model)
