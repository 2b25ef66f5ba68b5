"""Dates and times of a text: absolute ones, and with `relative_dates` all others."""

from collections.abc import Sequence
from datetime import date

from app.core.evidence.days import day_of, span_of
from app.core.evidence.fact import Fact, Kind, When
from app.core.evidence.relative_dates import RelativeDates
from app.core.evidence.words import word_set

_OF = {"of", "de", "del", "di", "den", "dem", "the", "d"}
_YEAR_BEFORE = word_set(
    "in since by until before after during from of early late mid through to and between"
    " spring summer autumn winter fall year im seit bis jahr jahre ab von um en depuis desde año"
    " nel dal dall del em ano sinds vanaf jaar circa around about"
)


class Dates(RelativeDates):
    """Reads the dates and times of one text; ``anchor`` is the day its page was published."""

    def date_at(self, at: int) -> tuple[Fact, int] | None:
        """The date or time that begins at a token, and the index of the token after it."""
        token = self.tokens[at]
        if token.is_digits:
            return self._numeric(at) or self._day_first(at) or self._time(at) or self._year(at)
        if not token.is_word or not self.known:
            return None
        return self._ago(at) or self._relative(at) or self._month_first(at) or self._weekday(at)

    def _integer(self, at: int, low: int, high: int) -> int | None:
        text = self.low(at)
        if not text.isdecimal() or len(text) > 4:
            return None
        return int(text) if low <= int(text) <= high else None

    def _numeric(self, at: int) -> tuple[Fact, int] | None:
        token = self.tokens[at]
        parts = token.text.split(".")
        if len(parts) == 3 and all(part.isdecimal() and len(part) <= 4 for part in parts):
            found = (
                day_of(int(parts[2]), int(parts[1]), int(parts[0])) if len(parts[2]) == 4 else None
            )
            return self._dated(at, at + 1, [found]) if found else None
        sign = self.low(at + 1)
        if sign not in {"-", "/"} or self.low(at + 3) != sign or not self.touches(at + 1):
            return None
        numbers = [self._integer(at + step, 1, 2999) for step in (0, 2, 4)]
        if None in numbers:
            return None
        first, second, third = (int(number or 0) for number in numbers)
        if len(token.text) == 4:
            days = [day_of(first, second, third)]
        elif len(self.low(at + 4)) == 4:
            days = [day_of(third, second, first)]
            if self.language == "en":
                days.append(day_of(third, first, second))
        else:
            return None
        known = [day for day in days if day]
        return self._dated(at, at + 5, known) if known else None

    def _dated(self, at: int, end: int, days: Sequence[date]) -> tuple[Fact, int]:
        ranges = tuple((day.toordinal(), day.toordinal()) for day in dict.fromkeys(days))
        day = days[0]
        return self._when(at, end, When(day.year, day.month, day.day, ranges))

    def _day_first(self, at: int) -> tuple[Fact, int] | None:
        """14 May 2024, the 14th of May, 14. Mai, 14 de mayo de 2024, 1er mai."""
        day = self._integer(at, 1, 31)
        if day is None:
            return None
        end = at + 1
        if self.touches(end) and (self.low(end) in {"st", "nd", "rd", "th", "º", "er", "."}):
            end += 1
        if self.low(end) in _OF:
            end += 1
        month = self._month(end)
        if month is None:
            return None
        end += 1
        year, end = self._year_after(end)
        return self._when(at, end, self._resolve(year, month, day))

    def _year_after(self, at: int) -> tuple[int | None, int]:
        for skip in (0, 1):
            year = self._integer(at + skip, 1000, 2999)
            if year and len(self.low(at + skip)) == 4:
                if skip and self.low(at) not in {",", ".", "de", "del", "do"}:
                    break
                return year, at + skip + 1
        return None, at

    def _month_first(self, at: int) -> tuple[Fact, int] | None:
        """May 14, 2024; May 2024; in May."""
        month = self._month(at)
        if month is None:
            return None
        end = at + 1 + (self.low(at + 1) == "." and self.touches(at + 1) and len(self.low(at)) < 5)
        day = self._integer(end, 1, 31)
        if (
            day
            and self.language == "en"
            and not (self.touches(end + 1) and self.low(end + 1) == "%")
        ):
            end += 1
            if self.touches(end) and self.low(end) in {"st", "nd", "rd", "th"}:
                end += 1
        else:
            day = None
        year, end = self._year_after(end)
        if not (day or year) and self.low(at) in {"may", "march"}:
            before = {"in", "by", "since", "until", "early", "late", "mid", "of", "during", "from"}
            if self.low(at - 1) not in before | {"to", "and", "before", "after", "-"}:
                return None
        return self._when(at, end, self._resolve(year, month, day))

    def _year(self, at: int) -> tuple[Fact, int] | None:
        year = self._integer(at, 1500, 2099)
        if year is None or len(self.low(at)) != 4:
            return None
        if self.low(at + 1) == "s" and self.touches(at + 1) and year % 10 == 0:
            span = (date(year, 1, 1).toordinal(), date(year + 9, 12, 31).toordinal())
            return self._when(at, at + 2, When(ranges=(span,)))
        before = self.low(at - 1)
        unit, _ = self.unit(at + 1)
        follows = at + 1 < len(self.tokens) and self.tokens[at + 1].is_word
        if unit or (self.low(at + 1) in {"%", "percent", "prozent"}):
            return None
        if follows and before not in _YEAR_BEFORE and before not in {"the", "(", ","}:
            return None
        return self._when(at, at + 1, When(year, None, None, (span_of(year, 1, 12),)))

    def _time(self, at: int) -> tuple[Fact, int] | None:
        token = self.tokens[at]
        hour, minute, end = 0, 0, at + 1
        if self.low(at + 1) == ":" and self.touches(at + 1) and self.touches(at + 2):
            parts = [token.text, self.low(at + 2)]
            end = at + 3
        else:
            parts = token.text.split(".")
        if len(parts) > 2 or not all(p.isdecimal() and len(p) <= 2 for p in parts):
            return None
        hour, minute = int(parts[0]), int(parts[1]) if len(parts) == 2 else 0
        clock = end == at + 3 and len(parts[1]) == 2
        if self.low(end) in {"am", "pm"} or (
            self.low(end) in {"a", "p"} and self.low(end + 1) == "." and self.low(end + 2) == "m"
        ):
            hour = hour % 12 + (12 if self.low(end)[0] == "p" else 0)
            end += 1 if len(self.low(end)) == 2 else 3 + (self.low(end + 3) == ".")
        elif self.low(end) in {"uhr", "uur"}:
            end += 1
        elif not clock:
            return None
        if hour > 24 or minute > 59:
            return None
        span = (token.start, self.tokens[min(end, len(self.tokens)) - 1].end)
        value = float(hour * 60 + minute)
        return Fact(Kind.TIME, self.text[slice(*span)], span, value, value, "time"), end

    def _resolve(self, year: int | None, month: int, day: int | None) -> When:
        """The day or month; without a year, the one nearest to the page's own date."""
        years = [year] if year else []
        if not years and self.anchor:
            years = [self.anchor.year - 1, self.anchor.year, self.anchor.year + 1]
        spans = []
        for each in years:
            if day is None:
                spans.append(span_of(each, month, month))
            elif found := day_of(each, month, day):
                spans.append((found.toordinal(), found.toordinal()))
        if year is None and self.anchor and spans:
            today = self.anchor.toordinal()
            spans = sorted(spans, key=lambda span: abs(span[0] - today))[:2]
        return When(year, month, day, tuple(spans))
