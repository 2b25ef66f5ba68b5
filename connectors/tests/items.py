"""Feed items for tests, the targets of most configurations, and what the fixtures are."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from copydesk_connectors.cli import config
from copydesk_connectors.engine.courier import Outcome
from copydesk_connectors.engine.ledger import Ledger
from copydesk_connectors.engine.records import Entry
from copydesk_connectors.engine.states import DeliveryState
from copydesk_connectors.target.base import Target

# The fixtures ``write_config``, ``one_pass``, ``ghost_target`` and ``ghost``.
Write = Callable[..., Path]
OnePass = Callable[[Path], Outcome]
TargetTable = Callable[..., str]
Open = Callable[..., Target]

PAGES = '[[target]]\ntype = "markdown"\nname = "pages"\npath = "public"\n'
MARKDOWN = '[[target]]\ntype = "markdown"\npath = "content"\n'

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
    ledger.move_delivery(item_id, target, DeliveryState.PUBLISHING)
    ledger.move_delivery(item_id, target, DeliveryState.PUBLISHED, url=url)


def entry(file: Path, item_id: str = "itm_1") -> Entry:
    """What the ledger of a configuration holds about an item."""
    with Ledger.read(config.ledger_path(file)) as ledger:
        return ledger.entry(item_id)
