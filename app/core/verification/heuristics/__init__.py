"""Names, swapped agents and advice, recognised by capitals and word order.

These rules are used only if `SourceIndex` is made with ``heuristics=True``. They guess where a
model that judges entailment would know: once one does, turn them off and delete this package.
"""

import tomllib
from functools import cache
from importlib.resources import files
from typing import Any


@cache
def word_set(path: str, *, is_optional: bool = False) -> frozenset[str]:
    """Return a list of `words.toml` by its dotted path; an optional one is empty if missing."""
    section, _, name = path.rpartition(".")
    table: Any = _data()
    for key in section.split("."):
        table = table[key]
    return frozenset(table.get(name, ()) if is_optional else table[name])


@cache
def _data() -> dict[str, Any]:
    return tomllib.loads((files(__package__) / "words.toml").read_text("utf-8"))
