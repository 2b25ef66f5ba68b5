"""Numbers of a text in digits and words, with their scales, and the units after them."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from app.core.evidence import number_words
from app.core.evidence.digits import parse_digits
from app.core.evidence.tokens import Token
from app.core.evidence.units import MAX_WORDS, Unit, unit_starts, units
from app.core.evidence.words import LANGUAGES

# No number that a text means is larger.
_MOST = 1e24
_ARTICLES = number_words.ARTICLES | {"a", "an"}
_LETTER_SCALES = {"m": 10**6, "mn": 10**6, "k": 10**3, "bn": 10**9, "b": 10**9, "tn": 10**12,
                  "md": 10**9, "mds": 10**9}  # fmt: skip


@dataclass(frozen=True)
class Number:
    """``scale`` is what was multiplied in ("million"); ``is_loose`` says that its name is one for
    about so many ("une vingtaine")."""

    value: float
    end: int  # index of the token after it
    is_word: bool
    scale: float = 1.0
    is_loose: bool = False


class Counts:
    """Reads the bare numbers of one text, token by token."""

    def __init__(self, found: Sequence[Token], text: str, language: str) -> None:
        self.tokens, self.text, self.language = found, text, language
        self.known = language in LANGUAGES
        self._units: dict[str, Unit] = units(language if self.known else "en")
        self._unit_starts = unit_starts(language if self.known else "en")
        self._scales = number_words.SCALES.get(language, {})
        self._halves = number_words.HALVES.get(language, frozenset())
        self._groups = number_words.GROUPS.get(language, {})

    def low(self, index: int) -> str:
        return self.tokens[index].low if 0 <= index < len(self.tokens) else ""

    def touches(self, index: int) -> bool:
        """Whether nothing stands between a token and the one before it."""
        return (
            0 < index < len(self.tokens) and self.tokens[index].start == self.tokens[index - 1].end
        )

    def number(self, at: int) -> Number | None:
        """The number that begins at a token, in digits or in words, with its scale."""
        if not self.tokens[at].is_digits and not (self.known and self.tokens[at].is_word):
            return None
        if special := self._group(at) or self._half(at):
            return special
        found = self._digits(at) if self.tokens[at].is_digits else self._in_words(at)
        return self._scaled(found) if found else self._after_article(at)

    def _digits(self, at: int) -> Number | None:
        value = parse_digits(self.tokens[at].text, self.language)
        return None if value is None else Number(value, at + 1, is_word=False)

    def _in_words(self, at: int) -> Number | None:
        mixed = number_words.with_half(self.low(at), self.language)
        if mixed is not None:
            return Number(mixed, at + 1, is_word=True)
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
            return None
        scale = self._scales.get(words[used - 1], 1)
        return Number(float(count), where[used - 1] + 1, is_word=True, scale=float(scale))

    def _scaled(self, number: Number) -> Number:
        """The number with what follows it: a half, millions, and half of those."""
        value, end, scale = number.value, number.end, number.scale
        past = self.and_half(end)
        if past > end and scale == 1:
            value, end = value + 0.5, past
        while (step := self._scale(end)) > 1 and value < _MOST:
            value, end, scale = value * step, end + 1, scale * step
            if self.low(end) == "." and self.touches(end) and len(self.low(end - 1)) <= 3:
                end += 1  # Mio. Euro
        past = self.and_half(end)
        if past > end and scale > 1:
            value, end = value + scale / 2, past
        return replace(number, value=value, end=end, scale=scale)

    def lettered(self, number: Number) -> Number:
        """The number with a letter for a scale that touches it: 25m."""
        letter = _LETTER_SCALES.get(self.low(number.end)) if self.touches(number.end) else None
        return self.scaled_by(number, letter) if letter else number

    def letter(self, at: int) -> int:
        """The scale that the letters of a token stand for; 0 for none."""
        return _LETTER_SCALES.get(self.low(at), 0)

    def scaled_by(self, number: Number, letter: int) -> Number:
        return replace(number, value=number.value * letter, end=number.end + 1, scale=float(letter))

    def _after_article(self, at: int) -> Number | None:
        """ "a million", "un millón y medio": a scale that nothing but an article counts."""
        begin = at + (self.low(at) in _ARTICLES)
        if begin == at and self.low(at) not in number_words.UNCOUNTED_SCALES:
            return None
        if self.language == "en" and self.low(begin) == "hundred":
            return Number(100.0, begin + 1, is_word=True)
        if self._scale(begin) > 1:
            return self._scaled(Number(1.0, begin, is_word=True))
        return None

    def _group(self, at: int) -> Number | None:
        """ "two dozen", "une vingtaine": a name for so many, counted or after an article."""
        size = self._groups.get(self.low(at + 1))
        if size is None:
            return None
        count, used = number_words.read([self.low(at)], self.language)
        if self.low(at).isdecimal() and len(self.low(at)) < 3:
            count, used = int(self.low(at)), 1
        elif self.low(at) in _ARTICLES:
            count, used = 1, 1
        if not used or not 0 < count < 100:
            return None
        loose = size != number_words.DOZEN
        return Number(float(count * size), at + 2, is_word=True, is_loose=loose)

    def _half(self, at: int) -> Number | None:
        """ "half a million", "eine halbe Stunde": a half of what follows at once."""
        if self.low(at) not in self._halves:
            return None
        end = at + 1 + (self.low(at + 1) in _ARTICLES | {"-", "'", "’"})
        if (scale := self._scale(end)) > 1:
            return Number(scale / 2, end + 1, is_word=True, scale=float(scale))
        unit, _ = self.unit(end)
        return Number(0.5, end, is_word=True) if unit and not unit.is_money else None

    def and_half(self, at: int) -> int:
        """The index after "and a half" where that stands at a token, else that of the token."""
        for words in number_words.AND_HALF.get(self.language, ()):
            if all(self.low(at + step) == word for step, word in enumerate(words)):
                return at + len(words)
        return at

    def _scale(self, at: int) -> int:
        return self._scales.get(self.low(at), 1)

    def unit(self, at: int) -> tuple[Unit | None, int]:
        """The unit that begins at a token, and the index after it. A hyphen before it counts."""
        begin = at + (self.low(at) in {"-", "\u2011"} and self.touches(at))
        if self.low(at) in {"de", "di", "d"}:  # millions d'euros
            begin = at + 1 + (self.low(at + 1) in {"'", "’"})
        if self.low(begin) not in self._unit_starts:
            return None, at
        for count in range(MAX_WORDS + 1, 0, -1):
            names = [self.low(begin + i) for i in range(count)]
            found = self._units.get(" ".join(name for name in names if name != "-"))
            if found and names[-1] != "-":
                return found, begin + count
        return None, at
