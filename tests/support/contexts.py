"""The context of services in tests: what a test names, and ports that do nothing for the rest."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from app.adapters.thread_queue import ThreadQueue
from app.container import NoModel
from app.ports import Clock, RateLimiter, TaskQueue, WebhookAnswer
from app.services.context import Context, WritingOptions
from app.services.costs import PaidWork
from app.services.journal import Assignment
from app.services.post_writer import PostWriter
from app.store.costs import Payer
from app.store.rows import new_id

OPTIONS = WritingOptions(60.0)


def no_webhook(url: str, headers: Mapping[str, str], body: bytes) -> WebhookAnswer:
    raise AssertionError("this test sends no webhook")


def context_at(clock: Clock, queue: TaskQueue | None = None, **parts: Any) -> Context:
    """A context with that clock and queue; ``parts`` replace other members."""
    harmless = Context(clock, queue or ThreadQueue(), RateLimiter(), no_webhook, NoModel(), OPTIONS)
    return replace(harmless, **parts)


def writer_of(context: Context, assignment: Assignment) -> PostWriter:
    """The writer of a post that nothing else is stored of than its journal and its costs."""
    work_id = new_id("run")
    owner = PaidWork(context, work_id, work_id, Payer("acc_alone"), lambda *_: True)
    return PostWriter(assignment, owner)
