"""The body of every error."""

from typing import Any

from pydantic import Field

from app.core.wire import WireModel


class Error(WireModel):
    """What went wrong. New codes may be added; treat one you do not know by its status."""

    code: str
    message: str = Field(description="One sentence for people: what, where, what would be right.")
    details: dict[str, Any] | None = Field(
        None,
        description="What a program can use, by the code: field, problem, allowed, maxAllowed and"
        " received of invalid input; limitType, limit, used and resetAt of a limit.",
    )


class ErrorBody(WireModel):
    """The body of every error."""

    error: Error
