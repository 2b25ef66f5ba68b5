"""Measure the desk by defects planted into good texts, and by texts that people wrote.

    PYTHONPATH=. python bench/planted.py [--half tuned|aside|both] [--people] [--tools FOLDER]
        [--write docs/proofs/defects.md]

Recall: plants the kinds of bench/defects one at a time. False alarms: with --people, blockers on
texts out of packages that the benchmark downloads. With --tools, a folder with the packages
harper.js, write-good, yoastseo (npm) and proselint (a virtual environment `venv`), the same texts
in the same run for each of them; those that are missing are left out.
"""

import argparse
import time
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from statistics import mean, median

from app.core.checks import QUALITY_VERSION, check_file
from app.core.text import word_count
from bench.defects import aside, tuned
from bench.defects.carriers import Carrier, carriers
from bench.defects.marks import PARTS, Mark, at_defect, desk_marks
from bench.defects.plant import Group, Kind, Planted

# The halves of the kinds, and the rounds in which they are planted: name, kinds, texts, seed.
_ROUNDS = {
    "tuned": (("tuned kinds", tuned.KINDS, "tuned", "tuned"),),
    "aside": (
        ("tuned kinds, other texts and seeds", tuned.KINDS, "aside", "other"),
        ("kinds put aside", aside.KINDS, "aside", "aside"),
    ),
}
_FOUND_SHARE = 0.5


@dataclass(frozen=True)
class Case:
    """A kind of defect in a text."""

    round: str
    kind: Kind
    carrier: Carrier
    planted: Planted


@dataclass
class Tally:
    """What a tool finds of each kind: 1 or 0 for each planting."""

    by_kind: dict[tuple[str, Kind], list[bool]] = field(default_factory=lambda: defaultdict(list))
    elsewhere: dict[tuple[str, Kind], int] = field(default_factory=lambda: defaultdict(int))

    def recall(self, kinds: Sequence[tuple[str, Kind]]) -> float:
        """Return the mean share of plantings found, each kind having the same weight."""
        return mean(mean(self.by_kind[key]) for key in kinds)

    def found(self, kinds: Sequence[tuple[str, Kind]]) -> int:
        """Return the number of kinds of which at least half of the plantings are found."""
        return sum(mean(self.by_kind[key]) >= _FOUND_SHARE for key in kinds)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--half", choices=("tuned", "aside", "both"), default="both")
    parser.add_argument("--people", action="store_true", help="download and check people's texts")
    parser.add_argument("--tools", type=Path, help="a folder with the linters to compare with")
    parser.add_argument("--write", type=Path, help="keep the result as this page")
    options = parser.parse_args()
    halves = ("tuned", "aside") if options.half == "both" else (options.half,)
    cases = [case for half in halves for case in plant(half)]
    lines = list(_head())
    lines += recall(cases)
    page = "\n".join(lines).rstrip() + "\n"
    print(page)
    if options.write:
        options.write.write_text(page, encoding="utf-8")


def _head() -> Iterator[str]:
    yield "# Defects planted into good texts"
    yield ""
    yield (
        f"Measured on version {QUALITY_VERSION} of the desk by `python bench/planted.py --people"
        " --tools FOLDER --write docs/proofs/defects.md`."
    )
    yield ""


def plant(half: str) -> Iterator[Case]:
    """Yield each kind of a half in each text that has a place for it."""
    for name, kinds, texts, seed in _ROUNDS[half]:
        for carrier in carriers(texts):
            for kind in kinds:
                if kind.language == carrier.language:
                    random = Random(f"{seed}:{carrier.name}:{kind.name}")
                    if planted := kind.plant(carrier.text, random):
                        yield Case(name, kind, carrier, planted)


def tally_desk(cases: Sequence[Case]) -> Tally:
    """Return what the desk finds: marks of the part of the score that the kind belongs to."""
    tally = Tally()
    before: dict[str, list[Mark]] = {}
    for case in cases:
        carrier = case.carrier
        if carrier.name not in before:
            before[carrier.name] = desk_marks(carrier.text, carrier.language)
        after = desk_marks(case.planted.text, carrier.language)
        marks = at_defect(carrier.text, case.planted, before[carrier.name], after)
        right = any(mark.part in PARTS[case.kind.group] for mark in marks)
        tally.by_kind[case.round, case.kind].append(right)
        tally.elsewhere[case.round, case.kind] += bool(marks) and not right
    return tally


def recall(cases: Sequence[Case]) -> Iterator[str]:
    tally = tally_desk(cases)
    yield "## Found by group"
    yield ""
    yield (
        "A defect is found if `check FILE` reports a finding that the undamaged text does not have,"
        " at one of the lines of the defect or quoting it, and of the right part of the score:"
        " mechanics (leftovers too), structure, or consistency; for substance and style, substance"
        " or mechanics. Findings of another part are counted apart. Shares of long sentences, of"
        " the passive voice and the like count for no defect. Recall is the mean over the kinds; a"
        " kind is found if at least half of its plantings are."
    )
    yield ""
    yield ("| round | group | kinds | kinds found | plantings | found | recall | in another part |")
    yield "|---|---|---|---|---|---|---|---|"
    kinds: dict[str, list[Kind]] = {}
    for name, kind in tally.by_kind:
        kinds.setdefault(name, []).append(kind)
    for name in kinds:
        for group in Group:
            yield _row(tally, name, group, [kind for kind in kinds[name] if kind.group is group])
        yield _row(tally, name, "all", kinds[name])
    yield ""
    yield from _languages(tally, kinds)
    yield from _missed(tally, list(kinds))


def _row(tally: Tally, name: str, label: str, kinds: Sequence[Kind]) -> str:
    keys = [(name, kind) for kind in kinds]
    if not keys:
        return f"| {name} | {label} | 0 | 0 | 0 | 0 | – | 0 |"
    plantings = sum(len(tally.by_kind[key]) for key in keys)
    found = sum(sum(tally.by_kind[key]) for key in keys)
    elsewhere = sum(tally.elsewhere[key] for key in keys)
    return (
        f"| {name} | {label} | {len(keys)} | {tally.found(keys)} | {plantings} | {found} |"
        f" {tally.recall(keys):.0%} | {elsewhere} |"
    )


def _languages(tally: Tally, kinds: Mapping[str, Sequence[Kind]]) -> Iterator[str]:
    yield "| round | language | kinds | kinds found | plantings | found | recall | another part |"
    yield "|---|---|---|---|---|---|---|---|"
    for name, everything in kinds.items():
        for language in dict.fromkeys(kind.language for kind in everything):
            chosen = [kind for kind in everything if kind.language == language]
            yield _row(tally, name, language, chosen)
    yield ""


def _missed(tally: Tally, rounds: Sequence[str]) -> Iterator[str]:
    yield "## Kinds missed or found in part"
    yield ""
    for name in rounds:
        for group in Group:
            missed = [
                f"{kind.name} ({sum(found)} of {len(found)})"
                for (round_, kind), found in tally.by_kind.items()
                if round_ == name and kind.group is group and not all(found)
            ]
            if missed:
                yield f"- {name}, {group}: {'; '.join(missed)}"
    yield ""


if __name__ == "__main__":
    main()
