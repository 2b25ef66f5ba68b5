"""How many statements of the sources of requests reach the writer, by what they are on their page.

    python bench/source_notes.py [FOLDER ...] [--missing]

Each folder has requests as those of `bench/editorial.py`, which are the default. No model is asked:
the prompt for the plan is made and read.
"""

import argparse
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import NoReturn

from app.core.planning.brief import make_brief
from app.core.text import sentences, words
from app.core.writing.completion import Prompt
from app.core.writing.profile import LARGE
from app.deadline import Deadline
from app.services.pipeline import Writers, write_post
from bench.editorial_requests import FOLDER, EditorialRequest, load_requests

_ITEM = re.compile(r"(?:[-*•]|(\d{1,3})[.)])\s+")
_RULE = re.compile(r"\|(?:\s*:?-{3,}:?\s*\|)+")
_LABEL = re.compile(r"(?:[^\s:.!?]+\s){0,4}[^\s:.!?]+\s?:\s")
_SEED = 5


@dataclass(frozen=True)
class Statement:
    """What a page says in one place; ``parts`` are the runs of words that one note has."""

    kind: str
    text: str
    parts: tuple[tuple[str, ...], ...]


class _Asked(Exception):
    """The first prompt of a post."""


class _Recorder:
    """A model that is asked once."""

    def complete(self, prompt: Prompt, deadline: Deadline) -> NoReturn:
        raise _Asked(prompt.user)


def plan_prompt_of(request: EditorialRequest) -> str:
    """Return the prompt for the plan of a request with its sources."""
    parsed, now = request.request, datetime(2026, 11, 26, tzinfo=UTC)
    is_verified = parsed.factuality_mode is not None and parsed.factuality_mode.value == "verified"
    brief = make_brief(
        parsed, max_words=parsed.constraints.max_words or 800, verified=is_verified, sourced=True,
        day=now.date(),
    )  # fmt: skip
    writers = Writers(_Recorder(), LARGE, seed=_SEED)  # type: ignore[arg-type]
    try:
        write_post(writers, brief, deadline=Deadline(60), grounding=request.grounding(now))
    except _Asked as asked:
        return str(asked)
    raise AssertionError("The model was not asked.")


def statements(lines: Sequence[str], language: str) -> Iterator[Statement]:
    """Yield the statements of a page: its rows, and its sentences but headings."""
    question = ""
    for number, line in enumerate(lines):
        following = lines[number + 1] if number + 1 < len(lines) else ""
        if line.startswith("|"):
            if not _RULE.fullmatch(line) and not _RULE.fullmatch(following):
                cells = [words(cell) for cell in line[1:-1].split("|")]
                yield Statement("row", line, tuple(tuple(cell) for cell in cells if cell))
            question = ""
            continue
        item = _ITEM.match(line)
        text = line[item.end() :] if item else line
        if not item and line.endswith("?"):
            question = line
            continue
        is_heading = not item and not re.search(r"[.!?…:;][\"'”’»)]*$", line) and len(line) <= 80
        for at, sentence in enumerate(sentences(text, language)):
            kind = "step" if item and item[1] else "item" if item else "sentence"
            parts = [tuple(words(sentence.text))]
            if at == 0 and _LABEL.match(text):
                kind = "label"
            if at == 0 and question:
                kind, parts = "answer", [tuple(words(question)), *parts]
            if not is_heading:
                yield Statement(kind, sentence.text, tuple(parts))
        question = ""


def reaches(statement: Statement, prompt: str) -> bool:
    """Whether a note has all parts of a statement; a question may be the line before its answer."""
    lines = [words(line) for line in prompt.split("\n")]
    if statement.kind == "answer":
        lines = [(*one, *two) for one, two in zip(lines, [*lines[1:], ()], strict=True)]
    return any(all(_has(line, part) for part in statement.parts) for line in lines)


def _has(line: Sequence[str], part: Sequence[str]) -> bool:
    return f" {' '.join(part)} " in f" {' '.join(line)} "


def main() -> None:
    """Print the table of each folder, and on request what is missing."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("folders", nargs="*", type=Path, default=[FOLDER])
    parser.add_argument("--missing", action="store_true", help="print what does not reach it")
    args = parser.parse_args()
    for folder in args.folders:
        there, known, lengths = Counter[str](), Counter[str](), []
        for request in load_requests(folder):
            prompt = plan_prompt_of(request)
            lengths.append(len(prompt))
            for notes in request.notes:
                for each in statements(notes.lines, request.request.language):
                    known[each.kind] += 1
                    if reaches(each, prompt):
                        there[each.kind] += 1
                    elif args.missing:
                        print(f"{request.name}: {each.kind}: {each.text}")
        for kind in sorted(known):
            print(f"{kind}: {there[kind]} of {known[kind]}")
        mean = sum(lengths) // max(1, len(lengths))
        print(f"{folder}: {there.total()} of {known.total()}; {mean} characters a prompt\n")


if __name__ == "__main__":
    main()
