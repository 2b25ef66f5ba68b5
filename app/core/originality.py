"""How much of one post stands in another, told from a signature of half a kilobyte.

A post is the set of its runs of five words (w-shingling), and two posts are as alike as their sets:
the share of the runs of both that both have (the Jaccard index). MinHash estimates it: of 126
orderings of all runs there could be, it keeps which run of the post comes first; two posts agree in
as many of these as they are alike. Posts that agree in three neighbouring values share a band, and
bands can be looked up in an index: so a post is compared with those that may be like it, and not
with all there are. Alike by 0.5, two posts share a band with a probability of 0.996; alike by 0.1,
with one of 0.04.

Everything here is the same in every process and on every machine: signatures are stored.
"""

from collections.abc import Sequence
from hashlib import blake2b

from app.core.post import SEOPost
from app.core.quality.passage import Kind, passages
from app.core.text import fold

# Posts that are alike by this much say the same.
NEAR_DUPLICATE = 0.5
WORDS = 5
VALUES = 126
ROWS = 3
BANDS = VALUES // ROWS

_LOW_BITS = (1 << 32) - 1
_VALUE_BYTES = 4
_BAND_BYTES = ROWS * _VALUE_BYTES


def text_of(post: SEOPost) -> str:
    """What a reader reads: title, headings, sections, questions and answers."""
    return "\n".join(p.text for p in passages(post) if p.kind is not Kind.DESCRIPTION)


def shingles(text: str) -> frozenset[int]:
    """The runs of five words of a text as 64-bit numbers; never empty.

    Case, punctuation and the spelling of one and the same character make no difference. Where a
    script puts no space between words, a character is a word. A text of fewer than five words is
    one run.
    """
    words = fold(text).split()
    return frozenset(runs(words, min(WORDS, len(words))))


def runs(words: Sequence[str], length: int = WORDS) -> list[int]:
    """The runs of so many words, in order, as 64-bit numbers; none where there are fewer words."""
    return [
        _number(" ".join(words[at : at + length]).encode()) for at in range(len(words) - length + 1)
    ]


def sign(text: str) -> bytes:
    """The signature of a text: 126 numbers of 32 bits, big endian.

    Takes about 3 ms for 1,000 words.
    """
    # Imported here: most commands sign nothing.
    import numpy as np

    numbers = np.array(list(shingles(text)), dtype=np.uint64)
    # One ordering after the other: all at once would take 126 times the memory. A product that is
    # too large for 64 bits loses its high ones, as it is to.
    firsts = np.array([(numbers * np.uint64(factor)).min() for factor in _ORDERINGS])
    # The low bits: the high ones of a minimum are nearly always zero.
    return (firsts & np.uint64(_LOW_BITS)).astype(">u4").tobytes()


def bands(signature: bytes) -> frozenset[int]:
    """The 42 bands of a signature, each as a signed 64-bit number."""
    return frozenset(
        # The place is hashed as well: two bands of one post never stand for each other.
        _number(at.to_bytes(_VALUE_BYTES) + signature[at : at + _BAND_BYTES], signed=True)
        for at in range(0, len(signature), _BAND_BYTES)
    )


def similarity(one: bytes, other: bytes) -> float:
    """How alike two signed texts are, from 0 to 1: an estimate of the Jaccard index of their runs.

    Its standard error is at most 0.045, and that where they are alike by 0.5.
    """
    places = range(0, len(one), _VALUE_BYTES)
    same = sum(one[at : at + _VALUE_BYTES] == other[at : at + _VALUE_BYTES] for at in places)
    return same / VALUES


def _number(data: bytes, *, signed: bool = False) -> int:
    return int.from_bytes(blake2b(data, digest_size=8).digest(), signed=signed)


# Multiplying by an odd number puts all 64-bit numbers in another order, each in its own.
_ORDERINGS = tuple(_number(f"ordering {index}".encode()) | 1 for index in range(VALUES))
