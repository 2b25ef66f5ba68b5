"""Runs of rules: claiming one, generating its item, and recording how it ended."""

import logging
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from app.core.errors import (
    GenerationTimeout,
    ModelUnavailable,
    RateLimited,
    ServiceError,
    SpendCapReached,
)
from app.core.feed.item import Status
from app.core.feed.rule import NOTHING_LEFT, SATURATED, SPEND_CAP, slot_after_failure
from app.core.schemas.api_model import STORED
from app.core.schemas.bodies import parse
from app.core.schemas.post import SEOPost
from app.core.schemas.request import GenerateRequest
from app.core.schemas.times import wire_time
from app.logs import about
from app.rendering.offers import Offer
from app.rendering.page import item_columns
from app.rules.passages import post_words
from app.services import saturation, usage
from app.services.context import Context
from app.services.costs import PaidWork
from app.services.journal import Assignment
from app.services.lease_keeping import LEASE, TakenOver, retry_on_disconnect
from app.services.leased_work import RUNS, ClaimedWork, perform_claimed
from app.services.lookups import lock
from app.services.near_duplicates import NothingNew
from app.services.post_writer import PostWriter
from app.services.rules import add_run, reset_backoff
from app.services.usage import Reservation
from app.store import accounts as account_store
from app.store import feed as feed_store
from app.store import models
from app.store import rules as store
from app.store.costs import Payer
from app.store.database import reading, writing
from app.store.rows import new_id
from app.writing.angles import BY_KEY, Angle
from app.writing.brief import EarlierPost, Rewrite
from app.writing.pipeline import Written
from app.writing.post_markdown import format_post

log = logging.getLogger(__name__)

# How many earlier posts of its feed a post is told.
_EARLIER = 20
# How much of a post that is written again its prompt has.
_REPLACED_CHARS = 20_000
_SATURATED = f"rule %s is saturated: {NOTHING_LEFT}"


class ClaimedRun(ClaimedWork):
    """A run that this worker holds, and what it needs from its rule. ``_reservation`` has the words
    of the item of a metered feed."""

    TABLE = RUNS
    PASSING = (ModelUnavailable, GenerationTimeout, RateLimited)
    PAUSES = (timedelta(minutes=1), timedelta(minutes=2))

    def __init__(self, session: Session, row: models.Run) -> None:
        super().__init__(row)
        self.since = row.slot
        rule = self.rule = session.get_one(models.Rule, row.rule_id)
        self._feed = session.get_one(models.Feed, rule.token_id)
        self.account_id = self._feed.account_id
        self.plan = account_store.plan_of_account(session, self.account_id)
        self._earlier = _earlier(session, rule.token_id)
        self._replaced = session.get(models.FeedItem, row.replaces) if row.replaces else None
        self._reservation: Reservation | None = None

    def log_ids(self) -> dict[str, str]:
        rule = self.rule
        ids = {"run": self.id, "rule": rule.id, "feed": rule.token_id}
        return {**ids, "account": self.account_id}

    def generate(self, context: Context) -> str | None:
        rule, rewrite = self.rule, None
        # Parsed here and not when the run is claimed: a rule that is no longer valid fails only its
        # own run, and a worker can claim the next one.
        request: GenerateRequest
        angles: tuple[Angle | None, ...]
        if self._replaced:
            request = parse(GenerateRequest, rule.request, STORED)
            request, angles, rewrite = _again(request, self._replaced)
        else:
            with reading() as session:
                outlook = saturation.look(session, rule)
            if not outlook.left:
                self._fail(context, {"code": SATURATED, "message": NOTHING_LEFT})
                return None
            request, angles = outlook.next_post()
        cap = self.plan.max_words_per_request
        max_words = min(request.max_words(cap), cap)
        self._reserve(max_words, context.clock.now())
        assignment = Assignment(
            request, max_words, angles, self._earlier, rule.current_event, rewrite
        )
        work = PaidWork(context, self.id, self.id, Payer(self.account_id, rule.id), self.extend)
        writer = PostWriter(assignment, work)

        def keep(written: Written) -> str:
            item = self._item(request, written, writer.angle)
            return self._store(context, writer, item, written)

        item_id = writer.write_unique(keep)
        with about(item=item_id):
            log.info("run %s of rule %s made item %s", self.id, rule.id, item_id)
        return item_id

    def _item(
        self, request: GenerateRequest, written: Written, angle: Angle | None
    ) -> dict[str, Any]:
        offers = [parse(Offer, offer) for offer in self.rule.offers]
        return {
            **item_columns(written.post, request, offers),
            "keyword": request.keywords[0],
            "angle": angle.key if angle else None,
            "replaces": self._replaced.id if self._replaced else None,
        }

    @retry_on_disconnect
    def _store(
        self, context: Context, writer: PostWriter, item: dict[str, Any], written: Written
    ) -> str:
        """End the run with its item; return the item's id."""
        now, item_id, feed_id = context.clock.now(), new_id("itm"), self.rule.token_id
        with writer.storing(written, feed_id, item_id) as session:
            ended: dict[str, Any] = {
                "status": store.RunStatus.SUCCEEDED.value,
                "finished_at": now,
                "error": None,
            }
            rule = store.update_run(session, self.id, self.attempt, item_id=item_id, **ended)
            if rule is None:
                raise TakenOver
            rule.failures, rule.last_error, rule.saturated_since = 0, None, None
            ids = {"id": item_id, "token_id": feed_id, "rule_id": self.rule.id}
            feed_store.add_item(session, now, **ids, **item)
            usage.count_item(session, feed_id, self._reservation, post_words(written.post), now)
            is_last = _mark_saturated(session, rule, now)
        if is_last:
            log.warning(_SATURATED, self.rule.id)
        return item_id

    def record_failure(
        self, context: Context, error: ServiceError, retry_at: datetime | None
    ) -> None:
        # Only the operator sees runs.
        told = {**error.body(), "message": error.operator, "isForOperator": True}
        if isinstance(error, SpendCapReached):
            told = {"code": SPEND_CAP, "message": error.operator}
        self._fail(context, told, retry_at, repeats=isinstance(error, NothingNew))

    @retry_on_disconnect
    def _fail(
        self,
        context: Context,
        error: dict[str, Any],
        retry_at: datetime | None = None,
        *,
        repeats: bool = False,
    ) -> None:
        """Record a failure in the run and its rule. After a final one the rule waits longer than
        its frequency, longer after each further failure.

        Args:
            repeats: each draft repeated an earlier post.
        """
        now, is_last = context.clock.now(), False
        ended: dict[str, Any] = {"status": store.RunStatus.FAILED.value, "finished_at": now}
        if retry_at is not None:
            ended = {"status": store.RunStatus.QUEUED.value, "not_before": retry_at}
        with writing() as session:
            rule = store.update_run(session, self.id, self.attempt, error=error, **ended)
            if rule is not None:
                rule.last_error = {"at": wire_time(now), **error}
                if retry_at is None and error["code"] not in store.WAITS:
                    rule.failures += 1
                    every = timedelta(seconds=rule.every_seconds)
                    rule.next_due_at = slot_after_failure(
                        rule.next_due_at, every, now, rule.failures, repeats=repeats
                    )
                is_last = error["code"] == SATURATED and _mark_saturated(session, rule, now)
            self.release(session)
        if is_last:
            log.warning(_SATURATED, self.rule.id)

    def release(self, session: Session) -> None:
        if self._reservation is not None:
            usage.release(session, self._reservation)

    def extend(self, session: Session, until: datetime) -> bool:
        is_extended = super().extend(session, until)
        if is_extended and self._reservation is not None:
            usage.extend(session, self._reservation, until)
        return is_extended

    def _reserve(self, words: int, now: datetime) -> None:
        """Hold the words that an item of a metered feed may have."""
        if self._feed.metered:
            with writing() as session:
                self._reservation = usage.reserve(session, self, words, now, now + LEASE)


def _earlier(session: Session, feed_id: str) -> tuple[EarlierPost, ...]:
    """Return the newest posts of a feed that nobody rejected: a new post may contradict the others.
    The description is empty if retention has emptied the post."""
    item = models.FeedItem
    description = func.coalesce(item.post["meta"]["description"].as_string(), "")
    newest = select(item.title, description).where(item.token_id == feed_id)
    newest = newest.where(item.status != Status.REJECTED.value)
    found = session.execute(newest.order_by(item.generated_at.desc()).limit(_EARLIER))
    return tuple(EarlierPost(*row) for row in found)


def _mark_saturated(session: Session, rule: models.Rule, now: datetime) -> bool:
    """Mark a rule as saturated if nothing is left to write; return whether it was not yet."""
    if rule.saturated_since is not None or saturation.look(session, rule).left:
        return False
    rule.saturated_since = now
    return True


def _again(
    request: GenerateRequest, item: models.FeedItem
) -> tuple[GenerateRequest, tuple[Angle | None, ...], Rewrite]:
    """Return the request and the angle of an item, and what the next version must do better."""
    text = format_post(SEOPost.model_validate(item.post)) if item.post else ""
    rewrite = Rewrite(item.review_note or "", text[:_REPLACED_CHARS])
    return (
        request.about(item.keyword or request.keywords[0]),
        (BY_KEY.get(item.angle or ""),),
        rewrite,
    )


def run_next(context: Context, run_id: str | None = None) -> bool:
    """Work on the run with this id, or else the oldest; False if none can be claimed."""
    return perform_claimed(claim(context, run_id), context)


def claim(context: Context, run_id: str | None = None) -> ClaimedRun | None:
    """Claim that run, or the oldest that may start; None if there is none."""
    return RUNS.claim(context.clock.now(), run_id, ClaimedRun)


def start_now(context: Context, rule_id: str) -> ClaimedRun:
    """Start and claim a run outside the schedule, even while a scheduled one is open. The rule no
    longer waits because of earlier failures.

    Raises:
        NotFound: unknown rule.
        Conflict: another run began at the same moment.
    """
    now = context.clock.now()
    with writing() as session:
        rule = lock(session, models.Rule, rule_id)
        reset_backoff(rule, now, context.policy)
        running = {"status": store.RunStatus.RUNNING.value, "not_before": now + LEASE}
        run_id = add_run(session, rule_id, now, attempts=1, **running)
        return ClaimedRun(session, session.get_one(models.Run, run_id))
