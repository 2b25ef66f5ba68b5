"""What items count for: always at their token, and at their account's plan where the operator
marked the token metered."""

from collections.abc import Callable
from datetime import date, timedelta

import pytest
from sqlalchemy import select

from app.core.errors import ContentQualityFailed
from app.core.metering import Consumed
from app.core.quality.lengths import post_words
from app.services import accounts, plans, rules, runs, usage
from app.store import database
from app.store import usage as store
from app.store.feed_tables import TokenMonthRow
from app.store.tables import ReservationRow
from tests.integration.conftest import BEGIN, Feed
from tests.integration.worker import LAPSED, POST, Worker, unlike

HOUR = timedelta(hours=1)
JANUARY = date(2026, 1, 1)
# Those of the first post that the worker writes, and of the second.
WORDS, MORE = post_words(POST), post_words(unlike(0))


def of_account(feed: Feed, period: date = JANUARY) -> Consumed:
    with database.reading() as session:
        return store.consumed(session, feed.account_id, period)


def of_token(feed: Feed, period: date = JANUARY) -> tuple[int, int]:
    with database.reading() as session:
        month = session.get(TokenMonthRow, (feed.token_id, period))
        return (month.words, month.posts) if month else (0, 0)


def held() -> list[int]:
    with database.reading() as session:
        return list(session.scalars(select(ReservationRow.words)))


def test_an_item_is_counted_at_its_token_and_not_at_the_plan(feed: Feed, worker: Worker) -> None:
    """“recorded per token; they count against the account's plan only if the operator marks the
    token metered (default: not)”"""
    worker.meanwhile = lambda: assert_held(feed, 0)
    for rule in ("Coffee", "Tea"):
        worker.queue(rule)
        assert worker.run_next()
    assert 0 < WORDS < MORE
    assert of_token(feed) == (WORDS + MORE, 2)
    assert of_account(feed) == Consumed()
    ((_, words, posts),) = accounts.list_tokens(feed.account_id, feed.clock)
    assert (words, posts) == (WORDS + MORE, 2)


def assert_held(feed: Feed, words: int) -> None:
    assert of_account(feed).reserved_words == words


def test_an_item_of_a_metered_token_is_billed_with_the_item(feed: Feed, worker: Worker) -> None:
    accounts.meter_token(feed.token, metered=True)
    # Without maxWords a post may have 1,200.
    worker.meanwhile = lambda: assert_held(feed, 1200)
    worker.queue()
    assert worker.run_next()
    assert of_account(feed) == Consumed(words=WORDS, posts=1, requests=1)
    assert of_token(feed) == (WORDS, 1)
    assert held() == []
    accounts.meter_token(feed.token_id, metered=False)
    worker.meanwhile = lambda: assert_held(feed, 0)
    worker.queue("Tea")
    assert worker.run_next()
    assert of_account(feed).words == WORDS
    assert of_token(feed) == (WORDS + MORE, 2)


def test_what_delivers_nothing_is_not_billed(feed: Feed, worker: Worker) -> None:
    accounts.meter_token(feed.token, metered=True)

    def fail() -> None:
        raise ContentQualityFailed("It fails.")

    worker.meanwhile = fail
    worker.queue()
    assert worker.run_next()
    assert (of_account(feed), of_token(feed), held()) == (Consumed(), (0, 0), [])


def test_a_rule_waits_visibly_when_the_words_of_the_month_are_spent(
    feed: Feed, worker: Worker
) -> None:
    """“then a rule waits, visibly, when the month's words are spent”"""
    accounts.meter_token(feed.token, metered=True)
    plans.update_plan("starter", {"monthly_words": 1500})
    feed.add_rule("Due", due=BEGIN, every=HOUR)
    plan = next(plan for plan in plans.list_plans() if plan.id == "starter")
    with database.writing() as session:
        usage.reserve_of(session, feed.account_id, plan, 400, BEGIN, None)
    worker.meanwhile = lambda: pytest.fail("the model was asked")
    rules.tick(feed.clock, feed.queue)
    assert worker.run_next()
    rule = feed.rule("Due")
    assert "QUOTA_EXCEEDED" in str(rule.last_error)
    assert (rule.failures, rule.run_id, rule.next_due_at) == (1, None, BEGIN + HOUR)
    (listed,) = [each for each in rules.list_rules(feed.token) if each.row.name == "Due"]
    assert listed.status == "waiting: out of words"
    # The next month has words again; the rule comes back by itself.
    worker.meanwhile = lambda: None
    feed.clock.move(timedelta(days=1))
    assert rules.tick(feed.clock, feed.queue) == 1
    assert worker.run_next()
    assert of_account(feed, date(2026, 2, 1)).words == WORDS
    assert feed.rule("Due").failures == 0


def test_the_words_of_a_worker_that_died_are_given_back(feed: Feed, worker: Worker) -> None:
    """And the one that takes the run again holds and bills its own."""
    accounts.meter_token(feed.token, metered=True)
    worker.queue()
    dead = worker.take()
    runs._reserve(dead, 1200, feed.clock.now())
    assert held() == [1200]
    feed.clock.move(LAPSED)
    assert usage.release_lapsed(feed.clock) == 1
    assert worker.run_next()
    assert of_account(feed) == Consumed(words=WORDS, posts=1, requests=1)
    assert held() == []


def test_a_worker_that_comes_back_late_bills_nothing(feed: Feed, worker: Worker) -> None:
    accounts.meter_token(feed.token, metered=True)
    worker.queue()
    late = worker.take()
    done: list[Callable[[], bool]] = [worker.run_next]

    def another_is_quicker() -> None:
        if done:
            feed.clock.move(LAPSED)
            assert done.pop()()

    worker.meanwhile = another_is_quicker
    assert worker.execute(late) is None
    assert of_account(feed) == Consumed(words=WORDS, posts=1, requests=1)
    assert of_token(feed) == (WORDS, 1)
    assert held() == []
