"""What has to be true of every job once it has ended, whatever died in the meantime."""

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import create_engine, select
from sqlalchemy.orm import Session
from stripe import SignatureVerificationError, WebhookSignature

from app.core.credentials import fingerprint
from app.core.schemas.post import SEOPost
from app.rules.passages import post_words
from app.store import models
from tests.support.crashes.customers import Asked, Customers
from tests.support.startup import wait_until
from tests.support.webhook_receiver import TOLERANCE_SECONDS, Received, Receiver

# A delivery whose sender died is sent again when its lease of a minute has lapsed.
DELIVERY_SECONDS = 120.0
LOST, DOUBLED, BILL, WEBHOOK, WRONG = "lost", "doubled", "billed wrongly", "webhook", "wrong"
"""Kinds of problems."""


@dataclass
class Problems:
    """What is not as it has to be: a kind and a sentence each."""

    found: list[tuple[str, str]] = field(default_factory=list)

    def expect(self, condition: bool, kind: str, text: str) -> None:
        """Note a problem unless the condition holds."""
        if not condition:
            self.found.append((kind, text))

    def counts(self) -> Counter[str]:
        """Return the number of problems of each kind."""
        return Counter(kind for kind, _ in self.found)


@dataclass(frozen=True)
class Stored:
    """What the service holds of one account."""

    jobs: Sequence[models.Job]
    deliveries: Sequence[models.WebhookDelivery]
    keys: Sequence[models.IdempotencyKey]
    held: Sequence[models.Reservation]
    months: Sequence[models.UsageMonth]
    days: Sequence[models.UsageDay]


def stored_of(database_url: str, api_key: str) -> Stored:
    """Return what the database holds of the account of a key."""
    engine = create_engine(database_url, hide_parameters=True)
    try:
        with Session(engine) as session:
            key = session.scalars(
                select(models.ApiKey).where(models.ApiKey.hash == fingerprint(api_key))
            ).one()

            def mine(table: Any) -> Sequence[Any]:
                return session.scalars(
                    select(table).where(table.account_id == key.account_id)
                ).all()

            jobs = mine(models.Job)
            deliveries = session.scalars(select(models.WebhookDelivery)).all()
            of_jobs = {job.id for job in jobs}
            return Stored(
                jobs,
                [each for each in deliveries if each.job_id in of_jobs],
                mine(models.IdempotencyKey),
                mine(models.Reservation),
                mine(models.UsageMonth),
                session.scalars(
                    select(models.UsageDay).where(models.UsageDay.key_id == key.id)
                ).all(),
            )
    finally:
        engine.dispose()


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
) -> list[tuple[str, str]]:
    """Compare what customers and receiver saw with what the service holds; return what is wrong:
    jobs that were lost, doubled, billed wrongly, or not told of."""
    stored, problems = stored_of(database_url, customers.api_key), Problems()
    audit_jobs(customers.asked, stored, problems)
    posts = [one.ended["result"] for one in customers.asked if one.ended and "result" in one.ended]
    audit_bill(posts, len(customers.asked), usage, stored, problems)
    undelivered = [each.id for each in stored.deliveries if each.status != "delivered"]
    problems.expect(undelivered == [], WEBHOOK, f"were not delivered: {undelivered}")
    audit_webhooks(customers.asked, receiver.arrivals, set(), problems)
    return problems.found


def audit_jobs(asked: Sequence[Asked], stored: Stored, problems: Problems) -> None:
    """No accepted job is lost, and no repetition makes a second one."""
    expect = problems.expect
    rows = {job.id: job for job in stored.jobs}
    known = {one.job_id for one in asked}
    for extra in rows.keys() - known:
        expect(False, DOUBLED, f"no customer knows of {extra}")
    expect(len(known) == len(asked), WRONG, "two jobs have one id")
    expect(len(stored.keys) == len(asked), DOUBLED, "not one idempotency key for each job")
    for one in asked:
        job_id, same = one.job_id, all(answer == one.accepted[0] for answer in one.accepted)
        expect(same, DOUBLED, f"repeated calls for {job_id} had different answers")
        row = rows.get(job_id)
        if row is None or one.ended is None:
            expect(False, LOST, f"{job_id} did not end, or is not stored")
            continue
        members = {"result", "rendered", "quality", "error"} & one.ended.keys()
        succeeded = one.ended["status"] == "succeeded"
        right = {"result", "rendered", "quality"} if succeeded else {"error"}
        expect(one.ended["jobId"] == job_id, WRONG, f"{job_id} has another id")
        expect(members == right, WRONG, f"{job_id} has the members {members}")
        if one.breaks_the_plan:
            code = one.ended.get("error", {}).get("code")
            expect(code == "VALIDATION_ERROR", WRONG, f"{job_id} breaks the plan: {code}")
        # A state that was seen once is final.
        expect(row.status == one.ended["status"], LOST, f"{job_id} changed after its end")
        expect(row.error == one.ended.get("error"), WRONG, f"{job_id} has another error")
        tries = row.attempts - row.handed_back
        expect(1 <= tries <= 4, WRONG, f"{job_id} was tried {tries} times")
        post = (row.result or {}).get("post")
        expect(post == one.ended.get("result"), WRONG, f"{job_id} has another post")


def audit_bill(
    posts: Sequence[dict[str, Any]],
    requests: int,
    usage: dict[str, Any],
    stored: Stored,
    problems: Problems,
) -> None:
    """Each of these posts is billed once, and what failed costs nothing."""
    expect = problems.expect
    words = sum(post_words(SEOPost.model_validate(post)) for post in posts)
    due = {"words": words, "posts": len(posts), "requests": len(posts)}
    # A run that passes midnight has two days, and on the last day of a month two months.
    billed = {name: sum(getattr(month, name) for month in stored.months) for name in due}
    expect(billed == due, BILL, f"billed are {billed}, and due are {due}")
    months = [{name: getattr(month, name) for name in due} for month in stored.months]
    told = usage["consumed"]
    expect(told in [*months, dict.fromkeys(due, 0)], BILL, f"told are {told} of {months}")
    used = [day.used for day in stored.days]
    expect(sum(used) == requests, BILL, f"counted are {used} of {requests} requests")
    expect(usage["daily"]["used"] in {0, *used}, BILL, f"told are {usage['daily']} of {used}")
    expect(not stored.held, BILL, f"{len(stored.held)} reservations are left")
    expect(
        all(month.reserved_words == 0 for month in stored.months), BILL, "words are still reserved"
    )


def audit_webhooks(
    asked: Sequence[Asked], arrivals: Sequence[Received], waiting: set[str], problems: Problems
) -> None:
    """Every event that was subscribed arrives at least once, signed; no other does. ``waiting``
    are the jobs whose webhook the service will send again."""
    expect = problems.expect
    by_path: dict[str, list[Received]] = {}
    for arrival in arrivals:
        by_path.setdefault(arrival.path, []).append(arrival)
    for one in asked:
        came = by_path.pop(one.hook, [])
        if one.ended is None:
            continue
        event = f"job.{one.ended['status']}"
        if event not in one.events:
            expect(came == [], WEBHOOK, f"{one.job_id} did not subscribe {event}")
            continue
        arrived = bool(came) or one.job_id in waiting
        expect(arrived, WEBHOOK, f"{event} of {one.job_id} never arrived")
        if not came:
            continue
        # The same event each time, so that a receiver can tell that it has it already.
        same = len({(arrival.headers["webhook-id"], arrival.body) for arrival in came}) == 1
        expect(same, WEBHOOK, f"the webhooks of {one.job_id} differ")
        for arrival in came:
            problem = _problem_of_signature(arrival, one.accepted[0]["webhookSigningSecret"])
            expect(not problem, WEBHOOK, f"the signature of {one.job_id}: {problem}")
        payload = json.loads(came[0].body)
        ended = {"post": one.ended.get("result"), **one.ended}
        members = {"event", "jobId", "requestId"}
        members |= {"post", "rendered", "quality"} if event == "job.succeeded" else {"error"}
        due = {**{name: ended.get(name) for name in members}, "event": event}
        expect(payload == due, WEBHOOK, f"the webhook of {one.job_id} says something else")
    expect(by_path == {}, WEBHOOK, f"webhooks came for nobody: {sorted(by_path)}")


def _problem_of_signature(arrival: Received, secret: str) -> str:
    """By a verifier that is not ours."""
    header = arrival.headers["x-svc-signature"]
    try:
        # Its time is checked against the moment at which it came, and not against now.
        WebhookSignature.verify_header(arrival.body, header, secret, tolerance=None)
    except SignatureVerificationError as error:
        return str(error)
    late = arrival.late
    return "" if abs(late) <= TOLERANCE_SECONDS else f"its time is {late:.0f} s off"
