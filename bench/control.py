"""The control: texts that make no sense, on their way through the pipeline.

    PYTHONPATH=. python bench/control.py PEOPLE [--texts N] [--local N] [--order N]
        [--foreign N] [--write PAGE]

PEOPLE is a folder with people's texts; packages that it does not have are downloaded into it (see
bench/defects/people.py). Five paragraphs of a text become the sections of a post, as they are and
damaged in four ways: longer words replaced by random ones, sentences in random order, all words in
random order, a paragraph of a text on another subject. A writer hands in the damaged post and the
pipeline does the rest, three times: with nobody who examines the substance, with a scripted editor
that knows the text as it was, and, with --local, with the local model alone, which is asked whether
each paragraph makes sense and fits the others, and sentences follow from one another (`copydesk-
server model pull` fetches it). --order asks it for the order of sentences alone, and --foreign for
foreign paragraphs alone, which takes less time. Its answers are kept in PEOPLE, so that a run that
was interrupted goes on. When a part is sent back, the writer returns it unchanged or, in a column
of its own, as it was before the damage.
"""

import argparse
import json
import re
import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from random import Random
from typing import Any

from app.commands.model import model_endpoint
from app.container import pick_model
from app.core.checks import QUALITY_VERSION, Finding, Passage, check_file, passages
from app.core.languages import get_language
from app.core.planning.brief import Brief
from app.core.schemas.post import SEOPost
from app.core.text import fold, sentences, word_count, words
from app.core.writing.completion import Completion, Prompt
from app.core.writing.editor import MAX_FINDINGS, Fault
from app.core.writing.foreign import LEAST_BELONGING, Cosines, belonging, comparison_prompt
from app.core.writing.order import LEAST_ORDER, continuation_prompt, deviations, lifts
from app.core.writing.profile import LARGE, SMALL
from app.deadline import Deadline
from app.ports import Model
from app.services.pipeline import PostRejected, Writers, write_post
from app.settings import Settings
from bench.damages import DAMAGES, half
from bench.defects.people import PeopleText, people_texts

_PARAGRAPHS, _WORDS = 5, (50, 140)
# The local model takes minutes on a busy machine.
_POST_SECONDS = 3_600
# The most a check of a file without a model may give: the number of a text whose substance nobody
# examined.
_MOST_UNREAD = 70
_LINE = re.compile(r"^(\d+)\. (?:\((?P<label>[a-z]+)\) )?(?P<text>.+)$", re.MULTILINE)
_POST = "The post, a sentence a line:"
_HALVES = ("tuned", "aside")


class Outcome(StrEnum):
    """What became of a damaged post."""

    REFUSED = "refused"
    REPAIRED = "repaired"
    PASSED = "passed"


@dataclass(frozen=True)
class Sample:
    """Five paragraphs by a person, those of a text on another subject, and a keyword."""

    name: str
    paragraphs: tuple[str, ...]
    foreign: tuple[str, ...]
    keyword: str

    @property
    def half(self) -> str:
        return half(self.name)

    @property
    def text(self) -> str:
        return "\n\n".join(self.paragraphs)

    def damaged(self, damage: str) -> tuple[str, ...]:
        """Return the paragraphs with a damage; "" leaves them as they are."""
        if not damage:
            return self.paragraphs
        done = DAMAGES[damage](self.text, "\n\n".join(self.foreign), Random(self.name))
        return tuple(done.strip().split("\n\n"))


_TITLE = "What to know about {keyword}"
_INTRODUCTION = (
    "Few people think about {keyword} until they have to decide. A little knowledge helps then."
)
_HEADINGS = (
    "Where {keyword} begins", "The first question", "A closer look", "Another side of it",
    "Where it leads",
)  # fmt: skip
_CONCLUSION = "Take your time with {keyword}, and ask somebody who knows it well. Then decide."
_DESCRIPTION = (
    "A plain account of {keyword} for people who want to understand it: what it is, why it matters,"
    " and what else there is to know."
)


class Writer(Model):
    """A writer that hands in a text, and other paragraphs when parts are sent back.

    Args:
        listener: answers whether a paragraph makes sense; None if nobody asks.
    """

    concurrency = 1
    name = "control"

    def __init__(
        self,
        keyword: str,
        paragraphs: Sequence[str],
        rewritten: Sequence[str],
        listener: Model | None = None,
    ) -> None:
        self._keyword, self._listener = keyword, listener
        self._first, self._again = self._parts(paragraphs), self._parts(rewritten)

    def complete(self, prompt: Prompt, deadline: Deadline) -> Completion:
        is_asked = prompt.yes_or_no or prompt.continuation or prompt.compared
        if is_asked and self._listener:
            return self._listener.complete(prompt, deadline)
        if prompt.purpose == "plan":
            return Completion(json.dumps(self._plan(prompt.schema or {})))
        return Completion(self._again if prompt.purpose == "rewrite" else self._first)

    def ping(self) -> None:
        """Always there."""

    def _plan(self, schema: Mapping[str, Any]) -> Mapping[str, object]:
        # A small model is asked for no claims.
        is_small = "claims" not in schema["properties"]
        claims: dict[str, object] = {} if is_small else {"claims": []}
        sizes: dict[str, object] = {} if is_small else {"words": 0}
        sections = [
            {"heading": heading, "purpose": heading, "form": "prose", **claims, **sizes}
            for heading in self.headings
        ]
        title = _TITLE.format(keyword=self._keyword)
        sheet = claims | ({} if is_small else {"optional": []})
        return {"purpose": title, **sheet, "sections": sections, "title": title}

    @property
    def headings(self) -> list[str]:
        return [heading.format(keyword=self._keyword) for heading in _HEADINGS]

    def _parts(self, paragraphs: Sequence[str]) -> str:
        count = len(_HEADINGS)
        shares = [
            paragraphs[at * len(paragraphs) // count : (at + 1) * len(paragraphs) // count]
            for at in range(count)
        ]
        said = {f"SECTION {at}": "\n\n".join(share) for at, share in enumerate(shares, 1)}
        said |= {"INTRODUCTION": _INTRODUCTION, "CONCLUSION": _CONCLUSION}
        said |= {"DESCRIPTION": _DESCRIPTION}
        return "\n\n".join(
            f"[{part}]\n\n{text.replace('{keyword}', self._keyword)}" for part, text in said.items()
        )


class Kept(Model):
    """The answers of a model, kept in a file: a run that was interrupted does not ask again."""

    concurrency = 1
    name = "kept"

    def __init__(self, model: Model, file: Path) -> None:
        self._model, self._file = model, file
        kept = file.read_text(encoding="utf-8").splitlines() if file.exists() else []
        self._answers: dict[str, dict[str, Any]] = dict(map(json.loads, kept))

    def complete(self, prompt: Prompt, deadline: Deadline) -> Completion:
        key = repr(prompt)
        if key not in self._answers:
            self._answers[key] = vars(self._model.complete(prompt, deadline))
            with self._file.open("a", encoding="utf-8") as file:
                file.write(json.dumps([key, self._answers[key]]) + "\n")
        return Completion(**self._answers[key])

    def ping(self) -> None:
        """Always there."""


class Editor(Model):
    """An editor that knows the text as it was, and names each sentence that was not in it or stands
    behind one that it was in front of."""

    concurrency = 1
    name = "control-editor"

    def __init__(self, post: SEOPost, foreign: Sequence[str]) -> None:
        self._places = {fold(line): place for place, line in enumerate(lines_of(post))}
        self._foreign = {fold(s.text) for each in foreign for s in sentences(each, "en")}

    def complete(self, prompt: Prompt, deadline: Deadline) -> Completion:
        asked = prompt.user.partition(_POST)[2]
        lines = [match["text"] for match in _LINE.finditer(asked)]
        findings = [
            {
                "sentence": number, "quotation": lines[number - 1], "kind": fault.value,
                "problem": "It does not belong here.", "action": "change", "target": 0,
                "fix": "Write what does.",
            }
            for number, fault in self.faults(lines)
        ]  # fmt: skip
        return Completion(json.dumps({"findings": findings[:MAX_FINDINGS]}))

    def ping(self) -> None:
        """Always there."""

    def faults(self, lines: Sequence[str]) -> Iterator[tuple[int, Fault]]:
        """Yield number and fault of each sentence that was not in the text, or not at its place."""
        before = -1
        for number, line in enumerate(map(fold, lines), 1):
            place = self._places.get(line)
            if place is None:
                yield number, Fault.OFF_TOPIC if line in self._foreign else Fault.NONSENSE
                continue
            if place < before:
                yield number, Fault.DISJOINTED
            before = place


def lines_of(post: SEOPost) -> list[str]:
    return [s.text for each in passages(post) for s in sentences(each.text, "en")]


def samples(folder: Path, count: int) -> list[Sample]:
    """Return samples of as many packages as possible, the same number of both halves, whose
    undamaged post passes the pipeline without an editor."""
    by_package: dict[str, list[tuple[PeopleText, tuple[str, ...]]]] = defaultdict(list)
    for text in people_texts(folder):
        found = tuple(_prose(text.markdown))[:_PARAGRAPHS]
        if text.language == "en" and len(found) == _PARAGRAPHS:
            by_package[text.package].append((text, found))
    others = {package: texts[0][1] for package, texts in by_package.items()}
    chosen: list[Sample] = []
    for turn in range(max(map(len, by_package.values()))):
        for package, texts in by_package.items():
            text, paragraphs = texts[min(turn, len(texts) - 1)]
            keyword = _keyword(paragraphs)
            if turn >= len(texts) or keyword is None:
                continue
            random = Random(text.name)
            foreign = others[random.choice([each for each in others if each != package])]
            sample = Sample(text.name, paragraphs, foreign, keyword)
            of_half = sum(each.half == sample.half for each in chosen)
            if of_half < -(-count // len(_HALVES)) and _whole(sample) is not None:
                chosen.append(sample)
    return chosen[:count]


def _prose(markdown: str) -> Iterator[str]:
    for block in markdown.split("\n\n"):
        is_prose = block[:1].isupper() and block.rstrip().endswith(".") and "`" not in block
        if is_prose and _WORDS[0] <= word_count(block) <= _WORDS[1]:
            yield " ".join(block.replace("\\", "").split())


def _keyword(paragraphs: Sequence[str]) -> str | None:
    """Return the word that the paragraphs use most, but not so often that it is stuffed."""
    spoken = get_language("en")
    used = Counter(word for each in paragraphs for word in words(each))
    most = 0.02 * used.total()
    small = spoken.function_words if spoken else frozenset()
    for word, times in used.most_common():
        if len(word) > 5 and word.isalpha() and word not in small and 2 <= times <= most:
            return word
    return None


def _whole(sample: Sample) -> SEOPost | None:
    """Return the undamaged post; None if the desk refuses it."""
    outcome = written(sample, sample.paragraphs, sample.paragraphs)
    return outcome if isinstance(outcome, SEOPost) else None


def written(
    sample: Sample,
    paragraphs: Sequence[str],
    rewritten: Sequence[str],
    editor: Model | None = None,
    listener: Model | None = None,
) -> SEOPost | PostRejected:
    writer = Writer(sample.keyword, paragraphs, rewritten, listener)
    count = word_count(sample.text)
    brief = Brief(
        keywords=(sample.keyword,), language="en", min_words=count // 2, max_words=2 * count,
        target_words=count, intro_sentences=2, conclusion_sentences=2,
        sections=(1, len(_HEADINGS)),
    )  # fmt: skip
    profile = SMALL if listener else LARGE
    try:
        writers = Writers(writer, profile, editor, seed=1)
        return write_post(writers, brief, deadline=Deadline(_POST_SECONDS)).post
    except PostRejected as rejected:
        return rejected


def outcome(found: SEOPost | PostRejected, editor: Editor) -> Outcome:
    """Return what became of a damaged post, as the editor sees it."""
    if isinstance(found, PostRejected):
        return Outcome.REFUSED
    return Outcome.PASSED if any(editor.faults(lines_of(found))) else Outcome.REPAIRED


@dataclass
class Column:
    """The outcomes by damage and half, the checks that refused, and the texts that got through."""

    outcomes: dict[tuple[str, str], Counter[Outcome]] = field(
        default_factory=lambda: defaultdict(Counter)
    )
    refused_by: dict[str, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))
    passed: dict[str, list[str]] = field(default_factory=lambda: defaultdict(list))

    def add(self, sample: Sample, damage: str, found: SEOPost | PostRejected, end: Outcome) -> None:
        self.outcomes[damage, sample.half][end] += 1
        if isinstance(found, PostRejected):
            blockers = {finding.check for finding in found.findings if finding.blocks}
            self.refused_by[damage].update(blockers)
        if end is Outcome.PASSED:
            self.passed[damage].append(sample.name)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("people", type=Path, help="a folder for packages with people's texts")
    parser.add_argument("--texts", type=int, default=20, help="texts in all (default: 20)")
    parser.add_argument(
        "--local", type=int, default=0, help="ask the local model about this many of them"
    )
    parser.add_argument(
        "--order", type=int, default=0, help="ask it for the order of sentences of this many"
    )
    parser.add_argument(
        "--foreign", type=int, default=0, help="ask it for foreign paragraphs in this many"
    )
    parser.add_argument("--write", type=Path, help="keep the result as this page")
    options = parser.parse_args()
    chosen = samples(options.people, options.texts)
    lines = [*_head(chosen), *_pipeline(chosen), *_files(chosen)]
    if options.local or options.order or options.foreign:
        # Half of them of each half.
        of_halves = [[each for each in chosen if each.half == name] for name in _HALVES]
        turns = [each for turn in zip(*of_halves, strict=False) for each in turn]
        with model_endpoint(Settings.from_env()) as settings:
            listener = Kept(pick_model(settings), options.people / "local_answers.jsonl")
            lines += _alone(turns[: options.local], listener)
            lines += _orders(turns[: options.order], listener)
            lines += _foreign(turns[: options.foreign], listener)
    page = "\n".join(lines).rstrip() + "\n"
    print(page)
    if options.write:
        options.write.write_text(page, encoding="utf-8")


def _head(chosen: Sequence[Sample]) -> Iterator[str]:
    halves = ", ".join(f"{sum(s.half == name for s in chosen)} {name}" for name in _HALVES)
    yield "# The control: texts that make no sense"
    yield ""
    yield (
        f"Measured on version {QUALITY_VERSION} of the desk by `python bench/control.py PEOPLE"
        f" --write docs/proofs/control.md`: {len(chosen)} texts by people ({halves}), each as it is"
        " and damaged in four ways. A hash of its name puts a text into one of two halves; rules"
        " are changed only to fit the tuned one."
    )
    yield ""


def _pipeline(chosen: Sequence[Sample]) -> Iterator[str]:
    nobody, stubborn, willing = Column(), Column(), Column()
    for sample in chosen:
        editor = editor_of(sample)
        for damage in ("", *DAMAGES):
            damaged = sample.damaged(damage)
            for column, rewritten, reads in (
                (nobody, damaged, None),
                (stubborn, damaged, editor),
                (willing, sample.paragraphs, editor),
            ):
                found = written(sample, damaged, rewritten, reads)
                column.add(sample, damage, found, outcome(found, editor))
    yield "## The pipeline with a capable editor, scripted"
    yield ""
    yield (
        "The editor knows the text as it was. It names the sentences that do not belong to it, up"
        f" to {MAX_FINDINGS} in each reading. A repaired post has none of them left."
    )
    yield ""
    yield from _table(
        {
            "nobody examines the substance": nobody,
            "editor, writer repeats the damage": stubborn,
            "editor, writer repairs": willing,
        }
    )
    yield from _reasons("Without an editor, refused by", nobody)
    yield from _names("Got through with an editor", stubborn, willing)


def editor_of(sample: Sample) -> Editor:
    whole = _whole(sample)
    if whole is None:
        raise ValueError(f"the desk refuses {sample.name} as it is")
    return Editor(whole, sample.foreign)


def _files(chosen: Sequence[Sample]) -> Iterator[str]:
    yield "## `check FILE` without a model"
    yield ""
    yield (
        "It says “substance not examined” and gives at most"
        f" {_MOST_UNREAD}; a text that it does not refuse may still make no sense."
    )
    yield ""
    yield "| damage | half | texts | refused | warned of substance | highest number |"
    yield "|---|---|---|---|---|---|"
    for damage in ("", *DAMAGES):
        for name in _HALVES:
            texts = [each for each in chosen if each.half == name]
            reports = [check_file("\n\n".join(each.damaged(damage)) + "\n") for each in texts]
            if any("not examined" not in str(each.score) for each in reports):
                raise ValueError("check FILE does not say that the substance was not examined")
            refused = sum(not each.passes for each in reports)
            warned = sum(
                each.passes and any(_is_of_substance(f.finding) for f in each.findings)
                for each in reports
            )
            highest = max(each.score.total for each in reports)
            cells = (damage or "none", name, len(texts), refused, warned, highest)
            yield f"| {' | '.join(map(str, cells))} |"
    yield ""


def _is_of_substance(finding: Finding) -> bool:
    return finding.check in {"off_subject", "shuffled", "word_salad", "senseless", "says_little"}


def _alone(chosen: Sequence[Sample], listener: Model) -> Iterator[str]:
    if not chosen:
        return
    yield "## The pipeline with the local model alone"
    yield ""
    yield (
        "The local model cannot edit. It is asked how probable it is that a paragraph makes sense,"
        " how alike paragraphs are, and how probable each sentence is behind its own neighbours and"
        " behind those of another sentence of the text."
    )
    yield ""
    column = Column()
    for sample in chosen:
        editor = editor_of(sample)
        for damage in ("", *DAMAGES):
            damaged = sample.damaged(damage)
            found = written(sample, damaged, damaged, None, listener)
            end = outcome(found, editor)
            column.add(sample, damage, found, end)
            print(sample.name, damage or "none", end, file=sys.stderr, flush=True)
    yield from _table({"local model alone": column})
    yield from _reasons("Refused by", column)


def _orders(chosen: Sequence[Sample], listener: Model) -> Iterator[str]:
    def likelihood(before: str, text: str) -> float | None:
        prompt = continuation_prompt(before, text)
        return listener.complete(prompt, Deadline(_POST_SECONDS)).likelihood

    def measure(read: Sequence[Passage]) -> float | None:
        heard = lifts(read, "en", likelihood)
        return deviations(heard) if heard else None

    if chosen:
        yield "### Whether sentences follow from one another"
        yield ""
        yield (
            f"The mean of the differences in its standard deviations; below {LEAST_ORDER} a text is"
            " refused. A text with fewer than eight neighbouring sentences is not asked about."
        )
        yield ""
        yield from _measures(chosen, "shuffled-sentences", measure, LEAST_ORDER)


def _foreign(chosen: Sequence[Sample], listener: Model) -> Iterator[str]:
    def compare(texts: Sequence[str]) -> Cosines | None:
        return listener.complete(comparison_prompt(texts), Deadline(_POST_SECONDS)).cosines

    def measure(read: Sequence[Passage]) -> float | None:
        found = belonging(read, "en", compare)
        return found[0][1] if found else None

    if chosen:
        yield "### Whether each paragraph is on the subject of the others"
        yield ""
        yield (
            "How well the paragraph that fits least fits the others; below"
            f" {LEAST_BELONGING} a text is refused."
        )
        yield ""
        yield from _measures(chosen, "foreign-paragraph", measure, LEAST_BELONGING)


def _measures(
    chosen: Sequence[Sample],
    damage: str,
    measure: Callable[[Sequence[Passage]], float | None],
    least: float,
) -> Iterator[str]:
    yield "| damage | half | texts | asked | refused | values, lowest first |"
    yield "|---|---|---|---|---|---|"
    for done in ("", damage):
        for name in _HALVES:
            texts = [each for each in chosen if each.half == name]
            found = []
            for sample in texts:
                post = written(sample, sample.damaged(done), sample.damaged(done))
                read = list(passages(post.post if isinstance(post, PostRejected) else post))
                if (value := measure(read)) is not None:
                    found.append(value)
                    print(sample.name, done or "none", value, file=sys.stderr, flush=True)
            refused = sum(each < least for each in found)
            told = ", ".join(f"{each:.2f}" for each in sorted(found))
            cells = (done or "none", name, len(texts), len(found), refused, told)
            yield f"| {' | '.join(map(str, cells))} |"
    yield ""


def _table(columns: Mapping[str, Column]) -> Iterator[str]:
    yield f"| damage | half | texts | {' | '.join(columns)} |"
    yield f"|---|---|---|{'---|' * len(columns)}"
    for damage in ("", *DAMAGES):
        for name in _HALVES:
            counts = [column.outcomes[damage, name] for column in columns.values()]
            cells = [
                ", ".join(f"{count[end]} {end}" for end in Outcome if count[end])
                for count in counts
            ]
            yield (f"| {damage or 'none'} | {name} | {counts[0].total()} | {' | '.join(cells)} |")
    yield ""


def _reasons(label: str, column: Column) -> Iterator[str]:
    for damage, checks in column.refused_by.items():
        told = ", ".join(f"`{name}` {count}" for name, count in checks.most_common())
        yield f"- {label}, {damage or 'none'}: {told}."
    yield ""


def _names(label: str, *columns: Column) -> Iterator[str]:
    got = {
        f"{name} ({damage})"
        for column in columns
        for damage, names in column.passed.items()
        for name in names
    }
    yield f"{label}: {', '.join(sorted(got)) or 'none'}."
    yield ""


if __name__ == "__main__":
    main()
