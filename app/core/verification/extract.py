"""What of a page may be given to a writer: sentences, and cells of tables, that are no orders to a
model. They contain no control or format characters, addresses, angle or square brackets or
backticks.
"""

import re
import unicodedata
from dataclasses import dataclass, field
from enum import IntEnum
from functools import cached_property

from app.core.checks import Kind, Passage, is_clean
from app.core.languages import Verification, get_section
from app.core.sources.prompt_injection import (
    has_no_word_of_orders,
    is_no_text_for_readers,
    may_address_a_model,
)
from app.core.text import words

EXTRACT_CHARS = (30, 300)
# The least length of a sentence that says no: “Never paint smoke alarms.” is one that readers need.
_CAUTION_CHARS = 15
# A longer text is not one sentence.
MAX_SENTENCE_CHARS = 1000
FIGURE_BONUS = 0.1
_CELL_CHARS = 120

# Angle and square brackets, backticks, and what looks like them.
_BRACKETS = "<>[]`‹›〈〉⟨⟩❮❯❬❭\u2329\u232a⟦⟧⟪⟫《》≪≫⁅⁆【】〔〕〚〛❲❳ˋ｀＜＞［］﹤﹥˂˃ᐸᐳ"
_BRACKETED = re.compile(f"[{re.escape(_BRACKETS)}]")
WITHOUT_BRACKETS = str.maketrans("", "", _BRACKETS)
# What opens an item or a cell: “Mild: vomiting”.
LABEL = re.compile(r"\A[^:.!?]{1,60}:\s+(?=\S)")
# Footnote marks: [12], [b].
FOOTNOTE = re.compile(r"\s?\[(?:\d{1,4}|[a-z])\]")
# Any address, even one that the checks accept; Node.js and the like are names.
_ADDRESS = re.compile(
    r"://|\bwww\.|@(?!\{)|\b(?:mailto|tel|javascript|data):\S"
    r"|\w\.[a-z]{2,24}\b(?<!\.js)(?<!\.ts)(?<!\.py)",
)
# An item of a list; and the end of a heading, which is no sentence, or a question.
ITEM = re.compile(r"\A\s*(?:[-*•]|(\d{1,3})[.)])\s+")
HEADING_END = re.compile(r"[^\W_][)\"'”’»]?\Z|\?\Z")
MAX_HEADING_CHARS = 80
# The links at the top of a page: “Home | Money | Travel”.
MENU = re.compile(r"\A[^|·›»\n]{1,60}(?: [|·›»] [^|·›»\n]{1,60}){2,}\Z")
# The line below the head of a table.
TABLE_RULE = re.compile(r"\A\|(?:\s*:?-{3,}:?\s*\|)+\Z")
ENDS = re.compile(r"[.!?…。！？][\"'”’»)]{0,3}\Z")
# Controls and separators become spaces; format characters and unassigned ones are removed.
_PARTING = frozenset({"Cc", "Zl", "Zp", "Zs"})
_DROPPED = frozenset({"Cf", "Cs", "Co", "Cn"})
# Variation selectors and fillers are not format characters, but can hide bytes as well.
_VARIANTS = re.compile("[\u034f\u115f\u1160\u3164\ufe00-\ufe0f\uffa0\U000e0100-\U000e01ef]")


@dataclass(frozen=True)
class Extract:
    """A sentence for a writer; ``source_index`` is the position of its source.

    Args:
        line: the number of its line on the page: a paragraph, or an item of a list.
        heading: the heading above it; "" without one.
        marker: of an item of a list, “-”, or “1” if the items are numbered; “|” for a table, whose
            text is its lines in Markdown, "" if it may not be given.
        opens: whether it is the first sentence of its line.
        step: its number in a numbered list; 0 for anything else.
    """

    source_index: int
    text: str
    line: int = field(default=0, compare=False)
    heading: str = field(default="", compare=False)
    marker: str = field(default="", compare=False)
    opens: bool = field(default=True, compare=False)
    step: int = field(default=0, compare=False)


class Rank(IntEnum):
    """How much sooner readers need a sentence than others that are as near to the subject."""

    CAUTION = -2
    FIGURE = -1
    PLAIN = 0
    OF_PUBLISHER = 1
    OF_PAGE = 2


@dataclass(frozen=True)
class IndexedSentence:
    """A sentence that may be given; ``bonus`` is added to its score for figures and names.

    Args:
        section: the part of its page that it belongs to; None if that does not matter.
        is_part: whether it is given with its section, if enough of it is; otherwise only for its
            own words.
    """

    extract: Extract
    site: str
    stems: frozenset[str]
    bonus: float
    section: int | None = None
    is_part: bool = False
    rank: Rank = Rank.PLAIN

    @cached_property
    def is_refused(self) -> bool:
        """Whether the checks would refuse it: a writer may repeat it word for word."""
        return not is_clean(Passage("source", Kind.PROSE, self.extract.text), "en")


def behind_label(written: str) -> str:
    """Return what stands behind a label that has no word of an order to a model, as a sentence of
    its own: “Mild: vomiting”, “Social Security number: freeze your credit.”"""
    label = LABEL.match(written)
    if label is None or not has_no_word_of_orders(written):
        return written
    rest = written[label.end() :]
    return f"{rest[:1].upper()}{rest[1:]}"


def is_cell(cell: str, *, copied: bool) -> bool:
    # A cell is no sentence: it may begin with a small letter, as an order to a model does.
    return (
        len(cell) <= _CELL_CHARS
        and not is_risky(cell, behind_label(f"{cell[:1].upper()}{cell[1:]}"), copied=copied)
        and is_clean(Passage("source", Kind.PROSE, cell), "en")
    )


def is_whole(text: str, language: str) -> bool:
    """Whether it is not a heading or a list item: those have no full stop."""
    least, most = EXTRACT_CHARS
    if _CAUTION_CHARS <= len(text) < least:
        known = get_section(language, Verification)
        least = len(text) if known and set(words(text)) & set(known.negations) else least
    return least <= len(text) <= most and ENDS.search(text) is not None


def is_risky(text: str, written: str, *, copied: bool = False) -> bool:
    """Whether it has brackets or an address ("x < 5" without its bracket says something else), or
    may address a language model, as it was written.

    Args:
        copied: whether it is copied, and no model reads it.
    """
    addresses_a_model = is_no_text_for_readers if copied else may_address_a_model
    return bool(_BRACKETED.search(text) or _ADDRESS.search(text) or addresses_a_model(written))


def plain(text: str) -> str:
    """The text without control and format characters, with single spaces."""
    if text.isascii() and text.isprintable():
        return " ".join(text.split())
    composed = _VARIANTS.sub("", unicodedata.normalize("NFC", text))
    kept = (
        " " if (kind := unicodedata.category(ch)) in _PARTING else "" if kind in _DROPPED else ch
        for ch in composed
    )
    return " ".join("".join(kept).split())
