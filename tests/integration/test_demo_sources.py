"""The source pages of the demo: read, accepted, and given to the local model."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
from bs4 import BeautifulSoup
from pydantic import SecretStr

from app.adapters.local_model import CONTEXT_TOKENS
from app.adapters.pages import HttpPageReader
from app.adapters.rss_sources import RssSources
from app.core.schemas.request import GenerateRequest, parse
from app.deadline import Deadline
from app.ports import Model
from app.services.context import WritingOptions
from app.services.generate import GenerateCommand, generate
from app.services.sources import Research
from app.settings import Settings
from app.writing.completion import Completion, Prompt
from tests.support.integration import SQLITE, Feed
from tests.support.scripted_writer import scripted
from tests.support.service_harness import ServiceHarness
from tools.demo import PAGES, POST, RULE, Tour, served_sources

COFFEE, BEDS = POST[POST.index("--keyword") + 1], RULE[RULE.index("--keyword") + 1]
# What the sources of a prompt may have of the local model's context.
TOKENS = CONTEXT_TOKENS // 2


@dataclass(frozen=True)
class DemoPage:
    name: str
    title: str
    statements: Sequence[str]


def read(file: Path) -> DemoPage:
    page = BeautifulSoup(file.read_text(), "html.parser")
    statements = [each.get_text() for each in page.select("[data-origin]")]
    return DemoPage(file.name, page.select("h1")[0].get_text(), statements)


DEMO_PAGES = [read(file) for file in sorted(PAGES.glob("*.html"))]


@pytest.fixture(scope="module")
def feed_url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with served_sources(tmp_path_factory.mktemp("demo") / "sources") as settings:
        yield settings["COPYDESK_SOURCE_FEEDS"]


def of(keyword: str) -> list[DemoPage]:
    return [page for page in DEMO_PAGES if keyword in page.title.lower()]


def research(feed_url: str) -> Research:
    reader = HttpPageReader(allow_private=True)
    return Research([RssSources([feed_url], reader)], reader)


@SQLITE
@pytest.mark.parametrize("keyword", [COFFEE, BEDS])
def test_the_local_model_gets_both_pages_whole(feed: Feed, feed_url: str, keyword: str) -> None:
    statements = [statement for page in of(keyword) for statement in page.statements]
    assert 25 <= len(statements) <= 40
    harness, prompts = ServiceHarness(), list[Prompt]()

    class Recorded(Model):
        name = "recorded"

        def complete(self, prompt: Prompt, deadline: Deadline) -> Completion:
            prompts.append(prompt)
            return scripted(prompt)

        def ping(self) -> None:
            """Always there."""

    options = WritingOptions(
        60.0, is_local=True, source_tokens=lambda: TOKENS, research=research(feed_url)
    )
    context = replace(harness.context, model=Recorded(), options=options)
    request = parse(GenerateRequest, {"keywords": [keyword], "constraints": {"maxWords": 400}})
    generate(context, GenerateCommand(harness.caller, request, "req_demo", None))
    assert [text for text in statements if text not in prompts[0].user] == []


def test_the_demo_takes_the_model_of_the_settings_and_nothing_else(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("COPYDESK_WORKERS", "3")
    monkeypatch.setenv("OPENAI_API_KEY_FILE", "/missing")
    of_file = {"openai_base_url": "http://127.0.0.1:9/v1", "openai_api_key": "k", "drafts": 1}
    tour = Tour(Settings.from_env({}, of_file))
    of_demo = Settings.from_env(tour.env)
    expected = {"openai_base_url": "http://127.0.0.1:9/v1", "openai_api_key": SecretStr("k")}
    assert of_demo == of_demo.model_copy(update={**expected, "workers": 2, "drafts": 2})
