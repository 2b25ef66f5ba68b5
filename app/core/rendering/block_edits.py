"""The single texts of blocks, by their paths, and edits of one of them.

A path is `blocks[1]`, `blocks[1].items[0]`, `blocks[1].items[0].items[2]`, `blocks[3].header[0]` or
`blocks[3].rows[1][0]`; `blocks[3].rows[1]` is a row, which can be cut.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from app.core.rendering.blocks import (
    Block,
    Blocks,
    BulletList,
    Code,
    Heading,
    Item,
    NumberedList,
    Paragraph,
    Table,
    together,
)
from app.core.rendering.inline import Run, Text, plain, plain_text, settled
from app.core.text import Span, sentences

# Changes the text at a path.
Change = Callable[[str, Text], Text]
_ITEM = re.compile(r"blocks\[(\d+)\]((?:\.items\[\d+\]){1,2})")
_ROW = re.compile(r"blocks\[(\d+)\]\.rows\[(\d+)\]")
_BLOCK = re.compile(r"blocks\[(\d+)\]")
_NUMBER = re.compile(r"\d+")
_COLONS = (":", "：")
_LEAST_ITEMS = _LEAST_ROWS = 2


@dataclass(frozen=True, slots=True)
class Leaf:
    """One text of a block, as a reader sees it.

    ``code`` are the spans of code. ``about`` says what an item or a cell is about: the item above
    it, or the header of its column and the first cell of its row. ``leads`` marks a paragraph that
    introduces the list, table or code below it.
    """

    path: str
    block: Block
    text: str
    code: tuple[Span, ...] = ()
    about: str = ""
    leads: bool = False


def leaves(blocks: Blocks) -> Iterator[Leaf]:
    """Yield every text of the blocks, in reading order; empty cells have none."""
    for number, block in enumerate(blocks):
        path = f"blocks[{number}]"
        match block:
            case Code():
                yield Leaf(path, block, block.text, ((0, len(block.text)),))
            case BulletList() | NumberedList():
                yield from _item_leaves(path, block, block.items)
            case Table():
                names = [plain(cell) for cell in block.header]
                for column, cell in enumerate(block.header):
                    yield from _leaf(f"{path}.header[{column}]", block, cell)
                for at, row in enumerate(block.rows):
                    for column, cell in enumerate(row):
                        about = f"{plain(row[0])} {names[column]}" if column else names[0]
                        yield from _leaf(f"{path}.rows[{at}][{column}]", block, cell, about)
            case _:
                leads = isinstance(block, Paragraph) and _leads(blocks, number)
                yield from _leaf(path, block, block.text, leads=leads)


def _item_leaves(
    path: str, block: Block, items: tuple[Item, ...], about: str = ""
) -> Iterator[Leaf]:
    for number, item in enumerate(items):
        at = f"{path}.items[{number}]"
        yield from _leaf(at, block, item.text, about)
        if item.children:
            yield from _item_leaves(at, block, item.children.items, plain(item.text))


def _leaf(
    path: str, block: Block, text: Text, about: str = "", *, leads: bool = False
) -> Iterator[Leaf]:
    if text:
        yield Leaf(path, block, plain(text), code_spans(text), about, leads)


def code_spans(text: Text) -> tuple[Span, ...]:
    """Return the spans of a text that are code."""
    spans, at = [], 0
    for run in text:
        if run.code:
            spans.append((at, at + len(run.text)))
        at += len(run.text)
    return tuple(spans)


def _leads(blocks: Blocks, number: int) -> bool:
    """Whether a block ends with a colon and introduces the next one."""
    block, following = blocks[number], blocks[number + 1 : number + 2]
    return (
        isinstance(block, Paragraph)
        and plain(block.text).endswith(_COLONS)
        and any(isinstance(each, BulletList | NumberedList | Table | Code) for each in following)
    )


def change_texts(path: str, block: Block, change: Change) -> Block:
    """Return the block at a path with each text replaced by ``change(its path, text)``.

    The texts are changed in reading order; code stays as it is.
    """
    match block:
        case Code():
            return block
        case BulletList() | NumberedList():
            return replace(block, items=_changed_items(path, block.items, change))
        case Table():
            header = _changed_row(f"{path}.header", block.header, change)
            rows = (
                _changed_row(f"{path}.rows[{at}]", row, change) for at, row in enumerate(block.rows)
            )
            return Table(header, tuple(rows))
        case _:
            return replace(block, text=change(path, block.text))


def _changed_items(path: str, items: tuple[Item, ...], change: Change) -> tuple[Item, ...]:
    found = []
    for number, item in enumerate(items):
        at = f"{path}.items[{number}]"
        text, below = change(at, item.text), item.children
        if below:
            below = replace(below, items=_changed_items(at, below.items, change))
        found.append(Item(text, below))
    return tuple(found)


def _changed_row(path: str, row: tuple[Text, ...], change: Change) -> tuple[Text, ...]:
    return tuple(change(f"{path}[{column}]", cell) for column, cell in enumerate(row))


def edit_text(blocks: Blocks, path: str, new: str, span: Span | None = None) -> Blocks:
    """Return the blocks with plain text in place of one text or of a span of it.

    The new text of a span has the style of the text where it begins; a whole new text has none.

    Raises:
        LookupError: no text has this path.
    """
    leaf = _found(blocks, path)
    if isinstance(leaf.block, Code):
        begin, end = span or (0, len(leaf.text))
        code = replace(leaf.block, text=f"{leaf.text[:begin]}{new}{leaf.text[end:]}")
        return tuple(code if block is leaf.block else block for block in blocks)

    def change(at: str, text: Text) -> Text:
        if at != path:
            return text
        return _spliced(text, new, span) if span else plain_text(new)

    return tuple(change_texts(f"blocks[{n}]", block, change) for n, block in enumerate(blocks))


def _found(blocks: Blocks, path: str) -> Leaf:
    for leaf in leaves(blocks):
        if leaf.path == path:
            return leaf
    raise LookupError(f"no text at {path}")


def _spliced(text: Text, new: str, span: Span) -> Text:
    style = next((run for run, (_, end) in _with_spans(text) if end > span[0]), Run(""))
    middle = replace(style, text=new)
    return settled((*part(text, 0, span[0]), middle, *part(text, span[1], len(plain(text)))))


def part(text: Text, begin: int, end: int) -> Iterator[Run]:
    """Yield the runs of a part of a text."""
    for run, (start, _) in _with_spans(text):
        if piece := run.text[max(0, begin - start) : max(0, end - start)]:
            yield replace(run, text=piece)


def _with_spans(text: Text) -> Iterator[tuple[Run, Span]]:
    at = 0
    for run in text:
        yield run, (at, at + len(run.text))
        at += len(run.text)


def cut(blocks: Blocks, path: str, span: Span | None = None, language: str = "en") -> Blocks | None:
    """Return the blocks without a text, or without its sentences that a span touches; or without a
    row. A table of which one row would be left goes as well, with the sentence that introduces it.

    Returns None if that would leave something incomplete: a table without a cell, a list of one
    item, a paragraph that introduces nothing, a heading or a section without text.

    Raises:
        LookupError: no text and no row has this path.
    """
    if match := _ROW.fullmatch(path):
        return _without_row(blocks, int(match[1]), int(match[2]), language)
    leaf = _found(blocks, path)
    if span is not None and not isinstance(leaf.block, Code):
        touched = [s.span for s in sentences(leaf.text, language) if _meet(s.span, span)]
        if not touched:
            return None
        begin, end = touched[0][0], touched[-1][1]
        left = f"{leaf.text[:begin]}{leaf.text[end:]}"
        if left.strip():
            if leaf.leads and not left.rstrip().endswith(_COLONS):
                return None
            return edit_text(blocks, path, "", (begin, end))
    if match := _ITEM.fullmatch(path):
        numbers = [int(number) for number in _NUMBER.findall(match[2])]
        at = int(match[1])
        shorter = _without(blocks[at], numbers)
        return None if shorter is None else (*blocks[:at], shorter, *blocks[at + 1 :])
    if match := _BLOCK.fullmatch(path):
        return _without_block(blocks, int(match[1]))
    return None


def _meet(one: Span, two: Span) -> bool:
    return one[0] < two[1] and two[0] < one[1]


def _without(block: Block, numbers: list[int]) -> Block | None:
    if not isinstance(block, BulletList | NumberedList):
        return None
    at, *below = numbers
    item = block.items[at]
    before, after = block.items[:at], block.items[at + 1 :]
    if below:
        if item.children is None:
            return None
        children = _without(item.children, below)
        if not isinstance(children, BulletList | NumberedList):
            return None
        return replace(block, items=(*before, Item(item.text, children), *after))
    if item.children or len(block.items) <= _LEAST_ITEMS:
        return None
    return replace(block, items=(*before, *after))


def _without_row(blocks: Blocks, at: int, row: int, language: str) -> Blocks | None:
    table = blocks[at] if at < len(blocks) else None
    if not isinstance(table, Table) or row >= len(table.rows):
        raise LookupError(f"no row {row} in block {at}")
    before, after = blocks[:at], blocks[at + 1 :]
    rows = (*table.rows[:row], *table.rows[row + 1 :])
    if len(rows) >= _LEAST_ROWS:
        return (*before, Table(table.header, rows), *after)
    if at > 0 and _leads(blocks, at - 1):
        lead = _found(blocks, f"blocks[{at - 1}]")
        begin, end = sentences(lead.text, language)[-1].span
        before = edit_text(before, lead.path, "", (begin, end)) if begin else before[:-1]
    return _without_block((*before, table, *after), len(before))


def _without_block(blocks: Blocks, at: int) -> Blocks | None:
    is_led = at > 0 and _leads(blocks, at - 1)
    before, after = blocks[:at], blocks[at + 1 :]
    is_above_heading = not after or isinstance(after[0], Heading)
    leaves_heading = (not before or isinstance(before[-1], Heading)) and is_above_heading
    is_heading = isinstance(blocks[at], Heading)
    if is_led or (leaves_heading and not is_heading) or not (before or after):
        return None
    return tuple(together((*before, *after)))
