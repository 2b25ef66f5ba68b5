"""The sources of a post, read and indexed for looking its claims up."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from datetime import date
from functools import cached_property

from app.core.evidence.fact import Fact
from app.core.evidence.quotations import ELLIPSIS, find_words, quoted_words
from app.core.evidence.reading import Line, Reading, read
from app.core.evidence.tokens import tokens
from app.core.evidence.words import NEGATIONS
from app.core.source import Source
from app.core.text import primary_subtag, stem

# A word of the subject tells nothing where this share of a source's sentences has it.
_UBIQUITOUS = 0.6
_MIN_LINES = 5
_LITTLE = frozenset({"of", "the", "and", "for", "in"})
# How far apart the words of a name may stand where its ordinary words are turned round.
_NAME_REACH = 8


class Page:
    """One source."""

    def __init__(self, source: Source, language: str) -> None:
        self.source = source
        self.anchor: date | None = source.published_at.date() if source.published_at else None
        self.language = primary_subtag(source.language or language)
        text = f"{source.title}\n{source.text}"
        self.reading: Reading = read(text, self.language, self.anchor)
        self.lines: tuple[Line, ...] = self.reading.lines
        self._tokens = tokens(text)

    @cached_property
    def _words(self) -> list[str]:
        return [word for word in quoted_words(self.source.text) if word != ELLIPSIS]

    @cached_property
    def _word_places(self) -> dict[str, list[int]]:
        places: dict[str, list[int]] = defaultdict(list)
        for index, token in enumerate(self._tokens):
            if token.is_word:
                places[token.low].append(index)
        return places

    @cached_property
    def measured(self) -> tuple[tuple[int, Line, tuple[Fact, ...]], ...]:
        """The sentences that have a value, with their places and those values."""
        having = (
            (index, line, tuple(fact for fact in line.facts if fact.is_value))
            for index, line in enumerate(self.lines)
        )
        return tuple(each for each in having if each[2])

    @cached_property
    def ubiquitous(self) -> frozenset[str]:
        """Stems that tell one sentence from no other."""
        if len(self.lines) < _MIN_LINES:
            return frozenset()
        counts = Counter(each for line in self.lines for each in line.stems)
        return frozenset(s for s, n in counts.items() if n > _UBIQUITOUS * len(self.lines))

    @cached_property
    def acronyms(self) -> frozenset[str]:
        """What the runs of capitalised words of this text come to, as acronyms."""
        found: set[str] = set()
        letters: list[str] = []
        for token in [*self._tokens, None]:
            if token is not None and token.is_word and token.is_capitalised:
                letters.append(token.low[0])
            elif token is None or token.low not in _LITTLE:
                for begin in range(min(len(letters), 12)):
                    found |= {
                        "".join(letters[begin:end])
                        for end in range(begin + 2, min(len(letters), begin + 8) + 1)
                    }
                letters = []
        return frozenset(found)

    def lines_with_words(self, words: Sequence[str]) -> list[int]:
        """Indices of the lines in which a quotation begins or goes on."""
        if find_words(self._words, words) is None:
            return []
        first = [word for word in words if word != ELLIPSIS][:4]
        return [
            index
            for index, line in enumerate(self.lines)
            if find_words(line.words, first) is not None
        ]

    def has_words(self, words: Sequence[str]) -> bool:
        return find_words(self._words, words) is not None

    def denial_before(self, words: Sequence[str]) -> str:
        """The word that denies a quotation where the source has it right before its words, each
        time it has them; else empty.
        """
        denials = NEGATIONS.get(self.language, frozenset()) | {"t"}  # didn't
        found = ""
        begin = 0
        while place := find_words(self._words[begin:], words):
            at = begin + place[0]
            found = self._words[at - 1] if at else ""
            if found not in denials:
                return ""
            begin = at + 1
        return found

    def nearest_words(self, words: Sequence[str]) -> Line | None:
        """The sentence that shares most of a quotation's words: at least six in ten."""
        wanted = {word for word in words if word != ELLIPSIS}
        scored = ((len(wanted & set(line.words)), line) for line in self.lines)
        shared, line = max(scored, key=lambda pair: pair[0], default=(0, None))
        return line if shared >= max(3, 0.6 * len(wanted)) else None

    def lines_with_any(self, words: Sequence[str]) -> list[Line]:
        """The sentences that have one of these words, in lower case, each once."""
        places = {place for word in words for place in self._line_places.get(word, ())}
        return [self.lines[place] for place in sorted(places)]

    @cached_property
    def _line_places(self) -> dict[str, list[int]]:
        found: dict[str, list[int]] = defaultdict(list)
        for place, line in enumerate(self.lines):
            for word in frozenset(line.words):
                found[word].append(place)
        return dict(found)

    def has_name(self, words: Sequence[str]) -> bool:
        """Whether a name stands here: its words in a row, inflected or not, or spelled out."""
        words = [word for word in words if word not in _LITTLE]
        if not words:
            return True
        if len(words) == 1 and len(words[0]) <= 8 and words[0] in self.acronyms:
            return True
        return any(self._stands_at(words, place) for place in self._places(words[0])) or (
            self._turned(words)
        )

    def _places(self, word: str) -> Iterator[int]:
        for form in self._forms(word):
            yield from self._word_places.get(form, ())

    def _forms(self, word: str) -> set[str]:
        forms = {word, f"{word}s", f"{word}n", f"{word}en", f"{word}es"}
        for end in ("s", "es", "n", "en"):
            if word.endswith(end) and len(word) - len(end) >= 3:
                forms.add(word.removesuffix(end))
        forms |= self._by_stem.get(stem(word, self.language), frozenset())
        if word.endswith(("ian", "ians", "ish", "ese", "an", "ans")):  # Norwegian and Norway
            forms |= self._by_start.get(word[:4], frozenset())
        return forms

    @cached_property
    def _by_stem(self) -> dict[str, frozenset[str]]:
        found: dict[str, set[str]] = defaultdict(set)
        for word in self._word_places:
            found[stem(word, self.language)].add(word)
        return {key: frozenset(words) for key, words in found.items()}

    @cached_property
    def _by_start(self) -> dict[str, frozenset[str]]:
        found: dict[str, set[str]] = defaultdict(set)
        for word in self._word_places:
            if len(word) > 3:
                found[word[:4]].add(word)
        return {key: frozenset(words) for key, words in found.items()}

    def _stands_at(self, words: Sequence[str], place: int) -> bool:
        at = place + 1
        for word in words[1:]:
            forms = self._forms(word)
            for reach in range(3):
                if at + reach < len(self._tokens) and self._tokens[at + reach].low in forms:
                    at += reach + 1
                    break
            else:
                return False
        return True

    def _turned(self, words: Sequence[str]) -> bool:
        """Ordinary words turned round: "Halden City Council", "the city council of Halden"."""
        proper = [word for word in words if not self._forms(word) & self.reading.ordinary]
        if len(words) < 2 or len(proper) > 1:
            return False
        rest = [self._forms(word) for word in words if word not in proper]
        for place in self._places(proper[0] if proper else words[0]):
            begin = max(place - _NAME_REACH, 0)
            around = {token.low for token in self._tokens[begin : place + _NAME_REACH]}
            if all(forms & around for forms in rest):
                return True
        return False

    def name_like(self, words: Sequence[str]) -> str:
        """What this source has for a name that shares one of its words; empty if nothing does."""
        for word in words:
            for place in self._word_places.get(word, ())[:1]:
                begin = end = place
                while begin > 0 and self._tokens[begin - 1].is_capitalised:
                    begin -= 1
                while end + 1 < len(self._tokens) and self._tokens[end + 1].is_capitalised:
                    end += 1
                run = self._tokens[begin : end + 1]
                if len(run) > 1 and len(run) <= 6:
                    return " ".join(token.text for token in run)
        return ""

    def number_name(self, before: str, number: str) -> bool:
        """Whether a number stands after this very word: Web 2.0, Route 66."""
        return any(
            place + 1 < len(self._tokens) and self._tokens[place + 1].text == number
            for place in self._word_places.get(before, ())
        )
