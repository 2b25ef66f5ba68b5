"""The shape of lists and tables: single and empty items, empty and missing cells."""

from collections.abc import Iterator

from app.core.checks.check import WARNING, FilePart, Finding, Scope, ScorePart, check
from app.core.checks.layout import Block, BlockKind, Layout
from app.core.text import word_count

_LEAST_MIXED = 5
_LEAST_WORDS = 3


@check(
    "list_shape", ScorePart.STRUCTURE, Scope.LAYOUT, WARNING,
    "Give a list two items or more, all with text and alike in form.",
    in_files=FilePart.FILE, fixable=True,
)  # fmt: skip
def check_list_shape(layout: Layout, language: str) -> Iterator[Finding]:
    """Lists of one item, empty items, and a single item with or without a full stop."""
    before: Block | None = None
    for at, block in enumerate(layout.blocks):
        if block.kind is BlockKind.LIST:
            yield from _items(block, before, layout.blocks[at + 1 : at + 3])
        before = block


def _items(block: Block, before: Block | None, after: list[Block]) -> Iterator[Finding]:
    items = block.items
    for item in items:
        if not item.text and not item.has_more:
            yield check_list_shape.found(item.section, "An item of the list is empty.")
    introduced = before is not None and before.text.rstrip().endswith(":")
    goes_on = any(each.kind is BlockKind.LIST for each in after)
    is_short = word_count(items[0].text) < _LEAST_WORDS
    if len(items) == 1 and introduced and not (items[0].has_more or goes_on or is_short):
        yield check_list_shape.found(items[0].section, "The list has a single item.")
    plain = [item for item in items if item.text and not item.has_more]
    if len(plain) == len(items) >= _LEAST_MIXED:
        stopped = [item.text.rstrip().endswith((".", "!", "?")) for item in items]
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
                yield check_list_shape.found(odd.section, f"Only one item ends {how}.")


@check(
    "table_shape", ScorePart.STRUCTURE, Scope.LAYOUT, WARNING,
    "Fill the cell; write “none” or “–” where there is nothing to say.",
    in_files=FilePart.FILE, fixable=True,
)  # fmt: skip
def check_table_shape(layout: Layout, language: str) -> Iterator[Finding]:
    """Rows of a table with too few cells, and a single empty cell."""
    for block in layout.blocks:
        if block.kind is BlockKind.TABLE and block.rows:
            width = len(block.header)
            empty = [(row, cell) for row in block.rows for cell in row if not cell.text]
            short = sum(written < width for written in block.written)
            for row, written in zip(block.rows, block.written, strict=True):
                # Converters leave out cells that span rows, in several rows or beside a picture.
                if short == 1 and written < width and all(c.text for c in block.header[1:]):
                    problem = f"A row has {written} of {width} cells."
                    yield check_table_shape.found(row[0].section, problem)
                    empty = []
            rows_without_text = any(not any(cell.text for cell in row) for row in block.rows)
            if len(empty) == 1 and len(block.rows) > 1 and width > 1 and not rows_without_text:
                row, _ = empty[0]
                if row is block.rows[-1]:
                    continue  # sums
                problem = "A cell of the table is empty."
                yield check_table_shape.found(row[0].section, problem)
