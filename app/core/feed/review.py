"""How the posts of a feed are reviewed before they appear."""

import re
from dataclasses import dataclass

from app.core.errors import ValidationFailed

HOLD = "hold"
"""The review of a feed whose items begin as held."""
MAX_HOURS = 8_760
_EMAIL = re.compile(r"[^\s@<>,;\"\\]{1,64}@[^\s@<>,;\"\\]{1,190}", re.ASCII)


@dataclass(frozen=True)
class Policy:
    """The review of a feed.

    Args:
        review: “none”, or “hold”: each new item waits for a person.
        hours: after how many hours an item that still waits is approved or rejected; None: never.
        then: which of them: “approve” or “reject”; None only without hours.
        email: who is reminded once a day of what waits; None: nobody.

    Raises:
        ValidationFailed: members are invalid; details name each.
    """

    review: str = "none"
    hours: int | None = None
    then: str | None = None
    email: str | None = None

    def __post_init__(self) -> None:
        is_email = self.email is None or _EMAIL.fullmatch(self.email)
        is_time = self.hours is None or 1 <= self.hours <= MAX_HOURS
        is_decided = self.then in {"approve", "reject"} or (self.then, self.hours) == (None, None)
        valid = {
            "review": (self.review in {"none", HOLD}, f"none or {HOLD}"),
            "hours": (is_time, f"a whole number from 1 to {MAX_HOURS}"),
            "then": (is_decided, "approve or reject if there are hours"),
            "email": (is_email, "an e-mail address"),
        }
        faults = [
            {"field": name, "problem": f"must be {allowed}"}
            for name, (is_valid, allowed) in valid.items()
            if not is_valid
        ]
        if faults:
            message = " ".join("{field} {problem}.".format(**fault) for fault in faults)
            raise ValidationFailed(message, {**faults[0], "errors": faults})
