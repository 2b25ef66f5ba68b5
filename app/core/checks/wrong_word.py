"""Words that hardly ever stand between their neighbours, beside one that often does.

A word in its place is compared with those that it is mixed up with (a letter, the sound, a form of
the same word, another preposition or article), with its absence, and with its exchange for the next
word. Numbers, names and unknown words are no evidence, so nothing beside them is judged.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np

from app.core.checks.check import WARNING, FilePart, Finding, Scope, ScorePart, check
from app.core.checks.grammar import check_grammar
from app.core.checks.mechanics import (
    check_confused_words,
    check_disagreement,
    check_doubled_word,
    check_wrong_article,
)
from app.core.checks.passage import Passage
from app.core.checks.usage import check_usage, places_found
from app.core.text import Span, word_spans, words
from app.core.text.contexts import (
    BEGIN,
    END,
    KINDS,
    UNKNOWN,
    ContextModel,
    Ids,
    Logarithms,
    context_model,
    has_context_model,
)

# By how much, as a decimal logarithm, the other words must be more probable.
_LEAST_GAIN = {
    "spelling": 3.8, "letter": 3.5, "sound": 2.3, "form": 4.3, "preposition": 3.4, "article": 2.5,
    "superfluous": 5.3, "order": 3.5,
}  # fmt: skip
_GAINS = np.array([_LEAST_GAIN[kind] for kind in KINDS], dtype=np.float32)
# The words and the two behind them are at least this improbable where anything is reported.
_LEAST_SURPRISE = -7.0
_SMALL_WORDS = (
    "a an the to of in on at for with by from is are was were be been have has had it that and or"
    " as not do does did will can you they he we i this if when so"
)
_SMALL = frozenset(_SMALL_WORDS.split())
_SENTENCE_END = frozenset(".!?:;")


@check(
    "wrong_word", ScorePart.MECHANICS, Scope.DOCUMENT, WARNING,
    "Check it, and write what is meant.",
    languages=has_context_model, in_files=FilePart.PROSE, fixable=True,
)  # fmt: skip
def check_wrong_word(everything: Sequence[Passage], language: str) -> Iterator[Finding]:
    """Words that hardly ever stand between their neighbours: flows threw the pipe."""
    model = context_model(language)
    if model is None:
        return
    said = _Said(model)
    for number, passage in enumerate(everything):
        if passage.is_prose:
            said.add(number, passage.text_without_code)
    for number, (begin, end), question in said.wrong():
        passage = everything[number]
        if places_found(_SURER_CHECKS, passage, language).isdisjoint(range(begin, end)):
            wrong = " ".join(passage.text[begin:end].split())
            problem = f"“{wrong}” hardly ever stands there. {question}"
            yield check_wrong_word.found(passage.section, problem, (begin, end))


# What they find is not reported twice.
_SURER_CHECKS = (
    check_doubled_word, check_wrong_article, check_confused_words, check_disagreement, check_usage,
    check_grammar,
)  # fmt: skip


@dataclass
class _Said:
    """The words of all passages in a row, each with its passage and place."""

    model: ContextModel
    ids: list[int] = field(default_factory=lambda: [UNKNOWN, UNKNOWN])
    places: list[tuple[int, Span] | None] = field(default_factory=lambda: [None, None])

    def add(self, number: int, text: str) -> None:
        known, ids, places = self.model.numbers.get, self.ids, self.places
        end, starts = 0, True
        ids.append(BEGIN)
        places.append(None)
        for word, span in zip(words(text), word_spans(text), strict=True):
            begin = span[0]
            if not starts and (begin - end != 1 or text[end] != " "):
                gap = text[end:begin]
                if gap[:1] in _SENTENCE_END and gap[-1].isspace():
                    ids += END, BEGIN
                    places += None, None
                    starts = True
                elif not gap.isspace():
                    ids.append(UNKNOWN)
                    places.append(None)
            is_name = not text[begin].islower() and _is_name(text[begin : span[1]], starts=starts)
            ids.append(UNKNOWN if is_name else known(word, UNKNOWN))
            places.append((number, span))
            end, starts = span[1], False
        ids += END if text[end : end + 1] in _SENTENCE_END else UNKNOWN, UNKNOWN, UNKNOWN, UNKNOWN
        places += (None,) * 4

    def wrong(self) -> Iterator[tuple[int, Span, str]]:
        """Yield the passage and the place of each wrong word, and a question that says what may be
        right."""
        best: dict[int, tuple[float, int, str]] = {}
        for at, gain, length, instead in self._suspicions():
            if gain > best.get(at, (0.0, 0, ""))[0]:
                best[at] = (gain, length, instead)
        last = -9
        for at, (gain, length, instead) in sorted(best.items()):
            if any(best.get(near, (0.0,))[0] > gain for near in (at - 1, at + 1)) or at - last < 2:
                continue
            first, end = self.places[at], self.places[at + length - 1]
            if first and end:
                last = at
                yield first[0], (first[1][0], end[1][1]), instead

    def _suspicions(self) -> Iterator[tuple[int, float, int, str]]:
        """Yield the index of a word, by how much other words are more probable than they must be,
        how many words they replace, and the question to ask.
        """
        ids, spelled = np.array(self.ids, dtype=np.int64), self.model.words
        suspects, now = self._suspects(ids)
        first = self.model.first[ids[suspects]]
        counts = self.model.first[ids[suspects] + 1] - first
        at = suspects.repeat(counts)
        listed = np.arange(len(at)) + (first - counts.cumsum() + counts).repeat(counts)
        others = self.model.others[listed]
        needed = now.repeat(counts) + _GAINS[self.model.kinds[listed]]
        for found, gain in self._better(ids, at, (others,), 1, needed):
            yield int(at[found]), gain, 1, f"Did you mean “{spelled[others[found]]}”?"

        is_small = np.isin(ids, [self.model.numbers[word] for word in _SMALL])
        chosen = is_small[suspects]
        at, needed = suspects[chosen], now[chosen] + _LEAST_GAIN["superfluous"]
        for found, gain in self._better(ids, at, (), 1, needed):
            yield int(at[found]), gain, 1, "Is it needed?"

        chosen = (ids[suspects + 1] > END) & (ids[suspects + 2] != UNKNOWN)
        chosen &= is_small[suspects] | is_small[suspects + 1]
        at, needed = suspects[chosen], now[chosen] + _LEAST_GAIN["order"]
        for found, gain in self._better(ids, at, (ids[at + 1], ids[at]), 2, needed):
            one, two = (spelled[ids[at[found] + step]] for step in (1, 0))
            yield int(at[found]), gain, 2, f"Did you mean “{one} {two}”?"

    def _suspects(self, ids: Ids) -> tuple[Ids, Logarithms]:
        """Return the indexes of improbable words between known ones, and how probable each is."""
        chance = np.zeros(len(ids), dtype=np.float32)
        chance[2:] = self.model.logarithm(ids[:-2], ids[1:-1], ids[2:])
        # An unknown word is no evidence.
        chance[ids == UNKNOWN] = 0
        now = chance[2:-2] + chance[3:-1] + chance[4:]
        chosen = (ids[2:-2] > END) & (ids[1:-3] != UNKNOWN) & (ids[3:-1] != UNKNOWN)
        chosen &= now < _LEAST_SURPRISE
        return chosen.nonzero()[0] + 2, now[chosen]

    def _better(
        self, ids: Ids, at: Ids, instead: tuple[Ids, ...], length: int, needed: Logarithms
    ) -> Iterator[tuple[int, float]]:
        """Yield which of some words are better replaced, and by how much.

        Args:
            at: the indexes of the words.
            instead: what replaces them.
            length: how many words are replaced.
            needed: how probable what replaces them and the words behind it must be.
        """
        behind = [ids[at + length + step] for step in range(2 if length == 1 else 1)]
        row = [ids[at - 2], ids[at - 1], *instead, *behind]
        kept, gain = np.arange(len(at)), -needed
        for before, previous, word in zip(row, row[1:], row[2:], strict=False):
            found = self.model.logarithm(before[kept], previous[kept], word[kept])
            gain = gain + np.where(word[kept] == UNKNOWN, np.float32(0), found)
            # Each further word makes it less probable.
            likely = gain > 0
            kept, gain = kept[likely], gain[likely]
        yield from zip(kept.tolist(), gain.tolist(), strict=True)


def _is_name(word: str, *, starts: bool) -> bool:
    """Whether a word has a capital that is not that of a sentence: Iran, US."""
    if word[0] == "I" and (len(word) == 1 or not word[1].isalpha()):
        return False
    return not starts or (len(word) > 1 and word.isupper())
