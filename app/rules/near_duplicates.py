"""How alike two texts are, estimated from signatures of half a kilobyte.

The similarity of two texts is the Jaccard index of their runs of five words (w-shingling). MinHash
estimates it: a signature has the first run of a text in each of 126 orderings of all possible runs,
and the share of equal values is the similarity. Three neighbouring values form a band. An index of
the bands finds the texts that may be alike: two texts with a similarity of 0.5 share a band with a
probability of 0.996, two with 0.1 with one of 0.04.

Signatures are stored, so every process and machine must compute the same ones.
"""

from hashlib import blake2b

from app.rules.words import fold

# Two posts with this similarity are duplicates.
NEAR_DUPLICATE = 0.5
WORDS = 5
VALUES = 126
ROWS = 3

_BITS, _LOW_BITS = (1 << 64) - 1, (1 << 32) - 1
_VALUE_BYTES = 4
_BAND_BYTES = ROWS * _VALUE_BYTES


def shingles(text: str) -> frozenset[int]:
    """Return the runs of five words of a text as 64-bit numbers; a shorter text is one run.

    Case, punctuation and Unicode normalisation make no difference. In scripts without spaces each
    character is a word.
    """
    words = fold(text).split()
    starts = range(max(1, len(words) - WORDS + 1))
    return frozenset(_number(" ".join(words[at : at + WORDS]).encode()) for at in starts)


def sign(text: str) -> bytes:
    """Return the signature of a text, 126 big-endian 32-bit numbers, in 12 ms per 1,000 words."""
    runs = shingles(text)
    firsts = (min([run * factor & _BITS for run in runs]) for factor in _ORDERINGS)
    # The low bits: the high bits of a minimum are nearly always zero.
    return b"".join((first & _LOW_BITS).to_bytes(_VALUE_BYTES) for first in firsts)


def bands(signature: bytes) -> frozenset[int]:
    """Return the 42 bands of a signature, each as a signed 64-bit number."""
    return frozenset(
        # Hash the place as well, so that different bands of two texts never match.
        _number(at.to_bytes(_VALUE_BYTES) + signature[at : at + _BAND_BYTES], signed=True)
        for at in range(0, len(signature), _BAND_BYTES)
    )


def similarity(one: bytes, other: bytes) -> float:
    """Return the similarity of two signed texts, 0 to 1; its standard error is at most 0.045."""
    places = range(0, len(one), _VALUE_BYTES)
    same = sum(one[at : at + _VALUE_BYTES] == other[at : at + _VALUE_BYTES] for at in places)
    return same / VALUES


def _number(data: bytes, *, signed: bool = False) -> int:
    return int.from_bytes(blake2b(data, digest_size=8).digest(), signed=signed)


# Multiplying by an odd number permutes the 64-bit numbers.
_ORDERINGS = tuple(_number(f"ordering {index}".encode()) | 1 for index in range(VALUES))
