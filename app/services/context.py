"""The context of use cases: the ports and policies that they get as their first argument."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from threading import RLock
from typing import TYPE_CHECKING

from app.core.billing.costs import Budget
from app.core.feed.rule import SchedulePolicy
from app.deadline import Deadline
from app.ports import Clock, MailSender, Model, Moderator, RateLimiter, TaskQueue, WebhookSender
from app.sources.source import DEFAULT_SOURCE_TOKENS

if TYPE_CHECKING:
    # Commands have a context too, and few of them read pages.
    from app.services.sources import Research


class Running:
    """The running generations of a process, which are cancelled when it stops. Thread-safe."""

    def __init__(self) -> None:
        # A signal handler may cancel while its own thread holds the lock.
        self._lock = RLock()
        self._deadlines: set[Deadline] = set()
        self._over = False

    @contextmanager
    def until(self, deadline: Deadline) -> Iterator[None]:
        """Let ``cancel_all`` cancel this deadline while the block runs."""
        with self._lock:
            self._deadlines.add(deadline)
            if self._over:
                deadline.cancel()
        try:
            yield
        finally:
            with self._lock:
                self._deadlines.discard(deadline)

    def cancel_all(self) -> None:
        """Cancel every generation, including those that begin later."""
        with self._lock:
            self._over = True
            for deadline in self._deadlines:
                deadline.cancel()


@dataclass(frozen=True)
class WritingOptions:
    """How posts are written.

    Args:
        timeout_seconds: how long one post may take.
        drafts: how many drafts the writer makes of a post, from which an editor takes one.
        is_local: whether the local model writes, which gets a shorter prompt.
        source_tokens: returns how many tokens the sources may have in one prompt, for which the
            endpoint may be asked.
        editor: edits the drafts and, as the reader, marks the post; None if nobody does.
        research: where sources come from; None if nowhere.
        moderator: checks requests first; None if nobody does.
        running: the generations of this process.
    """

    timeout_seconds: float
    drafts: int = 1
    is_local: bool = False
    source_tokens: Callable[[], int] = lambda: DEFAULT_SOURCE_TOKENS
    editor: Model | None = None
    research: "Research | None" = None
    moderator: Moderator | None = None
    running: Running = field(default_factory=Running)


@dataclass(frozen=True)
class Context:
    """The ports and policies of a process.

    Args:
        model_hash: of the settings of the model and its endpoint.
        tick_seconds: how often the scheduler looks for due rules.
        backups: the folder of backups, if it is known.
        send_mail: sends reminders; None if no mail server is configured.
        folders: where this process writes; their disks must not be full.
    """

    clock: Clock
    queue: TaskQueue
    limiter: RateLimiter
    send_webhook: WebhookSender
    model: Model
    options: WritingOptions
    policy: SchedulePolicy = field(default_factory=SchedulePolicy)
    budget: Budget = field(default_factory=Budget)
    model_hash: str = ""
    tick_seconds: float = 900.0
    backups: Path | None = None
    send_mail: MailSender | None = None
    folders: tuple[Path, ...] = ()
