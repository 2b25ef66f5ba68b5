"""The bank of sentences, from which texts are drawn, and how texts are counted and taken apart."""

import re
import tomllib
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from random import Random

Fits = Callable[[str], bool]
_DRAWS = 400
_SLOT = re.compile(r"\{(\w)\}")
# Scripts without spaces: each character is a word, as the service counts them.
_UNSPACED = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\u0e00-\u0e7f"
_WORD = re.compile(rf"[{_UNSPACED}]|[^\W_{_UNSPACED}]+(?:['’\-.,][^\W_{_UNSPACED}]+)*")
_SENTENCE_END = re.compile(r"(?<=[.!?])(?<!\b\d\.) +|(?<=[。？])")
_ALIKE = {"no": "nb", "nn": "nb"}


def count_words(text: str) -> int:
    """Return the number of words."""
    return len(_WORD.findall(text))


def width(text: str) -> int:
    """Return the length in columns; a full-width character takes two."""
    return len(text) + len(re.findall(f"[\u3000-\u303f\uff00-\uffef{_UNSPACED}]", text))


def sentences_of(paragraph: str) -> list[str]:
    """Return the sentences of a paragraph."""
    return [each for each in _SENTENCE_END.split(paragraph) if each]


@cache
def _banks() -> Mapping[str, Mapping[str, list[str]]]:
    read = tomllib.loads(Path(__file__).with_name("bank.toml").read_text("utf-8"))
    default = read.pop("default")
    return {
        language: {name: text.split("|") for name, text in {**default, **own}.items()}
        for language, own in read.items()
    }


class Drawer:
    """Draws texts in a language (English if the bank lacks it), the same for the same seed. No two
    texts that one drawer returns are equal."""

    def __init__(self, language: str, seed: str) -> None:
        primary, banks = language.partition("-")[0].lower(), _banks()
        self._bank = banks.get(_ALIKE.get(primary, primary), banks["en"])
        self.random = Random(seed)
        self._used: set[str] = set()

    @property
    def join(self) -> str:
        """Return what stands between two sentences."""
        return self._bank["join"][0]

    def draw(self, name: str, keyword: str = "", fits: Fits = lambda _: True) -> str:
        """Return a new text by the patterns of that name, with that keyword for {k}: one that
        fits, or else a short one."""
        texts: list[str] = []
        for _ in range(_DRAWS):
            text = self._filled(self.random.choice(self._bank[name]), keyword)
            texts.append(text[:1].upper() + text[1:])
            if texts[-1] not in self._used and fits(texts[-1]):
                break
        else:
            texts.sort(key=len, reverse=True)
        self._used.add(texts[-1])
        return texts[-1]

    def prose(self, words: int, least: int = 1) -> list[str]:
        """Return sentences of about that many words together, at least ``least`` of them."""
        found: list[str] = []
        while words > 5 or len(found) < least:
            fits = lambda text, most=words + 3: count_words(text) <= most  # noqa: E731
            found.append(self.draw("sentence", fits=fits))
            words -= count_words(found[-1])
        return found

    def phrase(self, letter: str) -> str:
        """Return an entry of a list."""
        return self.random.choice(self._bank[letter])

    def _filled(self, pattern: str, keyword: str) -> str:
        def slot(match: re.Match[str]) -> str:
            if match[1] == "k":
                return keyword
            return self._filled(self.random.choice(self._bank[match[1]]), keyword)

        return _SLOT.sub(slot, pattern)
