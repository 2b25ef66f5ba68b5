"""What the services need from outside, each as a Protocol; ``app.wiring`` picks who answers."""

from datetime import datetime
from typing import Protocol

from app.core.prompts import Completion, Prompt


class Model(Protocol):
    """A language model behind one blocking call. Safe to call from several threads."""

    @property
    def name(self) -> str:
        """The model's name, as its endpoint knows it."""

    @property
    def concurrency(self) -> int:
        """How many calls at once are worth making (1 or more)."""

    def complete(self, prompt: Prompt) -> Completion:
        """Answer one prompt.

        Raises:
            ModelUnavailable: no connection, no usable answer after the retries, or bad credentials.
            GenerationTimeout: no answer within the adapter's time-out.
        """

    def ping(self) -> None:
        """Return when the endpoint answers; raise ModelUnavailable when it does not."""


class Clock(Protocol):
    """Where the time comes from."""

    def now(self) -> datetime:
        """The current time, timezone-aware, in UTC."""


class TaskQueue(Protocol):
    """A wake-up for work whose truth is in the database; losing a wake-up loses nothing."""

    def wake(self) -> None:
        """Say that there is queued work. Never blocks and never fails the caller."""
