"""What a response says besides its body."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

_LIMIT = re.compile(r'"(?P<name>[a-z]{1,20})";r=(?P<remaining>\d{1,12});t=(?P<reset>\d{1,12})')


@dataclass(frozen=True)
class RateLimit:
    """How many requests a limit still allows, and in how many seconds it is full again."""

    remaining: int
    reset_seconds: int


@dataclass(frozen=True)
class Response:
    """The status and the headers of a response; names of headers are in lower case."""

    status: int
    headers: Mapping[str, str] = field(repr=False)

    @property
    def request_id(self) -> str | None:
        """The id by which the operator finds the request."""
        return self.headers.get("x-request-id")

    @property
    def replayed(self) -> bool:
        """Whether an earlier call with the same idempotency key had this result."""
        return self.headers.get("idempotent-replayed") == "true"

    @property
    def rate_limits(self) -> dict[str, RateLimit]:
        """The limits by name: "minute" of the account, "day" of the key. Empty if not told."""
        return {
            found["name"]: RateLimit(int(found["remaining"]), int(found["reset"]))
            for found in _LIMIT.finditer(self.headers.get("ratelimit", "")[:1000])
        }
