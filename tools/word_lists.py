"""Write the word lists of app/core/text/words from their sources.

    pip install pyspellchecker==0.9.1
    apt-get download wamerican-large wbritish-large && dpkg-deb -x … FOLDER
    python tools/word_lists.py FOLDER/usr/share/dict

The words and their frequencies are those of pyspellchecker, which takes them from subtitles and
removes misspellings. Its English words are American; SCOWL adds the British ones.
"""

import argparse
import gzip
import json
from importlib.resources import files
from pathlib import Path

import numpy as np

from app.core.text.spelling import BloomFilter

TARGET = Path(__file__).parents[1] / "app/core/text/words"
LANGUAGES = ("de", "en", "es", "fr", "it", "nl", "pt")
FREQUENT = 20_000
# The lists end with tens of thousands of words that are counted 50 times each.
LEAST_COUNT = 51
SHORTEST_FREQUENT = 3


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("scowl", type=Path, help="the folder of american-english-large")
    options = parser.parse_args()
    for language in LANGUAGES:
        file = files("spellchecker") / "resources" / f"{language}.json.gz"
        counts: dict[str, int] = json.loads(gzip.decompress(file.read_bytes()))
        known = set(counts)
        if language == "en":
            for name in ("american", "british"):
                text = (options.scowl / f"{name}-english-large").read_text("utf-8")
                known.update(word.lower() for word in text.split())
        write_word_list(TARGET / f"{language}.npz", known, counts)


def write_word_list(path: Path, known: set[str], counts: dict[str, int]) -> None:
    """Write a file for `app.core.text.spelling.read_word_list`."""
    able = [
        word
        for word, count in counts.items()
        if count >= LEAST_COUNT and len(word) >= SHORTEST_FREQUENT and word.isalpha()
    ]
    able.sort(key=lambda word: (-counts[word], word))
    frequent = "\n".join(able[:FREQUENT]).encode()
    np.savez_compressed(
        path,
        known=np.frombuffer(BloomFilter.of(known).bits, dtype=np.uint8),
        frequent=np.frombuffer(frequent, dtype=np.uint8),
    )


if __name__ == "__main__":
    main()
