"""What a caller may ask for: what is one past a bound, and no other way to fail."""

import json
import time
from typing import Any

import pytest

from app.core.errors import ValidationFailed
from app.core.schemas.api_model import STORED
from app.core.schemas.bodies import parse
from app.core.schemas.check import CheckRequest
from app.core.schemas.job import JobRequest
from app.core.schemas.locales import language_name
from app.core.schemas.request import GenerateRequest
from app.core.schemas.unknown_members import unknown_members

KEYWORDS: dict[str, Any] = {"keywords": ["cold brew"]}


def constraints(**fields: Any) -> dict[str, Any]:
    return KEYWORDS | {"constraints": fields}


def url(length: int) -> str:
    return "https://example.com/".ljust(length, "a")


# tests/acceptance/test_generate_request.py has the edges of numbers.
TAKEN = [
    {"keywords": ["  " + "k" * 100 + "\n"]},
    # The names of code may look like markup, and a tag may be the subject.
    {"keywords": ["<div> vs <span>", "*args and **kwargs", "python __init__", "a ** b ** c"]},
    {"keywords": ["what is &nbsp; in html", "AT&T", "f(x) vs g[0]", "x < 5 > y", "чай", "手帳"]},
    KEYWORDS | {"targetUrl": "HTTP://user@example.com:8080/a(b)?c=d&e='f'#g"},
    KEYWORDS | {"language": "pt-BR"},
    KEYWORDS | {"language": "zh-Hans-CN"},
    KEYWORDS | {"region": "us"},
    # Only the plan says how many words are too many.
    constraints(maxWords=1_000_001),
    constraints(maxWords=800.0),
]

# DESIGN, bounds: "keywords 1–20 of 1–100 characters; free text ≤ 500; URL ≤ 2,048;
# 50 ≤ minWords ≤ maxWords - 50; maxSections 1–20"; idempotency: "≤ 255".
# tests/acceptance/test_generate_request.py has those of the interface.
ONE_PAST = [
    ({"keywords": {"a": 1}}, "keywords", "must be an array"),
    ({"keywords": ["good", None]}, "keywords[1]", "must be a string"),
    ({"keywords": [" \n"]}, "keywords[0]", "must not be empty"),
    ({"keywords": ["☕"]}, "keywords[0]", "must contain a letter or a digit"),
    ({"keywords": ["tea", "<b>green</b> tea"]}, "keywords[1]", "without “<b>green</b>”"),
    ({"keywords": ['<a href="x">tea</a>']}, "keywords[0]", "must be plain text"),
    ({"keywords": ["[green tea](https://x.example)"]}, "keywords[0]", "must be plain text"),
    ({"keywords": ["![tea](x.png)"]}, "keywords[0]", "must be plain text"),
    ({"keywords": ["the **best** tea"]}, "keywords[0]", "without “**best**”"),
    ({"keywords": ["R&amp;D budget"]}, "keywords[0]", "without “R&amp;”"),
    ({"keywords": ["tea HTTPS://TEA.EXAMPLE"]}, "keywords[0]", "without “HTTPS://”"),
    ({"keywords": ["tea www.tea.example"]}, "keywords[0]", "without “www.tea.example”"),
    ({"keywords": ["a\x00b"]}, "keywords[0]", "must not contain control characters"),
    ({"keywords": ["a\x7fb"]}, "keywords[0]", "must not contain control characters"),
    ({"keywords": ["a\ue000b"]}, "keywords[0]", "must not contain private use characters"),
    ({"keywords": ["a\ud800b"]}, "keywords[0]", "must be valid Unicode text"),
    (KEYWORDS | {"topic": 5}, "topic", "must be a string"),
    (KEYWORDS | {"targetAudience": "t" * 501}, "targetAudience", "must be at most 500"),
    (KEYWORDS | {"brandVoice": "t" * 501}, "brandVoice", "must be at most 500"),
    (KEYWORDS | {"industry": "t" * 501}, "industry", "must be at most 500"),
    (KEYWORDS | {"clientProvidedRequestId": "t" * 501}, "clientProvidedRequestId", "at most 500"),
    (KEYWORDS | {"idempotencyKey": "t" * 256}, "idempotencyKey", "must be at most 255"),
    (KEYWORDS | {"idempotencyKey": " "}, "idempotencyKey", "must not be empty"),
    (KEYWORDS | {"targetUrl": url(2049)}, "targetUrl", "must be at most 2048 characters long"),
    (KEYWORDS | {"targetUrl": "ftp://example.com"}, "targetUrl", "must be a complete http or"),
    (KEYWORDS | {"targetUrl": "javascript:alert(1)"}, "targetUrl", "must be a complete http"),
    (KEYWORDS | {"targetUrl": "http:example.com"}, "targetUrl", "must be a complete http"),
    (KEYWORDS | {"targetUrl": "https:\\\\example.com"}, "targetUrl", "or backslashes"),
    (KEYWORDS | {"targetUrl": "https:///path"}, "targetUrl", "must be a complete http"),
    (KEYWORDS | {"targetUrl": "https://example.com/a b"}, "targetUrl", "white space"),
    (KEYWORDS | {"targetUrl": "https://example.com/<b>"}, "targetUrl", "< > percent-encoded"),
    (KEYWORDS | {"language": "english"}, "language", "such as en, de or pt-BR"),
    (KEYWORDS | {"language": "en_US"}, "language", "such as en, de or pt-BR"),
    (KEYWORDS | {"language": "en-"}, "language", "such as en, de or pt-BR"),
    (KEYWORDS | {"language": "en" + "-abcdefgh" * 4}, "language", "such as en, de or pt-BR"),
    (KEYWORDS | {"language": ""}, "language", "such as en, de or pt-BR"),
    (KEYWORDS | {"region": "USA"}, "region", "such as US or DE"),
    (KEYWORDS | {"region": "ZZ"}, "region", "such as US or DE"),
    (KEYWORDS | {"region": "ﬁ"}, "region", "such as US or DE"),
    (KEYWORDS | {"tone": 5}, "tone", "must be one of professional, friendly, bold"),
    (KEYWORDS | {"factualityMode": "true"}, "factualityMode", "one of standard, verified"),
    (KEYWORDS | {"constraints": []}, "constraints", "must be a JSON object"),
    (KEYWORDS | {"format": "html"}, "format", "must be a JSON object"),
    (constraints(minWords=49), "constraints.minWords", "must be at least 50"),
    (constraints(maxWords=49), "constraints.maxWords", "must be at least 50"),
    (constraints(maxWords="800"), "constraints.maxWords", "must be a whole number"),
    (constraints(maxWords=800.5), "constraints.maxWords", "must be a whole number"),
    (constraints(maxWords=True), "constraints.maxWords", "must be a whole number"),
    (constraints(maxWords=[]), "constraints.maxWords", "must be a whole number"),
    (constraints(maxSections=21), "constraints.maxSections", "must be at most 20"),
    (constraints(includeFAQs=1), "constraints.includeFAQs", "must be true or false"),
]


@pytest.mark.parametrize("body", TAKEN, ids=lambda body: repr(body)[:70])
def test_what_may_look_wrong_is_taken(body: dict[str, Any]) -> None:
    parse(GenerateRequest, body)


@pytest.mark.parametrize(
    ("body", "field", "problem"), ONE_PAST, ids=[f"{f}-{p}" for _, f, p in ONE_PAST]
)
def test_one_past_a_bound_names_the_field_and_what_would_be_right(
    body: dict[str, Any], field: str, problem: str
) -> None:
    with pytest.raises(ValidationFailed) as failed:
        parse(GenerateRequest, body)
    assert failed.value.code == "VALIDATION_ERROR"
    assert failed.value.message.startswith(f"{field} ")
    assert problem in failed.value.message
    assert failed.value.details is not None
    assert failed.value.details["field"] == field


def test_what_was_received_is_shown_only_where_it_can_be() -> None:
    with pytest.raises(ValidationFailed) as failed:
        parse(GenerateRequest, KEYWORDS | {"tone": "angry"})
    assert failed.value.details == {
        "field": "tone",
        "allowed": ["professional", "friendly", "bold"],
        "problem": "must be one of professional, friendly, bold",
        "received": "angry",
    }
    for body in (KEYWORDS | {"tone": "angry\x1b[31m"}, constraints(maxSections=10**400)):
        with pytest.raises(ValidationFailed) as failed:
            parse(GenerateRequest, body)
        assert failed.value.details is not None
        assert "received" not in failed.value.details


def test_null_is_absent() -> None:
    fields = dict.fromkeys(GenerateRequest.model_json_schema()["properties"])
    inner = {"maxWords": None, "minWords": None, "includeFAQs": None, "maxSections": None}
    body = fields | KEYWORDS | {"constraints": inner, "format": {"responseTypes": None}}
    assert parse(GenerateRequest, body) == parse(GenerateRequest, KEYWORDS)


def test_spelling_of_codes_is_settled() -> None:
    request = parse(GenerateRequest, KEYWORDS | {"language": "EN", "region": "gb"})
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
    assert parse(GenerateRequest, constraints(**limits)).max_words(plan_cap) == expected


@pytest.mark.parametrize(
    ("body", "bound"),
    [
        (constraints(maxSections=21), {"maxAllowed": 20, "received": 21}),
        (constraints(maxSections=10**18), {"maxAllowed": 20, "received": 10**18}),
        (constraints(maxWords=49), {"minAllowed": 50, "received": 49}),
        (constraints(minWords=-1.0), {"minAllowed": 50, "received": -1.0}),
        ({"keywords": ["a"] * 21}, {"maxAllowed": 20}),
    ],
)
def test_a_number_past_its_bound_is_told_the_bound(body: Any, bound: dict[str, Any]) -> None:
    with pytest.raises(ValidationFailed) as failed:
        parse(GenerateRequest, body)
    details = failed.value.details
    assert details is not None
    assert {name: details.get(name) for name in bound} == bound


@pytest.mark.parametrize(
    "code",
    [
        0xAD, 0x34F, 0x61C, 0x115F, 0x17B4, 0x200B, 0x200E, 0x202E, 0x2065, 0x2066, 0x2800, 0x3164,
        0xFEFF, 0xFFA0, 0xFFF0, 0xE0041, 0xE0080, 0xE0FFF,
    ],
)  # fmt: skip
@pytest.mark.parametrize("field", ["keywords", "topic", "brandVoice", "targetUrl"])
def test_a_character_that_nobody_sees_is_refused(code: int, field: str) -> None:
    """invisible characters are refused by their Unicode property"""
    text = f"https://example.com/{chr(code)}a" if field == "targetUrl" else f"cold{chr(code)}brew"
    body = KEYWORDS | {field: [text] if field == "keywords" else text}
    with pytest.raises(ValidationFailed) as failed:
        parse(GenerateRequest, body)
    assert failed.value.details is not None
    assert failed.value.details["field"] == ("keywords[0]" if field == "keywords" else field)
    problem = f"must not contain the invisible character U+{code:04X}"
    assert failed.value.details["problem"] == problem


@pytest.mark.parametrize(
    "text",
    [
        *(
            "می\u200cخواهم",
            "क्\u200dष",
            "ന\u0d4d\u200d word",
            "👩\u200d💻 work",
            "שלום",
            "naïve Café",
        ),
        *("1\ufe0f\u20e3 tip", "❤\ufe0f\u200d🔥 tea", "ᠰ\u180bᠠ", "葛\U000e0100城"),
    ],
    ids=ascii,
)
def test_joiners_stay_where_a_script_needs_them(text: str) -> None:
    assert parse(GenerateRequest, {"keywords": [text]}).keywords == (text,)


@pytest.mark.parametrize(
    "text",
    [
        *("co\u200dld", "\u200ccold", "cold \u200dbrew", "чай\u200d"),
        *("co\ufe0fld", "cold \ufe0f brew", "❤\ufe0f\ufe0f tea", "\u180bcold", "co\U000e0100ld"),
    ],
    ids=ascii,
)
def test_a_joiner_elsewhere_is_refused(text: str) -> None:
    with pytest.raises(ValidationFailed, match="where no script needs it"):
        parse(GenerateRequest, {"keywords": [text]})


def test_a_request_that_an_earlier_version_stored_is_read_as_it_is() -> None:
    """Nothing that was accepted is lost: rules and jobs of before have keywords with markup."""
    body = {"keywords": ["<b>green</b> tea"]}
    with pytest.raises(ValidationFailed, match="plain text"):
        parse(GenerateRequest, body)
    assert parse(GenerateRequest, body, STORED).keywords == ("<b>green</b> tea",)
    with pytest.raises(ValidationFailed, match="letter or a digit"):
        parse(GenerateRequest, {"keywords": ["☕"]}, STORED)


def test_each_body_says_where_the_member_is() -> None:
    job = {"generateRequest": {"keyword": ["tea"]}, "webhook": {"event": []}, "pages": 1}
    assert dict(unknown_members(JobRequest, job)) == {
        "pages": None,
        "generateRequest.keyword": "generateRequest.keywords",
        "webhook.event": "webhook.events",
    }
    generate = {"maxWrods": 500, "constraints": {"topics": "tea"}, "max": 1}
    assert dict(unknown_members(GenerateRequest, generate)) == {
        "maxWrods": "constraints.maxWords",
        "constraints.topics": "topic",
        "max": None,
    }
    assert list(unknown_members(CheckRequest, {"txt": "a"})) == [("txt", "text")]
    assert list(unknown_members(GenerateRequest, {"mood": None, "constraints": 3})) == []


# The names that are compared are bounded, whatever a body has.
@pytest.mark.parametrize(
    "body", [{"k" * 60_000: 1}, {f"keyword{n}": 1 for n in range(3_000)}], ids=["long", "many"]
)
def test_a_body_of_nothing_but_unknown_members_takes_no_time(body: dict[str, int]) -> None:
    assert len(json.dumps(body)) < 65_536
    began = time.process_time()
    assert len(list(unknown_members(GenerateRequest, body))) <= 20
    assert time.process_time() - began < 0.1
