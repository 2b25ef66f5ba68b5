"""Write what WordNet says of the frequent English words into app/core/text/words.

`classes.en.txt` has their parts of speech, `opposites.en.txt` pairs of verbs, adjectives and
adverbs that are opposites.

    apt-get download wordnet-base && dpkg-deb -x wordnet-base_*.deb FOLDER
    python tools/word_classes.py FOLDER/usr/share/wordnet

WordNet has the words of each part of speech, their irregular forms, and how often each was used in
texts that people read: “water” is a noun nearly always, “cover” as often a verb.
"""

import argparse
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path

import numpy as np

WORDS = Path(__file__).parents[1] / "app/core/text/words"
PARTS = {"noun": "1", "verb": "2", "adj": "35", "adv": "4"}
# A reading that is this much rarer than another one of the same word is left out.
RARE = 20
# WordNet's numbers for animals, artefacts and persons.
THINGS = frozenset({"05", "06", "18"})
# Past tenses that are no participles, each with the participle.
PAST = """
ate eaten awoke awoken became become began begun bit bitten blew blown bore borne broke broken
came come chose chosen did done drank drunk drew drawn drove driven fell fallen flew flown
forbade forbidden forgave forgiven forgot forgotten froze frozen gave given grew grown hid hidden
knew known mistook mistaken overcame overcome overtook overtaken rang rung ran run rode ridden
rose risen sang sung sank sunk saw seen shook shaken showed shown shrank shrunk spoke spoken
sprang sprung stole stolen swam swum swore sworn took taken threw thrown tore torn undertook
undertaken underwent undergone went gone withdrew withdrawn woke woken wore worn wove woven
wrote written
"""

UNCHANGED = frozenset(
    {
        "bet", "burst", "cast", "cost", "cut", "hit", "hurt", "let", "put", "quit", "read", "rid",
        "set", "shed", "shut", "split", "spread",
    }
)  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("wordnet", type=Path, help="the folder with index.noun")
    folder: Path = parser.parse_args().wordnet
    with np.load(WORDS / "en.npz") as stored:
        frequent = stored["frequent"].tobytes().decode().split("\n")
    grouped: dict[str, list[str]] = defaultdict(list)
    for word, readings in word_classes(folder).items():
        grouped[" ".join(sorted(readings))].append(word)
    known = set(frequent) | {"a", "i"}
    lines = [
        f"{readings}: {' '.join(chosen)}"
        for readings, every in sorted(grouped.items())
        if (chosen := sorted(set(every) & known))
    ]
    (WORDS / "classes.en.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")
    opposites = sorted(pair for pair in word_opposites(folder) if known.issuperset(pair))
    pairs = "".join(f"{one} {other}\n" for one, other in opposites)
    (WORDS / "opposites.en.txt").write_text(pairs, encoding="utf-8")


def word_classes(folder: Path) -> Mapping[str, set[str]]:
    """Return the classes that each form of a word may have."""
    uses, things = _uses(folder), _things(folder)
    found: dict[str, dict[str, int]] = defaultdict(dict)
    for part in PARTS:
        irregular = _irregular(folder, part)
        for lemma in _lemmas(folder, part):
            count = uses[lemma, part]
            for form, reading in _forms(lemma, part, irregular.get(lemma, [])):
                found[form][reading] = max(count, found[form].get(reading, 0))
    kept = {}
    for form, readings in found.items():
        most = max(readings.values())
        kept[form] = {one for one, count in readings.items() if count * RARE >= most}
        if form in things and "N" in kept[form]:
            kept[form].add("C")
    return kept


def word_opposites(folder: Path) -> set[tuple[str, str]]:
    """Return pairs of opposites in alphabetical order; of nouns, too few exclude each other."""
    found = set()
    for part in ("verb", "adj", "adv"):
        synsets = {}
        for line in (folder / f"data.{part}").read_text("utf-8").splitlines():
            if not line.startswith(" "):
                fields = line.split()
                end = 4 + 2 * int(fields[3], 16)
                # "outdoor(a)" may only stand before a noun.
                lemmas = [lemma.lower().partition("(")[0] for lemma in fields[4:end:2]]
                count = int(fields[end])
                synsets[fields[0]] = lemmas, fields[end + 1 : end + 1 + 4 * count]
        for lemmas, pointers in synsets.values():
            for at in range(0, len(pointers), 4):
                kind, other, _, places = pointers[at : at + 4]
                if kind == "!" and other in synsets:
                    one, two = int(places[:2], 16), int(places[2:], 16)
                    pair = sorted((lemmas[one - 1], synsets[other][0][two - 1]))
                    if pair[0] != pair[1]:
                        found.add((pair[0], pair[1]))
    return found


def _uses(folder: Path) -> Counter[tuple[str, str]]:
    """Return how often each word was used as each part of speech."""
    by_digit = {digit: part for part, digits in PARTS.items() for digit in digits}
    uses: Counter[tuple[str, str]] = Counter()
    for line in (folder / "cntlist.rev").read_text("utf-8").splitlines():
        key, _, count = line.split()
        lemma, _, sense = key.partition("%")
        uses[lemma, by_digit[sense[0]]] += int(count)
    return uses


def _things(folder: Path) -> set[str]:
    """Return the nouns that mean first of all a person, an animal or an artefact: one can count
    them."""
    topics = {}
    for line in (folder / "data.noun").read_text("utf-8").splitlines():
        if not line.startswith(" "):
            offset, topic = line.split(" ", 2)[:2]
            topics[offset] = topic
    things = set()
    for line in (folder / "index.noun").read_text("utf-8").splitlines():
        if not line.startswith(" "):
            fields = line.split()
            lemma, senses = fields[0], int(fields[2])
            if topics[fields[-senses]] in THINGS:
                things.add(lemma)
    return things


def _lemmas(folder: Path, part: str) -> Iterator[str]:
    for line in (folder / f"index.{part}").read_text("utf-8").splitlines():
        lemma = line.partition(" ")[0]
        if lemma.isalpha() and lemma.islower():
            yield lemma


def _irregular(folder: Path, part: str) -> Mapping[str, list[str]]:
    """Return the irregular forms of each word."""
    forms: dict[str, list[str]] = defaultdict(list)
    for line in (folder / f"{part}.exc").read_text("utf-8").splitlines():
        form, *lemmas = line.split()
        for lemma in lemmas:
            forms[lemma].append(form)
    return forms


def _forms(lemma: str, part: str, irregular: list[str]) -> Iterator[tuple[str, str]]:
    """Yield the forms of a word, each with its part of speech."""
    if part == "adv":
        yield lemma, "R"
    elif part == "adj":
        yield lemma, "J"
        comparative, superlative = _graded(lemma)
        yield comparative, "JR"
        yield superlative, "JS"
        for form in irregular:
            yield form, "JS" if form.endswith("st") else "JR"
    elif part == "noun":
        yield lemma, "N"
        for form in irregular or [_with_s(lemma)]:
            yield form, "P"
    else:
        yield lemma, "V"
        yield _with_s(lemma), "Vs"
        regular = _with_ed(lemma)
        for form in irregular:
            if form.endswith("ing"):
                yield form, "Vg"
        yield _with_ing(lemma), "Vg"
        pasts = [form for form in irregular if not form.endswith(("ing", "s"))] or [regular]
        if lemma in UNCHANGED:
            pasts = [lemma]
        told_apart = PAST.split()
        for form in pasts:
            if form not in told_apart[1::2]:
                yield form, "Vd"
            if form not in told_apart[::2]:
                yield form, "Vn"
        if lemma in told_apart[1::2]:
            yield lemma, "Vn"  # come, become, run


def _with_s(word: str) -> str:
    if word.endswith("y") and word[-2:-1] not in "aeiou":
        return f"{word[:-1]}ies"
    return f"{word}es" if word.endswith(("s", "x", "z", "ch", "sh", "o")) else f"{word}s"


def _with_ed(word: str) -> str:
    if word.endswith("e"):
        return f"{word}d"
    if word.endswith("y") and word[-2:-1] not in "aeiou":
        return f"{word[:-1]}ied"
    return f"{_doubled(word)}ed"


def _with_ing(word: str) -> str:
    if word.endswith("ie"):
        return f"{word[:-2]}ying"
    if word.endswith("e") and not word.endswith(("ee", "ye", "oe")):
        return f"{word[:-1]}ing"
    return f"{_doubled(word)}ing"


def _doubled(word: str) -> str:
    """Double the last letter of a short word: stop, stopped."""
    vowels = [letter for letter in word if letter in "aeiou"]
    ends = len(word) > 2 and word[-1] not in "aeiouwxy" and word[-2] in "aeiou"
    return word + word[-1] if ends and len(vowels) == 1 else word


def _graded(word: str) -> tuple[str, str]:
    if word.endswith("e"):
        return f"{word}r", f"{word}st"
    stem = f"{word[:-1]}i" if word.endswith("y") else _doubled(word)
    return f"{stem}er", f"{stem}est"


if __name__ == "__main__":
    main()
