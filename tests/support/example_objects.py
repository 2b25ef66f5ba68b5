"""Examples of what the service writes, made from its own models."""

import itertools
import re
from collections.abc import Callable, Mapping
from typing import Any

from app.core.schemas.api_model import ApiModel


def filled(model: type[ApiModel], *, enums: str | None = None) -> Any:
    """A JSON object with every member that the model can have, all their values different.

    ``enums`` takes the place of every string that is one of a list.
    """
    schema = model.model_json_schema(by_alias=True, mode="serialization")
    numbers = itertools.count(1)

    def value(part: Mapping[str, Any], name: str) -> Any:
        if "$ref" in part:
            return value(schema["$defs"][part["$ref"].rpartition("/")[2]], name)
        if "anyOf" in part:
            return value(next(one for one in part["anyOf"] if one.get("type") != "null"), name)
        if "const" in part or "enum" in part:
            allowed = part.get("const", part.get("enum", [""])[-1])
            return enums if enums and isinstance(allowed, str) else allowed
        if "properties" in part:
            return {key: value(child, key) for key, child in part["properties"].items()}
        # Of patterns, only a prefix matters to what is sent here.
        prefix = re.match(r"\^(\w*)", part.get("pattern", "^"))
        kinds: dict[str, Callable[[], Any]] = {
            "array": lambda: [value(part["items"], name), value(part["items"], name)],
            "object": lambda: {"field": name, "received": next(numbers)},
            "boolean": lambda: True,
            "integer": lambda: next(numbers),
            "string": lambda: f"{prefix[1] if prefix else ''}{name} {next(numbers)}",
        }
        if part.get("format") == "date-time":
            return f"2026-03-01T12:00:{next(numbers) % 60:02}.250Z"
        return kinds[part["type"]]()

    return value(schema, "")
