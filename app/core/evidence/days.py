"""Days, months and seasons as ranges of proleptic ordinals, both ends included."""

from calendar import monthrange
from datetime import date


def day_of(year: int, month: int, day: int) -> date | None:
    if not (1 <= year <= 9999 and 1 <= month <= 12 and 1 <= day <= 31):
        return None
    return date(year, month, day) if day <= monthrange(year, month)[1] else None


def span_of(year: int, first: int, last: int) -> tuple[int, int]:
    year = min(max(year, 1), 9998)
    end = date(year, last, monthrange(year, last)[1])
    return date(year, first, 1).toordinal(), end.toordinal()


def season_of(year: int, month: int) -> tuple[int, int]:
    """The three months from the one given; winter is that of the year it ends in."""
    year = min(max(year, 2), 9998)
    if month < 12:
        return span_of(year, month, month + 2)
    return date(year - 1, 12, 1).toordinal(), span_of(year, 2, 2)[1]
