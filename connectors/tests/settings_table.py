"""The README's table of all settings, from their declarations.

``python connectors/tests/settings_table.py connectors/README.md`` writes it into that file, between
its two marker lines.
"""

import sys
from pathlib import Path
from typing import Any

from copydesk_connectors.cli.config import LedgerSettings
from copydesk_connectors.engine.feed import FeedSettings
from copydesk_connectors.engine.routes import Route
from copydesk_connectors.target.settings import Settings, either, keys_of
from copydesk_connectors.targets import TARGETS
from copydesk_connectors.targets.registry import TargetSettings
from copydesk_connectors.targets.scheduled import ScheduleSettings

BEGIN, END = "<!-- settings: begin -->", "<!-- settings: end -->"
TABLES: dict[str, type[Settings]] = {
    "`[feed]`": FeedSettings,
    "`[ledger]`": LedgerSettings,
    "`[[route]]`": Route,
    "`[[target]]`": TargetSettings,
    "`[target.schedule]`": ScheduleSettings,
    **{kind: TARGETS.settings(kind) for kind in TARGETS.ours},
}


def table() -> str:
    """Return the settings as a Markdown table; targets share the rows that they have in common."""
    tables_of: dict[tuple[str, ...], list[str]] = {}
    for place, declaration in TABLES.items():
        for name, field in declaration.model_fields.items():
            # A required setting is listed with the others of its target.
            alone = (place,) if field.is_required() else ()
            tables_of.setdefault((*row(name, field), *alone), []).append(place)
    rows: dict[str, list[str]] = {}
    for (keys, meaning, *_), places in tables_of.items():
        rows.setdefault(", ".join(places), []).append(f"{keys} | {meaning} |")
    lines = ["| table | key | meaning |", "|---|---|---|"]
    for shared in sorted(rows, key=lambda places: places.count(",")):
        first, *others = rows[shared]
        lines += [f"| {shared} | {first}", *(f"| | {row}" for row in others)]
    return "\n".join(lines)


def row(name: str, field: Any) -> tuple[str, str]:
    keys, about = either([f"`{key}`" for key in keys_of(name, field)]), field.description
    if field.is_required():
        return keys, f"Required. {about}"
    if field.default in (None, "", (), False):
        return keys, about
    default = str(field.default)
    shown = default.lower() if isinstance(field.default, bool) else default
    return keys, f"{about} Default: `{shown}`."


def with_table(text: str) -> str:
    """Return the text with the current table between the markers."""
    head, _, rest = text.partition(BEGIN)
    return f"{head}{BEGIN}\n{table()}\n{END}{rest.partition(END)[2]}"


if __name__ == "__main__":
    readme = Path(sys.argv[1])
    readme.write_text(with_table(readme.read_text(encoding="utf-8")), encoding="utf-8")
