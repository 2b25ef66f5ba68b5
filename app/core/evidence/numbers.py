"""Numbers, amounts, percentages and measurements of a text."""

from dataclasses import replace

from app.core.evidence.counts import Number
from app.core.evidence.fact import Fact, Kind
from app.core.evidence.shares import Shares
from app.core.evidence.units import Unit
from app.core.evidence.words import BOTH, PERCENT, PERCENT_PAIRS, POINTS, PROPORTIONAL, Hedge

_RANGE = {"-", "–", "—", "to", "bis", "à", "a", "até", "tot", "fino"}
_AND = {"and", "und", "et", "y", "e", "en"}
_BETWEEN = {"between", "zwischen", "entre", "tra", "fra", "tussen"}
_ORDINAL_ENDS = {"st", "nd", "rd", "th", "º", "ª", "er", "ère", "e", "ème", "o", "de", "ste"}
_TIME = {"duration", "calendar"}
_ONE = {"a", "an", "un", "une", "una", "um", "uma", "een"}
# Where "five points" of a share are percentage points without saying so.
_BARE_POINTS = {"fr", "es", "it", "pt"}


class Numbers(Shares):
    """Reads the facts of one text that are numbers."""

    def fact(self, at: int) -> tuple[Fact, int] | None:
        """The fact that begins at a token, and the index of the token after it."""
        before = self._units.get(self.low(at))
        if before and before.is_money and at + 1 < len(self.tokens):
            found = self.number(at + 1) if self.tokens[at + 1].is_digits else None
            return self._amount(at, before, found) if found else None
        if share := self.share(at) or self.one_in(at):
            return share
        number = self.number(at)
        if number is None:
            return (
                self._one_and_half(at) or self._both(at) or self.ratio(at) or self.ordinal_word(at)
            )
        low = high = number.value
        end = number.end
        joined = self.low(end) in _RANGE or (self.low(end) in _AND and self.low(at - 1) in _BETWEEN)
        if joined and end + 1 < len(self.tokens):
            second = self.number(end + 1)
            if second and second.value > low:
                low, high, end = _same_scale(number, second), second.value, second.end
        fact, past = self._with_unit(at, replace(number, end=end), low, high)
        if number.is_loose and fact.hedge is None:
            fact = replace(fact, hedge=Hedge.ABOUT)
        return fact, past

    def _with_unit(self, at: int, number: Number, low: float, high: float) -> tuple[Fact, int]:
        """The fact of a number that ends there, or of a range, by what stands after it."""
        end = number.end
        if past := self._points(end):
            return self._made(Kind.PERCENTAGE, at, past, low, high, "points")
        if past := self._percent(end):
            return self._made(Kind.PERCENTAGE, at, past, low, high, "percent")
        if scaled := self._letter_scaled(at, number, low, high):
            return scaled
        unit, after = self.unit(end)
        if unit and unit.is_money:
            return self._made(Kind.AMOUNT, at, after, low, high, unit.dimension)
        if unit:
            past = self.and_half(after) if unit.dimension in _TIME and low == high else after
            if past > after:  # two years and a half
                low, high, after = low + 0.5, high + 0.5, past
            low, high = low * unit.factor, high * unit.factor
            fact, past = self._made(Kind.MEASUREMENT, at, after, low, high, unit.dimension)
            return replace(fact, factor=unit.factor), past
        if not number.is_word and self.touches(end) and self.low(end) in _ORDINAL_ENDS:
            return self._made(Kind.ORDINAL, at, end + 1, low, high, "ordinal")
        return self._made(Kind.NUMBER, at, end, low, high, "")

    def _percent(self, at: int) -> int:
        """The index after a sign or word for percent at a token; 0 for none."""
        begin = at + (self.low(at) == "-")
        if self.low(begin) in PERCENT:
            return begin + 1
        return at + 2 if (self.low(at), self.low(at + 1)) in PERCENT_PAIRS else 0

    def _points(self, at: int) -> int:
        """The index after a name for percentage points at a token; 0 for none."""
        word, after = self.low(at), self.low(at + 1)
        if word in PROPORTIONAL:  # Prozentpunkte
            return at + 1
        if word == "percentage" and after in POINTS:
            return at + 2
        if past := self._percent(at):
            past += self.low(past) == "-"
            return past + 1 if self.low(past) in POINTS else 0
        if word not in POINTS:
            return 0
        if after in PROPORTIONAL:  # puntos porcentuales
            return at + 2
        if after == "de" and self.low(at + 2) in {"pourcentage", "%"}:
            return at + 3
        return at + 1 if self.language in _BARE_POINTS else 0

    def _letter_scaled(
        self, at: int, number: Number, low: float, high: float
    ) -> tuple[Fact, int] | None:
        """What is counted in letters: 4.8m people, 4,8 M€."""
        end = number.end
        letter = 0 if number.is_word else self.letter(end)
        if not letter:
            return None
        money, past = self.unit(end + 1)
        if money and money.is_money:
            return self._made(Kind.AMOUNT, at, past, low * letter, high * letter, money.dimension)
        counted = self.low(end + 1).endswith("s") or self.low(end + 1) == "people"
        if self.touches(end) and (counted or not self.unit(end)[0]):
            return self._made(Kind.NUMBER, at, end + 1, low * letter, high * letter, "")
        return None

    def _amount(self, at: int, unit: Unit, number: Number) -> tuple[Fact, int]:
        """An amount, or a range of them, whose currency stands before it."""
        number = self.lettered(number)
        low = high = number.value
        end = number.end
        if self.low(end) in _RANGE and end + 1 < len(self.tokens):
            begin = end + 1 + (self.low(end + 1) == self.low(at))
            second = self.number(begin) if begin < len(self.tokens) else None
            second = self.lettered(second) if second else None
            if second and second.value >= low:
                low, high, end = _same_scale(number, second), second.value, second.end
        return self._made(Kind.AMOUNT, at, end, low, high, unit.dimension)

    def _one_and_half(self, at: int) -> tuple[Fact, int] | None:
        """ "a year and a half", "año y medio"."""
        begin = at + (self.low(at) in _ONE)
        if begin == at and self.language != "es":
            return None
        unit, after = self.unit(begin)
        if unit is None or unit.dimension not in _TIME or (past := self.and_half(after)) == after:
            return None
        value = 1.5 * unit.factor
        return self._made(Kind.MEASUREMENT, at, past, value, value, unit.dimension)

    def _both(self, at: int) -> tuple[Fact, int] | None:
        """ "both companies" are two."""
        if self.low(at) not in BOTH or not self.known:
            return None
        return self._made(Kind.NUMBER, at, at + 1, 2.0, 2.0, "")


def _same_scale(first: Number, second: Number) -> float:
    """ "3 to 5 million" begins at three million."""
    bare = first.scale == 1 and first.value < 1000
    return first.value * second.scale if bare else first.value
