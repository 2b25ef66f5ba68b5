"""The clock of the machine."""

from datetime import UTC, datetime

from app.ports import Clock


class SystemClock(Clock):
    def now(self) -> datetime:
        return datetime.now(UTC)
