"""POST /v1/generate over real HTTP. Each test quotes the clause that it proves."""

import json
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
import requests
from bs4 import BeautifulSoup

from tests.running.customers import Customer, new_customer
from tests.running.process_group import ProcessGroup
from tests.running.service import MODEL_KEY, CopydeskService, ScriptedModel
from tests.running.starting import free_port

BODY = {"keywords": ["cold brew ratio", "coffee grind size"], "constraints": {"maxWords": 600}}


@pytest.fixture(scope="module")
def answer(service: CopydeskService) -> requests.Response:
    """One answer that many clauses are read off."""
    body = {
        **BODY,
        "tone": "friendly",
        "language": "en",
        "constraints": {"maxWords": 900, "minWords": 400, "includeFAQs": True, "maxSections": 3},
    }
    return new_customer(service).generate(**body)


def test_answer_has_its_members(answer: requests.Response) -> None:
    """ "200 response: requestId (string), post (SEOPost), rendered, debug (optional), quality." """
    assert answer.status_code == 200, answer.text
    body = answer.json()
    assert set(body) == {"requestId", "post", "rendered", "quality"}
    assert isinstance(body["requestId"], str)
    assert answer.headers["X-Request-ID"] == body["requestId"]


def test_post_has_every_field(answer: requests.Response) -> None:
    """ "SEOPost (named SEOPostV1)": all its fields, with their types."""
    post = answer.json()["post"]
    assert set(post) == {
        "title", "slugSuggestion", "meta", "outline", "sections", "faqs", "conclusion",
        "coverageNotes",
    }  # fmt: skip
    assert set(post["meta"]) == {"description", "primaryKeyword"}
    assert post["meta"]["primaryKeyword"] == "cold brew ratio"
    assert post["outline"]["h1"] == post["title"]
    headings = [section["heading"] for section in post["sections"] if "heading" in section]
    assert post["outline"]["h2"] == headings
    assert all(set(faq) == {"question", "answer"} for faq in post["faqs"])
    assert len(post["faqs"]) == 3


def test_sections_are_of_the_known_types(answer: requests.Response) -> None:
    """ "Present on body and faq sections; absent on introduction, callout and conclusion." """
    sections = answer.json()["post"]["sections"]
    for section in sections:
        assert section["type"] in {"introduction", "body", "callout", "faq", "conclusion"}
        assert ("heading" in section) == (section["type"] in {"body", "faq"})
        # "object {label: string, text: string}; Only on type callout."
        assert ("callout" in section) == (section["type"] == "callout")
        # "empty string on a faq section (the entries are in faqs)"
        if section["type"] == "faq":
            assert section["contentMarkdown"] == ""
    assert sections[0]["type"] == "introduction"
    assert sections[-1]["type"] == "conclusion"
    assert sum(section["type"] == "body" for section in sections) <= 3


def test_every_keyword_is_covered(answer: requests.Response) -> None:
    """ "coverageNotes.keywordCoverage: array of {keyword, covered, evidence}" """
    notes = answer.json()["post"]["coverageNotes"]["keywordCoverage"]
    assert [note["keyword"] for note in notes] == BODY["keywords"]
    text = json.dumps(answer.json()["post"], ensure_ascii=False)
    for note in notes:
        assert note["covered"] is True
        assert note["keyword"] in note["evidence"].lower()
        assert json.dumps(note["evidence"], ensure_ascii=False)[1:-1] in text


def test_quality_is_public_and_short(answer: requests.Response) -> None:
    """ "The full internal scoring breakdown is intentionally omitted from the public response." """
    quality = answer.json()["quality"]
    assert set(quality) == {"status", "score", "revisionCount", "qualityVersion"}
    assert quality["status"] == "pass"
    assert 0 <= quality["score"] <= 100
    assert 0 <= quality["revisionCount"] <= 2
    assert len(quality["qualityVersion"].split(".")) == 3


def test_the_structured_post_is_link_free(answer: requests.Response) -> None:
    """ "the generator never writes links itself" """
    assert "http" not in json.dumps(answer.json()["post"])
    assert not BeautifulSoup(answer.json()["rendered"]["html"], "html.parser").find_all("a")


@pytest.mark.parametrize(
    ("wanted", "entries"),
    [
        (["json", "markdown"], {"markdown"}),
        (["html"], {"html"}),
        (["markdown", "html"], {"markdown", "html"}),
        (["json"], {"rawJson"}),
        ([], {"markdown", "html"}),
    ],
)
def test_rendered_has_what_was_asked_for(
    customer: Customer, wanted: list[str], entries: set[str]
) -> None:
    """ "When json and markdown are requested, the responses show only rendered.markdown; post is
    always present as structured JSON." """
    body = customer.generate(**BODY, format={"responseTypes": wanted}).json()
    assert set(body["rendered"]) == entries
    assert body["post"]["title"]
    if "rawJson" in entries:
        assert json.loads(body["rendered"]["rawJson"]) == body["post"]


def test_usage_counts_what_was_delivered(customer: Customer) -> None:
    """ "After a generation, consumed.words, consumed.posts, consumed.requests increase and
    remaining.words decreases by the words consumed." """
    before = customer.usage()
    assert customer.generate(**BODY).status_code == 200
    after = customer.usage()
    gained = {
        name: after["consumed"][name] - before["consumed"][name] for name in after["consumed"]
    }
    words = gained["words"]
    assert words > 200
    assert gained == {"words": words, "posts": 1, "requests": 1}
    assert after["remaining"]["words"] == before["remaining"]["words"] - words
    assert after["daily"]["used"] == before["daily"]["used"] + 1
    assert after["daily"]["remaining"] == before["daily"]["remaining"] - 1


def test_max_words_above_the_plan_is_refused(customer: Customer) -> None:
    """ "constraints.maxWords above it is a VALIDATION_ERROR with details field, maxAllowed,
    received." """
    answer = customer.generate(keywords=["tea"], constraints={"maxWords": 3001})
    assert answer.status_code == 400
    error = answer.json()["error"]
    assert error["code"] == "VALIDATION_ERROR"
    assert error["details"] == {
        "field": "constraints.maxWords",
        "maxAllowed": 3000,
        "received": 3001,
    }


WRONG_BODIES = [
    ({}, "keywords", "is required"),
    ({"keywords": []}, "keywords", "at least 1"),
    ({"keywords": [""]}, "keywords[0]", "must not be empty"),
    ({"keywords": "tea"}, "keywords", "must be an array"),
    ({"keywords": ["tea"], "tone": "angry"}, "tone", "professional, friendly, bold"),
    (
        {"keywords": ["tea"], "constraints": {"minWords": 900, "maxWords": 300}},
        "constraints.minWords",
        "must not be above maxWords, which is 300",
    ),
    ({"keywords": ["tea"], "factualityMode": "lax"}, "factualityMode", "standard, verified"),
    ({"keywords": ["tea"], "targetUrl": "example"}, "targetUrl", "http"),
    ({"keywords": ["tea\u0000"]}, "keywords[0]", "control characters"),
]


@pytest.mark.parametrize(("body", "field", "sentence"), WRONG_BODIES)
def test_a_wrong_body_is_one_clear_error(
    customer: Customer, model: ScriptedModel, body: dict[str, object], field: str, sentence: str
) -> None:
    """ "VALIDATION_ERROR | Invalid input" and "Error body shape: error object with code (string),
    message (string), and optional details (object)." """
    before, calls = customer.usage(), model.calls()
    answer = customer.generate(**body)
    assert answer.status_code == 400
    error = answer.json()["error"]
    assert error["code"] == "VALIDATION_ERROR"
    assert error["details"]["field"] == field
    assert sentence in error["message"]
    assert customer.usage() == before, "nothing is billed"
    assert model.calls() == calls, "the model is not asked"


@pytest.mark.parametrize(
    ("data", "content_type", "status", "code"),
    [
        (b"{not json", "application/json", 400, "VALIDATION_ERROR"),
        (b"\xff\xfe", "application/json", 400, "VALIDATION_ERROR"),
        (b"[]", "application/json", 400, "VALIDATION_ERROR"),
        (b"", "application/json", 400, "VALIDATION_ERROR"),
        (b'{"keywords": [NaN]}', "application/json", 400, "VALIDATION_ERROR"),
        (b"[" * 60_000, "application/json", 400, "VALIDATION_ERROR"),
        (b'{"keywords": ["tea"]}', "text/plain", 415, "UNSUPPORTED_MEDIA_TYPE"),
        (
            b'{"keywords": ["' + b"x" * 70_000 + b'"]}',
            "application/json",
            413,
            "PAYLOAD_TOO_LARGE",
        ),
    ],
    ids=["broken", "encoding", "array", "empty", "nan", "nested", "type", "large"],
)
def test_what_is_no_body_is_one_clear_error(
    customer: Customer, data: bytes, content_type: str, status: int, code: str
) -> None:
    before = customer.usage()
    answer = customer.call(
        "POST", "/v1/generate", data=data, headers={"Content-Type": content_type}
    )
    assert (answer.status_code, answer.json()["error"]["code"]) == (status, code)
    assert answer.json()["error"]["message"].endswith(".")
    assert customer.usage() == before


@pytest.mark.parametrize(
    "header",
    [None, "Bearer", "Basic abc", "Bearer cd_live_wrong", "Bearer cd_live_" + "0" * 38],
)
def test_a_wrong_key_is_refused(service: CopydeskService, header: str | None) -> None:
    """ "Header Authorization: Bearer <API_KEY>; required." """
    headers = {} if header is None else {"Authorization": header}
    for method, path in (("POST", "/v1/generate"), ("GET", "/v1/usage")):
        answer = requests.request(
            method, service.url + path, headers=headers, json=BODY, timeout=30
        )
        assert answer.status_code == 401
        assert answer.json()["error"]["code"] == "UNAUTHORIZED"
        assert answer.headers["WWW-Authenticate"].startswith("Bearer")
        assert "cd_live_" not in answer.text


def test_a_revoked_key_is_refused(service: CopydeskService) -> None:
    customer = new_customer(service)
    key_id = customer.service.cli("key", "list", customer.account_id)[0]["keyId"]
    customer.service.cli("key", "revoke", key_id)
    answer = customer.generate(**BODY)
    assert (answer.status_code, answer.json()["error"]["code"]) == (403, "FORBIDDEN")


def test_unknown_paths_and_methods_have_the_error_body(service: CopydeskService) -> None:
    for method, path, status, code in (
        ("GET", "/v1/nothing", 404, "NOT_FOUND"),
        ("GET", "/v1/generate", 405, "METHOD_NOT_ALLOWED"),
        ("DELETE", "/v1/usage", 405, "METHOD_NOT_ALLOWED"),
    ):
        answer = requests.request(method, service.url + path, timeout=30)
        assert (answer.status_code, answer.json()["error"]["code"]) == (status, code)
        assert answer.headers["X-Request-ID"]


@pytest.mark.parametrize(
    ("behaviour", "status", "code"),
    [
        ("refusal", 422, "PROHIBITED_INPUT"),
        ("content_filter", 422, "PROHIBITED_INPUT"),
        ("refusal_text", 422, "PROHIBITED_INPUT"),
        ("link", 422, "CONTENT_QUALITY_FAILED"),
        ("truncated", 422, "CONTENT_QUALITY_FAILED"),
        ("assistant_talk", 422, "CONTENT_QUALITY_FAILED"),
        ("missing_keyword", 422, "CONTENT_QUALITY_FAILED"),
        ("bad_json", 422, "CONTENT_QUALITY_FAILED"),
        ("error_500", 503, "SERVICE_UNAVAILABLE"),
    ],
)
def test_what_the_model_does_wrong_ends_in_its_error(
    customer: Customer, model: ScriptedModel, behaviour: str, status: int, code: str
) -> None:
    """ "A generation that still fails within the revision limit ends with the error
    CONTENT_QUALITY_FAILED; no substandard content is returned." and "When the generation model
    refuses a request on its own safety grounds, the request ends with PROHIBITED_INPUT; no partial
    or fabricated content is returned." """
    before = customer.usage()
    with behaving(model, behaviour):
        answer = customer.generate(keywords=["tea"], constraints={"maxWords": 200})
    assert (answer.status_code, answer.json()["error"]["code"]) == (status, code), answer.text
    assert set(answer.json()) == {"error"}
    assert customer.usage()["consumed"] == before["consumed"], "failures are not billed"
    assert customer.usage()["remaining"] == before["remaining"]


@pytest.mark.parametrize("defect", ["markdown_link", "placeholder", "repeated_sentence", "html"])
def test_a_defect_that_the_model_mends_is_revised_away(
    customer: Customer, model: ScriptedModel, defect: str
) -> None:
    """ "Every generation is validated by a content quality pipeline and, if needed, automatically
    revised before it is returned." """
    with behaving(model, f"recover:{defect}"):
        answer = customer.generate(keywords=["tea"], constraints={"maxWords": 200})
    assert answer.status_code == 200, answer.text
    assert answer.json()["quality"]["status"] == "pass"
    text = json.dumps(answer.json()["post"])
    assert "](" not in text
    assert "<" not in text
    assert "TODO" not in text


def test_verified_mode_without_sources_is_refused(customer: Customer, model: ScriptedModel) -> None:
    """ "Every generation is validated by a content quality pipeline": what cannot be verified is
    not returned as if it were."""
    before, calls = customer.usage(), model.calls()
    answer = customer.generate(keywords=["tea"], factualityMode="verified")
    assert (answer.status_code, answer.json()["error"]["code"]) == (422, "CONTENT_QUALITY_FAILED")
    assert "needs sources" in answer.json()["error"]["message"]
    assert customer.usage() == before
    assert model.calls() == calls


def test_a_model_out_of_reach_is_said_clearly(group: ProcessGroup) -> None:
    """A model endpoint that is down: a clear error, nothing stored, nothing billed."""
    nowhere = f"http://127.0.0.1:{free_port()}/v1"
    lonely = CopydeskService(group, nowhere, "lonely")
    customer = new_customer(lonely)
    before = customer.usage()
    answer = customer.generate(keywords=["tea"])
    assert (answer.status_code, answer.json()["error"]["code"]) == (503, "SERVICE_UNAVAILABLE")
    assert MODEL_KEY not in answer.text
    assert int(answer.headers["Retry-After"]) > 0
    assert customer.usage()["consumed"] == before["consumed"]
    assert customer.usage()["remaining"] == before["remaining"]
    assert requests.get(f"{lonely.url}/healthz", timeout=10).status_code == 200
    assert requests.get(f"{lonely.url}/readyz", timeout=60).status_code == 503
    assert MODEL_KEY not in lonely.log_text()


@contextmanager
def behaving(model: ScriptedModel, behaviour: str) -> Iterator[None]:
    """The scripted model misbehaves for the length of a block."""
    model.behave(behaviour)
    try:
        yield
    finally:
        model.behave("good")
