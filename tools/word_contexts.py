"""Write app/core/text/words/contexts.en.npz: how probable English words are beside each other.

    python -m venv FOLDER && FOLDER/bin/pip install pocketsphinx==5.1.1
    PYTHONPATH=. python tools/word_contexts.py FOLDER/lib/python3.11/site-packages/pocketsphinx

Reads the trigram model and the pronunciations of that package.
"""

import re
import sys
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import permutations
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from app.core.text import stem
from app.core.text.contexts import BEGIN, END, KINDS, STEPS, hashed, pair_key, triple_key

TARGET = Path("app/core/text/words/contexts.en.npz")
# Rarer words are unknown, and those that are a little more frequent are never what was meant.
RAREST, RAREST_MEANT = -5.4, -5.1
# What a pair or triple must add to its parts.
LEAST_GAIN = 0.8
PREPOSITIONS = "in on at of to for with from by about into"
ARTICLES = "a an the"
# Forms of one word that its stem does not tell.
FORMS = """
be am is are was were been being/have has had having/do does did done doing/go goes went gone going
take takes took taken taking/make makes made making/come comes came coming/see sees saw seen seeing
know knows knew known knowing/get gets got gotten getting/give gives gave given giving
find finds found finding/think thinks thought thinking/tell tells told telling
become becomes became becoming/leave leaves left leaving/feel feels felt feeling
bring brings brought bringing/begin begins began begun beginning/keep keeps kept keeping
hold holds held holding/write writes wrote written writing/stand stands stood standing
hear hears heard hearing/mean means meant meaning/meet meets met meeting/run runs ran running
pay pays paid paying/sit sits sat sitting/speak speaks spoke spoken speaking/lie lies lay lain lying
lead leads led leading/grow grows grew grown growing/lose loses lost losing
fall falls fell fallen falling/send sends sent sending/build builds built building
understand understands understood understanding/draw draws drew drawn drawing
break breaks broke broken breaking/spend spends spent spending/rise rises rose risen rising
drive drives drove driven driving/buy buys bought buying/wear wears wore worn wearing
choose chooses chose chosen choosing/sell sells sold selling/eat eats ate eaten eating
drink drinks drank drunk drinking/sleep sleeps slept sleeping/teach teaches taught teaching
catch catches caught catching/throw throws threw thrown throwing/show shows showed shown showing
win wins won winning/fly flies flew flown flying/forget forgets forgot forgotten forgetting
say says said saying/man men/woman women/child children/foot feet/tooth teeth/person people
this these/that those/i me my mine/he him his/she her hers/we us our ours/they them their theirs
who whom whose/much many/little few/less fewer/good well better best/bad badly worse worst
don't doesn't/isn't aren't/wasn't weren't/hasn't haven't/other others another/every each
"""
# Both are right.
SPELLINGS = frozenset({"gray", "grey", "programme", "program", "storey", "story"})
SOUNDS = "its it's/your you're/their they're there/whose who's/theirs there's/were we're/lets let's"


@dataclass(frozen=True)
class Trigrams:
    """The model: logarithms of single words, pairs and triples, which are rows of word numbers."""

    words: list[str]
    single: NDArray[np.float32]
    discounts: NDArray[np.float32]
    pairs: NDArray[np.int64]
    of_pairs: NDArray[np.float32]
    triples: NDArray[np.int64]
    of_triples: NDArray[np.float32]


def read(file: Path) -> Trigrams:
    """Read a binary trie of PocketSphinx: the last word of a triple is the first of its path."""
    data = np.fromfile(file, dtype=np.uint8)
    raw = data.tobytes()
    count1, count2, count3 = np.frombuffer(raw, "<u4", 3, 20).tolist()
    at, unit = 36, np.log10(1.0001)
    tables = np.frombuffer(raw, "<f4", 3 << 16, at).reshape(3, -1) * unit
    at += tables.shape[1] * 12
    row = np.dtype([("probability", "<f4"), ("backoff", "<f4"), ("next", "<u4")])
    single = np.frombuffer(raw, row, count1 + 1, at)
    at += single.nbytes
    word_bits, next_bits = count1.bit_length(), count3.bit_length()
    width = word_bits + 32 + next_bits
    earlier = _bits(data, at, width, 0, word_bits, count2)
    of_pairs = _bits(data, at, width, word_bits + 16, 16, count2)
    following = _bits(data, at, width, word_bits + 32, next_bits, count2)
    last = np.searchsorted(single["next"].astype(np.int64), np.arange(count2), side="right") - 1
    last = last.clip(0, count1 - 1)
    at += ((count2 + 1) * width + 7) // 8 + 8
    width = word_bits + 16
    first = _bits(data, at, width, 0, word_bits, count3)
    of_triples = _bits(data, at, width, word_bits, 16, count3)
    ends = np.maximum.accumulate(following)
    above = np.searchsorted(ends, np.arange(count3), side="right") - 1
    words = raw[raw.index(b"'bout\0", at + count3 * width // 8 - 64) :].split(b"\0")
    return Trigrams(
        [word.decode() for word in words[:count1]],
        (single["probability"][:count1] * unit).astype(np.float32),
        (single["backoff"][:count1] * unit).astype(np.float32),
        np.stack([earlier, last]),
        tables[0][of_pairs].astype(np.float32),
        np.stack([first, earlier[above], last[above]]),
        tables[2][of_triples].astype(np.float32),
    )


def _bits(
    data: NDArray[np.uint8], at: int, width: int, offset: int, bits: int, count: int
) -> NDArray[np.int64]:
    """Return one field of packed records."""
    places = np.arange(count, dtype=np.int64) * width + offset
    byte, shift = at + (places >> 3), places & 7
    joined = sum(data[byte + each].astype(np.int64) << 8 * each for each in range(4))
    return np.asarray(joined >> shift & ((1 << bits) - 1), dtype=np.int64)


def main() -> None:
    package = Path(sys.argv[1])
    model = read(package / "model/en-us/en-us.lm.bin")
    kept = [
        number
        for number, word in enumerate(model.words)
        if model.single[number] > RAREST and re.fullmatch("[a-z]+(?:'[a-z]+)?", word)
    ]
    words = ["", "", "", *(model.words[number] for number in kept)]
    numbers = np.zeros(len(model.words), dtype=np.int64)
    numbers[kept] = np.arange(3, len(words))
    numbers[model.words.index("<s>")], numbers[model.words.index("</s>")] = BEGIN, END
    source = np.array([0, model.words.index("<s>"), model.words.index("</s>"), *kept])
    single = np.append([-7.0], model.single[source[1:]]).clip(-7, 0)
    discounts = np.append([0.0], model.discounts[source[1:]]).clip(-7, 0)
    hashes, values = _table(model, numbers, single, discounts)
    gaps = np.diff(hashes.astype(np.int64), prepend=0)
    if gaps.max() >= 1 << 16:
        raise ValueError("two neighbouring hashes are too far apart: choose another gain")
    frequent = {word for word, value in zip(words, single, strict=True) if value > RAREST_MEANT}
    mixed = _mixed_up(frequent - {""}, package / "model/en-us/cmudict-en-us.dict")
    number_of = {word: number for number, word in enumerate(words) if word}
    rows = [
        sorted((number_of[other], kind) for other, kind in mixed.get(word, {}).items())
        for word in words
    ]
    flat = [each for row in rows for each in row]
    np.savez_compressed(
        TARGET,
        words=np.frombuffer("\n".join(words).encode(), dtype=np.uint8),
        frequencies=(-single * STEPS).round().astype(np.uint8),
        discounts=(-discounts * STEPS).round().astype(np.uint8),
        gaps=gaps.astype(np.uint16),
        values=values,
        counts=np.array([0, *map(len, rows)], dtype=np.uint8),
        others=np.array([other for other, _ in flat], dtype=np.uint16),
        kinds=np.array([kind for _, kind in flat], dtype=np.uint8),
    )
    print(f"{len(words)} words, {len(hashes)} pairs and triples, {TARGET.stat().st_size} bytes")


def _table(
    model: Trigrams,
    numbers: NDArray[np.int64],
    single: NDArray[np.float64],
    discounts: NDArray[np.float64],
) -> tuple[NDArray[np.uint32], NDArray[np.uint8]]:
    """Return the sorted hashes of the pairs and triples that tell something, and their values."""
    pairs, triples = numbers[model.pairs], numbers[model.triples]
    chosen = (pairs > 0).all(axis=0)
    pairs, of_pairs = pairs[:, chosen], model.of_pairs[chosen]
    chosen = abs(of_pairs - discounts[pairs[0]] - single[pairs[1]]) > LEAST_GAIN
    pairs, of_pairs = pairs[:, chosen], of_pairs[chosen]
    keys = pair_key(*pairs)
    order = np.argsort(keys)
    keys, pairs, of_pairs = keys[order], pairs[:, order], of_pairs[order]
    chosen = (triples > 0).all(axis=0)
    triples, of_triples = triples[:, chosen], model.of_triples[chosen]
    wanted = pair_key(triples[1], triples[2])
    at = np.searchsorted(keys, wanted).clip(0, len(keys) - 1)
    expected = discounts[triples[1]] + single[triples[2]]
    expected = np.where(keys[at] == wanted, of_pairs[at], expected)
    chosen = abs(of_triples - expected) > LEAST_GAIN
    triples, of_triples = triples[:, chosen], of_triples[chosen]
    hashes = hashed(np.concatenate([keys, triple_key(*triples)]))
    values = (-np.concatenate([of_pairs, of_triples]).clip(-7, 0) * STEPS).round()
    hashes, first = np.unique(hashes, return_index=True)
    return hashes, values[first].astype(np.uint8)


def _mixed_up(frequent: set[str], pronunciations: Path) -> Mapping[str, Mapping[str, int]]:
    """Return for each word those that are mixed up with it, each with the number of its kind."""
    found: dict[str, dict[str, int]] = defaultdict(dict)

    def add(kind: str, group: set[str]) -> None:
        for word, other in permutations(sorted(group & frequent - SPELLINGS), 2):
            found[word][other] = KINDS.index(kind)

    for word in frequent:
        for other in _edits(word) & frequent if len(word) > 1 and word not in SPELLINGS else ():
            if len(other) > 1:
                kind = "spelling" if min(len(word), len(other)) > 2 else "letter"
                found[word][other] = KINDS.index(kind)
    sounds: dict[str, set[str]] = defaultdict(set)
    for line in pronunciations.read_text("utf-8").splitlines():
        word, _, sound = line.partition(" ")
        sounds[sound].add(re.sub(r"\(\d+\)", "", word))
    for group in (*sounds.values(), *(set(each.split()) for each in SOUNDS.split("/"))):
        add("sound", group)
    stems: dict[str, set[str]] = defaultdict(set)
    for word in frequent:
        stems[stem(word, "en")].add(word)
    forms = (set(each.split()) for each in re.split("[/\n]", FORMS))
    for group in (*stems.values(), *forms):
        add("form", group)
    add("preposition", set(PREPOSITIONS.split()))
    add("article", set(ARTICLES.split()))
    return found


def _edits(word: str) -> set[str]:
    """Return what becomes of a word by a letter less, more, other or at another place."""
    return set(_variants(word)) - {word}


def _variants(word: str) -> Iterator[str]:
    for at in range(len(word) + 1):
        before, after = word[:at], word[at:]
        yield before + after[1:]
        yield before + after[1:2] + after[:1] + after[2:]
        for letter in "abcdefghijklmnopqrstuvwxyz":
            yield before + letter + after
            yield before + letter + after[1:]


if __name__ == "__main__":
    main()
