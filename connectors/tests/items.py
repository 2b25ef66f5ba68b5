"""Feed items for tests, the targets of most configurations, and what the fixtures are."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from copydesk_connectors.cli import config
from copydesk_connectors.engine.courier import Outcome
from copydesk_connectors.engine.ledger import Ledger
from copydesk_connectors.engine.records import Entry
from copydesk_connectors.engine.states import DeliveryState
from copydesk_connectors.suite.contract import BODY_HTML, BODY_MARKDOWN
from copydesk_connectors.target.base import Target

# The fixtures ``write_config``, ``one_pass``, ``ghost_target`` and ``ghost``.
Write = Callable[..., Path]
OnePass = Callable[[Path], Outcome]
TargetTable = Callable[..., str]
Open = Callable[..., Target]

PAGES = '[[target]]\ntype = "markdown"\nname = "pages"\npath = "public"\n'
MARKDOWN = '[[target]]\ntype = "markdown"\npath = "content"\n'

_TITLE = "How to descale an espresso machine"


def make_item(
    item_id: str = "itm_1",
    *,
    slug: str = "descale-espresso-machine",
    title: str = _TITLE,
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
        "rendered": {
            "markdown": f"# {_TITLE}\n\n{BODY_MARKDOWN}\n",
            "html": f"<h1>{_TITLE}</h1>\n{BODY_HTML}",
        },
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
