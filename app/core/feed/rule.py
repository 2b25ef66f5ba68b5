"""The schedule of a rule: how often it runs, which slot comes next, and why it waits.

``services/rules.py`` creates rules and starts their first run.
"""

import re
from dataclasses import dataclass
from datetime import datetime, timedelta

from app.core.billing.metering import next_midnight
from app.core.errors import ValidationFailed

# The shortest frequency of a rule; how often rules are checked is a setting.
MIN_EVERY = timedelta(minutes=15)
MAX_EVERY = timedelta(days=30)
_UNITS = {"m": "minutes", "h": "hours", "d": "days"}
# A rule with this many waiting items waits until some are pulled.
QUEUE_CAP = 100
SATURATED = "SATURATED"
SPEND_CAP = "SPEND_CAP"
NOTHING_LEFT = "Every editorial angle of each keyword has a post."
"""Why a rule is saturated."""
_DAY = timedelta(days=1)


def parse_every(text: str) -> timedelta:
    """Return a frequency such as `30m`, `1h`, `12h` or `7d` as a timedelta.

    Raises:
        ValidationFailed: not of that form, or outside 15 minutes to 30 days.
    """
    match = re.fullmatch(r"\s*(\d{1,5})\s*([mhd])\s*", text)
    if not match:
        raise ValidationFailed(
            f"every must be a number and m, h or d, such as 30m, 1h or 7d; it is “{text[:40]}”.",
            {"field": "every", "received": text[:40]},
        )
    every = timedelta(**{_UNITS[match.group(2)]: int(match.group(1))})
    if not MIN_EVERY <= every <= MAX_EVERY:
        raise ValidationFailed(
            f"every must be between 15m and 30d; it is {text.strip()}.",
            {"field": "every", "received": text},
        )
    return every


def format_every(every: timedelta) -> str:
    """Return the shortest spelling of a frequency: `90m`, `12h`, `7d`."""
    minutes = int(every.total_seconds()) // 60
    if minutes % (24 * 60) == 0:
        return f"{minutes // (24 * 60)}d"
    return f"{minutes // 60}h" if minutes % 60 == 0 else f"{minutes}m"


def _slot_after(moment: datetime, due: datetime, every: timedelta) -> datetime:
    """Return the first slot of the grid after a moment, whether that is before or after ``due``."""
    slots: int = (due - moment - timedelta.resolution) // every
    return due - slots * every


@dataclass(frozen=True)
class SchedulePolicy:
    """The operator's limits. ``daily`` is the restricted tier: at most one slot of a rule per day
    (UTC). ``queue_cap`` is the number of waiting items with which a rule waits."""

    daily: bool = False
    queue_cap: int = QUEUE_CAP

    def next_slot(self, due: datetime, every: timedelta, now: datetime) -> datetime:
        """Return the first slot after now, of a rule with a slot at ``due``. Missed slots merge
        into the one that runs now; no drift."""
        slot = _slot_after(now, due, self._every(every))
        # A slot that ran late, just after midnight, would allow another today.
        return slot if not self.daily or slot.date() > now.date() else next_midnight(now)

    def longest_pause(self, every: timedelta, *, failing: bool) -> timedelta:
        """Return how long a rule waits for its next slot at most."""
        return self._every(every) + (_DAY if failing else timedelta())

    def brought_forward(self, due: datetime, every: timedelta, now: datetime) -> datetime:
        """Return the next slot of a rule that no longer has to wait."""
        return due if self.daily or due <= now else _slot_after(now, due, every)

    def _every(self, every: timedelta) -> timedelta:
        return max(every, _DAY) if self.daily else every


def slot_after_failure(
    due: datetime, every: timedelta, now: datetime, failures: int, *, repeats: bool = False
) -> datetime:
    """Return the first slot after a wait of the rule's frequency, doubled with each further failure
    in a row, up to a day.

    Args:
        repeats: the model had nothing new to say, and will hardly have it sooner than in a day.
    """
    # Ten doublings of 15 minutes exceed a day; more would overflow.
    wait = _DAY if repeats else min(every * 2 ** min(max(0, failures - 1), 10), _DAY)
    return max(due, _slot_after(now + wait - timedelta.resolution, due, every))
