"""The shape of lists and tables: single and empty items, empty and missing cells."""

from collections.abc import Iterator

from app.core.checks.check import WARNING, FilePart, Finding, Scope, ScorePart, check
from app.core.checks.layout import Block, BlockKind, Entry, Layout
from app.core.languages import Consistency, get_section
from app.core.text import fold, word_count, words

_AND_SO_ON = frozenset({"…", "..."})
# What may follow a full stop: “Write “Back soon.””, “(or all of it.)”
_CLOSING = " \n\"'”’»«“)]*_"
_NO_TEXT = frozenset({"", "…", "...", "-", "–", "—", "?", "???", "*", "•", "_"})
_LEAST_MIXED = 5
_LEAST_WORDS = 3
_LABEL_WORDS = 5


@check(
    "list_shape", ScorePart.STRUCTURE, Scope.LAYOUT, WARNING,
    "Give a list two items or more, each with words of its own at its start, in the same form.",
    in_files=FilePart.FILE, fixable=True,
)  # fmt: skip
def check_list_shape(layout: Layout, language: str) -> Iterator[Finding]:
    """Lists of one item, announced lists that never come, empty and repeated items, one that ends
    unlike the others, and one that goes on behind its list."""
    before: Block | None = None
    level = 1
    for at, block in enumerate(layout.blocks):
        if block.kind is BlockKind.LIST:
            yield from _items(block, before, layout.blocks[at + 1 : at + 3])
            yield from _torn(block, layout.blocks[at + 1 : at + 3])
        elif block.kind is BlockKind.HEADING:
            # A heading below this one begins what is announced.
            if before is not None and block.level <= level:
                yield from _leads_nowhere(before)
            level = block.level
        before = block
    if before is not None:
        yield from _leads_nowhere(before)


def _leads_nowhere(block: Block) -> Iterator[Finding]:
    """A paragraph that announces a list, but ends its section."""
    text = block.text.rstrip()
    if block.kind is BlockKind.PARAGRAPH and text.endswith(":") and len(words(text)) > _LABEL_WORDS:
        problem = f"Nothing follows “{text[-60:]}”."
        yield check_list_shape.found(block.section, problem)


def _torn(block: Block, after: list[Block]) -> Iterator[Finding]:
    """An item whose sentence goes on in a paragraph, before the list goes on."""
    if [each.kind for each in after] != [BlockKind.PARAGRAPH, BlockKind.LIST] or not block.items:
        return
    last, rest = block.items[-1], after[0].text
    goes_on = rest[:1].islower() or rest[:1].isdecimal()
    goes_on = goes_on and word_count(rest) >= _LEAST_WORDS
    ends = last.text.rstrip().endswith((*".!?:;,",))
    if goes_on and last.text and not ends:
        problem = f"The item “{last.text[:60]}” goes on behind its list: “{rest[:60]}”."
        yield check_list_shape.found(after[0].section, problem)


def _items(block: Block, before: Block | None, after: list[Block]) -> Iterator[Finding]:
    items = block.items
    yield from _twice(items)
    for number, item in enumerate(items, 1):
        # A last "…" stands for more of the same.
        is_rest = item.text in _AND_SO_ON and number == len(items)
        if item.text in _NO_TEXT and not item.has_more and not is_rest:
            yield check_list_shape.found(item.section, "The list has an empty item.")
    introduced = before is not None and before.text.rstrip().endswith(":")
    goes_on = any(each.kind is BlockKind.LIST for each in after)
    is_short = word_count(items[0].text) < _LEAST_WORDS
    if len(items) == 1 and introduced and not (items[0].has_more or goes_on or is_short):
        problem = f"“{items[0].text[:60]}” is the only item of its list."
        yield check_list_shape.found(items[0].section, problem)
    plain = [item for item in items if item.text and not item.has_more]
    if len(plain) == len(items) >= _LEAST_MIXED:
        stopped = [item.text.rstrip(_CLOSING).endswith((".", "!", "?")) for item in items]
        for form in (True, False):
            # One that differs is an oversight; half and half may be a habit.
            # The last item of a sentence in items ends with its full stop.
            if (
                stopped.count(form) == 1
                and stopped[-1] is not form
                and all(word_count(i.text) >= _LEAST_WORDS for i in items)
            ):
                odd = items[stopped.index(form)]
                how = "with a full stop" if form else "without a full stop"
                problem = f"“{odd.text[:60]}” is the only item of its list that ends {how}."
                yield check_list_shape.found(odd.section, problem)


def _twice(items: list[Entry]) -> Iterator[Finding]:
    """An item, or the words before its colon, that the list has already."""
    seen: dict[str, str] = {}
    labels: dict[str, str] = {}
    for item in items:
        text, label = fold(item.text), fold(item.text.partition(":")[0])
        has_label = ": " in item.text and 0 < len(label.split()) <= _LABEL_WORDS
        if len(text) > 1 and not item.has_more and not text.isdecimal() and text in seen:
            yield check_list_shape.found(item.section, f"The list has “{item.text[:60]}” twice.")
        elif has_label and label in labels and not label.isdecimal() and not item.has_more:
            problem = f"Two items of the list begin with “{item.text.partition(':')[0]}”."
            yield check_list_shape.found(item.section, problem)
        seen.setdefault(text, item.section)
        if has_label:
            labels.setdefault(label, item.section)


@check(
    "table_shape", ScorePart.STRUCTURE, Scope.LAYOUT, WARNING,
    "Name each row once, and fill every cell; write “–” where there is nothing to say.",
    in_files=FilePart.FILE, fixable=True,
)  # fmt: skip
def check_table_shape(layout: Layout, language: str) -> Iterator[Finding]:
    """Rows with too few or too many cells, a single empty cell, and a row that comes twice."""
    for block in layout.blocks:
        if block.kind is BlockKind.TABLE and block.rows:
            width = len(block.header)
            yield from _row_twice(block)
            for row, written in zip(block.rows, block.written, strict=True):
                if written > width and max(block.written) == written and row:
                    problem = f"The row “{row[0].text[:60]}” has {written} of {width} cells."
                    yield check_table_shape.found(row[0].section, problem)
                    break
            empty = [(row, cell) for row in block.rows for cell in row if not cell.text]
            short = sum(written < width for written in block.written)
            for row, written in zip(block.rows, block.written, strict=True):
                # Converters leave out cells that span rows, in several rows or beside a picture.
                if short == 1 and written < width and all(c.text for c in block.header[1:]):
                    problem = f"The row “{row[0].text[:60]}” has {written} of {width} cells."
                    yield check_table_shape.found(row[0].section, problem)
                    empty = []
            rows_without_text = any(not any(cell.text for cell in row) for row in block.rows)
            if len(empty) == 1 and len(block.rows) > 1 and width > 1 and not rows_without_text:
                row, _ = empty[0]
                if row is block.rows[-1] and _is_total(row[0].text, language):
                    continue
                named = next(cell.text for cell in row if cell.text)
                problem = f"The row with “{named[:60]}” has an empty cell."
                yield check_table_shape.found(row[0].section, problem)


def _is_total(text: str, language: str) -> bool:
    rules = get_section(language, Consistency)
    return not text or rules is None or not rules.total_rows.isdisjoint(words(text))


def _row_twice(block: Block) -> Iterator[Finding]:
    """A single row that is there already, or whose first cell another row has."""
    whole: set[tuple[str, ...]] = set()
    same: list[Entry] = []
    for row in block.rows:
        cells = tuple(fold(cell.text) for cell in row)
        if cells in whole and sum(map(bool, cells)) > 1:
            same.append(row[0])
        whole.add(cells)
    if len(same) == 1:
        problem = f"The table has the row “{same[0].text[:60]}” twice."
        yield check_table_shape.found(same[0].section, problem)
        return
    names: set[str] = set()
    repeated: list[Entry] = []
    for first in (row[0] for row in block.rows if row):
        name = fold(first.text)
        if name in names and not name.isdecimal():
            repeated.append(first)
        names.add(name or first.section)
    # Several repeated names are groups of rows.
    if len(repeated) == 1 and len(block.header) > 1:
        problem = f"The table has two rows named “{repeated[0].text[:60]}”."
        yield check_table_shape.found(repeated[0].section, problem)
