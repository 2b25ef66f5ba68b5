"""POST /v1/generate: the answer, and the post in it."""

import json
import re
from typing import Any

import pytest
from bs4 import BeautifulSoup

from copydesk import Generation
from tests.conformance.interface import clause
from tests.support.customers import Customer, new_customer
from tests.support.response_schemas import POST, matches
from tests.support.service import CopydeskService

KEYWORDS = ["cold brew ratio", "coffee grind size"]


@pytest.fixture(scope="module")
def made(service: CopydeskService) -> Generation:
    """One answer that many clauses are read off, as the SDK has it."""
    with new_customer(service).sdk() as sdk:
        return sdk.generate(
            keywords=KEYWORDS,
            tone="friendly",
            language="en",
            max_words=900,
            min_words=700,
            include_faqs=True,
            max_sections=3,
        )


@pytest.fixture(scope="module")
def body(made: Generation) -> Any:
    """The same as it came over the wire."""
    return made.raw


@clause("Synchronous: POST /v1/generate returns the finished post in the response body.")
@clause("200 response: requestId (string), post (SEOPost), rendered, debug (optional), quality.")
@clause("Body: GenerateRequest.")
def test_the_answer_has_its_members(customer: Customer) -> None:
    answer = customer.generate(keywords=KEYWORDS, constraints={"maxWords": 300})
    assert answer.status_code == 200, answer.text
    body = answer.json()
    assert set(body) == {"requestId", "post", "rendered", "quality"}
    assert isinstance(body["requestId"], str)
    assert answer.headers["X-Request-ID"] == body["requestId"]
    assert answer.headers["Content-Type"] == "application/json"


@clause("| title | string |")
@clause("| slugSuggestion | string |")
@clause("| meta.description | string |")
@clause("| meta.primaryKeyword | string |")
@clause("| outline.h1 | string |")
@clause("| outline.h2 | string[] |")
@clause("| sections | Section[] |")
@clause("| faqs | array of {question: string, answer: string} |")
@clause("| conclusion | string |")
@clause("| coverageNotes.keywordCoverage | array of {keyword: string,")
def test_the_post_has_every_field(body: Any) -> None:
    matches(body["post"], POST)


@clause("The service generates SEO-formatted blog posts")
def test_the_post_hangs_together(made: Generation) -> None:
    post = made.post
    assert post.outline.h1 == post.title
    headings = [section.heading for section in post.sections if section.heading is not None]
    assert list(post.outline.h2) == headings
    assert re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", post.slug_suggestion)
    assert post.meta.primary_keyword == KEYWORDS[0]
    assert KEYWORDS[0] in post.meta.description.lower()
    last = post.sections[-1]
    assert (last.type, last.content_markdown) == ("conclusion", post.conclusion)
    assert 700 <= post.word_count <= 900


@clause("covered: boolean, evidence: string")
def test_every_keyword_is_covered_by_words_of_the_post(made: Generation) -> None:
    text = json.dumps(made.raw["post"], ensure_ascii=False)
    notes = made.post.coverage_notes.keyword_coverage
    assert [note.keyword for note in notes] == KEYWORDS
    for note in notes:
        assert note.covered is True
        assert note.keyword in note.evidence.lower()
        assert json.dumps(note.evidence, ensure_ascii=False)[1:-1] in text


@clause(
    "| type | string | Values seen: introduction, body, callout, faq, conclusion. Other"
    " types: not shown."
)
@clause(
    "| heading | string | Present on body and faq sections; absent on introduction,"
    " callout and conclusion."
)
@clause(
    "| contentMarkdown | string | Markdown text; empty string on a faq section (the"
    " entries are in faqs"
)
def test_sections_have_a_known_type_and_what_belongs_to_it(body: Any) -> None:
    sections = body["post"]["sections"]
    types = [section["type"] for section in sections]
    assert set(types) == {"introduction", "body", "callout", "faq", "conclusion"}
    assert (types[0], types[-1]) == ("introduction", "conclusion")
    for section in sections:
        assert ("heading" in section) == (section["type"] in {"body", "faq"})
        assert section.get("heading") != ""
        if section["type"] == "faq":
            assert section["contentMarkdown"] == ""
        elif section["type"] != "callout":
            assert section["contentMarkdown"]
            assert section["contentMarkdown"] in body["rendered"]["markdown"]
    assert len(body["post"]["faqs"]) >= 2
    for faq in body["post"]["faqs"]:
        assert faq["question"] in body["rendered"]["markdown"]


@clause("| callout | object {label: string, text: string} | Only on type callout.")
def test_callouts_have_label_and_text(body: Any) -> None:
    sections = body["post"]["sections"]
    assert [s["type"] == "callout" for s in sections] == ["callout" in s for s in sections]
    callouts = [section["callout"] for section in sections if "callout" in section]
    assert callouts
    for callout in callouts:
        assert set(callout) == {"label", "text"}
        assert callout["text"] in body["rendered"]["markdown"]


@clause("| status | string; pass is seen; other values: not shown")
@clause("| score | number |")
@clause("| revisionCount | integer |")
@clause("| qualityVersion | string (semantic-version style) |")
@clause("The full internal scoring breakdown is intentionally omitted from the public response.")
@clause("quality.qualityVersion carries the version of the quality pipeline.")
@clause("Revision limit count of the quality pipeline: not shown.")
def test_quality_is_public_and_short(body: Any) -> None:
    quality = body["quality"]
    assert set(quality) == {"status", "score", "revisionCount", "qualityVersion"}
    assert quality["status"] == "pass"
    assert isinstance(quality["score"], int | float)
    assert 0 <= quality["score"] <= 100
    assert type(quality["revisionCount"]) is int
    assert 1 <= quality["revisionCount"] <= 2
    assert re.fullmatch(r"\d+\.\d+\.\d+", quality["qualityVersion"])


@clause("Optional block in the generate response.")
@clause("Other fields: not shown.", under="debug")
def test_debug_is_absent_unless_the_operator_wants_it(body: Any, made: Generation) -> None:
    assert "debug" not in body
    assert made.debug is None


@clause("the generator never writes links itself.")
def test_the_post_is_link_free(made: Generation) -> None:
    assert "http" not in json.dumps(made.raw["post"])
    assert made.rendered.html is not None
    page = BeautifulSoup(made.rendered.html, "html.parser")
    assert not page.find_all("a")
    assert page.find("h1") is None, "the page that shows the post has the title"
    headings = [heading.get_text() for heading in page.find_all("h2")]
    assert headings == list(made.post.outline.h2)
