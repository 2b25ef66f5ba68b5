"""What a model hears in texts that make no sense: the control of the check `nonsense`.

    python bench/control.py [--texts N]

Texts by people (see bench/desk_texts.py), five paragraphs each, are judged as they are, with every
longer word replaced by a random one, with all words shuffled, with all sentences shuffled, and with
a paragraph of another text. The table has how many of each are refused, and the mean probability
that a paragraph makes sense. The threshold was set on paragraphs of the tuned half. The model is
the configured one; the local model needs `copydesk-server model pull`.
"""

import argparse
import re
from collections import defaultdict
from collections.abc import Callable, Iterator
from random import Random
from statistics import fmean

from rich.console import Console
from rich.table import Table

from app.commands.model import model_endpoint
from app.container import pick_model
from app.core.checks import Kind, Passage
from app.core.text import sentences, word_count
from app.core.writing.profile import SMALL
from app.core.writing.sense import nonsense, sense_prompt
from app.deadline import Deadline
from app.settings import Settings
from bench.desk_texts import human_texts

_PARAGRAPHS, _WORDS = 5, (50, 140)
# The threshold was set on paragraphs of these packages.
_TUNED = frozenset({"anarchism", "debian-policy", "debian-faq", "debian-reference-en"})
_LONG_WORD = re.compile(r"\b[a-z]{5,}\b")
_CALL_SECONDS = 300
Paragraphs = list[str]


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--texts", type=int, default=10, help="the texts of each half")
    count = parser.parse_args().texts
    random = Random(20261123)
    halves = _halves(count, random)
    every = [text for half in halves.values() for text in half]
    with model_endpoint(Settings.from_env()) as settings:
        model = pick_model(settings)

        def ask(paragraph: str) -> float | None:
            return model.complete(sense_prompt(paragraph), Deadline(_CALL_SECONDS)).yes

        table = Table("half", "text", "texts", "refused", "mean probability of sense")
        for half, texts in halves.items():
            for name, damage in _damages(every, random).items():
                heard: dict[str, float | None] = {}
                refused = 0
                for text in texts:
                    damaged = damage(text)
                    heard |= {each: ask(each) for each in damaged}
                    refused += _is_refused(damaged, heard.get)
                mean = fmean(value for value in heard.values() if value is not None)
                table.add_row(half, name, str(len(texts)), str(refused), f"{mean:.3f}")
                Console().print(half, name, f"{refused} of {len(texts)} refused, {mean:.3f}")
    Console().print(table)


def _is_refused(text: Paragraphs, ask: Callable[[str], float | None]) -> bool:
    passages = [Passage(f"sections[{at}]", Kind.PROSE, each) for at, each in enumerate(text)]
    return any(nonsense(passages, "en", SMALL.least_sense or 0.0, ask))


def _halves(count: int, random: Random) -> dict[str, list[Paragraphs]]:
    """Return texts of as many packages as possible, those of the tuned half apart."""
    by_package: dict[str, list[Paragraphs]] = defaultdict(list)
    for text in human_texts():
        if text.language == "en":
            found = list(_prose(text.markdown))[:_PARAGRAPHS]
            if len(found) == _PARAGRAPHS:
                by_package[text.package].append(found)
    halves: dict[str, list[Paragraphs]] = {"tuned": [], "aside": []}
    for texts in by_package.values():
        random.shuffle(texts)
    for turn in range(count):
        for package, texts in by_package.items():
            half = halves["tuned" if package in _TUNED else "aside"]
            if turn < len(texts) and len(half) < count:
                half.append(texts[turn])
    return halves


def _prose(markdown: str) -> Iterator[str]:
    for block in markdown.split("\n\n"):
        is_prose = block[:1].isupper() and block.rstrip().endswith(".") and "`" not in block
        if is_prose and _WORDS[0] <= word_count(block) <= _WORDS[1]:
            yield block.replace("\\", "")


def _damages(
    every: list[Paragraphs], random: Random
) -> dict[str, Callable[[Paragraphs], Paragraphs]]:
    vocabulary = sorted(
        {word for text in every for each in text for word in _LONG_WORD.findall(each)}
    )

    def with_random_words(text: Paragraphs) -> Paragraphs:
        return [_LONG_WORD.sub(lambda _: random.choice(vocabulary), each) for each in text]

    def with_shuffled_words(text: Paragraphs) -> Paragraphs:
        words = [word for each in text for word in each.split()]
        random.shuffle(words)
        return [" ".join(words[begin : begin + 80]) for begin in range(0, len(words), 80)]

    def with_shuffled_sentences(text: Paragraphs) -> Paragraphs:
        found = [sentence.text for each in text for sentence in sentences(each, "en")]
        random.shuffle(found)
        size = -(-len(found) // len(text))
        return [" ".join(found[begin : begin + size]) for begin in range(0, len(found), size)]

    def with_a_stranger(text: Paragraphs) -> Paragraphs:
        other = random.choice([each for each in every if each is not text])
        return [*text[:2], random.choice(other), *text[3:]]

    return {
        "as it is": list,
        "random words": with_random_words,
        "shuffled words": with_shuffled_words,
        "shuffled sentences": with_shuffled_sentences,
        "paragraph of another text": with_a_stranger,
    }


if __name__ == "__main__":
    main()
