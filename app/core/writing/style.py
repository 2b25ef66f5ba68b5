"""Make copied sentences easier to read without any change of what they say: split long ones
that are two, and let one of three, or of three headings, that begin alike begin otherwise."""

import re
from collections.abc import Sequence

from app.core.checks import Kind, Passage, check_same_openings
from app.core.languages import Composing, Sentences, get_section
from app.core.text import sentences, word_count
from app.core.verification import is_order
from app.core.writing.names import capitalised, lower

# A shorter half is no sentence of its own.
_LEAST_WORDS = 4
# What begins a line of a list; a line of a table or a heading stays as it is.
_ITEM = re.compile(r"(?:[-*] |\d{1,3}\. )?")
_OTHER = re.compile(r"[|#>]")
# A mark could be torn apart, and a colon may rule all that follows.
_MARKED = re.compile(r"[*`“”\"():;]")


def easier(text: str, language: str) -> str:
    """Return a Markdown text with sentences that are easier to read. Tables, headings and texts in
    languages without rules stay as they are."""
    return "\n".join(
        line if _OTHER.match(line) else _easier_line(line, language) for line in text.split("\n")
    )


def varied(headings: Sequence[str], language: str) -> list[str]:
    """Return headings, one of each three in a row that begin alike with what it told how to do:
    “Check the harness” for “How to check the harness”."""
    rules, found = get_section(language, Composing), list(headings)
    how_to = rules.headings.how_to if rules else None
    if how_to is None:
        return found
    for at in range(len(found) - 2):
        row = (found[at + 1], found[at + 2], found[at])
        heading = next((each for each in row if each.startswith(how_to)), "")
        order = capitalised(heading.removeprefix(how_to))
        if heading and order not in found and len({each.split()[0] for each in row}) == 1:
            found[found.index(heading)] = order
    return found


def _easier_line(line: str, language: str) -> str:
    marker = _ITEM.match(line)
    begin = marker.end() if marker else 0
    said = [each.text for each in sentences(line[begin:], language)]
    if " ".join(said) != line[begin:]:
        return line
    split = [part for each in said for part in _split(each, language)]
    return f"{line[:begin]}{' '.join(_varied(split, language))}"


def _split(sentence: str, language: str) -> list[str]:
    """Return a long sentence as two if each half of it is one."""
    rules, known = get_section(language, Composing), get_section(language, Sentences)
    first, semicolon, second = sentence.partition("; ")
    if rules is None or known is None or not semicolon or ";" in second or ":" in second:
        return [sentence]
    is_own = is_order(second, language) or bool(rules.referring.match(second))
    are_long = min(word_count(first), word_count(second)) >= _LEAST_WORDS
    if word_count(sentence) > known.long_words and is_own and are_long:
        return [f"{first}.", capitalised(second)]
    return [sentence]


def _varied(said: list[str], language: str) -> list[str]:
    """Return the sentences of a paragraph, one of each three in a row that begin alike with its
    condition at its end: “Call a doctor if it hurts.”"""
    for at in range(len(said) - 2):
        if not _are_alike(said[at : at + 3], language):
            continue
        for place in (at + 1, at + 2, at):
            if turned := _turned(said[place], language):
                said = [*said[:place], turned, *said[place + 1 :]]
                break
    return said


def _are_alike(said: list[str], language: str) -> bool:
    passage = Passage("", Kind.PROSE, " ".join(said))
    return any(check_same_openings([passage], language))


def _turned(sentence: str, language: str) -> str:
    """Return an order with its condition behind it; "" if that may say something else."""
    rules = get_section(language, Composing)
    condition, comma, order = sentence.partition(", ")
    if rules is None or rules.conditions is None or rules.pointing is None or not comma:
        return ""
    is_sure = (
        rules.conditions.match(condition)
        and is_order(order, language)
        and "," not in order
        and order.endswith(".")
        and not rules.pointing.search(order)
        and not _MARKED.search(sentence)
    )
    return f"{capitalised(order[:-1])} {lower(condition)}." if is_sure else ""
