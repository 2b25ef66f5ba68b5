"""The README's table and the JSON Schema of all settings.

``python -m copydesk_connectors.cli.reference README.md`` writes the table into that file, between
its two marker lines.
"""

import sys
from collections.abc import Mapping
from itertools import chain
from pathlib import Path
from typing import Any

from copydesk_connectors.cli.config import LedgerSettings
from copydesk_connectors.engine.feed import FeedSettings
from copydesk_connectors.engine.routes import Route
from copydesk_connectors.target.settings import REQUIRED, Setting, Settings, declared, either
from copydesk_connectors.targets import TARGETS
from copydesk_connectors.targets.registry import TargetSettings
from copydesk_connectors.targets.scheduled import ScheduleSettings

BEGIN, END = "<!-- settings: begin -->", "<!-- settings: end -->"


def schema() -> dict[str, Any]:
    """Return the JSON Schema of a configuration, with the targets of every installed package."""
    kinds = [
        _object(TargetSettings, TARGETS.settings(kind), fixed={"type": kind})
        for kind in sorted(TARGETS)
    ]
    feed = _object(FeedSettings)
    return {
        "$schema": "http://json-schema.org/draft-07/schema#",
        "title": "Copydesk connectors",
        "type": "object",
        "additionalProperties": False,
        "required": ["feed", "target"],
        "properties": {
            "feed": {"oneOf": [feed, {"type": "array", "minItems": 1, "items": feed}]},
            "ledger": _object(LedgerSettings),
            "route": {"type": "array", "items": _object(Route)},
            "target": {"type": "array", "minItems": 1, "items": {"oneOf": kinds}},
        },
    }


def _object(
    *declarations: type[Settings], fixed: Mapping[str, str] | None = None
) -> dict[str, Any]:
    properties: dict[str, Any] = {}
    required: list[dict[str, Any]] = []
    for _, setting in chain.from_iterable(map(declared, declarations)):
        shown = {} if setting.default in (REQUIRED, None, "", ()) else {"default": setting.default}
        for key, value in setting.keys.items():
            form = _object(ScheduleSettings) if "$ref" in value else value
            properties[key] = {**form, "description": setting.help, **shown}
        if setting.default is REQUIRED:
            required.append({"oneOf": [{"required": [key]} for key in setting.keys]})
    properties |= {key: {"const": value} for key, value in (fixed or {}).items()}
    return {
        "type": "object",
        "additionalProperties": False,
        "properties": properties,
        **({"allOf": required} if required else {}),
    }


def table() -> str:
    """Return the settings as a Markdown table; targets share the rows that they have in common."""
    tables: dict[str, type[Settings]] = {
        "`[feed]`": FeedSettings,
        "`[ledger]`": LedgerSettings,
        "`[[route]]`": Route,
        "`[[target]]`": TargetSettings,
        "`[target.schedule]`": ScheduleSettings,
        **{kind: TARGETS.settings(kind) for kind in TARGETS.ours},
    }
    tables_of: dict[tuple[str, ...], list[str]] = {}
    for place, declaration in tables.items():
        for _, setting in declared(declaration):
            # A required setting is listed with the others of its target.
            alone = (place,) if setting.default is REQUIRED else ()
            tables_of.setdefault((*_row(setting), *alone), []).append(place)
    rows: dict[str, list[str]] = {}
    for (keys, meaning, *_), places in tables_of.items():
        rows.setdefault(", ".join(places), []).append(f"{keys} | {meaning} |")
    lines = ["| table | key | meaning |", "|---|---|---|"]
    for shared in sorted(rows, key=lambda places: places.count(",")):
        first, *others = rows[shared]
        lines += [f"| {shared} | {first}", *(f"| | {row}" for row in others)]
    return "\n".join(lines)


def _row(setting: Setting) -> tuple[str, str]:
    keys = either([f"`{key}`" for key in setting.keys])
    if setting.default is REQUIRED:
        return keys, f"Required. {setting.help}"
    if setting.default in (None, "", (), False):
        return keys, setting.help
    default = str(setting.default)
    shown = default.lower() if isinstance(setting.default, bool) else default
    return keys, f"{setting.help} Default: `{shown}`."


def with_table(text: str) -> str:
    """Return the text with the current table between the markers."""
    head, _, rest = text.partition(BEGIN)
    tail = rest.partition(END)[2]
    return f"{head}{BEGIN}\n{table()}\n{END}{tail}"


if __name__ == "__main__":
    readme = Path(sys.argv[1])
    readme.write_text(with_table(readme.read_text(encoding="utf-8")), encoding="utf-8")
