"""No two posts of an account say the same, whichever way they were asked for."""

from collections.abc import Iterator

import pytest
from sqlalchemy import func, select

from app.core.errors import ContentQualityFailed
from app.store import database
from app.store.feed_tables import SignatureRow
from tests.integration.office import WRITTEN, Office, opened, others


@pytest.fixture
def office(migrated_url: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[Office]:
    with opened(migrated_url, monkeypatch) as made:
        yield made


def signatures() -> int:
    with database.reading() as session:
        return session.scalar(select(func.count()).select_from(SignatureRow)) or 0


def test_a_post_that_repeats_another_is_written_from_another_angle(office: Office) -> None:
    posts = others()
    first, second = next(posts), next(posts)
    office.write = iter([first, first, second]).__next__
    office.generate()
    billed = office.consumed().words
    office.generate()
    assert [brief.angle is None for brief in office.briefs] == [True, True, False]
    assert WRITTEN.post.title in office.briefs[2].earlier_titles
    # Only what is delivered is billed.
    assert office.consumed().words == 2 * billed
    assert signatures() == 2


def test_one_that_repeats_from_three_angles_fails_and_costs_nothing(office: Office) -> None:
    office.write = lambda: WRITTEN
    office.generate()
    billed = office.consumed()
    key = office.key("k", "generate")
    with pytest.raises(ContentQualityFailed, match="3 angles"):
        office.generate(key)
    assert len({brief.angle for brief in office.briefs[1:]}) == 3
    assert office.consumed().words == billed.words
    assert office.consumed().reserved_words == 0
    assert signatures() == 1


def test_jobs_and_direct_calls_are_told_apart_from_each_other_too(office: Office) -> None:
    office.write = lambda: WRITTEN
    office.generate()
    billed = office.consumed().words
    created = office.create()
    assert office.work(created["jobId"])
    job = office.job(created)
    assert job["status"] == "failed"
    assert job["error"]["code"] == "CONTENT_QUALITY_FAILED"
    assert office.consumed().words == billed
    office.write = lambda: next(office.others)
    next(office.others)
    again = office.create()
    assert office.work(again["jobId"])
    assert office.job(again)["status"] == "succeeded"
    assert signatures() == 2


def test_a_replay_is_no_second_post(office: Office) -> None:
    office.write = lambda: WRITTEN
    key = office.key("k", "generate")
    assert [office.generate(key)[1], office.generate(key)[1]] == [False, True]
    assert signatures() == 1


def test_posts_of_another_account_do_not_count(office: Office) -> None:
    office.write = lambda: WRITTEN
    office.generate()
    other = Office()
    other.generate()
    assert signatures() == 2
