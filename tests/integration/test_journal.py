"""The journal of a post: what it stores, who may write it, and how a post goes on behind it."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import delete, select
from sqlalchemy.exc import OperationalError

from app.adapters.pages import HttpPageReader
from app.core.errors import ModelUnavailable
from app.deadline import Deadline
from app.services.context import WritingOptions
from app.services.sources import Research
from app.store import database, models
from app.writing.completion import Completion, Prompt
from tests.support.integration import FRESH
from tests.support.listed_provider import ListedPages
from tests.support.paid_model import PaidModel
from tests.support.service_harness import PaidDesk
from tests.support.source_site import RIVER, SourceSite, article


class Desk(PaidDesk):
    """A desk with sources, whose journal can be read."""

    research: Research | None = None

    @property
    def options(self) -> WritingOptions:
        return replace(super().options, research=self.research)

    @property
    def paid(self) -> list[str]:
        return self.model.paid

    def stages(self, work_id: str) -> dict[str, Any]:
        """Return the stored answers of a work by their stages."""
        of_work = select(models.JournalCall).where(models.JournalCall.work_id == work_id)
        with database.reading() as session:
            return {call.stage: call.answer for call in session.scalars(of_work)}


@pytest.fixture
def desk(migrated_url: str, tmp_path: Path) -> Iterator[Desk]:
    database.bind(migrated_url)
    yield Desk(tmp_path / "paid")
    database.dispose()


def test_a_job_says_what_a_worker_is_doing_for_it(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Issue: jobs carry `progress` (stage, of how many, tokens so far) … while processing"""
    job_id, seen = desk.begin(), []
    answered = desk.model.complete

    def complete(prompt: Prompt, deadline: Deadline) -> Completion:
        seen.append(desk.job({"jobId": job_id})["progress"])
        return answered(prompt, deadline)

    monkeypatch.setattr(desk.model, "complete", complete)
    assert desk.work()
    assert seen == [
        {"stage": "writing", "number": 1, "tokens": 0},
        {"stage": "editing", "number": 1, "of": 2, "tokens": 110},
        {"stage": "reading", "number": 1, "tokens": 220},
        {"stage": "polishing", "number": 1, "tokens": 330},
    ]
    assert "progress" not in desk.job({"jobId": job_id})


def test_a_key_that_is_used_with_another_body_starts_from_the_beginning(desk: Desk) -> None:
    desk.model.unavailable_at = 3
    with pytest.raises(ModelUnavailable):
        desk.call("k")
    desk.call("k", "req_2", topic="Green tea")
    assert len(desk.paid) == 2 + 4


@pytest.mark.parametrize(
    ("error", "lost"),
    [
        (RuntimeError("a bug"), 2),
        (OperationalError("BEGIN", None, Exception("the connection was cut")), 0),
    ],
    ids=["bug", "database"],
)
def test_only_after_a_fault_of_the_service_the_journal_starts_over(
    desk: Desk, error: Exception, lost: int
) -> None:
    """The stored answers may have caused a fault, but not an outage of the database."""
    paid = desk.model.complete

    def broken(prompt: Prompt, deadline: Any) -> Completion:
        if desk.model.calls == 2:
            raise error
        return paid(prompt, deadline)

    desk.model.complete = broken  # type: ignore[method-assign]
    with pytest.raises(type(error)):
        desk.call("k")
    desk.model = PaidModel(desk.model.ledger)
    desk.call("k", "req_2")
    assert len(desk.paid) == 4 + lost


def test_sources_are_searched_for_once(desk: Desk, site: SourceSite, other: SourceSite) -> None:
    pages = [
        site.add("/a", article("Harbour bridge: council votes", published=FRESH)),
        other.add("/b", article("Brackwater repairs its bridge", RIVER, published=FRESH)),
    ]
    desk.research = Research([ListedPages(pages)], HttpPageReader(allow_private=True))
    job_id = desk.begin(keywords=["harbour bridge"])
    desk.model.unavailable_at = 3
    assert desk.work()
    # Nothing finds these pages again, and no cache has them.
    desk.research = Research([ListedPages([])], HttpPageReader(allow_private=True))
    with database.writing() as session:
        session.execute(delete(models.SourcePage))
    desk.clock.move(timedelta(minutes=1))
    assert desk.work()
    assert len(desk.paid) == len(set(desk.paid)) == len(desk.stages(job_id))
    with database.reading() as session:
        (evidence,) = session.scalars(select(models.Evidence))
    assert [source["url"] for source in evidence.sources] == pages


@pytest.mark.parametrize("odd", ["\x00", "\ud800", "\ufffe", "𝄞"])
def test_any_answer_can_be_stored(desk: Desk, odd: str) -> None:
    paid = desk.model.complete

    def strange(prompt: Prompt, deadline: Any) -> Completion:
        answer = paid(prompt, deadline)
        # Before the title, where nobody reads it.
        text = f"{odd}\n{answer.text}" if prompt.purpose == "draft" else answer.text
        return replace(answer, text=text)

    desk.model.complete = strange  # type: ignore[method-assign]
    job_id = desk.begin()
    assert desk.work()
    assert desk.stages(job_id)["1 draft 1"]["text"].startswith(odd)
    assert desk.job({"jobId": job_id})["status"] == "succeeded"
