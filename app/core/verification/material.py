"""What a page says, for a writer who reads it as notes: its sentences, and rows of tables, items of
lists, what stands behind a label, answers with their questions.

All of it may be given if it is about the subject. An item, row or answer that shares no word with
the subject may be given with its section, unless it has a word that orders to a model are made of.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from app.core.languages import Composing, Opposition, Verification, get_section
from app.core.sources.prompt_injection import has_no_word_of_orders
from app.core.sources.source import Source
from app.core.text import primary_subtag, sentences, stems, words
from app.core.verification.extract import (
    ENDS,
    EXTRACT_CHARS,
    FIGURE_BONUS,
    FOOTNOTE,
    HEADING_END,
    ITEM,
    LABEL,
    MAX_HEADING_CHARS,
    MAX_SENTENCE_CHARS,
    MENU,
    TABLE_RULE,
    Extract,
    IndexedSentence,
    Rank,
    behind_label,
    is_cell,
    is_risky,
    is_whole,
    plain,
)

# The least length of an item of a list, and of a sentence behind another one: they are not alone.
# An item's first sentence of fewer words is the name of what it is about.
_NAME_WORDS = 4
_LEAST_CHARS = 10
# The most words of a sentence that does nothing but deny or limit: “Materials do not count.”
_LIMIT_WORDS = 12
_ROW_CHARS, _COLUMNS = 500, (2, 6)
# The last sentence of a paragraph that opens a list.
_LEAD = re.compile(r"[.!?]\s+([^.!?]{10,100}:)\Z")
# A page may be one table.
_MOST_ROWS = 100
# The end of a site's name is left out: readers are told where to go, and no post has an address.
_SITE = re.compile(
    r"(?<![\w@/.:-])(?:www\.)?([A-Za-z][A-Za-z0-9-]{3,39})\.(?:com?\.|gov\.|org\.)?"
    r"(?!js\b|ts\b|py\b)[a-z]{2,6}(?![\w@/:-])(?!\.\w)"
)
# When and where an office is reached: “Das Bürgertelefon erreichen Sie montags …”
_CONTACT = re.compile(
    r"\b(?:bürger|service|info)telefon\b|\b(?:sprech|öffnungs)zeiten\b|\bour (?:head )?offices?\b"
    r"|\b(?:phone|help|hot)line\b.{0,80}\b(?:a\.?m|p\.?m|monday|montags?|uhr)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class _Line:
    """A line of a page.

    Args:
        number: from 1; the title of the page is before it.
        heading: the heading or question above it, or what opens its list; "" without one.
        section: the line at which the part of the page begins in which it is given.
    """

    text: str
    number: int
    heading: str
    section: int


def statements_of(index: int, source: Source, language: str) -> Iterator[IndexedSentence]:
    """Yield what a page says, in its order.

    Args:
        index: the number of the source.
        language: that of the post.
    """
    spoken = primary_subtag(source.language or language)
    table: list[_Line] = []
    rows = 0
    for line in [*_lines(source.text), _Line("", 0, "", 0)]:
        # Headings are no lines of their own: below one, another table begins.
        goes_on = not table or line.number == table[-1].number + 1
        if _is_table(line.text) and goes_on:
            table.append(line)
            continue
        for own, row, cells in _rows(table):
            if (rows := rows + 1) <= _MOST_ROWS:
                extract = Extract(index, row, own.number, own.heading, "|")
                yield _indexed(source, extract, cells, own.section, language)
        table = [line] if _is_table(line.text) else []
        if table:
            continue
        item = ITEM.match(line.text)
        marker = "" if item is None else "1" if item[1] else "-"
        step = int(item[1]) if item and item[1] else 0
        for opens, text in _sentences(line, spoken):
            extract = Extract(index, text, line.number, line.heading, marker, opens, step)
            yield _indexed(source, extract, text, line.section, language)


def _lines(page: str) -> Iterator[_Line]:
    """Yield the lines of a page that are no headings."""
    heading, section = "", 0
    # Those of a list, which its opening line may name: “You need:”
    of_list, run = "", 0
    lines = page.split("\n")
    for number, (text, follows) in enumerate(zip(lines, [*lines[1:], ""], strict=True), 1):
        is_listed, opens_list = _is_listed(text), _is_listed(follows)
        if MENU.search(text):
            heading, section, of_list, run = "", number, "", 0
            continue
        is_short = len(text) <= MAX_HEADING_CHARS and not is_listed
        if is_short and (HEADING_END.search(text) or (opens_list and text.endswith(":"))):
            # “Mistake 1: a hard cut” and “May I send from ExampleMail.com?” are headings, too.
            shown = plain(_SITE.sub(r"\1", text))
            is_given = has_no_word_of_orders(shown) and not _is_order(shown, is_item=False)
            shown = shown if is_given else ""
            if text.endswith(":"):
                of_list, run = shown, number
            else:
                heading, section, of_list, run = shown, number, "", 0
            continue
        if not is_listed:
            of_list, run = "", number if opens_list else 0
        elif not run:
            run = number
        yield _Line(text, number, of_list or heading, section or run or number)
        if opens_list and not is_listed and text.endswith(":"):
            # A paragraph may end with what its list is of: “Test again in these cases:”
            lead = _LEAD.search(text)
            shown = plain(lead[1]) if lead else ""
            is_given = has_no_word_of_orders(shown) and not _is_order(shown, is_item=False)
            of_list = f"{heading}: {shown}" if is_given and heading else shown if is_given else ""


def _sentences(line: _Line, spoken: str) -> Iterator[tuple[bool, str]]:
    """Yield the sentences of a line that may be given, and whether each is its first. One that is
    too short to be understood alone is given with the next."""
    is_item = ITEM.match(line.text) is not None
    short, opens, is_backed = "", True, is_item or line.heading.endswith("?")
    for sentence in sentences(ITEM.sub("", line.text), spoken):
        written = _SITE.sub(r"\1", sentence.text)
        text = plain(FOOTNOTE.sub("", written))
        joined = f"{short} {text}" if short else text
        least = _LEAST_CHARS if is_backed else EXTRACT_CHARS[0]
        # “National Archives Museum. Open daily …”: an item begins with what it is about.
        is_name = is_item and opens and not short and text.count(" ") < _NAME_WORDS
        fits = least <= len(joined) <= EXTRACT_CHARS[1] or is_whole(joined, spoken)
        is_ended = is_item or ENDS.search(text) is not None
        is_refused = _CONTACT.search(text) is not None or _is_order(joined, is_item)
        if len(sentence.text) > MAX_SENTENCE_CHARS or not is_ended or is_refused:
            short, opens, is_backed = "", False, is_item
        elif fits and not is_name:
            yield opens, joined
            short, opens, is_backed = "", False, True
        else:
            short = joined if is_name or len(joined) < least else ""
    if short and is_backed:
        yield opens, short


def _is_order(text: str, is_item: bool) -> bool:
    """Whether a sentence may be an order to a model. An item of a list may begin with a small
    letter; what stands behind a label is judged alone if the label is of no such order."""
    written = f"{text[:1].upper()}{text[1:]}" if is_item else text
    return is_risky(text, behind_label(written))


def _rows(table: Sequence[_Line]) -> Iterator[tuple[_Line, str, str]]:
    """Yield the rows of a table that may be given, as text with the names of their columns, and
    their cells alone."""
    cells = [
        [plain(_SITE.sub(r"\1", cell)) for cell in line.text[1:-1].split("|")] for line in table
    ]
    is_headed = len(table) > 1 and TABLE_RULE.match(table[1].text) is not None
    width = len(cells[0]) if cells else 0
    if not is_headed or not _COLUMNS[0] <= width <= _COLUMNS[1] or not _is_row(cells[0], width):
        return
    for line, row in zip(table[2:], cells[2:], strict=True):
        named = [
            f"{name}: {cell}" if name else cell
            for name, cell in zip(cells[0], row, strict=False)
            if cell
        ]
        own = " ".join(filter(None, row))
        # An order may be shared out among cells.
        is_order = is_risky(own, behind_label(f"{own[:1].upper()}{own[1:]}"))
        text = "; ".join(named)
        if named and _is_row(row, width) and not is_order and len(text) <= _ROW_CHARS:
            yield line, text, own


def _is_row(cells: Sequence[str], width: int) -> bool:
    return len(cells) == width and all(is_cell(cell, copied=False) for cell in cells if cell)


def _indexed(
    source: Source, extract: Extract, own: str, section: int, language: str
) -> IndexedSentence:
    """Return what is given, found by its own words; if they are too few, with its section alone."""
    has_figure = any(map(str.isdigit, own))
    spoken = primary_subtag(source.language or language)
    # What a label makes no sentence of is judged without it.
    told = LABEL.sub("", own) if is_risky(own, own) else own
    is_alone = len(told) >= EXTRACT_CHARS[0] or is_whole(told, spoken)
    is_alone = is_alone or (extract.marker == "|" and has_figure)
    # A sentence of prose stands for itself: what shares no word with the subject may be an order,
    # unless it is a caution or has a figure, as rows and items have.
    rank = _rank(extract, spoken, has_figure=has_figure)
    is_part = extract.marker != "" or extract.heading.endswith("?") or rank < Rank.PLAIN
    return IndexedSentence(
        extract,
        source.site,
        stems(own, language) if is_alone else frozenset(),
        FIGURE_BONUS * has_figure,
        section,
        is_part and has_no_word_of_orders(extract.text),
        rank,
    )


def _rank(extract: Extract, spoken: str, *, has_figure: bool) -> Rank:
    rules = get_section(spoken, Composing)
    text, heading = extract.text, extract.heading
    if rules and (rules.of_page.search(text) or rules.of_page.search(heading)):
        return Rank.OF_PAGE
    if rules and (rules.cautions.search(text) or rules.help.search(text)):
        return Rank.CAUTION
    if extract.marker != "|" and _limits(text, spoken):
        return Rank.CAUTION
    if has_figure:
        return Rank.FIGURE
    is_own = rules and not rules.publisher.isdisjoint(words(f"{heading} {text}"))
    return Rank.OF_PUBLISHER if is_own else Rank.PLAIN


def _limits(text: str, spoken: str) -> bool:
    """Whether a short sentence denies something or limits it."""
    known, opposing = get_section(spoken, Verification), get_section(spoken, Opposition)
    limiting = (known.negations if known else set()) | (opposing.restricting if opposing else set())
    said = words(text)
    return len(said) <= _LIMIT_WORDS and not limiting.isdisjoint(said)


def _is_listed(line: str) -> bool:
    return ITEM.match(line) is not None or _is_table(line)


def _is_table(line: str) -> bool:
    return len(line) > 1 and line.startswith("|") and line.endswith("|")
