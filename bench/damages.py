"""Damages that leave a text without sense, and the half that a text belongs to."""

import re
from collections.abc import Callable, Mapping
from hashlib import sha256
from random import Random

_LONG_WORD = re.compile(r"\b[^\W\d_]{5,}\b")
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+(?=[A-ZÀ-Ý“\"])")


def half(name: str) -> str:
    """Return `tuned` or `aside`, drawn by a hash of a text's name."""
    return ("tuned", "aside")[sha256(name.encode()).digest()[0] % 2]


def _is_prose(block: str) -> bool:
    return block[:1] not in set("#-*>|`+") and len(block.split()) >= 12


def _random_words(text: str, _foreign: str, random: Random) -> str:
    words = _LONG_WORD.findall(text)
    blocks = text.split("\n\n")
    return "\n\n".join(
        _LONG_WORD.sub(lambda _: random.choice(words).lower(), block) if _is_prose(block) else block
        for block in blocks
    )


def _shuffled(text: str, _foreign: str, random: Random) -> str:
    blocks = text.rstrip("\n").split("\n\n")
    places = [at for at, block in enumerate(blocks) if _is_prose(block)]
    split = {at: _SENTENCE_END.split(blocks[at]) for at in places}
    every = [sentence for sentences in split.values() for sentence in sentences]
    random.shuffle(every)
    for at in places:
        count = len(split[at])
        blocks[at] = " ".join(every[:count])
        del every[:count]
    return "\n\n".join(blocks) + "\n"


def _word_salad(text: str, _foreign: str, random: Random) -> str:
    blocks = text.rstrip("\n").split("\n\n")
    for at, block in enumerate(blocks):
        if _is_prose(block):
            words = re.findall(r"[\w'’-]+", block.lower())
            random.shuffle(words)
            lengths = [words[start : start + 14] for start in range(0, len(words), 14)]
            blocks[at] = " ".join(f"{' '.join(each).capitalize()}." for each in lengths)
    return "\n\n".join(blocks) + "\n"


def _foreign_paragraph(text: str, foreign: str, random: Random) -> str:
    other = max(filter(_is_prose, foreign.split("\n\n")), key=len)
    blocks = text.rstrip("\n").split("\n\n")
    places = [at for at, block in enumerate(blocks) if at and _is_prose(block)]
    blocks.insert(random.choice(places), other.strip())
    return "\n\n".join(blocks) + "\n"


DAMAGES: Mapping[str, Callable[[str, str, Random], str]] = {
    "random-words": _random_words,
    "shuffled-sentences": _shuffled,
    "word-salad": _word_salad,
    "foreign-paragraph": _foreign_paragraph,
}
