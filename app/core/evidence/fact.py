"""What a text says that can be true or false, in a form that two texts can be compared by."""

from dataclasses import dataclass
from enum import StrEnum

from app.core.evidence.words import Hedge
from app.core.text import Span


class Kind(StrEnum):
    NUMBER = "number"
    AMOUNT = "amount"
    PERCENTAGE = "percentage"
    MEASUREMENT = "measurement"
    ORDINAL = "ordinal"
    DATE = "date"
    TIME = "time"
    QUOTATION = "quotation"
    NAME = "name"


@dataclass(frozen=True)
class When:
    """A date. ``ranges`` are the days that it may mean, as proleptic ordinals, both ends included;
    empty where the text leaves the year open and nothing tells it.

    ``loose`` is a date such as "this year", which the date of the page itself bears out;
    ``weekday`` (Monday is 0) is all that "on Friday" says for sure.
    """

    year: int | None = None
    month: int | None = None
    day: int | None = None
    ranges: tuple[tuple[int, int], ...] = ()
    loose: bool = False
    weekday: int | None = None


@dataclass(frozen=True)
class Fact:
    """``span`` is where it stands in its text. ``low`` and ``high`` are equal but for a range, in
    the base unit of ``unit``: "length" is in metres, "duration" in seconds, "calendar" in months,
    an amount in its currency, a percentage in percent (``factor`` is what one of the unit that was
    written comes to); "" counts things, and ``nouns`` are the
    stems of what is counted. ``words`` are those of a quotation or a name;
    ``direction`` is 1 where its clause speaks of a rise, -1 of a fall, else 0; ``negated`` says
    that the words before it deny it.
    """

    kind: Kind
    text: str
    span: Span
    low: float = float(0)
    high: float = float(0)
    unit: str = ""
    hedge: Hedge | None = None
    nouns: frozenset[str] = frozenset()
    when: When | None = None
    words: tuple[str, ...] = ()
    direction: int = 0
    negated: bool = False
    factor: float = 1.0

    @property
    def is_value(self) -> bool:
        """Whether it is a number, a date or a time, and neither words nor a name."""
        return self.kind not in {Kind.QUOTATION, Kind.NAME}

    @property
    def value(self) -> tuple[str, float, float]:
        """What it comes to, for telling whether two facts are the same."""
        if self.when is None:
            return self.unit, self.low, self.high
        day = (self.when.month or 0) * 100 + (self.when.day or 0)
        return self.unit, self.low, float(day)
