"""Write the word lists of app/core/text/words from their sources, which README.md there names.

    pip install pyspellchecker==0.9.1 wordfreq==3.1.1 chunspell==2.0.5
    apt-get download wamerican-large wbritish-large \
        hunspell-es hunspell-fr-classical hunspell-it hunspell-nl hunspell-pt-br
    for package in *.deb; do dpkg-deb -x "$package" FOLDER; done
    python tools/word_lists.py FOLDER/usr/share

The words and their frequencies are those of pyspellchecker. Its English words are American; SCOWL
adds the British ones. It lacks most forms of Romance verbs: those that wordfreq counted and
Hunspell accepts are added, and for Spanish the frequencies are those of wordfreq as well.
"""

import argparse
import gzip
import json
from collections.abc import Iterable, Mapping
from importlib import import_module
from importlib.resources import files
from pathlib import Path

import numpy as np

from app.core.text.spelling import BloomFilter

TARGET = Path(__file__).parents[1] / "app/core/text/words"
LANGUAGES = ("de", "en", "es", "fr", "it", "nl", "pt")
HUNSPELL = {"es": "es_ES", "fr": "fr", "it": "it_IT", "nl": "nl", "pt": "pt_BR"}
FREQUENT = 20_000
# The lists end with tens of thousands of words that are counted 50 times each.
LEAST_COUNT = 51
SHORTEST_FREQUENT = 3


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("share", type=Path, help="the folder with dict and hunspell")
    share: Path = parser.parse_args().share
    for language in LANGUAGES:
        file = files("spellchecker") / "resources" / f"{language}.json.gz"
        counts: dict[str, float] = json.loads(gzip.decompress(file.read_bytes()))
        counts = {word: count for word, count in counts.items() if count >= LEAST_COUNT} | {
            word: 0 for word, count in counts.items() if count < LEAST_COUNT
        }
        known = set(counts)
        if language == "en":
            for name in ("american", "british"):
                text = (share / "dict" / f"{name}-english-large").read_text("utf-8")
                known.update(word.lower() for word in text.split())
        if language in HUNSPELL:
            accepted = _accepted(language, share / "hunspell")
            known.update(accepted)
            if language == "es":
                counts = accepted
        write_word_list(TARGET / f"{language}.npz", known, counts)


def _accepted(language: str, folder: Path) -> dict[str, float]:
    """Return the words of wordfreq that Hunspell accepts, with their frequencies."""
    frequencies = import_module("wordfreq").get_frequency_dict(language, wordlist="best")
    dictionary = import_module("hunspell").Hunspell(
        HUNSPELL[language], hunspell_data_dir=str(folder)
    )

    def accepts(word: str) -> bool:
        try:
            return word.isalpha() and dictionary.spell(word)
        except UnicodeEncodeError:
            return False

    return {word: frequencies[word] for word in frequencies if accepts(word)}


def write_word_list(path: Path, known: Iterable[str], counts: Mapping[str, float]) -> None:
    """Write a file for `app.core.text.spelling.read_word_list`."""
    able = [
        word
        for word, count in counts.items()
        if count and len(word) >= SHORTEST_FREQUENT and word.isalpha()
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
