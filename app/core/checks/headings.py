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
from app.core.languages import (
    Alike,
    CutOff,
    Language,
    Placement,
    SectionOrder,
    get_language,
    get_section,
)
from app.core.text import fold, sentences, stem, words

_LEAST_STEMS = 2
_ENDS = (":", "：", ".", ",", ";", "。")
_KEPT_ENDS = ("...", "etc.", "e.g.", "i.e.", "vs.", "usw.", "ecc.", "a.m.", "p.m.")
_LEAST_SECTIONS = 3
_TWO = 2
_SHOWN_CHARS = 60
_LEAST_HEADED, _LEAST_ASKING, _LEAST_BELOW, _MOST_HEADING_WORDS = 3, 1, 12, 9
_LEAST_RESTATED, _MOST_RESTATED = 4, 22
_LETTERS_COMPARED = 5
_LEAST_PARAGRAPHS = 4
# The share of the paragraphs that are at the beginning.
_EARLY = 0.6


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
            is_title = fold(before) == fold(text)
            what = "is the title again" if is_title else f"says the same as “{before}”"
            problem = f"“{text}” {what}."
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
            yield check_alike.found(two.section, f"The heading “{two.text}” is used twice.")


@check(
    "heading_level", ScorePart.STRUCTURE, Scope.LAYOUT, WARNING,
    "Use the next level down.",
    in_files=FilePart.FILE, fixable=True,
)  # fmt: skip
def check_heading_level(layout: Layout, language: str) -> Iterator[Finding]:
    """Headings that skip a level: level 4 right below level 2."""
    for one, two in pairwise(layout.headings):
        if two.level > one.level + 1:
            problem = (
                f"“{two.text}” is a heading of level {two.level} below one of level {one.level}."
            )
            yield check_heading_level.found(two.section, problem)


@check(
    "lost_heading", ScorePart.STRUCTURE, Scope.LAYOUT, WARNING,
    "Put the sign of a heading before it, or make it a sentence.",
    in_files=FilePart.FILE, fixable=True,
)  # fmt: skip
def check_lost_heading(layout: Layout, language: str) -> Iterator[Finding]:
    """A line between two paragraphs that reads like the headings of the text, without their sign.

    Only one of a text with headings: several are the way its author divides sections.
    """
    if len(layout.section_headings) < _LEAST_HEADED:
        return
    blocks = layout.blocks
    first = next((n for n, b in enumerate(blocks) if b is layout.section_headings[0]), 0)
    asks = sum(heading.text.rstrip().endswith("?") for heading in layout.section_headings)
    found = [
        block
        for at, block in enumerate(blocks[:-1])
        if at > first
        and block.kind is BlockKind.PARAGRAPH
        and not block.has_link
        and blocks[at - 1].kind is not BlockKind.HEADING
        and blocks[at + 1].kind in {BlockKind.PARAGRAPH, BlockKind.TABLE}
        and len(blocks[at + 1].text.split()) >= _LEAST_BELOW * (not blocks[at + 1].header)
        and _reads_like_heading(block.text, asks=asks >= _LEAST_ASKING)
    ]
    if len(found) == 1:
        problem = f"“{found[0].text}” reads like a heading, but has no sign of one."
        yield check_lost_heading.found(found[0].section, problem)


def _reads_like_heading(text: str, *, asks: bool) -> bool:
    text = text.strip()
    if not 1 < len(text.split()) <= _MOST_HEADING_WORDS or "\n" in text or not text[0].isupper():
        return False
    # "Figure 12. The screen" is a caption.
    if any(ch.isdecimal() for ch in text.split()[1]):
        return False
    return text[-1].isalnum() or (asks and text[-1] == "?")


@check(
    "second_title", ScorePart.STRUCTURE, Scope.LAYOUT, WARNING,
    "Make it a section heading (level 2).",
    in_files=FilePart.FILE, fixable=True,
)  # fmt: skip
def check_second_title(layout: Layout, language: str) -> Iterator[Finding]:
    """A second heading of level 1 among headings of level 2."""
    levels = [heading.level for heading in layout.headings]
    if levels[:1] != [1] or levels.count(1) != _TWO or 2 not in levels:
        return
    second = levels.index(1, 1)
    problem = f"“{layout.headings[second].text}” is a second title, but a text has only one."
    yield check_second_title.found(layout.headings[second].section, problem)


@check(
    "restated_heading", ScorePart.STRUCTURE, Scope.LAYOUT, WARNING,
    "Begin with something that the heading does not say.",
    languages=with_section(Placement), in_files=FilePart.FILE, removable=True, fixable=True,
)  # fmt: skip
def check_restated_heading(layout: Layout, language: str) -> Iterator[Finding]:
    """First sentences that say no more than the heading above them."""
    rules, spoken = get_section(language, Placement), get_language(language)
    if rules is None or spoken is None:
        return
    for part in layout.parts:
        first = part.own[0] if part.own else None
        if not part.heading or not first or first.kind is not BlockKind.PARAGRAPH:
            continue
        read = sentences(first.text, language)
        if not read or not _LEAST_RESTATED <= len(words(read[0].text)) <= _MOST_RESTATED:
            continue
        named = _content(part.heading.text, spoken, language)
        said = _content(read[0].text, spoken, language, rules.restating)
        if named and said <= named and not read[0].text.rstrip().endswith(("?", ":")):
            problem = f"“{read[0].text[:80]}” only repeats the heading."
            yield check_restated_heading.found(first.section, problem, read[0].span)


def _breaks_off(text: str, cut_off: CutOff) -> bool:
    """Whether a heading ends with "the" or "and", or is no more than "How to"."""
    if text.lower().split()[-1:] != text.split()[-1:]:
        return False  # Vitamin A
    return cut_off.ends(text) or (len(text.split()) == _TWO and cut_off.ends(f"{text}…"))


@check(
    "heading_end", ScorePart.STRUCTURE, Scope.LAYOUT, WARNING,
    "Finish it, and let it end without a mark.",
    in_files=FilePart.FILE, fixable=True,
)  # fmt: skip
def check_heading_end(layout: Layout, language: str) -> Iterator[Finding]:
    """Headings that end with a colon, a comma, a full stop, or a word such as “the”."""
    cut_off = get_section(language, CutOff)
    for heading in layout.headings:
        text = heading.text.rstrip()
        if cut_off and _breaks_off(text, cut_off):
            problem = f"The heading “{text[-_SHOWN_CHARS:]}” breaks off."
            yield check_heading_end.found(heading.section, problem)
            continue
        if not text.endswith(_ENDS) or text.endswith(_KEPT_ENDS):
            continue
        body = text[:-1]
        last = body.split()[-1] if body.split() else ""
        # Numbers and abbreviations end with a full stop of their own: 1., U.S., Inc.
        if text.endswith(".") and ("." in last or last.isdigit() or len(last) < 4):
            continue
        shown = text if len(text) <= _SHOWN_CHARS else f"…{text[-_SHOWN_CHARS:]}"
        problem = f"The heading “{shown}” ends with “{text[-1]}”."
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
            problem = f"Nothing stands below the heading “{part.heading.text}”."
            yield check_empty_section.found(part.heading.section, problem)


@check(
    "section_order", ScorePart.STRUCTURE, Scope.LAYOUT, WARNING,
    "Put the introduction first and the conclusion last.",
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
                problem = f"The conclusion “{conclusion.text}” comes before “{other.text}”."
                yield check_section_order.found(conclusion.section, problem)
                break
    last = headings[-1] if len(headings) >= _LEAST_SECTIONS else None
    beside = [each for each in headings if last and each.level == last.level]
    if last and rules.introductions.search(last.text) and len(beside) >= _LEAST_SECTIONS:
        problem = f"The introduction “{last.text}” comes last."
        yield check_section_order.found(last.section, problem)
    if len(headings) >= _LEAST_SECTIONS - 1:
        for block in layout.introduction:
            if block.text and (match := rules.concluding.search(block.text)):
                problem = f"“{match.group()}” concludes, but stands in the introduction."
                yield check_section_order.found(block.section, problem, match.span())
                break


def _content(
    text: str, spoken: Language, language: str, filler: frozenset[str] = frozenset()
) -> set[str]:
    """Return the beginnings of the words that carry a subject."""
    return {
        stem(word, language)[:_LETTERS_COMPARED]
        for word in fold(text).split()
        if len(word) > 2 and word not in spoken.function_words and word not in filler
    }


@check(
    "misplaced", ScorePart.STRUCTURE, Scope.LAYOUT, WARNING,
    "Move it, or leave it out.",
    languages=with_section(Placement), in_files=FilePart.FILE, removable=True, fixable=True,
)  # fmt: skip
def check_misplaced(layout: Layout, language: str) -> Iterator[Finding]:
    """Sentences that conclude near the beginning, and sentences that introduce at the end."""
    rules = get_section(language, Placement)
    prose = [
        (at, each) for at, each in enumerate(layout.blocks) if each.kind is BlockKind.PARAGRAPH
    ]
    if rules is None or len(prose) < _LEAST_PARAGRAPHS:
        return
    last_heading = max(
        (at for at, each in enumerate(layout.blocks) if each.kind is BlockKind.HEADING), default=0
    )
    ended = {part.own[-1].section for part in layout.parts if len(part.own) > 1}
    for number, (at, block) in enumerate(prose):
        is_early = number < len(prose) * _EARLY and at < last_heading
        if is_early and block.section not in ended:
            read = sentences(block.text, language)[:1]
            if read and (match := rules.closing.search(read[0].text)):
                problem = (
                    f"“{match.group().strip()}” sounds like a conclusion, but the text goes on."
                )
                yield check_misplaced.found(block.section, problem, match.span())
    final = prose[-1][1]
    if layout.blocks[-1] is final:
        for sentence in sentences(final.text, language)[:2]:
            if match := rules.opening.search(sentence.text):
                problem = (
                    f"“{match.group().strip()}” sounds like an introduction, but it is at the end."
                )
                yield check_misplaced.found(final.section, problem, sentence.span)
                return
