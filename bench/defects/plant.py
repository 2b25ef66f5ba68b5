"""Ways to plant one defect into a Markdown text, and to say where it is.

A text has one paragraph, list item or heading on each line.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from random import Random


class Group(StrEnum):
    """What sort of defect it is."""

    MECHANICS = "mechanics"
    LEFTOVERS = "leftovers"
    STRUCTURE = "structure"
    CONSISTENCY = "consistency"
    SUBSTANCE = "substance and style"


@dataclass(frozen=True)
class Planted:
    """A damaged text.

    Args:
        lines: the lines, counted from 1, at which an editor may put the mark.
    """

    text: str
    lines: frozenset[int]


Plant = Callable[[str, Random], Planted | None]


@dataclass(frozen=True)
class Kind:
    """A kind of defect; ``plant`` returns None for a text that has no place for it."""

    name: str
    group: Group
    plant: Plant
    language: str = "en"


_NOT_PROSE = re.compile(r"#|[-*+] |\d+[.)] |\||>|\s|!\[|```|~~~|<|$")
_SENTENCE_END = re.compile(r"(?<=[a-zà-ÿß)]{3}\.) (?=[A-ZÀ-Ý])")
_MIN_WORDS = 12


def prose_lines(lines: Sequence[str]) -> list[int]:
    """Return the indexes of the lines that are paragraphs of some length."""
    found, fenced = [], False
    for index, line in enumerate(lines):
        if line.startswith(("```", "~~~")):
            fenced = not fenced
        elif not fenced and not _NOT_PROSE.match(line) and len(line.split()) >= _MIN_WORDS:
            found.append(index)
    return found


def matching(lines: Sequence[str], pattern: str) -> list[int]:
    """Return the indexes of the lines that begin with a match of a pattern."""
    return [index for index, line in enumerate(lines) if re.match(pattern, line)]


def headings(lines: Sequence[str], level: int = 2) -> list[int]:
    """Return the indexes of the headings of a level."""
    return matching(lines, "#" * level + " ")


def changed(lines: Sequence[str], at: Sequence[int]) -> Planted:
    """Return the damaged text; its marks may stand at these indexes."""
    return Planted("\n".join(lines), frozenset(index + 1 for index in at))


def replace_one(pattern: str, new: str | Callable[[re.Match[str], Random], str]) -> Plant:
    """Replace one match of a pattern in a paragraph, drawn at random."""
    compiled = re.compile(pattern)

    def plant(text: str, random: Random) -> Planted | None:
        lines = text.split("\n")
        places = [(i, match) for i in prose_lines(lines) for match in compiled.finditer(lines[i])]
        random.shuffle(places)
        for index, match in places:
            with_ = match.expand(new) if isinstance(new, str) else new(match, random)
            if with_ != match[0]:
                line = lines[index]
                lines[index] = line[: match.start()] + with_ + line[match.end() :]
                return changed(lines, [index])
        return None

    return plant


def replace_word(words: Mapping[str, str]) -> Plant:
    """Replace one word of a paragraph by the wrong one beside it."""
    pattern = r"\b(?:" + "|".join(map(re.escape, words)) + r")\b"
    return replace_one(pattern, lambda match, _random: words[match[0]])


def sentence(*choices: str) -> Plant:
    """Add one of these sentences to a paragraph, behind its first, second … or last sentence."""

    def plant(text: str, random: Random) -> Planted | None:
        lines = text.split("\n")
        places = prose_lines(lines)
        if not places:
            return None
        index = random.choice(places)
        _add_sentence(lines, index, random.choice(choices), random)
        return changed(lines, [index])

    return plant


def _add_sentence(lines: list[str], index: int, new: str, random: Random) -> None:
    line = lines[index]
    ends = [match.start() for match in _SENTENCE_END.finditer(line)]
    at = random.choice([*ends, len(line)])
    lines[index] = f"{line[:at]} {new}{line[at:]}"


def attach(*choices: str) -> Plant:
    """Put one of these marks behind a word that ends a sentence, before its full stop."""

    def plant(text: str, random: Random) -> Planted | None:
        lines = text.split("\n")
        places = [i for i in prose_lines(lines) if lines[i].endswith(".")]
        if not places:
            return None
        index = random.choice(places)
        lines[index] = f"{lines[index][:-1]}{random.choice(choices)}."
        return changed(lines, [index])

    return plant


def pair(*choices: tuple[str, str]) -> Plant:
    """Add two sentences that contradict each other to two paragraphs; either may be marked."""

    def plant(text: str, random: Random) -> Planted | None:
        lines = text.split("\n")
        places = prose_lines(lines)
        if len(places) < 2:
            return None
        one, two = sorted(random.sample(places, 2))
        first, second = random.choice(choices)
        _add_sentence(lines, one, first, random)
        _add_sentence(lines, two, second, random)
        return changed(lines, [one, two])

    return plant


def paragraph(*choices: str, at: str = "") -> Plant:
    """Add a paragraph, or several lines, before a heading or paragraph; `first` or `last`."""

    def plant(text: str, random: Random) -> Planted | None:
        lines = text.split("\n")
        places = [i for i in prose_lines(lines) if i > 1]
        if not places:
            return None
        new = random.choice(choices).split("\n")
        if at == "first":
            index = places[0]
        elif at == "last":
            index = len(lines)
        else:
            index = random.choice(places)
        block = ["", *new] if at == "last" else [*new, ""]
        lines[index:index] = block
        begin = index + (at == "last")
        return changed(lines, range(begin, begin + len(new)))

    return plant


def section(heading: str, *body: str) -> Plant:
    """Add a section of level 2 before another one; the mark stands in it."""

    def plant(text: str, random: Random) -> Planted | None:
        lines = text.split("\n")
        places = headings(lines)
        if not places:
            return None
        index = random.choice(places)
        new = [f"## {heading}", "", *body]
        lines[index:index] = [*new, ""]
        return changed(lines, range(index, index + len(new)))

    return plant


def one_of(*plants: Plant) -> Plant:
    """Try the plants in an order drawn at random; the first that has a place counts."""

    def plant(text: str, random: Random) -> Planted | None:
        for each in random.sample(plants, len(plants)):
            if planted := each(text, random):
                return planted
        return None

    return plant


def facts(table: Sequence[tuple[str, str, str]]) -> Plant:
    """Change one statement of a carrier text that another statement of it repeats.

    Args:
        table: the statement, what it is changed to, and the other statement; texts that have both
            statements have a place for the defect.
    """

    def plant(text: str, random: Random) -> Planted | None:
        fitting = [row for row in table if row[0] in text and row[2] in text]
        if not fitting:
            return None
        old, new, other = random.choice(fitting)
        lines = text.split("\n")
        one = next(i for i, line in enumerate(lines) if old in line)
        two = next(i for i, line in enumerate(lines) if other in line)
        lines[one] = lines[one].replace(old, new, 1)
        return changed(lines, [*_table(lines, one), *_table(lines, two)])

    return plant


def _table(lines: Sequence[str], index: int) -> list[int]:
    """Return the indexes of the table around a line, or that of the line."""
    if not lines[index].startswith("|"):
        return [index]
    begin = end = index
    while begin and lines[begin - 1].startswith("|"):
        begin -= 1
    while end < len(lines) and lines[end].startswith("|"):
        end += 1
    return list(range(begin, end))


def on_lines(change: Callable[[list[str], Random], Sequence[int] | None]) -> Plant:
    """Make a plant of a function that changes the lines and returns the indexes of the marks; None,
    or an IndexError for a choice out of nothing, means that the text has no place for it."""

    def plant(text: str, random: Random) -> Planted | None:
        lines = text.split("\n")
        try:
            at = change(lines, random)
        except IndexError:
            return None
        return None if at is None else changed(lines, at)

    return plant
