"""Numbers, amounts, percentages, measurements, shares and ordinals of a text."""

from collections.abc import Sequence
from dataclasses import dataclass

from app.core.evidence import number_words
from app.core.evidence.digits import parse_digits
from app.core.evidence.fact import Fact, Kind
from app.core.evidence.tokens import Token
from app.core.evidence.units import MAX_WORDS, Unit, units
from app.core.evidence.words import (
    ANYBODY,
    HEDGES,
    IN,
    LANGUAGES,
    OF,
    PERCENT,
    PERCENT_PAIRS,
    POINTS,
    RATIOS,
    SHARES,
    SMALL,
    SURE_SHARES,
    Hedge,
    word_set,
)
from app.core.text import stem

_RANGE = {"-", "–", "—", "to", "bis", "à", "a", "até", "tot", "fino"}
_AND = {"and", "und", "et", "y", "e", "en"}
_BETWEEN = {"between", "zwischen", "entre", "tra", "fra", "tussen"}
_LETTER_SCALES = {"m": 10**6, "mn": 10**6, "k": 10**3, "bn": 10**9, "b": 10**9, "tn": 10**12}
_ORDINAL_ENDS = {"st", "nd", "rd", "th", "º", "ª", "er", "ère", "e", "ème", "o", "de", "ste"}
_ORDINALS = {
    word: index + 2
    for index, word in enumerate(
        ["second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth"]
    )
}
_ORDINAL_BEFORE = {"the", "its", "their", "his", "her", "s", "a"}
_AFTER_SHARE = word_set(". , ; ) last this in are is were was have had said since") | {""}
_NOUNS = 3
# No number that a text means is larger.
_MOST = 1e24


@dataclass(frozen=True)
class _Number:
    value: float
    end: int  # index of the token after it
    is_word: bool
    year_like: bool = False


class Numbers:
    """Reads the numbers of one text, token by token."""

    def __init__(self, found: Sequence[Token], text: str, language: str) -> None:
        self.tokens, self.text, self.language = found, text, language
        self.known = language in LANGUAGES
        self._units: dict[str, Unit] = units(language) if self.known else units("en")

    def low(self, index: int) -> str:
        return self.tokens[index].low if 0 <= index < len(self.tokens) else ""

    def touches(self, index: int) -> bool:
        """Whether nothing stands between a token and the one before it."""
        return (
            0 < index < len(self.tokens) and self.tokens[index].start == self.tokens[index - 1].end
        )

    def number(self, at: int) -> _Number | None:
        """The number that begins at a token, in digits or in words, with its scale."""
        token = self.tokens[at]
        if token.is_digits:
            value = parse_digits(token.text, self.language)
            if value is None:
                return None
            end, is_word = at + 1, False
        elif self.known and token.is_word:
            words: list[str] = []
            where: list[int] = []
            for index in range(at, min(at + 32, len(self.tokens))):
                if self.tokens[index].is_word:
                    words.append(self.low(index))
                    where.append(index)
                elif self.low(index) != "-" or not self.touches(index):
                    break
            count, used = number_words.read(words, self.language)
            if not used or (used == 1 and words[0] in number_words.ARTICLES):
                return self._after_article(at)
            value, end, is_word = float(count), where[used - 1] + 1, True
        else:
            return None
        if [self.low(end + i) for i in range(3)] == ["and", "a", "half"]:
            value, end = value + 0.5, end + 3
        scaled = self._scale(end)
        while scaled > 1 and value < _MOST:
            value, end = value * scaled, end + 1
            if self.low(end) == "." and self.touches(end) and len(self.low(end - 1)) <= 3:
                end += 1  # Mio. Euro
            scaled = self._scale(end)
        return _Number(value, end, is_word, not is_word and len(token.text) == 4)

    def _after_article(self, at: int) -> _Number | None:
        """ "a million", "half a million": a scale that nothing but an article counts."""
        if self.low(at) in {"a", "an", "half"} and self.language == "en":
            half = self.low(at) == "half"
            end = at + (2 if half and self.low(at + 1) in {"a", "an"} else 1)
            if self.low(end) in {"hundred", "dozen"} and not half:
                return _Number(float(100 if self.low(end) == "hundred" else 12), end + 1, True)
            if (scale := self._scale(end)) > 1:
                return _Number(scale / (2 if half else 1), end + 1, True)
        if self.low(at) in number_words.ARTICLES and (scale := self._scale(at + 1)) > 1:
            return _Number(float(scale), at + 2, True)
        return None

    def _scale(self, at: int) -> int:
        return number_words.SCALES.get(self.language, {}).get(self.low(at), 1)

    def unit(self, at: int) -> tuple[Unit | None, int]:
        """The unit that begins at a token, and the index after it. A hyphen before it counts."""
        begin = at + (self.low(at) in {"-", "\u2011"} and self.touches(at))
        if self.low(at) in {"de", "di", "d"}:  # millions d'euros
            begin = at + 1 + (self.low(at + 1) in {"'", "’"})
        for count in range(MAX_WORDS + 1, 0, -1):
            names = [self.low(begin + i) for i in range(count)]
            found = self._units.get(" ".join(name for name in names if name != "-"))
            if found and names[-1] != "-":
                return found, begin + count
        return None, at

    def fact(self, at: int) -> tuple[Fact, int] | None:
        """The fact that begins at a token, and the index of the token after it."""
        before = self._units.get(self.low(at))
        if before and before.is_money and at + 1 < len(self.tokens):
            found = self.number(at + 1) if self.tokens[at + 1].is_digits else None
            return self._amount(at, before, found) if found else None
        if share := self._share(at) or self._one_in(at):
            return share
        number = self.number(at)
        if number is None:
            return self._ratio(at) or self._ordinal_word(at)
        low = high = number.value
        end = number.end
        joined = self.low(end) in _RANGE or (self.low(end) in _AND and self.low(at - 1) in _BETWEEN)
        unit, after = self.unit(end)
        if joined and end + 1 < len(self.tokens):
            second = self.number(end + 1)
            if second and second.value > low:
                low, high, end = self._same_scale(number, second), second.value, second.end
                unit, after = self.unit(end)
        return self._with_unit(at, end, low, high, unit, after, number)

    def _same_scale(self, first: _Number, second: _Number) -> float:
        """ "3 to 5 million" begins at three million."""
        scale = self._scale(second.end - 1)
        return first.value * scale if scale > 1 and first.value < 1000 else first.value

    def _with_unit(
        self, at: int, end: int, low: float, high: float, unit: Unit | None, after: int,
        number: _Number,
    ) -> tuple[Fact, int]:  # fmt: skip
        percent = self.low(end) in PERCENT or (self.low(end), self.low(end + 1)) in PERCENT_PAIRS
        if self.low(end) in POINTS and self.language == "de":
            return self._made(Kind.PERCENTAGE, at, end + 1, low, high, "points")
        if percent or (self.low(end) == "-" and self.low(end + 1) in PERCENT):
            end += 1 if self.low(end) in PERCENT else 2
            if self.low(end) in POINTS or self.low(end + 1) in POINTS - {"point"}:
                end += 1 if self.low(end) in POINTS else 2
                return self._made(Kind.PERCENTAGE, at, end, low, high, "points")
            return self._made(Kind.PERCENTAGE, at, end, low, high, "percent")
        if self.low(end) == "percentage" and self.low(end + 1) in POINTS:
            return self._made(Kind.PERCENTAGE, at, end + 2, low, high, "points")
        letter = _LETTER_SCALES.get(self.low(end)) if self.touches(end) else None
        if letter and not number.is_word:
            money, past = self.unit(end + 1)
            if money and money.is_money:
                return self._made(Kind.AMOUNT, at, past, low * letter, high * letter,
                                  money.dimension)  # fmt: skip
            if not unit or self.low(end + 1).endswith("s") or self.low(end + 1) == "people":
                return self._made(Kind.NUMBER, at, end + 1, low * letter, high * letter, "")
        if unit and unit.is_money:
            return self._made(Kind.AMOUNT, at, after, low, high, unit.dimension)
        if unit:
            low, high = low * unit.factor, high * unit.factor
            return self._made(Kind.MEASUREMENT, at, after, low, high, unit.dimension)
        if not number.is_word and self.touches(end) and self.low(end) in _ORDINAL_ENDS:
            return self._made(Kind.ORDINAL, at, end + 1, low, high, "ordinal")
        return self._made(Kind.NUMBER, at, end, low, high, "")

    def _amount(self, at: int, unit: Unit, number: _Number) -> tuple[Fact, int]:
        low = high = number.value
        end = number.end
        letter = _LETTER_SCALES.get(self.low(end)) if self.touches(end) else None
        if letter:
            low, high, end = low * letter, high * letter, end + 1
        if self.low(end) in _RANGE and end + 1 < len(self.tokens):
            begin = end + 1 + (self.low(end + 1) == self.low(at))
            second = self.number(begin) if begin < len(self.tokens) else None
            if second and second.value >= low:
                low, high, end = self._same_scale(number, second), second.value, second.end
        return self._made(Kind.AMOUNT, at, end, low, high, unit.dimension)

    def _share(self, at: int) -> tuple[Fact, int] | None:
        shares = SHARES.get(self.language, {})
        times, name = 1, at
        if self.low(at) not in shares:
            if not self.tokens[at].is_word:
                return None
            times, used = number_words.read([self.low(at)], self.language)
            if not used or not 0 < times < 10:
                return None
            name = at + 1 + (self.low(at + 1) == "-")
        share = shares.get(self.low(name))
        if share is None or name >= len(self.tokens):
            return None
        # A third of the town; a third try, half an hour and the fifth of May are something else.
        of = self.low(name + 1) in OF[self.language] or self.low(name) in SURE_SHARES
        by_half = self.low(name) == "half" and self.low(name - 1) in {"by", "in", "than"}
        alone = self.low(name - 1) in {"a", "one"} and self.low(name + 1) in _AFTER_SHARE
        if not (of or by_half or alone or (times > 1 and name > at)):
            return None
        if self.low(name - 1) == "the" and self.low(name) != "half":
            return None
        value = float(share * times)
        begin = at - (self.low(at - 1) in {"a", "one", "ein", "un", "um", "een"})
        return self._made(Kind.PERCENTAGE, max(begin, 0), name + 1, value, value, "percent")

    def _one_in(self, at: int) -> tuple[Fact, int] | None:
        """One in four, nine out of ten: a share of small numbers."""
        count, end = self._small(at)
        for words in IN.get(self.language, ()) if count else ():
            if tuple(self.low(end + step) for step in range(len(words))) == words:
                whole, after = self._small(end + len(words))
                if count < whole:
                    value = count * 100 / whole
                    return self._made(Kind.PERCENTAGE, at, after, value, value, "percent")
        return None

    def _small(self, at: int) -> tuple[int, int]:
        """A number of at most a hundred at a token, and the index after it; (0, at) for none."""
        word = self.low(at)
        value, used = number_words.read([word], self.language)
        if word.isdecimal() and len(word) <= 3:
            value, used = int(word), 1
        return (value, at + 1) if used and 0 < value <= 100 else (0, at)

    def _ratio(self, at: int) -> tuple[Fact, int] | None:
        ratio = RATIOS.get(self.language, {}).get(self.low(at))
        if ratio is None:
            return None
        return self._made(Kind.NUMBER, at, at + 1, float(ratio), float(ratio), "ratio")

    def _ordinal_word(self, at: int) -> tuple[Fact, int] | None:
        value = _ORDINALS.get(self.low(at)) if self.language == "en" else None
        if value is None or self.low(at - 1) not in _ORDINAL_BEFORE:
            return None
        return self._made(Kind.ORDINAL, at, at + 1, float(value), float(value), "ordinal")

    def _made(
        self, kind: Kind, at: int, end: int, low: float, high: float, unit: str
    ) -> tuple[Fact, int]:
        span = (self.tokens[at].start, self.tokens[end - 1].end)
        nouns = self._nouns(end) if kind in {Kind.NUMBER, Kind.ORDINAL} else frozenset()
        hedge = self._hedge(at)
        low, high = _settled(low), _settled(high)
        return Fact(kind, self.text[slice(*span)], span, low, high, unit, hedge, nouns), end

    def _hedge(self, at: int) -> Hedge | None:
        if self.low(at - 1) in {"~", "≈"}:
            return Hedge.ABOUT
        table = HEDGES.get(self.language, {})
        skip = 1 if self.low(at - 1) in {"a", "the", "zu", "$", "€", "£"} else 0
        words = [self.low(at - skip - i) for i in range(3, 0, -1)]
        for begin in range(3):
            if hedge := table.get(" ".join(words[begin:])):
                return hedge
        return None

    def _nouns(self, at: int) -> frozenset[str]:
        """Stems of the words after a number, as far as the next sign: what is counted."""
        small = SMALL.get(self.language, frozenset())
        found = []
        for index in range(at, min(at + _NOUNS, len(self.tokens))):
            token = self.tokens[index]
            if token.low == "-" and self.touches(index):
                continue
            if not token.is_word:
                break
            if token.low in ANYBODY:
                break
            if len(token.low) > 3 and token.low not in small:
                found.append(stem(token.low, self.language))
        return frozenset(found)


def _settled(value: float) -> float:
    """The value to 14 digits, so that 0.4 m and 40 cm are one number however they were made."""
    return float(f"{value:.14g}")
