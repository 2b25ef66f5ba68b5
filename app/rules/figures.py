"""Figures and quotations of a verified post that no source has.

A figure is a number in digits. Separators do not matter: 1,500, 1.500 and 1 500 are one number.
What follows from other numbers by one step of arithmetic is no fault.
"""

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence, Set
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate, chain, combinations, islice

from app.rules.finding import Checked, Finding, Severity
from app.rules.languages import primary_subtag
from app.rules.passages import QUOTED, Kind, Passage
from app.rules.words import fold, word_count
from app.writing.brief import Brief

_NUMBER = re.compile(
    "[0-9]{1,3}(?:[ \u00a0\u2009\u202f][0-9]{3})+(?![0-9])(?:[.,][0-9]{1,9})?"
    "|[0-9]{1,20}(?:[.,:'’][0-9]{1,20}){0,6}|[¼-¾⅐-⅞]"
)
# The number of a name: B12, Covid-19.
_NAME_BEFORE = re.compile(r"[^\W\d_]-?\Z")
_SEPARATOR = re.compile(r"[ \u00a0\u2009\u202f.,:'’]")
# Numbers up to twelve are ordinary words; whole ones up to a hundred may be written in words.
_ORDINARY, _IN_WORDS = 12, 100
_YEARS_NEAR = 2
# In most other languages 1.500 is a whole number.
_DECIMAL_POINT = frozenset({"en", "he", "hi", "ja", "ko", "th", "zh"})
# Bounds the time that hostile texts take.
_MOST_NUMBERS, _NEAR_NUMBERS, _MOST_EXAMINED = 1_000, 24, 50
# Months of a year, days of a week, cents of a euro, …: what a number is multiplied or divided by.
_FACTORS = (2, 3, 4, 5, 6, 7, 8, 10, 12, 24, 30, 52, 60, 100, 365, 1e3, 1e6, 1e9)
# Miles, inches, feet, pounds, ounces, fluid ounces, gallons and cups.
_UNITS = (1.609344, 2.54, 0.3048, 0.45359237, 28.349523, 29.573530, 3.785412, 4.54609, 236.588)
# Multiples of a source are exact, conversions of units are rounded as it suits.
_EXACT, _ROUGH = 1e-9, 0.02
_QUOTED_WORDS = 5


@dataclass(frozen=True)
class _Number:
    """A number in a text.

    ``values`` are what it may mean, first what it means in the language of the text: 1.500 is 1500
    or 1.5. Arithmetic is tried with the first alone.
    """

    text: str
    at: int
    values: tuple[float, ...]

    @cached_property
    def digits(self) -> int:
        """How many significant digits it has."""
        return len(re.sub("[^0-9]", "", self.text).strip("0"))

    @cached_property
    def _range(self) -> tuple[float, float]:
        """What is rounded to its value, in as many digits."""
        share = 0.5 * 10.0 ** -max(1, self.digits - 1)
        return self.values[0] * (1 - share), self.values[0] * (1 + share)

    def is_about(self, value: float) -> bool:
        return self._range[0] <= value <= self._range[1]

    def is_near(self, value: float, tolerance: float) -> bool:
        return abs(value - self.values[0]) <= tolerance * self.values[0]


def check_figures(checked: Checked) -> Iterator[Finding]:
    """Yield a finding for each number in digits that no source has and that follows from none.

    What may be written in words or follow in another way is a warning.
    """
    if not checked.is_verified:
        return
    brief = checked.brief
    known = _values(source.text for source in checked.sources)
    exempt = known.keys() | _values([*brief.keywords, brief.topic or ""]).keys()
    missing = _missing(checked.texts, exempt, brief)
    for text, number, beside in islice(missing, _MOST_EXAMINED):
        yield from _finding(number, text, list(known.values())[:_MOST_NUMBERS], beside)


def _missing(
    texts: Sequence[Passage], exempt: Set[str], brief: Brief
) -> Iterator[tuple[Passage, _Number, list[float]]]:
    """Yield each number that is in no source, its text, and the numbers beside it."""
    sign = "." if primary_subtag(brief.language) in _DECIMAL_POINT else ","
    numbers = [[] if each.kind is Kind.CODE else list(_numbers(each.text, sign)) for each in texts]
    for at, text in enumerate(texts):
        reported: set[str] = set()
        for number in numbers[at]:
            if (
                number.text in reported
                or _NAME_BEFORE.search(text.text[: number.at][-2:])
                or _is_exempt(number, brief)
                or _keys(number) & exempt
            ):
                continue
            reported.add(number.text)
            around = chain.from_iterable(numbers[max(0, at - 6) : at + 4])
            others = (each.values for each in around if each.text != number.text)
            yield text, number, list(islice(chain.from_iterable(others), _NEAR_NUMBERS))


def _finding(
    number: _Number, text: Passage, known: Sequence[float], beside: Sequence[float]
) -> Iterator[Finding]:
    if _follows(number, known, beside):
        return
    shown = text.text[max(0, number.at - 40) : number.at + len(number.text) + 40].strip()
    is_doubtful = (
        number.digits < 2
        or ":" in text.text[number.at - 1 : number.at + len(number.text) + 1]
        or any(value < _IN_WORDS and value.is_integer() for value in number.values)
        or _may_follow(number, known, beside)
    )
    reason = f"The figure {number.text} is in no source: “…{shown}…”. " + (
        "Check that it follows from them; if it does not, take the figure of a source, or none."
        if is_doubtful
        else "Take the figure of a source, or leave it out."
    )
    severity = Severity.WARNING if is_doubtful else Severity.BLOCKER
    yield Finding("figure", severity, text.section, reason, number.text)


def _is_exempt(number: _Number, brief: Brief) -> bool:
    return any(
        value.is_integer() and (value <= _ORDINARY or abs(value - brief.today.year) <= _YEARS_NEAR)
        for value in number.values
    )


def _follows(number: _Number, known: Sequence[float], beside: Sequence[float]) -> bool:
    """Return whether a number is a rounded or multiplied one of a source, or follows from the
    numbers beside it by one step of arithmetic."""
    multiples = (each for v in known for f in _FACTORS for each in (v * f, v / f))
    millions = (v / scale for v in known for scale in (1e3, 1e6, 1e9))
    pairs = chain.from_iterable(_results(one, two) for one, two in combinations(beside, 2))
    return (
        any(map(number.is_about, chain(known, millions, accumulate(beside), pairs)))
        or any(number.is_near(value, _EXACT) for value in multiples)
        or any(number.is_near(each, _ROUGH) for v in beside for each in _converted(v))
    )


def _results(one: float, two: float) -> Iterator[float]:
    yield from (one + two, abs(one - two), one * two, one * two / 100)
    for a, b in ((one, two), (two, one)):
        yield from (a * (1 + b / 100), a * (1 - b / 100))
        if b:
            yield from (a / b, 100 * a / b, abs(100 * (a - b) / b))


def _converted(value: float) -> tuple[float, ...]:
    return (*_degrees(value), *(each for u in _UNITS for each in (value * u, value / u)))


def _degrees(value: float) -> tuple[float, float]:
    return value * 9 / 5 + 32, (value - 32) * 5 / 9


def _may_follow(number: _Number, known: Sequence[float], beside: Sequence[float]) -> bool:
    """Return whether a number may follow from a source in a way that the post does not show."""
    multiples = (each for v in known for f in _FACTORS for each in (v * f, v / f))
    near = (pair for step in (1, 2, 3) for pair in zip(known, known[step:], strict=False))
    told = ((one, two) for one in known for two in beside[:6])
    pairs = chain.from_iterable(_results(*pair) for pair in chain(near, told))
    converted = chain.from_iterable(map(_converted, known))
    return any(map(number.is_about, chain(multiples, pairs, converted))) or any(
        number.is_near(each, _ROUGH) for v in known for each in _degrees(v)
    )


def figure_keys(text: str) -> frozenset[str]:
    """Return what the numbers in a text may mean, each as a key that does not depend on how it is
    written."""
    return frozenset(_values([text]))


def _keys(number: _Number) -> set[str]:
    return {f"{value:.10g}" for value in number.values}


def _values(texts: Iterable[str]) -> dict[str, float]:
    """Return the different values of the numbers in texts, in order."""
    found: dict[str, float] = {}
    for text in texts:
        for number in _numbers(text):
            for value in number.values:
                found.setdefault(f"{value:.10g}", value)
    return found


def _numbers(text: str, decimal_sign: str = ".") -> Iterator[_Number]:
    for match in _NUMBER.finditer(text):
        token, at = match.group(), match.start()
        if not token[0].isascii():
            yield _Number(token, at, (unicodedata.numeric(token),))
            continue
        meant = _meanings(token, decimal_sign)
        if meant:
            yield _Number(token, at, meant)
            continue
        # A date, a time or a version: each of its parts.
        for part in re.finditer("[0-9]+", token):
            yield _Number(part.group(), at + part.start(), (float(part.group()),))


def _meanings(token: str, decimal_sign: str) -> tuple[float, ...]:
    """Return what a number may mean; nothing for several numbers."""
    first, *groups = _SEPARATOR.split(token)
    signs = _SEPARATOR.findall(token)
    if not signs:
        return (float(token),)
    if ":" in signs:
        return ()
    found = []
    whole, last = "".join([first, *groups[:-1]]), groups[-1]
    are_groups = 1 <= len(first) <= 3 and all(len(group) == 3 for group in groups[:-1])
    if are_groups and len(last) == 3 and len(set(signs)) == 1 and first.strip("0"):
        found.append(float(whole + last))
    if signs[-1] in ".," and are_groups and signs.count(signs[-1]) == 1:
        found.append(float(f"{whole}.{last}"))
    elif signs[-1] in ".," and len(signs) == 1:
        found.append(float(f"{first}.{last}"))
    return tuple(reversed(found) if signs[-1] == decimal_sign else found)


def check_quotations(checked: Checked) -> Iterator[Finding]:
    """Yield a warning for each text in quotation marks that no source has word for word.

    Five words or more may also be a line to say or to write, which needs no source.
    """
    if not checked.is_verified:
        return
    said = [f" {fold(source.text)} " for source in checked.sources]
    for text in checked.texts:
        if text.kind is Kind.CODE:
            continue
        for match in QUOTED.finditer(text.without_code):
            quotation = match.group()[1:-1].strip()
            parts = [fold(part) for part in re.split(r"…|\.\.\.|\[[^\]]{0,80}\]", quotation)]
            if word_count(quotation) < _QUOTED_WORDS or any(
                all(f" {part} " in source for part in parts if part) for source in said
            ):
                continue
            reason = (
                f"No source has the words “{quotation[:100]}”. If somebody is quoted, give the"
                " words of the source; a line to say or to write may stand."
            )
            yield Finding("quotation", Severity.WARNING, text.section, reason, quotation)
