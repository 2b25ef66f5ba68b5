"""The source pages of the demo: read, accepted, and given to the local model."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest
from bs4 import BeautifulSoup
from pydantic import SecretStr

from app.adapters.local_model import CONTEXT_TOKENS
from app.adapters.pages import HttpPageReader
from app.adapters.rss_sources import RssSources
from app.core.schemas.request import GenerateRequest, parse
from app.services.sources import Research, gather
from app.settings import Settings
from app.sources.prompt import quoted, within
from tests.support.integration import BEGIN, SQLITE, Feed
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


@SQLITE
@pytest.mark.parametrize("keyword", [COFFEE, BEDS])
def test_the_local_model_gets_both_pages_whole(feed: Feed, feed_url: str, keyword: str) -> None:
    statements = [statement for page in of(keyword) for statement in page.statements]
    assert 25 <= len(statements) <= 40
    reader = HttpPageReader(allow_private=True)
    research = Research([RssSources([feed_url], reader)], reader)
    request = parse(GenerateRequest, {"keywords": [keyword]})
    found = gather(research, request, BEGIN, current_event=False)
    shown = quoted(within(found.sources, TOKENS))
    assert [text for text in statements if text not in shown] == []


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
