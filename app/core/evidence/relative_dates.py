"""Dates that count from the day of their page: yesterday, last May, three years ago, Friday."""

from collections.abc import Sequence
from datetime import date
from functools import cache

from babel import Locale

from app.core.evidence.days import season_of, span_of
from app.core.evidence.fact import Fact, Kind, When
from app.core.evidence.numbers import Numbers
from app.core.evidence.tokens import Token
from app.core.evidence.words import LANGUAGES, word_set

_PAST = word_set(
    "last past previous letzten letzter letztes letzte vergangenen vergangenes vergangene vorigen"
    " voriges dernier dernière passé passée pasado pasada scorso scorsa passado passada vorig"
    " vorige afgelopen"
)
_NEXT = word_set(
    "next coming nächsten nächstes nächste kommenden kommendes prochain prochaine próximo próxima"
    " prossimo prossima volgend volgende komende"
)
_THIS = word_set("this diesen dieses diese diesem ce cette este esta questo questa quest dit deze")
_DAYS = {
    "yesterday": -1, "tomorrow": 1, "gestern": -1, "hier": -1, "demain": 1, "ayer": -1, "ieri": -1,
    "domani": 1, "ontem": -1, "amanhã": 1, "gisteren": -1,
}  # fmt: skip
_DAYS_OF = {"hier": "fr", "domani": "it"}
_PERIODS = {
    "year": "year", "month": "month", "week": "week", "quarter": "quarter", "jahr": "year",
    "jahres": "year", "monat": "month", "woche": "week", "an": "year", "année": "year",
    "mois": "month", "semaine": "week", "año": "year", "mes": "month", "semana": "week",
    "anno": "year", "mese": "month", "settimana": "week", "ano": "year", "mês": "month",
    "jaar": "year", "maand": "month",
}  # fmt: skip
_SEASONS = {
    "spring": 3, "summer": 6, "autumn": 9, "fall": 9, "winter": 12, "frühjahr": 3, "frühling": 3,
    "sommer": 6, "herbst": 9, "printemps": 3, "été": 6, "automne": 9, "hiver": 12, "primavera": 3,
    "verano": 6, "otoño": 9, "invierno": 12, "estate": 6, "autunno": 9, "inverno": 12, "verão": 6,
    "outono": 9, "lente": 3, "zomer": 6, "herfst": 9,
}  # fmt: skip
_AGO_BEFORE = {"vor": "de", "il y a": "fr", "hace": "es", "há": "pt"}
_AGO_AFTER = {"ago", "fa", "geleden", "atrás"}
_MAX_AGO_MONTHS = 12 * 500


@cache
def _months(language: str) -> dict[str, int]:
    found = {}
    for tag in {language, "en"} if language not in LANGUAGES else {language}:
        for form in ("format", "stand-alone"):
            for width in ("wide", "abbreviated"):
                for number, name in Locale(tag).months[form][width].items():
                    found[name.lower().rstrip(".")] = number
    return found


@cache
def _weekdays(language: str) -> dict[str, int]:
    tag = language if language in LANGUAGES else "en"
    return {name.lower(): number for number, name in Locale(tag).days["format"]["wide"].items()}


class RelativeDates(Numbers):
    """Reads the relative dates of one text; ``anchor`` is the day its page was published."""

    def __init__(
        self, found: Sequence[Token], text: str, language: str, anchor: date | None
    ) -> None:
        super().__init__(found, text, language)
        self.anchor = anchor
        self._month_names = _months(language) if self.known else {}
        self._weekday_names = _weekdays(language) if self.known else {}

    def _month(self, at: int) -> int | None:
        number = self._month_names.get(self.low(at))
        if number is None or not 0 <= at < len(self.tokens):
            return None
        # May and March are words as well; English and German write months with a capital.
        if self.language in {"en", "de"} and not self.tokens[at].is_capitalised:
            return None
        return number

    def _relative(self, at: int) -> tuple[Fact, int] | None:
        word = self.low(at)
        if word in _DAYS and _DAYS_OF.get(word, self.language) == self.language:
            ranges: tuple[tuple[int, int], ...] = ()
            if self.anchor:
                day = self.anchor.toordinal() + _DAYS[word]
                ranges = ((day, day),)
            return self._when(at, at + 1, When(ranges=ranges))
        for mark, step in ((_PAST, -1), (_NEXT, 1), (_THIS, 0)):
            if word in mark and (found := self._period(at + 1, step)):
                return self._when(at, at + 2, found)
            if self.low(at + 1) in mark and self.language in {"fr", "es", "it", "pt"}:
                found = self._period(at, step)
                if found and step:
                    return self._when(at, at + 2, found)
        return None

    def _period(self, at: int, step: int) -> When | None:
        """The year, month, week or season before (-1), after (1) or around (0) the anchor."""
        name, anchor = self.low(at), self.anchor
        month, season, period = self._month(at), _SEASONS.get(name), _PERIODS.get(name)
        if not (month or season or period):
            return None
        loose = step == 0
        if anchor is None:
            return When(month=month, loose=loose)
        if month or season:
            first = month or season or 1
            years = range(anchor.year - 2, anchor.year + 3)
            spans = [
                season_of(year, first) if season else span_of(year, first, first) for year in years
            ]
            today = anchor.toordinal()
            if step < 0:
                past = [span for span in spans if span[1] < today]
                return When(month=month, ranges=tuple(past[-1:]))
            if step > 0:
                return When(
                    month=month, ranges=tuple(span for span in spans if span[0] > today)[:1]
                )
            return When(month=month, ranges=(spans[2],), loose=True)
        if period == "year":
            year = anchor.year + step
            return When(year, ranges=(span_of(year, 1, 12),), loose=loose)
        if period in {"month", "quarter"}:
            size = 1 if period == "month" else 3
            index = (anchor.year * 12 + anchor.month - 1) // size + step
            first = index * size
            year, month = divmod(first, 12)
            return When(ranges=(span_of(year, month + 1, month + size),), loose=loose)
        monday = anchor.toordinal() - anchor.weekday() + 7 * step
        return When(ranges=((monday - (step < 0), monday + 6),), loose=loose)

    def _weekday(self, at: int) -> tuple[Fact, int] | None:
        weekday = self._weekday_names.get(self.low(at))
        if weekday is None:
            return None
        if self.language in {"en", "de"} and not self.tokens[at].is_capitalised:
            return None
        ranges: tuple[tuple[int, int], ...] = ()
        if self.anchor:
            today = self.anchor.toordinal()
            days = (day for day in range(today - 7, today + 8) if (day - 1) % 7 == weekday)
            ranges = tuple((day, day) for day in days)
        return self._when(at, at + 1, When(ranges=ranges, weekday=weekday))

    def _ago(self, at: int) -> tuple[Fact, int] | None:
        number, before = at, _AGO_BEFORE.get(self.low(at))
        if before == self.language:
            number = at + 1
        elif before is not None:
            return None
        count = self.number(number) if number < len(self.tokens) else None
        if count is None:
            return None
        return self._ago_from(at, count.value, count.end, marked=number > at)

    def _ago_from(
        self, at: int, count: float, end: int, *, marked: bool
    ) -> tuple[Fact, int] | None:
        unit, after = self.unit(end)
        if unit is None or unit.dimension not in {"duration", "calendar"}:
            return None
        if not marked:
            if self.low(after) not in _AGO_AFTER:
                return None
            after += 1
        if self.anchor is None:
            return self._when(at, after, When())
        if unit.dimension == "calendar":
            months = int(count * unit.factor)
            if months > _MAX_AGO_MONTHS:
                return None
            first = self.anchor.year * 12 + self.anchor.month - 1 - months
            if unit.factor >= 12:
                return self._when(at, after, When(ranges=(span_of(first // 12, 1, 12),)))
            year, month = divmod(first, 12)
            return self._when(at, after, When(ranges=(span_of(year, month + 1, month + 1),)))
        days = int(count * unit.factor / 86400)
        if days > _MAX_AGO_MONTHS * 30:
            return None
        day = self.anchor.toordinal() - days
        slack = 3 if unit.factor >= 604800 else 0
        return self._when(at, after, When(ranges=((day - slack, day + slack),)))

    def _when(self, at: int, end: int, when: When) -> tuple[Fact, int]:
        span = (self.tokens[at].start, self.tokens[end - 1].end)
        value = float(when.year or 0)
        fact = Fact(Kind.DATE, self.text[slice(*span)], span, value, value, "date", when=when)
        return fact, end
