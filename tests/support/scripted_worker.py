"""A worker whose pipeline is replaced: it writes at once, each post unlike all before it."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import timedelta
from itertools import chain, count

import pytest

from app.core.schemas.post import (
    CoverageNotes,
    Meta,
    Outline,
    Quality,
    Section,
    SectionType,
    SEOPost,
)
from app.services import lease_keeping, post_writer, runs
from app.services.leased_work import perform
from app.store import database
from app.store import rules as store
from app.writing.brief import Brief
from app.writing.pipeline import Written
from tests.support.integration import Feed

LAPSED = lease_keeping.LEASE + timedelta(seconds=1)
POST = SEOPost(
    title="Cold brew at home",
    slug_suggestion="cold-brew-at-home",
    meta=Meta(description="How it is made.", primary_keyword="cold brew"),
    outline=Outline(h1="Cold brew at home", h2=()),
    sections=(Section(type=SectionType.INTRODUCTION, content_markdown="Cold brew takes time."),),
    faqs=(),
    conclusion="It keeps for a week.",
    coverage_notes=CoverageNotes(keyword_coverage=()),
)
WRITTEN = Written(
    POST,
    Quality(status="pass", score=100, revision_count=0, quality_version="1.0.0"),
    (),
)


def distinct_post(number: int) -> SEOPost:
    """A post that shares no five words in a row with one of another number, but for its title."""
    words = " ".join(f"word{number}x{index}" for index in range(40))
    body = Section(type=SectionType.INTRODUCTION, content_markdown=f"Cold brew: {words}.")
    return POST.model_copy(update={"sections": (body,)})


class Worker:
    """Takes and executes runs of a feed; ``meanwhile`` is what happens as the model writes, and
    ``posts`` what it writes: POST, then others."""

    def __init__(self, feed: Feed, monkeypatch: pytest.MonkeyPatch) -> None:
        self._feed = feed
        self.meanwhile: Callable[[], None] = lambda: None
        self.posts: Iterator[SEOPost] = chain([POST], map(distinct_post, count()))
        self.briefs: list[Brief] = []

        def write_post(_model: object, brief: Brief, **_: object) -> Written:
            self.briefs.append(brief)
            self.meanwhile()
            return replace(WRITTEN, post=next(self.posts))

        monkeypatch.setattr(post_writer, "write_post", write_post)

    def queue(self, rule: str = "Coffee") -> None:
        now = self._feed.clock.now()
        with database.writing() as session:
            assert store.add_run(session, self._feed.rules[rule], now, now) is not None

    def run_next(self) -> bool:
        return runs.run_next(self._feed.context)

    def take(self) -> runs.ClaimedRun:
        run = runs.claim(self._feed.context)
        assert run is not None
        return run

    def execute(self, run: runs.ClaimedRun) -> str | None:
        return perform(run, self._feed.context)
