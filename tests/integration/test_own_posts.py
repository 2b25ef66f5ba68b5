"""No two posts of an account say the same, whichever way they were asked for."""

from sqlalchemy import func, select

from app.store import database, models
from tests.support.scripted_worker import WRITTEN
from tests.support.service_harness import ServiceHarness, distinct_posts


def signatures() -> int:
    with database.reading() as session:
        return session.scalar(select(func.count()).select_from(models.Signature)) or 0


def test_a_post_that_repeats_another_is_written_from_another_angle(harness: ServiceHarness) -> None:
    posts = distinct_posts()
    first, second = next(posts), next(posts)
    harness.write = iter([first, first, second]).__next__
    harness.generate()
    billed = harness.consumed().words
    harness.generate()
    assert [brief.angle is None for brief in harness.briefs] == [True, True, False]
    assert WRITTEN.post.title in [post.title for post in harness.briefs[2].earlier]
    # Only what is delivered is billed.
    assert harness.consumed().words == 2 * billed
    assert signatures() == 2


def test_jobs_and_direct_calls_are_told_apart_from_each_other_too(harness: ServiceHarness) -> None:
    harness.write = lambda: WRITTEN
    harness.generate()
    billed = harness.consumed().words
    created = harness.create()
    assert harness.work(created["jobId"])
    job = harness.job(created)
    assert job["status"] == "failed"
    assert job["error"]["code"] == "CONTENT_QUALITY_FAILED"
    assert harness.consumed().words == billed
    harness.write = lambda: next(harness.distinct_posts)
    next(harness.distinct_posts)
    again = harness.create()
    assert harness.work(again["jobId"])
    assert harness.job(again)["status"] == "succeeded"
    assert signatures() == 2
