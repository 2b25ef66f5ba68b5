"""Measure what an editor finds of defects that nobody tuned the checks for.

    PYTHONPATH=. python bench/planted_editor.py [--ask] [--names]

One planting of each kind of bench/defects/hidden.py is read as `check FILE --editor` does it; so is
each text as it was. bench/defects/editor.json keeps the answers, so that the result can be computed
again without a model; --ask has the configured model read what has no answer yet (see
COPYDESK_EDITOR_MODEL). --names prints what nobody found, for readers who write no checks.
"""

import argparse
import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from hashlib import sha256
from pathlib import Path
from random import Random
from typing import Any

from app.commands.model import model_endpoint
from app.container import pick_editor, pick_model
from app.core.checks import EDITOR_PREFIX, QUALITY_VERSION, check_file
from app.core.text import word_count
from app.core.writing.completion import Completion, Prompt
from app.core.writing.parsing import load
from app.deadline import Deadline
from app.ports import Model
from app.services.file_editor import FileEditor
from app.settings import Settings
from bench.defects.carriers import Carrier
from bench.defects.marks import OF_THE_WHOLE, PARTS, Mark, as_mark, at_defect, desk_marks
from bench.defects.plant import Group, Kind
from bench.planted import Case, plant

_RECORDED = Path(__file__).with_name("defects") / "editor.json"
_COLUMNS = ("the checks", "the editor", "of these by a blocker", "`check --editor`")
_AT_ONCE, _SECONDS = 6, 3_600


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--ask", action="store_true", help="have the configured editor read")
    parser.add_argument("--names", action="store_true", help="print which kinds nobody found")
    options = parser.parse_args()
    cases = sample()
    answers = recorded()
    if options.ask:
        ask(cases, answers)
    print("\n".join(report(cases, answers, names=options.names)))


def recorded() -> dict[str, Any]:
    """Return the recorded answers by the digests of the texts."""
    answers: dict[str, Any] = json.loads(_RECORDED.read_text("utf-8"))
    return answers


def sample() -> list[Case]:
    """Return one planting of each kind, in texts as different as possible."""
    by_kind: dict[Kind, list[Case]] = {}
    for case in plant("unseen", []):
        by_kind.setdefault(case.kind, []).append(case)
    used: Counter[str] = Counter()
    chosen = []
    for kind, cases in by_kind.items():
        Random(f"one of {kind.name}").shuffle(cases)
        case = min(cases, key=lambda each: used[each.carrier.name])
        used[case.carrier.name] += 1
        chosen.append(case)
    return chosen


def ask(cases: Sequence[Case], answers: dict[str, Any]) -> None:
    """Record the answers of the configured editor on the texts that have none."""
    texts = {case.planted.text: case.carrier.language for case in cases}
    texts |= {each.text: each.language for each in _carriers(cases)}
    with model_endpoint(Settings.from_env()) as settings:
        model = pick_editor(settings, lambda: pick_model(settings))
        if model is None:
            raise SystemExit("planted: set COPYDESK_EDITOR_MODEL to a model that can edit")

        def one(text: str) -> None:
            editor = FileEditor(model, Deadline(_SECONDS), texts[text])
            check_file(text, texts[text], reader=editor)
            answers[digest(text)] = load(editor.calls[-1].text, {})
            written = json.dumps(answers, indent=1, sort_keys=True, ensure_ascii=False)
            _RECORDED.write_text(f"{written}\n", encoding="utf-8")

        with ThreadPoolExecutor(_AT_ONCE) as pool:
            list(pool.map(one, [text for text in texts if digest(text) not in answers]))


def digest(text: str) -> str:
    """Return the key of a text in the recorded answers."""
    return sha256(text.encode()).hexdigest()[:16]


class _Recorded(Model):
    """The editor that gave the recorded answers."""

    name = "recorded"
    concurrency = 1

    def __init__(self, answers: Mapping[str, Any], text: str) -> None:
        self._answer = json.dumps(answers[digest(text)])

    def complete(self, prompt: Prompt, deadline: Deadline) -> Completion:
        return Completion(self._answer)

    def ping(self) -> None:
        """Do nothing: it always answers."""


def edited_marks(text: str, language: str, answers: Mapping[str, Any]) -> list[Mark]:
    """Return what `check FILE --editor` reports, without what is about the text as a whole."""
    editor = FileEditor(_Recorded(answers, text), Deadline(_SECONDS), language)
    found = check_file(text, language, reader=editor).findings
    return [as_mark(each) for each in found if each.finding.check not in OF_THE_WHOLE]


def report(
    cases: Sequence[Case], answers: Mapping[str, Any], *, names: bool = False
) -> Iterator[str]:
    """Yield the table by group, the marks on the texts as they were, and what nobody found."""
    rows: dict[Group, Counter[str]] = {group: Counter() for group in Group}
    missed = []
    read = [case for case in cases if digest(case.planted.text) in answers]
    for case in read:
        before, after, language = case.carrier.text, case.planted.text, case.carrier.language
        alone = at_defect(
            before, case.planted, desk_marks(before, language), desk_marks(after, language)
        )
        both = at_defect(
            before,
            case.planted,
            edited_marks(before, language, answers),
            edited_marks(after, language, answers),
        )
        by_editor = [mark for mark in both if is_by_editor(mark)]
        of_part = [mark for mark in both if mark.part in PARTS[case.kind.group]]
        row = rows[case.kind.group]
        row["kinds"] += 1
        row["the checks"] += any(mark.part in PARTS[case.kind.group] for mark in alone)
        row["the editor"] += bool(by_editor)
        row["of these by a blocker"] += any(mark.blocks for mark in by_editor)
        row["`check --editor`"] += bool(by_editor or of_part)
        if not by_editor and not of_part:
            missed.append(f"{case.kind.group}: {case.kind.name}")
    yield f"Version {QUALITY_VERSION} of the desk, {len(read)} of {len(cases)} kinds read."
    yield ""
    yield f"| group | kinds | {' | '.join(_COLUMNS)} |"
    yield f"|---|---|{'---|' * len(_COLUMNS)}"
    for label, row in [*rows.items(), ("all", sum(rows.values(), Counter[str]()))]:
        kinds = max(1, row["kinds"])
        cells = " | ".join(f"{row[name]}, {row[name] / kinds:.0%}" for name in _COLUMNS)
        yield f"| {label} | {row['kinds']} | {cells} |"
    whole = [each for each in _carriers(cases) if digest(each.text) in answers]
    marks = [m for each in whole for m in edited_marks(each.text, each.language, answers)]
    own = [mark for mark in marks if is_by_editor(mark)]
    words = sum(word_count(each.text) for each in whole)
    yield ""
    yield (
        f"On the {len(whole)} texts as they were, the editor has"
        f" {len(own) * 1000 / max(1, words):.1f} findings in 1,000 words,"
        f" {sum(mark.blocks for mark in own)} of them blockers."
    )
    if names:
        yield ""
        yield from (f"- {name}" for name in missed)


def is_by_editor(mark: Mark) -> bool:
    """Return whether the editor made a mark."""
    return mark.rule.startswith(EDITOR_PREFIX)


def _carriers(cases: Sequence[Case]) -> list[Carrier]:
    return list({case.carrier.text: case.carrier for case in cases}.values())


if __name__ == "__main__":
    main()
