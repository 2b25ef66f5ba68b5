"""Whatever JSON a caller sends: a request or one clear refusal, never another exception."""

import json
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from app.core.errors import ValidationFailed
from app.core.schemas.request import GenerateRequest, parse_generate_request
from app.rules.keywords import Words, exact_form

# Names of real fields among others, so that the values reach their validators.
_names = st.sampled_from(
    [
        "keywords", "topic", "language", "region", "tone", "targetAudience", "targetUrl",
        "constraints", "maxWords", "minWords", "maxSections", "includeFAQs",
        "keywordUsageStrategy", "format", "responseTypes", "factualityMode",
        "clientProvidedRequestId", "idempotencyKey",
    ]
)  # fmt: skip
_any_text = st.text(st.characters(), max_size=20)  # lone surrogates and NUL included
_scalars = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.sampled_from([10**30, -(10**400), 2**63, 1e308, -0.0, 5e-324]),
    st.floats(allow_nan=False),
    _any_text,
    st.sampled_from(
        ["en", "US", "bold", "json", "https://example.com/", "\ud800", "\x00", "a\ue000"]
    ),
)
_json = st.recursive(
    _scalars,
    lambda children: st.one_of(
        st.lists(children, max_size=4),
        st.dictionaries(st.one_of(_names, _any_text), children, max_size=6),
    ),
    max_leaves=12,
)


def _attempt(body: Any) -> GenerateRequest | ValidationFailed:
    try:
        return parse_generate_request(body)
    except ValidationFailed as refused:
        return refused


@settings(max_examples=150)
@given(st.one_of(_json, st.dictionaries(_names, _json, max_size=8)))
def test_any_json_value_is_parsed_or_refused_and_nothing_else(body: Any) -> None:
    outcome = _attempt(body)
    if isinstance(outcome, GenerateRequest):
        assert parse_generate_request(outcome.to_wire()) == outcome
        return
    assert outcome.details is not None
    assert outcome.details["problem"]
    json.dumps(outcome.body(), ensure_ascii=False).encode()


_keywords = st.text(
    st.characters(exclude_categories=["Cc", "Cs", "Co"]), min_size=1, max_size=20
).filter(lambda text: any(ch.isalnum() for ch in text))


@given(_keywords)
def test_a_keyword_that_is_taken_can_be_found_in_a_text(keyword: str) -> None:
    outcome = _attempt({"keywords": [keyword]})
    if isinstance(outcome, ValidationFailed):
        assert "invisible character" in outcome.message
        return
    (keyword,) = outcome.keywords
    assert not Words(f"About {keyword}, again.", "en").missing(keyword)
    assert exact_form(keyword).search(f"About {keyword}, again.")
