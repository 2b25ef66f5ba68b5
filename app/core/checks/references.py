"""References to what a text does not have: tables, pictures, links, steps and sections."""

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
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
from app.core.languages import (
    Language,
    Placement,
    Reference,
    References,
    get_language,
    get_section,
)
from app.core.text import fold, sentences, stem, stems, word_set, words

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
# Where a table of contents stands, and how long it may be.
_CONTENTS_BLOCKS, _CONTENTS_CHARS = 12, 300


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
    "Add what is missing, or delete the words that point to it.",
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
    yield from _of_mentions(layout, language)
    yield from _of_anchors(layout)
    yield from _of_footnotes(layout)
    yield from _of_contents(layout, language)


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
        if rules.words.isdisjoint(word_set(text)):
            continue
        for sentence in sentences(text, language):
            said = word_set(sentence.text)
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
            yield written.found(match, f"points to a {thing.what}, but there is none there.")
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
            has = f"{targets.steps} steps" if targets.steps else "no numbered steps"
            yield written.found(match, f"points to a missing step: the text has {has}.")


def _of_sections(written: _Sentence, targets: _Targets) -> Iterator[Finding]:
    text, rules, layout = written.text, targets.rules, targets.layout
    if len(layout.section_headings) < _LEAST_SECTIONS or layout.blocks[written.at].has_link:
        return
    is_named = not written.words.isdisjoint(rules.words_of["named"])
    for match in rules.named.finditer(text) if is_named else ():
        name = next(filter(None, match.groups()))
        named = {stem(word, targets.language) for word in fold(name).split() if len(word) > 2}
        if named and not named & targets.named:
            yield written.found(match, f"points to a section, but none is about “{name}”.")
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
        problem = f"“{match.group()}” points up, but nothing stands above it."
        yield check_reference.found(first.section, problem, match.span())
    last = layout.blocks[-1]
    if last.has_link or last.kind is not BlockKind.PARAGRAPH:
        return
    if match := rules.later.search(last.text):
        problem = f"“{match.group()}” points down, but nothing stands below it."
        yield check_reference.found(last.section, problem, match.span())


_FOOTNOTE = re.compile(r"\[\^([^\]\s]{1,40})\](:?)")
_NOTE_MARKS = str.maketrans("¹²³⁴⁵⁶⁷⁸⁹", "123456789")
_NO_LETTER = re.compile(r"[\W_]+")
_ANCHOR_OF_PAGE = frozenset({"", "top", "bottom", "content", "main", "start", "end"})
# A part of a text may point at a place in another part of it.
_FEW_MISSING = 3
_LEAST_LISTED = 2
_CLAIM_STEMS = 2
_LETTERS_COMPARED = 5
_NOT_LISTED = re.compile(r"\d{1,2}[.)]\s{0,3}|[,;]\s{0,3}(?:and\s)?|\s(?:and|und|et|y|e|en)\s")


def _of_anchors(layout: Layout) -> Iterator[Finding]:
    """Links to a place in the text that has no such place."""
    if not layout.anchors:
        return
    names = {_NO_LETTER.sub("", each.text.casefold()) for each in layout.headings}
    known = sorted(names | {_NO_LETTER.sub("", each.casefold()) for each in layout.ids})
    missing = [
        (name, section)
        for name, section in layout.anchors
        if name.casefold() not in _ANCHOR_OF_PAGE
        and not name.casefold().startswith(("fn", "cite", "note", "ref", "_", "/", "!"))
        and not _is_heading(_NO_LETTER.sub("", name.casefold()), known)
    ]
    # A chapter whose links all lead elsewhere is a part of a longer text.
    if len(missing) > _FEW_MISSING and len(missing) == len(layout.anchors):
        missing = missing[:1] if layout.section_headings else []
    for name, section in missing:
        problem = f"The link “#{name}” leads nowhere: no heading has this name."
        yield check_reference.found(section, problem)


def _is_heading(name: str, known: Sequence[str]) -> bool:
    """Whether a heading has a name, or begins with it, or has it without a number behind it."""
    at = bisect_left(known, name)
    if known[at : at + 1] and known[at].startswith(name):
        return True
    bare = name.rstrip("0123456789")
    at = bisect_left(known, bare)
    return known[at : at + 1] == [bare]


def _of_footnotes(layout: Layout) -> Iterator[Finding]:
    """Marks of footnotes without the note, and notes without the mark."""
    marks: dict[str, str] = {}
    notes: dict[str, str] = {}
    for text, section, _ in layout.texts:
        if "[^" not in text:
            continue
        for match in _FOOTNOTE.finditer(text):
            is_note = match[2] and not text[: match.start()].strip().rpartition("\n")[2]
            (notes if is_note else marks).setdefault(match[1], section)
    for name, section in marks.items():
        if name not in notes:
            yield check_reference.found(
                section, f"The footnote of the mark “[^{name}]” is missing."
            )
    for name, section in notes.items():
        if name not in marks:
            problem = f"No word of the text points to the footnote “[^{name}]”."
            yield check_reference.found(section, problem)


def _of_mentions(layout: Layout, language: str) -> Iterator[Finding]:
    """Things “mentioned above” that nothing above mentions."""
    rules, spoken = get_section(language, Placement), get_language(language)
    if rules is None or spoken is None or not layout.section_headings:
        return
    found = {
        (written.section, sentence.span[0]): match
        for written in layout.texts[1:]
        if not rules.mention_words.isdisjoint(word_set(written.text))
        and not rules.mention_places.isdisjoint(word_set(written.text))
        for sentence in sentences(written.text, language)
        if (match := rules.mentioned.search(sentence.text) or rules.said.search(sentence.text))
    }
    if not found:
        return
    before = _beginnings(layout.title, language)
    at = 0
    for written in layout.texts:
        # Headings that stand above the text count as well.
        for block in layout.blocks[at : written.at]:
            if block.kind is BlockKind.HEADING:
                before |= _beginnings(block.text, language)
        at = max(at, written.at)
        for sentence in sentences(written.text, language):
            begin = sentence.span[0]
            match = found.get((written.section, begin))
            if match and not _is_said(match, before, spoken, language):
                span = (begin + match.start(), begin + match.end())
                problem = (
                    f"“{match.group()[:80]}” refers to something that the text above does not say."
                )
                yield check_reference.found(written.section, problem, span)
            before |= _beginnings(sentence.text, language)


def _beginnings(text: str, language: str) -> set[str]:
    return {each[:_LETTERS_COMPARED] for each in stems(text, language)}


def _is_said(match: re.Match[str], before: set[str], spoken: Language, language: str) -> bool:
    groups = {name: text for name, text in match.groupdict().items() if text}
    what = next(iter(groups.values()), "")
    content = [
        stem(word, language)[:_LETTERS_COMPARED]
        for word in fold(what).split()
        if word not in spoken.function_words and len(word) > 2
    ]
    if "claim" not in groups:
        return not content or any(each in before for each in content)
    if len(content) < _CLAIM_STEMS:
        return True
    # What was said before has most of its words there.
    return 2 * sum(each in before for each in content) >= len(content)


def _of_contents(layout: Layout, language: str) -> Iterator[Finding]:
    """A table of contents whose entries are no headings."""
    rules, spoken = get_section(language, Placement), get_language(language)
    if rules is None or spoken is None or len(layout.section_headings) < _LEAST_SECTIONS:
        return
    for at, block in enumerate(layout.blocks[:_CONTENTS_BLOCKS]):
        match = rules.leads.search(block.text) if block.text else None
        if match is None or len(block.text) > _CONTENTS_CHARS:
            continue
        following = layout.blocks[at + 1] if at + 1 < len(layout.blocks) else None
        rest = block.text[match.end() :]
        if rest.strip():
            entries = [(each, block.section) for each in _NOT_LISTED.split(rest)]
        elif following and following.kind is BlockKind.LIST and not following.has_link:
            entries = [(item.text, item.section) for item in following.items]
        else:
            continue
        body = set().union(
            *(_beginnings(each.text, language) for n, each in enumerate(layout.blocks)
              if n > at and each is not following)
        )  # fmt: skip
        titles = set().union(*(_beginnings(h.text, language) for h in layout.section_headings))
        missing = [
            (text, section)
            for text, section in entries
            if text.strip() and not _is_listed(text, titles, body, spoken, language)
        ]
        if entries and missing and 2 * len(missing) >= min(len(entries), _LEAST_LISTED):
            text, section = missing[0]
            problem = f"The table of contents has “{text.strip(' .')}”, but no section is about it."
            yield check_reference.found(section, problem)
        return


def _is_listed(
    text: str, titles: set[str], body: set[str], spoken: Language, language: str
) -> bool:
    content = {
        stem(word, language)[:_LETTERS_COMPARED]
        for word in fold(text).split()
        if word not in spoken.function_words and len(word) > 2
    }
    return not content or bool(content & titles) or content <= body
