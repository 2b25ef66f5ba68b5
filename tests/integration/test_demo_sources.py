"""The source pages of the demo: read, accepted, found and shown as evidence."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from urllib.parse import urlsplit

import pytest

from app.adapters.pages import HttpPageReader
from app.adapters.rss_sources import RssSources
from app.commands.demo import POST, RULE, Tour
from app.commands.demo_sources import DemoPage, DemoSources, demo_pages, statement_of
from app.core.schemas.request import parse_generate_request
from app.core.verification.retrieval import PassageIndex
from app.writing.completion import Completion, Prompt
from app.core.writing.profile import SMALL
from app.deadline import Deadline
from app.ports import Model
from app.services.context import WritingOptions
from app.services.generate import GenerateCommand, generate
from app.services.sources import Gathered, Research, gather
from app.settings import Settings
from tests.support.integration import SQLITE, Feed
from tests.support.scripted_writer import scripted
from tests.support.service_harness import ServiceHarness

NOW = datetime(2026, 11, 1, tzinfo=UTC)
COFFEE, BEDS = POST[POST.index("--keyword") + 1], RULE[RULE.index("--keyword") + 1]
PAGES = demo_pages()


@pytest.fixture(scope="module")
def served() -> Iterator[DemoSources]:
    sources = DemoSources()
    sources.start()
    yield sources
    sources.stop()


def of(keyword: str) -> list[DemoPage]:
    return [page for page in PAGES if keyword in page.title.lower()]


def research(served: DemoSources) -> Research:
    reader = HttpPageReader(allow_private=True)
    return Research([RssSources([served.settings["COPYDESK_SOURCE_FEEDS"]], reader)], reader)


def found(served: DemoSources, keyword: str) -> Gathered:
    request = parse_generate_request({"keywords": [keyword]})
    return gather(research(served), request, NOW, current_event=False)


class Scripted(Model):
    """The scripted model, whose paraphrases are the notes themselves."""

    name = "scripted"
    concurrency = 1

    def complete(self, prompt: Prompt, deadline: Deadline) -> Completion:
        return scripted(prompt)

    def ping(self) -> None:
        """Always there."""


@pytest.mark.parametrize("keyword", [COFFEE, BEDS])
def test_each_subject_has_two_pages_of_two_sites(
    feed: Feed, served: DemoSources, keyword: str
) -> None:
    gathered = found(served, keyword)
    assert gathered.shortfall is None
    assert {source.url for source in gathered.sources} == {served.url(p) for p in of(keyword)}
    assert {source.site for source in gathered.sources} == {"127.0.0.1", "localhost"}
    refused = {urlsplit(each.url).path for each in gathered.refused}
    assert refused.isdisjoint(page.path for page in of(keyword)), gathered.refused


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.path)
def test_the_page_reader_reads_every_statement_and_no_origin(
    served: DemoSources, page: DemoPage
) -> None:
    read = HttpPageReader(allow_private=True).read(served.url(page), 30)
    assert read.title == page.title
    assert [s.text for s in page.statements if s.text not in read.text] == []
    assert "http" not in read.text
    assert "Extension" not in read.text


@pytest.mark.parametrize("keyword", [COFFEE, BEDS])
def test_every_statement_can_be_given_to_a_writer(
    feed: Feed, served: DemoSources, keyword: str
) -> None:
    index = PassageIndex(found(served, keyword).sources, "en", [keyword])
    statements = [statement.text for page in of(keyword) for statement in page.statements]
    assert 25 <= len(statements) <= 40
    missing = [text for text in statements if text not in {e.text for e in index.search(text)}]
    assert missing == []


@pytest.mark.parametrize("keyword", [COFFEE, BEDS])
def test_enough_statements_are_found_by_the_keyword_for_a_post(
    feed: Feed, served: DemoSources, keyword: str
) -> None:
    index = PassageIndex(found(served, keyword).sources, "en", [keyword])
    assert len(index.overview(keyword, 100)) >= 20


def test_every_statement_names_its_origin() -> None:
    for page in PAGES:
        for statement in page.statements:
            assert statement.origin
            assert urlsplit(statement.origin_url).hostname
            assert f'data-origin="{statement.origin_url}"' in page.html()
            assert statement_of(statement.text) == statement
    assert statement_of("No page says this.") is None


@SQLITE
def test_a_post_is_shown_with_the_sentence_and_the_origin_of_each_claim(
    feed: Feed,
    served: DemoSources,
    migrated_url: str,
    capsys: pytest.CaptureFixture[str],
) -> None:
    harness = ServiceHarness()
    options = WritingOptions(60.0, lambda: SMALL, research=lambda: research(served))
    context = replace(harness.context, model=Scripted, options=options)
    request = parse_generate_request({"keywords": [COFFEE], "constraints": {"maxWords": 400}})
    generate(context, GenerateCommand(harness.caller, request, "req_demo", None))
    tour = Tour(Settings.from_env({}))
    tour.env["COPYDESK_DATABASE_URL"] = migrated_url
    tour.show_evidence("req_demo")
    shown = " ".join(capsys.readouterr().out.split())
    statements = [statement for page in of(COFFEE) for statement in page.statements]
    traced = [
        statement.text
        for statement in statements
        if f"{statement.text} from: {statement.origin} {statement.origin_url}" in shown
    ]
    assert traced
    tour.stop()
