"""What a failed post means for a person."""

import pytest

from app.core.errors import ModelUnavailable
from app.rules.table import RULE_NAMES
from app.services.failures import explain


@pytest.mark.parametrize("check", RULE_NAMES)
def test_a_finding_is_told_without_its_order_to_the_model(check: str) -> None:
    """“in a sentence for people with its remedy … (never a sentence that is meant for the model,
    never a code alone)”"""
    reason = "The post has 482 words; it needs at least 600. Add at least 118 words."
    finding = {"check": check, "section": "post", "reason": reason}
    told = explain(
        {
            "code": "CONTENT_QUALITY_FAILED",
            "message": f"The post still breaks 1 of its rules; the first: post: {reason}",
            "details": {"findings": [finding]},
        }
    )
    assert told.what.endswith(".")
    assert told.remedy.endswith(".")
    assert "Add at least 118" not in told.what
    assert "still breaks" not in told.what


def test_a_model_that_is_at_fault_is_named_and_not_said_to_be_silent() -> None:
    """“never “did not answer” for a 401”"""
    error = {"code": "SERVICE_UNAVAILABLE", "message": ModelUnavailable.message}
    assert explain(error, "It does not accept the API key.").what.endswith("accept the API key.")
    told = explain(error)
    assert "did not answer" not in told.what
    assert "copydesk-server doctor" in told.remedy


def test_what_an_operator_was_told_of_a_run_is_told_again() -> None:
    known = {"message": "It does not accept the API key.", "isForOperator": True}
    told = explain({"code": "SERVICE_UNAVAILABLE", **known})
    assert (told.what, told.remedy) == (known["message"], "")


def test_sources_that_are_missing_are_the_remedy() -> None:
    details = {"field": "factualityMode", "refusedSources": []}
    error = {"code": "CONTENT_QUALITY_FAILED", "message": "Too few pages.", "details": details}
    assert "Add sources" in explain(error).remedy
