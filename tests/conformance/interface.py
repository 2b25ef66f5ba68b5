"""The interface, docs/interface.md, as something that tests quote.

A clause is a piece of that text, word for word. ``clause`` marks the test that proves it; the
marks become the table docs/conformance.md.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest

PAGE = Path(__file__).parents[2] / "docs" / "interface.md"
_HEADING = re.compile(r"^#+ (.+)$", re.MULTILINE)
# A heading, the head of a table with the line below it, or the number of a list's entry.
_SILENT = re.compile(r"^#+ .+$|^\|.*\|\n\|[-|]+\|$|^\d+\. ", re.MULTILINE)
_SENTENCE = re.compile(r"(?:[^\n.;]|[.;](?!\s|$))+[.;]?", re.MULTILINE)
_EDGES = " |-*,;:"


def clause(text: str, *, under: str | None = None) -> pytest.MarkDecorator:
    """Mark a test as the proof of a clause.

    ``under`` is the heading of its section, needed only where the same words stand elsewhere too.
    """
    return pytest.mark.clause(text, under=under)


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

    def unquoted(self, quotes: Iterable[Quote]) -> list[Remainder]:
        """What no quote holds, sentence by sentence and row by row. Headings, the heads of tables
        and what ends in a colon say nothing by themselves."""
        said = bytearray(len(self.text))
        for quote in quotes:
            said[quote.start : quote.end] = b"\1" * len(quote.text)
        for silent in _SILENT.finditer(self.text):
            said[silent.start() : silent.end()] = b"\1" * len(silent.group())
        left = "".join("\n" if done else char for done, char in zip(said, self.text, strict=True))
        return [
            Remainder(part.group().strip(_EDGES), section.heading)
            for section in self.sections
            for part in _SENTENCE.finditer(left, section.start, section.end)
            if any(char.isalnum() for char in part.group())
            and not part.group().rstrip(" *").endswith(":")
        ]


@cache
def interface() -> Interface:
    """The project's copy of the interface."""
    return Interface(PAGE.read_text(encoding="utf-8"))
