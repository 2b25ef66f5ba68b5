"""How much two texts have in common, estimated from signatures of half a kilobyte.

The similarity of two texts is the Jaccard index of their runs of five words (w-shingling). A
signature has the 126 smallest runs of a text as hashed numbers, which are a random sample of them
(a bottom-k sketch, as by Broder). The smallest 126 of two signatures together are a sample of all
runs of both texts, and the share of it that both have is the similarity.

The 21 smallest runs of a text are its bands. An index of them finds the texts that may be alike: of
two million pairs with a similarity of 0.5, one pair shares no band.

Signatures are stored, so every process and machine must compute the same ones.
"""

from hashlib import blake2b

from app.rules.words import fold

# Two posts with this similarity are duplicates.
NEAR_DUPLICATE = 0.5
WORDS = 5
VALUES = 126
BANDS = 21
_VALUE_BYTES = 4


def shingles(text: str) -> frozenset[bytes]:
    """Return the runs of five words of a text as 32-bit numbers; a shorter text is one run.

    Case, punctuation and Unicode normalisation make no difference. In scripts without spaces each
    character is a word.
    """
    words = " ".join(map(fold, text.split("\n"))).split()
    starts = range(max(1, len(words) - WORDS + 1))
    runs = (" ".join(words[at : at + WORDS]) for at in starts)
    return frozenset(blake2b(run.encode(), digest_size=_VALUE_BYTES).digest() for run in runs)


def sign(text: str) -> bytes:
    """Return the signature of a text: its smallest runs, in order."""
    return b"".join(sorted(shingles(text))[:VALUES])


def bands(signature: bytes) -> frozenset[int]:
    """Return the bands of a signature."""
    return frozenset(int.from_bytes(run) for run in _runs(signature)[:BANDS])


def similarity(one: bytes, other: bytes) -> float:
    """Return the similarity of two signed texts, 0 to 1; its standard error is at most 0.045."""
    mine, theirs = set(_runs(one)), set(_runs(other))
    sample = sorted(mine | theirs)[:VALUES]
    return sum(run in mine and run in theirs for run in sample) / len(sample)


def _runs(signature: bytes) -> list[bytes]:
    places = range(0, len(signature), _VALUE_BYTES)
    return [signature[at : at + _VALUE_BYTES] for at in places]
