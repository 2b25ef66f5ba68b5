"""The interface, docs/specification.md, as something that tests quote.

A clause is a piece of that text, word for word. ``clause`` marks the test that proves it; the
marks become the table docs/proofs/conformance.md.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest

PAGE = Path(__file__).parents[2] / "docs" / "specification.md"
_HEADING = re.compile(r"^#+ (.+)$", re.MULTILINE)
# A heading, the head of a table with the line below it, or the number of a list's entry.
_SILENT = re.compile(r"^#+ .+$|^\|.*\|\n\|[-|]+\|$|^\d+\. ", re.MULTILINE)
_SENTENCE = re.compile(r"(?:[^\n.;]|[.;](?!\s|$))+[.;]?", re.MULTILINE)
_EDGES = " |-*,;:"
# What is left between two claims of one sentence.
_JOINT = re.compile(r"^(?:(?:and|or)\b\s*)+|(?:\s*\b(?:and|or))+$")


def clause(*texts: str, under: str | None = None) -> pytest.MarkDecorator:
    """Mark a test as the proof of these clauses.

    Where the same words stand elsewhere too, ``under`` is the heading of their section.
    """
    return pytest.mark.clause(*texts, under=under)


class NotQuotable(ValueError):
    """The interface does not have these words, or has them more than once."""


@dataclass(frozen=True)
class Section:
    """What stands under one heading."""

    heading: str
    start: int
    end: int


@dataclass(frozen=True)
class Quote:
    """A clause and its place."""

    text: str
    section: str
    start: int

    @property
    def end(self) -> int:
        return self.start + len(self.text)


@dataclass(frozen=True)
class Remainder:
    """A sentence, or what is left of one, that no clause quotes."""

    text: str
    section: str


class Interface:
    """The page, by its sections."""

    def __init__(self, text: str) -> None:
        self.text = text
        found = list(_HEADING.finditer(text))
        ends = [heading.start() for heading in found[1:]] + [len(text)]
        self.sections = [
            Section(heading.group(1), heading.end(), end)
            for heading, end in zip(found, ends, strict=True)
        ]

    def quote(self, text: str, under: str | None = None) -> Quote:
        """Find a clause.

        Raises:
            NotQuotable: it is not there, or not only once.
        """
        places = [
            Quote(text, section.heading, place.start())
            for section in self.sections
            if under in {None, section.heading}
            for place in re.finditer(re.escape(text), self.text[: section.end])
            if place.start() >= section.start
        ]
        where = f" under “{under}”" if under else ""
        if not places:
            raise NotQuotable(f"{PAGE.name} does not say{where}: {text}")
        if len(places) > 1:
            also = ", ".join(f"“{place.section}”" for place in places)
            raise NotQuotable(f"{PAGE.name} says more than once, under {also}: {text}")
        return places[0]

    def sentence_of(self, quote: Quote) -> str:
        """The sentence, or the row of a table, that a clause is or begins in."""
        line = self.text.rfind("\n", 0, quote.start) + 1
        if self.text.startswith("|", line):
            return self.text[line : self.text.index("\n", line)]
        sentences = _SENTENCE.finditer(self.text, line)
        return next(one.group().strip(_EDGES) for one in sentences if one.end() > quote.start)

    def unquoted(self, quotes: Iterable[Quote]) -> list[Remainder]:
        """Return the sentences and table rows that no quote contains. Headings, table heads and
        text that ends in a colon make no claim and are left out."""
        said = bytearray(len(self.text))
        for quote in quotes:
            said[quote.start : quote.end] = b"\1" * len(quote.text)
        for silent in _SILENT.finditer(self.text):
            said[silent.start() : silent.end()] = b"\1" * len(silent.group())
        left = "".join("\n" if done else char for done, char in zip(said, self.text, strict=True))
        found = [
            Remainder(_JOINT.sub("", part.group().strip(_EDGES)).strip(_EDGES), section.heading)
            for section in self.sections
            for part in _SENTENCE.finditer(left, section.start, section.end)
            if not part.group().rstrip(" *").endswith(":")
        ]
        return [one for one in found if any(char.isalnum() for char in one.text)]


@cache
def interface() -> Interface:
    """The project's copy of the interface."""
    return Interface(PAGE.read_text(encoding="utf-8"))
