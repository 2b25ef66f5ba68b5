"""Every error that a caller can get, from errors.toml."""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any


@dataclass(frozen=True)
class ErrorAnswer:
    """One error: when it is returned, and an example of its message and details."""

    code: str
    status: int
    when: str
    retry: str
    message: str
    details: Mapping[str, Any] = field(default_factory=dict)
    headers: tuple[str, ...] = ()


_DATA = tomllib.loads(Path(__file__).with_name("errors.toml").read_text("utf-8"))
ERRORS = tuple(
    ErrorAnswer(code, **{**error, "headers": tuple(error.get("headers", ()))})
    for code, error in _DATA.items()
)
