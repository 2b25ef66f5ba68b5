"""Feeds of a running service: a token with its rules and items, and calls with it.

Items and rules are written into the database where a test needs many of them, or none that the
service makes on its own; what the service generates comes from the commands.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from itertools import count
from typing import Any

import requests
from sqlalchemy import Engine, insert, select, update

from app.services import accounts
from app.store import models
from app.store.rows import new_id
from copydesk import Feed
from tests.support.customers import new_customer
from tests.support.service import ITEM_SECONDS, CopydeskService
from tests.support.startup import wait_until

ANSWER_SECONDS = 60.0
NEVER = datetime(9999, 1, 1, tzinfo=UTC)
_ENDED = {"succeeded", "failed"}
_ages = count()


@dataclass(frozen=True)
class RunningFeed:
    """A content token. The calls return the answer as it is, whatever its status."""

    service: CopydeskService
    account_id: str
    token_id: str
    token: str = field(repr=False)

    @property
    def url(self) -> str:
        """The address of the feed, without latest or items."""
        return f"{self.service.url}/v1/content-tokens/{self.token}"

    def call(self, method: str, path: str, **options: Any) -> requests.Response:
        """One call without any header of its own; ``options`` are those of requests."""
        return requests.request(method, f"{self.url}/{path}", timeout=ANSWER_SECONDS, **options)

    def latest(self, **query: str) -> Any:
        """The body of GET …/latest."""
        return self._pull("latest", query)

    def items(self, **query: str) -> Any:
        """The body of GET …/items."""
        return self._pull("items", query)

    def confirm(self, item_id: str) -> requests.Response:
        return self.call("POST", f"items/{item_id}/confirm")

    def reject(self, item_id: str) -> requests.Response:
        return self.call("POST", f"items/{item_id}/reject")

    def sdk(self) -> Feed:
        """The SDK's feed with this token."""
        return Feed(f"{self.url}/latest")

    def _pull(self, path: str, query: dict[str, str]) -> Any:
        answer = self.call("GET", path, params=query)
        assert answer.status_code == 200, answer.text
        return answer.json()

    def add_rule(self, name: str = "Coffee", **columns: Any) -> str:
        """A rule that is never due, unless ``columns`` say so, and had no first run; its id."""
        rule_id = new_id("rul")
        now = datetime.now(UTC)
        values = {
            "id": rule_id,
            "token_id": self.token_id,
            "name": name,
            "name_key": name.casefold(),
            "request": {"keywords": [f"{name.lower()} notes"], "constraints": {"maxWords": 350}},
            "offers": [],
            "every_seconds": 3600,
            "paused": False,
            "next_due_at": NEVER,
            "created_at": now,
            **columns,
        }
        with self._engine.begin() as database:
            database.execute(insert(models.Rule).values(values))
        return rule_id

    def add_due_rule(self, name: str = "Coffee", **columns: Any) -> str:
        """A rule that is due now: the next pull has it generate an item. Its id."""
        return self.add_rule(name, next_due_at=datetime.now(UTC), **columns)

    def add_items(self, rule_id: str, number: int = 1) -> list[str]:
        """Add pending items of a rule, each younger than the one before, and return their ids."""
        now = datetime.now(UTC)
        rows = []
        for age in (next(_ages) for _ in range(number)):
            post = {"title": f"Item {age}", "slugSuggestion": f"item-{age}", "sections": []}
            rows.append(
                {
                    "id": new_id("itm"),
                    "token_id": self.token_id,
                    "rule_id": rule_id,
                    "status": "pending",
                    "delivery_count": 0,
                    "title": f"Item {age}",
                    "post": {**post, "conclusion": "So much for that."},
                    "markdown": f"Item {age}",
                    "html": f"<p>Item {age}</p>",
                    "generated_at": now + timedelta(milliseconds=age),
                    "updated_at": now,
                }
            )
        with self._engine.begin() as database:
            database.execute(insert(models.FeedItem), rows)
        return [str(row["id"]) for row in rows]

    def states(self) -> list[tuple[str, int]]:
        """Each item's status and number of sends as the database has them, oldest first."""
        query = (
            select(models.FeedItem.status, models.FeedItem.delivery_count)
            .where(models.FeedItem.token_id == self.token_id)
            .order_by(models.FeedItem.generated_at, models.FeedItem.id)
        )
        with self._engine.connect() as database:
            return [(row.status, row.delivery_count) for row in database.execute(query)]

    def wait_for_item(self) -> None:
        """Wait until there is an item."""
        wait_until(lambda: bool(self.states()), ITEM_SECONDS, "the rule's first item")

    def runs(self, rule_id: str) -> Sequence[str]:
        """The states of a rule's runs."""
        query = (
            select(models.Run.status).where(models.Run.rule_id == rule_id).order_by(models.Run.slot)
        )
        with self._engine.connect() as database:
            return list(database.scalars(query))

    def errors(self, rule_id: str) -> Sequence[Any]:
        """The errors of a rule's runs, with their details; None for a run without one."""
        query = (
            select(models.Run.error).where(models.Run.rule_id == rule_id).order_by(models.Run.slot)
        )
        with self._engine.connect() as database:
            return list(database.scalars(query))

    def wait_for_end(self, rule_id: str, runs: int = 1) -> None:
        """Wait until ``count`` runs of a rule have ended, with any result."""
        wait_until(
            lambda: sum(state in _ENDED for state in self.runs(rule_id)) == runs,
            ITEM_SECONDS,
            f"{runs} runs of the rule have ended",
        )

    def put_back(self) -> None:
        """Make all items pending again, as if none had been pulled. No user can do this."""
        change = update(models.FeedItem).where(models.FeedItem.token_id == self.token_id)
        with self._engine.begin() as database:
            database.execute(change.values(status="pending", delivery_count=0))

    def change_rule(self, rule_id: str, **columns: Any) -> None:
        """Write columns of a rule, as when time has passed or an operator has."""
        with self._engine.begin() as database:
            database.execute(update(models.Rule).where(models.Rule.id == rule_id).values(columns))

    def rule_column(self, rule_id: str, name: str) -> Any:
        """What the database has in a column of a rule."""
        with self._engine.connect() as database:
            query = select(models.Rule.__table__.c[name]).where(models.Rule.id == rule_id)
            return database.scalar(query)

    def pause(self) -> None:
        """Pause the token."""
        token = update(models.Feed).where(models.Feed.id == self.token_id)
        rules = update(models.Rule).where(models.Rule.token_id == self.token_id)
        with self._engine.begin() as database:
            database.execute(token.values(paused=True))
            database.execute(rules.values(token_paused=True))

    @property
    def _engine(self) -> Engine:
        return self.service.engine


def ordered_feed(service: CopydeskService, *rule: str) -> RunningFeed:
    """The feed of a new account, made by the commands of an operator. Its only rule has these
    options, and generates its first item in the background."""
    account = service.cli("account", "create", "A customer")["accountId"]
    made = service.cli("feed", "create", account, "A blog")
    feed = RunningFeed(service, account, made["feedId"], made["pullUrl"].split("/")[-2])
    assert made["pullUrl"] == f"{feed.url}/latest"
    service.cli("rule", "create", feed.token_id, "A rule", *rule)
    return feed


def new_feed(service: CopydeskService, **limits: Any) -> RunningFeed:
    """A new token, without rules, of a new customer on the plan Growth but for ``limits``.

    It is made in this process, as the commands take seconds on a busy machine; they have tests of
    their own.
    """
    account_id = new_customer(service, **limits).account_id
    with service.database() as context:
        made = accounts.create_token(context, account_id, "A blog")
    return RunningFeed(service, account_id, made.id, made.secret)
