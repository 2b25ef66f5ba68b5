"""Counts that do not hold, promises that are not kept, and questions that are not answered."""

import re
from collections import Counter
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
    Evasion,
    Numbers,
    Promise,
    Promises,
    Questions,
    StepOrder,
    get_language,
    get_section,
)
from app.core.text import Span, fold, folded, sentences, stem, stems, word_count, word_set, words

_MOST_COUNTED = 50
# A word between two numbers that is shorter is no thing that is counted.
_LEAST_THING = 4
# Adjectives between a number and what it counts: seven quick and easy tips.
_WORDS_BETWEEN = 4
# The number of a chapter, a decimal, a share, a range.
_PART_OF_NUMBER = re.compile(r"[.,:/)]|\s?[%°€$£]|-|\s?[–—]\s?\d")
_NUMBERED = re.compile(r"#?\d{1,2}[.:)] ")
_TITLE_WORDS = 20
# Where a count may be listed: in the blocks and sentences right below it.
_MOST_BELOW = 40
_MOST_SENTENCES = 12
_MOST_BELOW_LIST = 2
_MOST_ANNOUNCED = 5
_JOINED = (".", "-", "–", "/", "#", "§")
_SEPARATORS = re.compile(r"[,;]\s(?:and |or )?|\s(?:and|or|&|und|oder|et|ou|y|o|e|en|of)\s|/")
_LETTERS_COMPARED = 4
# A shorter text may say it all in other words.
_SUBJECT_FROM_WORDS = 60
_TITLE_FROM_WORDS = 100
_HEADING_FROM_WORDS = 30
_HEADING_FROM_STEMS = 2
_ANSWER_FROM_WORDS = 5
_ANSWER_LEAST_WORDS = 2
_EVADING_SENTENCES = 4
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
        order = get_section(language, StepOrder)
        self.beyond = frozenset[str]().union(*order.ordinals[2:]) if order else frozenset[str]()
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
            if index > 1 and len(before) < _LEAST_THING and self.value(found[index - 2][0]):
                continue  # "the 1 in 4 rule", "two of three"
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
    "Correct the number, or what it counts.",
    languages=with_section(Counts), in_files=FilePart.FILE, fixable=True,
)  # fmt: skip
def check_count(layout: Layout, language: str) -> Iterator[Finding]:
    """Numbers that the text does not keep: a title with five tips above three."""
    rules, numbers = get_section(language, Counts), _numbers(language)
    if not rules or not numbers:
        return
    counter = _Counter(rules, numbers, language)
    yield from _title_count(layout, counter)
    for part in layout.parts:
        if part.heading and part.heading.section != layout.title_section:
            yield from _heading_count(part, counter, language)
        yield from _introduced_counts(part, counter, language)
        yield from _beyond_list(part, counter, language)
        yield from _beyond_two(part, counter, language)
    for text, section, _ in layout.texts:
        if not numbers.both.isdisjoint(word_set(text)) and (match := rules.both.search(text)):
            problem = f"“{match.group()}” names more than two things."
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
                problem = f"The title says {number}, but the text has {len(labelled)}."
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
            problem = f"The title says {number}, but the text has {sections} sections."
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
            problem = f"“{heading.text}” says {number}, but its section has another number."
            yield check_count.found(heading.section, problem, span)


def _beyond_list(part: Part, counter: _Counter, language: str) -> Iterator[Finding]:
    """“The sixth item” below a list of two, “the last three” of two, “step 9” of two."""
    order = get_section(language, StepOrder)
    size, is_numbered = 0, False
    for block in part.own:
        if block.kind is BlockKind.LIST:
            size, is_numbered = len(block.items), bool(block.numbers)
            continue
        if block.kind is not BlockKind.PARAGRAPH or size < 2 or order is None:
            continue
        read = sentences(block.text, language)[:_MOST_BELOW_LIST]
        for sentence in read:
            pointed = _pointed(sentence.text, order, counter, is_numbered=is_numbered)
            if pointed and pointed[0] > size:
                begin = sentence.span[0]
                span = (begin + pointed[1][0], begin + pointed[1][1])
                shown = sentence.text[slice(*pointed[1])]
                problem = f"“{shown}” points to item {pointed[0]}, but the list above has {size}."
                yield check_count.found(block.section, problem, span)
                break
        size = 0


def _beyond_two(part: Part, counter: _Counter, language: str) -> Iterator[Finding]:
    """“Of the two tools, the third …”."""
    order = get_section(language, StepOrder)
    for block in part.own if order else ():
        said = word_set(block.text) if block.kind is BlockKind.PARAGRAPH else frozenset()
        if counter.values.keys().isdisjoint(said) or counter.beyond.isdisjoint(said):
            continue
        for sentence in sentences(block.text, language):
            found = folded(sentence.text)
            for at in range(len(found) - 3):
                if found[at][0] not in counter.rules.of or not (
                    number := counter.value(found[at + 2][0])
                ):
                    continue
                if found[at + 1][0] not in counter.rules.definite:
                    continue
                for (one, _), (two, span) in pairwise(found[at + 3 :]):
                    places = enumerate(order.ordinals, 1) if order else ()
                    place = next((n for n, forms in places if two in forms), 0)
                    if one in counter.rules.definite and place > number:
                        begin = sentence.span[0]
                        problem = f"The sentence speaks of {number}, but “{two}” is one more."
                        span = (begin + span[0], begin + span[1])
                        yield check_count.found(block.section, problem, span)
                        break


def _pointed(
    text: str, order: StepOrder, counter: _Counter, *, is_numbered: bool
) -> tuple[int, Span] | None:
    """Return the number of the thing in a list that a sentence points at."""
    found = folded(text)
    says_list = not counter.rules.lists.isdisjoint(word for word, _ in found)
    triples = zip(found, found[1:], found[2:], strict=False)
    for index, ((one, span), (two, _), (three, end)) in enumerate(triples):
        place = next((n for n, forms in enumerate(order.ordinals, 1) if two in forms), 0)
        thing = found[index + 3][0] if index + 3 < len(found) else ""
        is_listed = says_list or bool({three, thing} & counter.rules.listed_things)
        if one in counter.rules.definite and is_listed:
            if place > 2:
                return place, (span[0], end[1])
            if two in counter.rules.last and (value := counter.value(three)):
                return value, (span[0], end[1])
            if says_list and (value := counter.value(two)):
                return value, (span[0], end[1])
        if (
            is_numbered
            and two in order.labels
            and three.isdecimal()
            and one in counter.rules.before_label
        ):
            return int(three), (span[0], end[1])
    return None


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
        problem = (
            f"“{_counted(last.text, begin)}” promises {number} things, but the list has {items}."
        )
        span = (last.span[0] + begin, last.span[0] + end)
        yield check_count.found(block.section, problem, span)


def _counted(text: str, begin: int) -> str:
    """Return a number and the word behind it."""
    return " ".join(text[begin:].split(maxsplit=2)[:2]).rstrip(".,:;")


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
    if counter.values.keys().isdisjoint(word_set(block.text)):
        return
    order = get_section(language, StepOrder)
    read = sentences(block.text, language)
    for index, sentence in enumerate(read):
        counted = [*counter.in_text(sentence.text)]
        if not counted and (colon := sentence.text.find(": ")) > 0:
            counted = [*counter.before_colon(sentence.text[: colon + 1])]
        for number, (begin, end) in counted[:1]:
            span = (sentence.span[0] + begin, sentence.span[0] + end)
            colon = sentence.text.find(": ", end)
            if 0 <= colon < end + 60:
                parts = [part for part in _SEPARATORS.split(sentence.text[colon + 2 :]) if part]
                short = all(len(part.split()) <= 3 for part in parts)
                if 2 <= len(parts) < number or (short and 2 <= number < len(parts)):
                    shown = _counted(sentence.text, begin)
                    problem = f"“{shown}” promises {number} things, but {len(parts)} follow."
                    yield check_count.found(block.section, problem, span)
            elif order and number > 2:
                rest = [each.text for each in read[index + 1 : index + _MOST_SENTENCES]]
                if 0 < (reached := _ordinal_reached(rest, order, counter.rules)) < number:
                    shown = _counted(sentence.text, begin)
                    problem = f"“{shown}” promises {number} things, but {reached} follow."
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
    "Add it to the text, or do not promise it.",
    languages=with_section(Promises), in_files=FilePart.FILE, fixable=True,
)  # fmt: skip
def check_promise(layout: Layout, language: str) -> Iterator[Finding]:
    """Promises of a title, heading, description or introduction that the text does not keep."""
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
            problem = f"“{match.group()}” promises {kind.what}, but the text has none."
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
            problem = f"The title names “{side}”, but the text does not mention it."
            yield check_promise.found(section, problem, span)


def _unmentioned(layout: Layout, reader: _Text, language: str) -> Iterator[Finding]:
    """The title and headings of a file that are about something else than the text."""
    if not layout.in_file or not layout.section_headings:
        return
    used: Counter[str] = Counter()
    for block in layout.blocks:
        used.update(reader.beginnings(_block_texts([block])))
    for part in layout.parts:
        heading = part.heading
        if heading is None or not part.own:
            continue
        content = {_beginning(each) for each in reader.content(heading.text)}
        known = [each for each in content if used[each] > 1]
        # A word of the heading may come elsewhere by chance.
        if len(content) < _HEADING_FROM_STEMS or 3 * len(known) > len(content):
            continue
        if known and not reader.beginnings(_block_texts(part.all)).isdisjoint(known):
            continue
        kinds = {block.kind for block in part.all}
        # Questions, code and pictures need not repeat what their heading says.
        if kinds & {BlockKind.QUESTION, BlockKind.CODE, BlockKind.IMAGE, BlockKind.QUOTATION}:
            continue
        is_title = heading.section == layout.title_section
        least = _TITLE_FROM_WORDS if is_title else _HEADING_FROM_WORDS
        if sum(word_count(text) for text in _block_texts(part.all)) >= least:
            problem = f"The text below “{heading.text}” says nothing about it."
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
                what = piece.strip()
                problem = f"The introduction announces “{what}”, but the text does not have it."
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
    """Questions whose answer lacks what they ask for: a time, a number, a place, yes or no."""
    rules = get_section(language, Questions)
    if rules is None:
        return
    reader = _Text(layout, language)
    evasion = get_section(language, Evasion)
    blocks = {part.own[0].section: part.own for part in layout.parts if part.own}
    for question, _, answer in layout.questions:
        text = answer.text
        is_text = answer.kind in {BlockKind.ANSWER, BlockKind.PARAGRAPH}
        if not is_text or word_count(text) < _ANSWER_LEAST_WORDS or text.rstrip().endswith(":"):
            continue
        asked = question.lstrip("0123456789.)( *_QqAa:") if question[:1].isdigit() else question
        if evasion and _evades(asked, answer, blocks.get(answer.section, ()), evasion, language):
            problem = f"The text below “{question}” does not answer the question."
            yield check_unanswered.found(answer.section, problem)
        elif word_count(text) < _ANSWER_FROM_WORDS:
            continue
        elif not _answers(asked, text, rules, reader):
            problem = f"The answer to “{question}” does not say what the question asks for."
            yield check_unanswered.found(answer.section, problem)


def _evades(
    question: str, answer: Block, blocks: Sequence[Block], rules: Evasion, language: str
) -> bool:
    """Whether an answer only praises the question, asks back, or says that it depends."""
    if len(blocks) > 1:
        return False
    read = [each.text for each in sentences(answer.text, language)]
    if len(read) > _EVADING_SENTENCES:
        return False
    empty = [text.endswith("?") or rules.evading.search(text) is not None for text in read]
    if all(empty) or (empty[0] and len(read) == 2 and word_count(read[1]) < _ANSWER_LEAST_WORDS):
        return True
    return bool(rules.comparing.search(question)) and not rules.compared.search(answer.text)


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
