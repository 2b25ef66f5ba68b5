"""Recognisers of dates and times, absolute and relative to the day of their page.

Each takes a sentence and the index of a token, and returns the fact that begins there with the
index after it, or None.
"""

from collections.abc import Mapping, Sequence
from datetime import date
from functools import cache

from babel import Locale

from app.core.facts.fact import FactKind, When
from app.core.facts.numbers import number_at
from app.core.facts.scanner import Found, Scanner

# The first month of each season.
_SEASONS = {"spring": 3, "summer": 6, "autumn": 9, "winter": 12}
_MAX_AGO_MONTHS = 12 * 500
_WEEK_SECONDS = 604_800
_DAY_SECONDS = 86_400


def numeric_date(scanner: Scanner, at: int) -> Found | None:
    """14.05.2024, 2024-05-14, 14/05/2024; in English 05/14/2024 as well."""
    token = scanner.tokens[at]
    parts = token.text.split(".")
    if len(parts) == 3 and all(part.isdecimal() and len(part) <= 4 for part in parts):
        day, month, year = map(int, parts)
        return _dated(scanner, at, at + 1, [_day(year, month, day)] if len(parts[2]) == 4 else [])
    sign = scanner.low(at + 1)
    if sign not in {"-", "/"} or scanner.low(at + 3) != sign or not scanner.touches(at + 1):
        return None
    first, second, third = (_integer(scanner, at + step, 1, 2999) for step in (0, 2, 4))
    if not (first and second and third):
        return None
    days = []
    if len(token.text) == 4:
        days.append(_day(first, second, third))
    elif len(scanner.low(at + 4)) == 4:
        days.append(_day(third, second, first))
        if scanner.vocabulary.language == "en":
            days.append(_day(third, first, second))
    return _dated(scanner, at, at + 5, days)


def day_first(scanner: Scanner, at: int) -> Found | None:
    """14 May 2024, the 14th of May, 14. Mai, 14 de mayo de 2024, 1er mai."""
    day = _integer(scanner, at, 1, 31)
    if day is None:
        return None
    end = _after_ordinal_ending(scanner, at + 1, ".")
    end += scanner.low(end) in scanner.words.dates.joiners
    month = _month(scanner, end)
    if month is None:
        return None
    year, end = _year_after(scanner, end + 1)
    return _date(scanner, at, end, _resolved(scanner.anchor, year, month, day))


def _is_hour(scanner: Scanner, at: int) -> bool:
    """Whether a number is an hour: “until mid-March 8 a.m. to 4 p.m.”"""
    after = "".join(scanner.low(at + step) for step in (1, 2, 3))
    return after in {"a.m", "p.m"} or scanner.low(at + 1) in {"am", "pm"}


def month_first(scanner: Scanner, at: int) -> Found | None:
    """May 14, 2024; May 2024; in May."""
    month = _month(scanner, at)
    if month is None:
        return None
    word, words = scanner.low(at), scanner.words.dates
    end = at + 1 + (scanner.low(at + 1) == "." and scanner.touches(at + 1) and len(word) < 5)
    day = _integer(scanner, end, 1, 31) if scanner.vocabulary.language == "en" else None
    if day and (
        (scanner.low(end + 1) == "%" and scanner.touches(end + 1)) or _is_hour(scanner, end)
    ):
        day = None
    if day:
        end = _after_ordinal_ending(scanner, end + 1)
    year, end = _year_after(scanner, end)
    if not (day or year) and word in words.ambiguous_months:
        before = scanner.low(at - 1)
        if before not in words.before_month and before != "-":
            return None
    return _date(scanner, at, end, _resolved(scanner.anchor, year, month, day))


def year(scanner: Scanner, at: int) -> Found | None:
    """2024, the 1990s; but not 2024 euros."""
    year = _integer(scanner, at, 1500, 2099)
    if year is None or len(scanner.low(at)) != 4:
        return None
    after, before = scanner.low(at + 1), scanner.low(at - 1)
    if after == "s" and scanner.touches(at + 1) and year % 10 == 0:
        return _date(scanner, at, at + 2, When(ranges=(_months(year * 12, 120),)))
    is_percentage = after == "%" or scanner.phrase_end(at + 1, scanner.words.shares.percent)
    if scanner.unit(at + 1)[0] or is_percentage:
        return None
    if after[:1].isalpha() and before not in scanner.words.dates.before_year | {"(", ","}:
        return None
    return _date(scanner, at, at + 1, When(year, ranges=(_months(year * 12, 12),)))


def clock_time(scanner: Scanner, at: int) -> Found | None:
    """15:30, 3 pm, 3:30 p.m., 15 Uhr, 15.30 Uhr."""
    is_clock = scanner.low(at + 1) == ":" and scanner.touches(at + 1) and scanner.touches(at + 2)
    end = at + (3 if is_clock else 1)
    half = scanner.low(end)
    dotted = half in {"a", "p"} and scanner.low(end + 1) == "." and scanner.low(end + 2) == "m"
    is_half, is_full = dotted or half in {"am", "pm"}, half in scanner.words.dates.oclock
    if not (is_clock or is_half or is_full):
        return None
    text = scanner.tokens[at].text
    parts = [text, scanner.low(at + 2)] if is_clock else text.split(".")
    if len(parts) > 2 or not all(part.isdecimal() and len(part) <= 2 for part in parts):
        return None
    hour, minute = int(parts[0]), int(parts[1]) if len(parts) == 2 else 0
    if is_half:
        hour = hour % 12 + (12 if half[0] == "p" else 0)
        end += 3 + (scanner.low(end + 3) == ".") if dotted else 1
    elif is_full:
        end += 1
    elif len(parts[1]) != 2:
        return None
    if hour > 24 or minute > 59:
        return None
    return scanner.fact(FactKind.TIME, at, end, float(hour * 60 + minute), unit="time")


def relative_date(scanner: Scanner, at: int) -> Found | None:
    """Yesterday, last May, this year, next week, mai dernier."""
    words, word, anchor = scanner.words.dates, scanner.low(at), scanner.anchor
    step = (word in words.tomorrow) - (word in words.yesterday)
    if step:
        return _date(scanner, at, at + 1, When(ranges=_around(anchor, step, step)))
    for adjectives, step in ((words.past, -1), (words.coming, 1), (words.present, 0)):
        if word in adjectives and (when := _period(scanner, at + 1, step)):
            return _date(scanner, at, at + 2, when)
        follows = words.adjectives_follow and scanner.low(at + 1) in adjectives
        if step and follows and (when := _period(scanner, at, step)):
            return _date(scanner, at, at + 2, when)
    return None


def weekday(scanner: Scanner, at: int) -> Found | None:
    """ "on Friday": any such day within a week of the page's own."""
    weekday = _names(scanner)[1].get(scanner.low(at))
    if weekday is None or not _has_its_capital(scanner, at):
        return None
    today = scanner.anchor.toordinal() if scanner.anchor else 0
    days = range(today - 7, today + 8) if today else ()
    ranges = tuple((day, day) for day in days if (day - 1) % 7 == weekday)
    return _date(scanner, at, at + 1, When(ranges=ranges, weekday=weekday))


def ago(scanner: Scanner, at: int) -> Found | None:
    """Three years ago, vor drei Jahren."""
    number = scanner.phrase_end(at, scanner.words.dates.ago_before) or at
    if number == at and not scanner.has(scanner.words.dates.ago_after):
        return None
    count = number_at(scanner, number)
    unit, after = scanner.unit(count.end) if count else (None, 0)
    if count is None or unit is None or unit.dimension not in {"duration", "calendar"}:
        return None
    if number == at:
        if scanner.low(after) not in scanner.words.dates.ago_after:
            return None
        after += 1
    if scanner.anchor is None:
        return _date(scanner, at, after, When())
    if unit.dimension == "calendar":
        months = int(count.value * unit.factor)
        if months > _MAX_AGO_MONTHS:
            return None
        first = _month_of(scanner.anchor) - months
        span = _months(first // 12 * 12, 12) if unit.factor >= 12 else _months(first, 1)
        return _date(scanner, at, after, When(ranges=(span,)))
    days = int(count.value * unit.factor / _DAY_SECONDS)
    if days > _MAX_AGO_MONTHS * 30:
        return None
    slack = 3 if unit.factor >= _WEEK_SECONDS else 0
    ranges = _around(scanner.anchor, -days - slack, -days + slack)
    return _date(scanner, at, after, When(ranges=ranges))


def _date(scanner: Scanner, at: int, end: int, when: When) -> Found:
    return scanner.fact(FactKind.DATE, at, end, float(when.year or 0), unit="date", when=when)


def _dated(scanner: Scanner, at: int, end: int, days: Sequence[date | None]) -> Found | None:
    """A date that may be any of these days; the first that the calendar has is shown."""
    known = [day for day in dict.fromkeys(days) if day]
    if not known:
        return None
    ranges = tuple((day.toordinal(), day.toordinal()) for day in known)
    first = known[0]
    return _date(scanner, at, end, When(first.year, first.month, first.day, ranges))


def _integer(scanner: Scanner, at: int, low: int, high: int) -> int | None:
    text = scanner.low(at)
    if not text.isdecimal() or len(text) > 4:
        return None
    return int(text) if low <= int(text) <= high else None


def _after_ordinal_ending(scanner: Scanner, at: int, other: str = "") -> int:
    ending = scanner.low(at)
    is_ending = ending in scanner.words.numbers.ordinal_endings or (ending and ending == other)
    return at + 1 if is_ending and scanner.touches(at) else at


def _year_after(scanner: Scanner, at: int) -> tuple[int | None, int]:
    """A year, after a comma or "of" or not, and the index after it; None and ``at`` if missing."""
    skipped = scanner.low(at) in {",", "."} or scanner.low(at) in scanner.words.dates.joiners
    year = _integer(scanner, at + skipped, 1000, 2999)
    return (year, at + skipped + 1) if year else (None, at)


def _resolved(anchor: date | None, year: int | None, month: int, day: int | None) -> When:
    """The day or month; if the year is missing, the two that are nearest to the page's date."""
    years = [year] if year else [anchor.year + step for step in (-1, 0, 1)] if anchor else []
    if day is None:
        spans = [_months(each * 12 + month - 1, 1) for each in years]
    else:
        days = [found.toordinal() for each in years if (found := _day(each, month, day))]
        spans = [(found, found) for found in days]
    if year is None and anchor:
        today = anchor.toordinal()
        spans = sorted(spans, key=lambda span: abs(span[0] - today))[:2]
    return When(year, month, day, tuple(spans))


def _period(scanner: Scanner, at: int, step: int) -> When | None:
    """The year, month, week or season before (-1), after (1) or around (0) the anchor."""
    name, anchor, words = scanner.low(at), scanner.anchor, scanner.words.dates
    month, season, period = _month(scanner, at), words.seasons.get(name), words.periods.get(name)
    if not (month or season or period):
        return None
    loose = step == 0
    if anchor is None:
        return When(month=month, loose=loose)
    if month or season:
        today, first = anchor.toordinal(), _SEASONS[season] if season else month or 1
        # A winter belongs to the year in which it ends.
        begin = first - 1 - 12 * (season == "winter")
        count = 3 if season else 1
        spans = [_months((anchor.year + years) * 12 + begin, count) for years in range(-2, 3)]
        if step < 0:
            spans = [span for span in spans if span[1] < today][-1:]
        elif step > 0:
            spans = [span for span in spans if span[0] > today][:1]
        else:
            spans = spans[2:3]
        return When(month=month, ranges=tuple(spans), loose=loose)
    if period == "week":
        monday = -anchor.weekday() + 7 * step
        return When(ranges=_around(anchor, monday - (step < 0), monday + 6), loose=loose)
    size = {"year": 12, "month": 1}.get(period or "", 3)
    span = _months((_month_of(anchor) // size + step) * size, size)
    return When(anchor.year + step if period == "year" else None, ranges=(span,), loose=loose)


def _month(scanner: Scanner, at: int) -> int | None:
    month = _names(scanner)[0].get(scanner.low(at))
    return month if month and _has_its_capital(scanner, at) else None


def _has_its_capital(scanner: Scanner, at: int) -> bool:
    """May and March are words as well, if they have no capital."""
    return scanner.tokens[at].is_capitalised or not scanner.words.dates.capitalised_months


def _names(scanner: Scanner) -> tuple[Mapping[str, int], Mapping[str, int]]:
    return calendar_names(scanner.vocabulary.language) if scanner.vocabulary.is_known else ({}, {})


@cache
def calendar_names(language: str) -> tuple[Mapping[str, int], Mapping[str, int]]:
    """Return the numbers of months and of weekdays (Monday is 0) by their names in lower case."""
    locale = Locale(language)
    months = {
        name.lower().rstrip("."): number
        for form in ("format", "stand-alone")
        for width in ("wide", "abbreviated")
        for number, name in locale.months[form][width].items()
    }
    days = {name.lower(): number for number, name in locale.days["format"]["wide"].items()}
    return months, days


def _around(anchor: date | None, first: int, last: int) -> tuple[tuple[int, int], ...]:
    """The range of these days from the anchor, if there is one."""
    return ((anchor.toordinal() + first, anchor.toordinal() + last),) if anchor else ()


def _day(year: int, month: int, day: int) -> date | None:
    """The date, None if the calendar has no such day."""
    try:
        return date(year, month, day)
    except ValueError:
        return None


def _month_of(day: date) -> int:
    """The number of a month, counted from January of the year 0."""
    return day.year * 12 + day.month - 1


def _months(first: int, count: int) -> tuple[int, int]:
    """The first and the last day of some months in a row; the first as `_month_of` counts it."""
    first = min(max(first, 12), 9998 * 12 + 11)
    begin, after = (date(at // 12, at % 12 + 1, 1) for at in (first, first + count))
    return begin.toordinal(), after.toordinal() - 1
