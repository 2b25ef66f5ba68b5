"""References to what a text does not have: tables, pictures, links, steps and sections."""

import re
from collections.abc import Collection, Iterator
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
from app.core.languages import References, get_section
from app.core.text import fold, sentences, stem, words

_STEP = re.compile(r"\b(?:step|schritt|étape|paso|passo|stap|steg)\s+(\d{1,2})\b", re.IGNORECASE)
_DIGIT = re.compile(r"\d")
_NUMBER = re.compile(r"\d{1,2}")
# "Figure 3 shows" begins a sentence.
_CAPTION_END = re.compile(r"[\d.]{0,4}\s{0,3}(?:[.:–—-]|[A-ZÀ-Þ]|$)")
_LEAST_SECTIONS = 2
# How many blocks may stand before "the following table".
_NEAR_BLOCKS = 5


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
    captions = {fold(caption) for text in _starts(layout) if (caption := _caption(text, rules))}
    for written in _sentences(layout, rules, language):
        yield from _of_things(written, layout, rules, captions)
        yield from _of_steps(written, layout, rules)
        yield from _of_sections(written, layout, rules, language)
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


def _starts(layout: Layout) -> Iterator[str]:
    return (block.text for block in layout.blocks if block.text)


def _caption(text: str, rules: References) -> str:
    """Return the number of a picture or table if the text is its caption: `Figure 3. Jars`."""
    match = rules.caption.match(text)
    return match.group() if match and _CAPTION_END.match(text, match.end()) else ""


def _of_things(
    written: _Sentence, layout: Layout, rules: References, captions: set[str]
) -> Iterator[Finding]:
    text, said = written.text, written.words
    if _caption(text, rules):
        return
    for thing in rules.things:
        if said.isdisjoint(rules.words_of[thing.what]):
            continue
        match = thing.patterns.search(text)
        if match and not _is_there(match.group(), written.at, layout, rules, thing.shown_by, captions):
            yield written.found(match, f"points at a {thing.what}, and there is none.")
            return


def _is_there(
    pointer: str,
    at: int,
    layout: Layout,
    rules: References,
    shown_by: Collection[str],
    captions: set[str],
) -> bool:
    """Whether a text has what a pointer such as `the table below` points at, and where."""
    if "link" in shown_by and layout.has_links:
        return True
    said = set(words(pointer))
    places = [index for index, block in enumerate(layout.blocks) if block.kind in shown_by]
    if number := _NUMBER.search(pointer):
        # A chapter may begin with its fifth table; a text with one table has no third.
        return len(places) >= int(number.group()) or any(
            caption.endswith(f" {number.group()}") for caption in captions
        )
    if said & rules.right_below:
        return any(at <= index <= at + _NEAR_BLOCKS for index in places)
    if said & rules.below:
        return any(index >= at for index in places)
    if said & rules.above:
        return any(index <= at for index in places)
    return bool(places)


def _of_steps(written: _Sentence, layout: Layout, rules: References) -> Iterator[Finding]:
    for match in rules.steps.finditer(written.text) if _DIGIT.search(written.text) else ():
        number = int(next(filter(None, match.groups())))
        most = _steps(layout)
        if most < number:
            steps = f"the text has {most}" if most else "the text has no numbered steps"
            yield written.found(match, f"points at a step; {steps}.")


def _steps(layout: Layout) -> int:
    """The highest number of a step."""
    numbers = [number for block in layout.blocks for number in block.numbers]
    starts = [block.text for block in layout.blocks] + [
        item.text for block in layout.blocks for item in block.items
    ]
    for text in starts:
        if found := _STEP.match(text.lstrip(" *_([")):
            numbers.append(int(found[1]))
    return max(numbers, default=0)


def _of_sections(
    written: _Sentence, layout: Layout, rules: References, language: str
) -> Iterator[Finding]:
    text = written.text
    if len(layout.section_headings) < _LEAST_SECTIONS or layout.has_links:
        return
    said = written.words
    is_named = not said.isdisjoint(rules.words_of["named"])
    for match in rules.named.finditer(text) if is_named else ():
        name = next(filter(None, match.groups()))
        named = {stem(word, language) for word in fold(name).split() if len(word) > 2}
        if named and not any(
            named & {stem(word, language) for word in fold(heading.text).split()}
            for heading in layout.headings
        ):
            yield written.found(match, f"points at a section; none is about “{name}”.")
    is_numbered = not said.isdisjoint(rules.words_of["chapters"])
    if is_numbered and (match := rules.chapters.search(text)):
        number = fold(match.group())
        if not any(fold(heading.text).startswith(number) for heading in layout.headings):
            yield written.found(match, "is not in the text.")


def _of_places(layout: Layout, rules: References) -> Iterator[Finding]:
    """What the first paragraph says is above it, and the last one below it."""
    prose = [each for each in layout.blocks if each.text and each.kind is not BlockKind.CODE]
    texts = [each for each in prose if each.kind is not BlockKind.HEADING]
    if len(texts) < 3 or layout.has_links:
        return
    first = layout.introduction[0] if layout.introduction else None
    if first is not None and first.kind is BlockKind.PARAGRAPH:
        if match := rules.earlier.search(first.text):
            problem = f"“{match.group()}”: nothing stands above."
            yield check_reference.found(first.section, problem, match.span())
    last = layout.blocks[-1]
    if last.kind is BlockKind.PARAGRAPH and (match := rules.later.search(last.text)):
        problem = f"“{match.group()}”: nothing stands below."
        yield check_reference.found(last.section, problem, match.span())
