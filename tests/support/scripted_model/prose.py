"""English sentences in great number: what a seed draws from a combinatorial grammar.

The grammar keeps to plain rules of good prose: active voice, 13 to 20 words a sentence in the mean,
a transition word in about half of them, no two sentences in a row that begin with the same word.
"""

import re
from collections.abc import Callable, Sequence
from random import Random

from tests.support.scripted_model.vocabulary import (
    ACTIONS,
    ADJECTIVES,
    GERUNDS,
    GOODS,
    HABITS,
    HELPS,
    LABELS,
    LINKS,
    NOUNS,
    SHOWS,
    SUBJECTS,
    TIMES,
    TRANSITIONS,
    TROUBLES,
    WITH_PHRASE,
)

_DRAWS = 300


class Writer:
    """Draws texts; ``avoid`` are phrases that must stand nowhere unless they are asked for, and
    ``longest`` is the most words of a sentence."""

    def __init__(
        self, random: Random, avoid: Sequence[str] = (), longest: int | None = None
    ) -> None:
        self._longest = longest
        self._random = random
        self._avoid = [_phrase_pattern(phrase) for phrase in avoid if phrase.strip()]
        self._used: set[str] = set()
        self._last_opening = ""

    def paragraph(self, sentences: int, phrases: Sequence[str] = ()) -> str:
        """``sentences`` sentences (more if there are more phrases), each phrase in one of them."""
        count = max(sentences, len(phrases))
        with_phrase = dict(
            zip(self._random.sample(range(count), len(phrases)), phrases, strict=True)
        )
        return " ".join(self.sentence(with_phrase.get(index)) for index in range(count))

    def sentence(self, phrase: str | None = None) -> str:
        """One new sentence, about ``phrase`` where one is given."""
        text = ""
        for _ in range(_DRAWS):
            if self._longest and self._random.random() < 0.5:
                core = self._short_with_phrase(phrase) if phrase else self._short()
            else:
                core = self._with_phrase(phrase) if phrase else self._core()
            text = _finish(core)
            opening = text.split()[0].strip(",").lower()
            if text in self._used or opening == self._last_opening or self._says(text, phrase):
                continue
            if self._longest and len(text.split()) > self._longest:
                continue
            self._last_opening = opening
            break
        self._used.add(text)
        return text

    def description(self, low: int, high: int, phrase: str | None) -> str:
        """One or two sentences of ``low`` to ``high`` characters together."""

        def draw() -> str:
            first = _finish(self._short_with_phrase(phrase) if phrase else self._short())
            return f"{first} {_finish(self._short())}"

        return self._fit(draw, low, high, phrase, end=".")

    def title(self, low: int, high: int, phrase: str | None) -> str:
        """A title of ``low`` to ``high`` characters; the phrase stands first."""

        def draw() -> str:
            tail = f"{self._pick(ADJECTIVES)} {self._pick(NOUNS)}"
            if self._random.random() < 0.7:
                tail = f"{self._pick(GERUNDS)} {tail}"
            if self._random.random() < 0.5:
                tail = f"{tail} {self._pick(TIMES)}"
            return f"{_capital(phrase)}: {_capital(tail)}" if phrase else _capital(tail)

        return self._fit(draw, low, high, phrase)

    def heading(self, phrase: str | None = None) -> str:
        """Three to eight words."""
        for _ in range(_DRAWS):
            text = f"{self._pick(GERUNDS)} {self._pick(ADJECTIVES)} {self._pick(NOUNS)}"
            if phrase:
                text = f"{text} with {phrase}"
            elif self._random.random() < 0.5:
                text = f"{text} {self._pick(TIMES)}"
            text = _capital(text)
            if (
                text not in self._used
                and len(text.split()) <= 8 + (phrase or "").count(" ")
                and (not self._says(text, phrase))
            ):
                break
        self._used.add(text)
        return text

    def question(self, phrase: str | None = None) -> str:
        """A question, with its mark."""
        for _ in range(_DRAWS):
            about = f" for {phrase}" if phrase else ""
            text = self._random.choice(
                (
                    f"how often should you {self._pick(ACTIONS)} {self._pick(TIMES)}{about}",
                    f"what happens if {self._pick(SUBJECTS)} {self._pick(SHOWS)}"
                    f" {self._pick(TROUBLES)}{about}",
                    f"why is it wise to {self._pick(ACTIONS)} {self._pick(TIMES)}{about}",
                    f"is {self._pick(HABITS)} {self._pick(TIMES)} ever a good idea{about}",
                    f"can {self._pick(SUBJECTS)} really change {self._pick(GOODS)}{about}",
                    f"is it better to {self._pick(ACTIONS)} or to {self._pick(ACTIONS)}{about}",
                )
            )
            text = f"{_capital(text)}?"
            if text not in self._used and not self._says(text, phrase):
                break
        self._used.add(text)
        return text

    def point(self) -> str:
        """What a paragraph explains, as a short sentence."""
        return _finish(self._short())

    def label(self) -> str:
        """One to three words."""
        return self._pick(LABELS)

    def number(self, low: int, high: int) -> int:
        return self._random.randint(low, high)

    def choice(self, options: Sequence[object]) -> object:
        return self._random.choice(options)

    def _core(self) -> str:
        shape = self._random.randrange(8)
        if shape < 3:
            return f"{self._opening()}{self._clause()}, {self._pick(LINKS)} {self._clause()}"
        if shape == 3:
            return f"when {self._clause()}, {self._clause()}"
        if shape == 4:
            return f"{self._opening()}{self._clause()} {self._pick(TIMES)} and {self._pick(TIMES)}"
        if shape == 5:
            return (
                f"{self._pick(ACTIONS)}, {self._pick(LINKS)} {self._clause()} {self._pick(TIMES)}"
            )
        if shape == 6:
            return (
                f"{self._opening()}you can {self._pick(ACTIONS)} {self._pick(TIMES)},"
                f" so {self._clause()}"
            )
        return (
            f"instead of {self._pick(HABITS)}, {self._pick(ACTIONS)} {self._pick(TIMES)},"
            f" {self._pick(LINKS)} {self._clause()}"
        )

    def _short(self) -> str:
        shape = self._random.randrange(3)
        if shape == 0:
            return f"{self._clause()} {self._pick(TIMES)}"
        if shape == 1:
            return f"{self._pick(ACTIONS)} and {self._pick(ACTIONS)} {self._pick(TIMES)}"
        return f"{self._clause()}, {self._pick(LINKS)} {self._clause()}"

    def _with_phrase(self, phrase: str) -> str:
        about = self._pick(WITH_PHRASE).format(p=phrase)
        if self._random.random() < 0.5:
            return f"{self._opening()}{about}, {self._pick(LINKS)} {self._clause()}"
        return f"{about}, {self._pick(LINKS)} you {self._pick(ACTIONS)} {self._pick(TIMES)}"

    def _short_with_phrase(self, phrase: str) -> str:
        about = self._pick(WITH_PHRASE).format(p=phrase)
        return f"{about} {self._pick(TIMES)}" if self._random.random() < 0.5 else about

    def _opening(self) -> str:
        return f"{self._pick(TRANSITIONS)}, " if self._random.random() < 0.6 else ""

    def _clause(self) -> str:
        if self._random.random() < 0.5:
            return f"{self._pick(SUBJECTS)} {self._pick(HELPS)} {self._pick(GOODS)}"
        return f"{self._pick(SUBJECTS)} {self._pick(SHOWS)} {self._pick(TROUBLES)}"

    def _pick(self, options: Sequence[str]) -> str:
        return self._random.choice(options)

    def _says(self, text: str, phrase: str | None) -> bool:
        """Whether a text has a phrase to avoid, or more than once the one that it is about."""
        own = _phrase_pattern(phrase) if phrase else None
        if own is not None and len(own.findall(text)) != 1:
            return True
        return any(p.search(text) for p in self._avoid if own is None or p.pattern != own.pattern)

    def _fit(
        self, draw: Callable[[], str], low: int, high: int, phrase: str | None, end: str = ""
    ) -> str:
        texts = []
        for _ in range(_DRAWS):
            text = draw()
            if low <= len(text) <= high and text not in self._used and not self._says(text, phrase):
                self._used.add(text)
                return text
            texts.append(text)
        # A phrase that leaves no room: cut at a word, and keep the phrase.
        text = min(texts, key=len)
        if len(text) > high:
            text = text[: high - len(end)].rsplit(" ", 1)[0].rstrip(":,.") + end
        return text


def _phrase_pattern(phrase: str) -> re.Pattern[str]:
    words = r"\W+".join(re.escape(word) for word in re.findall(r"\w+", phrase))
    return re.compile(rf"\b{words}(?:s|es|ed|ing)?\b", re.IGNORECASE)


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _finish(text: str) -> str:
    return f"{_capital(text)}."
