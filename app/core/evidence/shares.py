"""Shares, ratios and ordinals of a text, and how a fact is made of what was read."""

from app.core.evidence import number_words
from app.core.evidence.counts import Counts
from app.core.evidence.fact import Fact, Kind
from app.core.evidence.words import (
    ANYBODY,
    HEDGES,
    IN,
    OF,
    RATIOS,
    SHARES,
    SMALL,
    SURE_SHARES,
    Hedge,
    word_set,
)
from app.core.text import stem

_ORDINALS = {
    word: index + 2
    for index, word in enumerate(
        ["second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth"]
    )
}
_ORDINAL_BEFORE = {"the", "its", "their", "his", "her", "s", "a"}
_AFTER_SHARE = word_set(". , ; ) last this in are is were was have had said since") | {""}
# What may stand between a hedge and its number: "nearly a third", "más de un 8 %".
_AFTER_HEDGE = word_set(
    "a an the $ € £ ein eine einem einen einer die der das zu un une una la le el il o uma um een"
)
_NOUNS = 3


class Shares(Counts):
    """Reads the shares, ratios and ordinals of one text."""

    def share(self, at: int) -> tuple[Fact, int] | None:
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

    def one_in(self, at: int) -> tuple[Fact, int] | None:
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

    def ratio(self, at: int) -> tuple[Fact, int] | None:
        ratio = RATIOS.get(self.language, {}).get(self.low(at))
        if ratio is None:
            return None
        return self._made(Kind.NUMBER, at, at + 1, float(ratio), float(ratio), "ratio")

    def ordinal_word(self, at: int) -> tuple[Fact, int] | None:
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
        skip = 1 if self.low(at - 1) in _AFTER_HEDGE else 0
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
