"""Read JSON objects without trusting them: a missing or wrong member gets a default.

The annotations of a model say what it reads: `team_seats: int | None` is the member `teamSeats` if
that is a number, else None. A missing text or list is empty, a missing object has no members, and
anything that ends in `| None` is None.
"""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import cache
from typing import Annotated, Any, Self, get_args, get_origin, get_type_hints

from copydesk.response import Response

Reader = Callable[[Any], Any]


class UnexpectedAnswer(ValueError):
    """A response lacks a required member; the text says which."""


@dataclass(frozen=True)
class Wire:
    """Field metadata: the member's name, and whether it is required."""

    name: str | None = None
    required: bool = False


REQUIRED = Wire(required=True)


@dataclass(frozen=True)
class Received:
    """A part of a response. ``raw`` is the object as received, including unknown members.

    ``response`` has the request id and the rate limits; only what a call returns has one.
    """

    # Too long for a repr, and redundant in a comparison.
    raw: dict[str, Any] = field(default_factory=dict, repr=False, compare=False, kw_only=True)
    response: Response | None = field(default=None, repr=False, compare=False, kw_only=True)

    @classmethod
    def from_wire(cls, data: dict[str, Any]) -> Self:
        """Read a decoded JSON object.

        Raises:
            ValueError: it lacks a required member, such as the id of a job.
        """
        readers = _readers(cls)  # type: ignore[arg-type] # mypy does not know that a class is hashable
        values = {name: read(data) for name, read in readers.items()}
        return cls(**values, raw=data)


def camel(name: str) -> str:
    """Return the JSON name of a field: teamSeats for team_seats."""
    first, *rest = name.split("_")
    return first + "".join(word.capitalize() for word in rest)


@cache
def _readers(model: type[Received]) -> dict[str, Reader]:
    """Return a reader for each field of a model."""
    hints = get_type_hints(model, include_extras=True)
    del hints["raw"], hints["response"]
    return {name: _member_reader(name, hint) for name, hint in hints.items()}


def _member_reader(name: str, hint: Any) -> Reader:
    hint, wire = get_args(hint) if get_origin(hint) is Annotated else (hint, Wire())
    member = wire.name or camel(name)
    read = _reader(hint | None if wire.required else hint)

    def read_member(data: Mapping[str, Any]) -> Any:
        value = read(data.get(member))
        if wire.required and not value:
            raise UnexpectedAnswer(f"it has no {member}")
        return value

    return read_member


def _reader(hint: Any) -> Reader:
    if hint in _PLAIN:
        return _PLAIN[hint]
    kind, *none = get_args(hint) or (hint,)
    if get_origin(hint) is tuple:
        read = _reader(kind | None)
        return lambda value: tuple(
            each for each in map(read, value if isinstance(value, list) else ()) if each is not None
        )
    missing: dict[str, Any] | None = None if none else {}

    def read_object(value: Any) -> Any:
        found = value if isinstance(value, dict) else missing
        return None if found is None else kind.from_wire(found)

    return read_object


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) else None


def _number(value: Any) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    # An int is finite, and may be too large for isfinite().
    return value if isinstance(value, int) or math.isfinite(value) else None


def _time(value: Any) -> datetime | None:
    """Return an ISO 8601 timestamp as datetime; UTC if it has no offset."""
    try:
        moment = datetime.fromisoformat(_text(value) or "")
    except ValueError:
        return None
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


_PLAIN: dict[Any, Reader] = {
    str: lambda value: _text(value) or "",
    str | None: _text,
    bool: lambda value: value is True,
    bool | None: lambda value: value if isinstance(value, bool) else None,
    int | None: lambda value: None if (found := _number(value)) is None else int(found),
    float | None: _number,
    datetime | None: _time,
}


def child(data: Any, key: str) -> dict[str, Any]:
    """Return a member that is an object, or {} if it is missing."""
    value = data.get(key) if isinstance(data, dict) else None
    return value if isinstance(value, dict) else {}


def optional_text(data: Mapping[str, Any], key: str) -> str | None:
    return _text(data.get(key))
