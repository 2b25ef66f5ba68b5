"""References to what a text does not have: tables, pictures, links, steps and sections."""

import re
from bisect import bisect_left
from collections.abc import Iterator
from functools import cached_property
from typing import NamedTuple

from app.core.checks.check import (
    WARNING,
    FilePart,
    Finding,
    Scope,
    ScorePart,
    check,
    with_section,
)
from app.core.checks.layout import BlockKind, Layout
from app.core.languages import Reference, References, get_section
from app.core.text import fold, sentences, stem, words

_STEP = re.compile(r"\b(?:step|schritt|étape|paso|passo|stap|steg)\s+(\d{1,2})\b", re.IGNORECASE)
_DIGIT = re.compile(r"\d")
_NUMBER = re.compile(r"\d{1,2}")
# "Figure 3 shows" begins a sentence.
_CAPTION_END = re.compile(r"[\d.]{0,4}\s{0,3}(?:[.:–—-]|[A-ZÀ-Þ]|$)")
_TITLE = re.compile(r"[.,:]?\s?[–—(-]?\s?[A-ZÀ-Þ“„«]")
_LEAST_SECTIONS = 2
_LEAST_TEXTS = 3
_LEAST_WORDS = 4
# How many blocks may stand before "the following table".
_NEAR_BLOCKS = 5


class _Targets:
    """What the references of a text may point at, read once."""

    def __init__(self, layout: Layout, rules: References, language: str) -> None:
        self.layout, self.rules, self.language = layout, rules, language

    @cached_property
    def captions(self) -> set[str]:
        """The numbers at the end of captions."""
        texts = (block.text for block in self.layout.blocks if block.text)
        found = (_caption(text, self.rules) for text in texts)
        return {fold(each).rpartition(" ")[2] for each in found if each}

    @cached_property
    def places(self) -> dict[str, list[int]]:
        """For each thing, the indexes of the blocks that show it."""
        blocks = self.layout.blocks
        return {
            thing.what: [at for at, block in enumerate(blocks) if block.kind in thing.shown_by]
            for thing in self.rules.things
        }

    @cached_property
    def steps(self) -> int:
        """The highest number of a step."""
        blocks = self.layout.blocks
        numbers = [number for block in blocks for number in block.numbers]
        starts = [block.text for block in blocks]
        starts += [item.text for block in blocks for item in block.items]
        found = (_STEP.match(text.lstrip(" *_([")) for text in starts)
        return max([*numbers, *(int(match[1]) for match in found if match)], default=0)

    @cached_property
    def named(self) -> set[str]:
        """The stems of all headings."""
        texts = (fold(heading.text).split() for heading in self.layout.headings)
        return {stem(word, self.language) for found in texts for word in found}

    @cached_property
    def numbered(self) -> set[str]:
        """The first two words of all headings: `chapter 3`."""
        texts = (fold(heading.text).split() for heading in self.layout.headings)
        return {" ".join(found[:2]) for found in texts}


@check(
    "reference", ScorePart.STRUCTURE, Scope.LAYOUT, WARNING,
    "Add what it points at, or leave the reference out.",
    languages=with_section(References), in_files=FilePart.FILE, removable=True, fixable=True,
)  # fmt: skip
def check_reference(layout: Layout, language: str) -> Iterator[Finding]:
    """Sentences that point at a table, picture, link, step or section that is not there."""
    rules = get_section(language, References)
    if rules is None:
        return
    targets = _Targets(layout, rules, language)
    for written in _sentences(layout, rules, language):
        yield from _of_things(written, targets)
        yield from _of_steps(written, targets)
        yield from _of_sections(written, targets)
    yield from _of_places(layout, rules)


class _Sentence(NamedTuple):
    """A sentence, its words and its place in the text of a block."""

    text: str
    words: frozenset[str]
    section: str
    at: int
    begin: int

    def found(self, match: re.Match[str], problem: str) -> Finding:
        span = (self.begin + match.start(), self.begin + match.end())
        return check_reference.found(self.section, f"“{match.group()}” {problem}", span)


def _sentences(layout: Layout, rules: References, language: str) -> Iterator[_Sentence]:
    """Yield the sentences that have a word of a pattern; most texts have none."""
    for text, section, at in layout.texts:
        if rules.words.isdisjoint(words(text)):
            continue
        for sentence in sentences(text, language):
            said = frozenset(words(sentence.text))
            if not rules.words.isdisjoint(said):
                yield _Sentence(sentence.text, said, section, at, sentence.span[0])


def _caption(text: str, rules: References) -> str:
    """Return the number of a picture or table if the text is its caption: `Figure 3. Jars`."""
    match = rules.caption.match(text)
    return match.group() if match and _CAPTION_END.match(text, match.end()) else ""


def _of_things(written: _Sentence, targets: _Targets) -> Iterator[Finding]:
    text, rules = written.text, targets.rules
    if _caption(text, rules):
        return
    for thing in rules.things:
        if written.words.isdisjoint(rules.words_of[thing.what]):
            continue
        match = thing.patterns.search(text)
        if match and not _is_there(match.group(), written.at, thing, targets):
            yield written.found(match, f"points at a {thing.what}, and there is none.")
            return


def _is_there(pointer: str, at: int, thing: Reference, targets: _Targets) -> bool:
    """Whether a text has what a pointer such as `the table below` points at, and where."""
    layout, rules, places = targets.layout, targets.rules, targets.places[thing.what]
    if "link" in thing.shown_by and (layout.blocks[at].has_link or layout.has_links):
        return True
    said = set(words(pointer))
    if number := _NUMBER.search(pointer):
        # A chapter may begin with its fifth table; a text with one table has no third.
        return len(places) >= int(number.group()) or number.group() in targets.captions
    if said & rules.right_below:
        return any(at <= each <= at + _NEAR_BLOCKS for each in _from(places, at))
    if said & rules.below:
        return bool(_from(places, at))
    if said & rules.above:
        return bool(places) and places[0] <= at
    return bool(places)


def _from(places: list[int], at: int) -> list[int]:
    """The first place at or after an index."""
    index = bisect_left(places, at)
    return places[index : index + 1]


def _of_steps(written: _Sentence, targets: _Targets) -> Iterator[Finding]:
    if not _DIGIT.search(written.text):
        return
    for match in targets.rules.steps.finditer(written.text):
        number = int(next(filter(None, match.groups())))
        if number > 1 and targets.steps < number:
            has = f"{targets.steps}" if targets.steps else "no numbered steps"
            yield written.found(match, f"points at a step; the text has {has}.")


def _of_sections(written: _Sentence, targets: _Targets) -> Iterator[Finding]:
    text, rules, layout = written.text, targets.rules, targets.layout
    if len(layout.section_headings) < _LEAST_SECTIONS or layout.blocks[written.at].has_link:
        return
    is_named = not written.words.isdisjoint(rules.words_of["named"])
    for match in rules.named.finditer(text) if is_named else ():
        name = next(filter(None, match.groups()))
        named = {stem(word, targets.language) for word in fold(name).split() if len(word) > 2}
        if named and not named & targets.named:
            yield written.found(match, f"points at a section; none is about “{name}”.")
    if len(written.words) < _LEAST_WORDS or written.words.isdisjoint(rules.words_of["chapters"]):
        return
    # A chapter of a book has a title: "Chapter 6, Network applications".
    chapter = rules.chapters.search(text)
    number = " ".join(fold(chapter.group()).split()[-2:]) if chapter else ""
    if chapter and number not in targets.numbered and not _TITLE.match(text, chapter.end()):
        yield written.found(chapter, "is not in the text.")


def _of_places(layout: Layout, rules: References) -> Iterator[Finding]:
    """What the first paragraph says is above it, and the last one below it."""
    prose = [each for each in layout.blocks if each.text and each.kind is not BlockKind.CODE]
    texts = [each for each in prose if each.kind is not BlockKind.HEADING]
    if len(texts) < _LEAST_TEXTS:
        return
    first = layout.introduction[0] if layout.introduction else None
    is_text = first is not None and first.kind is BlockKind.PARAGRAPH and not first.has_link
    if first and is_text and (match := rules.earlier.search(first.text)):
        problem = f"“{match.group()}”: nothing stands above."
        yield check_reference.found(first.section, problem, match.span())
    last = layout.blocks[-1]
    if last.has_link or last.kind is not BlockKind.PARAGRAPH:
        return
    if match := rules.later.search(last.text):
        problem = f"“{match.group()}”: nothing stands below."
        yield check_reference.found(last.section, problem, match.span())
