"""The audit of a run: what clients were told beside what database, sites and the model have."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import requests
from sqlalchemy import func, select
from sqlalchemy.orm import Session

from app.core.schemas.post import SEOPost
from app.rules.passages import post_words
from app.store import models
from app.store.costs import INSTALLATION
from bench.chaos.callers import GenerateCalls
from bench.chaos.production import Production
from tests.support.crashes.customers import Customers
from tests.support.crashes.verdict import (
    BILL,
    DOUBLED,
    LOST,
    WEBHOOK,
    WRONG,
    Problems,
    audit_bill,
    audit_jobs,
    audit_webhooks,
    stored_of,
)
from tests.support.webhook_receiver import Receiver

OPEN = ("queued", "running", "sending")
LEFT = ("pending", "reserved")


@dataclass(frozen=True)
class Books:
    """A run in numbers."""

    jobs: int
    jobs_failed: Counter[str]
    calls: int
    calls_failed: int
    items: int
    runs_failed: Counter[str]
    webhooks: Counter[str]
    paid_tokens: int
    repeated_tokens: int
    counted_tokens: int
    tokens_of: Mapping[str, int]

    @property
    def posts(self) -> int:
        """The posts that were finished."""
        return sum(self.posts_of.values())

    @property
    def posts_of(self) -> Mapping[str, int]:
        """The posts that were finished, by the sort of work, as the keys of ``tokens_of``."""
        return {
            "job": self.jobs - self.jobs_failed.total(),
            "call": self.calls - self.calls_failed,
            "item": self.items,
        }


def open_work(production: Production) -> Counter[str]:
    """Return how much is being written, or is not where its readers are, by kind and state."""
    left: Counter[str] = Counter()
    with Session(production.engine) as session:
        for table, states in ((models.Job, OPEN), (models.Run, OPEN), (models.FeedItem, LEFT)):
            status = table.status
            count = select(status, func.count()).where(status.in_(states)).group_by(status)
            for state, number in session.execute(count):
                left[f"{table.__tablename__} {state}"] = number
    return left


def audit(
    production: Production, customers: Customers, calls: GenerateCalls, receiver: Receiver
) -> tuple[Books, Problems]:
    """Compare what everybody saw; return the run in numbers and what is not as it has to be."""
    problems = Problems()
    stored = stored_of(production.database_url, customers.api_key)
    audit_jobs(customers.asked, stored, problems)
    posts = [one.ended["result"] for one in customers.asked if one.ended and "result" in one.ended]
    usage = _usage(production, customers.headers)
    audit_bill(posts, len(customers.asked), usage, stored, problems)
    now = datetime.now(UTC)
    waiting = {
        each.job_id for each in stored.deliveries if each.status == "queued" and each.failures
    }
    audit_webhooks(customers.asked, receiver.arrivals, waiting, problems)
    for each in stored.deliveries:
        scheduled = each.status == "queued" and each.failures and each.not_before > now
        text = f"{each.id} is {each.status}, due {each.not_before}, {each.failures} failures"
        problems.expect(each.status == "delivered" or bool(scheduled), WEBHOOK, text)
    calls_failed = _audit_calls(production, calls, problems)
    items, runs_failed = _audit_feeds(production, problems)
    paid, repeated = production.model.tokens()
    failed = [
        one.ended["error"]["code"] for one in customers.asked if one.ended and "error" in one.ended
    ]
    return Books(
        jobs=len(customers.asked),
        jobs_failed=Counter(failed),
        calls=len(calls.calls),
        calls_failed=calls_failed,
        items=items,
        runs_failed=runs_failed,
        webhooks=Counter(each.status for each in stored.deliveries),
        paid_tokens=paid,
        repeated_tokens=repeated,
        counted_tokens=_counted_tokens(production),
        tokens_of=_tokens_of(production),
    ), problems


def _audit_calls(production: Production, calls: GenerateCalls, problems: Problems) -> int:
    """Each key has one answer, which is billed once; return how many are errors."""
    stored, failed, posts = stored_of(production.database_url, calls.api_key), 0, []
    for call in calls.calls:
        if not call.answers:
            problems.expect(False, LOST, f"a call with the key {call.key} had no final answer")
            continue
        same = all(answer == call.answers[0] for answer in call.answers)
        problems.expect(same, DOUBLED, f"the key {call.key} had different answers")
        status, body = call.answers[0]
        if status == 200:
            posts.append(body["post"])
        else:
            failed += 1
    usage = _usage(production, calls.headers)
    # A call that was repeated while its first process died may count as a request twice.
    counted = sum(day.used for day in stored.days)
    audit_bill(posts, counted, usage, stored, problems)
    problems.expect(
        counted >= len(calls.calls), BILL, f"{counted} of {len(calls.calls)} requests are counted"
    )
    return failed


def _audit_feeds(production: Production, problems: Problems) -> tuple[int, Counter[str]]:
    """Each item is public on its site once; return how many there are, and why runs failed."""
    codes: Counter[str] = Counter()
    total = 0
    public = [Counter(site.public_items()) for site in production.sites]
    known: set[str] = set()
    with Session(production.engine) as session:
        for number, feed in enumerate(production.feeds):
            items = session.scalars(
                select(models.FeedItem).where(models.FeedItem.token_id == feed.token_id)
            ).all()
            total += len(items)
            there = public[number % len(public)]
            for item in items:
                known.add(item.id)
                copies = there[item.id]
                problems.expect(copies <= 1, DOUBLED, f"{item.id} is public {copies} times")
                text = f"{item.id} is {item.status} after {item.delivery_count} sends"
                problems.expect(copies >= 1 and item.status == "used", LOST, f"{text}, {copies}")
            # Titles may be equal by chance: the model draws them from few words.
            texts = Counter((item.title, item.markdown) for item in items)
            twice = [title for (title, _), times in texts.items() if times > 1]
            problems.expect(not twice, DOUBLED, f"items of one text: {twice}")
            month = session.scalars(
                select(models.FeedMonth).where(models.FeedMonth.token_id == feed.token_id)
            ).all()
            words = sum(post_words(SEOPost.model_validate(item.post)) for item in items)
            billed = (sum(each.words for each in month), sum(each.posts for each in month))
            text = f"billed are {billed} of {(words, len(items))} by a feed"
            problems.expect(billed == (words, len(items)), BILL, text)
        rules = select(models.Rule.id).where(
            models.Rule.token_id.in_([feed.token_id for feed in production.feeds])
        )
        runs = session.scalars(select(models.Run).where(models.Run.rule_id.in_(rules))).all()
        for run in runs:
            if run.error:
                codes[run.error["code"]] += 1
            problems.expect(run.status not in OPEN, LOST, f"{run.id} is {run.status}")
        made = Counter(run.item_id for run in runs if run.item_id)
        problems.expect(set(made) == known, WRONG, "runs and items do not match")
        problems.expect(max(made.values(), default=1) == 1, DOUBLED, "two runs have one item")
    for site in public:
        strangers = set(site) - known
        problems.expect(not strangers, WRONG, f"posts of no item are public: {strangers}")
    return total, codes


def _counted_tokens(production: Production) -> int:
    """The tokens that the service counted for the whole installation."""
    cost = models.Cost
    with Session(production.engine) as session:
        every = select(cost).where(cost.scope == INSTALLATION)
        rows = session.scalars(every).all()
        return sum(row.prompt_tokens + row.answer_tokens for row in rows)


def _tokens_of(production: Production) -> Mapping[str, int]:
    """The counted tokens by the sort of work, those of posts that failed included."""
    cost, counted = models.PostCost, Counter[str]()
    with Session(production.engine) as session:
        jobs = set(session.scalars(select(models.Job.id)))
        for row in session.scalars(select(cost)):
            kind = "item" if row.rule_id else "job" if row.post_id in jobs else "call"
            counted[kind] += row.prompt_tokens + row.answer_tokens
    return counted


def _usage(production: Production, headers: dict[str, str]) -> Any:
    return requests.get(f"{production.url}/v1/usage", headers=headers, timeout=30).json()
