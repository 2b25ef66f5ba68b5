"""GenerateRequest: what each field does, each by itself, and what it refuses."""

import json
from typing import Any

import pytest

from tests.conformance.interface import clause
from tests.support.customers import Customer
from tests.support.response_schemas import error_of
from tests.support.service import ScriptedModel

TEA: dict[str, Any] = {"keywords": ["tea"]}
SHORT = TEA | {"constraints": {"maxWords": 200}}
WORDS = (
    "tin", "cup", "pot", "tray", "shop", "stall", "party", "cake", "towel", "light", "spoon",
    "timer", "scale", "kettle", "filter", "menu", "blend", "harvest", "tasting",
)  # fmt: skip


def limited(**constraints: Any) -> dict[str, Any]:
    return TEA | {"constraints": constraints}


def refused(customer: Customer, **body: Any) -> dict[str, Any]:
    """The error of a request that is wrong; nothing may be billed for it."""
    before = customer.usage()
    answer = customer.generate(**body)
    assert answer.status_code == 400, answer.text
    assert answer.json()["error"]["code"] == "VALIDATION_ERROR"
    assert customer.usage() == before
    error: dict[str, Any] = answer.json()["error"]
    return error


def asked_of(model: ScriptedModel) -> str:
    """What the model was asked last, in one text."""
    return "\n".join(message["content"] for message in model.last_request()["messages"])


@clause("| keywords | string[] | Required; at least 1 entry.")
@clause("Bounds on keyword count")
@clause("| tone | enum | professional, friendly, bold. Must be one of these.")
@clause("| language | string | Language code such as en. |")
@clause(
    "| format.responseTypes | array of json, markdown, html |",
    under="GenerateRequest (body of POST /v1/generate; also the generateRequest member of"
    " POST /v1/jobs)",
)
@clause(
    "| Lengths | minWords is at least 50 below maxWords; with includeFAQs maxWords is at"
    " least 150 |"
)
@pytest.mark.usefixtures("idle")
@pytest.mark.parametrize(
    ("body", "field", "sentence"),
    [
        ({}, "keywords", "is required"),
        ({"keywords": []}, "keywords", "at least 1 entry"),
        ({"keywords": None}, "keywords", "is required"),
        ({"keywords": "tea"}, "keywords", "must be an array"),
        ({"keywords": [""]}, "keywords[0]", "must not be empty"),
        ({"keywords": ["tea", 5]}, "keywords[1]", "must be a string"),
        ({"keywords": ["tea"] * 21}, "keywords", "at most 20"),
        ({"keywords": ["t" * 101]}, "keywords[0]", "at most 100 characters"),
        (TEA | {"topic": "t" * 501}, "topic", "at most 500 characters"),
        (TEA | {"tone": "angry"}, "tone", "one of professional, friendly, bold"),
        (TEA | {"language": "klingonese"}, "language", "such as en"),
        (TEA | {"targetUrl": "example"}, "targetUrl", "complete http"),
        (TEA | {"factualityMode": "lax"}, "factualityMode", "one of standard, verified"),
        (TEA | {"clientProvidedRequestId": 7}, "clientProvidedRequestId", "must be a string"),
        (TEA | {"format": {"responseTypes": ["html", "pdf"]}}, "format.responseTypes[1]",
         "one of json, markdown, html"),
        (limited(minWords=900, maxWords=300), "constraints.minWords",
         "must be at least 50 below maxWords, which is 300"),
        (limited(minWords=251, maxWords=300), "constraints.minWords", "at least 50 below"),
        (limited(maxWords=149, includeFAQs=True), "constraints.includeFAQs",
         "needs maxWords of 150 or more; it is 149"),
        (limited(includeFAQs="yes"), "constraints.includeFAQs", "must be true or false"),
        (limited(maxSections=0), "constraints.maxSections", "at least 1"),
        (limited(keywordUsageStrategy="stuffed"), "constraints.keywordUsageStrategy",
         "one of natural, balanced, exact"),
    ],
)  # fmt: skip
def test_a_wrong_field_is_named_before_the_model_is_asked(
    customer: Customer, model: ScriptedModel, body: dict[str, Any], field: str, sentence: str
) -> None:
    calls = model.calls()
    error = refused(customer, **body)
    assert error["details"]["field"] == field
    assert sentence in error["message"]
    assert model.calls() == calls


@clause("Bounds on keyword count")
def test_at_its_bounds_a_request_is_taken(customer: Customer) -> None:
    # The longest keyword is no primary one: it fits in no title.
    keywords = [*(f"tea {word}" for word in WORDS), f"tea {'leaf ' * 19}t"]
    assert (len(keywords), len(keywords[-1])) == (20, 100)
    made = customer.generate(keywords=keywords, topic="t" * 500)
    assert made.status_code == 200, made.text


@clause("| tone | enum | professional, friendly, bold. Must be one of these.")
@pytest.mark.usefixtures("idle")
def test_the_tone_is_one_of_three(customer: Customer, model: ScriptedModel) -> None:
    with customer.sdk() as sdk:
        for tone in ("professional", "friendly", "bold"):
            assert sdk.generate(keywords=["tea"], tone=tone, max_words=200).post.title
            assert tone in asked_of(model)


@clause("| language | string | Language code such as en. |")
@pytest.mark.usefixtures("idle")
def test_the_language_is_a_code(customer: Customer, model: ScriptedModel) -> None:
    with customer.sdk() as sdk:
        assert sdk.generate(keywords=["tea"], max_words=200, language="en").post.title
    assert "English" in asked_of(model)
    customer.generate(**SHORT, language="pt-BR")
    assert "Portuguese (Brazil)" in asked_of(model)


@clause("from keywords plus optional framing")
@clause(
    "Complete field list, format of region, and requiredness of fields other than"
    " keywords, topic and factualityMode: not shown."
)
def test_only_keywords_are_needed_and_unknown_fields_are_ignored(customer: Customer) -> None:
    assert customer.generate(keywords=["tea"]).status_code == 200
    answer = customer.generate(
        **SHORT, mood="sunny", **{"mood\r\nX-Forged": 1}, topic=None, tone=None, stimmung=None
    )
    assert answer.status_code == 200
    assert answer.headers["Copydesk-Ignored"] == "mood"
    answer = customer.generate(**SHORT, mood="sunny", region="Bavaria")
    assert answer.json()["error"]["details"]["field"] == "region"
    assert "Copydesk-Ignored" not in answer.headers  # a refusal names only what is wrong


@clause("| VALIDATION_ERROR | Invalid input,")
@pytest.mark.parametrize(
    ("given", "field", "meant"),
    [
        ({"langauge": "de"}, "langauge", "language"),
        ({"target_audience": "cooks"}, "target_audience", "targetAudience"),
        ({"Tone": "bold"}, "Tone", "tone"),
        ({"maxWords": 300}, "maxWords", "constraints.maxWords"),
        ({"constraints": {"maxWord": 300}}, "constraints.maxWord", "constraints.maxWords"),
        ({"constraints": {"tone": "bold"}}, "constraints.tone", "tone"),
        ({"format": {"responseType": ["json"]}}, "format.responseType", "format.responseTypes"),
    ],
)
def test_a_slip_in_a_name_is_an_error_before_anything_is_billed(
    customer: Customer, given: dict[str, object], field: str, meant: str
) -> None:
    error = refused(customer, **{"keywords": ["tea"], **given})
    assert error["message"] == f"{field} is unknown; it is probably meant to be {meant}."
    assert error["details"]["field"] == field


@clause("| targetUrl | string | URL. |")
@pytest.mark.usefixtures("idle")
def test_the_target_is_a_url(customer: Customer, model: ScriptedModel) -> None:
    page = "https://user@www.example.com/shop/iced-t%C3%A9.html?key=secret#part"
    with customer.sdk() as sdk:
        made = sdk.generate(keywords=["tea"], target_url=page, max_words=200)
        asked = asked_of(model)
    assert "the page “shop iced té” of the website “example”" in asked
    assert "secret" not in asked
    assert "example.com" not in json.dumps(made.raw), "no link is made of it"


@clause("length constraints")
@clause("| constraints.minWords | number | |")
def test_the_length_is_kept(customer: Customer) -> None:
    with customer.sdk() as sdk:
        for low, high in ((50, 100), (150, 200), (400, 500), (900, 1000)):
            made = sdk.generate(keywords=["tea"], min_words=low, max_words=high)
            assert low <= made.post.word_count <= high


@clause("| constraints.maxWords | number | Capped by the plan's maxWordsPerRequest. |")
@clause(
    "maxWordsPerRequest (plan): constraints.maxWords above it is a VALIDATION_ERROR with"
    " details field, maxAllowed, received."
)
@clause("including a plan-limit breach (details: field, maxAllowed, received")
def test_max_words_is_capped_by_the_plan(customer: Customer) -> None:
    cap = customer.usage()["limits"]["maxWordsPerRequest"]
    # However large it is.
    for words in (cap + 1, 999_999, 10**15, 10**39):
        body = limited(maxWords=words)
        error = refused(customer, **body)
        told = {"field": "constraints.maxWords", "maxAllowed": cap, "received": words}
        assert error["details"] == told
        assert str(cap) in error["message"]
        job = customer.finished_job(customer.create_job(generateRequest=body).json()["jobId"])
        assert (job["status"], job["error"]["details"]) == ("failed", told)
    over = refused(customer, **limited(minWords=cap + 1))
    assert over["details"]["field"] == "constraints.minWords"
    # A number that is written in another way is the same number.
    assert customer.generate(keywords=["tea"], constraints={"maxWords": 200.0}).status_code == 200


LONG_KEYWORD = (
    "green and black tea from small farms in the hills,"
    " for slow mornings and for quiet evenings at home"
)


@pytest.mark.parametrize(
    ("keyword", "limits"),
    [
        ("tea", {"maxWords": 50}),
        ("tea", {"maxWords": 100, "minWords": 50}),
        ("tea", {"maxWords": 800, "minWords": 750}),
        ("tea", {"maxWords": 150, "includeFAQs": True}),
        (LONG_KEYWORD, {}),
    ],
    ids=["50", "50-100", "750-800", "faqs", "long keyword"],
)
def test_a_request_at_the_edge_of_its_bounds_gets_a_post(
    customer: Customer, keyword: str, limits: dict[str, Any]
) -> None:
    for _ in range(3):
        answer = customer.generate(keywords=[keyword], constraints={"maxWords": 300, **limits})
        assert answer.status_code == 200, answer.text


@clause("| constraints.maxSections | number | |")
def test_max_sections_limits_the_body(customer: Customer) -> None:
    with customer.sdk() as sdk:
        for limit in (1, 3):
            made = sdk.generate(keywords=["tea"], max_words=900, max_sections=limit)
            body = [section for section in made.post.sections if section.type == "body"]
            assert 1 <= len(body) <= limit


@clause("| constraints.includeFAQs | boolean | |")
def test_faqs_come_where_they_are_wanted(customer: Customer) -> None:
    with customer.sdk() as sdk:
        with_faqs = sdk.generate(keywords=["tea"], max_words=500, include_faqs=True).post
        without = sdk.generate(keywords=["tea"], max_words=500).post
    assert with_faqs.faqs
    assert [section.type for section in with_faqs.sections].count("faq") == 1
    assert without.faqs == ()
    assert "faq" not in [section.type for section in without.sections]


@clause("Allowed values: not shown. |")
def test_the_keyword_strategy_is_one_of_three(customer: Customer) -> None:
    uses = {}
    with customer.sdk() as sdk:
        for strategy in ("natural", "balanced", "exact"):
            made = sdk.generate(
                keywords=["oat milk"], max_words=600, keyword_usage_strategy=strategy
            )
            uses[strategy] = made.rendered.markdown.lower().count("oat milk")
    assert min(uses.values()) >= 1
    # At most 2.5 in 100 words.
    assert uses["balanced"] <= 15


@clause("| factualityMode | enum | standard or verified;")
@clause("optional; default standard.")
@pytest.mark.usefixtures("idle")
def test_the_factuality_mode_is_one_of_two(customer: Customer, model: ScriptedModel) -> None:
    assert customer.generate(**SHORT, factualityMode="standard").status_code == 200
    assert customer.generate(**SHORT).status_code == 200
    calls = model.calls()
    verified = customer.generate(**SHORT, factualityMode="verified")
    # No source is about tea here, and a post that only claims to be verified is not returned.
    assert verified.status_code == 422
    assert verified.json()["error"]["code"] == "CONTENT_QUALITY_FAILED"
    assert "needs sources" in verified.json()["error"]["message"]
    assert model.calls() == calls


@clause("| clientProvidedRequestId | string | Client's own request reference. |")
def test_the_clients_own_reference_changes_nothing(customer: Customer) -> None:
    with customer.sdk() as sdk:
        one = sdk.generate(keywords=["tea"], max_words=200, client_provided_request_id="order 7")
        two = sdk.generate(keywords=["tea"], max_words=200, client_provided_request_id="order 7")
    assert one.request_id != two.request_id, "it is no idempotency key"


@clause("Selects which representations appear under rendered. |")
@clause(
    "Object with one entry per requested representation, among markdown, html, rawJson."
    " When json and markdown are requested, the responses show only rendered.markdown;"
    " post is always present as structured JSON."
)
@pytest.mark.parametrize(
    ("wanted", "entries"),
    [
        (["json", "markdown"], {"markdown"}),
        (["html"], {"html"}),
        (["markdown", "html"], {"markdown", "html"}),
        (["json", "markdown", "html"], {"markdown", "html"}),
        (["json"], {"rawJson"}),
        ([], {"markdown", "html"}),
    ],
)
def test_rendered_has_what_was_asked_for(
    customer: Customer, wanted: list[str], entries: set[str]
) -> None:
    body = customer.generate(**SHORT, format={"responseTypes": wanted}).json()
    assert set(body["rendered"]) == entries
    assert all(isinstance(text, str) and text for text in body["rendered"].values())
    assert body["post"]["title"]
    if "rawJson" in entries:
        assert json.loads(body["rendered"]["rawJson"]) == body["post"]


@clause("topic, tone, audience, brand voice, industry,")
@clause("| topic | string | Optional framing beyond the raw keywords. |")
@clause("| targetAudience | string | Free text. |")
@clause("| brandVoice | string | Free text. |")
@clause("| industry | string | Free text. |")
@clause("| region | string | Region code; seen in requests. |")
@pytest.mark.usefixtures("idle")
@pytest.mark.parametrize(
    ("field", "value", "asked"),
    [
        ("topic", "brewing at 80 °C", "Subject: tea (brewing at 80 °C)"),
        ("tone", "bold", "The tone is bold:"),
        ("targetAudience", "night shift nurses", "They are: night shift nurses."),
        ("brandVoice", "dry, never loud", "The voice of the publication: dry, never loud."),
        ("industry", "specialty tea", "Its field: specialty tea."),
        ("region", "DE", "The readers live in DE:"),
    ],
)
def test_framing_reaches_the_model(
    customer: Customer, model: ScriptedModel, field: str, value: str, asked: str
) -> None:
    def asked_for(**framing: str) -> str:
        assert customer.generate(**{**SHORT, **framing}).status_code == 200
        return asked_of(model)

    assert asked in asked_for(**{field: value})
    without = asked_for()
    assert asked not in without
    assert asked.partition(value)[0].rstrip() not in without


@clause("| constraints.includeInternalLinksPlaceholders | boolean | |")
def test_placeholders_of_internal_links_are_a_switch(customer: Customer) -> None:
    def rendered(**switch: bool) -> dict[str, str]:
        limits = {"maxWords": 400, "maxSections": 2, **switch}
        answer = customer.generate(keywords=["tea"], constraints=limits)
        assert answer.status_code == 200, answer.text
        bodies = [part for part in answer.json()["post"]["sections"] if part["type"] == "body"]
        for text in answer.json()["rendered"].values():
            assert text.count("[[internal-link: ") == len(bodies) * (switch == {FIELD: True})
        texts: dict[str, str] = answer.json()["rendered"]
        return texts

    wanted = rendered(**{FIELD: True})
    assert set(wanted) == {"markdown", "html"}
    # They are places for links, and no links.
    assert "](" not in wanted["markdown"]
    assert "<a" not in wanted["html"]
    rendered(**{FIELD: False})
    rendered()


FIELD = "includeInternalLinksPlaceholders"


@clause("| constraints.keywordUsageStrategy | string |")
@pytest.mark.usefixtures("idle")
def test_the_exact_strategy_refuses_other_forms_of_a_keyword(
    customer: Customer, model: ScriptedModel
) -> None:
    def uses_other_forms(strategy: str) -> Any:
        limits = {"maxWords": 200, "keywordUsageStrategy": strategy}
        with model.behaving("inflected"):
            return customer.generate(keywords=["clay pot"], constraints=limits)

    error = error_of(uses_other_forms("exact"), 422, "CONTENT_QUALITY_FAILED")
    assert [finding["check"] for finding in error["details"]["findings"]] == ["keyword_missing"]
    natural = uses_other_forms("natural")
    assert natural.status_code == 200, natural.text
    assert "clay pots" in natural.json()["rendered"]["markdown"].lower()


@clause("Revision limit count of the quality pipeline: not shown.")
@clause(
    "A generation that still fails within the revision limit ends with the error"
    " CONTENT_QUALITY_FAILED;"
)
@clause("and, if needed, automatically revised before it is returned.")
@pytest.mark.usefixtures("idle")
def test_a_post_is_revised_twice_at_most(customer: Customer, model: ScriptedModel) -> None:
    # Both drafts have the link; then each round of the editor leaves it.
    for left, thing in enumerate(("tea pot", "tea cup")):
        with model.behaving(f"recover_{2 + left}:markdown_link"):
            answer = customer.generate(**{**SHORT, "keywords": [thing]})
        assert answer.status_code == 200, answer.text
        assert answer.json()["quality"]["revisionCount"] == 1 + left
    with model.behaving("recover_4:markdown_link"):
        answer = customer.generate(**{**SHORT, "keywords": ["tea stall"]})
    error_of(answer, 422, "CONTENT_QUALITY_FAILED")
