"""What a caller may ask for: every bound at its edge and one past it, and no other way to fail."""

from typing import Any

import pytest

from app.core.errors import ValidationFailed
from app.core.locales import language_name
from app.core.request import (
    FactualityMode,
    GenerateRequest,
    KeywordUsageStrategy,
    ResponseType,
    Tone,
    parse_generate_request,
)

KEYWORDS: dict[str, Any] = {"keywords": ["cold brew"]}


def constraints(**fields: Any) -> dict[str, Any]:
    return KEYWORDS | {"constraints": fields}


def url(length: int) -> str:
    return "https://example.com/".ljust(length, "a")


# DESIGN, bounds: "keywords 1–20 of 1–100 characters; free text ≤ 500; URL ≤ 2,048;
# 50 ≤ minWords ≤ maxWords; maxSections 1–20; unknown fields ignored"; idempotency: "≤ 255".
AT_THE_EDGE = [
    {"keywords": ["x"]},
    {"keywords": [f"keyword {n}" for n in range(20)]},
    {"keywords": ["k" * 100]},
    {"keywords": ["  " + "k" * 100 + "\n"]},
    KEYWORDS | {"topic": "t" * 500},
    KEYWORDS | {"targetAudience": "t" * 500},
    KEYWORDS | {"brandVoice": "t" * 500},
    KEYWORDS | {"industry": "t" * 500},
    KEYWORDS | {"clientProvidedRequestId": "t" * 500},
    KEYWORDS | {"idempotencyKey": "t" * 255},
    KEYWORDS | {"targetUrl": url(2048)},
    KEYWORDS | {"targetUrl": "HTTP://user@example.com:8080/a(b)?c=d&e='f'#g"},
    KEYWORDS | {"language": "pt-BR"},
    KEYWORDS | {"language": "zh-Hans-CN"},
    KEYWORDS | {"region": "us"},
    KEYWORDS | {"format": {"responseTypes": []}},
    KEYWORDS | {"format": {"responseTypes": ["json", "markdown", "html"]}},
    constraints(minWords=50, maxWords=50),
    constraints(minWords=50),
    constraints(maxWords=50),
    constraints(maxWords=800.0),
    constraints(maxSections=1),
    constraints(maxSections=20),
]

ONE_PAST = [
    ({}, "keywords", "is required"),
    ({"keywords": None}, "keywords", "is required"),
    ({"keywords": []}, "keywords", "must have at least 1 entry"),
    (
        {"keywords": [f"keyword {n}" for n in range(21)]},
        "keywords",
        "must have at most 20 entries",
    ),
    ({"keywords": "cold brew"}, "keywords", "must be an array"),
    ({"keywords": {"a": 1}}, "keywords", "must be an array"),
    ({"keywords": ["good", 5]}, "keywords[1]", "must be a string"),
    ({"keywords": ["good", None]}, "keywords[1]", "must be a string"),
    ({"keywords": [""]}, "keywords[0]", "must not be empty"),
    ({"keywords": [" \n"]}, "keywords[0]", "must not be empty"),
    ({"keywords": ["☕"]}, "keywords[0]", "must contain a letter or a digit"),
    ({"keywords": ["a\x00b"]}, "keywords[0]", "must not contain control characters"),
    ({"keywords": ["a\x7fb"]}, "keywords[0]", "must not contain control characters"),
    ({"keywords": ["a\ue000b"]}, "keywords[0]", "must not contain private use characters"),
    ({"keywords": ["a\ud800b"]}, "keywords[0]", "must be valid Unicode text"),
    (
        {"keywords": ["k" * 101]},
        "keywords[0]",
        "must be at most 100 characters long; it is 101",
    ),
    (KEYWORDS | {"topic": "t" * 501}, "topic", "must be at most 500 characters long; it is 501"),
    (KEYWORDS | {"topic": 5}, "topic", "must be a string"),
    (KEYWORDS | {"targetAudience": "t" * 501}, "targetAudience", "must be at most 500"),
    (KEYWORDS | {"brandVoice": "t" * 501}, "brandVoice", "must be at most 500"),
    (KEYWORDS | {"industry": "t" * 501}, "industry", "must be at most 500"),
    (KEYWORDS | {"clientProvidedRequestId": "t" * 501}, "clientProvidedRequestId", "at most 500"),
    (KEYWORDS | {"idempotencyKey": "t" * 256}, "idempotencyKey", "must be at most 255"),
    (KEYWORDS | {"idempotencyKey": " "}, "idempotencyKey", "must not be empty"),
    (KEYWORDS | {"targetUrl": url(2049)}, "targetUrl", "must be at most 2048 characters long"),
    (KEYWORDS | {"targetUrl": "example.com"}, "targetUrl", "must be a complete http or https URL"),
    (
        KEYWORDS | {"targetUrl": "ftp://example.com"},
        "targetUrl",
        "must be a complete http or https",
    ),
    (KEYWORDS | {"targetUrl": "javascript:alert(1)"}, "targetUrl", "must be a complete http"),
    (KEYWORDS | {"targetUrl": "http:example.com"}, "targetUrl", "must be a complete http"),
    (KEYWORDS | {"targetUrl": "https:\\\\example.com"}, "targetUrl", "must be a complete http"),
    (KEYWORDS | {"targetUrl": "https:///path"}, "targetUrl", "must be a complete http"),
    (KEYWORDS | {"targetUrl": "https://example.com/a b"}, "targetUrl", "white space"),
    (KEYWORDS | {"targetUrl": "https://example.com/<b>"}, "targetUrl", "< > percent-encoded"),
    (KEYWORDS | {"language": "english"}, "language", "such as en, de or pt-BR"),
    (KEYWORDS | {"language": "en_US"}, "language", "such as en, de or pt-BR"),
    (KEYWORDS | {"language": "es_419"}, "language", "such as en, de or pt-BR"),
    (KEYWORDS | {"language": "en-"}, "language", "such as en, de or pt-BR"),
    (KEYWORDS | {"language": "en" + "-abcdefgh" * 4}, "language", "such as en, de or pt-BR"),
    (KEYWORDS | {"language": ""}, "language", "such as en, de or pt-BR"),
    (KEYWORDS | {"region": "USA"}, "region", "such as US or DE"),
    (KEYWORDS | {"region": "ZZ"}, "region", "such as US or DE"),
    (KEYWORDS | {"region": "ﬁ"}, "region", "such as US or DE"),
    (KEYWORDS | {"tone": "angry"}, "tone", "must be one of professional, friendly, bold"),
    (KEYWORDS | {"tone": 5}, "tone", "must be one of professional, friendly, bold"),
    (KEYWORDS | {"factualityMode": "true"}, "factualityMode", "one of standard, verified"),
    (KEYWORDS | {"constraints": []}, "constraints", "must be a JSON object"),
    (KEYWORDS | {"format": "html"}, "format", "must be a JSON object"),
    (
        KEYWORDS | {"format": {"responseTypes": ["json", "pdf"]}},
        "format.responseTypes[1]",
        "must be one of json, markdown, html",
    ),
    (
        KEYWORDS | {"format": {"responseTypes": "json"}},
        "format.responseTypes",
        "must be an array",
    ),
    (constraints(minWords=49), "constraints.minWords", "must be at least 50"),
    (constraints(maxWords=49), "constraints.maxWords", "must be at least 50"),
    (constraints(minWords=51, maxWords=50), "constraints.minWords", "above maxWords, which is 50"),
    (constraints(maxWords="800"), "constraints.maxWords", "must be a whole number"),
    (constraints(maxWords=800.5), "constraints.maxWords", "must be a whole number"),
    (constraints(maxWords=True), "constraints.maxWords", "must be a whole number"),
    (constraints(maxWords=[]), "constraints.maxWords", "must be a whole number"),
    (constraints(maxWords=1_000_001), "constraints.maxWords", "must be at most 1000000"),
    (constraints(maxWords=10**400), "constraints.maxWords", "must be at most 1000000"),
    (constraints(maxSections=0), "constraints.maxSections", "must be at least 1"),
    (constraints(maxSections=21), "constraints.maxSections", "must be at most 20"),
    (constraints(includeFAQs="yes"), "constraints.includeFAQs", "must be true or false"),
    (constraints(includeFAQs=1), "constraints.includeFAQs", "must be true or false"),
    (
        constraints(includeInternalLinksPlaceholders=0),
        "constraints.includeInternalLinksPlaceholders",
        "must be true or false",
    ),
    (
        constraints(keywordUsageStrategy="heavy"),
        "constraints.keywordUsageStrategy",
        "must be one of natural, balanced, exact",
    ),
]


@pytest.mark.parametrize("body", AT_THE_EDGE, ids=lambda body: repr(body)[:70])
def test_a_request_at_the_edge_of_a_bound_is_taken(body: dict[str, Any]) -> None:
    parse_generate_request(body)


@pytest.mark.parametrize(
    ("body", "field", "problem"), ONE_PAST, ids=[f"{f}-{p}" for _, f, p in ONE_PAST]
)
def test_one_past_a_bound_names_the_field_and_what_would_be_right(
    body: dict[str, Any], field: str, problem: str
) -> None:
    with pytest.raises(ValidationFailed) as failed:
        parse_generate_request(body)
    assert failed.value.code == "VALIDATION_ERROR"
    assert failed.value.message.startswith(f"{field} ")
    assert problem in failed.value.message
    assert failed.value.details is not None
    assert failed.value.details["field"] == field


@pytest.mark.parametrize("body", [None, [], "text", 5, True, [["keywords", ["a"]]]])
def test_a_body_that_is_no_object_is_refused(body: Any) -> None:
    with pytest.raises(ValidationFailed, match="must be a JSON object"):
        parse_generate_request(body)


def test_all_wrong_fields_are_listed_and_the_first_is_the_message() -> None:
    with pytest.raises(ValidationFailed) as failed:
        parse_generate_request({"keywords": [5], "tone": "x", "constraints": {"maxSections": 0}})
    assert failed.value.message == "keywords[0] must be a string."
    assert failed.value.details is not None
    assert [error["field"] for error in failed.value.details["errors"]] == [
        "keywords[0]",
        "tone",
        "constraints.maxSections",
    ]


def test_what_was_received_is_shown_only_where_it_can_be() -> None:
    with pytest.raises(ValidationFailed) as failed:
        parse_generate_request(KEYWORDS | {"tone": "angry"})
    assert failed.value.details == {
        "field": "tone",
        "allowed": ["professional", "friendly", "bold"],
        "problem": "must be one of professional, friendly, bold",
        "received": "angry",
    }
    for body in (KEYWORDS | {"tone": "angry\x1b[31m"}, constraints(maxWords=10**400)):
        with pytest.raises(ValidationFailed) as failed:
            parse_generate_request(body)
        assert failed.value.details is not None
        assert "received" not in failed.value.details


def test_null_is_absent() -> None:
    fields = dict.fromkeys(GenerateRequest.model_json_schema()["properties"])
    inner = {"maxWords": None, "minWords": None, "includeFAQs": None, "maxSections": None}
    body = fields | KEYWORDS | {"constraints": inner, "format": {"responseTypes": None}}
    assert parse_generate_request(body) == parse_generate_request(KEYWORDS)


def test_unknown_fields_are_ignored_wherever_they_stand() -> None:
    body = KEYWORDS | {
        "temperature": 2,
        "constraints": {"maxImages": 3, "max_words": 60},
        "target_audience": "no field of ours",
    }
    assert parse_generate_request(body) == parse_generate_request(KEYWORDS)


def test_defaults() -> None:
    request = parse_generate_request(KEYWORDS)
    assert request.language == "en"
    assert request.constraints.keyword_usage_strategy is KeywordUsageStrategy.NATURAL
    assert request.factuality_mode is FactualityMode.STANDARD
    assert request.format.response_types == ()
    assert request.tone is None


def test_a_full_request_survives_the_way_to_the_wire_and_back() -> None:
    body = {
        "keywords": ["cold brew", "burr grinder"],
        "topic": "coffee at home",
        "language": "pt-BR",
        "region": "BR",
        "tone": "bold",
        "targetAudience": "beginners",
        "brandVoice": "warm",
        "industry": "coffee",
        "targetUrl": "https://example.com/?a=1&b=2",
        "constraints": {
            "maxWords": 900,
            "minWords": 600,
            "maxSections": 5,
            "includeFAQs": True,
            "includeInternalLinksPlaceholders": True,
            "keywordUsageStrategy": "exact",
        },
        "format": {"responseTypes": ["json", "html"]},
        "factualityMode": "verified",
        "clientProvidedRequestId": "ours-1",
        "idempotencyKey": "key-1",
    }
    request = parse_generate_request(body)
    assert request.to_wire() == body
    assert request.tone is Tone.BOLD
    assert request.format.response_types == (ResponseType.JSON, ResponseType.HTML)


def test_spelling_of_codes_is_settled() -> None:
    request = parse_generate_request(KEYWORDS | {"language": "EN", "region": "gb"})
    assert (request.language, request.region) == ("en", "GB")
    assert language_name("pt-BR") == "Portuguese (Brazil)"
    assert language_name("en") == "English"
    assert language_name("zh-Hans-CN") == "Chinese"


@pytest.mark.parametrize(
    ("limits", "plan_cap", "expected"),
    [
        ({}, 1500, 1200),
        ({}, 900, 900),
        ({"maxWords": 700}, 1500, 700),
        ({"minWords": 1400}, 5000, 1750),
        ({"minWords": 1400}, 1500, 1500),
        ({"minWords": 100}, 5000, 1200),
    ],
)
def test_the_most_words_of_a_post(limits: dict[str, Any], plan_cap: int, expected: int) -> None:
    assert parse_generate_request(constraints(**limits)).max_words(plan_cap) == expected
