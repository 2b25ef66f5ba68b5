"""Reading JSON objects without trusting them: what is absent or of another type has a default."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any


@dataclass(frozen=True)
class Received:
    """A part of an answer; ``raw`` is the object as it was received, new fields included."""

    # Too long for a repr, and equal where the rest is.
    raw: dict[str, Any] = field(default_factory=dict, repr=False, compare=False, kw_only=True)


class UnexpectedAnswer(ValueError):
    """An answer without the one thing that makes it usable; the text says which."""


def required_text(data: Mapping[str, Any], key: str) -> str:
    value = text(data, key)
    if not value:
        raise UnexpectedAnswer(f"it has no {key}")
    return value


def required_child(data: Mapping[str, Any], key: str) -> dict[str, Any]:
    value = data.get(key)
    if not isinstance(value, dict):
        raise UnexpectedAnswer(f"it has no {key}")
    return value


def text(data: Mapping[str, Any], key: str) -> str:
    return optional_text(data, key) or ""


def optional_text(data: Mapping[str, Any], key: str) -> str | None:
    value = data.get(key)
    return value if isinstance(value, str) else None


def optional_bool(data: Mapping[str, Any], key: str) -> bool | None:
    value = data.get(key)
    return value if isinstance(value, bool) else None


def optional_number(data: Mapping[str, Any], key: str) -> float | None:
    value = data.get(key)
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        return None
    return value


def optional_int(data: Mapping[str, Any], key: str) -> int | None:
    value = optional_number(data, key)
    return None if value is None else int(value)


def child(data: Mapping[str, Any], key: str) -> dict[str, Any]:
    value = data.get(key)
    return value if isinstance(value, dict) else {}


def children(data: Mapping[str, Any], key: str) -> list[dict[str, Any]]:
    value = data.get(key)
    return [entry for entry in value if isinstance(entry, dict)] if isinstance(value, list) else []


def texts(data: Mapping[str, Any], key: str) -> tuple[str, ...]:
    value = data.get(key)
    return (
        tuple(entry for entry in value if isinstance(entry, str)) if isinstance(value, list) else ()
    )


def optional_time(data: Mapping[str, Any], key: str) -> datetime | None:
    """An ISO 8601 timestamp; one without an offset is in UTC."""
    try:
        moment = datetime.fromisoformat(text(data, key))
    except ValueError:
        return None
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)
