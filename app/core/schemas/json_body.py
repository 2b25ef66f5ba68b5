"""Decoding of JSON bodies: strict, in UTF-8, and without repeated members."""

import json
from collections import Counter
from typing import Any, NoReturn

from app.core.errors import ValidationFailed

# 10,000 words. What the rules need for so long a text is the most that one call may cost.
MAX_BODY_BYTES = 64 * 1024
_BOM = b"\xef\xbb\xbf"
_MAX_DEPTH = 50
_MAX_DIGITS = 40
_SHOWN_CHARS = 60


def decode(raw: bytes) -> Any:
    """Return the value of a JSON text.

    Raises:
        ValidationFailed: The text is not UTF-8, not JSON or nested deeper than 50, or an object has
            a member twice; ``details.field`` is the name of that member.
    """
    if raw.startswith(_BOM):
        raise _wrong("The body begins with a byte order mark (BOM). Send UTF-8 without one.")
    repeated: list[str] = []

    def members(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found = dict(pairs)
        if len(found) < len(pairs):
            repeated.append(Counter(name for name, _ in pairs).most_common(1)[0][0])
        return found

    reader = json.JSONDecoder(
        object_pairs_hook=members, parse_constant=_no_constant, parse_int=_whole
    )
    try:
        body = reader.decode(raw.decode("utf-8"))
    except UnicodeDecodeError as error:
        raise _wrong(f"The body is not UTF-8 (at byte {error.start}).") from None
    except json.JSONDecodeError as error:
        raise _wrong(
            f"The body is not valid JSON: {error.msg.lower()} at line {error.lineno},"
            f" column {error.colno}.",
            line=error.lineno,
            column=error.colno,
        ) from None
    except (RecursionError, ValueError) as error:
        raise _wrong(f"The body is not valid JSON: {error}.") from None
    if _deeper_than(body, _MAX_DEPTH):
        raise _wrong(f"The body is nested deeper than {_MAX_DEPTH}.")
    if repeated:
        field = _shown(repeated[0])
        raise ValidationFailed(
            f"{field} is given more than once. Give each member of an object once.",
            {"field": field, "problem": "is given more than once"},
        )
    return body


def _wrong(message: str, **details: int) -> ValidationFailed:
    return ValidationFailed(message, {"field": "", **details})


def _shown(name: str) -> str:
    if len(name) > _SHOWN_CHARS:
        name = f"{name[:_SHOWN_CHARS]}…"
    return name if name.isprintable() else json.dumps(name)


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not a JSON number")


def _whole(digits: str) -> int:
    if len(digits) > _MAX_DIGITS:
        raise ValueError(f"a number has {len(digits)} digits; at most {_MAX_DIGITS} are read")
    return int(digits)


def _deeper_than(value: Any, depth: int) -> bool:
    level = [value]
    for _ in range(depth):
        level = [
            child
            for entry in level
            if isinstance(entry, dict | list)
            for child in (entry.values() if isinstance(entry, dict) else entry)
        ]
        if not level:
            return False
    return True
