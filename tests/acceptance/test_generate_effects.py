"""GenerateRequest: that an optional field has the effect that it is for, each by itself."""

from typing import Any

import pytest

from tests.conformance.interface import clause
from tests.support.customers import SHORT, Customer
from tests.support.response_schemas import error_of
from tests.support.service import ScriptedModel


def asked_for(customer: Customer, model: ScriptedModel, **body: Any) -> str:
    """What the model is asked last of a post that passes, in one text."""
    assert customer.generate(**{**SHORT, **body}).status_code == 200
    return "\n".join(message["content"] for message in model.last_request()["messages"])


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
    assert asked in asked_for(customer, model, **{field: value})
    without = asked_for(customer, model)
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
