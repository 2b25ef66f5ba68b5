"""Ages that do not fit the year of birth or foundation that another sentence of the text names."""

from collections.abc import Iterable, Iterator

from app.core.facts.fact import Fact, FactKind
from app.core.facts.reading import Mistake, Reading, plain
from app.core.text import stem

_MOST_YEARS = 1000
_MIN_CHARS = 3
# Its month may not have come yet.
_TOLERANCE = 1


def wrong_ages(read: Iterable[tuple[int, Reading]]) -> Iterator[tuple[int, Reading, Mistake]]:
    """Yield ages of a subject that its year of birth contradicts, with the number of the passage.

    Both sentences name the subject in the same words: "Ida Lind was born in 1950", "In 1980, Ida
    Lind was 40 years old".
    """
    born: dict[frozenset[str], float] = {}
    aged: list[tuple[int, Reading, frozenset[str], Fact, Fact]] = []
    for number, reading in read:
        years = [fact for fact in reading.facts if fact.when and fact.text.isdecimal()]
        words = reading.calculations
        if words is None or len(years) != 1 or len(reading.facts) > 2:
            continue
        (year,) = years
        if words.born & set(reading.before(year, 3)) and len(reading.facts) == 1:
            born.setdefault(_subject(reading, words.born), year.low)
        elif len(reading.facts) == 2 and (age := _age(reading)) is not None:
            aged.append((number, reading, _subject(reading, words.aged | words.turned), year, age))
    for number, reading, subject, year, age in aged:
        begin = born.get(subject) if subject else None
        if begin is None and age.unit == "ordinal":
            # "In 2010, the inn celebrated its 20th birthday."
            begin = next((born[each] for each in born if each and each < subject), None)
        if begin is None or not begin < year.low < begin + _MOST_YEARS:
            continue
        said = age.low / 12 if age.unit == "calendar" else age.low
        made = year.low - begin
        if abs(made - said) > _TOLERANCE:
            problem = f"From {begin:.0f} to {year.text} is {plain(made)} years, not {age.text}."
            yield number, reading, Mistake(age.span, problem)


def _age(reading: Reading) -> Fact | None:
    """The value that a sentence calls an age or an anniversary."""
    words = reading.calculations
    for fact in reading.facts:
        if words is None or fact.hedge or fact.low != fact.high or fact.kind is FactKind.DATE:
            continue
        after, before = reading.after(fact, 2), set(reading.before(fact, 1))
        is_years = fact.unit == "calendar" and fact.factor == 12
        if is_years and after and after[0] in reading.rules.old:
            return fact
        if fact.unit in {"ordinal", "calendar"} and words.anniversaries & set(after):
            return fact
        ends = not after or after[0] in words.age_ends | {",", "."}
        if fact.unit == "" and not fact.nouns and ends and before & (words.turned | words.aged):
            return fact
    return None


def _subject(reading: Reading, left_out: frozenset[str]) -> frozenset[str]:
    """The stems of the words beside the values, their units and the verb."""
    skipped = reading.words.function_words | reading.rules.neutral | reading.rules.old | left_out
    words = reading.calculations
    if words is not None:
        skipped |= words.anniversaries
    spans = [fact.span for fact in reading.facts]
    return frozenset(
        stem(token.low, reading.words.language)
        for token in reading.tokens
        if token.is_word and len(token.low) >= _MIN_CHARS and token.low not in skipped
        and not any(low <= token.start < high for low, high in spans)
    )  # fmt: skip
