"""Which pages may stand behind a post."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from app.rules.identify import page_language
from app.sources.selection import (
    MAX_SOURCES,
    Demand,
    objection,
    relevance,
    selected,
    shortfall,
    shortlist,
)
from app.sources.source import Source, canonical, shown
from tests.support.source_site import BRIDGE, RIVER

NOW = datetime(2026, 1, 31, 12, tzinfo=UTC)
EVENT = Demand(("harbour bridge", "Brackwater council"), "en", fresh_for=timedelta(hours=72))
VERIFIED = replace(EVENT, fresh_for=None)


def source(
    url: str = "https://a.example/1",
    *,
    title: str = "Harbour bridge: council votes",
    text: str = " ".join(BRIDGE),
    site: str = "a.example",
    language: str = "en",
    hours_old: float | None = 10,
    main_share: float = 0.8,
) -> Source:
    published = None if hours_old is None else NOW - timedelta(hours=hours_old)
    return Source(url, site, title, text, language, published, NOW, main_share=main_share)


@pytest.mark.parametrize(
    ("hours_old", "said"),
    [
        (0, None),
        (72, None),
        (-20, None),
        (72.1, "more than 72 hours ago"),
        (24 * 365, "was published on 2025-01-31"),
        (-25, "from the future"),
        (None, "does not say when"),
    ],
)
def test_a_current_event_needs_fresh_pages(hours_old: float | None, said: str | None) -> None:
    """ "freshness window (default 72 h for current events, none for verified mode; a page without a
    date is not fresh)"."""
    page = source(hours_old=hours_old)
    reason = objection(page, EVENT, NOW)
    assert reason is None if said is None else said in (reason or "")
    assert objection(page, VERIFIED, NOW) is None


def test_boundaries_of_length_and_navigation() -> None:
    """ "quality (at least 150 words, language as asked, boilerplate share)"."""
    words = " ".join(BRIDGE).split()
    assert "fewer than 150" in (objection(source(text=" ".join(words[:149])), VERIFIED, NOW) or "")
    assert objection(source(text=" ".join(words[:150])), VERIFIED, NOW) is None
    assert "navigation" in (objection(source(main_share=0.14), VERIFIED, NOW) or "")


def test_relevance_is_what_its_formula_says() -> None:
    text = "The bridges of harbours are old. " + "Nothing else. " * 100
    # Both words of the primary keyword stand in the lead, three of four words in the whole.
    assert relevance("", text + "Council", EVENT.keywords, "en") == pytest.approx(0.5 + 0.5 * 0.75)
    assert relevance("", "", EVENT.keywords, "en") == 0.0
    assert relevance("Harbour bridge", "", ["harbour bridge"], "en") == 1.0
    # Only far down: half.
    assert relevance("", "Nothing else. " * 100 + "harbour bridge", ["harbour bridge"], "en") == 0.5
    assert relevance("", "word", ["..."], "en") == 0.0
    assert relevance("橋を再建する", "", ["橋"], "ja") == 1.0


def test_two_independent_sites_are_needed_for_a_current_event_and_one_for_verified_mode() -> None:
    one, same, other = (
        source(),
        source("https://www.a.example/2", text=" ".join(RIVER)),
        source("https://b.example/3", site="b.example", text=" ".join(RIVER)),
    )
    for pages, enough in (([one, same], False), ([one, other], True)):
        chosen, _ = selected(pages, EVENT)
        assert len(chosen) == 2
        assert (shortfall(chosen, EVENT) is None) is enough
    assert shortfall([one], VERIFIED) is None
    assert shortfall([], VERIFIED) == shortfall([], EVENT) == "No usable source was found."


def test_at_most_six_sources_and_first_one_of_each_site() -> None:
    pages = [
        source(
            f"https://{site}.example/{number}",
            site=f"{site}.example",
            text=f"{site} {number} " * 100,
            title="harbour bridge Brackwater council" if site == "a" else "harbour",
        )
        for site in "abcde"
        for number in range(3)
    ]
    chosen, _ = selected(pages, EVENT)
    assert len(chosen) == MAX_SOURCES
    assert {page.site for page in chosen} == {f"{site}.example" for site in "abcde"}
    assert [page.site for page in chosen][:2] == ["a.example", "a.example"]


def test_the_shortlist_takes_turns_and_prefers_other_sites() -> None:
    found = [["a1", "a2", "a3", "b1"], ["c1", "a1"], []]
    assert shortlist(found, lambda url: url[0], 4) == ["a1", "c1", "a2", "b1"]
    assert shortlist(found, lambda url: url[0], 9) == ["a1", "c1", "a2", "b1", "a3"]


def test_languages_that_cannot_be_told_are_believed() -> None:
    german = "Die Wärmepumpe heizt das Haus auch im Winter, wenn die Heizkörper groß sind. " * 4
    assert page_language(german, "en") == page_language(german, "") == "de"
    assert page_language(german, "la") == "la"
    finnish = "Kaupunginvaltuusto päätti tiistaina rakentaa vanhan sillan uudelleen. " * 5
    assert page_language(finnish, "fi-FI") == page_language(finnish, "en") == "fi"
    assert page_language("Gbogbo ènìyàn ni a bí ní òmìnira. " * 5, "yo-NG") == "yo"
    norwegian = "Bystyret vedtok tirsdag å bygge den gamle broen i havnen på nytt. " * 5
    assert {page_language(norwegian, each) for each in ("nb-NO", "no", "da")} == {"nb", "no", "da"}
    assert page_language("", "") == ""


def test_urls_that_differ_in_what_follows_visitors_are_one_page() -> None:
    url = "https://News.example.com/a?b=1&utm_source=x&c=%20#part"
    assert canonical(url) == "https://news.example.com/a?b=1&c=+"
    assert canonical("https://a.example/?x=%2F;y") == "https://a.example/?x=%2F;y"
    assert shown("https://user:s3cret@a.example/b?key=s3cret#s3cret") == "https://a.example/b"
