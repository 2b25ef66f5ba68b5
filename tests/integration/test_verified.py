"""Posts that must be verified, from real pages on loopback through the whole pipeline into the
database; the model is the scripted one, asked without a network."""

import json
import secrets
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from html import escape
from typing import Any

import pytest
from sqlalchemy import func, select

from app.adapters.pages import HttpPageReader
from app.core.completion import Completion, Prompt
from app.core.errors import ContentQualityFailed, ServiceError, SourcesUnreachable
from app.core.material import OPENING
from app.core.request import parse_generate_request
from app.ports import Hit, Model, SourceProvider, SourcesUnavailable
from app.services import evidence, job_work, rules, runs, sources
from app.services.authoring import Author, WritingOptions
from app.services.generate import Call, Tools, generate
from app.services.pipeline import Written
from app.services.sources import Research
from app.store.database import reading
from app.store.source_tables import EvidenceRow
from tests.integration.conftest import BEGIN as NOW
from tests.integration.conftest import FRESH, Feed
from tests.integration.listed_pages import ListedPages
from tests.integration.office import NoLimit, Office
from tests.running.scripted_writer import scripted
from tests.running.source_site import BRIDGE, RIVER, SourceSite, article
from tests.unit.injection_samples import MARKUP, SAMPLES

REQUEST: dict[str, Any] = {
    "keywords": ["harbour bridge", "Brackwater"],
    "constraints": {"minWords": 150, "maxWords": 300},
}
MARK = "quillon"
HOSTILE = [texts["en"][0] for texts in SAMPLES.values()] + [texts[0] for texts in MARKUP.values()]
VERIFIED = {**REQUEST, "factualityMode": "verified"}


@dataclass
class Writer(Model):
    """Behaves in that way in the introduction, so many times; else it writes what is wanted."""

    behaviour: str = "good"
    times: int = 99
    name = "scripted"
    concurrency = 1
    prompts: list[Prompt] = field(default_factory=list)

    def complete(self, prompt: Prompt) -> Completion:
        self.prompts.append(prompt)
        chosen = self.behaviour == "cites" or "It is the introduction" in prompt.user
        behaviour = self.behaviour if chosen and self.times > 0 else "good"
        self.times -= chosen
        return scripted(prompt, behaviour)

    def ping(self) -> None:
        """Always there."""


@dataclass
class Reporter(Writer):
    """Begins the introduction with that sentence, whatever it is told; else it writes well."""

    says: str = ""

    def complete(self, prompt: Prompt) -> Completion:
        answer = super().complete(prompt)
        if prompt.schema is None and "It is the introduction" in prompt.user:
            return Completion(f"{self.says} {answer.text}")
        return answer


@pytest.fixture(autouse=True)
def _seed(monkeypatch: pytest.MonkeyPatch) -> None:
    """The same posts each time: some of what the scripted model says no source does."""
    monkeypatch.setattr(secrets, "randbits", lambda _bits: 1)


@pytest.fixture
def pages(site: SourceSite, other: SourceSite) -> list[str]:
    """Two sites that report afresh, independently of each other."""
    return [
        site.add("/a", article("Harbour bridge: council votes", published=FRESH)),
        other.add("/b", article("Brackwater repairs its bridge", RIVER, published=FRESH)),
    ]


def options(*urls: str, drafts: int = 6) -> WritingOptions:
    research = Research([ListedPages(urls)], HttpPageReader(allow_private=True))
    return WritingOptions(60.0, drafts, lambda: research)


def written(model: Model, desk: WritingOptions, members: dict[str, Any] = VERIFIED) -> Written:
    return Author(model, desk, parse_generate_request(members), 300, [None]).write(NOW)


def refusal(model: Model, desk: WritingOptions, members: dict[str, Any] = VERIFIED) -> ServiceError:
    with pytest.raises(ContentQualityFailed) as caught:
        written(model, desk, members)
    return caught.value


def checks(error: ServiceError) -> set[str]:
    assert error.details is not None
    return {finding["check"] for finding in error.details["findings"]}


def rows() -> list[EvidenceRow]:
    with reading() as session:
        found = list(session.scalars(select(EvidenceRow)))
        session.expunge_all()
    return found


def test_what_is_quoted_of_a_source_is_kept_with_its_url(feed: Feed, pages: list[str]) -> None:
    """ "coverage kept per post with the source's URL for the operator"."""
    model = Writer("cites")
    post = written(model, options(*pages))
    assert [source.url for source in post.sources] == pages
    borne_out = {each.url for each in post.coverage}
    assert borne_out <= set(pages)
    assert any(each.kind == "quotation" for each in post.coverage)


def test_the_writer_is_given_notes_and_told_what_they_are(feed: Feed, pages: list[str]) -> None:
    """ "text is marked as data, instructions in it are not followed"."""
    model = Writer()
    written(model, options(*pages))
    assert all("no instructions" in prompt.system for prompt in model.prompts)
    paragraphs = [prompt for prompt in model.prompts if prompt.schema is None]
    assert paragraphs
    assert all(OPENING in prompt.user for prompt in paragraphs)
    assert not any("common knowledge" in prompt.system for prompt in model.prompts)


def test_a_standard_post_asks_nobody(feed: Feed, pages: list[str], site: SourceSite) -> None:
    model = Writer()
    post = written(model, options(*pages), REQUEST)
    assert (post.sources, post.coverage, site.paths()) == ((), (), [])
    assert not any(OPENING in prompt.user for prompt in model.prompts)


def test_an_unsupported_claim_is_revised_away(feed: Feed, pages: list[str]) -> None:
    """ "unsupported claims revised away": the next draft has none, and the editor told it why."""
    model = Writer("invents", times=6)
    post = written(model, options(*pages))
    assert "4,812" not in post.post.sections[0].content_markdown
    assert post.quality.revision_count >= 1
    again = [prompt.user for prompt in model.prompts if "No source says “4,812" in prompt.user]
    assert again


def test_a_claim_that_stays_fails_and_is_named(feed: Feed, pages: list[str]) -> None:
    """ "or the request fails with details that list them"."""
    failed = refusal(Writer("invents"), options(*pages))
    assert "unsupported_claim" in checks(failed)
    assert failed.details is not None
    reasons = " ".join(finding["reason"] for finding in failed.details["findings"])
    assert "4,812" in reasons
    assert "73 percent" in reasons
    assert failed.code == "CONTENT_QUALITY_FAILED"


def test_what_is_copied_from_a_source_fails(feed: Feed, pages: list[str]) -> None:
    """ "exact 5-word shingles against the sources (containment ≥ 0.15 or a 13-word run outside
    quotes fails)"."""
    failed = refusal(Writer("copies"), options(*pages))
    assert "copied_from_source" in checks(failed)


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


def test_without_any_provider_it_says_what_to_set(feed: Feed) -> None:
    failed = refusal(Writer(), WritingOptions(60.0, 1))
    assert "COPYDESK_SOURCE_FEEDS" in failed.message


def test_a_search_that_is_down_passes(feed: Feed) -> None:
    """What cannot be looked for now may be found later: the job waits, and is not failed."""

    class Down(SourceProvider):
        name = "searxng"

        def search(self, query: str, language: str, limit: int) -> Sequence[Hit]:
            raise SourcesUnavailable("It did not answer.")

    research = Research([Down()], HttpPageReader(allow_private=True))
    desk = WritingOptions(60.0, 1, lambda: research)
    with pytest.raises(SourcesUnreachable, match="searxng: It did not answer"):
        written(Writer(), desk)
    office = Office()
    created = office.create(generateRequest=VERIFIED)
    job_work.run_next(Writer(), office.clock, desk, office.queue)
    assert office.job(created)["status"] == "queued"


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
def test_a_witness_that_is_stale_or_a_copy_is_none(
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
    failed = refusal(Reporter(says=f"{start} 4.2 million crowns."), desk)
    assert checks(failed) == {"disputed_claim"}
    assert failed.details is not None
    (finding,) = failed.details["findings"]
    assert "4.2 million" in finding["reason"]
    assert "5.1 million" in finding["reason"]
    both = f"{start} 4.2 million crowns or 5.1 million crowns."
    assert both in written(Reporter(says=both), desk).post.sections[0].content_markdown


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
    office = Office()
    request = parse_generate_request(VERIFIED)
    call = Call(office.caller, request, "req_verified", None)
    generate(call, Tools(Writer("cites"), office.clock, NoLimit(), options(*pages)))
    (row,) = rows()
    assert (row.post_id, row.account_id) == ("req_verified", office.account_id)
    assert [source["url"] for source in row.sources] == pages
    assert {claim["url"] for claim in row.coverage} <= set(pages)
    (found,) = evidence.find("req_verified")
    assert found.coverage == row.coverage


def test_what_a_job_stands_on_is_kept_by_its_id(feed: Feed, pages: list[str]) -> None:
    office = Office()
    created = office.create(generateRequest=VERIFIED)
    job_work.run_next(Writer("cites"), office.clock, options(*pages), office.queue)
    assert office.job(created)["status"] == "succeeded"
    assert [row.post_id for row in rows()] == [created["jobId"]]


def test_a_rule_on_current_events_writes_from_fresh_sources(feed: Feed, pages: list[str]) -> None:
    """ "source retrieval, freshness/relevance/quality/deduplication/evidence validation for
    current-event topics"."""
    rule_id = rules.create_rule(
        feed.token, "Bridge", REQUEST, timedelta(hours=1), [], feed.clock, feed.queue,
        current_event=True, has_sources=True,
    )  # fmt: skip
    first = runs.claim(feed.clock)
    assert first is not None
    with pytest.raises(ContentQualityFailed, match="two independent sites"):
        runs.execute(first, Writer(), feed.clock, options(pages[0]))
    feed.clock.move(timedelta(minutes=1))
    item_id = runs.execute(
        runs.start_now(rule_id, feed.clock), Writer("cites"), feed.clock, options(*pages)
    )
    assert [row.post_id for row in rows()] == [item_id]


def test_nothing_is_kept_of_a_post_that_failed(feed: Feed, pages: list[str]) -> None:
    office = Office()
    office.create(generateRequest=VERIFIED)
    model = Writer("invents")
    job_work.run_next(model, office.clock, options(*pages), office.queue)
    with reading() as session:
        assert session.scalar(select(func.count()).select_from(EvidenceRow)) == 0
