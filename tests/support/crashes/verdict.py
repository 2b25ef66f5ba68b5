"""What has to be true of every job once it has ended, whatever died in the meantime."""

import json
from collections import Counter
from dataclasses import dataclass
from typing import Any

from sqlalchemy import create_engine, select
from sqlalchemy.orm import Session
from stripe import WebhookSignature

from app.core.checks import post_words
from app.core.schemas.post import SEOPost
from app.store import models
from tests.support.crashes.customers import Asked, Customers
from tests.support.crashes.receiver import Arrival, Receiver
from tests.support.startup import wait_until

# A delivery whose sender died is sent again when its lease of a minute has lapsed.
DELIVERY_SECONDS = 120.0
TOLERANCE_SECONDS = 300


@dataclass(frozen=True)
class Figures:
    """What a run came to, in numbers."""

    attempts: dict[int, int]
    failed: dict[str, int]
    arrivals: int
    deliveries: int


def wait_for_deliveries(database_url: str) -> None:
    """Until the service knows of each webhook that it was delivered.

    Raises:
        AssertionError: it does not in time; says how far those that are left have come.
    """
    engine = create_engine(database_url, hide_parameters=True)
    query = select(models.WebhookDelivery).where(
        models.WebhookDelivery.status.in_(["queued", "sending"])
    )
    left: list[str] = []

    def all_ended() -> bool:
        with Session(engine) as session:
            left[:] = [
                f"{row.id} of {row.job_id} is {row.status} until {row.not_before}, taken"
                f" {row.attempts} times, failed {row.failures} times: {row.last_answer}"
                for row in session.scalars(query)
            ]
        return not left

    try:
        wait_until(all_ended, DELIVERY_SECONDS, "every webhook was delivered")
    except AssertionError as late:
        raise AssertionError(f"{late}; left are {left}") from None
    finally:
        engine.dispose()


def judge(
    customers: Customers, receiver: Receiver, usage: dict[str, Any], database_url: str
) -> Figures:
    """Compare what customers and receiver saw with what the service holds.

    Raises:
        AssertionError: a job was lost, doubled, billed wrongly, or not told of.
    """
    engine = create_engine(database_url, hide_parameters=True)
    try:
        with Session(engine) as session:
            jobs = list(session.scalars(select(models.Job)))
            deliveries = list(session.scalars(select(models.WebhookDelivery)))
            keys = list(session.scalars(select(models.IdempotencyKey)))
            held = list(session.scalars(select(models.Reservation)))
            months = list(session.scalars(select(models.UsageMonth)))
            days = list(session.scalars(select(models.UsageDay)))
    finally:
        engine.dispose()
    _judge_jobs(customers.asked, jobs, keys)
    _judge_bill(customers.asked, usage, held, months, days)
    _judge_deliveries(customers.asked, receiver.arrivals, deliveries)
    codes = [
        str(a.ended["error"]["code"]) for a in customers.asked if a.ended and "error" in a.ended
    ]
    return Figures(
        attempts=dict(sorted(Counter(job.attempts for job in jobs).items())),
        failed=dict(Counter(codes)),
        arrivals=len(receiver.arrivals),
        deliveries=len(deliveries),
    )


def _judge_jobs(
    asked: list[Asked], jobs: list[models.Job], keys: list[models.IdempotencyKey]
) -> None:
    """No accepted job is lost, and no repetition makes a second one."""
    for one in asked:
        assert all(answer == one.accepted[0] for answer in one.accepted), one.accepted
        assert one.ended is not None
        assert one.ended["jobId"] == one.job_id
        members = {"result", "rendered", "quality", "error"} & one.ended.keys()
        if one.ended["status"] == "succeeded":
            assert members == {"result", "rendered", "quality"}
        else:
            assert members == {"error"}
        assert not one.breaks_the_plan or one.ended["error"]["code"] == "VALIDATION_ERROR"
    rows = {job.id: job for job in jobs}
    assert sorted(rows) == sorted(one.job_id for one in asked)
    assert len(keys) == len(asked)
    for one in asked:
        assert one.ended is not None
        # A state that was seen once is final.
        row = rows[one.job_id]
        assert row.status == one.ended["status"]
        assert 1 <= row.attempts <= 4
        assert row.error == one.ended.get("error")
        assert (row.result or {}).get("post") == one.ended.get("result")


def _judge_bill(
    asked: list[Asked],
    usage: dict[str, Any],
    held: list[models.Reservation],
    months: list[models.UsageMonth],
    days: list[models.UsageDay],
) -> None:
    """Each post is billed once, and what failed costs nothing."""
    posts = [one.ended["result"] for one in asked if one.ended and "result" in one.ended]
    words = sum(post_words(SEOPost.model_validate(post)) for post in posts)
    assert usage["consumed"] == {"words": words, "posts": len(posts), "requests": len(posts)}
    assert usage["daily"]["used"] == len(asked)
    assert held == []
    assert [month.reserved_words for month in months] == [0]
    assert [day.used for day in days] == [len(asked)]


def _judge_deliveries(
    asked: list[Asked], arrivals: list[Arrival], deliveries: list[models.WebhookDelivery]
) -> None:
    """Every event that was subscribed arrives at least once, signed; no other does."""
    assert {delivery.status for delivery in deliveries} <= {"delivered"}
    by_path: dict[str, list[Arrival]] = {}
    for arrival in arrivals:
        by_path.setdefault(arrival.path, []).append(arrival)
    for one in asked:
        assert one.ended is not None
        event = f"job.{one.ended['status']}"
        came = by_path.pop(one.hook, [])
        if event not in one.events:
            assert came == [], f"{one.job_id} did not subscribe {event}"
            continue
        assert came, f"{event} of {one.job_id} never arrived"
        # The same event each time, so that a receiver can tell that it has it already.
        assert len({(arrival.headers["webhook-id"], arrival.body) for arrival in came}) == 1
        for arrival in came:
            _check_signature(arrival, one.accepted[0]["webhookSigningSecret"])
        payload = json.loads(came[0].body)
        ended = {"post": one.ended.get("result"), **one.ended}
        members = {"event", "jobId", "requestId"}
        members |= {"post", "rendered", "quality"} if event == "job.succeeded" else {"error"}
        assert payload == {**{name: ended.get(name) for name in members}, "event": event}
    assert by_path == {}


def _check_signature(arrival: Arrival, secret: str) -> None:
    """By a verifier that is not ours; it raises where the signature is wrong."""
    header = arrival.headers["x-svc-signature"]
    # Its time is checked against the moment at which it came, and not against now.
    WebhookSignature.verify_header(arrival.body, header, secret, tolerance=None)
    sent_at = int(header.removeprefix("t=").partition(",")[0])
    assert abs(arrival.at - sent_at) <= TOLERANCE_SECONDS
