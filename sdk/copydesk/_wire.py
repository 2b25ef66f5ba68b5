"""Reading JSON objects without trusting them: what is absent or of another type has a default.

A model's annotations say what it reads: `team_seats: int | None` is the member `teamSeats` where
that is a number, else None. A text that should be there and is not is empty, so is a list, and an
object is read as one without members; whatever ends in `| None` is None.
"""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import cache
from typing import Annotated, Any, Self, get_args, get_origin, get_type_hints

Reader = Callable[[Any], Any]


class UnexpectedAnswer(ValueError):
    """An answer without the one thing that makes it usable; the text says which."""


@dataclass(frozen=True)
class Wire:
    """What an annotation cannot say: the member's name, and that nothing works without it."""

    name: str | None = None
    required: bool = False


REQUIRED = Wire(required=True)


@dataclass(frozen=True)
class Received:
    """A part of an answer; ``raw`` is the object as it was received, new members included."""

    # Too long for a repr, and equal where the rest is.
    raw: dict[str, Any] = field(default_factory=dict, repr=False, compare=False, kw_only=True)

    @classmethod
    def from_wire(cls, data: dict[str, Any]) -> Self:
        """Read a decoded JSON object.

        Raises:
            ValueError: it lacks what makes it usable, such as the id of a job.
        """
        readers = _readers(cls)  # type: ignore[arg-type] # a class is hashable, whatever mypy says
        values = {name: read(data) for name, read in readers.items()}
        return cls(**values, raw=data)


def camel(name: str) -> str:
    """The name of a member of the interface: team_seats is teamSeats there."""
    first, *rest = name.split("_")
    return first + "".join(word.capitalize() for word in rest)


@cache
def _readers(model: type[Received]) -> dict[str, Reader]:
    """What reads each field of a model from the whole object."""
    hints = get_type_hints(model, include_extras=True)
    del hints["raw"]
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
            entry for entry in map(read, _entries(value)) if entry is not None
        )
    if none:
        return lambda value: kind.from_wire(value) if isinstance(value, dict) else None
    return lambda value: kind.from_wire(value if isinstance(value, dict) else {})


def _entries(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) else None


def _truth(value: Any) -> bool | None:
    return value if isinstance(value, bool) else None


def _number(value: Any) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    # An int is finite, and may be too large for the question.
    return value if isinstance(value, int) or math.isfinite(value) else None


def _whole(value: Any) -> int | None:
    number = _number(value)
    return None if number is None else int(number)


def _time(value: Any) -> datetime | None:
    """An ISO 8601 timestamp; one without an offset is in UTC."""
    try:
        moment = datetime.fromisoformat(_text(value) or "")
    except ValueError:
        return None
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


_PLAIN: dict[Any, Reader] = {
    str: lambda value: _text(value) or "",
    str | None: _text,
    bool: lambda value: value is True,
    bool | None: _truth,
    int | None: _whole,
    float | None: _number,
    datetime | None: _time,
}


def child(data: Mapping[str, Any], key: str) -> dict[str, Any]:
    """The object that is a member of another; one without members where it is absent."""
    value = data.get(key)
    return value if isinstance(value, dict) else {}


def optional_text(data: Mapping[str, Any], key: str) -> str | None:
    return _text(data.get(key))
