"""Every error that a caller can get, from errors.toml. A test compares them with the service."""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from app.rules.finding import Finding, Severity


@dataclass(frozen=True)
class ErrorAnswer:
    """One error: when it is returned, and an example of its message and details.

    Args:
        known_caller: Whether the API key was recognized before this error; "perhaps" if it depends.
        repeatable: Whether a retry with the same idempotency key can return this error again.
    """

    code: str
    status: int
    when: str
    retry: str
    message: str
    details: Mapping[str, Any] = field(default_factory=dict)
    headers: tuple[str, ...] = ()
    known_caller: Literal["yes", "no", "perhaps"] = "yes"
    repeatable: bool = False

    @property
    def body(self) -> dict[str, Any]:
        """The error as the API returns it."""
        details = {"details": dict(self.details)} if self.details else {}
        return {"error": {"code": self.code, "message": self.message, **details}}


_MISSING = Finding(
    "keyword_missing",
    Severity.BLOCKER,
    "post",
    "The text does not use the keyword “cold brew ratio”: it has no form of “ratio”. Use its words"
    " once where they read best, in any form and order.",
)
# Texts that come from the rules; errors.toml has the rest.
_FROM_RULES: Mapping[str, Mapping[str, Any]] = {
    "CONTENT_QUALITY_FAILED": {
        "message": "The post still breaks 1 of its rules after 2 revisions; the first: post:"
        f" {_MISSING.reason}",
        "details": {"findings": [_MISSING.to_wire()]},
    }
}
ERRORS = tuple(
    ErrorAnswer(
        code,
        **{**error, "headers": tuple(error.get("headers", ())), **_FROM_RULES.get(code, {})},
    )
    for code, error in tomllib.loads(
        Path(__file__).with_name("errors.toml").read_text("utf-8")
    ).items()
)
