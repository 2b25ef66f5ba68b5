"""What a pass came to, collected while it goes on, and said as it happens."""

import logging
import threading
from collections.abc import Sequence
from dataclasses import dataclass, field

from copydesk_connectors.errors import Unavailable
from copydesk_connectors.log import logger


@dataclass
class Outcome:
    """What a pass came to.

    ``problems`` are sentences; ``unfinished`` tells that another pass may do better, after
    ``retry_after`` seconds where the other side named a time.
    """

    confirmed: int = 0
    problems: list[str] = field(default_factory=list)
    unfinished: bool = False
    retry_after: float = 0.0


class Report:
    """Makes an Outcome; any number of threads may tell it things."""

    def __init__(self) -> None:
        self.outcome = Outcome()
        self._turn = threading.Lock()

    def confirmed(self, item_id: str) -> None:
        """An item is done."""
        with self._turn:
            self.outcome.confirmed += 1
        self.say(logging.INFO, "confirmed", item_id)

    def waits(self) -> None:
        """An item is not done; why was said when it was met."""
        self.outcome.unfinished = True

    def trouble(self, what: str, error: Exception | None = None, *, retry: bool = True) -> None:
        """Something did not go well; with ``retry`` another pass may do better."""
        problem = what if error is None else f"{what}: {error}"
        with self._turn:
            self.outcome.problems.append(problem)
            self.outcome.unfinished |= retry
            if isinstance(error, Unavailable) and error.retry_after is not None:
                self.outcome.retry_after = max(self.outcome.retry_after, error.retry_after)
        self.say(logging.WARNING if retry else logging.ERROR, problem)

    def note(self, item: str, target: str, notes: Sequence[str]) -> None:
        """Pass on what a site says of its copy."""
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
        """A line of the log."""
        fields = {"item": item, "target": target, "url": url, "reason": reason}
        logger.log(level, "%s", message, extra=fields)
