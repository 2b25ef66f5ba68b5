"""Posts that stand on sources, over real HTTP and from real pages on loopback."""

import pytest

from tests.conformance.interface import clause
from tests.running.customers import Customer
from tests.running.newsroom import KEYWORDS, Newsroom
from tests.running.service import CopydeskService, Feed, ScriptedModel

LIMITS = {"minWords": 150, "maxWords": 300}


def borne_out(service: CopydeskService, post_id: str) -> set[str]:
    """The URLs of the sources that the claims of a post are found in."""
    return {claim["source"] for claim in service.cli("evidence", post_id)}


@clause("| factualityMode | enum | standard or verified; optional; default standard. |")
@pytest.mark.usefixtures("idle")
def test_a_verified_post_stands_on_sources(
    service: CopydeskService, customer: Customer, model: ScriptedModel, newsroom: Newsroom
) -> None:
    with model.behaving("cites"):
        answer = customer.generate(keywords=KEYWORDS, constraints=LIMITS, factualityMode="verified")
    assert answer.status_code == 200, answer.text
    assert answer.json()["quality"]["status"] == "pass"
    sources = borne_out(service, answer.json()["requestId"])
    assert sources
    assert sources <= set(newsroom.urls)


@clause("| factualityMode | enum | standard or verified; optional; default standard. |")
@pytest.mark.usefixtures("idle")
def test_a_verified_post_invents_nothing(customer: Customer, model: ScriptedModel) -> None:
    with model.behaving("invents"):
        answer = customer.generate(keywords=KEYWORDS, constraints=LIMITS, factualityMode="verified")
    assert answer.status_code == 422
    error = answer.json()["error"]
    assert error["code"] == "CONTENT_QUALITY_FAILED"
    reasons = [finding["reason"] for finding in error["details"]["findings"]]
    assert any("4,812" in reason for reason in reasons)
    assert customer.usage()["consumed"]["words"] == 0


@clause(
    "source retrieval, freshness/relevance/quality/deduplication/evidence validation for"
    " current-event topics, originality and"
)
@pytest.mark.usefixtures("idle")
def test_items_on_current_events_stand_on_fresh_sources(
    service: CopydeskService, model: ScriptedModel, newsroom: Newsroom
) -> None:
    account = service.cli("account", "create", "A customer")["accountId"]
    token = service.cli("token", "create", account, "News")
    rule = ["rule", "create", token["handle"], "The bridge", "--every", "1d", "--current-event"]
    rule += ["--keyword", KEYWORDS[0], "--keyword", KEYWORDS[1]]
    with model.behaving("cites"):
        service.cli(*rule, "--min-words", "150", "--max-words", "300")
        item = service.wait_for_item(Feed(token["handle"], token["pullUrl"]))
    sources = borne_out(service, item.id)
    assert sources
    assert sources <= set(newsroom.urls)
