"""Word lists of seven languages: whether a word is known, and which common word a typo stands for.

`tools/word_lists.py` makes them. The words of a language are a Bloom filter of 12 bits for each
word, so that all seven lists take 3 MB of memory; as dictionaries they take 30 MB each.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from threading import Lock
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from app.core.text import primary_subtag

_FOLDER = "app.core.text"
# Words that a word may have more than one letter in common with (definetly).
_VERY_FREQUENT = 8_000
_LONG = 6
_MOST_DIFFERENCES = 2
_DOUBLED = re.compile(r"(.)\1")
# How much more frequent a word must be that is an unlikely slip away.
_UNLIKELY = 5
_VOWELS = frozenset("aeiouyàáâãäåèéêëìíîïòóôõöùúûü")
_BITS_PER_WORD = 12
_HASHES = 8
# Spreads the bits of a checksum (2³² divided by the golden ratio).
_SPREAD = 0x9E3779B1


class BloomFilter:
    """A set of words; a word that is not in it is taken for one of it 3 times in 1,000."""

    def __init__(self, bits: bytes) -> None:
        self.bits = bits

    @classmethod
    def of(cls, words: Iterable[str]) -> "BloomFilter":
        """Return a set of words."""
        found = set(words)
        made = bytearray(len(found) * _BITS_PER_WORD // 8 + 1)
        for word in found:
            for place in _places(word, len(made) * 8):
                made[place >> 3] |= 1 << (place & 7)
        return cls(bytes(made))

    def __contains__(self, word: str) -> bool:
        bits = self.bits
        places = _places(word, len(bits) * 8)
        return all(bits[place >> 3] >> (place & 7) & 1 for place in places)

    def without(self, words: Sequence[str]) -> list[str]:
        """Return the words that are not in the set, in a third of the time."""
        count = len(words)
        places = np.fromiter(map(_hash, words), dtype=np.uint64, count=count)
        steps = (places * np.uint64(_SPREAD) >> np.uint64(16)) | np.uint64(1)
        bits = np.frombuffer(self.bits, dtype=np.uint8)
        inside = np.ones(count, dtype=bool)
        for _ in range(_HASHES):
            at = places % np.uint64(len(self.bits) * 8)
            inside &= (bits[at >> np.uint64(3)] >> (at & np.uint64(7)) & 1).astype(bool)
            places = places + steps
        return [word for word, known in zip(words, inside.tolist(), strict=True) if not known]


def _places(word: str, size: int) -> Iterator[int]:
    place = _hash(word)
    step = (place * _SPREAD >> 16) | 1
    for _ in range(_HASHES):
        yield place % size
        place += step


class WordList:
    """The words of a language.

    Args:
        known: all of them.
        frequent: words of three or more letters that a typo may stand for, the most frequent first.
        letters: those that may be missing in a word, or wrong.
    """

    def __init__(self, known: BloomFilter, frequent: list[str], letters: str) -> None:
        self._known = known
        self._letters = letters
        self._frequent, self._ranks = _index(map(_hash, frequent))
        very_frequent = frequent[:_VERY_FREQUENT]
        self._words = "\n".join(very_frequent)
        keys = [
            (rank, _hash(key))
            for rank, word in enumerate(very_frequent)
            if len(word) >= _LONG
            for key in _keys(word)
        ]
        self._keys, order = _index(key for _, key in keys)
        self._key_ranks = np.array([rank for rank, _ in keys], dtype=np.uint16)[order]

    def knows(self, word: str) -> bool:
        """Return whether a word in lower case is in the list."""
        return word in self._known

    def unknown(self, words: Sequence[str]) -> list[str]:
        """Return the words in lower case that are not in the list."""
        return self._known.without(words)

    def is_frequent(self, word: str) -> bool:
        """Return whether a word in lower case is one of the frequent words."""
        index = np.searchsorted(self._frequent, np.uint32(_hash(word)))
        return bool(index < len(self._frequent) and self._frequent[index] == _hash(word))

    def correction(self, word: str) -> str | None:
        """Return the most frequent word that is one letter away from an unknown one, if any.

        A long word may also have other vowels, doubled letters or another order than a very
        frequent one.
        """
        near = list(_edits(word, self._letters))
        hashes = np.fromiter(map(_hash, near), dtype=np.uint32, count=len(near))
        index = np.searchsorted(self._frequent, hashes)
        index[index == len(self._frequent)] = 0
        hits = np.flatnonzero(self._frequent[index] == hashes)
        if not len(hits):
            return self._similar(word) if len(word) >= _LONG else None
        ranks = self._ranks[index[hits]].tolist()
        found = [near[hit] for hit in hits.tolist()]
        return min(zip(found, ranks, strict=True), key=lambda one: _cost(word, *one))[0]

    def _similar(self, word: str) -> str | None:
        ranks: list[int] = []
        for key in map(_hash, _keys(word)):
            first = np.searchsorted(self._keys, np.uint32(key), "left")
            last = np.searchsorted(self._keys, np.uint32(key), "right")
            ranks += self._key_ranks[first:last].tolist()
        words = self._words.split("\n") if ranks else []
        near = [words[rank] for rank in sorted(ranks)]
        # “harissa” stands for no “horses”.
        near = [one for one in near if _differences(word, one) <= _MOST_DIFFERENCES]
        # The end of a word is seldom misspelled, unless letters are only doubled elsewhere.
        return min(
            near,
            key=lambda one: (_differences(word, one) > 0, one[-2:] != word[-2:]),
            default=None,
        )


_loading = Lock()


def word_list(language: str, letters: str) -> WordList | None:
    """Return the word list of a language, loaded on first use; None if there is no list for it."""
    # The lock keeps several threads from loading the same list.
    with _loading:
        return _load(primary_subtag(language), letters)


@lru_cache(maxsize=16)
def _load(language: str, letters: str) -> WordList | None:
    file = files(_FOLDER) / "words" / f"{language}.npz"
    return read_word_list(file, letters) if file.is_file() else None


def read_word_list(file: Traversable, letters: str) -> WordList:
    """Return the word list that `write_word_list` wrote."""
    with file.open("rb") as opened, np.load(opened) as stored:
        frequent = stored["frequent"].tobytes().decode().split("\n")
        return WordList(BloomFilter(stored["known"].tobytes()), frequent, letters)


def _cost(word: str, meant: str, rank: int) -> int:
    """Return the rank of a word, several times as high if it is an unlikely slip.

    People leave letters out, double them, exchange two of them, or write another vowel: collegue is
    colleague, not college.
    """
    at = next((i for i, pair in enumerate(zip(word, meant, strict=False)) if len(set(pair)) > 1), 0)
    if len(meant) < len(word):
        likely = word[at] in word[at - 1 : at] + word[at + 1 : at + 2]
    elif len(meant) == len(word):
        is_swapped = sorted(word) == sorted(meant)
        likely = is_swapped or (word[at] in _VOWELS and meant[at] in _VOWELS)
    else:
        likely = True
    return rank + 1 if likely else (rank + 1) * _UNLIKELY


def _differences(one: str, other: str) -> int:
    """Return how many letters have to be added, left out or changed to make one word the other,
    those aside that are doubled in one of them."""
    one, other = (_DOUBLED.sub(r"\1", word) for word in (one, other))
    row = list(range(len(other) + 1))
    for at, letter in enumerate(one, 1):
        before, row[0] = row[0], at
        for place, each in enumerate(other, 1):
            changed = before + (letter != each)
            before, row[place] = row[place], min(changed, row[place] + 1, row[place - 1] + 1)
    return row[-1]


def _hash(word: str) -> int:
    return crc32(word.encode())


def _index(hashes: Iterable[int]) -> tuple[NDArray[np.uint32], NDArray[np.uint16]]:
    """Return sorted hashes and, for each, its place before."""
    found = np.fromiter(hashes, dtype=np.uint32)
    order = np.argsort(found, kind="stable")
    return found[order], order.astype(np.uint16)


def _edits(word: str, letters: str) -> Iterator[str]:
    """Yield what becomes of a word by a letter less, more, other or at another place."""
    for index in range(len(word) + 1):
        before, after = word[:index], word[index:]
        if after:
            yield before + after[1:]
            if len(after) > 1 and after[0] != after[1]:
                yield before + after[1] + after[0] + after[2:]
        for letter in letters:
            yield before + letter + after
            if after and letter != after[0]:
                yield before + letter + after[1:]


def _keys(word: str) -> tuple[str, str]:
    """Return what a word has in common with its misspellings: its consonants, or its letters."""
    consonants = [letter for letter in word[1:] if letter not in _VOWELS]
    skeleton = [
        letter for at, letter in enumerate(consonants) if not at or letter != consonants[at - 1]
    ]
    return f"{word[0]}-{''.join(skeleton)}", f"{word[0]}+{''.join(sorted(word))}"
