"""Runs of rules: taking one, generating its item, and recording how it ended.

A run is held by a lease that a heartbeat extends while the model works. A worker that dies lets
its lease lapse and another takes the run; the one that comes back late finds that the run is no
longer its own, and its item is not stored.
"""

import logging
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial
from typing import Any

from sqlalchemy.orm import Session

from app.core.angles import Angle, next_angles
from app.core.errors import GenerationTimeout, ModelUnavailable, NotFound, ServiceError
from app.core.feed_item import Status
from app.core.offers import Offer
from app.core.originality import sign, text_of
from app.core.plan import Plan
from app.core.post import Rendered
from app.core.quality.lengths import post_words
from app.core.render import render
from app.core.request import GenerateRequest, ResponseType, parse, parse_generate_request
from app.core.rule import FREQUENT, MAX_ATTEMPTS, SchedulePolicy, queue_full, retry_after
from app.ports import Clock, Model
from app.services import usage
from app.services.authoring import Author, WritingOptions
from app.services.evidence import keep
from app.services.leases import LEASE, heartbeat, patiently
from app.services.originality import NearDuplicate, remember
from app.services.pipeline import Written
from app.services.rules import forgive
from app.services.usage import Reservation
from app.store import accounts as account_store
from app.store import feed as feed_store
from app.store import originality as originality_store
from app.store import rules as store
from app.store.database import reading, writing
from app.store.feed_tables import ItemRow, RuleRow, RunRow, TokenRow
from app.store.ids import new_id
from app.store.leases import extend, may_begin, take

log = logging.getLogger(__name__)

_BOTH = (ResponseType.MARKDOWN, ResponseType.HTML)
# From so many angles a run writes, where the post repeats another one, before it fails.
_ANGLES = 3
# None of so many earlier titles of its rule is taken again.
_TITLES = 200


@dataclass(frozen=True)
class Run:
    """A run that this worker holds, and what it needs from its rule.

    ``queue_full`` is the cap that its rule has reached, if it has. ``reservation`` is what is held
    of the account's month for the item of a metered token.
    """

    id: str
    attempt: int
    rule_id: str
    rule_name: str
    token_id: str
    account_id: str
    plan: Plan
    metered: bool
    current_event: bool
    request: dict[str, Any]
    offers: tuple[dict[str, Any], ...]
    plan_max_words: int
    earlier_titles: tuple[str, ...]
    earlier_angles: tuple[str, ...]
    queue_full: int | None
    reservation: Reservation | None = None


def claim(clock: Clock, run_id: str | None = None, policy: SchedulePolicy = FREQUENT) -> Run | None:
    """Take that run, or the oldest that may start; None where there is none."""
    now = clock.now()
    with reading() as session:
        if not may_begin(session, RunRow, now, store.unpaused, limit=1):
            return None
    with writing() as session:
        run = take(session, RunRow, now, now + LEASE, work_id=run_id, narrow=store.unpaused)
        if run is None:
            return None
        return _load(session, run.id, run.attempts, run.rule_id, policy)


def start_now(rule_id: str, clock: Clock, policy: SchedulePolicy = FREQUENT) -> Run:
    """Begin a run outside the schedule and hold it, also while one of the schedule is open. A rule
    that waits after failures does not wait any more.

    Raises:
        NotFound: unknown rule.
    """
    now = clock.now()
    with writing() as session:
        rule = store.lock_rule(session, rule_id)
        if rule is None:
            raise NotFound(f"There is no rule {rule_id}.")
        forgive(rule, now, policy)
        run_id = store.add_run(
            session,
            rule_id,
            now,
            now,
            status=store.RunStatus.RUNNING.value,
            not_before=now + LEASE,
            attempts=1,
        )
        if run_id is None:
            raise NotFound("Another run began at this very moment; try again.")
        return _load(session, run_id, 1, rule_id, policy)


def execute(run: Run, model: Model, clock: Clock, options: WritingOptions) -> str | None:
    """Generate the item of a run; its id, or None where none was made (the run says why).

    Raises:
        ServiceError: the generation failed; the run has recorded it.
    """
    if run.queue_full is not None:
        _record_failure(run, clock.now(), queue_full(run.queue_full), None)
        return None
    try:
        # Read here and not as the run is taken: a rule that is no longer valid fails its own run
        # and does not keep a worker from taking the next one.
        request = parse_generate_request(run.request)
        offers = [parse(Offer, offer) for offer in run.offers]
        max_words = min(request.max_words(run.plan_max_words), run.plan_max_words)
        run = _reserve(run, max_words, clock.now())
        with heartbeat(partial(_extend, run), clock):
            return _make_item(run, request, max_words, offers, model, clock, options)
    except ServiceError as error:
        passing = isinstance(error, ModelUnavailable | GenerationTimeout)
        again = passing and run.attempt < MAX_ATTEMPTS
        retry_at = clock.now() + retry_after(run.attempt) if again else None
        _record_failure(run, clock.now(), error.body(), retry_at)
        raise


def _make_item(
    run: Run,
    request: GenerateRequest,
    max_words: int,
    offers: Sequence[Offer],
    model: Model,
    clock: Clock,
    options: WritingOptions,
) -> str | None:
    """Write the item and store it: from the rule's next angle, and anew from the one after it where
    that repeats an item of its feed."""
    author = Author(
        model,
        options,
        request,
        max_words,
        next_angles(run.rule_id, run.earlier_angles, _ANGLES),
        earlier_titles=run.earlier_titles,
        earlier_angles=run.earlier_angles,
        current_event=run.current_event,
        brands=[offer.name for offer in offers],
    )
    while True:
        written = author.write(clock.now())
        post, angle = written.post, author.angle
        assert angle is not None  # noqa: S101 - each of a rule's posts has one
        links = request.constraints.include_internal_links_placeholders
        rendered = render(post, _BOTH, offers, request.language, internal_links=links)
        try:
            return _store_item(run, written, rendered, angle, sign(text_of(post)), clock.now())
        except NearDuplicate as found:
            author.again(found.likeness, post.title)


def run_next(
    model: Model,
    clock: Clock,
    options: WritingOptions,
    run_id: str | None = None,
    policy: SchedulePolicy = FREQUENT,
) -> bool:
    """Take and execute one run, or that one; False where it was not to be had. Failures are
    recorded, not raised."""
    run = claim(clock, run_id, policy)
    if run is None:
        return False
    if run.attempt > MAX_ATTEMPTS:
        died = {"code": "INTERNAL_ERROR", "message": f"{MAX_ATTEMPTS} workers died over this run."}
        _record_failure(run, clock.now(), died, None)
        return True
    log.info("run %s of rule %s begins (attempt %d)", run.id, run.rule_id, run.attempt)
    try:
        item_id = execute(run, model, clock, options)
        log.info("run %s of rule %s made item %s", run.id, run.rule_id, item_id)
    except ServiceError as error:
        log.warning("run %s of rule %s failed: %s", run.id, run.rule_id, error.message)
    return True


@patiently
def _store_item(
    run: Run, written: Written, rendered: Rendered, angle: Angle, signature: bytes, now: datetime
) -> str | None:
    post = written.post
    item_id = new_id("itm")
    with writing() as session:
        originality_store.one_at_a_time(session, run.token_id)
        if not store.finish_run(session, run.id, run.attempt, now, item_id):
            log.warning("run %s was taken over; its item is not stored", run.id)
            _release(session, run)
            return None
        remember(session, run.token_id, item_id, signature)
        session.add(
            ItemRow(
                id=item_id,
                token_id=run.token_id,
                rule_id=run.rule_id,
                status=Status.PENDING.value,
                delivery_count=0,
                title=post.title,
                angle=angle.key,
                post=post.to_wire(),
                markdown=rendered.markdown or "",
                html=rendered.html or "",
                generated_at=now,
                updated_at=now,
            )
        )
        usage.count_item(session, run.token_id, run.reservation, post_words(post), now)
        keep(session, item_id, run.account_id, written, now)
    return item_id


@patiently
def _record_failure(
    run: Run, now: datetime, error: dict[str, Any], retry_at: datetime | None
) -> None:
    with writing() as session:
        store.fail_run(session, run.id, run.attempt, now, error, retry_at)
        _release(session, run)


def _reserve(run: Run, words: int, now: datetime) -> Run:
    """Hold the words that an item of a metered token may have.

    Raises:
        QuotaExceeded: too few are left of the account's month.
    """
    if not run.metered:
        return run
    with writing() as session:
        held = usage.reserve_of(session, run.account_id, run.plan, words, now, now + LEASE)
    return replace(run, reservation=held)


def _extend(run: Run, session: Session, until: datetime) -> None:
    if extend(session, RunRow, run.id, run.attempt, until) and run.reservation is not None:
        usage.extend(session, run.reservation, until)


def _release(session: Session, run: Run) -> None:
    if run.reservation is not None:
        usage.release(session, run.reservation)


def _load(session: Session, run_id: str, attempt: int, rule_id: str, policy: SchedulePolicy) -> Run:
    rule = session.get_one(RuleRow, rule_id)
    token = session.get_one(TokenRow, rule.token_id)
    plan = account_store.plan_of_account(session, token.account_id)
    assert plan is not None  # noqa: S101 - a foreign key
    cap = policy.queue_cap
    pending = feed_store.count_pending(session, token.id, rule_id, up_to=cap)
    return Run(
        id=run_id,
        attempt=attempt,
        rule_id=rule_id,
        rule_name=rule.name,
        token_id=token.id,
        account_id=token.account_id,
        plan=plan,
        metered=token.metered,
        current_event=rule.current_event,
        request=rule.request,
        offers=tuple(rule.offers),
        plan_max_words=plan.max_words_per_request,
        earlier_titles=feed_store.earlier_titles(session, rule_id, limit=_TITLES),
        earlier_angles=originality_store.earlier_angles(session, rule_id),
        queue_full=cap if pending >= cap else None,
    )
