"""Feed items for tests."""

from typing import Any

from copydesk_connectors.engine.ledger import Ledger
from copydesk_connectors.engine.states import DeliveryState

BODY_HTML = (
    "<h1>How to descale an espresso machine</h1>\n"
    "<p>Scale &amp; hard water are a pair.</p>\n"
    '<p>Ask <a href="https://acme.example/?a=1&amp;b=2" rel="sponsored noopener" '
    'target="_blank">Acme</a> for citric acid.</p>\n'
    "<h2>Rinse twice</h2>\n<ul><li>Once warm.</li><li>Once cold.</li></ul>\n"
    "<p>That is all — enjoy.</p>"
)
BODY_MARKDOWN = (
    "# How to descale an espresso machine\n\n"
    "Scale & hard water are a pair.\n\n"
    "Ask [Acme](https://acme.example/?a=1&b=2) for citric acid.\n\n"
    "## Rinse twice\n\n- Once warm.\n- Once cold.\n\n---\n\nThat is all — enjoy.\n"
)


def make_item(
    item_id: str = "itm_1",
    *,
    slug: str = "descale-espresso-machine",
    title: str = "How to descale an espresso machine",
    generated_at: str = "2026-05-01T10:00:00.250Z",
    **changes: Any,
) -> dict[str, Any]:
    """An item as the feed sends it; ``changes`` replace its members."""
    item = {
        "id": item_id,
        "post": {
            "title": title,
            "slugSuggestion": slug,
            "meta": {
                "description": "Descale it in an hour: what to buy & what to avoid.",
                "primaryKeyword": "descale espresso machine",
            },
            "outline": {"h1": title, "h2": ["Rinse twice"]},
            "sections": [{"type": "introduction", "contentMarkdown": "Scale & hard water."}],
            "faqs": [],
            "conclusion": "That is all — enjoy.",
            "coverageNotes": {
                "keywordCoverage": [
                    {"keyword": "Descale Espresso Machine", "covered": True, "evidence": "…"},
                    {"keyword": "citric acid", "covered": True, "evidence": "…"},
                ]
            },
        },
        "rendered": {"markdown": BODY_MARKDOWN, "html": BODY_HTML},
        "generatedAt": generated_at,
        "deliveryCount": 1,
    }
    return item | changes


def publish_in(ledger: Ledger, item_id: str, target: str, url: str = "") -> None:
    """Note in a ledger that the target has published the item."""
    ledger.move_delivery(item_id, target, DeliveryState.DRAFTED)
    ledger.move_delivery(item_id, target, DeliveryState.PUBLISHING)
    ledger.move_delivery(item_id, target, DeliveryState.PUBLISHED, url=url)
