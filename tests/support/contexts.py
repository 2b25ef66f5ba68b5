"""The context of services in tests: what a test names, and ports that do nothing for the rest."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from app.adapters.thread_queue import ThreadQueue
from app.container import NoModel
from app.ports import Allowance, Clock, RateLimiter, TaskQueue, WebhookAnswer, WebhookSender
from app.services.context import Context, WritingOptions

OPTIONS = WritingOptions(60.0)


class NoLimit(RateLimiter):
    def hit(self, key: str, per_minute: int, *, always: bool = False) -> Allowance:
        return Allowance(True, per_minute, per_minute, 60)

    def look(self, key: str, per_minute: int) -> Allowance:
        return self.hit(key, per_minute)


class NoSender(WebhookSender):
    def send(self, url: str, headers: Mapping[str, str], body: bytes) -> WebhookAnswer:
        raise AssertionError("this test sends no webhook")


def context_at(clock: Clock, queue: TaskQueue | None = None, **parts: Any) -> Context:
    """A context with that clock and queue; ``parts`` replace other members."""
    harmless = Context(clock, queue or ThreadQueue(), NoLimit(), NoSender(), NoModel, OPTIONS)
    return replace(harmless, **parts)
