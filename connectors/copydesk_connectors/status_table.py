"""The ledger as a table and as JSON."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from copydesk_connectors.ledger import Entry
from copydesk_connectors.states import NOT_PUT

_COLUMNS = ("RECEIVED", "ITEM", "TITLE", "STATE", "TARGET", "THERE", "URL OR REASON")
_TITLE_LENGTH = 40


def as_json(entry: Entry) -> dict[str, Any]:
    """The item and its deliveries, with the title in place of the whole post."""
    row = {key: value for key, value in asdict(entry).items() if key not in {"id", "raw"}}
    return {"item_id": entry.id, "title": _title(entry), **row}


def as_table(entries: Sequence[Entry]) -> str:
    """One line a delivery, in columns."""
    rows = [_COLUMNS]
    for entry in entries:
        received = entry.received_at[:16].replace("T", " ")
        item = (received, entry.id, _shortened(_title(entry)), entry.state.value)
        lines = [(d.target, d.state.value, d.url or d.reason) for d in entry.deliveries]
        if entry.reason or not lines:
            lines.append(("", "", entry.reason))
        rows += [(*item, *lines[0]), *(("", "", "", "", *line) for line in lines[1:])]
    widths = [max(len(row[column]) for row in rows) for column in range(len(_COLUMNS))]
    table = [
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in rows
    ]
    if any(delivery.state in NOT_PUT for entry in entries for delivery in entry.deliveries):
        table.append("`copydesk-connect retry ITEM` takes up again what was refused or set aside")
    return "\n".join(table)


def _title(entry: Entry) -> str:
    post = entry.raw.get("post")
    return str(post.get("title") or "") if isinstance(post, Mapping) else ""


def _shortened(title: str) -> str:
    return title if len(title) <= _TITLE_LENGTH else f"{title[: _TITLE_LENGTH - 1]}…"
