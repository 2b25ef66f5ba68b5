"""Comparisons of one sentence that its own values contradict."""

from collections.abc import Iterator

from app.core.facts.reading import Mistake, Reading
from app.core.facts.scanner import Token
from app.core.facts.units import currencies
from app.core.text import Span

# "At 50 minutes it is shorter": how far the value is from the beginning.
_MOST_IN_FRONT = 2
_LEAST_STEM = 3


def mistakes_in_comparisons(reading: Reading) -> Iterator[Mistake]:
    """Yield comparatives that name the wrong one of two values of a sentence."""
    words = reading.calculations
    if words is None or len(reading.facts) != 2:
        return
    one, other = reading.facts
    if one.unit != other.unit or one.low != one.high or other.low != other.high:
        return
    if one.hedge or other.hedge or one.low == other.low:
        return
    unit = family(one.unit)
    more, fewer = words.more.get(unit, frozenset()), words.fewer.get(unit, frozenset())
    for place, token in enumerate(reading.tokens):
        if token.low not in more and token.low not in fewer:
            continue
        first_is_more = _first_is_more(reading, place, token.low in more)
        if first_is_more is not None and first_is_more != (one.low > other.low):
            sign = "more" if one.low > other.low else "less"
            problem = (
                f"“{token.text}” is the wrong way round: {one.text} is {sign} than {other.text}."
            )
            yield Mistake((token.start, token.end), problem)
        return


def family(unit: str) -> str:
    """Return what is compared of a unit: money, temperature, length."""
    if unit in currencies():
        return "money"
    return "temperature" if unit in {"celsius", "fahrenheit"} else unit


def _first_is_more(reading: Reading, place: int, is_more: bool) -> bool | None:
    """Whether the sentence says that its first value is higher; None if it does not say."""
    words, tokens = reading.calculations, reading.tokens
    one, other = reading.facts
    token = tokens[place]
    if words is None:
        return None
    after = tokens[place + 1].low if place + 1 < len(tokens) else ""
    if after in words.than and one.span[1] <= token.start and other.span[0] > token.start:
        # "At 50 minutes it is shorter than the walk of 60 minutes."
        before = [each for each in tokens if each.end <= one.span[0]]
        is_front = bool(before) and before[0].low in reading.rules.leading
        touches = place and tokens[place - 1].end == one.span[1]
        return is_more if is_front and len(before) <= _MOST_IN_FRONT and not touches else None
    if other.span[1] > token.start or after in words.than:
        return None
    # "The red one costs $40 and the blue one $60, so the blue one is dearer."
    conclusion = [each for each in tokens if other.span[1] <= each.start < token.start]
    begin = next((i for i, each in enumerate(conclusion) if each.low in words.so), None)
    if begin is None:
        return None
    said = _content(reading, conclusion[begin:])
    subjects = _subject(reading, (0, one.span[0])), _subject(reading, (one.span[1], other.span[0]))
    is_first, is_second = (bool(said & subjects[at] - subjects[1 - at]) for at in (0, 1))
    if is_first == is_second:
        return None
    return is_more if is_first else not is_more


def _subject(reading: Reading, span: Span) -> frozenset[str]:
    return _content(reading, [t for t in reading.tokens if span[0] <= t.start < span[1]])


def _content(reading: Reading, tokens: list[Token]) -> frozenset[str]:
    skipped = reading.words.function_words | reading.rules.neutral
    return frozenset(
        t.low for t in tokens if t.is_word and len(t.low) >= _LEAST_STEM and t.low not in skipped
    )
