"""Collect the outcome of a pass, and log it as it happens."""

import logging
import threading
from collections.abc import Sequence
from dataclasses import dataclass, field

from copydesk_connectors.engine.log import logger
from copydesk_connectors.target.errors import Unavailable


@dataclass
class Outcome:
    """The outcome of a pass.

    ``problems`` are sentences. ``unfinished`` means that another pass may succeed, not earlier than
    in ``retry_after`` seconds.
    """

    confirmed: int = 0
    problems: list[str] = field(default_factory=list)
    unfinished: bool = False
    retry_after: float = 0.0


class Report:
    """Builds an Outcome. Safe to use from any thread."""

    def __init__(self) -> None:
        self.outcome = Outcome()
        self._turn = threading.Lock()

    def confirmed(self, item_id: str) -> None:
        """Count an item as done."""
        with self._turn:
            self.outcome.confirmed += 1
        self.say(logging.INFO, "confirmed", item_id)

    def waits(self) -> None:
        """Count an item as not done, for a reason already reported."""
        self.outcome.unfinished = True

    def trouble(self, what: str, error: Exception | None = None, *, retry: bool = True) -> None:
        """Add a problem. ``retry`` tells whether another pass may succeed."""
        problem = what if error is None else f"{what}: {error}"
        with self._turn:
            self.outcome.problems.append(problem)
            self.outcome.unfinished |= retry
            if isinstance(error, Unavailable) and error.retry_after is not None:
                self.outcome.retry_after = max(self.outcome.retry_after, error.retry_after)
        self.say(logging.WARNING if retry else logging.ERROR, problem)

    def note(self, item: str, target: str, notes: Sequence[str]) -> None:
        """Log the notes of a site about its copy."""
        for note in notes:
            self.say(logging.WARNING, note, item, target)

    def say(
        self,
        level: int,
        message: str,
        item: str | None = None,
        target: str | None = None,
        *,
        url: str | None = None,
        reason: str | None = None,
    ) -> None:
        """Log one line."""
        fields = {"item": item, "target": target, "url": url, "reason": reason}
        logger.log(level, "%s", message, extra=fields)
