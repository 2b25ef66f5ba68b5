"""How probable English words are beside each other: a trigram model, and words that get mixed up.

`tools/word_contexts.py` makes it. A table of hashes has the probability of each pair and triple of
words that tells more than those of its parts.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from threading import Lock

import numpy as np
from numpy.typing import NDArray

from app.core.text import primary_subtag

UNKNOWN, BEGIN, END = 0, 1, 2
# Why two words are mixed up; “letter” is a letter in a word of one or two.
KINDS = ("spelling", "letter", "sound", "form", "preposition", "article")
# Probabilities are stored as their negative decimal logarithms times this number.
STEPS = 32
_BITS = 14
_NO_WORD = (1 << _BITS) - 1
# The filter has 2²⁵ bits, of which a twentieth is set.
_FILTER_SHIFT = 7
# Spreads the bits of a key (2⁶⁴ divided by the golden ratio).
_SPREAD = np.uint64(0x9E3779B97F4A7C15)

Ids = NDArray[np.int64]
Logarithms = NDArray[np.float32]


@dataclass(frozen=True)
class ContextModel:
    """Words by their numbers, and for each word those that are mixed up with it.

    ``others[first[word] : first[word + 1]]`` are the words mixed up with a word, ``kinds`` says
    why, as a place in ``KINDS``.
    """

    words: tuple[str, ...]
    numbers: Mapping[str, int]
    first: Ids
    others: Ids
    kinds: Ids
    _frequencies: Logarithms
    _discounts: Logarithms
    _hashes: NDArray[np.uint32]
    _values: NDArray[np.uint8]

    @cached_property
    def _filter(self) -> NDArray[np.uint8]:
        """A bit for each beginning of a hash, whether the table has such a hash."""
        bits = np.zeros(1 << (32 - _FILTER_SHIFT - 3), dtype=np.uint8)
        place = self._hashes >> _FILTER_SHIFT
        np.bitwise_or.at(bits, place >> 3, np.uint8(1) << (place & 7).astype(np.uint8))
        return bits

    def logarithm(self, before: Ids, previous: Ids, word: Ids) -> Logarithms:
        """Return the decimal logarithm of the probability of each word behind two others."""
        found = self._discounts[previous] + self._frequencies[word]
        for key in (pair_key(previous, word), triple_key(before, previous, word)):
            hashes = hashed(key)
            # Most are not in the table, which one bit of each tells faster than a search.
            place = hashes >> _FILTER_SHIFT
            may_be_known = (self._filter[place >> 3] >> (place & 7) & 1).nonzero()[0]
            wanted = hashes[may_be_known]
            # In order, they are found in a quarter of the time.
            order = wanted.argsort()
            may_be_known, wanted = may_be_known[order], wanted[order]
            at = self._hashes.searchsorted(wanted) % len(self._hashes)
            known = self._hashes[at] == wanted
            found[may_be_known[known]] = self._values[at[known]] / np.float32(-STEPS)
        return found


def pair_key(previous: Ids, word: Ids) -> Ids:
    return triple_key(np.full_like(previous, _NO_WORD), previous, word)


def triple_key(before: Ids, previous: Ids, word: Ids) -> Ids:
    return (before << 2 * _BITS) | (previous << _BITS) | word


def hashed(keys: Ids) -> NDArray[np.uint32]:
    return (keys.astype(np.uint64) * _SPREAD >> np.uint64(32)).astype(np.uint32)


_loading = Lock()


def context_model(language: str) -> ContextModel | None:
    """Return the model of a language, loaded on first use; None if there is none."""
    # The lock keeps several threads from loading the same model.
    with _loading:
        return _load(primary_subtag(language))


@lru_cache(maxsize=64)
def has_context_model(language: str) -> bool:
    return _file(primary_subtag(language)).is_file()


def _file(language: str) -> Traversable:
    return files("app.core.text") / "words" / f"contexts.{language}.npz"


@lru_cache(maxsize=16)
def _load(language: str) -> ContextModel | None:
    file = _file(language)
    if not file.is_file():
        return None
    with file.open("rb") as opened, np.load(opened) as stored:
        words = tuple(stored["words"].tobytes().decode().split("\n"))
        return ContextModel(
            words,
            {word: number for number, word in enumerate(words) if word},
            np.cumsum(stored["counts"], dtype=np.int64),
            stored["others"].astype(np.int64),
            stored["kinds"].astype(np.int64),
            stored["frequencies"] / np.float32(-STEPS),
            stored["discounts"] / np.float32(-STEPS),
            np.cumsum(stored["gaps"], dtype=np.uint32),
            stored["values"],
        )
