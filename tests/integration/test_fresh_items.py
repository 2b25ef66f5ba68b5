"""A rule writes something new each time: angles, titles, what becomes of near-duplicates, and which
earlier posts a post is compared with."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from datetime import timedelta
from itertools import repeat
from pathlib import Path
from random import Random
from typing import Any

import pytest
from sqlalchemy import insert, select, text

from app.core.feed.rule import SchedulePolicy
from app.ports import Clock
from app.rules.near_duplicates import bands, sign, similarity
from app.rules.passages import text_of
from app.services import post_writer, runs, schedule
from app.services.leased_work import perform
from app.services.near_duplicates import (
    NearDuplicate,
    candidates,
    lock_scope,
    nearest,
    save_signature,
)
from app.services.rule_lists import plan_rule
from app.store import database, models
from app.writing.angles import next_angles
from app.writing.brief import EarlierPost
from tests.support.concurrent_processes import ConcurrentProcesses, connected
from tests.support.contexts import context_at
from tests.support.integration import BEGIN, Feed, another_feed
from tests.support.scripted_worker import POST, WRITTEN, Worker, distinct_post
from tests.support.service_harness import ServiceHarness
from tests.support.startup import wait_until


def items() -> list[models.FeedItem]:
    """In the order in which they were made."""
    with database.reading() as session:
        return list(
            session.scalars(
                select(models.FeedItem).order_by(models.FeedItem.generated_at, models.FeedItem.id)
            )
        )


def upcoming(feed: Feed, rule: str = "Coffee", used: tuple[str, ...] = ()) -> list[str]:
    return [angle.key for angle in next_angles(feed.rules[rule], used, 4)]


def signed() -> set[str]:
    """The posts that later ones are compared with; each has bands."""
    with database.reading() as session:
        posts = set(session.scalars(select(models.Signature.post_id)))
        assert set(session.scalars(select(models.Band.post_id))) == posts
    return posts


def test_a_post_is_told_the_newest_posts_of_all_rules_of_its_feed(
    feed: Feed, worker: Worker
) -> None:
    """“posts that an operator threw away are told to the model as "already published"”"""
    other = another_feed(feed.url)
    with database.writing() as session:
        for number in range(32):
            at, rule = (feed if number < 30 else other), "Coffee" if number % 2 else "Tea"
            session.add(
                models.FeedItem(
                    id=f"itm_{number:03}", token_id=at.token_id, rule_id=at.rules[rule],
                    status="rejected" if number == 28 else "used",
                    title=f"Post {number}", markdown="", html="",
                    post={"meta": {"description": f"About {number}."}} if number != 29 else {},
                    generated_at=BEGIN + timedelta(minutes=number), updated_at=BEGIN,
                )
            )  # fmt: skip
    worker.queue()
    assert worker.run_next()
    (brief,) = worker.briefs
    assert brief.earlier == (
        EarlierPost("Post 29"),
        *(EarlierPost(f"Post {n}", f"About {n}.") for n in range(27, 8, -1)),
    )


def test_a_near_duplicate_is_written_anew_from_the_next_angle(feed: Feed, worker: Worker) -> None:
    """“a near-duplicate of an earlier item is refused by originality … and written anew from
    another angle”"""
    again = distinct_post(0).model_copy(update={"title": "Another title for all that"})
    worker.posts = iter([distinct_post(0), again, distinct_post(1)])
    first, second, third, _ = upcoming(feed)
    for _ in range(2):
        worker.queue()
        assert worker.run_next()
        feed.clock.move(timedelta(hours=1))
    assert [item.angle for item in items()] == [first, third]
    assert [brief.angle and brief.angle.key for brief in worker.briefs] == [first, second, third]
    # The post that was refused must not be written again, either.
    assert [post.title for post in worker.briefs[2].earlier] == [again.title, POST.title]
    assert [run.status for run in feed.runs()] == ["succeeded", "succeeded"]
    assert items()[1].post == distinct_post(1).to_wire()
    assert signed() == {item.id for item in items()}


def test_a_post_that_repeats_another_from_three_angles_fails_and_says_which(
    feed: Feed, worker: Worker
) -> None:
    """“at most 2 times more, then fail with CONTENT_QUALITY_FAILED whose details name the finding
    (check "originality", the similarity, the other item's id)”"""
    worker.posts = repeat(POST)
    for _ in range(2):
        worker.queue()
        assert worker.run_next()
        feed.clock.move(timedelta(hours=1))
    (item,) = items()
    assert len(worker.briefs) == 1 + 3
    made, failed = feed.runs()
    assert (made.status, failed.status, failed.item_id) == ("succeeded", "failed", None)
    assert failed.error is not None
    assert failed.error["code"] == "CONTENT_QUALITY_FAILED"
    (finding,) = failed.error["details"]["findings"]
    assert finding["check"] == "originality"
    assert (finding["similarity"], finding["postId"]) == (1.0, item.id)
    assert item.id in str(feed.rule("Coffee").last_error)
    assert signed() == {item.id}
    # What failed took no angle.
    assert upcoming(feed, used=(str(item.angle),))[0] == upcoming(feed)[1]


def test_all_rules_of_a_feed_are_compared_and_those_of_another_are_not(
    feed: Feed, worker: Worker
) -> None:
    """“Scope = token id for feed items.”"""
    other = another_feed(feed.url)
    worker.posts = iter([POST, POST, distinct_post(1), POST])
    for at, rule in ((feed, "Coffee"), (feed, "Tea"), (other, "Tea")):
        run = runs.start_now(feed.context, at.rules[rule])
        assert worker.execute(run) is not None
        feed.clock.move(timedelta(hours=1))
    assert [item.post["sections"][0]["contentMarkdown"][:10] for item in items()] == [
        "Cold brew ", "Cold brew:", "Cold brew ",
    ]  # fmt: skip
    assert [item.token_id for item in items()] == [feed.token_id, feed.token_id, other.token_id]


def test_jobs_and_direct_calls_are_told_apart_from_each_other_too(harness: ServiceHarness) -> None:
    """No two posts of an account say the same, whichever way they were asked for."""
    harness.write = lambda: WRITTEN
    harness.generate()
    billed = harness.consumed().words
    created = harness.create()
    assert harness.work(created["jobId"])
    job = harness.job(created)
    assert (job["status"], job["error"]["code"]) == ("failed", "CONTENT_QUALITY_FAILED")
    assert [brief.angle is None for brief in harness.briefs] == [True, True, False, False]
    assert harness.consumed().words == billed
    next(harness.distinct_posts)
    harness.write = lambda: next(harness.distinct_posts)
    again = harness.create()
    assert harness.work(again["jobId"])
    assert harness.job(again)["status"] == "succeeded"
    assert len(signed()) == 2


# --- two at the same moment


def stores_alike(number: int, url: str, token_id: str) -> Iterator[Any]:
    with connected(url):
        yield "begins"
        try:
            with database.writing() as session:
                lock_scope(session, token_id)
                save_signature(session, token_id, f"itm_{number}", sign(text_of(POST)))
        except NearDuplicate as found:
            yield found.post_id
        else:
            yield "stored"


def test_a_post_waits_for_one_that_is_being_stored_and_then_sees_it(
    feed: Feed, tmp_path: Path
) -> None:
    """“two rules that wrote alike at the same moment: check again inside that transaction”"""
    signature = sign(text_of(POST))
    with ConcurrentProcesses(tmp_path / "other", 1, stores_alike, feed.url, feed.token_id) as other:
        with database.writing() as session:
            lock_scope(session, feed.token_id)
            save_signature(session, feed.token_id, "itm_first", signature)
            other.wait_for_lines(1)
            if feed.url.startswith("postgresql"):
                waiting = text("SELECT count(*) FROM pg_locks WHERE NOT granted")
                wait_until(lambda: session.scalar(waiting) == 1)
        assert other.join() == [["begins", "itm_first"]]
    assert signed() == {"itm_first"}


def writes_alike(number: int, url: str, rule_id: str) -> Iterator[Any]:
    """Each writes the same first, then something of its own."""
    posts = iter([POST, distinct_post(number)])
    setattr(post_writer, "write_post", lambda *_, **__: replace(WRITTEN, post=next(posts)))  # noqa: B010
    with connected(url):
        context = context_at(Clock())
        yield perform(runs.start_now(context, rule_id), context)


def test_of_processes_that_write_alike_at_once_one_keeps_its_post(
    feed: Feed, tmp_path: Path
) -> None:
    """“treat a late duplicate as one more near-duplicate”: all of them make an item."""
    with ConcurrentProcesses(
        tmp_path / "all", 4, writes_alike, feed.url, feed.rules["Coffee"]
    ) as writers:
        made = [line for lines in writers.join() for line in lines]
    assert sorted(made) == sorted(item.id for item in items())
    assert len(made) == 4
    alike = [item for item in items() if item.post == POST.to_wire()]
    assert len(alike) == 1
    assert signed() == set(made)


# --- what is ahead


def test_a_plan_is_what_comes(feed: Feed, worker: Worker) -> None:
    """“the next slots (UTC) and the angle of each, without generating anything”"""
    feed.add_rule("Cocoa", due=BEGIN + timedelta(minutes=20))
    _, plan = plan_rule(feed.context, feed.rules["Cocoa"], 18)
    assert feed.runs() == []
    for _ in range(5):
        feed.clock.move(timedelta(hours=1))
        assert schedule.tick(feed.context) == 1
        assert worker.run_next()
    assert [(run.slot, item.angle) for run, item in zip(feed.runs(), items(), strict=True)] == [
        (post.slot, post.angle.key) for post in plan[:5]
    ]
    _, later = plan_rule(feed.context, feed.rules["Cocoa"], 13)
    assert later == plan[5:]


def test_a_plan_begins_with_the_run_that_is_open(feed: Feed) -> None:
    feed.add_rule("Cocoa", due=BEGIN)
    schedule.tick(feed.context)
    _, plan = plan_rule(feed.context, feed.rules["Cocoa"], 3)
    assert [post.slot for post in plan] == [
        BEGIN, BEGIN + timedelta(hours=1), BEGIN + timedelta(hours=2),
    ]  # fmt: skip


def test_a_plan_has_what_was_missed_once_and_keeps_the_restricted_tier(feed: Feed) -> None:
    feed.add_rule("Cocoa", due=BEGIN - timedelta(hours=5, minutes=30))
    _, frequent = plan_rule(feed.context, feed.rules["Cocoa"], 3)
    assert [post.slot - BEGIN for post in frequent] == [
        timedelta(hours=-5, minutes=-30), timedelta(minutes=30), timedelta(minutes=90),
    ]  # fmt: skip
    daily = replace(feed.context, policy=SchedulePolicy(daily=True))
    _, restricted = plan_rule(daily, feed.rules["Cocoa"], 4)
    days = [post.slot.date() for post in restricted]
    assert len(set(days)) == 4


# --- what a post is compared with


_WORDS = [f"word{number}" for number in range(2000)]


def article(number: int, words: int = 200) -> str:
    return " ".join(Random(number).choices(_WORDS, k=words))


def stored(scope: str, post_id: str, content: str, also: Iterable[int] = ()) -> None:
    """As it is, whatever it is like, with other bands as well."""
    signature = sign(content)
    found = sorted({*bands(signature), *also})
    with database.writing() as session:
        signed = insert(models.Signature)
        session.execute(signed.values(post_id=post_id, scope=scope, signature=signature))
        rows = [{"scope": scope, "band": band, "post_id": post_id} for band in found]
        session.execute(insert(models.Band), rows)


def found(scope: str, content: str) -> NearDuplicate | None:
    with database.reading() as session:
        return nearest(session, scope, sign(content))


def test_more_than_half_is_refused_and_less_is_not(feed: Feed) -> None:
    """“Jaccard >= 0.5 refuses”"""

    def sharing(words: int) -> str:
        """Return a text of this number of words of the article, then others."""
        return " ".join([*article(1).split()[:words], *article(2).split()[: 200 - words]])

    stored("tkn_1", "itm_1", article(1))
    # 147 of the 196 runs of each: 147 of 245 are in both, which is 0.6.
    likeness = found("tkn_1", sharing(151))
    assert likeness is not None
    assert likeness.similarity == pytest.approx(0.6, abs=0.13)
    # 120 of 272: 0.44. It is compared, and may stay.
    less = sign(sharing(124))
    assert not bands(less).isdisjoint(bands(sign(article(1))))
    assert similarity(less, sign(article(1))) == pytest.approx(0.44, abs=0.13)
    assert found("tkn_1", sharing(124)) is None


def test_the_most_alike_is_named(feed: Feed) -> None:
    stored("tkn_1", "itm_1", " ".join([*article(1).split()[:160], *article(2).split()[:40]]))
    stored("tkn_1", "itm_2", " ".join([*article(1).split()[:190], *article(2).split()[:10]]))
    stored("tkn_1", "itm_3", " ".join([*article(1).split()[:170], *article(2).split()[:30]]))
    likeness = found("tkn_1", article(1))
    assert likeness is not None
    assert likeness.post_id == "itm_2"


def test_of_very_many_that_share_a_band_those_that_share_most_are_compared(feed: Feed) -> None:
    """“Cost must not grow with the archive”, not even where all of it is a little alike."""
    signature = sign(article(1))
    shared = sorted(bands(signature))
    for number in range(120):
        also = shared[: 3 if number == 77 else 1]
        stored("tkn_1", f"itm_{number:03}", article(number + 2), also)
    with database.reading() as session:
        compared = candidates(session, "tkn_1", bands(signature))
    assert len(compared) == 50
    assert "itm_077" in {post_id for post_id, _ in compared}


def crowd(signature: bytes, posts: int, shared: Callable[[int], Iterable[int]]) -> None:
    """Add a number of posts, oldest first; ``shared`` gives the bands of each by their places."""
    mine = sorted(bands(signature))
    random = Random(posts)
    numbers = [f"itm_{number:05}" for number in range(posts)]
    with database.writing() as session:
        session.execute(
            insert(models.Signature),
            [{"post_id": post, "scope": "tkn_1", "signature": random.randbytes(504)}
             for post in numbers],
        )  # fmt: skip
        session.execute(
            insert(models.Band),
            [{"scope": "tkn_1", "band": mine[place], "post_id": post}
             for number, post in enumerate(numbers) for place in shared(number)],
        )  # fmt: skip


def test_a_band_that_all_share_hides_no_other(feed: Feed) -> None:
    """Of it the newest fifty count; the old post that is alike is found by its other bands."""
    alike = " ".join([*article(1).split()[:170], *article(2).split()[:30]])
    signature, old = sign(article(1)), sign(alike)
    both = sorted(bands(signature) & bands(old))
    places = [n for n, band in enumerate(sorted(bands(signature))) if band not in both][:7]
    assert len(both) > 7
    stored("tkn_1", "itm_00000_old", alike)
    crowd(signature, 2_000, lambda _: places)
    likeness = found("tkn_1", article(1))
    assert likeness is not None
    assert likeness.post_id == "itm_00000_old"


def test_of_a_band_that_very_many_share_the_newest_count(feed: Feed) -> None:
    """The last posts of a feed are those that a reader remembers."""
    signature = sign(article(1))
    crowd(signature, 300, lambda _: [0])
    with database.reading() as session:
        compared = candidates(session, "tkn_1", bands(signature))
    assert {post_id for post_id, _ in compared} == {f"itm_{n:05}" for n in range(250, 300)}
