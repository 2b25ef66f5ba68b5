"""Headings: those that say the same, their levels, their ends, and the order of sections."""

from collections.abc import Iterator
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
from app.core.checks.layout import Block, BlockKind, Layout
from app.core.languages import Alike, SectionOrder, get_section
from app.core.text import fold, stem

_LEAST_STEMS = 2
_ENDS = (":", "：", ".", ",", ";", "。")
_KEPT_ENDS = ("...", "etc.", "e.g.", "i.e.", "vs.", "usw.", "ecc.", "a.m.", "p.m.")
_LEAST_SECTIONS = 3


@check(
    "alike", ScorePart.STRUCTURE, Scope.LAYOUT, WARNING,
    "Change one of them, or merge the two.",
    languages=with_section(Alike), in_files=FilePart.FILE, fixable=True,
)  # fmt: skip
def check_alike(layout: Layout, language: str) -> Iterator[Finding]:
    """Titles, headings and questions that say the same in nearly the same words."""
    rules = get_section(language, Alike)
    if rules is None:
        return
    seen: dict[frozenset[str], str] = {}
    texts = [(layout.title, layout.title_section)] if layout.title else []
    texts += [(heading.text, heading.section) for heading in layout.section_headings]
    texts += [(b.text, b.section) for b in layout.blocks if b.kind is BlockKind.QUESTION]
    for text, section in texts:
        content = [word for word in fold(text).split() if word not in rules.filler]
        key = frozenset(stem(word, language) for word in content)
        # Two headings may differ in the number of a word alone (step 1).
        if len(key) < _LEAST_STEMS or len(content) < _LEAST_STEMS:
            continue
        before = seen.get(key)
        # Other checks report the same words in a row; manuals repeat headings on purpose.
        if before is not None and (fold(before) != fold(text) or before == layout.title):
            problem = f"“{text}” says the same as “{before}”."
            yield check_alike.found(section, problem)
        seen.setdefault(key, text)
    yield from _twice(layout)


def _twice(layout: Layout) -> Iterator[Finding]:
    """A heading that comes twice in the same part of a file; manuals repeat patterns of them."""
    if not layout.in_file:
        return
    texts: dict[str, list[Block]] = {}
    for heading in layout.section_headings:
        texts.setdefault(fold(heading.text), []).append(heading)
    repeated = [each for each in texts.values() if len(each) > 1]
    if len(repeated) == 1 and len(repeated[0]) == 2:
        one, two = repeated[0]
        at = layout.headings.index(one), layout.headings.index(two)
        between = layout.headings[at[0] : at[1]]
        is_adjacent = at[1] - at[0] == 1
        same_parent = one.level == two.level and min(each.level for each in between) == one.level
        if same_parent and not is_adjacent and len(fold(one.text).split()) > 1:
            yield check_alike.found(two.section, f"“{two.text}” is used twice.")


@check(
    "heading_level", ScorePart.STRUCTURE, Scope.LAYOUT, WARNING,
    "Use the next level.",
    in_files=FilePart.FILE, fixable=True,
)  # fmt: skip
def check_heading_level(layout: Layout, language: str) -> Iterator[Finding]:
    """Headings that skip a level: a fourth below a second."""
    for one, two in pairwise(layout.headings):
        if two.level > one.level + 1:
            problem = f"A heading of level {two.level} follows one of level {one.level}."
            yield check_heading_level.found(two.section, problem)


@check(
    "heading_end", ScorePart.STRUCTURE, Scope.LAYOUT, WARNING,
    "End the heading without a full stop or colon.",
    in_files=FilePart.FILE, fixable=True,
)  # fmt: skip
def check_heading_end(layout: Layout, language: str) -> Iterator[Finding]:
    """Headings that end with a colon, a comma or a full stop."""
    for heading in layout.headings:
        text = heading.text.rstrip()
        if not text.endswith(_ENDS) or text.endswith(_KEPT_ENDS):
            continue
        body = text[:-1]
        last = body.split()[-1] if body.split() else ""
        # Numbers and abbreviations end with a full stop of their own: 1., U.S., Inc.
        if text.endswith(".") and ("." in last or last.isdigit() or len(last) < 4):
            continue
        problem = f"“{text[-40:]}” ends with “{text[-1]}”."
        yield check_heading_end.found(heading.section, problem)


@check(
    "empty_section", ScorePart.STRUCTURE, Scope.LAYOUT, WARNING,
    "Write the section, or leave out its heading.",
    in_files=FilePart.FILE, fixable=True,
)  # fmt: skip
def check_empty_section(layout: Layout, language: str) -> Iterator[Finding]:
    """Headings with nothing below them."""
    found = [part for part in layout.parts if part.heading and part.heading.text and not part.all]
    # A page of headings alone is a table of contents.
    for part in found if 2 * len(found) < len(layout.headings) + 1 else ():
        if part.heading:
            yield check_empty_section.found(part.heading.section, "Nothing stands below it.")


@check(
    "section_order", ScorePart.STRUCTURE, Scope.LAYOUT, WARNING,
    "Introduce first and conclude last.",
    languages=with_section(SectionOrder), in_files=FilePart.FILE, fixable=True,
)  # fmt: skip
def check_section_order(layout: Layout, language: str) -> Iterator[Finding]:
    """Conclusions before the end, and introductions at the end."""
    rules = get_section(language, SectionOrder)
    if rules is None:
        return
    headings = layout.section_headings
    conclusion = next((each for each in headings if rules.conclusions.search(each.text)), None)
    if conclusion and len(headings) >= _LEAST_SECTIONS:
        after = headings[headings.index(conclusion) + 1 :]
        for other in after:
            if other.level <= conclusion.level and not rules.after_conclusion.search(other.text):
                problem = f"“{conclusion.text}” stands before “{other.text}”."
                yield check_section_order.found(conclusion.section, problem)
                break
    last = headings[-1] if len(headings) >= _LEAST_SECTIONS else None
    beside = [each for each in headings if last and each.level == last.level]
    if last and rules.introductions.search(last.text) and len(beside) >= _LEAST_SECTIONS:
        yield check_section_order.found(last.section, "The introduction comes last.")
    if len(headings) >= _LEAST_SECTIONS - 1:
        for block in layout.introduction:
            if block.text and (match := rules.concluding.search(block.text)):
                problem = f"“{match.group()}” stands in the introduction."
                yield check_section_order.found(block.section, problem, match.span())
                break
