"""The editorial bench: its requests, the page for marking, and the Markdown page of a run."""

import re
from datetime import UTC, datetime
from typing import Any

import pytest

from app.core.text import word_count
from bench.editorial_page import page
from bench.editorial_requests import EditorialRequest, load_requests
from bench.editorial_summary import groups, summary

REQUESTS = {request.name: request for request in load_requests()}
NOW = datetime(2026, 11, 23, tzinfo=UTC)
RUN = {
    "id": "0a1b2c3d", "started": "2026-11-23 00:00 UTC", "processors": 2, "model": "large-model-9",
    "editor": None, "writing": "whole", "temperature": 0.7, "seed": 1, "qualityVersion": "9.9.9",
}  # fmt: skip


@pytest.fixture(params=REQUESTS.values(), ids=REQUESTS.keys())
def request_of_the_bench(request: pytest.FixtureRequest) -> EditorialRequest:
    return request.param


def result(number: int, **changes: Any) -> dict[str, Any]:
    """An accepted post of 500 words."""
    request = list(REQUESTS.values())[number]
    return {
        "id": f"post{number}", "request": request.name, "kind": request.kind,
        "heldOut": request.held_out, "language": request.request.language, "sources": True,
        "result": "accepted", "title": f"Title {number}", "description": "What it says.",
        "markdown": "## One\n\nText.\n", "html": "<h2>One</h2><p>Text.</p>", "words": 500,
        "score": 97, "findings": [], "revisions": 1, "calls": 3, "promptTokens": 2000,
        "completionTokens": 1000, "seconds": 61.0, **changes,
    }  # fmt: skip


def rejected(number: int) -> dict[str, Any]:
    finding = {"check": "links", "section": "sections[1]", "reason": "Has a link."}
    return result(
        number, result="rejected", problem="It still fails.", sources=False, score=40,
        findings=[{"severity": "blocker", **finding}],
    )  # fmt: skip


def test_there_are_twenty_requests_and_half_of_them_are_held_out() -> None:
    assert len(REQUESTS) == 20
    assert sum(request.held_out for request in REQUESTS.values()) == 10


def test_the_requests_cover_the_kinds_and_languages() -> None:
    kinds = {kind for request in REQUESTS.values() for kind in request.kind.split(", ")}
    assert kinds >= {
        "law", "health", "money", "travel", "cooking", "software", "parenting", "how-to",
        "comparison", "list",
    }  # fmt: skip
    languages = [request.request.language for request in REQUESTS.values()]
    assert languages.count("de") == 2
    assert languages.count("es") == 1


def test_a_request_is_valid_and_of_middle_length(request_of_the_bench: EditorialRequest) -> None:
    limits = request_of_the_bench.request.constraints
    assert limits.min_words is not None
    assert limits.max_words is not None
    assert 250 <= limits.min_words < limits.max_words <= 900


def test_the_notes_come_from_two_sites_or_more(
    request_of_the_bench: EditorialRequest,
) -> None:
    notes = request_of_the_bench.notes
    assert len({each.site for each in notes}) >= 2
    for each in notes:
        assert re.match(rf"https://(?:[\w-]+\.)*{re.escape(each.site)}/", each.url)
    count = sum(word_count(line) for each in notes for line in each.lines)
    assert 400 <= count <= 1_000


def test_no_check_refuses_a_sentence_of_the_notes(request_of_the_bench: EditorialRequest) -> None:
    for each in request_of_the_bench.grounding(NOW)._passages._sentences:
        assert not each.is_refused, each.extract.text


def test_the_page_shows_no_result_before_the_reader_asks() -> None:
    posts = [result(0), rejected(1)]
    text = page({"run": RUN, "posts": posts}, REQUESTS)
    for hidden in ("large-model-9", "9.9.9", "rejected", "It still fails", "Has a link"):
        assert hidden not in text
    visible = re.sub(r'<script type="text/plain".*?</script>', "", text, flags=re.DOTALL)
    assert not re.search(r"\b(?:97|2000|61)\b", visible)
    assert "Title 0" in text
    assert "Title 1" in text


def test_the_page_loads_nothing() -> None:
    text = page({"run": RUN, "posts": [result(0)]}, REQUESTS)
    assert "default-src 'none'" in text
    assert not re.search(r"<(?:script|img|iframe)[^>]+src=|<link|@import|url\(", text)


def test_the_order_is_the_same_each_time_the_page_is_written_and_is_not_that_of_the_run() -> None:
    posts = [result(number) for number in range(20)]
    first, second = (
        re.findall(r'<section id="post-(post\d+)"', page({"run": RUN, "posts": each}, REQUESTS))
        for each in (posts, posts[::-1])
    )
    assert first == second
    assert sorted(first) == sorted(post["id"] for post in posts)
    assert first not in ([post["id"] for post in posts], [post["id"] for post in posts[::-1]])


def test_titles_and_descriptions_of_posts_are_text_on_the_page() -> None:
    text = page({"run": RUN, "posts": [result(0, title="<script>x</script>")]}, REQUESTS)
    assert "&lt;script&gt;x" in text
    assert "<script>x" not in text


def test_posts_that_failed_count_as_cost_of_the_accepted_words() -> None:
    everything, *_ = groups([result(0), rejected(1)])
    assert everything.cells() == ["all", "1 of 2", "97.0", "0.0", "3.0", "8.00", "4.00", "61.0"]


def test_a_group_is_listed_if_it_is_not_the_whole() -> None:
    assert [group.name for group in groups([result(0), rejected(0)])] == [
        "all", "with sources", "without sources",
    ]  # fmt: skip


def test_the_summary_has_the_marks_and_the_whole_posts() -> None:
    marks = {
        "post0": {"mark": 8, "changes": [], "blind": True},
        "post1": {"mark": 2, "changes": ["The second | step"], "blind": False},
    }
    text = summary({"run": RUN, "posts": [result(0), rejected(1)]}, marks)
    assert "2 of 2 posts have a mark" in text
    assert "1 of them given before the results were shown." in text
    assert "| all | 1 of 2 | 97.0 | 0.0 | 3.0 | 8.00 | 4.00 | 61.0 | 5.0 |" in text
    assert "Correlation of score and mark over 2 posts: 1.00." in text
    assert "- The second | step" in text
    assert "- blocker `links` in `sections[1]`: Has a link." in text
    assert text.count("\n> ## One\n>\n> Text.\n") == 2


def test_a_summary_without_marks_says_so() -> None:
    text = summary({"run": RUN, "posts": [result(0)]}, {})
    assert "Nobody has marked these posts." in text
    assert "Correlation" not in text
