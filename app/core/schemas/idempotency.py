"""Idempotency keys: where a request can have one, and when two bodies are the same."""

import hashlib
import json
from collections.abc import Mapping
from typing import Any

from pydantic import TypeAdapter, ValidationError

from app.core.errors import ValidationFailed
from app.core.schemas.api_model import IdempotencyKey
from app.core.schemas.problems import problem_of

_KEY = TypeAdapter(IdempotencyKey)
_MEMBER = "idempotencyKey"


def key_of(header: str | None, **members: Any) -> str | None:
    """Return the request's key; None if it has none.

    Args:
        members: The fields of the body that can hold the key, with their values. If one is not a
            valid key, there is none: the parser of the body refuses it.

    Raises:
        ValidationFailed: The header is not a valid key, or two places have different keys.
    """
    given = {}
    if header is not None:
        try:
            given["Idempotency-Key"] = _KEY.validate_python(header)
        except ValidationError as invalid:
            problem = f"The header Idempotency-Key {problem_of(invalid.errors()[0])}."
            raise ValidationFailed(problem, {"field": "Idempotency-Key"}) from None
    for name, value in members.items():
        if value is None:
            continue
        try:
            given[name] = _KEY.validate_python(value)
        except ValidationError:
            return None
    if len(set(given.values())) > 1:
        places = " and ".join(given)
        raise ValidationFailed(
            f"{places} differ: give the key once, or the same one in both.", {"field": _MEMBER}
        )
    return next(iter(given.values()), None)


def fingerprint(body: Mapping[str, Any]) -> str:
    """Return the SHA-256 of the request's canonical JSON without its key.

    The order of members, white space, the spelling of numbers (800, 800.0) and null members make no
    difference. Every value does.
    """
    text = json.dumps(_canonical(body), ensure_ascii=True, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()


def _canonical(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {
            key: _canonical(child)
            for key, child in value.items()
            if key != _MEMBER and child is not None
        }
    if isinstance(value, list):
        return [_canonical(child) for child in value]
    if isinstance(value, float) and value.is_integer():
        return int(value)
    return value
