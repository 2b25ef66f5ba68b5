"""Counts that do not hold, promises that are not kept, and questions that are not answered."""

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate, islice, pairwise

from app.core.checks.check import (
    WARNING,
    FilePart,
    Finding,
    Scope,
    ScorePart,
    check,
    with_section,
)
from app.core.checks.layout import Block, BlockKind, Layout, Part
from app.core.languages import (
    Alike,
    Counts,
    Numbers,
    Promise,
    Promises,
    Questions,
    StepOrder,
    get_language,
    get_section,
)
from app.core.text import Span, fold, folded, sentences, stem, stems, word_count, words

_MOST_COUNTED = 50
# Adjectives between a number and what it counts: seven quick and easy tips.
_WORDS_BETWEEN = 4
# The number of a chapter, a decimal, a share, a range.
_PART_OF_NUMBER = re.compile(r"[.,:/)]|\s?[%°€$£]|-|\s?[–—]\s?\d")
_NUMBERED = re.compile(r"#?\d{1,2}[.:)] ")
_TITLE_WORDS = 20
# Where a count may be listed: in the blocks and sentences right below it.
_MOST_BELOW = 40
_MOST_SENTENCES = 12
_MOST_ANNOUNCED = 5
_JOINED = (".", "-", "–", "/", "#", "§")
_SEPARATORS = re.compile(r"[,;]\s(?:and |or )?|\s(?:and|or|&|und|oder|et|ou|y|o|e|en|of)\s|/")
_LETTERS_COMPARED = 4
# A shorter text may say it all in other words.
_SUBJECT_FROM_WORDS = 60
_HEADING_FROM_WORDS = 120
_HEADING_FROM_STEMS = 4
_ANSWER_FROM_WORDS = 5
# As far before a number as is read: a longer word joins nothing.
_LOOK_BACK = 60


def _numbers(language: str) -> Numbers | None:
    spoken = get_language(language)
    return spoken.verification.numbers if spoken and spoken.verification else None


class _Counter:
    """Finds numbers of things in a text; ``pairs`` are a number and its span."""

    def __init__(self, rules: Counts, numbers: Numbers, language: str) -> None:
        self.rules, self.language = rules, language
        self.numbers = numbers.values
        self.values = {word: value for word, value in numbers.values.items() if value > 1}
        self.counted = {stem(word, language) for word in rules.counted}

    def in_text(self, text: str, *, is_title: bool = False) -> Iterator[tuple[int, Span]]:
        """Yield each number of things that a text counts, and its place."""
        found = folded(text)
        for index, (word, span) in enumerate(found):
            number = self.value(word)
            if (
                not number
                or _PART_OF_NUMBER.match(text, span[1])
                or text[max(0, span[0] - _LOOK_BACK) : span[0]].endswith(_JOINED)
            ):
                continue
            before = found[index - 1][0] if index else ""
            after = [each for each, _ in found[index + 1 : index + 1 + _WORDS_BETWEEN]]
            if before in self.rules.not_before or before.isdecimal() or not after:
                continue
            pointed = before in self.rules.pointing
            leads = is_title and index <= 1 and self._is_plural(after[:3])
            if self._counts(after, text[span[1] :]) or (
                (pointed or leads) and after[0] not in self.rules.units
            ):
                yield number, span

    def before_colon(self, text: str) -> Iterator[tuple[int, Span]]:
        """Yield the number of an introduction that ends with what it counts: four colours:"""
        found = folded(text)
        if len(found) > 1 and text.rstrip().endswith(":"):
            for back in (2, 3):
                number, span = found[-back][0] if len(found) >= back else "", found[-back:][0][1]
                if (
                    (value := self.value(number))
                    and found[-1][0] not in self.rules.units
                    and self._is_plural([found[-1][0]])
                    and not _PART_OF_NUMBER.match(text, span[1])
                    and (len(found) == back or found[-back - 1][0] not in self.rules.not_before)
                ):
                    yield value, span

    def _counts(self, after: Sequence[str], rest: str) -> bool:
        for word in after:
            if word in self.rules.units or self.value(word):
                return False
            if stem(word, self.language) in self.counted:
                # "three kinds" of things are counted, "two step motors" are not.
                return True
        return False

    def _is_plural(self, following: Sequence[str]) -> bool:
        for word in following:
            if word in self.rules.units:
                return False
            if self.rules.plurals.search(word):
                return True
        return False

    def value(self, word: str) -> int:
        value = int(word) if word.isdecimal() and len(word) < 3 else self.values.get(word, 0)
        return value if 2 <= value <= _MOST_COUNTED else 0


@check(
    "count", ScorePart.STRUCTURE, Scope.LAYOUT, WARNING,
    "Make the number and what it counts agree.",
    languages=with_section(Counts), in_files=FilePart.FILE, fixable=True,
)  # fmt: skip
def check_count(layout: Layout, language: str) -> Iterator[Finding]:
    """Numbers of things in titles, headings and introductions that the text does not have."""
    rules, numbers = get_section(language, Counts), _numbers(language)
    if not rules or not numbers:
        return
    counter = _Counter(rules, numbers, language)
    yield from _title_count(layout, counter)
    for part in layout.parts:
        if part.heading and part.heading.section != layout.title_section:
            yield from _heading_count(part, counter, language)
        yield from _introduced_counts(part, counter, language)
    for text, section, _ in layout.texts:
        if numbers.both & set(words(text)) and (match := rules.both.search(text)):
            problem = f"“{match.group()}” names more than two."
            yield check_count.found(section, problem, match.span())


def _title_count(layout: Layout, counter: _Counter) -> Iterator[Finding]:
    """The number in the title against sections, lists and labelled headings (`Day one`)."""
    found = folded(layout.title)[:_TITLE_WORDS]
    for (word, span), (thing, _) in pairwise(found):
        number = counter.value(word)
        if _PART_OF_NUMBER.match(layout.title, span[1]):
            continue
        label = stem(thing, counter.language)
        labelled = [
            heading
            for heading in layout.section_headings
            if thing.isalpha()
            and (parts := fold(heading.text).split())[1:]
            and stem(parts[0], counter.language) == label
            and (parts[1].isdecimal() or parts[1] in counter.numbers)
        ]
        if number and len(labelled) > 1:
            if len(labelled) != number:
                problem = f"The title counts {number}, and there are {len(labelled)}."
                yield check_count.found(layout.title_section, problem, span)
            return
    for number, span in islice(counter.in_text(layout.title, is_title=True), 1):
        headings = [
            heading
            for heading in layout.section_headings
            if not counter.rules.other_headings.search(heading.text)
        ]
        lowest = min((heading.level for heading in headings), default=0)
        sections = sum(heading.level == lowest for heading in headings)
        below = sum(heading.level > lowest for heading in headings)
        has = {*_sizes(layout.blocks), below, len(headings)}
        # Some sections are about something else than the things counted.
        has.update(count for count in range(sections, max(1, sections - 3), -1))
        numbered = sum(_NUMBERED.match(heading.text) is not None for heading in headings)
        if numbered > 1:
            has, sections = {numbered}, numbered
        if number not in has and (sections > 1 or _slots(layout.blocks) < number):
            problem = f"The title counts {number}; the text has {sections} sections."
            section = layout.title_section
            yield check_count.found(section, problem, span)


def _heading_count(part: Part, counter: _Counter, language: str) -> Iterator[Finding]:
    heading = part.heading
    if heading is None or not part.all:
        return
    for number, span in islice(counter.in_text(heading.text), 1):
        below = [each for each in part.subheadings if each.level == heading.level + 1]
        has = _sizes(part.all) | {len(below), len(part.subheadings)}
        has |= {len(below) - 1} if len(below) > 2 else set()
        paragraphs = sum(block.kind is BlockKind.PARAGRAPH for block in part.all)
        is_listed = len(below) > 1 or any(block.kind is BlockKind.LIST for block in part.all)
        if number not in has and (
            (is_listed and paragraphs not in {number, number + 1, number + 2})
            or (not is_listed and _slots(part.all) < number)
        ):
            problem = f"The heading counts {number}; the section does not have as many."
            yield check_count.found(heading.section, problem, span)


def _sizes(blocks: Iterable[Block]) -> set[int]:
    """How many things a list, a table or a run of lists has."""
    lists = [len(block.items) for block in blocks if block.kind is BlockKind.LIST]
    rows = {len(block.rows) for block in blocks if block.kind is BlockKind.TABLE}
    return {*lists, *accumulate(lists), *rows}


def _slots(blocks: Iterable[Block]) -> int:
    """At most how many things a text can name: its sentences and the parts of its enumerations."""
    texts = [block.text for block in blocks if block.text]
    items = sum(len(block.items) + len(block.rows) for block in blocks)
    return items + sum(len(re.findall(r"[.!?:;,]|\band\b|\bund\b", text)) for text in texts)


def _introduced_counts(part: Part, counter: _Counter, language: str) -> Iterator[Finding]:
    for at, block in enumerate(part.own):
        if block.kind is not BlockKind.PARAGRAPH:
            continue
        following = part.own[at + 1] if at + 1 < len(part.own) else None
        if following and following.kind is BlockKind.LIST:
            yield from _lead_count(block, part.own[at + 1 : at + _MOST_BELOW], counter, language)
        yield from _sentence_counts(block, counter, language)


def _lead_count(
    block: Block, following: Sequence[Block], counter: _Counter, language: str
) -> Iterator[Finding]:
    """The last sentence above a list."""
    last = sentences(block.text, language)[-1]
    ends = last.text.rstrip().endswith((":", "："))
    found = [
        *counter.in_text(last.text, is_title=ends),
        *(counter.before_colon(last.text) if ends else ()),
    ]
    if not ends:
        found = [each for each in found if _before(last.text, each[1]) in counter.rules.pointing]
    named = {int(word) for word in words(last.text) if word.isdecimal()}
    named |= {counter.values[word] for word in words(last.text) if word in counter.values}
    has = _sizes(_together(following))
    items = len(following[0].items)
    # "Four limits: two for users, two for groups" adds up.
    openings = {word for item in following[0].items for word in words(item.text)[:2]}
    adds_up = not counter.values.keys().isdisjoint(openings)
    if found and not named & has and items > 1 and not adds_up:
        number, (begin, end) = found[0]
        problem = f"Introduces {number} things; the list has {items}."
        span = (last.span[0] + begin, last.span[0] + end)
        yield check_count.found(block.section, problem, span)


def _together(blocks: Sequence[Block]) -> Iterator[Block]:
    """Yield the lists at the start of blocks, up to a paragraph or a list that begins again."""
    last = 0
    for block in blocks:
        if block.kind is BlockKind.LIST:
            if last and block.numbers[:1] == [1]:
                return
            last = block.numbers[-1] if block.numbers else 0
            yield block
        elif block.kind is BlockKind.PARAGRAPH and not last:
            return


def _before(text: str, span: Span) -> str:
    return (words(text[max(0, span[0] - _LOOK_BACK) : span[0]]) or ("",))[-1]


def _sentence_counts(block: Block, counter: _Counter, language: str) -> Iterator[Finding]:
    """Counts that a paragraph itself lists: `three reasons: cost and time`."""
    if counter.values.keys().isdisjoint(words(block.text)):
        return
    order = get_section(language, StepOrder)
    read = sentences(block.text, language)
    for index, sentence in enumerate(read):
        for number, (begin, end) in islice(counter.in_text(sentence.text), 1):
            span = (sentence.span[0] + begin, sentence.span[0] + end)
            colon = sentence.text.find(": ", end)
            if 0 <= colon < end + 60:
                parts = [part for part in _SEPARATORS.split(sentence.text[colon + 2 :]) if part]
                short = all(len(part.split()) <= 3 for part in parts)
                if 2 <= len(parts) < number or (short and 2 <= number < len(parts)):
                    problem = f"Counts {number} and names {len(parts)}."
                    yield check_count.found(block.section, problem, span)
            elif order and number > 2:
                rest = [each.text for each in read[index + 1 : index + _MOST_SENTENCES]]
                if 0 < (reached := _ordinal_reached(rest, order, counter.rules)) < number:
                    problem = f"Counts {number} and names {reached}."
                    yield check_count.found(block.section, problem, span)


def _ordinal_reached(texts: Sequence[str], order: StepOrder, rules: Counts) -> int:
    """The number of the last ordinal at the start of a sentence, if the first two stand there."""
    openings = [words(text)[:3] for text in texts]
    said = {word for opening in openings for word in opening}
    if rules.more & {word for text in texts for word in words(text)}:
        return 0
    reached = 0
    for number, forms in enumerate(order.ordinals, 1):
        if forms & said:
            reached = number
        elif number < 3:
            return 0
    return reached


@check(
    "promise", ScorePart.STRUCTURE, Scope.LAYOUT, WARNING,
    "Keep the promise, or do not make it.",
    languages=with_section(Promises), in_files=FilePart.FILE, fixable=True,
)  # fmt: skip
def check_promise(layout: Layout, language: str) -> Iterator[Finding]:
    """What a title, a heading, a description or an introduction promises and the text lacks."""
    rules = get_section(language, Promises)
    if rules is None or not layout.blocks:
        return
    reader = _Text(layout, language)
    description = "meta.description" if not layout.in_file else "0"
    title = layout.title_section
    yield from _unkept(layout.title, title, rules, layout.blocks[1:] or layout.blocks, layout)
    yield from _unkept(layout.description, description, rules, layout.blocks, layout)
    yield from _untreated(layout.title, title, rules, reader, layout)
    for part in layout.parts:
        heading = part.heading
        if heading and heading.section != title and part.own:
            yield from _unkept(heading.text, heading.section, rules, part.all, layout)
    yield from _unmentioned(layout, reader, language)
    yield from _announced(layout, rules, reader, language)


def _unkept(
    text: str, section: str, rules: Promises, blocks: Sequence[Block], layout: Layout
) -> Iterator[Finding]:
    if rules.words.isdisjoint(words(text)):
        return
    for kind in rules.kinds:
        if (match := kind.promised.search(text)) and not _is_kept(kind, blocks, layout):
            problem = f"Promises {kind.what} (“{match.group()}”), and there is nothing of it."
            yield check_promise.found(section, problem, match.span())


def _is_kept(kind: Promise, blocks: Sequence[Block], layout: Layout) -> bool:
    if "link" in kind.shown_by and layout.has_links:
        return True
    if "numbers" in kind.shown_by and any(block.numbers for block in blocks):
        return True
    if any(block.kind in kind.shown_by for block in blocks):
        return True
    found = 0
    for block in blocks:
        for text in (block.text, *(item.text for item in block.items), *_cells(block)):
            if text:
                found += sum(1 for _ in islice(kind.kept.finditer(text), kind.times))
        if found >= kind.times:
            return True
    return False


def _cells(block: Block) -> Iterator[str]:
    return (cell.text for row in (block.header, *block.rows) for cell in row)


class _Text:
    """The stems of a text, read when they are first asked for."""

    def __init__(self, layout: Layout, language: str) -> None:
        self.layout, self.language = layout, language
        spoken, alike = get_language(language), get_section(language, Alike)
        self.filler = frozenset[str]()
        if spoken:
            self.filler = spoken.function_words | (alike.filler if alike else frozenset())

    def content(self, text: str) -> list[str]:
        """Return the stems of the words that carry a subject."""
        return [
            stem(word, self.language)
            for word in fold(text).split()
            if len(word) > 2 and word not in self.filler and not word.isdecimal()
        ]

    def beginnings(self, texts: Iterable[str]) -> set[str]:
        """Return the first letters of all stems of texts, by which words are compared."""
        found: set[str] = set()
        for text in texts:
            found.update(_beginning(each) for each in stems(text, self.language))
        return found


def _beginning(stemmed: str) -> str:
    return stemmed[:_LETTERS_COMPARED]


def _block_texts(blocks: Iterable[Block]) -> Iterator[str]:
    for block in blocks:
        yield block.text
        yield from (item.text for item in block.items)
        yield from _cells(block)


def _untreated(
    title: str, section: str, rules: Promises, reader: _Text, layout: Layout
) -> Iterator[Finding]:
    """The two things that a title compares, and its subject."""
    body = [block for block in layout.blocks if block.section != layout.title_section]
    match = rules.versus.search(title)
    sides = [(match[1], match.span(1)), (match[2], match.span(2))] if match else []
    said: set[str] | None = None
    for side, span in sides:
        content = reader.content(side)
        said = said if said is not None else reader.beginnings(_block_texts(body))
        if content and not any(_beginning(each) in said for each in content):
            problem = f"The title compares “{side}”, and the text does not mention it."
            yield check_promise.found(section, problem, span)


def _unmentioned(layout: Layout, reader: _Text, language: str) -> Iterator[Finding]:
    """Headings of a file none of whose words comes in their section."""
    for part in layout.parts if layout.in_file else ():
        heading = part.heading
        if heading is None or not part.own or heading.text.rstrip().endswith("?"):
            continue
        content = reader.content(heading.text)
        least = 2 if heading.section == layout.title_section else _HEADING_FROM_STEMS
        if len(set(content)) < least:
            continue
        kinds = {block.kind for block in part.all}
        # Questions and code need not repeat what their heading says.
        if kinds & {BlockKind.QUESTION, BlockKind.CODE}:
            continue
        texts = list(_block_texts(part.all))
        if sum(word_count(text) for text in texts) < _HEADING_FROM_WORDS:
            continue
        said = reader.beginnings(texts)
        if not any(_beginning(each) in said for each in content):
            problem = f"The section does not mention what “{heading.text}” names."
            yield check_promise.found(heading.section, problem)


def _announced(layout: Layout, rules: Promises, reader: _Text, language: str) -> Iterator[Finding]:
    """What the introduction says that the text has."""
    introduction = [each for each in layout.introduction[:3] if each.kind is BlockKind.PARAGRAPH]
    announced = [
        (block, sentence, match)
        for block in introduction
        for sentence in sentences(block.text, language)
        if (match := rules.announced.search(sentence.text))
    ]
    for block, sentence, match in announced[:_MOST_ANNOUNCED]:
        others = [each.text for each in sentences(block.text, language) if each != sentence]
        rest = _block_texts(each for each in layout.blocks if each is not block)
        said = reader.beginnings([*others, *rest])
        what = next(group for group in match.groups() if group)
        for piece in _SEPARATORS.split(what):
            content = () if rules.indirect.match(piece) else reader.content(piece)
            if content and not any(_beginning(each) in said for each in content):
                problem = f"Announces “{piece.strip()}”, and there is nothing of it."
                begin = sentence.span[0]
                span = (begin + match.start(), begin + match.end())
                yield check_promise.found(block.section, problem, span)
                break


@check(
    "unanswered", ScorePart.STRUCTURE, Scope.LAYOUT, WARNING,
    "Answer the question in the first sentence.",
    languages=with_section(Questions), in_files=FilePart.FILE, fixable=True,
)  # fmt: skip
def check_unanswered(layout: Layout, language: str) -> Iterator[Finding]:
    """Questions whose answer has no time, number, place or yes and no, as they ask for."""
    rules = get_section(language, Questions)
    if rules is None:
        return
    reader = _Text(layout, language)
    for question, _, answer in layout.questions:
        text = answer.text
        is_text = answer.kind in {BlockKind.ANSWER, BlockKind.PARAGRAPH}
        if not is_text or word_count(text) < _ANSWER_FROM_WORDS or text.rstrip().endswith(":"):
            continue
        asked = question.lstrip("0123456789.)( *_QqAa:") if question[:1].isdigit() else question
        if not _answers(asked, text, rules, reader):
            problem = f"The answer to “{question}” does not say it."
            yield check_unanswered.found(answer.section, problem)


def _answers(question: str, answer: str, rules: Questions, reader: _Text) -> bool:
    if rules.yes_no.search(question):
        if rules.replies.search(answer):
            return True
        content = {_beginning(each) for each in reader.content(question)}
        return len(content) < 2 or bool(content & reader.beginnings([answer]))
    if rules.wh.search(question) and rules.yes_or_no.search(answer):
        return False
    for kind in rules.kinds:
        if kind.asked.search(question):
            return kind.answered.search(answer) is not None
    return True
