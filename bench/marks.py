"""Compare the score with an editor's marks, on texts marked before their score was known.

    PYTHONPATH=. python bench/marks.py PEOPLE [--texts] [--ask]

PEOPLE is a folder with people's texts; packages that it does not have are downloaded into it (see
bench/defects/people.py). bench/marks/sample.toml names the texts, bench/marks/marks.toml has a mark
from 0 to 10 and its reason for each. A hash of its name puts a text into one of two halves: the
formula of the score may be changed to fit one half, never the other. --texts prints the mark and
the score of each text of the tuned half. --ask has the configured model read each text as the
editor that has no recorded answer yet (see COPYDESK_EDITOR_MODEL). A text that is no longer the one
that was marked is left out, and named.
"""

import argparse
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from itertools import groupby
from pathlib import Path
from random import Random

from app.core.checks import (
    DETERMINISTIC,
    QUALITY_VERSION,
    FileReport,
    ScorePart,
    check_file,
    score,
)
from bench import marks_editor
from bench.damages import DAMAGES, half
from bench.defects import aside, tuned
from bench.defects.people import PeopleText, people_texts
from bench.marks_posts import post_findings

_FOLDER = Path(__file__).with_name("marks")
_MIN_WORDS, _MAX_WORDS = 300, 520
_LEAST_GROUP = 5
_KINDS = {kind.name: kind for kind in (*tuned.KINDS, *aside.KINDS)}


@dataclass(frozen=True)
class Marked:
    """A text and its mark."""

    name: str
    group: str
    language: str
    markdown: str
    mark: float

    @property
    def half(self) -> str:
        return half(self.name)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("people", type=Path, help="a folder for packages with people's texts")
    parser.add_argument("--texts", action="store_true", help="print each tuned text")
    parser.add_argument("--ask", action="store_true", help="have an editor read the texts")
    options = parser.parse_args()
    texts, changed = marked_texts(options.people)
    if options.ask:
        marks_editor.ask([(digest(t.markdown), t.name, t.markdown, t.language) for t in texts])
    answers = marks_editor.recorded()
    reports = {text.name: check_file(text.markdown, text.language) for text in texts}
    posts = {
        text.name: found for text in texts if (found := post_findings(text.name, text.markdown))
    }
    as_files = {name: report.score.total for name, report in reports.items()}
    as_posts = {name: score(*found).total for name, found in posts.items()}
    edited = {}
    for text in texts:
        if answer := answers.get(digest(text.markdown)):
            report = reports[text.name]
            own = [entry.finding for entry in report.findings]
            findings, examined, words = posts.get(text.name, (own, DETERMINISTIC, report.words))
            more = marks_editor.findings(text.name, text.markdown, text.language, answer)
            parts = {*examined, ScorePart.SUBSTANCE}
            edited[text.name] = score([*findings, *more], parts, words).total
    print(f"Version {QUALITY_VERSION} of the desk, {len(texts)} texts. Spearman of score and mark:")
    print("\n".join(_table(texts, as_files, reports)))
    print(f"\nThe same, {len(posts)} generated posts checked with their request and sources:")
    print("\n".join(_table(texts, as_files | as_posts, reports)))
    print(f"\nThe same, {len(edited)} texts read by an editor as well:")
    read = [text for text in texts if text.name in edited]
    print("\n".join(_table(read, edited, reports)))
    if options.texts:
        print("\n".join(_each(texts, reports, edited)))
    if changed:
        print(f"\nLeft out, as they have changed since they were marked: {', '.join(changed)}.")


def _table(
    texts: Sequence[Marked], scores: Mapping[str, int], reports: Mapping[str, FileReport]
) -> Iterator[str]:
    yield ""
    yield "| texts | half | number | correlation | mean mark | mean score | passed as files |"
    yield "|---|---|---|---|---|---|---|"
    for group in ("all", *sorted({text.group for text in texts})):
        for half_ in ("tuned", "aside"):
            chosen = [text for text in texts if text.half == half_ and group in ("all", text.group)]
            if len(chosen) >= _LEAST_GROUP:
                marks = [text.mark for text in chosen]
                found = [scores[text.name] for text in chosen]
                passed = sum(reports[text.name].passes for text in chosen)
                yield (
                    f"| {group} | {half_} | {len(chosen)} | {spearman(marks, found):.2f}"
                    f" | {sum(marks) / len(marks):.1f} | {sum(found) / len(found):.0f}"
                    f" | {passed} |"
                )


def _each(
    texts: Sequence[Marked], reports: Mapping[str, FileReport], edited: Mapping[str, int]
) -> Iterator[str]:
    yield ""
    yield "| text | mark | score | with an editor | blockers | warnings |"
    yield "|---|---|---|---|---|---|"
    tuned_texts = [text for text in texts if text.half == "tuned"]
    for text in sorted(tuned_texts, key=lambda each: (each.group, -each.mark, each.name)):
        report = reports[text.name]
        blockers = sum(entry.finding.blocks for entry in report.findings)
        yield (
            f"| {text.name} | {text.mark:g} | {report.score.total}"
            f" | {edited.get(text.name, '–')} | {blockers}"
            f" | {len(report.findings) - blockers} |"
        )


def spearman(one: Sequence[float], two: Sequence[float]) -> float:
    """Return the rank correlation of two rows of numbers; 0 if one of them is constant."""
    ranks = [_ranks(one), _ranks(two)]
    mean = (len(one) + 1) / 2
    first, second = ([rank - mean for rank in row] for row in ranks)
    spread = sum(a * a for a in first) * sum(b * b for b in second)
    return sum(a * b for a, b in zip(first, second, strict=True)) / spread**0.5 if spread else 0.0


def _ranks(values: Sequence[float]) -> list[float]:
    """Return the rank of each value; equal values share their mean rank."""
    ranks = [0.0] * len(values)
    order = sorted(range(len(values)), key=values.__getitem__)
    first = 1
    for _, same in groupby(order, key=values.__getitem__):
        places = list(same)
        for place in places:
            ranks[place] = first + (len(places) - 1) / 2
        first += len(places)
    return ranks


def marked_texts(folder: Path) -> tuple[list[Marked], list[str]]:
    """Return the texts with a mark, and the names of those that have changed since."""
    marks = tomllib.loads((_FOLDER / "marks.toml").read_text(encoding="utf-8"))
    texts, changed = [], []
    for name, group, language, markdown in sample(folder):
        entry = marks.get(name)
        if entry is None or entry["digest"] != digest(markdown):
            changed.append(name)
        else:
            texts.append(Marked(name, group, language, markdown, entry["mark"]))
    return texts, changed


def digest(markdown: str) -> str:
    """Return what identifies a text."""
    return sha256(markdown.encode()).hexdigest()[:12]


def sample(folder: Path) -> Iterator[tuple[str, str, str, str]]:
    """Yield name, group, language and Markdown of each text."""
    listed = tomllib.loads((_FOLDER / "sample.toml").read_text(encoding="utf-8"))
    people: dict[str, PeopleText] = {}
    for each in people_texts(folder):
        # A manual has its pages in several languages.
        people |= {each.name: each, f"{each.name}.{each.language}": each}
    for name in listed["people"]:
        yield f"people/{name}", "people", people[name].language, excerpt(people[name].markdown)
    for package in listed["readme"]:
        text = (folder / package / "package" / "README.md").read_text(encoding="utf-8")
        yield f"people/{package}/README", "people", "en", excerpt(text)
    for entry in listed["damaged"]:
        name, source = f"damaged/{entry['damage']}/{entry['text']}", people[entry["text"]]
        if kinds := entry.get("kinds"):
            markdown = plant(name, excerpt(source.markdown), kinds)
        else:
            foreign = excerpt(people[entry.get("foreign", entry["text"])].markdown)
            markdown = DAMAGES[entry["damage"]](excerpt(source.markdown), foreign, Random(name))
        yield name, "damaged", source.language, markdown
    for path in sorted(_FOLDER.glob("*/*.md")):
        stem, _, language = path.stem.partition(".")
        markdown = path.read_text(encoding="utf-8")
        yield f"{path.parent.name}/{stem}", path.parent.name, language or "en", markdown


def excerpt(markdown: str) -> str:
    """Return the first 300 to 520 words of a text, whole blocks; the next section is left out."""
    kept: list[str] = []
    words = 0
    for block in markdown.split("\n\n"):
        count = len(block.split())
        if words >= _MIN_WORDS and (block.startswith("#") or words + count > _MAX_WORDS):
            break
        kept.append(block)
        words += count
    return "\n\n".join(kept).rstrip() + "\n"


def plant(name: str, text: str, kinds: Sequence[str]) -> str:
    """Return a text with a defect of each of these kinds."""
    random = Random(name)
    for kind in kinds:
        planted = _KINDS[kind].plant(text, random)
        if planted is None:
            raise ValueError(f"{name} has no place for {kind!r}")
        text = planted.text
    return text


if __name__ == "__main__":
    main()
