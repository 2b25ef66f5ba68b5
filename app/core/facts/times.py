"""Days, times, ages and centuries of one sentence that cannot be right."""

import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from itertools import pairwise

from babel import Locale

from app.core.facts.dates import calendar_names
from app.core.facts.fact import Fact, FactKind
from app.core.facts.reading import Mistake, Reading, plain
from app.core.facts.scanner import Token

_MINUTES_OF_DAY = 24 * 60
# "lasts three hours, from": a longer gap may speak of something else.
_MOST_BEFORE_HOURS = 3
_MOST_BEFORE = 4
_LEAST_MONTH = 3
# "from 1977 to 1997, so for 14 years"
_MOST_BESIDE_YEARS = 4


def mistakes_in_times(reading: Reading) -> Iterator[Mistake]:
    """Yield days that the calendar does not have, wrong weekdays and wrong spans of time."""
    yield from _days(reading)
    yield from _weekdays(reading)
    yield from _hours(reading)
    yield from _clock(reading)
    yield from _years(reading)
    yield from _lives(reading)
    yield from _ages(reading)
    yield from _anniversaries(reading)
    yield from _centuries(reading)
    yield from _events(reading)


_LAST_DAY, _MOST_DAY = 31, 99
_MONTHS, _MOST_NUMERIC = 12, 39
_DATE = re.compile(
    r"(?<![\d/.-])(?:(\d{1,2})([/.-])(\d{1,2})\2([12]\d{3})|([12]\d{3})-(\d{2})-(\d{2}))(?![\d/.-]\d|\d)"
)
_MONTH_DAYS = (31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)


def _days(reading: Reading) -> Iterator[Mistake]:
    for fact in reading.facts:
        when = fact.when
        if when is None or not when.day or not when.month or len(fact.text) > 40:
            continue
        days = _MONTH_DAYS[when.month - 1]
        if when.month == 2 and when.year and not _is_leap(when.year):
            days = 28
        if when.day > days:
            problem = f"There is no {fact.text}: that month has {days} days."
            yield Mistake(fact.span, problem)
    yield from _high_days(reading)
    yield from _numeric_days(reading)


def _high_days(reading: Reading) -> Iterator[Mistake]:
    """ "32 June", "March 33": no date to a reader of values, as no month has that day."""
    if not any(_LAST_DAY < fact.low <= _MOST_DAY for fact in reading.facts if not fact.unit):
        return
    tokens, months = reading.tokens, calendar_names(reading.words.language)[0]
    for at, token in enumerate(tokens):
        if not (token.text.isdecimal() and len(token.text) == 2):
            continue
        if not _LAST_DAY < int(token.text) <= _MOST_DAY:
            continue
        behind = at + 1 + (at + 1 < len(tokens) and tokens[at + 1].low in {".", "de", "of", "th"})
        if behind < len(tokens) and _is_month(tokens[behind], reading, months):
            span = token.start, tokens[behind].end
        elif at and _is_month(tokens[at - 1], reading, months) and _ends_day(tokens[at + 1 :]):
            span = tokens[at - 1].start, token.end
        else:
            continue
        yield Mistake(span, f"There is no {reading.sentence.text[slice(*span)]}.")


def _is_month(token: Token, reading: Reading, months: Mapping[str, int]) -> bool:
    is_written = token.is_capitalised or not reading.words.words.dates.capitalised_months
    return token.low in months and len(token.low) >= _LEAST_MONTH and is_written


def _ends_day(after: Sequence[Token]) -> bool:
    return not after or after[0].low in {",", ".", ")", "on"}


def _numeric_days(reading: Reading) -> Iterator[Mistake]:
    """ "31/04/2023", "2023-02-30"."""
    for match in _DATE.finditer(reading.sentence.text):
        first, _, second, year, *iso = match.groups()
        if year is None:
            year, first, second = iso
        one, other = int(first), int(second)
        if min(one, other) > _MONTHS or max(one, other) > _MOST_NUMERIC:
            continue  # 1987-88-89
        if not any(_exists(int(year), *pair) for pair in ((one, other), (other, one))):
            yield Mistake(match.span(), f"There is no day {match[0]}.")


def _exists(year: int, month: int, day: int) -> bool:
    try:
        date(year, month, day)
    except ValueError:
        return False
    return True


def _is_leap(year: int) -> bool:
    return year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)


def _weekdays(reading: Reading) -> Iterator[Mistake]:
    for one, other in pairwise(reading.facts):
        first, second = one.when, other.when
        if first is None or second is None:
            continue
        if (first.weekday is None) == (second.weekday is None):
            continue
        gap = reading.between(one.span[1], other.span[0])
        if len(gap) > 2 or any(word.isalpha() and len(word) > 4 for word in gap):
            continue
        day, weekday = (second, first) if first.weekday is not None else (first, second)
        if not day.year or not day.day or not day.ranges or weekday.weekday is None:
            continue
        days = {(begin - 1) % 7 for begin, end in day.ranges if begin == end}
        if days and weekday.weekday not in days:
            is_first = first.weekday is not None
            weekday_text, day_text = (one.text, other.text) if is_first else (other.text, one.text)
            span = one.span[0], other.span[1]
            names = Locale(reading.words.language).days["format"]["wide"]
            problem = f"{day_text} is a {names[min(days)]}, not a {weekday_text}."
            if reading.words.language != "en":
                problem = f"{day_text}: {names[min(days)]}, not {weekday_text}."
            yield Mistake(span, problem)


def _hours(reading: Reading) -> Iterator[Mistake]:
    """ "from 9:00 to 11:00, three hours"."""
    times = [fact for fact in reading.facts if fact.kind is FactKind.TIME]
    spans = [fact for fact in reading.facts if fact.unit == "duration"]
    if len(times) != 2 or len(spans) != 1 or len(reading.facts) != 3:
        return
    begin, end, said = times[0], times[1], spans[0]
    if said.span[1] <= begin.span[0]:
        yield from _from_to(reading, said, begin, end)
        return
    gap = reading.between(end.span[1], said.span[0])
    gap = [word for word in gap if word not in reading.rules.exact]
    if said.span[0] < end.span[1] or said.hedge or said.low != said.high:
        return
    if len(gap) > 1 and not (set(gap[1:]) <= _concluding(reading) and len(gap) <= _MOST_BEFORE):
        return
    if gap and gap[0] not in {",", "(", ";", "–", "—", ":"}:
        return
    if not reading.rules.span_from.isdisjoint(reading.after(said, 1)):
        return
    yield from _wrong_hours(said, begin, end)


def _concluding(reading: Reading) -> frozenset[str]:
    """The words of "so for three hours", "that is three hours"."""
    words = reading.results
    same = frozenset(" ".join(words.same).split()) if words else frozenset()
    return same | (words.so | words.rate if words else frozenset())


def _from_to(reading: Reading, said: Fact, begin: Fact, end: Fact) -> Iterator[Mistake]:
    """ "The tour lasts three hours, from 9:00 to 11:00"."""
    gap = reading.between(said.span[1], begin.span[0])
    middle = reading.between(begin.span[1], end.span[0])
    if said.hedge or said.low != said.high or len(gap) > _MOST_BEFORE_HOURS:
        return
    if gap[-1:] not in ([w] for w in reading.rules.span_from) or len(middle) != 1:
        return
    if middle[0] in reading.rules.span_to:
        yield from _wrong_hours(said, begin, end)


def _wrong_hours(said: Fact, begin: Fact, end: Fact) -> Iterator[Mistake]:
    minutes = (end.low - begin.low) % _MINUTES_OF_DAY
    half = _MINUTES_OF_DAY / 2
    if said.low / 60 not in {minutes, minutes % half} and said.low >= 3600:
        shown = f"{minutes // 60:.0f}:{minutes % 60:02.0f} hours"
        problem = f"From {begin.text} to {end.text} is {shown}, not {said.text}."
        yield Mistake(said.span, problem)


def _years(reading: Reading) -> Iterator[Mistake]:
    """ "in 1998 … 15 years later, in 2008"; "built in 1950, is 60 years old in 2020"."""
    years = [f for f in reading.facts if f.when and f.when.year and f.text.isdecimal()]
    spans = [
        f for f in reading.facts
        if f.unit == "calendar" and f.factor == 12 and f.low == f.high and not f.hedge
    ]  # fmt: skip
    if len(years) != 2 or len(spans) != 1 or len(reading.facts) != 3:
        return
    said, apart = spans[0], abs(years[1].low - years[0].low)
    after = reading.after(said, 1)
    is_later = bool(after) and after[0] in reading.rules.later and said.span < years[1].span
    is_age = bool(after) and after[0] in reading.rules.old
    if not (is_later or is_age or _spans(reading, said, years)) or years[1].low < years[0].low:
        return
    if abs(apart - said.low / 12) > 1:
        problem = f"{years[0].text} and {years[1].text} are {plain(apart)} years apart."
        yield Mistake(said.span, problem)


def _spans(reading: Reading, said: Fact, years: Sequence[Fact]) -> bool:
    """ "from 1977 to 1997, so for 14 years"; "for 14 years, from 1977 to 1997"."""
    begin, end = years
    start, joint = reading.before(begin, 1), reading.between(begin.span[1], end.span[0])
    if not reading.rules.span_from.intersection(start) or len(joint) != 1:
        return False
    if joint[0] not in reading.rules.span_to:
        return False
    after = said.span[0] >= end.span[1]
    gap = (
        reading.between(end.span[1], said.span[0])
        if after
        else reading.between(said.span[1], begin.span[0])
    )
    if reading.rules.later.intersection(reading.after(said, 1)):
        return False
    return len(gap) <= _MOST_BESIDE_YEARS and (gap[:1] in ([","], ["("], ["–"]) or not after)


# "7:75", "25:30", "13 p.m."
_CLOCK = re.compile(
    r"(?<![\d:.])(?P<hour>\d{1,2}):(?P<minute>\d{2})(?![\d:])"
    r"|(?<![\d:.,])(?P<half>1[3-9]|2[0-9])(?::\d{2})? ?[ap]\.?m\b"
)


def _clock(reading: Reading) -> Iterator[Mistake]:
    words, text = reading.calculations, reading.sentence.text
    if words is None or not (":" in text or "m" in {token.low[-1] for token in reading.tokens}):
        return
    for match in _CLOCK.finditer(text):
        hour, minute = int(match["hour"] or 0), int(match["minute"] or 0)
        if not match["half"] and hour <= 23 and minute <= 59:
            continue
        if hour == 24 and not minute:
            continue
        before = [t.low for t in reading.tokens if t.end <= match.start()][-1:]
        if before and before[0] in words.clock_before:
            yield Mistake(match.span(), f"There is no time {match[0]}.")


def _is_year(fact: Fact) -> bool:
    return fact.when is not None and fact.when.year is not None and fact.text.isdecimal()


def _lives(reading: Reading) -> Iterator[Mistake]:
    """ "Born in 1950, she died in 1930"."""
    words, facts = reading.calculations, reading.facts
    if words is None or len(facts) != 2 or not all(_is_year(fact) for fact in facts):
        return
    begin, end = facts
    if not words.born & set(reading.before(begin, 3)) or end.low >= begin.low:
        return
    if words.ended & set(reading.before(end, 3)):
        problem = f"{end.text} is before {begin.text}."
        yield Mistake(end.span, problem)


def _ages(reading: Reading) -> Iterator[Mistake]:
    """ "Born in 1970, she was 35 when she opened the shop in 2005"."""
    words, facts = reading.calculations, reading.facts
    if words is None or len(facts) != 3:
        return
    begin, age, end = facts
    if not (_is_year(begin) and _is_year(end)) or age.low != age.high or age.hedge:
        return
    years = age.low / 12 if age.unit == "calendar" and age.factor == 12 else age.low
    if age.kind is not FactKind.NUMBER and years == age.low:
        return
    if not words.born & set(reading.before(begin, 3)) or not 0 < years < 1000:
        return
    before, after = reading.before(age, 1), reading.after(age, 1)
    is_turned = bool(words.turned & set(before))
    is_old = bool(words.aged & set(before)) and bool(words.age_ends & set(after))
    if not (is_turned or is_old):
        return
    made = end.low - begin.low
    if made > 0 and abs(made - years) > 1:
        problem = f"From {begin.text} to {end.text} is {plain(made)} years, not {age.text}."
        yield Mistake(age.span, problem)


def _anniversaries(reading: Reading) -> Iterator[Mistake]:
    """ "Opened in 1995, it celebrated its 20th birthday in 2015"."""
    words, facts = reading.calculations, reading.facts
    if words is None or len(facts) != 3:
        return
    begin, count, end = facts
    if not (_is_year(begin) and _is_year(end)) or count.unit not in {"ordinal", "calendar"}:
        return
    if not words.born & set(reading.before(begin, 3)):
        return
    after = set(reading.after(count, 2))
    years = count.low if count.unit == "ordinal" else count.low / 12
    if not words.anniversaries & after:
        return
    made = end.low - begin.low
    if made > 0 and abs(made - years) > 1:
        problem = f"From {begin.text} to {end.text} is {plain(made)} years, not {plain(years)}."
        yield Mistake(count.span, problem)


def _centuries(reading: Reading) -> Iterator[Mistake]:
    """ "in 1850, in the 19th century"."""
    words = reading.calculations
    if words is None:
        return
    for one, other in pairwise(reading.facts):
        year, ordinal = (other, one) if one.unit == "ordinal" else (one, other)
        if ordinal.unit != "ordinal" or not year.text.isdecimal() or len(year.text) != 4:
            continue
        if not words.centuries & set(reading.after(ordinal, 1)):
            continue
        gap = reading.between(one.span[1], other.span[0])
        if not any(sign in gap for sign in (",", "(")) and one is year:
            continue
        if not set(gap) <= words.century_gap | words.centuries or len(gap) > 6:
            continue
        number = int(year.text)
        right = {(number - 1) // 100 + 1, number // 100 + 1}
        if ordinal.low not in right:
            problem = f"{year.text} is in century {min(right)}, not in the {ordinal.text}."
            yield Mistake(ordinal.span, problem)


def _events(reading: Reading) -> Iterator[Mistake]:
    """ "In the 1920s, after the First World War"."""
    words = reading.calculations
    if words is None:
        return
    dates = [fact for fact in reading.facts if fact.when and fact.when.ranges]
    if len(dates) != 1 or len(reading.facts) > 2:
        return
    low = reading.sentence.text.lower()
    for name, first, last in words.events:
        at = low.find(name)
        if at < 0:
            continue
        before = [t.low for t in reading.tokens if t.end <= at][-3:]
        gap = [t.low for t in reading.tokens if dates[0].span[1] <= t.start < at]
        if gap[:1] != [","] or len(gap) > 4:
            continue
        begin = date.fromordinal(dates[0].when.ranges[0][0]).year if dates[0].when else 0
        end = date.fromordinal(dates[0].when.ranges[-1][1]).year if dates[0].when else 0
        years = f"{first}" if first == last else f"{first} to {last}"
        if (words.earlier & set(before) and begin > last) or (
            words.afterwards & set(before) and end < first
        ):
            problem = f"{dates[0].text} does not fit: that was {years}."
            yield Mistake(dates[0].span, problem)
