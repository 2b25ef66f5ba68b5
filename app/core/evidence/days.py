"""Days, months and seasons as ranges of proleptic ordinals, both ends included."""

from datetime import date


def day_of(year: int, month: int, day: int) -> date | None:
    """The date; None where the calendar has none such."""
    try:
        return date(year, month, day)
    except ValueError:
        return None


def span_of(year: int, first: int, last: int) -> tuple[int, int]:
    """From the first day of one month to the last day of another in the same year."""
    year = min(max(year, 1), 9998)
    after = date(year + last // 12, last % 12 + 1, 1)
    return date(year, first, 1).toordinal(), after.toordinal() - 1


def season_of(year: int, month: int) -> tuple[int, int]:
    """The three months from the one given; winter is that of the year it ends in."""
    year = min(max(year, 2), 9998)
    if month < 12:
        return span_of(year, month, month + 2)
    return date(year - 1, 12, 1).toordinal(), span_of(year, 2, 2)[1]
