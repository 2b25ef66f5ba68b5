"""Measure the desk by defects planted into good texts, and by texts that people wrote.

    PYTHONPATH=. python bench/planted.py [--half tuned|aside|read|unseen|all] [--people FOLDER]
        [--tools FOLDER] [--write docs/proofs/defects.md] [--names]

Recall: plants the kinds of bench/defects one at a time. False alarms: with --people, blockers on
texts out of packages that the benchmark downloads. With --tools, a folder with the packages
harper.js, write-good, yoastseo (npm) and proselint (a virtual environment `venv`), the same texts
in the same run for each of them; those that are missing are left out. Which of the
kinds of strangers that are not shown were missed is never part of the page, so that nobody writes
checks for them; --names prints it.
"""

import argparse
import time
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from statistics import mean, median

import app.cli  # noqa: F401 - sets the garbage collector as the command does
from app.core.checks import QUALITY_VERSION, check_file
from app.core.text import forget, word_count
from bench.defects import aside, hidden, tuned, unseen
from bench.defects.carriers import Carrier, carriers
from bench.defects.linters import Answers, ask
from bench.defects.marks import PARTS, Mark, at_defect, desk_marks
from bench.defects.people import PeopleText, people_texts
from bench.defects.plant import Group, Kind, Planted

_HELD_OUT = "kinds of strangers, not read"

# The parts of the kinds, and the rounds in which they are planted: name, kinds, texts, seed.
_ROUNDS = {
    "tuned": (("tuned kinds", tuned.KINDS, "tuned", "tuned"),),
    "aside": (
        ("tuned kinds, other texts and seeds", tuned.KINDS, "aside", "other"),
        ("kinds put aside", aside.KINDS, "aside", "aside"),
    ),
    "read": (("kinds of strangers, read", unseen.KINDS, "unseen", "strangers"),),
    "unseen": ((_HELD_OUT, hidden.KINDS, "unseen", "other strangers"),),
}
_FOUND_SHARE = 0.5
_PEOPLE_CARRIERS = 4
_PEOPLE_CARRIER_WORDS = range(300, 1000)
# How many plantings of a kind the linters get, and how many texts by people.
_COMPARED = 2
_COMPARED_PEOPLE = 30
# There is one text in each other language; several seeds draw different variants of a kind.
_SEEDS = 4
_SIZES = (64_000, 256_000, 1_000_000)


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
    parser.add_argument("--half", choices=(*_ROUNDS, "all"), default="all")
    parser.add_argument(
        "--people", type=Path, help="check people's texts; packages are downloaded into this folder"
    )
    parser.add_argument("--tools", type=Path, help="a folder with the linters to compare with")
    parser.add_argument("--write", type=Path, help="keep the result as this page")
    parser.add_argument(
        "--names", action="store_true", help="print also which kinds of strangers were missed"
    )
    options = parser.parse_args()
    halves = tuple(_ROUNDS) if options.half == "all" else (options.half,)
    texts = people_texts(options.people) if options.people else []
    cases = [case for half in halves for case in plant(half, texts)]
    lines = [*_head(), *recall(cases), *with_editor()]
    if texts:
        lines += [*false_alarms(texts), *cost(texts)]
    if options.tools:
        lines += compare(options.tools, cases, texts)
    page = "\n".join(lines).rstrip() + "\n"
    print(page)
    if options.names:
        tally = tally_desk([case for case in cases if case.round == _HELD_OUT])
        print("\n".join(_missed(tally, [_HELD_OUT])))
    if options.write:
        options.write.write_text(page, encoding="utf-8")


def _head() -> Iterator[str]:
    kinds = sum(len(part.KINDS) for part in (tuned, aside, unseen, hidden))
    yield "# Defects planted into good texts"
    yield ""
    yield (
        f"Measured on version {QUALITY_VERSION} of the desk by `python bench/planted.py --people"
        " FOLDER --tools FOLDER --write docs/proofs/defects.md`."
    )
    yield ""
    yield (
        f"{kinds} kinds of defect, planted one at a time. {len(tuned.KINDS)} tuned kinds and their"
        " texts (`bench/defects/tuned.py`) are known to those who write the checks from the"
        f" beginning; {len(aside.KINDS)} kinds put aside (`bench/defects/aside.py`), with texts and"
        " seeds of their own, since the checks were first measured by them. The tuned kinds are"
        f" planted into those texts as well. {len(unseen.KINDS)} kinds of strangers"
        " (`bench/defects/unseen.py`), again with texts and seeds of their own, were written"
        " without sight of the checks; one half of them was read since version 3.4.0, the other"
        f" since 3.9.0. {len(hidden.KINDS)} kinds of another stranger (`bench/defects/hidden.py`)"
        " were written for 3.9.0, and nobody who writes checks has read them: this page says how"
        " many of them are found, but not which. With people's texts, up to"
        f" {_PEOPLE_CARRIERS} articles of each part carry defects too."
    )
    yield ""


def plant(half: str, people: Sequence[PeopleText]) -> Iterator[Case]:
    """Yield each kind of a part in each text that has a place for it."""
    for name, kinds, folder, seed in _ROUNDS[half]:
        for carrier in [*carriers(folder), *_people_carriers(half, people)]:
            for kind in kinds:
                if kind.language == carrier.language:
                    for planted in _plantings(kind, carrier, seed):
                        yield Case(name, kind, carrier, planted)


def _plantings(kind: Kind, carrier: Carrier, seed: str) -> list[Planted]:
    found: dict[str, Planted] = {}
    for number in range(1 if carrier.language == "en" else _SEEDS):
        random = Random(f"{seed}:{carrier.name}:{kind.name}:{number}")
        if planted := kind.plant(carrier.text, random):
            found[planted.text] = planted
    return list(found.values())


def _people_carriers(half: str, people: Sequence[PeopleText]) -> list[Carrier]:
    """Return some of the shorter English articles, other ones for each part of the kinds."""
    fitting = [
        Carrier(text.name, "en", text.markdown)
        for text in people
        if (text.kind, text.language) == ("article", "en")
        and len(text.markdown.split()) in _PEOPLE_CARRIER_WORDS
    ]
    begin, step = {"tuned": (0, 2), "aside": (1, 2)}.get(half, (2 * _PEOPLE_CARRIERS, 1))
    return fitting[begin::step][:_PEOPLE_CARRIERS]


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
    yield from _missed(tally, [name for name in kinds if name != _HELD_OUT])


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
    if not rounds:
        return
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


def with_editor() -> Iterator[str]:
    """Report what a recorded editor finds of the kinds that were not read."""
    # Plants by this module.
    from bench import planted_editor

    yield "## With an editor"
    yield ""
    yield (
        "One planting of each kind of strangers that was not read, as `check FILE --editor` reports"
        " it (`python bench/planted_editor.py`). The editor was a large model; it read each text"
        " alone, among the texts as they were, and was not told what the checks doubt. The answers"
        " are recorded in `bench/defects/editor.json`; `--ask` asks another model."
    )
    yield ""
    yield from planted_editor.report(planted_editor.sample(), planted_editor.recorded())
    yield ""


def false_alarms(texts: Sequence[PeopleText]) -> Iterator[str]:
    """Report the blockers on texts by people."""
    rows: dict[tuple[str, str, str], Counter[str]] = {}
    blockers: list[str] = []
    by_check: Counter[str] = Counter()
    for text in texts:
        report = check_file(text.markdown, text.language)
        found = [entry for entry in report.findings if entry.finding.blocks]
        row = rows.setdefault((text.kind, text.package, text.language), Counter())
        row["texts"] += 1
        row["words"] += report.words
        row["blocked"] += bool(found)
        row["warnings"] += len(report.findings) - len(found)
        for name in sorted({entry.finding.check for entry in found}):
            by_check[name] += 1
            first = next(entry for entry in found if entry.finding.check == name)
            blockers.append(
                f"{text.name} ({text.language}), line {first.line}, `{name}`:"
                f" {first.finding.reason}"
            )
    blocked = sum(row["blocked"] for row in rows.values())
    yield "## Blockers on texts by people"
    yield ""
    yield (
        f"{len(texts)} texts out of packages. The rules of version 3.4.0 were calibrated on them, "
        f"so the figure is kind to the desk: {blocked} with a blocker, {blocked / len(texts):.1%}"
        " (aim: at most 3 %). Every blocker counts, also those that are right."
    )
    yield ""
    yield (
        "| kind | package | language | texts | words | with a blocker | warnings per 1,000 words |"
    )
    yield "|---|---|---|---|---|---|---|"
    for (kind, package, language), row in sorted(rows.items()):
        yield (
            f"| {kind} | {package} | {language} | {row['texts']} | {row['words']} |"
            f" {row['blocked']} | {row['warnings'] * 1000 / row['words']:.1f} |"
        )
    yield ""
    if by_check:
        counts = ", ".join(f"`{name}` {count}" for name, count in by_check.most_common())
        yield f"Texts with a blocker by check: {counts}."
        yield ""
    yield from (f"- {line}" for line in blockers)
    yield ""


def cost(texts: Sequence[PeopleText]) -> Iterator[str]:
    """Report the time of the desk, and whether it grows with the length of the text alone."""
    english = [text.markdown for text in texts if text.language == "en"]
    times = [_milliseconds(each) * 1000 / word_count(each) for each in english[:60]]
    yield "## Time"
    yield ""
    yield (
        f"`check FILE` takes {median(times):.1f} ms of processor time for 1,000 words (median of"
        f" {len(times)} English texts by people; aim: 40)."
    )
    yield ""
    yield "| characters | words | ms for 1,000 words |"
    yield "|---|---|---|"
    everything = "\n\n".join(english)
    while len(everything) < _SIZES[-1]:
        everything += f"\n\n{everything}"
    for size in _SIZES:
        text = everything[:size]
        words = word_count(text)
        yield f"| {len(text)} | {words} | {_milliseconds(text) * 1000 / words:.1f} |"
    yield ""


def _milliseconds(text: str) -> float:
    forget()
    began = time.process_time()
    check_file(text)
    return (time.process_time() - began) * 1e3


def compare(folder: Path, cases: Sequence[Case], people: Sequence[PeopleText]) -> Iterator[str]:
    """Report what the linters of a folder find on the same English texts."""
    taken: Counter[tuple[str, Kind]] = Counter()
    chosen: list[Case] = []
    for case in cases:
        if case.carrier.language == "en" and taken[case.round, case.kind] < _COMPARED:
            taken[case.round, case.kind] += 1
            chosen.append(case)
    clean = [each.text for half in _ROUNDS for each in carriers(half) if each.language == "en"]
    english = [text.markdown for text in people if text.language == "en"]
    sample = english[:: max(1, len(english) // _COMPARED_PEOPLE)]
    whole = list(dict.fromkeys([*clean, *sample, *(case.carrier.text for case in chosen)]))
    texts = [*whole, *(case.planted.text for case in chosen)]
    desk = _desk_answers(texts)
    answers = [desk, *ask(folder, texts)]
    rounds = list(dict.fromkeys(case.round for case in chosen))
    yield "## Beside other linters"
    yield ""
    yield (
        f"The same {len(chosen)} damaged English texts, at most {_COMPARED} of each kind. A linter"
        " finds a defect if it has a new mark on one of its lines, whatever the mark says, so that"
        " some finds are luck; the desk is counted in the same way, findings of another part of the"
        " score included."
        " yoastseo judges texts as a whole: any assessment that is no longer good counts."
    )
    yield ""
    tallies = [_tally(answer, chosen, texts) for answer in answers]
    yield f"| round | group | kinds | {' | '.join(f'{a.name} {a.version}' for a in answers)} |"
    yield f"|---|---|---|{'---|' * len(answers)}"
    for name in rounds:
        for group in Group:
            keys = [key for key in tallies[0].by_kind if key[0] == name and key[1].group is group]
            cells = [f"{tally.found(keys)}, {tally.recall(keys):.0%}" for tally in tallies]
            yield f"| {name} | {group} | {len(keys)} | {' | '.join(cells)} |"
    yield ""
    places = {text: number for number, text in enumerate(texts)}
    yield (
        "Each cell has the kinds of which at least half of the plantings are found, and the mean"
        " share of plantings found. All marks on texts without a planted defect, and the"
        " processor time (median):"
    )
    yield ""
    yield (
        "| tool | marks per 1,000 words, clean texts | marks per 1,000 words, texts by people |"
        " ms for 1,000 words |"
    )
    yield "|---|---|---|---|"
    for answer in answers:
        spent = [
            answer.milliseconds[places[text]] * 1000 / word_count(text)
            for text in [*clean, *sample]
        ]
        yield (
            f"| {answer.name} {answer.version} | {_alarms(answer, clean, places)} |"
            f" {_alarms(answer, sample, places)} | {median(spent):.1f} |"
        )
    yield ""


def _tally(answer: Answers, cases: Sequence[Case], texts: Sequence[str]) -> Tally:
    places = {text: number for number, text in enumerate(texts)}
    tally = Tally()
    for case in cases:
        before = answer.marks[places[case.carrier.text]]
        after = answer.marks[places[case.planted.text]]
        marks = at_defect(case.carrier.text, case.planted, before, after)
        tally.by_kind[case.round, case.kind].append(bool(marks))
    return tally


def _alarms(answer: Answers, texts: Sequence[str], places: Mapping[str, int]) -> str:
    if not texts:
        return "–"
    marks = sum(len(answer.marks[places[text]]) for text in texts)
    return f"{marks * 1000 / sum(map(word_count, texts)):.1f}"


def _desk_answers(texts: Sequence[str]) -> Answers:
    marks, spent = [], []
    for text in texts:
        forget()
        began = time.process_time()
        marks.append(desk_marks(text, "en"))
        spent.append((time.process_time() - began) * 1e3)
    return Answers("the desk", QUALITY_VERSION, marks, spent)


if __name__ == "__main__":
    main()
