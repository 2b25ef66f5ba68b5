"""Webhooks: storing a delivery together with the end of its job, and sending it until it arrives.

A delivery is a row, so nothing is lost if a receiver or a process is down. Repeated attempts have
the same id and body, and so has a replay, which is a row of its own.

A receiver that fails or is slow rests between attempts, and its webhooks wait without losing one,
so that it does not hold up those of others. If one hangs, all receivers of its account rest. After
days of failures, one is off: its webhooks are given up at once, until an operator replays one.
"""

import logging
import random
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import delete, func, select
from sqlalchemy.orm import Session

from app.core.errors import NotFound
from app.core.webhooks.delivery import next_pause
from app.core.webhooks.receiver import (
    ALL,
    ATTEMPT,
    LONGEST_REST,
    is_off,
    receiver_of,
    rest_after_failure,
    rest_after_success,
    rest_of_all,
)
from app.core.webhooks.signature import signed_headers
from app.logs import about
from app.metrics import count_delivery
from app.ports import WebhookAnswer, Work, WorkKind
from app.services.context import Context
from app.services.lease_keeping import retry_on_disconnect
from app.services.leased_work import DELIVERIES
from app.store.database import reading, writing
from app.store.leases import hand_back, update_mine
from app.store.models import DeliveryStatus, Job, WebhookDelivery, WebhookReceiver
from app.store.overview import WorkFilter, newest_work
from app.store.rows import insert_if_absent, new_row

log = logging.getLogger(__name__)

MOST_REPLAYED = 1_000
"""How many webhooks ``replay_given_up`` sends again at most."""
_LEAST_SPREAD = timedelta(seconds=5)


def add_delivery(session: Session, now: datetime, **columns: Any) -> str:
    """Add a delivery that is due now; return its id."""
    due = {"status": DeliveryStatus.QUEUED.value, "not_before": now, "created_at": now}
    delivery = new_row(WebhookDelivery, "msg", **due, **columns)
    session.add(delivery)
    return delivery.id


def deliver_next(context: Context, delivery_id: str | None = None) -> bool:
    """Send that delivery, or the first that is due; return False if there is none."""
    claimed = claim(context, delivery_id)
    if claimed is None:
        return False
    delivery, job, may_send = claimed
    if may_send:
        with about(job=job.id, delivery=delivery.id):
            _send(context, delivery, job)
    return True


def _send(context: Context, delivery: WebhookDelivery, job: Job) -> None:
    body = delivery.body.encode()
    timestamp = int(context.clock.now().timestamp())
    message = delivery.replay_of or delivery.id
    headers = signed_headers(job.webhook_secret or "", message, timestamp, body)
    began = time.monotonic()
    answer = context.send_webhook(job.webhook_url or "", headers, body)
    seconds = time.monotonic() - began
    receiver = (job.account_id, receiver_of(job.webhook_url or ""))
    outcome = _record(delivery, receiver, answer, seconds, context.clock.now())
    count_delivery(outcome, seconds)


def claim(
    context: Context, delivery_id: str | None = None
) -> tuple[WebhookDelivery, Job, bool] | None:
    """Claim that delivery, or the first that is due; return it, its job, and whether to send it
    now; None if there is none.

    One whose receiver rests is handed back, and one whose receiver is off is given up.
    """
    now = context.clock.now()

    def begin(session: Session, row: WebhookDelivery) -> tuple[WebhookDelivery, Job, bool]:
        job = session.get_one(Job, row.job_id)
        return row, job, _may_send(session, row, job, now)

    return DELIVERIES.claim(now, delivery_id, begin)


def _may_send(session: Session, row: WebhookDelivery, job: Job, now: datetime) -> bool:
    mine = (WebhookDelivery, row.id, row.attempts)
    known = []
    for site in (receiver_of(job.webhook_url or ""), ALL):
        key = (job.account_id, site)
        receiver = session.get(WebhookReceiver, key, with_for_update=True)
        if receiver is None:
            continue
        if receiver.off_since is not None and receiver.off_since > now:
            # A clock that was wrong had its failures last for days.
            receiver.off_since = None
        if receiver.off_since is not None:
            said = f"Not sent: {receiver.site} has failed since {receiver.failing_since:%Y-%m-%d}."
            status = DeliveryStatus.FAILED.value
            update_mine(session, *mine, status=status, finished_at=now, last_answer=said)
            return False
        rest = receiver.not_before - now
        # A longer one was stored by a clock that was wrong.
        if timedelta(0) < rest <= LONGEST_REST:
            # Spread, so that not all that wait are claimed at once.
            wait = rest + max(rest, _LEAST_SPREAD) * random.random()  # noqa: S311
            hand_back(session, *mine, now + wait)
            return False
        known.append(receiver)
    for receiver in known:
        receiver.not_before = now + ATTEMPT
    return True


@retry_on_disconnect
def _record(
    delivery: WebhookDelivery,
    receiver: tuple[str, str],
    answer: WebhookAnswer,
    seconds: float,
    now: datetime,
) -> str:
    """Record the result of an attempt; return what becomes of the delivery."""
    said, again, outcome = answer.problem or f"HTTP {answer.status}", "", "delivered"
    # A redirect is a failure.
    delivered = answer.status is not None and 200 <= answer.status < 300
    if delivered:
        ended: dict[str, Any] = {"status": DeliveryStatus.DELIVERED.value, "finished_at": now}
    else:
        failures = delivery.failures + 1
        pause = next_pause(failures, answer.retry_after, answer.status, random.random())  # noqa: S311
        ended, again, outcome = {"failures": failures}, "given up", "given_up"
        if pause is None:
            ended |= {"status": DeliveryStatus.FAILED.value, "finished_at": now}
        else:
            ended |= {"status": DeliveryStatus.QUEUED.value, "not_before": now + pause}
            again, outcome = f"again in {int(pause.total_seconds())} s", "retried"
    mine = (WebhookDelivery, delivery.id, delivery.attempts)
    with writing() as session:
        update_mine(session, *mine, last_answer=said, **ended)
        if delivered:
            _rest(session, receiver, rest_after_success(seconds), now)
        else:
            _rest_after_failure(session, receiver, answer, said, now)
        _rest(session, (receiver[0], ALL), rest_of_all(seconds), now)
    if again:
        log.warning("webhook %s was not delivered (%s); %s", delivery.id, said, again)
    return outcome


def _rest(session: Session, key: tuple[str, str], rest: timedelta, now: datetime) -> None:
    """Let a receiver that does not fail rest, or forget it if it need not."""
    if not rest:
        _forget(session, *key)
        return
    row = lock_or_add_receiver(session, *key, now)
    row.failures, row.failing_since, row.off_since = 0, None, None
    row.not_before, row.updated_at = now + rest, now


def _rest_after_failure(
    session: Session, key: tuple[str, str], answer: WebhookAnswer, said: str, now: datetime
) -> None:
    row = lock_or_add_receiver(session, *key, now)
    row.failures, row.last_answer, row.updated_at = row.failures + 1, said, now
    row.failing_since = row.failing_since or now
    row.not_before = now + rest_after_failure(row.failures, answer.retry_after)
    if row.off_since is None and is_off(row.failures, row.failing_since, now):
        row.off_since = now
        log.warning("webhooks of account %s to %s are off: %s", *key, said)


def lock_or_add_receiver(
    session: Session, account_id: str, site: str, now: datetime
) -> WebhookReceiver:
    """Return a receiver that fails or is slow, locked until the transaction ends."""
    times = {"not_before": now, "updated_at": now}
    insert_if_absent(
        session, WebhookReceiver, account_id=account_id, site=site, failures=0, **times
    )
    return session.get_one(WebhookReceiver, (account_id, site), with_for_update=True)


def _forget(session: Session, account_id: str, site: str) -> None:
    """Forget that a receiver failed or was slow."""
    receiver = WebhookReceiver
    session.execute(
        delete(receiver).where(receiver.account_id == account_id, receiver.site == site)
    )


def replay(context: Context, wanted: str) -> Sequence[str]:
    """Send a delivery, or all of a job, again from the start of the schedule; return their ids.

    One that has ended gets a new delivery, one that waits is sent at once, and one that is being
    sent is left alone. Of one that was replayed before, the newest replay counts. Its receiver is
    taken to be repaired: it neither rests nor is off.

    Raises:
        NotFound: no delivery, and no job with deliveries, has that id.
    """
    now, work = context.clock.now(), []
    with writing() as session:
        rows = _newest(session, wanted)
        if not rows:
            raise NotFound(f"No delivery or job with deliveries has the id {wanted}.")
        job = session.get_one(Job, rows[0].job_id)
        for site in (receiver_of(job.webhook_url or ""), ALL):
            _forget(session, job.account_id, site)
        for row in rows:
            if row.status == DeliveryStatus.QUEUED:
                row.not_before, row.failures = now, 0
                work.append(Work(WorkKind.DELIVERY, row.id, row.attempts + 1))
            elif row.status != DeliveryStatus.SENDING:
                work.append(Work(WorkKind.DELIVERY, _add_replay(session, row, now), 1))
    context.queue.enqueue(*work)
    return [entry.id for entry in work]


def replay_given_up(context: Context, wanted: WorkFilter) -> int:
    """Send webhooks that were given up again, the newest first, at most 1,000; return how many."""
    failed, replayed = replace(wanted, status=DeliveryStatus.FAILED.value), 0
    with reading() as session:
        newest = newest_work(WebhookDelivery, failed, "", MOST_REPLAYED)
        given_up = session.scalars(newest).all()
    for delivery_id in given_up:
        with suppress(NotFound):  # retention has deleted it meanwhile
            replayed += len(replay(context, delivery_id))
    return replayed


def _newest(session: Session, wanted: str) -> Sequence[WebhookDelivery]:
    """Return the delivery of that id, or all of that job, locked until the transaction ends; of one
    that was replayed, the newest replay instead."""
    sent = WebhookDelivery
    named = session.execute(select(sent.job_id, _first_of(sent)).where(sent.id == wanted)).first()
    job_id = named[0] if named else wanted
    # First, as retention does: a replay needs its job.
    session.execute(select(Job.id).where(Job.id == job_id).with_for_update(key_share=True))
    query = select(sent).where(sent.job_id == job_id)
    if named:
        query = query.where(_first_of(sent) == named[1])
    query = query.order_by(sent.id).with_for_update()
    newest = {row.replay_of or row.id: row for row in session.scalars(query)}
    return list(newest.values())


def _first_of(sent: Any) -> Any:
    """Return the id of the delivery that a row repeats, or its own if it is the first one."""
    return func.coalesce(sent.replay_of, sent.id)


def _add_replay(session: Session, row: WebhookDelivery, now: datetime) -> str:
    """Add a delivery that repeats one that has ended; return its id."""
    if row.status == DeliveryStatus.FAILED:
        row.status = DeliveryStatus.REPLAYED.value
    same = {name: getattr(row, name) for name in ("job_id", "account_id", "event", "body")}
    return add_delivery(session, now, replay_of=row.replay_of or row.id, **same)
