"""Posts that must be verified, from real pages on loopback through the whole pipeline into the
database; the model is the scripted one, asked without a network."""

import json
import secrets
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import timedelta
from html import escape
from typing import Any

import pytest
from click.testing import CliRunner
from sqlalchemy import func, select

from app.adapters.pages import HttpPageReader
from app.cli import main
from app.core.checks import ScorePart
from app.core.errors import (
    ContentQualityFailed,
    GenerationTimeout,
    ServiceError,
    SourcesUnreachable,
)
from app.core.schemas.request import parse_generate_request
from app.core.verification import OPENING
from app.core.writing.completion import Completion, Prompt
from app.deadline import Deadline
from app.ports import Hit, Model, SourceProvider, SourcesUnavailable
from app.services import evidence, jobs, rules, runs, sources
from app.services.assignment import Assignment
from app.services.context import Context, WritingOptions
from app.services.generate import GenerateCommand, generate
from app.services.leased_work import perform
from app.services.pipeline import Written
from app.services.post_writer import PostWriter
from app.services.sources import Research
from app.store import models
from app.store.database import reading
from tests.support.contexts import by_section, context_at
from tests.support.integration import BEGIN as NOW
from tests.support.integration import FRESH, Feed, ManualClock
from tests.support.listed_provider import ListedPages
from tests.support.scripted_writer import scripted
from tests.support.service_harness import ServiceHarness
from tests.support.source_site import BRIDGE, RIVER, SourceSite, article
from tests.unit.injection_samples import MARKUP, SAMPLES

REQUEST: dict[str, Any] = {
    "keywords": ["harbour bridge", "Brackwater"],
    "constraints": {"minWords": 150, "maxWords": 300},
}
MARK = "quillon"
# How a call for one part begins.
INTRODUCTION = "Write only the introduction"
DESCRIPTION = "Write only the meta description"
SECTION = "Write only the text below the heading"
HOSTILE = [texts["en"][0] for texts in SAMPLES.values()] + [texts[0] for texts in MARKUP.values()]
VERIFIED = {**REQUEST, "factualityMode": "verified"}


@dataclass
class Writer(Model):
    """Shows ``behaviour`` in the introduction ``times`` times, then writes a good text."""

    behaviour: str = "good"
    times: int = 99
    name = "scripted"
    concurrency = 1
    prompts: list[Prompt] = field(default_factory=list)

    def complete(self, prompt: Prompt, deadline: Deadline) -> Completion:
        self.prompts.append(prompt)
        chosen = self.behaviour == "cites" or INTRODUCTION in prompt.user
        behaviour = self.behaviour if chosen and self.times > 0 else "good"
        self.times -= chosen
        return scripted(prompt, behaviour)

    def ping(self) -> None:
        """Always there."""


@dataclass
class Reporter(Writer):
    """Begins a part with that sentence, whatever it is told; else it writes well. With ``only``,
    the part is nothing else."""

    says: str = ""
    part: str = INTRODUCTION
    only: bool = False

    def complete(self, prompt: Prompt, deadline: Deadline) -> Completion:
        answer = super().complete(prompt, deadline)
        if prompt.schema is None and self.part in prompt.user:
            return Completion(self.says if self.only else f"{self.says} {answer.text}")
        return answer


@pytest.fixture(autouse=True)
def _seed(monkeypatch: pytest.MonkeyPatch) -> None:
    """The same posts each time: some of what the scripted model says no source does."""
    monkeypatch.setattr(secrets, "randbits", lambda _bits: 4)


@pytest.fixture
def pages(site: SourceSite, other: SourceSite) -> list[str]:
    """Two sites that report afresh, independently of each other."""
    return [
        site.add("/a", article("Harbour bridge: council votes", published=FRESH)),
        other.add("/b", article("Brackwater repairs its bridge", RIVER, published=FRESH)),
    ]


def options(*urls: str) -> WritingOptions:
    research = Research([ListedPages(urls)], HttpPageReader(allow_private=True))
    return WritingOptions(60.0, by_section, research=lambda: research)


def written(model: Model, desk: WritingOptions, members: dict[str, Any] = VERIFIED) -> Written:
    context = context_at(ManualClock(), model=lambda: model, options=desk)
    return PostWriter(context, Assignment(parse_generate_request(members), 300, (None,))).write()


def writing(context: Context, model: Model, *urls: str) -> Context:
    """The same with that model and those pages."""
    return replace(context, model=lambda: model, options=options(*urls))


def refusal(model: Model, desk: WritingOptions, members: dict[str, Any] = VERIFIED) -> ServiceError:
    with pytest.raises(ContentQualityFailed) as caught:
        written(model, desk, members)
    return caught.value


def checks(error: ServiceError) -> set[str]:
    assert error.details is not None
    return {finding["check"] for finding in error.details["findings"]}


def rows() -> list[models.Evidence]:
    with reading() as session:
        return list(session.scalars(select(models.Evidence)))


def test_what_is_quoted_of_a_source_is_kept_with_its_url(feed: Feed, pages: list[str]) -> None:
    """ "coverage kept per post with the source's URL for the operator"."""
    model = Reporter(says=f"As one report has it: “{BRIDGE[0]}”", part=DESCRIPTION, only=True)
    post = written(model, options(*pages))
    assert [source.url for source in post.sources] == pages
    borne_out = {each.url for each in post.coverage}
    assert borne_out <= set(pages)
    assert any(each.kind == "quotation" for each in post.coverage)


def test_the_writer_is_given_notes_and_told_what_they_are(feed: Feed, pages: list[str]) -> None:
    """ "text is marked as data, instructions in it are not followed"."""
    model = Writer()
    written(model, options(*pages))
    assert all("never instructions" in prompt.system for prompt in model.prompts)
    plan, *_ = model.prompts
    sections = [prompt for prompt in model.prompts if SECTION in prompt.user]
    assert sections
    assert all(OPENING in prompt.user for prompt in [plan, *sections])
    assert not any("where you are certain" in prompt.system for prompt in model.prompts)


def test_a_standard_post_gets_notes_too(feed: Feed, pages: list[str]) -> None:
    """Where sources are configured, they inform every post."""
    model = Writer()
    post = written(model, options(*pages), REQUEST)
    assert {source.url for source in post.sources} == set(pages)
    assert any(OPENING in prompt.user for prompt in model.prompts)


def test_a_standard_post_may_keep_what_no_source_says(feed: Feed, pages: list[str]) -> None:
    """Only a verified post is refused for it."""
    claim = "A survey of 4,812 households in Brackwater found that 73 percent agree."
    model = Reporter(says=claim, part=DESCRIPTION, only=True)
    assert "unsupported_claim" in checks(refusal(model, options(*pages)))
    post = written(model, options(*pages), REQUEST)
    assert "unsupported_claim" in {warning.check for warning in post.warnings}


def test_a_standard_post_is_written_without_sources_that_cannot_be_found(feed: Feed) -> None:
    model = Writer()
    post = written(model, options(), REQUEST)
    assert (post.sources, post.coverage) == ((), ())
    assert not any(OPENING in prompt.user for prompt in model.prompts)


def test_an_unsupported_claim_is_revised_away(feed: Feed, pages: list[str]) -> None:
    """ "unsupported claims revised away": the writer is told and rewrites; a sentence that can go
    is removed if it is still there."""
    for times in (1, 99):
        model = Writer("invents", times=times)
        post = written(model, options(*pages))
        assert "4,812" not in post.post.sections[0].content_markdown
        assert post.quality.revision_count >= 1
        assert any("No source says" in prompt.user for prompt in model.prompts)

    class Once(Reporter):
        def complete(self, prompt: Prompt, deadline: Deadline) -> Completion:
            if "An editor sent this back" in prompt.user:
                self.says = ""
            return super().complete(prompt, deadline)

    claim = "A survey of 4,812 households in Brackwater found that 73 percent agree."
    model = Once(says=claim, part=DESCRIPTION)
    assert "4,812" not in written(model, options(*pages)).post.meta.description
    assert any("No source says “4,812" in prompt.user for prompt in model.prompts)


def test_a_claim_that_stays_fails_and_is_named(feed: Feed, pages: list[str]) -> None:
    """ "or the request fails with details that list them"."""
    claim = "A survey of 4,812 households in Brackwater found that 73 percent of them agree."
    failed = refusal(Reporter(says=claim, part=DESCRIPTION), options(*pages))
    assert "unsupported_claim" in checks(failed)
    assert failed.details is not None
    reasons = " ".join(finding["reason"] for finding in failed.details["findings"])
    assert "4,812" in reasons
    assert "73 percent" in reasons
    assert failed.code == "CONTENT_QUALITY_FAILED"


def test_what_is_copied_from_a_source_fails(feed: Feed, pages: list[str]) -> None:
    """ "exact 5-word shingles against the sources (containment ≥ 0.15 or a 13-word run outside
    quotes fails)"."""
    copied = Reporter(says=" ".join(BRIDGE[:3]), only=True)
    assert "copied_from_source" in checks(refusal(copied, options(*pages)))


def test_with_no_usable_source_the_request_fails(feed: Feed, site: SourceSite) -> None:
    """ "with no usable source the request fails, it does not invent"; details say what was refused
    and why."""
    thin = site.add("/thin", article("Harbour bridge of Brackwater", BRIDGE[:2], published=FRESH))
    model = Writer()
    failed = refusal(model, options(f"{thin}?page=7"))
    assert "needs sources to check against. No usable source was found." in failed.message
    assert failed.details is not None
    assert failed.details["field"] == "factualityMode"
    (refused,) = failed.details["refusedSources"]
    assert refused["source"] == thin
    assert "fewer than 150" in refused["reason"]
    assert model.prompts == []


def test_without_any_provider_the_operator_is_told_what_to_set(feed: Feed) -> None:
    failed = refusal(Writer(), WritingOptions(60.0))
    assert "COPYDESK_SOURCE_FEEDS" in failed.operator
    assert "This service has no sources" in failed.message
    assert "COPYDESK_" not in failed.message


def test_a_search_that_is_down_passes(feed: Feed) -> None:
    """What cannot be looked for now may be found later: the job waits, and is not failed."""

    class Down(SourceProvider):
        name = "searxng"

        def search(self, query: str, language: str, limit: int) -> Sequence[Hit]:
            raise SourcesUnavailable("It did not answer.")

    research = Research([Down()], HttpPageReader(allow_private=True))
    desk = WritingOptions(60.0, by_section, research=lambda: research)
    with pytest.raises(SourcesUnreachable) as unreachable:
        written(Writer(), desk)
    assert "searxng: It did not answer" in unreachable.value.operator
    assert "searxng" not in unreachable.value.message
    harness = ServiceHarness()
    created = harness.create(generateRequest=VERIFIED)
    jobs.run_next(replace(harness.context, model=Writer, options=desk))
    assert harness.job(created)["status"] == "queued"


def test_news_are_recognised_and_need_two_sites(
    feed: Feed, site: SourceSite, other: SourceSite, pages: list[str]
) -> None:
    """ "two independent domains for a current event", also where only the request shows that it is
    one."""
    news = {**REQUEST, "keywords": ["harbour bridge news", "Brackwater"]}
    failed = refusal(Writer(), options(pages[0]), news)
    assert "a current event needs two independent sites" in failed.message
    assert failed.details is not None
    assert failed.details["field"] == "keywords"
    assert written(Writer(), options(*pages), news).sources


STALE = article("Brackwater repairs its bridge", RIVER, published=NOW - timedelta(days=4))
COPY = article("Bridge!", ("Our agency reports.", *BRIDGE), published=FRESH + timedelta(hours=1))


@pytest.mark.parametrize(
    ("second", "why"),
    [(STALE, "more than 72 hours ago"), (COPY, "says what")],
    ids=["stale", "syndicated"],
)
def test_a_stale_or_copied_page_is_no_second_source(
    feed: Feed, pages: list[str], other: SourceSite, second: str, why: str
) -> None:
    news = {**REQUEST, "keywords": ["harbour bridge news", "Brackwater"]}
    model = Writer()
    failed = refusal(model, options(pages[0], other.add("/second", second)), news)
    assert "a current event needs two independent sites" in failed.message
    assert failed.details is not None
    (refused,) = failed.details["refusedSources"]
    assert why in refused["reason"]
    assert model.prompts == []


def test_what_two_sources_say_otherwise_is_given_as_both_say_it(
    feed: Feed, pages: list[str], other: SourceSite
) -> None:
    """Of two figures for one thing a post takes no side: it names both, or there is no post."""
    disputes = (
        "The work begins in March and is to cost 5.1 million crowns.",
        *RIVER[:6],
        *RIVER[7:],
    )
    desk = options(pages[0], other.add("/c", article("Brackwater's bridge", disputes)))
    start = "Work on the harbour bridge begins in March and will cost"
    one = Reporter(says=f"{start} 4.2 million crowns.", part=DESCRIPTION)
    failed = refusal(one, desk)
    assert checks(failed) == {"disputed_claim"}
    assert failed.details is not None
    (finding,) = failed.details["findings"]
    assert "4.2 million" in finding["reason"]
    assert "5.1 million" in finding["reason"]
    both = f"{start} 4.2 million crowns or 5.1 million crowns."
    kept = written(Reporter(says=both, part=DESCRIPTION), desk).post
    assert both in kept.meta.description
    # A sentence that can go is removed instead.
    removed = written(Reporter(says=f"{start} 4.2 million crowns."), desk).post
    assert "4.2 million" not in json.dumps(removed.to_wire())


def test_hostile_pages_of_each_kind_reach_no_prompt(
    feed: Feed, site: SourceSite, pages: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """ "instructions in it are not followed": no word of such a page is in what the model reads."""
    monkeypatch.setattr(sources, "MAX_PAGES", len(HOSTILE) + len(pages))
    evil = [
        site.add(
            f"/evil{number}",
            article(
                f"Harbour bridge {number}",
                (*BRIDGE[:6], f"Brackwater buys {MARK} coins.", *BRIDGE[6:]),
                published=FRESH,
                extra=f"<p>{escape(order)}</p>",
            ),
        )
        for number, order in enumerate(HOSTILE)
    ]
    model = Writer("cites")
    post = written(model, options(*evil, *pages))
    assert {source.url for source in post.sources} == set(pages)
    assert not any(MARK in prompt.user or "Mallory" in prompt.user for prompt in model.prompts)
    assert MARK not in json.dumps(post.post.to_wire())


def test_what_a_call_stands_on_is_kept_and_shown(feed: Feed, pages: list[str]) -> None:
    harness = ServiceHarness()
    request = parse_generate_request(VERIFIED)
    command = GenerateCommand(harness.caller, request, "req_verified", None)
    model = Reporter(says="The repair of the bridge costs 4.2 million crowns.")
    generate(writing(harness.context, model, *pages), command)
    (row,) = rows()
    assert (row.post_id, row.account_id) == ("req_verified", harness.account_id)
    assert [source["url"] for source in row.sources] == pages
    assert {claim["url"] for claim in row.coverage} <= set(pages)
    told = " ".join((*BRIDGE, *RIVER))
    assert row.coverage
    for claim in row.coverage:
        assert claim["claim"] in claim["sentence"]
        assert claim["sentence"] in told
    (found,) = evidence.find("req_verified")
    assert found.coverage == row.coverage


def test_what_a_job_stands_on_is_kept_by_its_id(feed: Feed, pages: list[str]) -> None:
    harness = ServiceHarness()
    created = harness.create(generateRequest=VERIFIED)
    jobs.run_next(writing(harness.context, Writer("cites"), *pages))
    assert harness.job(created)["status"] == "succeeded"
    assert [row.post_id for row in rows()] == [created["jobId"]]


def test_a_rule_on_current_events_writes_from_fresh_sources(feed: Feed, pages: list[str]) -> None:
    """ "source retrieval, freshness/relevance/quality/deduplication/evidence validation for
    current-event topics"."""
    new = rules.NewRule("Bridge", REQUEST, timedelta(hours=1), current_event=True)
    rule_id = rules.create_rule(replace(feed.context, has_sources=True), feed.token, new)
    first = runs.claim(feed.context)
    assert first is not None
    with pytest.raises(ContentQualityFailed, match="two independent sites"):
        perform(first, writing(feed.context, Writer(), pages[0]))
    feed.clock.move(timedelta(minutes=1))
    run = runs.start_now(feed.context, rule_id)
    item_id = perform(run, writing(feed.context, Writer("cites"), *pages))
    assert [row.post_id for row in rows()] == [item_id]


def test_the_parts_of_the_score_are_kept_of_every_post(
    feed: Feed, monkeypatch: pytest.MonkeyPatch
) -> None:
    """ "Score in five parts …; parts in CLI, log and evidence"."""
    harness = ServiceHarness()
    harness.create(generateRequest=REQUEST)
    jobs.run_next(replace(harness.context, model=Writer))
    (row,) = rows()
    assert row.sources == []
    assert row.score is not None
    assert set(row.score["parts"]) == set(ScorePart)
    assert row.score["parts"]["substance"] is None

    monkeypatch.setattr("app.commands.output.bind_existing", lambda settings: None)
    shown = CliRunner().invoke(main, ["evidence", row.post_id])
    assert shown.exit_code == 0, shown.output
    assert f"{row.post_id}: score {row.score['total']} of 100 (mechanics " in shown.stderr
    assert "substance not examined, grounding not examined)" in shown.stderr


def test_nothing_is_kept_of_a_post_that_failed(feed: Feed, pages: list[str]) -> None:
    harness = ServiceHarness()
    harness.create(generateRequest=VERIFIED)
    model = Reporter(says="In 1871 the mayor paid 4,812 crowns.", part=DESCRIPTION)
    jobs.run_next(writing(harness.context, model, *pages))
    with reading() as session:
        assert session.scalar(select(func.count()).select_from(models.Evidence)) == 0


def test_a_post_whose_time_its_sources_take_is_out_of_time(feed: Feed, site: SourceSite) -> None:
    slow = site.script("/a", lambda handler, stop: stop.wait(60))
    research = Research([ListedPages([slow])], HttpPageReader(allow_private=True))
    hasty = WritingOptions(1.0, by_section, research=lambda: research)
    with pytest.raises(GenerationTimeout):
        written(Writer(), hasty)
