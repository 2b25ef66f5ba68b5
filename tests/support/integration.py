"""A feed in a test's database, on a clock that only the test moves."""

from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

import pytest
from sqlalchemy import select, update

from app.core.feed.item import Status
from app.ports import Clock, TaskQueue, Work
from app.services import accounts
from app.services.context import Context
from app.store import database, models
from app.store.rows import new_id
from tests.support.contexts import context_at

BEGIN = datetime(2026, 1, 31, 12, tzinfo=UTC)
# When a page must have come out to stand behind a post on a current event.
FRESH = BEGIN - timedelta(hours=5)
NEVER = datetime(9999, 1, 1, tzinfo=UTC)

# For a test of what one kind of database alone does.
SQLITE = pytest.mark.parametrize("backend", ["sqlite"], indirect=True)
POSTGRESQL = pytest.mark.parametrize("backend", ["postgresql"], indirect=True)


class ManualClock(Clock):
    """Stands still until a test moves it."""

    def __init__(self, at: datetime = BEGIN) -> None:
        self.at = at

    def now(self) -> datetime:
        return self.at

    def move(self, by: timedelta) -> None:
        self.at += by


class CountingQueue(TaskQueue):
    """Does no work, and counts the calls that enqueue some."""

    def __init__(self) -> None:
        self.wakes = 0

    def enqueue(self, *work: Work) -> None:
        self.wakes += bool(work)

    def missing(self, *work: Work) -> list[Work]:
        return []

    def ping(self) -> None:
        pass


@dataclass
class Feed:
    """A token, its rules by name, and its database."""

    url: str
    clock: ManualClock
    queue: CountingQueue
    account_id: str
    token: str
    token_id: str
    rules: dict[str, str] = field(default_factory=dict)
    items: list[str] = field(default_factory=list)

    @property
    def context(self) -> Context:
        return context_at(self.clock, self.queue)

    def add_rule(self, name: str, *, every: timedelta = timedelta(hours=1), due: datetime) -> str:
        """A rule with no run, not even its first."""
        rule_id = new_id("rul")
        with database.writing() as session:
            session.add(
                models.Rule(
                    id=rule_id,
                    token_id=self.token_id,
                    name=name,
                    name_key=name.casefold(),
                    request={"keywords": [name]},
                    offers=[],
                    every_seconds=int(every.total_seconds()),
                    paused=False,
                    next_due_at=due,
                    created_at=self.clock.now(),
                )
            )
        self.rules[name] = rule_id
        return rule_id

    def add_items(self, rule: str, count: int = 1) -> list[str]:
        """Pending items, each younger than all before it."""
        first = len(self.items)
        rows = [
            models.FeedItem(
                # Two of a time, told apart by their ids; else ids fall while time rises, so that
                # neither alone gives the right order.
                id=f"itm_{500_000 - number // 2:06}_{number % 2}",
                token_id=self.token_id,
                rule_id=self.rules[rule],
                status=Status.PENDING.value,
                delivery_count=0,
                title=f"Article {number}",
                post={"title": f"Article {number}"},
                markdown=f"# Article {number}",
                html=f"<h1>Article {number}</h1>",
                generated_at=BEGIN + timedelta(seconds=number // 2),
                updated_at=BEGIN,
            )
            for number in range(first, first + count)
        ]
        added = [row.id for row in rows]
        with database.writing() as session:
            session.add_all(rows)
        self.items += added
        return added

    def rows(self) -> list[tuple[str, str, str, int]]:
        """Every item's id, rule, status and number of sends, oldest first."""
        query = (
            select(
                models.FeedItem.id,
                models.Rule.name,
                models.FeedItem.status,
                models.FeedItem.delivery_count,
            )
            .join(models.Rule, models.Rule.id == models.FeedItem.rule_id)
            .where(models.FeedItem.token_id == self.token_id)
            .order_by(models.FeedItem.generated_at, models.FeedItem.id)
        )
        with database.reading() as session:
            return [
                (row.id, row.name, row.status, row.delivery_count) for row in session.execute(query)
            ]

    def states(self) -> list[str]:
        """Every item's status, oldest first."""
        return [status for _, _, status, _ in self.rows()]

    def end_runs(self) -> None:
        """As if every run that is open had made its item."""
        with database.writing() as session:
            session.execute(update(models.Run).values(status="succeeded"))
            session.execute(update(models.Rule).values(run_id=None))

    def runs(self) -> list[models.Run]:
        with database.reading() as session:
            return list(
                session.scalars(select(models.Run).order_by(models.Run.slot, models.Run.id))
            )

    def rule(self, name: str) -> models.Rule:
        with database.reading() as session:
            return session.get_one(models.Rule, self.rules[name])


def another_feed(url: str) -> Feed:
    """A feed of an account of its own in the same database."""
    clock, queue = ManualClock(), CountingQueue()
    context = context_at(clock, queue)
    account_id = accounts.create_account(context, "Blog", "starter")
    made = accounts.create_token(context, account_id, "Front page")
    feed = Feed(url, clock, queue, account_id, made.secret, made.id)
    for name in ("Coffee", "Tea"):
        feed.add_rule(name, due=NEVER)
    return feed
