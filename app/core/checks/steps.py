"""Numbers of steps that skip, repeat or go backwards, and steps in an order that cannot work."""

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

from app.core.checks.check import (
    WARNING,
    FilePart,
    Finding,
    Scope,
    ScorePart,
    check,
    with_section,
)
from app.core.checks.layout import BlockKind, Layout, Part
from app.core.languages import StepOrder, get_section
from app.core.text import fold, sentences, words

# "1. Title", "2) Title", "#3 Title"; a number without a mark may count something (3 weeks).
_NUMBERED = re.compile(r"(?:#\s?)?(\d{1,2})(?:[.)](?![\d)])|:|\s[–—-]\s)\s*(?=\S)")
_LABELLED = re.compile(r"[\s*_]{0,4}([^\W\d_]{3,10})\s#?(\d{1,2})(?=\s?(?:[:.)–—-](?!\d)|$))")
_LABEL = re.compile(r"\d(?:(?<=[^\W\d_]\s\d)|(?<=[^\W\d_]\s#\d))\d?(?:\s?[:.)–—-]|$)")
_INLINE = re.compile(r"(?<![\w(])\(?(\d)\)(?=\s)")
_LETTER = re.compile(r"(?<![\w(])\(?([a-h])\)(?=\s)")
_LEAST_STEPS = 2


@check(
    "numbering", ScorePart.STRUCTURE, Scope.LAYOUT, WARNING,
    "Number them 1, 2, 3 and leave none out.",
    in_files=FilePart.FILE, fixable=True,
)  # fmt: skip
def check_numbering(layout: Layout, language: str) -> Iterator[Finding]:
    """Numbered headings, steps and list items that skip, repeat or go back."""
    yield from _headings(layout)
    yield from _lists(layout)
    yield from _labelled(layout, language)
    yield from _inline(layout)


def _problem(before: int, number: int) -> str:
    if not before:
        return f"The numbers begin with {number}."
    return f"Number {number} comes right after number {before}."


def _wrong(numbers: Sequence[int]) -> int | None:
    """Return the index of the first number that does not follow the one before it."""
    if len(numbers) < _LEAST_STEPS:
        return None
    steps = [two - one for one, two in pairwise(numbers)]
    # A list may count down, and Markdown numbers the items of a list that are all 1.
    if set(steps) in ({-1}, {0}):
        return None
    return next((index for index, step in enumerate(steps, 1) if step != 1), None)


def _headings(layout: Layout) -> Iterator[Finding]:
    """Headings with numbers, side by side below one heading."""
    open_: dict[int, list[tuple[int, str]]] = {}
    runs: list[list[tuple[int, str]]] = []
    for heading in layout.section_headings:
        for level in [level for level in open_ if level > heading.level]:
            del open_[level]
        if match := _NUMBERED.match(heading.text):
            if heading.level not in open_:
                open_[heading.level] = []
                runs.append(open_[heading.level])
            open_[heading.level].append((int(match[1]), heading.section))
    for run in runs:
        at = _wrong([number for number, _ in run])
        # Headings that begin with 1 again belong to another part.
        if at and run[at][0] != 1:
            yield check_numbering.found(run[at][1], _problem(run[at - 1][0], run[at][0]))


def _lists(layout: Layout) -> Iterator[Finding]:
    """Numbered lists; one that is interrupted goes on where it ended."""
    last = 0
    for block in layout.blocks:
        if block.kind is BlockKind.HEADING:
            continue
        if block.kind is not BlockKind.LIST or not block.numbers:
            continue
        numbers = block.numbers
        if (at := _wrong(numbers)) and len(numbers) == len(block.items):
            yield check_numbering.found(
                block.items[at].section, _problem(numbers[at - 1], numbers[at])
            )
        elif numbers[0] > 1 and last and numbers[0] not in {last + 1, 0} and last > 1:
            yield check_numbering.found(block.items[0].section, _problem(last, numbers[0]))
        last = numbers[-1]


def _labelled(layout: Layout, language: str) -> Iterator[Finding]:
    """Steps with a label: `Step 1: …`."""
    rules = get_section(language, StepOrder)
    if rules is None:
        return
    last: dict[tuple[str, int], int] = {}
    for block in layout.blocks:
        texts = [(block.text, block.section), *((item.text, item.section) for item in block.items)]
        for text, section in texts:
            if not _LABEL.search(text) or rules.labels.isdisjoint(words(text)):
                continue
            is_heading = block.kind is BlockKind.HEADING
            read = [text] if is_heading else [each.text for each in sentences(text, language)]
            for sentence in read:
                match = _LABELLED.match(sentence)
                if not match or (label := match[1].lower()) not in rules.labels:
                    continue
                key, number = (label, block.level), int(match[2])
                before = last.get(key)
                if number != 1 and (
                    (before is not None and number not in {before + 1, before - 1})
                    or (before is None and label == "step" and number > 1 and not layout.in_file)
                ):
                    yield check_numbering.found(section, _problem(before or 0, number))
                last[key] = number


def _inline(layout: Layout) -> Iterator[Finding]:
    """Numbers or letters in a sentence: `1) …, 2) …, 4) …`, `a) …, c) …`."""
    for text, section, _ in layout.texts:
        if ")" not in text:
            continue
        yield from _lettered(text, section)
        found = list(_INLINE.finditer(text))
        numbers = [int(match[1]) for match in found]
        at = _wrong(numbers) if numbers[:2] == [1, 2] else None
        if at and numbers[at] > numbers[at - 1]:
            problem = _problem(numbers[at - 1], numbers[at])
            yield check_numbering.found(section, problem, found[at].span())


def _lettered(text: str, section: str) -> Iterator[Finding]:
    """Letters that leave one out; `(c)` alone is a sign of copyright."""
    found = list(_LETTER.finditer(text))
    if len(found) < _LEAST_STEPS or found[0][1] != "a":
        return
    at = _wrong([ord(match[1]) for match in found])
    alike = len({match.group().startswith("(") for match in found}) == 1
    if at and alike and found[at][1] > found[at - 1][1]:
        problem = f"Letter {found[at][1]} comes right after letter {found[at - 1][1]}."
        yield check_numbering.found(section, problem, found[at].span())


@check(
    "step_order", ScorePart.STRUCTURE, Scope.LAYOUT, WARNING,
    "Put the steps in the order in which they are done.",
    languages=with_section(StepOrder), in_files=FilePart.FILE, fixable=True,
)  # fmt: skip
def check_step_order(layout: Layout, language: str) -> Iterator[Finding]:
    """Steps in the wrong place: “finally” at the top, “serve” before “cook”."""
    rules = get_section(language, StepOrder)
    if rules is None:
        return
    for block in layout.blocks:
        if block.kind is BlockKind.LIST and len(block.items) > 2:
            texts = [(item.text, item.section) for item in block.items]
            # The items of an unnumbered list stand in any order.
            yield from _order(texts, rules, is_list=bool(block.numbers))
            if block.numbers:
                yield from _verbs(texts, rules)
        elif block.kind is BlockKind.PARAGRAPH:
            read = sentences(block.text, language)
            if len(read) > 1:
                yield from _order([(each.text, block.section) for each in read], rules)
    for part in layout.parts:
        yield from _paragraphs(part, rules)


def _paragraphs(part: Part, rules: StepOrder) -> Iterator[Finding]:
    texts = [(block.text, block.section) for block in part.own if block.kind is BlockKind.PARAGRAPH]
    yield from _ordinals(texts, rules)


def _order(
    texts: Sequence[tuple[str, str]], rules: StepOrder, *, is_list: bool = False
) -> Iterator[Finding]:
    yield from _ordinals(texts, rules)
    if not is_list:
        return
    if rules.last.match(texts[0][0]):
        problem = f"The first step reads like the last: “{texts[0][0][:60]}”."
        yield check_step_order.found(texts[0][1], problem)
    if rules.first.match(texts[-1][0]):
        problem = f"The last step reads like the first: “{texts[-1][0][:60]}”."
        yield check_step_order.found(texts[-1][1], problem)
    ended = False
    for text, section in texts:
        if ended and rules.middle.match(text):
            problem = f"“{text[:60]}” comes after the step that reads like the last."
            yield check_step_order.found(section, problem)
            return
        ended = ended or rules.last.match(text) is not None


def _ordinals(texts: Sequence[tuple[str, str]], rules: StepOrder) -> Iterator[Finding]:
    """First, second, third at the start of sentences; one is left out or comes too early."""
    found: list[tuple[int, str, str]] = []
    for text, section in texts:
        opening = text.partition(" ")[0].rstrip(",:.")
        said = fold(opening)
        place = next((n for n, forms in enumerate(rules.ordinals, 1) if said in forms), 0)
        # "Second cups are free" is no step: a comma or a colon follows the ordinal.
        is_set_off = text[len(opening) :][:1] in {",", ":", "."} or said.endswith("ly")
        if place and is_set_off:
            found.append((place, section, opening))
    for (one, _, _), (two, section, opening) in pairwise(found):
        if two != 1 and two not in {one + 1, one}:
            problem = f"“{opening}” comes right after number {one}."
            yield check_step_order.found(section, problem)
            return


def _verbs(texts: Sequence[tuple[str, str]], rules: StepOrder) -> Iterator[Finding]:
    """Steps that need another one before them: serve, then bake."""
    openings = [(words(text)[:1] or ("",))[0] for text, _ in texts]
    for late, *early in rules.verbs:
        if late in openings:
            at = openings.index(late)
            others = [verb for verb in openings[at + 1 :] if verb in early]
            if others and not set(openings[:at]) & set(early):
                problem = f"The step “{late}” comes before the step “{others[0]}”."
                yield check_step_order.found(texts[at][1], problem)
                return
