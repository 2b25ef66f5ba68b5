"""JSON Schemas in words, for the API reference."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from markupsafe import Markup, escape

_NAMES = {"integer": "whole number", "boolean": "true or false"}


@dataclass(frozen=True)
class Field:
    """One member of an object."""

    name: str
    kind: Markup
    required: bool
    description: str
    default: str | None


def fields(schema: Mapping[str, Any], shapes: Mapping[str, Any]) -> list[Field]:
    """Return the members of an object's schema. ``shapes`` are the named schemas."""
    required = schema.get("required", [])
    return [
        Field(
            name=name,
            kind=in_words(member, shapes),
            required=name in required,
            description=member.get("description", ""),
            default=_default(member),
        )
        for name, member in schema.get("properties", {}).items()
    ]


def _default(member: Mapping[str, Any]) -> str | None:
    default = member.get("default")
    if default is None or default == []:
        return None
    return str(default).lower() if isinstance(default, bool) else str(default)


def in_words(schema: Mapping[str, Any], shapes: Mapping[str, Any]) -> Markup:
    """Return the type in words: ``array of 1 to 20 Keyword``, with links to named schemas."""
    if "$ref" in schema:
        name = schema["$ref"].rpartition("/")[2]
        if "enum" in shapes[name]:
            return in_words(shapes[name], shapes)
        return Markup('<a href="#{0}">{0}</a>').format(name)
    choices = schema.get("anyOf") or schema.get("oneOf")
    if choices:
        # Null counts as absent; the introduction says so once for all requests.
        real = [in_words(choice, shapes) for choice in choices if choice.get("type") != "null"]
        return Markup(" or ").join(real)
    if "const" in schema:
        return _code(schema["const"])
    if "enum" in schema:
        return Markup(", ").join(_code(value) for value in schema["enum"])
    if schema.get("type") == "array":
        count = _range(schema, "minItems", "maxItems")
        entries = in_words(schema["items"], shapes)
        return Markup("array of {}{}").format(f"{count} " if count else "", entries)
    return escape(_plain(schema))


def _plain(schema: Mapping[str, Any]) -> str:
    kind = str(schema.get("type", "any value"))
    name = _NAMES.get(kind, kind)
    if kind == "integer":
        bounds = _range(schema, "minimum", "maximum")
        return f"{name}, {bounds}" if bounds else name
    if "maxLength" in schema:
        return f"{name}, at most {schema['maxLength']:,} characters"
    return name


def _range(schema: Mapping[str, Any], lowest: str, highest: str) -> str:
    low, high = schema.get(lowest), schema.get(highest)
    if high is None:
        return f"{low:,} or more" if low else ""
    return f"{low:,} to {high:,}" if low is not None else f"at most {high:,}"


def _code(value: Any) -> Markup:
    text = str(value).lower() if isinstance(value, bool) else str(value)
    return Markup("<code>{}</code>").format(text)
