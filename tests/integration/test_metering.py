"""What items count for: always at their token, and at their account's plan where the operator
marked the token metered."""

from collections.abc import Callable
from datetime import date, timedelta

import pytest
from sqlalchemy import select

from app.core.billing.metering import Consumed
from app.core.errors import ContentQualityFailed
from app.rules.passages import post_words
from app.services import accounts, overview, rule_lists, schedule, usage
from app.store import database, models
from app.store.accounts import Caller
from tests.support.integration import BEGIN, Feed
from tests.support.scripted_worker import LAPSED, POST, Worker, distinct_post

HOUR = timedelta(hours=1)
JANUARY = date(2026, 1, 1)
# Those of the first post that the worker writes, and of the second.
WORDS, MORE = post_words(POST), post_words(distinct_post(0))


def of_account(feed: Feed, period: date = JANUARY) -> Consumed:
    with database.reading() as session:
        return usage.consumed(session, feed.account_id, period)


def of_token(feed: Feed, period: date = JANUARY) -> tuple[int, int]:
    with database.reading() as session:
        month = session.get(models.FeedMonth, (feed.token_id, period))
        return (month.words, month.posts) if month else (0, 0)


def held() -> list[int]:
    with database.reading() as session:
        return list(session.scalars(select(models.Reservation.words)))


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
    ((_, _, words, posts),) = overview.feeds(feed.context, feed.account_id)
    assert (words, posts) == (WORDS + MORE, 2)


def assert_held(feed: Feed, words: int) -> None:
    assert of_account(feed).reserved_words == words


def test_an_item_of_a_metered_token_is_billed_with_the_item(feed: Feed, worker: Worker) -> None:
    accounts.update_token(feed.token_id, metered=True)
    # Without maxWords a post may have 1,200.
    worker.meanwhile = lambda: assert_held(feed, 1200)
    worker.queue()
    assert worker.run_next()
    assert of_account(feed) == Consumed(words=WORDS, posts=1, requests=1)
    assert of_token(feed) == (WORDS, 1)
    assert held() == []
    accounts.update_token(feed.token_id, metered=False)
    worker.meanwhile = lambda: assert_held(feed, 0)
    worker.queue("Tea")
    assert worker.run_next()
    assert of_account(feed).words == WORDS
    assert of_token(feed) == (WORDS + MORE, 2)


def test_what_delivers_nothing_is_not_billed(feed: Feed, worker: Worker) -> None:
    accounts.update_token(feed.token_id, metered=True)

    def fail() -> None:
        raise ContentQualityFailed("It fails.")

    worker.meanwhile = fail
    worker.queue()
    assert worker.run_next()
    assert (of_account(feed), of_token(feed), held()) == (Consumed(), (0, 0), [])


@pytest.fixture
def caller(feed: Feed) -> Caller:
    """Of the feed's account, which is metered and has 1,500 words a month; a rule of it is due."""
    accounts.update_token(feed.token_id, metered=True)
    accounts.update_plan("starter", {"monthly_words": 1500})
    feed.add_rule("Due", due=BEGIN, every=HOUR)
    secret = accounts.create_key(feed.context, feed.account_id).secret
    return accounts.authenticate(feed.context, f"Bearer {secret}")


def test_a_run_waits_for_words_that_are_only_held(
    feed: Feed, worker: Worker, caller: Caller
) -> None:
    with database.writing() as session:
        other = usage.reserve(session, caller, 400, BEGIN, None)
    schedule.tick(feed.context)
    assert worker.run_next()
    rule = feed.rule("Due")
    assert "RATE_LIMITED" in str(rule.last_error)
    assert rule.failures == 0
    with database.writing() as session:
        usage.release(session, other)
    feed.clock.move(timedelta(minutes=1))
    assert worker.run_next()
    assert of_token(feed) == (WORDS, 1)


def test_a_rule_waits_visibly_when_the_words_of_the_month_are_spent(
    feed: Feed, worker: Worker, caller: Caller
) -> None:
    """“then a rule waits, visibly, when the month's words are spent”"""
    with database.writing() as session:
        spent = usage.reserve(session, caller, 400, BEGIN, None)
        usage.bill(session, spent, 400)
    worker.meanwhile = lambda: pytest.fail("the model was asked")
    schedule.tick(feed.context)
    assert worker.run_next()
    rule = feed.rule("Due")
    assert "QUOTA_EXCEEDED" in str(rule.last_error)
    assert (rule.failures, rule.run_id, rule.next_due_at) == (1, None, BEGIN + HOUR)
    every = rule_lists.list_rules(feed.context, feed.token_id)
    (listed,) = [each for each in every if each.row.name == "Due"]
    assert listed.status == "waiting: out of words"
    # The next month has words again; the rule resumes on its own.
    worker.meanwhile = lambda: None
    feed.clock.move(timedelta(days=1))
    assert schedule.tick(feed.context) == 1
    assert worker.run_next()
    assert of_account(feed, date(2026, 2, 1)).words == WORDS
    assert feed.rule("Due").failures == 0


def test_the_words_of_a_worker_that_died_are_given_back(feed: Feed, worker: Worker) -> None:
    """And the one that takes the run again holds and bills its own."""
    accounts.update_token(feed.token_id, metered=True)
    worker.queue()
    dead = worker.take()
    dead._reserve(1200, feed.clock.now())
    assert held() == [1200]
    feed.clock.move(LAPSED)
    assert usage.release_lapsed(feed.context) == 1
    assert worker.run_next()
    assert of_account(feed) == Consumed(words=WORDS, posts=1, requests=1)
    assert held() == []


def test_a_worker_that_comes_back_late_bills_and_signs_nothing(feed: Feed, worker: Worker) -> None:
    accounts.update_token(feed.token_id, metered=True)
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
    # Else a later post could repeat one that is nowhere.
    ((item, *_),) = feed.rows()
    with database.reading() as session:
        assert session.scalars(select(models.Signature.post_id)).all() == [item]
